"""The law about ``error(beta)``: it covers at its level and is the smallest radius that does,
computed from ``log_prob``.

For a point the error is a number of ranks, and for a run one radius for all verdicts: bounds, which
are only checked for coverage.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np

from hedgerow.numeric.vectorised import Floats
from hedgerow.verify.laws.case import LawCase, LawFinding
from hedgerow.verify.laws.error_radius import (
    LAW_NAME,
    LEVELS,
    check_additive_error,
    check_point_error,
    check_run_error,
    check_tested_error,
    require_coverage,
    require_smallest,
)
from hedgerow.verify.laws.neighbours.additive import compute_noise_distribution
from hedgerow.verify.laws.neighbours.smooth import compute_cell_distribution
from hedgerow.verify.laws.neighbours.worst_case import (
    compute_choice_distribution,
    compute_report_distribution,
)

__all__ = ["error_covers"]

_CANDIDATES = 5
_REPORTS = 40
# of the trapezoid rule between the outer points at which smooth distributions are known
_FAR_SLACK = 3e-3
_MAX_RADIUS = 2.0**34  # larger radii lie where the distribution is hardly known


def error_covers(case: LawCase) -> LawFinding:
    """Check that at most beta lies outside ``error(beta)``, and that a slightly smaller radius
    leaves more outside (for a response only the former).
    """
    if not hasattr(case.mechanism, "error"):
        return LawFinding(LAW_NAME, "no error is stated")
    return {
        "additive": _check_additive,
        "selection": _check_selection,
        "response": _check_response,
        "smooth": _check_smooth,
        "point": check_point_error,
        "tested": check_tested_error if case.counts_units else check_run_error,
    }[case.shape](case)


def _check_additive(case: LawCase) -> LawFinding:
    check_additive_error(
        compute_noise_distribution(case), Fraction(case.mechanism.grid), case.mechanism.error
    )
    return LawFinding(
        LAW_NAME, f"error(0.05) = {float(case.mechanism.error(0.05)):g}, the smallest that covers"
    )


def _check_smooth(case: LawCase) -> LawFinding:
    """Check the noise of one cell, in multiples of the smooth sensitivity; rounding to the grid
    adds up to half a step.
    """
    smooth = float(case.mechanism.bound)
    noise = compute_cell_distribution(case, smooth)

    def outside(size: float) -> float:
        return noise.above(floor(size)) + noise.below(-floor(size)) + noise.mass_beyond

    for beta in LEVELS:
        radius = case.mechanism.error(beta)
        steps = radius * smooth / float(case.mechanism.grid)
        if steps < _MAX_RADIUS:
            require_coverage(outside(steps + 0.5), beta, _FAR_SLACK, radius)
            if 0.99 * steps >= 0.5:
                require_smallest(outside(0.99 * steps - 0.5), beta, _FAR_SLACK, radius)
    return LawFinding(
        LAW_NAME,
        f"error(0.05) = {case.mechanism.error(0.05):g} times the smooth sensitivity, the smallest"
        " that covers",
    )


def _check_selection(case: LawCase) -> LawFinding:
    for beta in LEVELS:
        radius = case.mechanism.error(beta, _CANDIDATES)
        below = max(radius, 1e-9) * (1 + 1e-9)  # the others lie just outside the radius
        farther = compute_choice_distribution(case, [0.0] + [-below] * (_CANDIDATES - 1))
        require_coverage(-np.expm1(farther.log[0]), beta, 1e-6, radius)
        if radius > 0:
            closer = compute_choice_distribution(
                case, [0.0] + [-radius * 0.999] * (_CANDIDATES - 1)
            )
            require_smallest(-np.expm1(closer.log[0]), beta, 1e-6, radius)
    return LawFinding(
        LAW_NAME,
        f"error(0.05, {_CANDIDATES}) = {case.mechanism.error(0.05, _CANDIDATES):g}, the smallest"
        " that covers",
    )


def _check_response(case: LawCase) -> LawFinding:
    counts = (0, _REPORTS // 2, _REPORTS)  # an unbiased estimate is linear in the count
    known = [
        case.mechanism.estimate(np.repeat([0, 1], [count, _REPORTS - count]))[0].share
        for count in counts
    ]
    shares = np.interp(np.arange(_REPORTS + 1), counts, known)
    kept, changed = (
        float(np.exp(compute_report_distribution(case, truth).log[0])) for truth in (0, 1)
    )
    for owners in (0, 10, 20, _REPORTS):
        hits = np.convolve(
            _binomial_probabilities(owners, kept),
            _binomial_probabilities(_REPORTS - owners, changed),
        )
        for beta in LEVELS:
            radius = case.mechanism.error(beta, _REPORTS)
            require_coverage(
                float(hits[np.abs(shares - owners / _REPORTS) > radius].sum()), beta, 1e-9, radius
            )
    return LawFinding(
        LAW_NAME, f"error(0.05, {_REPORTS}) = {case.mechanism.error(0.05, _REPORTS):g}"
    )


def _binomial_probabilities(trials: int, probability: float) -> Floats:
    masses = np.ones(1)
    for _ in range(trials):
        masses = np.convolve(masses, [1 - probability, probability])
    return masses
