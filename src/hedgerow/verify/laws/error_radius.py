"""Error radii of points, tests and runs, compared with their distributions on small data sets; and
the two checks that all shapes share.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from hedgerow.mechanisms.interface import ThresholdedHistogram
from hedgerow.numeric.vectorised import Floats
from hedgerow.verify.audit.confidence import clopper_pearson_lower
from hedgerow.verify.laws.case import FALSE_ALARM_RATE, LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours.points import (
    NARROW_WIDTH,
    WIDE_WIDTH,
    PointChooser,
    Rows,
    compute_point_distribution,
    list_choosers,
    make_column,
)
from hedgerow.verify.laws.neighbours.sparse_vector import compute_run_distribution, list_verdicts
from hedgerow.verify.laws.neighbours.worst_case import (
    build_neighbour_set,
    compute_choice_distribution,
)

__all__ = [
    "LAW_NAME",
    "LEVELS",
    "check_additive_error",
    "check_point_error",
    "check_run_error",
    "check_tested_error",
    "require_coverage",
    "require_smallest",
]

LAW_NAME = "error covers"
LEVELS = (0.5, 0.1, 0.05, 1e-3, 1e-6)
_COLUMNS: list[tuple[Rows, int]] = [
    ((0, 1, 1, 3), NARROW_WIDTH),
    ((0, 3), NARROW_WIDTH),
    ((2, 2, 2, 2, 2), NARROW_WIDTH),
    ((7,) * 40, WIDE_WIDTH),
    (tuple(range(WIDE_WIDTH + 1)) * 2, WIDE_WIDTH),
    ((0,) * 30 + (WIDE_WIDTH,) * 30, WIDE_WIDTH),
]
_QUERIES = 4
_CANDIDATES = 5


def require_coverage(outside: float, beta: float, tolerance: float, radius: object) -> None:
    """Check that at most beta lies outside."""
    if not outside <= beta * (1 + tolerance):
        raise LawBroken(
            LAW_NAME, f"at most {beta:g} outside error({beta:g}) = {radius}", f"{outside:.6g}"
        )


def require_smallest(outside: float, beta: float, tolerance: float, radius: object) -> None:
    """Check that a smaller radius leaves more than beta outside."""
    if not outside >= beta * (1 - tolerance):
        raise LawBroken(
            LAW_NAME,
            f"error({beta:g}) to be the smallest that covers, not {radius}",
            f"a smaller one with {outside:.6g} outside",
        )


def check_additive_error(
    masses: IntegerDistribution, grid: Fraction, error: Callable[[float], Any]
) -> None:
    """Check the radius of noise on a grid, in the units of the answer."""
    slack = 1e-9 if masses.is_exact else 1e-4
    # Reals are rounded to the grid before noise is added: the worst exact value lies just below the
    # middle between two grid points.
    offset = Fraction(0) if grid == 1 else Fraction(499, 1000)
    for beta in LEVELS:
        radius = error(beta)
        steps = Fraction(radius) / grid
        outside = masses.above(floor(steps + offset)) + masses.below(-floor(steps - offset))
        require_coverage(
            max(outside, masses.above(floor(steps)) + masses.below(-floor(steps))),
            beta,
            slack,
            radius,
        )
        less = floor(steps) - 1 if steps <= 1000 else floor(steps * Fraction(999, 1000))
        if less >= 0:
            require_smallest(masses.above(less) + masses.below(-less), beta, slack, radius)


def check_point_error(case: LawCase) -> LawFinding:
    """Check the error of a point: a number of ranks, of values beyond it, or of rows to change."""
    mechanism = case.mechanism
    if hasattr(mechanism, "quantile_log_prob"):
        for beta in LEVELS:
            radius = mechanism.error(beta, _CANDIDATES)
            others = [floor(radius) + 1] * (_CANDIDATES - 1)
            require_coverage(
                -np.expm1(compute_choice_distribution(case, [0, *others]).log[0]),
                beta,
                1e-6,
                radius,
            )
            if (less := ceil(radius) - 1) > 0:
                require_smallest(
                    -np.expm1(
                        compute_choice_distribution(case, [0, *[less] * (_CANDIDATES - 1)]).log[0]
                    ),
                    beta,
                    1e-6,
                    radius,
                )
        return LawFinding(
            LAW_NAME,
            f"error(0.05, {_CANDIDATES}) = {mechanism.error(0.05, _CANDIDATES):g}, the smallest"
            " integer that covers",
        )
    if not hasattr(mechanism, "at") and not hasattr(mechanism, "depth"):
        return LawFinding(LAW_NAME, "no error in ranks is stated")
    for chooser in list_choosers(case):
        for rows, width in _COLUMNS:
            stated = compute_point_distribution(chooser, rows, width)
            off = _compute_rank_errors(mechanism, chooser.relation, rows, width)
            if stated is None:
                _check_by_draws(case, chooser, rows, width, off)
                continue
            for beta in LEVELS:
                require_coverage(
                    float(np.exp(stated.log)[off[0] > mechanism.error(beta, width)].sum()),
                    beta,
                    1e-9,
                    mechanism.error(beta, width),
                )
    return LawFinding(
        LAW_NAME,
        f"error(0.05, {WIDE_WIDTH}) = {mechanism.error(0.05, WIDE_WIDTH):g} on {len(_COLUMNS)}"
        " columns",
    )


def _compute_rank_errors(mechanism: Any, relation: str, rows: Rows, width: int) -> list[Floats]:
    """Return, for each quantile, the ranks that each point is off; for an extreme, the number of
    values beyond it.
    """
    data, points = np.array(rows), np.arange(width + 1)[:, None]
    below, up_to = (data < points).sum(axis=1), (data <= points).sum(axis=1)
    n = data.size
    if hasattr(mechanism, "depth"):
        return [n - up_to if mechanism.side == "max" else below]
    found = []
    for p in map(float, mechanism.at):
        rank = max(1, ceil(p * n - 1e-9))
        away = (
            (below + 1 - rank, rank - up_to)
            if relation == "change-one"
            else (below - p * n, p * n - up_to)
        )
        found.append(np.maximum(np.maximum(*away), 0) - 1e-9)
    return found


def _check_by_draws(
    case: LawCase, chooser: PointChooser, rows: Rows, width: int, off: list[Floats]
) -> None:
    """Check by draws, if no distribution is stated, that errors beyond the radius are not certainly
    too frequent.
    """
    count, data = max(case.draws // 1000, 100), make_column(rows, width)
    worst = np.array(
        [
            max(ranks[z] for ranks, z in zip(off, chooser.draw(data), strict=True))
            for _ in range(count)
        ]
    )
    for beta in LEVELS:
        radius = case.mechanism.error(beta, width)
        require_coverage(
            float(
                clopper_pearson_lower(
                    int((worst > radius).sum()),
                    count,
                    FALSE_ALARM_RATE / len(LEVELS) / len(_COLUMNS),
                )
            ),
            beta,
            1e-9,
            radius,
        )


def check_tested_error(case: LawCase) -> LawFinding:
    """Check the radius of the noise of released and published values, and the distance that
    suffices for a release.
    """
    mechanism: Any = case.mechanism
    if isinstance(case.mechanism, ThresholdedHistogram):
        for beta in LEVELS:
            radius = mechanism.error(beta)
            for size, check in ((radius, require_coverage), (radius - 1, require_smallest)):
                if size >= 0:  # too low by more than the radius, doubled for the other side
                    check(
                        2 * (1 - mechanism.publish_probability(mechanism.threshold + size)),
                        beta,
                        1e-6,
                        radius,
                    )
        return LawFinding(
            LAW_NAME, f"error(0.05) = {mechanism.error(0.05)}, the smallest that covers"
        )
    if hasattr(mechanism, "noise"):
        released = build_neighbour_set(case).uses[-1].distribution  # at an infinite distance
        assert released is not None
        check_additive_error(released, Fraction(mechanism.noise.grid), mechanism.error)
        return LawFinding(
            LAW_NAME, f"error(0.05) = {float(mechanism.error(0.05)):g}, the smallest that covers"
        )
    for beta in LEVELS:
        distance = mechanism.error(beta)
        require_coverage(1 - mechanism.release_probability(distance), beta, 1e-6, distance)
        if distance > mechanism.threshold:
            require_smallest(1 - mechanism.release_probability(distance - 1), beta, 1e-6, distance)
    return LawFinding(
        LAW_NAME,
        f"the distance error(0.05) = {mechanism.error(0.05)} is the smallest that suffices",
    )


def check_run_error(case: LawCase) -> LawFinding:
    """Check that no verdict is wrong by more than the radius."""
    for beta in LEVELS:
        radius = case.mechanism.error(beta, _QUERIES)
        for above in ((True,) * _QUERIES, (False,) * _QUERIES, (False, True) * (_QUERIES // 2)):
            answers = tuple(radius if side else -radius - 1 for side in above)
            probabilities = np.exp(compute_run_distribution(case, answers).log)
            wrong = [
                verdicts != above[: len(verdicts)]
                for verdicts in list_verdicts(_QUERIES, case.mechanism.cutoff)
            ]
            require_coverage(float(probabilities[wrong].sum()), beta, 1e-9, radius)
    return LawFinding(LAW_NAME, f"error(0.05, {_QUERIES}) = {case.mechanism.error(0.05, _QUERIES)}")
