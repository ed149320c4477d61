"""Sums as SQL: first for each (unit, group), then over all units.

| symbol | meaning |
|---|---|
| n | a unit's rows in the group |
| m | the rows of a unit that count there (``max_rows``) |
| F | the resolution of the measure: a step counts as F parts |

A unit contributes F * sum, or trunc(F * sum * m / n) if n > m. Sums use 64 bits wherever public
bounds allow it; nothing overflows, whatever the data are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.grid_rounding import compile_grid_steps, find_read_range
from hedgerow.engines.compile.sql_builders import (
    NamedExpressions,
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    clamp,
    column,
    integer_literal,
)
from hedgerow.plan.contribution_limits import MAX_TABLE_ROWS, compute_max_units
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import RelationNode

__all__ = ["SumCompiler"]

# No table has 2^36 rows, so sums of values up to 2^26 stay within 62 bits. Other sums use the wide
# integer type.
_MAX_NARROW_VALUE: Final = 2**26
_MAX_INT64_SUM: Final = 2**62
_ROW_COUNT: Final = "n"
_MAX_WIDE_SUM: Final = 2**126


class SumCompiler:
    """The sums behind the measures of a plan, each computed once however many measures use it."""

    def __init__(
        self,
        measures: Sequence[Measure],
        max_rows: int,
        names: Mapping[str, exp.Expr],
        source: RelationNode,
        dialect: Dialect,
    ) -> None:
        self._measures, self._max_rows = measures, max_rows
        self._names, self._source, self._dialect = names, source, dialect
        self._max_units = compute_max_units(source)
        self._parts: dict[SumPart, str] = {}
        for measure in measures:
            for part in _list_parts(measure):
                self._parts.setdefault(part, f"a{len(self._parts)}")

    @property
    def wide(self) -> tuple[bool, ...]:
        """The flags of the numbers that may exceed 64 bits, by the plan and not by the data."""
        return tuple(
            self._needs_wide_total(measure)
            for measure in self._measures
            for _ in range(measure.width)
        )

    def _needs_wide_total(self, measure: Measure) -> bool:
        """Return whether the sum of a group over all units needs the wide type, given the declared
        number of units.
        """
        rows = min(self._max_units * self._max_rows, MAX_TABLE_ROWS)  # that count
        return (
            _needs_wide_unit_sum(measure)
            or rows * measure.resolution * _compute_max_row_value(measure) > _MAX_INT64_SUM
        )

    def build_unit_sums(self) -> NamedExpressions:
        """Build the aggregates over a unit's rows in a group: row count, value counts, sums of
        steps.
        """
        return [
            (_ROW_COUNT, exp.Count(this=exp.Star())),
            *((name, self._build_part(part)) for part, name in self._parts.items()),
        ]

    def total_rows(self) -> NamedExpressions:
        """Build the numbers of the measures where every row is a unit of its own."""
        parts = {part: self._build_part(part) for part in self._parts}
        rows = exp.Count(this=exp.Star())
        return self._number_outputs(
            [
                number
                for measure in self._measures
                for number in self._build_row_numbers(measure, parts, rows)
            ]
        )

    def total_units(self, *, as_text: bool = True) -> NamedExpressions:
        """Build the numbers of the measures from lines of ``build_unit_sums``, one for each (unit,
        group).
        """
        parts: dict[SumPart, exp.Expr] = {part: column(name) for part, name in self._parts.items()}
        numbers = [
            number for measure in self._measures for number in self._total_measure(measure, parts)
        ]
        return self._number_outputs(numbers, as_text=as_text)

    def total_second_units(self, max_rows: int) -> NamedExpressions:
        """Build the numbers of the measures from lines of ``total_units``, one for each (second
        unit, group).

        Each number of a second unit is clamped to what ``max_rows`` rows can contribute.
        """
        widths = [measure for measure in self._measures for _ in range(measure.width)]
        return self._number_outputs(
            [
                self._clamp_second_unit(column(f"n{i}"), measure, measure.number_bounds(max_rows))
                for i, measure in enumerate(widths)
            ]
        )

    def _number_outputs(
        self, numbers: Sequence[exp.Expr], *, as_text: bool = True
    ) -> NamedExpressions:
        """Name the numbers n0, n1, …; wide ones become text, since not every result format exceeds
        64 bits.
        """
        return [
            (f"n{i}", cast_to_type(value, "text") if wide and as_text else value)
            for i, (value, wide) in enumerate(zip(numbers, self.wide, strict=True))
        ]

    def _clamp_second_unit(
        self, number: exp.Expr, measure: Measure, ends: tuple[int, int]
    ) -> exp.Expr:
        # Literals must fit their type; no sum comes near these ends.
        wide = self._needs_wide_total(measure)
        far = _MAX_WIDE_SUM if wide else _MAX_INT64_SUM
        low, high = (self._build_literal(min(max(end, -far), far), wide=wide) for end in ends)
        return self._total_over_units(clamp(number, low, high), measure)

    def _build_literal(self, end: int, *, wide: bool) -> exp.Expr:
        if not wide:
            return integer_literal(end)
        return cast(exp.Literal.string(str(end)), self._dialect.wide_integer)

    def _build_row_numbers(
        self, measure: Measure, parts: PartExpressions, rows: exp.Expr
    ) -> list[exp.Expr]:
        if measure.column is None:
            return [rows.copy()]
        if measure.sum_bounds is None or measure.grid is None:
            return self._build_unscaled(measure, parts, rows)
        steps = compile_grid_steps(
            self._names[str(measure.column)],
            find_read_range(self._source, str(measure.column)),
            measure.grid,
            self._dialect,
        )
        low, high = map(integer_literal, measure.sum_bounds)
        return [self._build_total(clamp(steps, low, high), wide=_needs_wide_unit_sum(measure))]

    def _total_measure(self, measure: Measure, parts: PartExpressions) -> list[exp.Expr]:
        if measure.kind == "units":
            return [exp.Count(this=exp.Star())]
        if measure.kind == "rows":
            limit = integer_literal(min(self._max_rows, MAX_TABLE_ROWS))
            return [
                self._build_total(call_function("least", column(_ROW_COUNT), limit), wide=False)
            ]
        wide = _needs_wide_unit_sum(measure)
        if measure.sum_bounds is not None:
            return [self._build_total(self._clamp_unit_sum(measure, parts), wide=wide)]
        return [
            self._total_over_units(self._scale_unit_sum(value, measure), measure)
            for value in self._build_unscaled(measure, parts, column(_ROW_COUNT))
        ]

    def _clamp_unit_sum(self, measure: Measure, parts: PartExpressions) -> exp.Expr:
        name, limits = str(measure.column), measure.sum_bounds or (0, 0)
        total = cast(parts[name, measure.grid].copy(), self._dialect.wide_integer)
        none = (
            binary(parts[name, None].copy(), exp.EQ, integer_literal(0)),
            cast(integer_literal(0), self._dialect.wide_integer),
        )
        low, high = (cast(integer_literal(end), self._dialect.wide_integer) for end in limits)
        return clamp(total, low, high, none)

    def _build_unscaled(
        self, measure: Measure, parts: PartExpressions, rows: exp.Expr
    ) -> list[exp.Expr]:
        if not measure.has_null_sum:
            return self._build_value_sums(measure, parts)
        missing = self._widen(
            binary(rows.copy(), exp.Sub, parts[str(measure.column), None].copy()),
            wide=_needs_wide_unit_sum(measure),
        )
        return [
            *self._build_value_sums(measure, parts),
            binary(missing, exp.Mul, integer_literal(measure.row_total)),
        ]

    def _build_value_sums(self, measure: Measure, parts: PartExpressions) -> list[exp.Expr]:
        name, grid = str(measure.column), measure.grid
        if grid is None:
            return [parts[name, None].copy()]
        if measure.degree > 1 or measure.second is not None:
            return [
                parts[measure, place].copy()
                for place in range(measure.width - measure.has_null_sum)
            ]
        total = parts[name, grid]
        if measure.kind == "total":
            return [total.copy()]
        count = self._widen(parts[name, None].copy(), wide=_needs_wide_unit_sum(measure))
        # sum(v - low) = sum(v) - low * count, and likewise for high - v: integers are exact.
        below, above = (
            binary(count.copy(), exp.Mul, integer_literal(end)) for end in (grid.low, grid.high)
        )
        return [binary(total.copy(), exp.Sub, below), binary(above, exp.Sub, total.copy())]

    def _scale_unit_sum(self, value: exp.Expr, measure: Measure) -> exp.Expr:
        """Scale a unit's sum to parts: F * sum, or F * sum * m / n truncated where n > m."""
        times, wide = measure.resolution * self._max_rows, _needs_wide_unit_sum(measure)
        wide = wide or times * _compute_max_row_value(measure) > _MAX_INT64_SUM
        value, count = self._widen(value, wide=wide), column(_ROW_COUNT)
        parts = (
            value
            if measure.resolution == 1
            else binary(value.copy(), exp.Mul, self._build_literal(measure.resolution, wide=wide))
        )
        if self._max_rows >= MAX_TABLE_ROWS:
            return parts
        branches = [(binary(count.copy(), exp.LTE, integer_literal(self._max_rows)), parts)]
        # 64 bits hold remainder * times for all but units with absurdly many rows.
        if not wide and times > _MAX_NARROW_VALUE:
            few = binary(count.copy(), exp.LTE, integer_literal(_MAX_INT64_SUM // times))
            branches.append((few, self._build_quotient(value, count, times, wide=False)))
            return case_when(
                *branches,
                otherwise=cast(self._build_quotient(value, count, times, wide=True), "BIGINT"),
            )
        return case_when(*branches, otherwise=self._build_quotient(value, count, times, wide=wide))

    def _build_quotient(
        self, value: exp.Expr, count: exp.Expr, times: int, *, wide: bool
    ) -> exp.Expr:
        """Build sum * times / n without the long product: (sum // n) * times + ((sum % n) * times)
        // n.

        Quotient and remainder have the sign of the sum, so both parts are truncated towards zero,
        as the whole is.
        """
        narrow = wide and times <= _MAX_NARROW_VALUE
        factor = self._build_literal(times, wide=wide and not narrow)
        value = self._widen(value.copy(), wide=wide)
        divide = self._dialect.truncating_divide
        divide_wide = self._dialect.truncating_divide_wide if wide else divide
        whole_part = binary(divide_wide(value.copy(), count.copy()), exp.Mul, factor.copy())
        # The remainder is below the row count, so 64 bits hold its product with a narrow factor.
        left = binary(value, exp.Mod, count.copy())
        rest = binary(cast(left, "BIGINT") if narrow else left, exp.Mul, factor.copy())
        divide_rest = divide if narrow else divide_wide
        return binary(whole_part, exp.Add, divide_rest(rest, count.copy()))

    def _total_over_units(self, value: exp.Expr, measure: Measure) -> exp.Expr:
        """Sum over all units.

        Where 64 bits hold the sum only if the number of units is as declared, it is clamped to
        them, which cannot raise its sensitivity: more units than declared make an answer wrong, but
        never fail.
        """
        if (
            self._needs_wide_total(measure)
            or measure.resolution * _compute_max_row_value(measure) <= _MAX_NARROW_VALUE
        ):
            return self._build_total(value, wide=self._needs_wide_total(measure))
        summand = self._dialect.widen_summand(value)
        total = call_function("coalesce", exp.Sum(this=summand), integer_literal(0))
        low, high = (
            self._build_literal(end, wide=True) for end in (-_MAX_INT64_SUM, _MAX_INT64_SUM)
        )
        below = call_function("least", cast(total, self._dialect.wide_integer), high)
        return cast(call_function("greatest", below, low), "BIGINT")

    def _build_total(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        summand = self._dialect.widen_summand(value) if wide else value
        return cast(
            call_function("coalesce", exp.Sum(this=summand), integer_literal(0)),
            self._dialect.wide_integer if wide else "BIGINT",
        )

    def _widen(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        return cast(value, self._dialect.wide_integer) if wide else value

    def _build_part(self, part: SumPart) -> exp.Expr:
        first, second = part
        if isinstance(first, Measure):
            assert isinstance(second, int)
            return self._build_total(
                self._build_moment(first, second), wide=_needs_wide_unit_sum(first)
            )
        value = self._names[first]
        if not isinstance(second, ClampedGrid):
            return exp.Count(this=value.copy())
        return self._build_total(
            compile_grid_steps(value, find_read_range(self._source, first), second, self._dialect),
            wide=_compute_max_steps(second) > _MAX_NARROW_VALUE,
        )

    def _build_moment(self, measure: Measure, place: int) -> exp.Expr:
        assert measure.grid is not None
        if measure.second is None:
            return self._build_polynomial(str(measure.column), measure.grid, measure.degree, place)
        first_place, second_place = divmod(place, measure.degree + 1)
        return binary(
            self._build_polynomial(str(measure.column), measure.grid, measure.degree, first_place),
            exp.Mul,
            self._build_polynomial(*measure.second, measure.degree, second_place),
        )

    def _build_polynomial(self, name: str, grid: ClampedGrid, degree: int, place: int) -> exp.Expr:
        """Build C(d, k) y^k (w - y)^(d - k), k = d - place, of the steps y above the low end of a
        grid of width w.
        """
        steps = compile_grid_steps(
            self._names[name], find_read_range(self._source, name), grid, self._dialect
        )
        above = binary(steps, exp.Sub, integer_literal(grid.low))
        below = binary(integer_literal(grid.high), exp.Sub, steps.copy())
        product: exp.Expr = integer_literal(math.comb(degree, place))
        for factor in [above] * (degree - place) + [below] * place:
            product = binary(product, exp.Mul, factor.copy())
        return product


SumPart = tuple[str, ClampedGrid | None] | tuple[Measure, int]
PartExpressions = Mapping[SumPart, exp.Expr]


def _list_parts(measure: Measure) -> list[SumPart]:
    name = measure.column
    if name is None:
        return []
    if measure.degree > 1 or measure.second is not None:
        products: list[SumPart] = [
            (measure, place) for place in range(measure.width - measure.has_null_sum)
        ]
        return [*products, (name, None)] if measure.has_null_sum else products
    counted: list[SumPart] = (
        [(name, None)] if measure.kind != "total" or measure.sum_bounds is not None else []
    )
    return counted if measure.grid is None else [*counted, (name, measure.grid)]


def _needs_wide_unit_sum(measure: Measure) -> bool:
    return _compute_max_row_value(measure) > _MAX_NARROW_VALUE


def _compute_max_row_value(measure: Measure) -> int:
    """Return the most that one row (with sum bounds, one unit) adds to a number."""
    if measure.grid is None:
        return 1
    return max(
        _compute_max_steps(measure.grid),
        measure.row_total,
        *(abs(end) for end in measure.sum_bounds or (0,)),
    )


def _compute_max_steps(grid: ClampedGrid) -> int:
    return max(abs(grid.low), abs(grid.high), grid.high - grid.low)
