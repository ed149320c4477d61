"""Aggregates of a question as measures of its plan: equal ones once, shared where possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef, Expression
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Range, Type
from hedgerow.sql.aggregates.aggregate_options import ORDER_STATISTICS, check_options
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.arguments import bind_argument, find_privacy_id
from hedgerow.sql.aggregates.number_grids import build_number_grid
from hedgerow.sql.aggregates.order_statistics import build_order_statistic
from hedgerow.sql.aggregates.shared_measures import share_measures
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import UNIT_NAME, ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
)
from hedgerow.sql.question import AggregateCall, ClippingCount, QuantileBracket
from hedgerow.sql.relations.public_outer_joins import check_extended_aggregate
from hedgerow.sql.syntax.named_arguments import NamedArguments

__all__ = ["MeasureCollector", "build_result_read"]

MAX_AGGREGATES: Final = 100
_MAX_BOUND_STEPS: Final = 2**62
# The largest widths of values in moments, in steps: engines must be able to add their products.
_MAX_WIDTHS: Final = {
    "AVG": None,
    "VAR_POP": 2**13,
    "VAR_SAMP": 2**13,
    "STDDEV_POP": 2**13,
    "STDDEV_SAMP": 2**13,
    "SKEWNESS": 2**9,
    "KURTOSIS": 2**7,
    "KURTOSIS_POP": 2**7,
}
_DEGREES: Final = {"AVG": 1, "SKEWNESS": 3, "KURTOSIS": 4, "KURTOSIS_POP": 4}  # of others 2
# A correlation or a regression squares both widths, and the noise must fit beside that.
_MAX_PAIR_WIDTHS: Final = {"COVAR_POP": 2**12, "COVAR_SAMP": 2**12}
_MAX_SQUARED_PAIR_WIDTH: Final = 2**7


@dataclass(frozen=True, slots=True)
class _TypedMeasure:
    """A measure before sharing, and the type of its result."""

    measure: Measure | OrderStatistic
    type: Type


class MeasureCollector:
    """The aggregates of a question, collected while its outputs are bound.

    Arguments become the columns "v0", "v1", … of the plan; ``work`` is their total work.
    ``measures_clipping`` is set by ``clipped => TRUE`` without bounds of its own.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._row_binder = RowBinder(scope, "an aggregate")
        self._columns: dict[Expression, str] = {}
        # The two columns of each column that is not NULL where both are not.
        self._pair_columns: dict[str, tuple[str, str]] = {}
        self.work = 0
        self.measures_clipping = False
        self._calls: dict[tuple[object, ...], AggregateCall] = {}

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The distinct aggregates, with the measures they share."""
        return share_measures(tuple(self._calls.values()), self._pair_columns)

    @property
    def types(self) -> Mapping[str, Type]:
        """The type of each aggregate, by name."""
        return {call.name: call.type for call in self._calls.values()}

    @property
    def columns(self) -> tuple[tuple[str, Expression], ...]:
        """The name and expression of each argument."""
        return tuple((name, expression) for expression, name in self._columns.items())

    def add(self, asked: AggregateSyntax) -> AggregateCall:
        """Add an aggregate, or return the equal one that is there already."""
        check_options(self._row_binder, asked)
        check_extended_aggregate(self._row_binder, asked)
        found = self._build_measure(asked)
        named = asked.named_arguments
        self.measures_clipping |= named.clipped and named.limits is None
        key = (
            asked.function,
            found.measure,
            asked.probability,
            named.clipped,
            named.outer,
            named.bracket,
        )
        if key not in self._calls:
            self._calls[key] = call = AggregateCall(
                self._choose_name(asked),
                asked.function,
                found.measure,
                found.type,
                self._format_call(asked),
                asked.probability,
            )
            # The counts that these add are named after the call itself.
            clip = None
            if named.clipped and named.limits is not None:
                clip = self._build_clip(asked, found.measure)
            bracket = None if named.bracket is None else self._build_bracket(asked, named.bracket)
            self._calls[key] = replace(call, clip=clip, bracket=bracket)
        return self._calls[key]

    def find_clipping_count(self, name: str) -> str | None:
        """Return the name of the count of clipped units of an aggregate."""
        return next(
            (
                call.clip.count
                for call in self._calls.values()
                if call.name == name and call.clip is not None
            ),
            None,
        )

    def _build_bracket(self, asked: AggregateSyntax, half_width: Fraction) -> QuantileBracket:
        """Build the bracket of a quantile, and the count of the values it is chosen from."""
        value = self._build_indicator(asked, bind_argument(self._row_binder, asked))
        measure = Measure("total", self._add_column(value), _COUNT_GRID, (0, self._scope.max_rows))
        text = f"the count of values in {self._format_call(asked)}"
        count = self._add_count(asked, "bracket", measure, text)
        assert asked.probability is not None
        return QuantileBracket(
            count, asked.probability - half_width, asked.probability + half_width
        )

    def _add_count(self, asked: AggregateSyntax, kind: str, measure: Measure, text: str) -> str:
        """Add a count that an aggregate needs besides its own measure, and return its name."""
        key = (kind, measure)
        if key not in self._calls:
            name = self._choose_name(asked)
            self._calls[key] = AggregateCall(name, "COUNT", measure, "integer", text)
        return self._calls[key].name

    def _choose_name(self, asked: AggregateSyntax) -> str:
        if len(self._calls) == MAX_AGGREGATES:
            self._row_binder.refuse(
                asked.node,
                f"This question has more than {MAX_AGGREGATES} aggregates",
                "Ask several shorter questions.",
            )
        return f"a{len(self._calls)}"

    def _format_call(self, asked: AggregateSyntax) -> str:
        text = self._scope.text.format_node(asked.node, _MAX_TEXT_LENGTH)
        return text.replace(f'"{UNIT_NAME}"', "unit")

    def _build_clip(
        self, asked: AggregateSyntax, measure: Measure | OrderStatistic
    ) -> ClippingCount:
        """Build the clipping count of a sum.

        It has the measure of the sum until ``clipping_counts`` replaces it.
        """
        assert isinstance(measure, Measure)
        assert measure.sum_bounds is not None
        assert measure.grid is not None
        low, high = (limit * measure.grid.step for limit in measure.sum_bounds)
        outer = asked.named_arguments.outer
        if outer is not None and not (outer[0] <= low and high <= outer[1]):
            self._row_binder.refuse(
                asked.node,
                "outer_bounds_per_group must contain contribution_bounds_per_group",
                f"Write outer_bounds_per_group => ({float(low):g}, {float(10 * high):g}), or leave"
                " it out.",
            )
        text = f"DP_CLIPPED({self._format_call(asked)})"
        return ClippingCount(
            self._add_count(asked, "DP_CLIPPED", measure, text), (low, high), outer
        )

    def _build_measure(self, asked: AggregateSyntax) -> _TypedMeasure:
        if asked.function == "COUNT":
            return _TypedMeasure(self._build_count(asked), "integer")
        if asked.function in ORDER_STATISTICS:
            value = bind_argument(self._row_binder, asked)
            return _TypedMeasure(
                build_order_statistic(self._row_binder, asked, value, self._add_column(value)),
                value.type,
            )
        if len(asked.arguments) == 2 and not asked.distinct:
            return _TypedMeasure(self._build_pair_moments(asked), "real")
        value = bind_argument(self._row_binder, asked)
        if asked.function == "SUM":
            return _TypedMeasure(self._build_sum(asked, value), value.type)
        grid = build_number_grid(self._row_binder, asked, value, _MAX_WIDTHS[asked.function])
        degree = _DEGREES.get(asked.function, 2)
        return _TypedMeasure(
            Measure("moments", self._add_column(value), grid, degree=degree), "real"
        )

    def _build_count(self, asked: AggregateSyntax) -> Measure:
        if len(asked.arguments) == 2 and not asked.distinct:
            return self._build_pair_count(asked)
        if asked.distinct and (unit := find_privacy_id(self._row_binder, asked)) is not None:
            return self._build_unit_count(asked, unit)
        value = bind_argument(self._row_binder, asked)
        if value.range.values == ():
            self._row_binder.refuse(
                asked.node,
                "The argument is always NULL, and COUNT ignores NULL",
                "Write COUNT(*), or COUNT(x).",
            )
        if asked.distinct:
            return Measure("distinct", self._add_column(value))
        if asked.named_arguments.limits is not None:
            return self._build_limited_sum(
                asked, self._build_indicator(asked, value), ClampedGrid(Fraction(1), 1, 1)
            )
        return (
            Measure("rows")
            if not value.range.nullable
            else Measure("values", self._add_column(value))
        )

    def _build_unit_count(self, asked: AggregateSyntax, unit: ColumnReference) -> Measure:
        """Build COUNT(DISTINCT id), which counts units.

        With FILTER, or where a LEFT JOIN may leave the id NULL, it is a sum of ones, clamped to 1
        per unit.
        """
        if not asked.conditions and not unit.may_be_missing:
            return Measure("units")
        limits = NamedArguments(limits=(Fraction(0), Fraction(1)))
        node = exp.column(unit.name, unit.alias or None, quoted=True)
        read = (node,) if unit.may_be_missing else ()
        ones = replace(asked, named_arguments=limits, arguments=read, distinct=False)
        value = bind_argument(self._row_binder, ones)
        return self._build_limited_sum(ones, value, _COUNT_GRID)

    def _build_pair_count(self, asked: AggregateSyntax) -> Measure:
        """Build REGR_COUNT(y, x), the count of rows where neither is NULL."""
        pair = [bind_argument(self._row_binder, asked), self._row_binder.bind(asked.arguments[1])]
        missing = [self._row_binder.apply(asked.node, "is null", value) for value in pair]
        results = align_types([build_constant(None, "integer"), build_constant(1, "integer")])
        either = self._row_binder.apply(asked.node, "or", *missing)
        column = self._add_column(self._row_binder.apply(asked.node, "case", either, *results))
        self._pair_columns[column] = self._add_column(pair[0]), self._add_column(pair[1])
        return Measure("values", column)

    def _build_indicator(self, asked: AggregateSyntax, value: TypedExpression) -> TypedExpression:
        if not value.range.nullable:
            return build_constant(1, "integer")
        missing = self._row_binder.apply(asked.node, "is null", value)
        return self._row_binder.apply(
            asked.node,
            "case",
            missing,
            *align_types(
                [build_constant(None, "integer"), build_constant(1, "integer")], "integer"
            ),
        )

    def _build_sum(self, asked: AggregateSyntax, value: TypedExpression) -> Measure:
        limits = asked.named_arguments.limits
        if limits is not None and value.type in ("integer", "real") and not value.range.is_bounded:
            low, high = min(limits[0], Fraction(0)), max(limits[1], Fraction(0))
            within = Range(
                value.type,
                *(
                    map(Fraction, map(round_half_away, (low, high)))
                    if value.type == "integer"
                    else (low, high)
                ),
            )
            value = TypedExpression(
                value.expression, replace(within, step=value.range.step), value.size, value.work
            )
        grid = build_number_grid(self._row_binder, asked, value, None, allow_constant=True)
        if limits is not None:
            return self._build_limited_sum(asked, value, grid)
        if grid.low == grid.high == 0:
            self._row_binder.refuse(asked.node, "This sum is always 0", "Leave it out.")
        return Measure("distinct" if asked.distinct else "total", self._add_column(value), grid)

    def _build_limited_sum(
        self, asked: AggregateSyntax, value: TypedExpression, grid: ClampedGrid
    ) -> Measure:
        assert asked.named_arguments.limits is not None
        low, high = (round_half_away(limit / grid.step) for limit in asked.named_arguments.limits)
        if (low, high) == (0, 0) or max(abs(low), abs(high)) > _MAX_BOUND_STEPS:
            problem = (
                "contribution_bounds_per_group is too narrow or too wide for the grid"
                " of this column"
            )
            smallest, largest = (
                f"{float(steps * grid.step):.1g}" for steps in (1, _MAX_BOUND_STEPS)
            )
            self._row_binder.refuse(
                asked.node, problem, f"Choose bounds between {smallest} and {largest} in size."
            )
        return Measure("total", self._add_column(value), grid, (low, high))

    def _build_pair_moments(self, asked: AggregateSyntax) -> Measure:
        first, second = (
            bind_argument(self._row_binder, asked),
            self._row_binder.bind(asked.arguments[1]),
        )
        grids = [
            build_number_grid(
                self._row_binder,
                asked,
                value,
                _MAX_PAIR_WIDTHS.get(asked.function, _MAX_SQUARED_PAIR_WIDTH),
            )
            for value in (first, second)
        ]
        degree = 1 if asked.function in _MAX_PAIR_WIDTHS else 2
        return Measure(
            "moments",
            self._add_column(first),
            grids[0],
            degree=degree,
            second=(self._add_column(second), grids[1]),
        )

    def _add_column(self, value: TypedExpression) -> str:
        if value.expression not in self._columns:
            self._columns[value.expression] = f"v{len(self._columns)}"
            self.work += value.work
        return self._columns[value.expression]


_MAX_TEXT_LENGTH: Final = 60  # characters of an aggregate in tables and notes
_COUNT_GRID: Final = ClampedGrid(Fraction(1), 1, 1)


def build_result_read(name: str) -> ColumnRef:
    """Build the reference to an unresolved result, by a name that no column can have."""
    return ColumnRef("\0" + name)
