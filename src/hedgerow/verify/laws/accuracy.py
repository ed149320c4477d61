"""The law about ``error(beta)``: it covers at its level, and is the smallest that does. Computed from ``log_prob``.

Of a point the error is a number of ranks, and of a run one radius for all verdicts: bounds, of which only the first half is asked.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np

from hedgerow.numeric.chunk import Floats
from hedgerow.verify.laws.case import Case, Finding
from hedgerow.verify.laws.neighbours import choice, reports
from hedgerow.verify.laws.reach import LAW, LEVELS, additive_reach, covers, gates_reach, points_reach, runs_reach, smallest
from hedgerow.verify.laws.shifts import noise
from hedgerow.verify.laws.smoothed import around

__all__ = ["error_covers"]

_CANDIDATES = 5
_REPORTS = 40
_FAR_SLACK = 3e-3  # of the trapezoid rule between the points at which smooth laws are known, far out
_FARTHEST = 2.0**34  # radii beyond lie where the law is hardly known


def error_covers(case: Case) -> Finding:
    """Outside ``error(beta)`` lies at most beta; a radius a little smaller leaves more outside (a response: only the first)."""
    if not hasattr(case.mechanism, "error"):
        return Finding(LAW, "no error is stated")
    return {
        "additive": _additive,
        "selection": _selection,
        "response": _response,
        "smooth": _smooth,
        "point": points_reach,
        "tested": gates_reach if case.in_units else runs_reach,
    }[case.shape](case)


def _additive(case: Case) -> Finding:
    additive_reach(noise(case), Fraction(case.mechanism.grid), case.mechanism.error)
    return Finding(LAW, f"error(0.05) = {float(case.mechanism.error(0.05)):g}, the smallest that covers")


def _smooth(case: Case) -> Finding:
    """The noise of one cell, in multiples of the smooth sensitivity; rounding to the grid adds up to half a step."""
    smooth = float(case.mechanism.bound)
    law = around(case, smooth)

    def outside(size: float) -> float:
        return law.above(floor(size)) + law.below(-floor(size)) + law.beyond

    for beta in LEVELS:
        radius = case.mechanism.error(beta)
        steps = radius * smooth / float(case.mechanism.grid)
        if steps < _FARTHEST:
            covers(outside(steps + 0.5), beta, _FAR_SLACK, radius)
            if 0.99 * steps >= 0.5:
                smallest(outside(0.99 * steps - 0.5), beta, _FAR_SLACK, radius)
    return Finding(LAW, f"error(0.05) = {case.mechanism.error(0.05):g} times the smooth sensitivity, the smallest that covers")


def _selection(case: Case) -> Finding:
    for beta in LEVELS:
        radius = case.mechanism.error(beta, _CANDIDATES)
        below = max(radius, 1e-9) * (1 + 1e-9)  # the others, just too far from the best
        covers(-np.expm1(choice(case, [0.0] + [-below] * (_CANDIDATES - 1)).log[0]), beta, 1e-6, radius)
        if radius > 0:
            closer = choice(case, [0.0] + [-radius * 0.999] * (_CANDIDATES - 1))
            smallest(-np.expm1(closer.log[0]), beta, 1e-6, radius)
    return Finding(LAW, f"error(0.05, {_CANDIDATES}) = {case.mechanism.error(0.05, _CANDIDATES):g}, the smallest that covers")


def _response(case: Case) -> Finding:
    counts = (0, _REPORTS // 2, _REPORTS)  # an unbiased estimate is a straight line in the count
    known = [case.mechanism.estimate(np.repeat([0, 1], [count, _REPORTS - count]))[0].share for count in counts]
    shares = np.interp(np.arange(_REPORTS + 1), counts, known)
    kept, changed = (float(np.exp(reports(case, truth).log[0])) for truth in (0, 1))
    for owners in (0, 10, 20, _REPORTS):
        hits = np.convolve(_binomial(owners, kept), _binomial(_REPORTS - owners, changed))
        for beta in LEVELS:
            radius = case.mechanism.error(beta, _REPORTS)
            covers(float(hits[np.abs(shares - owners / _REPORTS) > radius].sum()), beta, 1e-9, radius)
    return Finding(LAW, f"error(0.05, {_REPORTS}) = {case.mechanism.error(0.05, _REPORTS):g}")


def _binomial(trials: int, chance: float) -> Floats:
    law = np.ones(1)
    for _ in range(trials):
        law = np.convolve(law, [1 - chance, chance])
    return law
