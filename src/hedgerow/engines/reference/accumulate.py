"""What a unit puts into a group, and what becomes of it there: for ``reference``, a value at a
time.

Sums are added up. Of different values and of samples, a unit puts in the values themselves, at most
``max_rows`` of them: those that come first by (rank of the unit, the group and the value; value),
where each copy of a value in a sample has a rank of its own. A group then has the number of
different ones, or all of them, sorted. Of combinations it puts in rows, packed, in the same way,
and how often each is there is counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final

from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import AnyMeasure, UnitStatistic
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Type, Value

__all__ = [
    "CellNumber",
    "GroupKey",
    "Rank",
    "Row",
    "aggregate_unit_rows",
    "compute_contribution",
    "compute_sum_contribution",
    "merge_contributions",
    "round_to_grid",
]

Row = Mapping[str, Value]
GroupKey = tuple[Value, ...]
Rank = Callable[[Value, GroupKey], int]
# a sum, a sample, or how often each combination of codes is there
CellNumber = int | tuple[int, ...] | dict[tuple[int, ...], int]
_MAX_UNIT_SUM: Final = 2**62  # steps that a unit's own sum has at most


def compute_contribution(
    measure: AnyMeasure,
    unit: Value,
    group: GroupKey,
    together: Sequence[Row],
    max_rows: int,
    rank: Rank,
    *,
    exact: bool = False,
) -> tuple[Any, ...]:
    """What a unit with these rows in a group puts in there: numbers to be added up, values, or
    the codes of its rows.
    """
    if isinstance(measure, Contingency):
        return _count_combinations(measure, together, max_rows, exact=exact)
    if isinstance(measure, Measure) and measure.kind != "distinct":
        return compute_sum_contribution(measure, together, max_rows, exact=exact)
    values = _collect_values(together, str(measure.column))
    if isinstance(measure, Measure):
        values = list(set(values))
        return tuple(
            sorted(values, key=lambda value: (rank(unit, (*group, value)), value))[:max_rows]
        )
    if measure.values is not None:
        values = [value for value in values if value in measure.values]
    return tuple(
        value
        for value, _ in sorted(
            _number_copies(values), key=lambda pair: (rank(unit, (*group, *pair)), pair)
        )[:max_rows]
    )


def _number_copies(values: Iterable[Any]) -> list[tuple[Any, int]]:
    """Return each value with how many equal ones have come up to it: each copy has a rank of its
    own.
    """
    seen: Counter[Any] = Counter()
    pairs = []
    for value in values:
        seen[value] += 1
        pairs.append((value, seen[value]))
    return pairs


def _count_combinations(
    cross: Contingency, together: Sequence[Row], max_rows: int, *, exact: bool
) -> tuple[tuple[tuple[int, ...], Any], ...]:
    """Return what a unit puts into each combination: in whole parts, or with ``exact`` in rows
    and as fractions.
    """
    codes = _list_codes(cross, together)
    share = min(Fraction(max_rows, len(codes) or 1), Fraction(1))
    put = {
        row: share * many if exact else int(cross.resolution * share * many)
        for row, many in Counter(codes).items()
    }
    return tuple((row, parts) for row, parts in put.items() if parts)


def _list_codes(cross: Contingency, together: Iterable[Row]) -> list[tuple[int, ...]]:
    """Those of the rows that have one for every attribute."""
    every: list[tuple[Any, ...]] = [tuple(row[name] for name in cross.columns) for row in together]
    return [
        row
        for row in every
        if all(
            code is not None and 0 <= code < size
            for code, size in zip(row, cross.sizes, strict=True)
        )
    ]


def merge_contributions(
    measure: AnyMeasure, entries: Sequence[tuple[Any, ...]]
) -> tuple[CellNumber, ...]:
    """The numbers of a group, from what all units put in."""
    if isinstance(measure, Contingency):
        found: dict[tuple[int, ...], Any] = {}
        for codes, parts in (one for put in entries for one in put):
            found[codes] = found.get(codes, 0) + parts
        return (found,)
    if isinstance(measure, OrderStatistic):
        return (
            tuple(
                sorted(_find_grid_step(measure, value) for values in entries for value in values)
            ),
        )
    if measure.kind == "distinct":
        return (len({value for values in entries for value in values}),)
    return tuple(sum(numbers) for numbers in zip((0,) * measure.width, *entries, strict=True))


def _find_grid_step(pick: OrderStatistic, value: Any) -> int:
    """In steps, or for a mode the place in the list. Dates are their ordinals."""
    if pick.grid is None or pick.values is not None:
        return (pick.values or ()).index(value)
    return round_to_grid(value.toordinal() if isinstance(value, date) else value, pick.grid)


def compute_sum_contribution(
    measure: Measure, together: Sequence[Row], max_rows: int, *, exact: bool = False
) -> tuple[Any, ...]:
    """Return what a unit with these rows in a group puts into the sums of a measure there.

    In whole parts of 1/``fine`` step, as engines do; with ``exact``, in steps and as fractions:
    that is what the sums mean.
    """
    if measure.kind == "units":
        return (1,)
    if measure.sum_bounds is not None and measure.grid is not None:
        steps = [
            round_to_grid(value, measure.grid)
            for value in _collect_values(together, str(measure.column))
        ]
        return (min(max(sum(steps), measure.sum_bounds[0]), measure.sum_bounds[1]) if steps else 0,)
    share = (
        min(Fraction(max_rows, len(together) or 1), Fraction(1))
        if measure.is_scaled
        else Fraction(1)
    )
    sums = (
        [Fraction(min(len(together), max_rows))]
        if measure.kind == "rows"
        else _sum_unit_rows(measure, together)
    )
    # int cuts towards zero
    return tuple(
        share * number if exact else int(measure.resolution * share * number) for number in sums
    )


def _sum_unit_rows(measure: Measure, together: Sequence[Row]) -> list[int]:
    """Over all rows of a unit, before they are scaled down to what counts."""
    column = str(measure.column)
    snap, values = measure.grid, _collect_values(together, column)
    if snap is None:
        return [len(values)]
    if measure.kind == "total":
        return [sum(round_to_grid(value, snap) for value in values)]
    if measure.second is None:
        missing = [[0] * (measure.degree + 1) + [measure.row_total]] * (
            len(together) - len(values) if measure.has_null_sum else 0
        )
        each = [
            _compute_moment_terms(value, snap, measure.degree) + [0] * measure.has_null_sum
            for value in values
        ] + missing
    else:
        other, its = measure.second
        pairs = [
            (row[column], row[other])
            for row in together
            if row[column] is not None and row[other] is not None
        ]
        each = [
            [
                a * b
                for a in _compute_moment_terms(x, snap, measure.degree)
                for b in _compute_moment_terms(y, its, measure.degree)
            ]
            for x, y in pairs
        ]
    return [sum(numbers) for numbers in zip([0] * measure.width, *each, strict=True)]


def _compute_moment_terms(value: Any, snap: ClampedGrid, degree: int) -> list[int]:
    """C(d, k) y^k (w - y)^(d - k), k = d … 0."""
    above, wide = round_to_grid(value, snap) - snap.low, snap.high - snap.low
    return [
        math.comb(degree, k) * above**k * (wide - above) ** (degree - k)
        for k in range(degree, -1, -1)
    ]


def _collect_values(together: Iterable[Row], column: str) -> list[Any]:
    return [row[column] for row in together if row[column] is not None]


def round_to_grid(value: Any, snap: ClampedGrid) -> int:
    """A value in steps: clamped, divided, rounded half away from zero, clamped again. Reals are
    divided as doubles.
    """
    if isinstance(value, int) and snap.step == 1:
        return min(max(value, snap.low), snap.high)
    clamped = min(max(float(value), float(snap.low * snap.step)), float(snap.high * snap.step))
    return min(max(round_half_away(clamped / float(snap.step)), snap.low), snap.high)


def aggregate_unit_rows(fold: UnitStatistic, type_: Type, together: Sequence[Row]) -> Value:
    """What becomes of the rows of a unit; ``type_`` is that of the column."""
    if fold.column is None:
        return len(together)
    values = _collect_values(together, fold.column)
    if fold.kind in ("values", "distinct"):
        return len(values) if fold.kind == "values" else len(set(values))
    if not values:
        return None
    if fold.grid is None:
        found: Value = min(values) if fold.kind == "least" else max(values)
        return found
    step, whole = fold.grid.step, fold.kind == "total" and type_ == "integer"
    most = _MAX_UNIT_SUM // step if whole else _MAX_UNIT_SUM
    steps = min(max(sum(round_to_grid(value, fold.grid) for value in values), -most), most)
    if whole:
        return int(steps * step)
    total = float(steps) * float(step.numerator) / float(step.denominator)
    return total if fold.kind == "total" else total / float(len(values))
