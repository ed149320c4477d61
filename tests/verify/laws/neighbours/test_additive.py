"""Moves of additive mechanisms: allowed, and the worst."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Laplace
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import LawCase, make_case
from hedgerow.verify.laws.neighbours.additive import (
    compute_noise_distribution,
    list_extreme_moves,
    restrict_to_support,
    to_outputs,
)
from hedgerow.verify.laws.neighbours.worst_case import list_worst_neighbours

ONE = Fraction(1)


def case_of(mechanism: Any, sensitivity: Any = 1) -> LawCase:
    return make_case(mechanism, sensitivity, 10_000, None)


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (Sensitivity.of(3), [{3: 1}]),
        (Sensitivity.each(3, 2), [{2: 1}, {2: 3}]),
        (Sensitivity(3, 2, 5, 9), [{2: 1}, {2: 2, 1: 1}, {1: 3}]),
        (Sensitivity(2, 1, 1, 1), [{1: 1}]),
        (Sensitivity.of(Fraction(5, 2)), [{2: 1}]),
    ],
    ids=str,
)
def testextremes_of_whole_answers(move: Sensitivity, expected: list[dict[int, int]]) -> None:
    assert list_extreme_moves(case_of(Laplace(ONE), move)) == [
        Counter({Fraction(k): v for k, v in vector.items()}) for vector in expected
    ]


@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 8)], ids=str)
@pytest.mark.parametrize(
    "move",
    [
        Sensitivity(3, 2, 5, 9),
        Sensitivity(5, 2, 3, 5),
        Sensitivity(4, Fraction(3, 2), 3, Fraction(7, 2)),
        Sensitivity.each(7, 3),
    ],
    ids=str,
)
def testextremes_are_allowed(move: Sensitivity, grid: Fraction) -> None:
    for vector in list_extreme_moves(case_of(Laplace(ONE, grid), move)):
        assert sum(vector.values()) <= move.l0
        assert max(vector) <= move.linf
        assert sum(size * count for size, count in vector.items()) <= move.l1
        assert sum(size**2 * count for size, count in vector.items()) <= move.l2_squared


@pytest.mark.parametrize("by", [0.3, 1, 1.01, 7.999], ids=str)
def test_snapping_makes_the_most_of_a_move(by: float) -> None:
    grid = Fraction(1, 4)
    for found in list_worst_neighbours(case_of(Laplace(ONE, grid), by)):
        pair, count = found.cells[0]
        assert count == 1
        assert abs(pair.losses).max() == pytest.approx(ceil(Fraction(str(by)) / grid) / 4, rel=1e-9)


def test_outputs_are_those_of_the_grid() -> None:
    steps = np.array([-2, 0, 3])
    assert to_outputs(case_of(Laplace(ONE)), steps).dtype == np.int64
    assert to_outputs(case_of(Laplace(ONE, Fraction(1, 4))), steps).tolist() == [-0.5, 0, 0.75]


def test_a_pair_is_cut_where_neither_law_has_mass() -> None:
    steps = np.arange(5)
    one, other = np.array([-1e9, -1.0, -1.0, -1e9, -1e9]), np.array([-1e9, -1e9, -1.0, -1.0, -1e9])
    pair = restrict_to_support(steps, one, other)
    assert pair.first.steps.tolist() == [1, 2, 3]
    assert pair.losses.tolist() == [1999, 0, -1999]


def test_the_law_of_the_noise() -> None:
    assert compute_noise_distribution(case_of(Laplace(ONE, Fraction(1, 4)))).above(
        3
    ) == pytest.approx(compute_noise_distribution(case_of(Laplace(Fraction(4)))).above(3))
