"""Small worlds: what they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.verify.laws.case import LawBroken
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    MechanismUse,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    draw_encoded,
    make_categorical,
    make_output_error,
)


def test_laws_of_places() -> None:
    law = make_categorical([np.log(0.25), -np.inf, np.log(0.75)])
    assert law.steps.tolist() == [0, 1, 2]
    assert np.exp(law.log) == pytest.approx([0.25, 0, 0.75])


def test_both_ways_round() -> None:
    one, other = make_categorical([0.0, -1.0]), make_categorical([-1.0, 0.0])
    found = add_reversed([NeighbourPair(((DistributionPair(one, other), 3),), "words")])
    assert [item.cells[0][0].losses.tolist() for item in found] == [[1, -1], [-1, 1]]
    assert {(item.description, item.cells[0][1]) for item in found} == {("words", 3)}
    assert NeighbourSet(found, ()).unstated_pairs == ()


def test_draws_are_coded() -> None:
    said = iter("abca")
    place = MechanismUse("letters", lambda: next(said), "abc".index, None)
    assert draw_encoded(place, 4).tolist() == [0, 1, 2, 0]


def test_what_cannot_come_out_breaks_the_law_of_outputs() -> None:
    broken = make_output_error("whole numbers", "x" * 100)
    assert isinstance(broken, LawBroken)
    assert broken.law == "outputs lie on the grid"
    assert len(str(broken)) < 150
