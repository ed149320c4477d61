"""The laws about draws, for mechanisms that are looked at in small worlds: every use is a call, and every output is counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.numeric.chunk import Integers
from hedgerow.verify.laws.case import ALARM, Case, Finding, LawBroken
from hedgerow.verify.laws.goodness import agreement, fit
from hedgerow.verify.laws.masses import Masses
from hedgerow.verify.laws.neighbours import world
from hedgerow.verify.laws.smoothed import around, dimension, given
from hedgerow.verify.laws.worlds import Place, coded

__all__ = ["calls_are_independent", "chance_of_equal", "coded_twice", "places_follow", "places_keep", "rounded_in_cells"]

_CALLS = 250
_CELLS = 8


def calls_are_independent(case: Case) -> Finding:
    """Two calls in a row, and two cells of one call, are equal as often as chance makes them."""
    law, place = "cells are independent", _liveliest(case)
    if place.law is None:
        return Finding(law, "no probabilities are stated")
    drawn = coded(place, 2 * _CALLS)
    pairs = [("two calls in a row", drawn[::2], drawn[1::2], place.law), ("a call and the next but one", drawn[:-2], drawn[2:], place.law)]
    pairs += _cells(case)
    for words, one, other, masses in pairs:
        chance = masses.mean(np.exp(masses.log))
        hits = int(np.sum(one == other))
        if agreement(hits, one.size, chance) < ALARM / len(pairs) / 2:
            raise LawBroken(law, f"{words} to be equal in {chance:.2%} of draws", f"{hits / one.size:.2%}")
    return Finding(law, f"{len(pairs)} pairs of outputs, {2 * _CALLS} calls")


def _cells(case: Case) -> list[tuple[str, Integers, Integers, Masses]]:
    """Of a mechanism that answers several numbers at once, pairs of their noise."""
    if case.shape != "smooth" or dimension(case) == 1:
        return []
    smooth, grid = float(case.mechanism.bound), float(case.mechanism.grid)
    table = np.array([np.asarray(case.mechanism.sample(given(case, 0.0), smooth))[:_CELLS] for _ in range(_CALLS)])
    steps, masses = np.rint(table / grid).astype(np.int64), around(case, smooth)
    return [(f"cells {i} and {i + 1} of one call", steps[:, i], steps[:, i + 1], masses) for i in range(steps.shape[1] - 1)]


def places_follow(case: Case) -> Finding:
    """Draws fit the law that is stated, at every place."""
    law, figures = "sample follows log_prob", []
    places = [place for place in world(case).places if place.law is not None]
    if not places:
        return Finding(law, "no probabilities are stated; the loss was held against draws")
    count = max(case.draws // 200, 500) * (8 if case.shape == "tested" else 1)  # those are quick
    for place in places:
        assert place.law is not None
        good = fit(coded(place, count), place.law)
        if good.chance < ALARM / len(places):
            raise LawBroken(law, f"{count} draws at {place.words} to fit", f"{good}, chance at most {good.chance:.1e}")
        figures.append(str(good))
    return Finding(law, f"{count} draws at each of {len(places)} places: {figures[0]}")


def places_keep(case: Case) -> Finding:
    """Outputs are such as can come out: grid points, candidates, None, published keys, verdicts."""
    places = world(case).places
    for place in places:
        coded(place, 100)
    return Finding("outputs keep to the grid", f"{100 * len(places)} outputs")


def rounded_in_cells(case: Case) -> list[Any]:
    """Draws of a smooth mechanism on two answers one smooth sensitivity apart."""
    smooth = float(case.mechanism.bound)
    count = max(case.draws // 200, 500)
    return [
        np.concatenate([np.atleast_1d(case.mechanism.sample(given(case, exact), smooth)) for _ in range(count)]) for exact in (0.0, smooth)
    ]


def _liveliest(case: Case) -> Place:
    """The place where two draws are most often different."""
    return min(world(case).places, key=_equal)


def _equal(place: Place) -> float:
    return 1.0 if place.law is None else place.law.mean(np.exp(place.law.log))


def chance_of_equal(case: Case) -> float:
    """How likely two draws at the liveliest place are equal; where no law is stated, as often as they were in draws, and more."""
    place = _liveliest(case)
    if place.law is not None:
        return _equal(place)
    drawn = coded(place, 2 * 100)
    return float(np.mean(drawn[::2] == drawn[1::2])) / 2 + 0.5


def coded_twice(case: Case, count: int) -> tuple[Any, Any]:
    """Draws at the liveliest place, in the form in which those of other shapes come."""
    drawn = coded(_liveliest(case), count)
    return drawn, np.append(drawn, -1)
