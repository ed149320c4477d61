"""Laws about draws, for mechanisms that are tested on small data sets: each use is one call, and
each output is counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Integers
from hedgerow.verify.laws.case import FALSE_ALARM_RATE, LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.goodness_of_fit import compute_agreement_p_value, measure_fit
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours.data_sets import MechanismUse, draw_encoded
from hedgerow.verify.laws.neighbours.smooth import (
    compute_cell_distribution,
    count_cells,
    make_answer,
)
from hedgerow.verify.laws.neighbours.worst_case import build_neighbour_set

__all__ = [
    "calls_are_independent",
    "check_use_fit",
    "check_use_outputs",
    "compute_equality_probability",
    "draw_encoded_twice",
    "draw_smooth_sides",
]

_CALLS = 250
_CELLS = 8


def calls_are_independent(case: LawCase) -> LawFinding:
    """Check that two consecutive calls, and two cells of one call, are equal as often as
    expected.
    """
    law, use = "cells are independent", _find_most_random_use(case)
    if use.distribution is None:
        return LawFinding(law, "no probabilities are stated")
    drawn = draw_encoded(use, 2 * _CALLS)
    pairs = [
        ("two calls in a row", drawn[::2], drawn[1::2], use.distribution),
        ("a call and the second after it", drawn[:-2], drawn[2:], use.distribution),
    ]
    pairs += _list_cell_pairs(case)
    for words, left, right, masses in pairs:
        expected = masses.mean(np.exp(masses.log))
        hits = int(np.sum(left == right))
        if compute_agreement_p_value(hits, left.size, expected) < FALSE_ALARM_RATE / len(pairs) / 2:
            raise LawBroken(
                law, f"{words} to be equal in {expected:.2%} of draws", f"{hits / left.size:.2%}"
            )
    return LawFinding(law, f"{len(pairs)} pairs of outputs, {2 * _CALLS} calls")


def _list_cell_pairs(case: LawCase) -> list[tuple[str, Integers, Integers, IntegerDistribution]]:
    """Return pairs of noise from one call, for a mechanism that answers several numbers at once."""
    if case.shape != "smooth" or count_cells(case) == 1:
        return []
    smooth, grid = float(case.mechanism.bound), float(case.mechanism.grid)
    table = np.array(
        [
            np.asarray(case.mechanism.sample(make_answer(case, 0.0), smooth))[:_CELLS]
            for _ in range(_CALLS)
        ]
    )
    steps, masses = np.rint(table / grid).astype(np.int64), compute_cell_distribution(case, smooth)
    return [
        (f"cells {i} and {i + 1} of one call", steps[:, i], steps[:, i + 1], masses)
        for i in range(steps.shape[1] - 1)
    ]


def check_use_fit(case: LawCase) -> LawFinding:
    """Check that draws fit the stated distribution of each use."""
    law, figures = "sample follows log_prob", []
    uses = [use for use in build_neighbour_set(case).uses if use.distribution is not None]
    if not uses:
        return LawFinding(law, "no probabilities are stated; the loss was compared with draws")
    count = max(case.draws // 200, 500) * (
        8 if case.shape == "tested" else 1
    )  # tested ones are fast
    for use in uses:
        assert use.distribution is not None
        good = measure_fit(draw_encoded(use, count), use.distribution)
        if good.p_value < FALSE_ALARM_RATE / len(uses):
            raise LawBroken(
                law,
                f"{count} draws at {use.description} to fit",
                f"{good}, probability at most {good.p_value:.1e}",
            )
        figures.append(str(good))
    return LawFinding(law, f"{count} draws on each of {len(uses)} data sets: {figures[0]}")


def check_use_outputs(case: LawCase) -> LawFinding:
    """Check that outputs are possible: grid points, candidates, None, published keys or
    verdicts.
    """
    uses = build_neighbour_set(case).uses
    for use in uses:
        draw_encoded(use, 100)
    return LawFinding("outputs lie on the grid", f"{100 * len(uses)} outputs")


def draw_smooth_sides(case: LawCase) -> list[Any]:
    """Draw from a smooth mechanism on two answers one smooth sensitivity apart."""
    smooth = float(case.mechanism.bound)
    count = max(case.draws // 200, 500)
    return [
        np.concatenate(
            [
                np.atleast_1d(case.mechanism.sample(make_answer(case, exact), smooth))
                for _ in range(count)
            ]
        )
        for exact in (0.0, smooth)
    ]


def _find_most_random_use(case: LawCase) -> MechanismUse:
    """Return the use whose draws differ most often."""
    return min(build_neighbour_set(case).uses, key=_equality_probability)


def _equality_probability(use: MechanismUse) -> float:
    if use.distribution is None:
        return 1.0
    return use.distribution.mean(np.exp(use.distribution.log))


def compute_equality_probability(case: LawCase) -> float:
    """Return the probability that two draws of the most random use are equal; if none is stated, a
    value above their observed frequency.
    """
    use = _find_most_random_use(case)
    if use.distribution is not None:
        return _equality_probability(use)
    drawn = draw_encoded(use, 2 * 100)
    return float(np.mean(drawn[::2] == drawn[1::2])) / 2 + 0.5


def draw_encoded_twice(case: LawCase, count: int) -> tuple[Any, Any]:
    """Draw from the most random use, in the format of the other shapes."""
    drawn = draw_encoded(_find_most_random_use(case), count)
    return drawn, np.append(drawn, -1)
