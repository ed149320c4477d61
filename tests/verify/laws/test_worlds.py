"""Small worlds: what they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.verify.laws.case import LawBroken
from hedgerow.verify.laws.worlds import Neighbours, Pair, Place, World, astray, both, categorical, coded


def test_laws_of_places() -> None:
    law = categorical([np.log(0.25), -np.inf, np.log(0.75)])
    assert law.steps.tolist() == [0, 1, 2]
    assert np.exp(law.log) == pytest.approx([0.25, 0, 0.75])


def test_both_ways_round() -> None:
    one, other = categorical([0.0, -1.0]), categorical([-1.0, 0.0])
    found = both([Neighbours(((Pair(one, other), 3),), "words")])
    assert [item.cells[0][0].losses.tolist() for item in found] == [[1, -1], [-1, 1]]
    assert {(item.words, item.cells[0][1]) for item in found} == {("words", 3)}
    assert World(found, ()).unstated == ()


def test_draws_are_coded() -> None:
    said = iter("abca")
    place = Place("letters", lambda: next(said), "abc".index, None)
    assert coded(place, 4).tolist() == [0, 1, 2, 0]


def test_what_cannot_come_out_breaks_the_law_of_outputs() -> None:
    broken = astray("whole numbers", "x" * 100)
    assert isinstance(broken, LawBroken)
    assert broken.law == "outputs keep to the grid"
    assert len(str(broken)) < 150
