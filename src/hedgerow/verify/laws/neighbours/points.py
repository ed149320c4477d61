"""Neighbours for mechanisms of shape point: all columns of a few rows over four points, and some
columns with nearly all points on one side.

On the latter, 21 points wide with rows near either end, one more row changes the scores of nearly
all points alike, and a choice loses nearly all that it may. Neighbours are columns with the rows of
one more unit, or with these rows elsewhere, under each relation that the mechanism supports.
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
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    MechanismUse,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    make_categorical,
    make_output_error,
)

__all__ = [
    "NARROW_WIDTH",
    "WIDE_WIDTH",
    "PointChooser",
    "Rows",
    "build_point_neighbours",
    "compute_point_distribution",
    "list_choosers",
    "make_column",
]

NARROW_WIDTH, WIDE_WIDTH = 3, 20
_MAX_ROWS = 3
_ENDS = (0, 1, WIDE_WIDTH - 1, WIDE_WIDTH)
_LENGTHS = ((0, 1, 1), (0, 1, 3), (2, 0, 1), (0, 6, 6))

Rows = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PointChooser:
    """A use of the mechanism on a column, under one relation."""

    relation: str
    draw: Callable[[SortedSample], Any]
    log_prob: Callable[[Any, SortedSample], float]


def list_choosers(case: LawCase) -> list[PointChooser]:
    """Return a chooser for each relation of the mechanism; the inverse sensitivity mechanism is
    used for medians.
    """
    mechanism = case.mechanism
    if not hasattr(mechanism, "quantile_log_prob"):
        relations = (
            [mechanism.neighbours] if hasattr(mechanism, "neighbours") else sorted(RELATIONS)
        )
        return [
            PointChooser(relation, mechanism.sample, mechanism.log_prob) for relation in relations
        ]
    return [
        _make_median_chooser(mechanism, Quantile(1 / 2, relation))  # type: ignore[arg-type]
        for relation in sorted(RELATIONS)
    ]


def _make_median_chooser(mechanism: Any, median: Quantile) -> PointChooser:
    return PointChooser(
        median.neighbours,
        lambda column: mechanism.quantile(median, column),
        lambda point, column: float(mechanism.quantile_log_prob(point, median, column)),
    )


def make_column(rows: Rows, width: int) -> SortedSample:
    """Return a column of integers from 0 to ``width``."""
    return SortedSample(np.array(sorted(rows), dtype=np.int64), 0, width)


def compute_point_distribution(
    chooser: PointChooser, rows: Rows, width: int
) -> IntegerDistribution | None:
    """Return the distribution of the chosen point, or None if it has no closed form."""
    data = make_column(rows, width)
    try:
        return make_categorical([chooser.log_prob(z, data) for z in range(width + 1)])
    except InvalidArgument:
        return None


def build_point_neighbours(case: LawCase) -> NeighbourSet:
    """Build neighbours and uses under each relation; for the inverse sensitivity mechanism also
    among candidates with their lengths.
    """
    found: list[NeighbourPair] = []
    uses: list[MechanismUse] = []
    unstated: list[tuple[MechanismUse, MechanismUse]] = []
    for turn, chooser in enumerate(list_choosers(case)):
        distributions: dict[tuple[Rows, int], IntegerDistribution | None] = {}
        shown_uses = [
            _make_use(chooser, rows, width, distributions)
            for rows, width in (((0, 1, 1, 3), NARROW_WIDTH), ((0, 0, 15, 19, 20), WIDE_WIDTH))
        ]
        if shown_uses[0].distribution is None:
            unstated.append(
                tuple(  # type: ignore[arg-type]
                    _make_use(chooser, rows, NARROW_WIDTH, distributions)
                    for rows in _find_crossing_pair(case, chooser.relation)
                )
            )
        else:
            found += _list_neighbours(case, chooser, distributions)
        uses += (
            shown_uses if turn == 0 else shown_uses[: hasattr(case.mechanism, "quantile_log_prob")]
        )
    if hasattr(case.mechanism, "quantile_log_prob"):
        more_found, more_uses = _list_length_neighbours(case)
        found, uses = [*found, *more_found], [*uses, *more_uses]
    return NeighbourSet(add_reversed(found), tuple(uses), tuple(unstated))


def _make_use(
    chooser: PointChooser,
    rows: Rows,
    width: int,
    distributions: dict[tuple[Rows, int], IntegerDistribution | None],
) -> MechanismUse:
    if (rows, width) not in distributions:
        distributions[rows, width] = compute_point_distribution(chooser, rows, width)
    data = make_column(rows, width)

    def encode(point: Any) -> int:
        """Encode a single point as itself, and several as digits to the base of the number of
        points.
        """
        several = point if isinstance(point, list) else [point]
        if not all(type(z) is int and 0 <= z <= width for z in several):
            raise make_output_error(f"integers from 0 to {width}", point)
        return sum(z * (width + 1) ** place for place, z in enumerate(reversed(several)))

    return MechanismUse(
        f"{chooser.relation}, {_format_rows(rows)}",
        lambda: chooser.draw(data),
        encode,
        distributions[rows, width],
    )


def _list_neighbours(
    case: LawCase,
    chooser: PointChooser,
    distributions: dict[tuple[Rows, int], IntegerDistribution | None],
) -> Iterator[NeighbourPair]:
    for width, one, other in _list_column_pairs(case, chooser.relation):
        pair = []
        for rows in (one, other):
            if (rows, width) not in distributions:
                distributions[rows, width] = compute_point_distribution(chooser, rows, width)
            pair.append(distributions[rows, width])
        yield NeighbourPair(
            ((DistributionPair(*pair), 1),),  # type: ignore[arg-type]
            f"the columns {_format_rows(one)} and {_format_rows(other)} of {width + 1} points"
            f" ({chooser.relation})",
        )


def _list_column_pairs(case: LawCase, relation: str) -> Iterator[tuple[int, Rows, Rows]]:
    """Yield widths and pairs of columns."""
    few = [
        rows
        for n in range(_MAX_ROWS + 1)
        for rows in combinations_with_replacement(range(NARROW_WIDTH + 1), n)
    ]
    many = getattr(case.mechanism, "depth", 4)
    left: list[Rows] = [(1,), (0,) * (many - 1) + (1,), (0,) * (many - 1) + (WIDE_WIDTH,) * many]
    ends = sorted({*left, *(tuple(WIDE_WIDTH - z for z in reversed(rows)) for rows in left)})
    for width, rests, places in (
        (NARROW_WIDTH, few, range(NARROW_WIDTH + 1)),
        (WIDE_WIDTH, ends, _ENDS),
    ):
        for rest in rests:
            more = [tuple(sorted((*rest, *[z] * case.units))) for z in places]
            added = ((rest, rows) for rows in more)
            pairs = combinations(more, 2) if relation == "change-one" else added
            for one, other in pairs:
                yield width, one, other


def _find_crossing_pair(case: LawCase, relation: str) -> tuple[Rows, Rows]:
    """Return neighbours whose first quantile lies at different ends of the range; for quantiles too
    near an end, any neighbours.
    """
    quantile = Quantile(getattr(case.mechanism, "at", (Fraction(1, 2),))[0], relation)
    gone = case.units if relation == "change-one" else 0
    for low, high in product(range(gone + 1, gone + 9), range(100)):
        one, other = (
            (0,) * low + (NARROW_WIDTH,) * high,
            (0,) * (low - gone) + (NARROW_WIDTH,) * (high + case.units),
        )
        if quantile.value(make_column(one, NARROW_WIDTH)) != quantile.value(
            make_column(other, NARROW_WIDTH)
        ):
            break
    return one, other


def _format_rows(rows: Rows) -> str:
    text = ", ".join(map(str, rows))
    return f"[{text if len(text) < 40 else text[:20] + ' … ' + text[-15:]}]"


def _list_length_neighbours(case: LawCase) -> tuple[list[NeighbourPair], list[MechanismUse]]:
    """Return candidates whose lengths change by at most the number of rows."""
    mechanism, found, uses = case.mechanism, [], []
    for lengths in (*_LENGTHS, (0, ceil(40 / float(case.loss.epsilon)))):
        for signs in product((-1, 0, 1), repeat=len(lengths)):
            changed = [
                max(0, length + sign * case.units)
                for length, sign in zip(lengths, signs, strict=True)
            ]
            pair = DistributionPair(
                *(
                    make_categorical([mechanism.log_prob(i, x) for i in range(len(x))])
                    for x in (list(lengths), changed)
                )
            )
            found.append(NeighbourPair(((pair, 1),), f"the lengths {lengths} and {changed}"))
    for lengths in _LENGTHS[:2]:
        stated = make_categorical(
            [mechanism.log_prob(i, list(lengths)) for i in range(len(lengths))]
        )
        uses.append(
            MechanismUse(
                f"lengths {lengths}",
                lambda x=list(lengths): mechanism.sample(x),  # type: ignore[misc]
                _check_candidate_index,
                stated,
            )
        )
    return found, uses


def _check_candidate_index(index: Any) -> int:
    if type(index) is not int or index < 0:
        raise make_output_error("the index of a candidate", index)
    return index
