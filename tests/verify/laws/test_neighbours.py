"""The worst neighbours are neighbours, and the worst."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Exponential, Gaussian, Laplace, RandomizedResponse
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import Case, make_case
from hedgerow.verify.laws.neighbours import _extremes, choice, neighbours, noise, reports

ONE, HALF = Fraction(1), Fraction(1, 2)


def case_of(mechanism: Any, sensitivity: Any = 1) -> Case:
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
def test_extremes_of_whole_answers(move: Sensitivity, expected: list[dict[int, int]]) -> None:
    assert _extremes(case_of(Laplace(ONE), move)) == [Counter({Fraction(k): v for k, v in vector.items()}) for vector in expected]


@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 8)], ids=str)
@pytest.mark.parametrize(
    "move",
    [Sensitivity(3, 2, 5, 9), Sensitivity(5, 2, 3, 5), Sensitivity(4, Fraction(3, 2), 3, Fraction(7, 2)), Sensitivity.each(7, 3)],
    ids=str,
)
def test_extremes_are_allowed(move: Sensitivity, grid: Fraction) -> None:
    for vector in _extremes(case_of(Laplace(ONE, grid), move)):
        assert sum(vector.values()) <= move.l0
        assert max(vector) <= move.linf
        assert sum(size * count for size, count in vector.items()) <= move.l1
        assert sum(size**2 * count for size, count in vector.items()) <= move.l2_squared


@pytest.mark.parametrize("by", [0.3, 1, 1.01, 7.999], ids=str)
def test_snapping_makes_the_most_of_a_move(by: float) -> None:
    grid = Fraction(1, 4)
    for found in neighbours(case_of(Laplace(ONE, grid), by)):
        pair, count = found.cells[0]
        assert count == 1
        assert abs(pair.losses).max() == pytest.approx(ceil(Fraction(str(by)) / grid) / 4, rel=1e-9)


def test_pairs_come_both_ways_round() -> None:
    found = neighbours(case_of(Gaussian(ONE), 2))
    assert len(found) == 4  # up and down, there and back
    assert {float(item.cells[0][0].losses[0]) > 0 for item in found} == {True, False}
    assert "1 cell moved by 2" in found[0].words


def test_scores_move_by_what_is_allowed_only() -> None:
    free, monotone = (neighbours(case_of(Exponential(ONE, flag), 1)) for flag in (False, True))
    assert len(free) > len(monotone)
    for found, most in ((free, 2), (monotone, 1)):
        assert max(float(item.cells[0][0].losses.max()) for item in found) == pytest.approx(most, rel=1e-6)


def test_categories() -> None:
    assert len(neighbours(case_of(RandomizedResponse(HALF, 5)))) == 20
    many = neighbours(case_of(RandomizedResponse(HALF, 1000), Sensitivity.each(3, 1)))
    assert len(many) == 6
    assert many[0].cells[0][1] == 3
    assert np.exp(reports(case_of(RandomizedResponse(HALF, 4)), 2).log) == pytest.approx([1 / 8, 1 / 8, 5 / 8, 1 / 8])


def test_laws_of_noise_and_choice() -> None:
    assert noise(case_of(Laplace(ONE, Fraction(1, 4)))).above(3) == pytest.approx(noise(case_of(Laplace(Fraction(4)))).above(3))
    assert np.exp(choice(case_of(Exponential(ONE)), [0.0, 0.0]).log) == pytest.approx([0.5, 0.5])
