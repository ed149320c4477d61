"""What beta-smoothness allows, at its ends."""

from __future__ import annotations

from fractions import Fraction
from math import atan, exp, pi
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import SmoothSensitivity
from hedgerow.verify.laws.case import LawBroken, LawCase, make_case
from hedgerow.verify.laws.neighbours.smooth import (
    compute_cell_distribution,
    count_cells,
    make_answer,
)
from hedgerow.verify.laws.neighbours.worst_case import build_neighbour_set, list_worst_neighbours


def case_of(units: int = 1, **how: Any) -> LawCase:
    return make_case(
        SmoothSensitivity.calibrate(**({"epsilon": 1, "bound": 12} | how)), units, 10_000, None
    )


def test_laws_are_those_of_log_prob() -> None:
    case = case_of()
    law = compute_cell_distribution(case, 12.0)
    assert law.steps[0] == -law.steps[-1]
    assert np.exp(law.log[law.steps == 5]) == pytest.approx(
        np.exp(case.mechanism.log_prob(5, 0, 12))
    )
    scale = 12 / float(case.mechanism.alpha)
    # of a Cauchy law
    assert law.above(12) == pytest.approx(0.5 - atan(12.5 / scale) / pi, rel=1e-3)
    several = case_of(dimension=3)
    assert count_cells(several) == 3
    assert make_answer(several, 2.0).tolist() == [2.0] * 3
    wide = compute_cell_distribution(several, 12.0)
    cell = several.mechanism.log_prob(np.full(3, 5), np.zeros(3), 12)[0]
    assert wide.log[wide.steps == 5] == pytest.approx(cell)


@pytest.mark.parametrize("units", [1, 3])
def test_stretch_and_slide_are_allowed_and_go_to_the_end(units: int) -> None:
    case = case_of(units, bound=100)
    stretch, seen = exp(float(case.mechanism.beta) * units), set()
    for item in list_worst_neighbours(case):
        one, other, apart = (
            float(word.rstrip(",")) for word in item.description.split() if word[0].isdigit()
        )
        assert max(one, other) / min(one, other) <= stretch * (1 + 1e-5)
        assert apart <= units * min(one, other) * (1 + 1e-5) or one != other
        seen.add((one == other, apart > 0))
    assert seen == {(True, True), (False, True), (False, False)}


def test_several_numbers_share_the_move() -> None:
    counts = {
        tuple(count for _, count in item.cells)
        for item in list_worst_neighbours(case_of(dimension=3))
    }
    assert counts == {(1, 2), (3,)}


def test_outputs() -> None:
    place = build_neighbour_set(case_of()).uses[0]
    assert place.encode(-3) == -3
    for output in (1.0, 0.5, "1", np.array([1, 2])):
        with pytest.raises(LawBroken, match="outputs lie on the grid"):
            place.encode(output)
    real = build_neighbour_set(case_of(grid=Fraction(1, 4))).uses[0]
    assert real.encode(-0.75) == -3
    for output in (1, 0.3):
        with pytest.raises(LawBroken, match="outputs lie on the grid"):
            real.encode(output)
    assert build_neighbour_set(case_of(dimension=2)).uses[0].encode(np.array([7, 2])) == 7
