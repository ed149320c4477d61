"""The laws about draws, for mechanisms that are looked at in small worlds: every use is a call,
and every output is counted.
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
    """Two calls in a row, and two cells of one call, are equal as often as chance makes them."""
    law, place = "cells are independent", _find_most_random_use(case)
    if place.distribution is None:
        return LawFinding(law, "no probabilities are stated")
    drawn = draw_encoded(place, 2 * _CALLS)
    pairs = [
        ("two calls in a row", drawn[::2], drawn[1::2], place.distribution),
        ("a call and the next but one", drawn[:-2], drawn[2:], place.distribution),
    ]
    pairs += _list_cell_pairs(case)
    for words, one, other, masses in pairs:
        chance = masses.mean(np.exp(masses.log))
        hits = int(np.sum(one == other))
        if compute_agreement_p_value(hits, one.size, chance) < FALSE_ALARM_RATE / len(pairs) / 2:
            raise LawBroken(
                law, f"{words} to be equal in {chance:.2%} of draws", f"{hits / one.size:.2%}"
            )
    return LawFinding(law, f"{len(pairs)} pairs of outputs, {2 * _CALLS} calls")


def _list_cell_pairs(case: LawCase) -> list[tuple[str, Integers, Integers, IntegerDistribution]]:
    """Of a mechanism that answers several numbers at once, pairs of their noise."""
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
    """Draws fit the law that is stated, at every place."""
    law, figures = "sample follows log_prob", []
    places = [place for place in build_neighbour_set(case).uses if place.distribution is not None]
    if not places:
        return LawFinding(law, "no probabilities are stated; the loss was held against draws")
    count = max(case.draws // 200, 500) * (8 if case.shape == "tested" else 1)  # those are quick
    for place in places:
        assert place.distribution is not None
        good = measure_fit(draw_encoded(place, count), place.distribution)
        if good.p_value < FALSE_ALARM_RATE / len(places):
            raise LawBroken(
                law,
                f"{count} draws at {place.description} to fit",
                f"{good}, chance at most {good.p_value:.1e}",
            )
        figures.append(str(good))
    return LawFinding(law, f"{count} draws at each of {len(places)} places: {figures[0]}")


def check_use_outputs(case: LawCase) -> LawFinding:
    """Outputs are such as can come out: grid points, candidates, None, published keys, verdicts."""
    places = build_neighbour_set(case).uses
    for place in places:
        draw_encoded(place, 100)
    return LawFinding("outputs keep to the grid", f"{100 * len(places)} outputs")


def draw_smooth_sides(case: LawCase) -> list[Any]:
    """Draws of a smooth mechanism on two answers one smooth sensitivity apart."""
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
    """The place where two draws are most often different."""
    return min(build_neighbour_set(case).uses, key=_equality_probability)


def _equality_probability(place: MechanismUse) -> float:
    return (
        1.0
        if place.distribution is None
        else place.distribution.mean(np.exp(place.distribution.log))
    )


def compute_equality_probability(case: LawCase) -> float:
    """How likely two draws at the liveliest place are equal; where no law is stated, as often as
    they were in draws, and more.
    """
    place = _find_most_random_use(case)
    if place.distribution is not None:
        return _equality_probability(place)
    drawn = draw_encoded(place, 2 * 100)
    return float(np.mean(drawn[::2] == drawn[1::2])) / 2 + 0.5


def draw_encoded_twice(case: LawCase, count: int) -> tuple[Any, Any]:
    """Draws at the liveliest place, in the form in which those of other shapes come."""
    drawn = draw_encoded(_find_most_random_use(case), count)
    return drawn, np.append(drawn, -1)
