"""The contribution of one unit to one group, and the totals of a group, one value at a time.

Sums are added. To distinct counts and samples a unit contributes the values themselves, at most
``max_rows`` of them: the first by (rank of unit, group and value; value), where each copy of a
value in a sample has its own rank. A group then has the number of distinct values, or all values,
sorted. To contingency tables it contributes its rows, scaled down to ``max_rows``.
"""

from __future__ import annotations

import itertools
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
# a sum, a sample, or the count of each combination of codes
CellNumber = int | tuple[int, ...] | dict[tuple[int, ...], int]
_MAX_UNIT_SUM: Final = 2**62  # in steps


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
    """Return the contribution of a unit with these rows to a group: numbers, values, or
    coded rows.
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
    """Number the copies of each value from 1, since each copy has a rank of its own."""
    seen: Counter[Any] = Counter()
    pairs = []
    for value in values:
        seen[value] += 1
        pairs.append((value, seen[value]))
    return pairs


def _count_combinations(
    contingency: Contingency, together: Sequence[Row], max_rows: int, *, exact: bool
) -> tuple[tuple[tuple[int, ...], Any], ...]:
    """Return the contribution to each combination: in whole parts, or with ``exact`` in rows as
    fractions.
    """
    codes = _list_codes(contingency, together)
    share = min(Fraction(max_rows, len(codes) or 1), Fraction(1))
    put = {
        row: share * count if exact else int(contingency.resolution * share * count)
        for row, count in Counter(codes).items()
    }
    return tuple((row, parts) for row, parts in put.items() if parts)


def _list_codes(contingency: Contingency, together: Iterable[Row]) -> list[tuple[int, ...]]:
    every: list[tuple[Any, ...]] = [
        tuple(row[name] for name in contingency.columns) for row in together
    ]
    return [
        row
        for row in every
        if all(
            code is not None and 0 <= code < size
            for code, size in zip(row, contingency.sizes, strict=True)
        )
    ]


def merge_contributions(
    measure: AnyMeasure, entries: Sequence[tuple[Any, ...]]
) -> tuple[CellNumber, ...]:
    """Merge the contributions of all units into the numbers of a group."""
    if isinstance(measure, Contingency):
        found: dict[tuple[int, ...], Any] = {}
        for codes, parts in itertools.chain.from_iterable(entries):
            found[codes] = found.get(codes, 0) + parts
        return (found,)
    if isinstance(measure, OrderStatistic):
        return (
            tuple(
                sorted(_find_grid_step(measure, value) for values in entries for value in values)
            ),
        )
    if measure.kind == "distinct":
        different = {value for values in entries for value in values}
        if measure.grid is None:
            return (len(different),)
        return (sum({round_to_grid(value, measure.grid) for value in different}),)
    return tuple(sum(numbers) for numbers in zip((0,) * measure.width, *entries, strict=True))


def _find_grid_step(statistic: OrderStatistic, value: Any) -> int:
    """Return the grid step of a value (of a date, of its ordinal), or for a mode its position in
    the list.
    """
    if statistic.grid is None or statistic.values is not None:
        return (statistic.values or ()).index(value)
    return round_to_grid(value.toordinal() if isinstance(value, date) else value, statistic.grid)


def compute_sum_contribution(
    measure: Measure, together: Sequence[Row], max_rows: int, *, exact: bool = False
) -> tuple[Any, ...]:
    """Return the contribution of a unit with these rows to the sums of a measure in a group.

    In whole parts of 1/``resolution`` step, as engines compute it; with ``exact``, in steps as
    fractions, which is the meaning of the sums.
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
    # int truncates towards zero
    return tuple(
        share * number if exact else int(measure.resolution * share * number) for number in sums
    )


def _sum_unit_rows(measure: Measure, together: Sequence[Row]) -> list[int]:
    column = str(measure.column)
    grid, values = measure.grid, _collect_values(together, column)
    if grid is None:
        return [len(values)]
    if measure.kind == "total":
        return [sum(round_to_grid(value, grid) for value in values)]
    if measure.second is None:
        missing = [[0] * (measure.degree + 1) + [measure.row_total]] * (
            len(together) - len(values) if measure.has_null_sum else 0
        )
        each = [
            _compute_moment_terms(value, grid, measure.degree) + [0] * measure.has_null_sum
            for value in values
        ] + missing
    else:
        second, second_grid = measure.second
        pairs = [
            (row[column], row[second])
            for row in together
            if row[column] is not None and row[second] is not None
        ]
        each = [
            [
                a * b
                for a in _compute_moment_terms(x, grid, measure.degree)
                for b in _compute_moment_terms(y, second_grid, measure.degree)
            ]
            for x, y in pairs
        ]
    return [sum(numbers) for numbers in zip([0] * measure.width, *each, strict=True)]


def _compute_moment_terms(value: Any, grid: ClampedGrid, degree: int) -> list[int]:
    """Return C(d, k) y^k (w - y)^(d - k) for k = d … 0, of the steps y above the low end of a grid
    of width w.
    """
    above, wide = round_to_grid(value, grid) - grid.low, grid.high - grid.low
    return [
        math.comb(degree, k) * above**k * (wide - above) ** (degree - k)
        for k in range(degree, -1, -1)
    ]


def _collect_values(together: Iterable[Row], column: str) -> list[Any]:
    return [row[column] for row in together if row[column] is not None]


def round_to_grid(value: Any, grid: ClampedGrid) -> int:
    """Round a value to grid steps: clamped, divided, rounded half away from zero, clamped again.

    Reals are divided as doubles.
    """
    if isinstance(value, int) and grid.step == 1:
        return min(max(value, grid.low), grid.high)
    clamped = min(max(float(value), float(grid.low * grid.step)), float(grid.high * grid.step))
    return min(max(round_half_away(clamped / float(grid.step)), grid.low), grid.high)


def aggregate_unit_rows(statistic: UnitStatistic, type_: Type, together: Sequence[Row]) -> Value:
    """Aggregate the rows of a unit by one statistic; ``type_`` is the type of its column."""
    if statistic.column is None:
        return len(together)
    values = _collect_values(together, statistic.column)
    if statistic.kind in ("values", "distinct"):
        return len(values) if statistic.kind == "values" else len(set(values))
    if not values:
        return None
    if statistic.grid is None:
        found: Value = min(values) if statistic.kind == "least" else max(values)
        return found
    step, whole = statistic.grid.step, statistic.kind == "total" and type_ == "integer"
    limit = _MAX_UNIT_SUM // step if whole else _MAX_UNIT_SUM
    steps = min(max(sum(round_to_grid(value, statistic.grid) for value in values), -limit), limit)
    if whole:
        return int(steps * step)
    total = float(steps) * float(step.numerator) / float(step.denominator)
    return total if statistic.kind == "total" else total / float(len(values))
