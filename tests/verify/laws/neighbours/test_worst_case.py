"""The worst neighbours are neighbours, and the worst."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Exponential, Gaussian, RandomizedResponse, Stable
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import LawCase, make_case
from hedgerow.verify.laws.neighbours.worst_case import (
    build_neighbour_set,
    compute_choice_distribution,
    compute_report_distribution,
    list_worst_neighbours,
)

ONE, HALF = Fraction(1), Fraction(1, 2)


def case_of(mechanism: Any, sensitivity: Any = 1) -> LawCase:
    return make_case(mechanism, sensitivity, 10_000, None)


def test_pairs_occur_in_both_orders() -> None:
    found = list_worst_neighbours(case_of(Gaussian(ONE), 2))
    assert len(found) == 4  # up and down, there and back
    assert {float(item.cells[0][0].losses[0]) > 0 for item in found} == {True, False}
    assert "1 cell moved by 2" in found[0].description


def test_scores_move_by_what_is_allowed_only() -> None:
    free, monotone = (
        list_worst_neighbours(case_of(Exponential(ONE, flag), 1)) for flag in (False, True)
    )
    assert len(free) > len(monotone)
    for found, most in ((free, 2), (monotone, 1)):
        assert max(float(item.cells[0][0].losses.max()) for item in found) == pytest.approx(
            most, rel=1e-6
        )


def test_categories() -> None:
    assert len(list_worst_neighbours(case_of(RandomizedResponse(HALF, 5)))) == 20
    many = list_worst_neighbours(case_of(RandomizedResponse(HALF, 1000), Sensitivity.each(3, 1)))
    assert len(many) == 6
    assert many[0].cells[0][1] == 3
    assert np.exp(
        compute_report_distribution(case_of(RandomizedResponse(HALF, 4)), 2).log
    ) == pytest.approx([1 / 8, 1 / 8, 5 / 8, 1 / 8])


def test_the_law_of_a_choice() -> None:
    assert np.exp(
        compute_choice_distribution(case_of(Exponential(ONE)), [0.0, 0.0]).log
    ) == pytest.approx([0.5, 0.5])


def test_neighbour_sets_have_both_orders_and_are_cached() -> None:
    case = case_of(Stable(ONE, 5))
    found = list_worst_neighbours(case)
    assert found is build_neighbour_set(case).neighbours
    half = len(found) // 2
    assert all(
        np.array_equal(a.cells[0][0].losses, -b.cells[0][0].losses)
        for a, b in zip(found[:half], found[half:], strict=True)
    )
