"""Small worlds for mechanisms of shape point: all columns of a few rows over four points, and some where nearly all points lie on one side.

On the second kind, 21 points wide with rows near either end, one row more moves the scores of nearly all points alike, and a choice loses
nearly all it may. Neighbours are columns with a unit's rows more, or with these rows elsewhere, under every relation the mechanism knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import ceil
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.privacy.unit import RELATIONS
from hedgerow.statistics.order import Quantile
from hedgerow.statistics.sample import Sample
from hedgerow.verify.laws.case import Case
from hedgerow.verify.laws.masses import Masses
from hedgerow.verify.laws.worlds import Neighbours, Pair, Place, World, astray, both, categorical

__all__ = ["NARROW", "WIDE", "Chooser", "Rows", "choosers", "column", "law", "world"]

NARROW, WIDE = 3, 20
_ROWS = 3
_ENDS = (0, 1, WIDE - 1, WIDE)
_LENGTHS = ((0, 1, 1), (0, 1, 3), (2, 0, 1), (0, 6, 6))

Rows = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Chooser:
    """A way to use the mechanism on a column, under one relation."""

    relation: str
    draw: Callable[[Sample], Any]
    log_prob: Callable[[Any, Sample], float]


def choosers(case: Case) -> list[Chooser]:
    """The relations a mechanism holds under; the inverse sensitivity mechanism is used for medians."""
    mechanism = case.mechanism
    if not hasattr(mechanism, "quantile_log_prob"):
        relations = [mechanism.neighbours] if hasattr(mechanism, "neighbours") else sorted(RELATIONS)
        return [Chooser(relation, mechanism.sample, mechanism.log_prob) for relation in relations]
    return [_median(mechanism, Quantile(1 / 2, relation)) for relation in sorted(RELATIONS)]  # type: ignore[arg-type]


def _median(mechanism: Any, median: Quantile) -> Chooser:
    return Chooser(
        median.neighbours,
        lambda column: mechanism.quantile(median, column),
        lambda point, column: float(mechanism.quantile_log_prob(point, median, column)),
    )


def column(rows: Rows, width: int) -> Sample:
    """A column of whole numbers from 0 to ``width``."""
    return Sample(np.array(sorted(rows), dtype=np.int64), 0, width)


def law(chooser: Chooser, rows: Rows, width: int) -> Masses | None:
    """The law of the chosen point, or None if the mechanism says that it has no closed form."""
    data = column(rows, width)
    try:
        return categorical([chooser.log_prob(z, data) for z in range(width + 1)])
    except InvalidArgument:
        return None


def world(case: Case) -> World:
    """Neighbours and places under every relation; for the inverse sensitivity mechanism also among candidates with their lengths."""
    found: list[Neighbours] = []
    places: list[Place] = []
    unstated: list[tuple[Place, Place]] = []
    for turn, chooser in enumerate(choosers(case)):
        laws: dict[tuple[Rows, int], Masses | None] = {}
        shown = [_place(chooser, rows, width, laws) for rows, width in (((0, 1, 1, 3), NARROW), ((0, 0, 15, 19, 20), WIDE))]
        if shown[0].law is None:
            unstated.append(tuple(_place(chooser, rows, NARROW, laws) for rows in _crossing(case, chooser.relation)))  # type: ignore[arg-type]
        else:
            found += _neighbours(case, chooser, laws)
        places += shown if turn == 0 else shown[: hasattr(case.mechanism, "quantile_log_prob")]
    if hasattr(case.mechanism, "quantile_log_prob"):
        more_found, more_places = _by_length(case)
        found, places = [*found, *more_found], [*places, *more_places]
    return World(both(found), tuple(places), tuple(unstated))


def _place(chooser: Chooser, rows: Rows, width: int, laws: dict[tuple[Rows, int], Masses | None]) -> Place:
    if (rows, width) not in laws:
        laws[rows, width] = law(chooser, rows, width)
    data = column(rows, width)

    def code(point: Any) -> int:
        """A single point as it is; of several, digits to the base of the number of points."""
        several = point if isinstance(point, list) else [point]
        if not all(type(z) is int and 0 <= z <= width for z in several):
            raise astray(f"whole numbers from 0 to {width}", point)
        return sum(z * (width + 1) ** place for place, z in enumerate(reversed(several)))

    return Place(f"{chooser.relation}, {_words(rows)}", lambda: chooser.draw(data), code, laws[rows, width])


def _neighbours(case: Case, chooser: Chooser, laws: dict[tuple[Rows, int], Masses | None]) -> Iterator[Neighbours]:
    for width, one, other in _pairs(case, chooser.relation):
        pair = []
        for rows in (one, other):
            if (rows, width) not in laws:
                laws[rows, width] = law(chooser, rows, width)
            pair.append(laws[rows, width])
        yield Neighbours(((Pair(*pair), 1),), f"the columns {_words(one)} and {_words(other)} of {width + 1} points ({chooser.relation})")  # type: ignore[arg-type]


def _pairs(case: Case, relation: str) -> Iterator[tuple[int, Rows, Rows]]:
    """Widths and pairs of columns."""
    few = [rows for n in range(_ROWS + 1) for rows in combinations_with_replacement(range(NARROW + 1), n)]
    many = getattr(case.mechanism, "depth", 4)
    left: list[Rows] = [(1,), (0,) * (many - 1) + (1,), (0,) * (many - 1) + (WIDE,) * many]
    ends = sorted({*left, *(tuple(WIDE - z for z in reversed(rows)) for rows in left)})
    for width, rests, places in ((NARROW, few, range(NARROW + 1)), (WIDE, ends, _ENDS)):
        for rest in rests:
            more = [tuple(sorted((*rest, *[z] * case.units))) for z in places]
            for one, other in combinations(more, 2) if relation == "change-one" else ((rest, there) for there in more):
                yield width, one, other


def _crossing(case: Case, relation: str) -> tuple[Rows, Rows]:
    """Neighbours whose first quantile lies at different ends of the range; of quantiles too near an end, any neighbours."""
    quantile = Quantile(getattr(case.mechanism, "at", (Fraction(1, 2),))[0], relation)
    gone = case.units if relation == "change-one" else 0
    for low, high in product(range(gone + 1, gone + 9), range(100)):
        one, other = (0,) * low + (NARROW,) * high, (0,) * (low - gone) + (NARROW,) * (high + case.units)
        if quantile.value(column(one, NARROW)) != quantile.value(column(other, NARROW)):
            break
    return one, other


def _words(rows: Rows) -> str:
    text = ", ".join(map(str, rows))
    return f"[{text if len(text) < 40 else text[:20] + ' … ' + text[-15:]}]"


def _by_length(case: Case) -> tuple[list[Neighbours], list[Place]]:
    """Candidates whose lengths move by at most the number of rows."""
    mechanism, found, places = case.mechanism, [], []
    for lengths in (*_LENGTHS, (0, ceil(40 / float(case.loss.epsilon)))):
        for signs in product((-1, 0, 1), repeat=len(lengths)):
            there = [max(0, length + sign * case.units) for length, sign in zip(lengths, signs, strict=True)]
            pair = Pair(*(categorical([mechanism.log_prob(i, x) for i in range(len(x))]) for x in (list(lengths), there)))
            found.append(Neighbours(((pair, 1),), f"the lengths {lengths} and {there}"))
    for lengths in _LENGTHS[:2]:
        stated = categorical([mechanism.log_prob(i, list(lengths)) for i in range(len(lengths))])
        places.append(Place(f"lengths {lengths}", lambda x=list(lengths): mechanism.sample(x), _index, stated))  # type: ignore[misc]
    return found, places


def _index(place: Any) -> int:
    if type(place) is not int or place < 0:
        raise astray("the place of a candidate", place)
    return place
