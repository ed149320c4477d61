"""Distinct counts and sums, and order statistics as SQL: the first values of each unit in each
group.

    rows -> the groups of the unit that count -> its first values there by (rank, value, copy)
         -> each value of a group with its frequency (a sample), or the number of distinct values,
            or the sum of distinct grid steps

Equal values of a unit are numbered, and each copy has a rank of its own: a value that a unit has
three times is three times as likely to count as one that it has once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import (
    UNIT_COLUMN,
    CompiledRelation,
    build_unit_partition,
    keep_first,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.grid_rounding import compile_grid_steps
from hedgerow.engines.compile.group_keys import needs_group_bound
from hedgerow.engines.compile.sql_builders import (
    call_function,
    cast,
    cast_to_type,
    column,
    integer_literal,
    is_one_of,
    order_by,
    select,
)
from hedgerow.plan.contribution_limits import MAX_TABLE_ROWS
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Range, Type

__all__ = ["OrderedValueQuery"]

_VALUE_COLUMN: Final = "v"
_COPY_COLUMN: Final = "copy"
_MAX_TALLY_STEPS: Final = 2**24  # steps that are counted one by one, in an array


class OrderedValueQuery:
    """The query of one order statistic, or of one count or sum of distinct values."""

    def __init__(
        self,
        plan: Aggregate,
        measure: Measure | OrderStatistic,
        found: CompiledRelation,
        dialect: Dialect,
        where: Sequence[exp.Expr],
        *,
        text_ids: bool,
    ) -> None:
        self._plan, self._measure, self._dialect, self._text_ids = plan, measure, dialect, text_ids
        self._grid = measure.grid
        self._is_sample = isinstance(measure, OrderStatistic) and measure.grid is not None
        self._range = plan.bound.columns[str(measure.column)]
        self._keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
        self._has_units = plan.bound.source.unit != "row"
        unit = [UNIT_COLUMN] if self._has_units else []
        self._names = [*unit, *(key.name for key in self._keys), _VALUE_COLUMN]
        sources = [*plan.bound.keys, str(measure.column)]
        values = [*map(column, unit), *(found.columns[name].copy() for name in sources)]
        self._rows = select(list(zip(self._names, values, strict=True)), found.query, where)

    @property
    def extra_keys(self) -> tuple[Type, ...]:
        """The type of the value column of a mode, which is returned as a key: its values are few
        and are looked up in the list afterwards.
        """
        is_mode = isinstance(self._measure, OrderStatistic) and self._grid is None
        return (self._range.type,) if is_mode else ()

    @property
    def wide(self) -> tuple[bool, ...]:
        """The number columns: steps and their frequency, one count, or one sum, which is wide."""
        return (False, False) if self._is_sample else (self._grid is not None,)

    @property
    def tally(self) -> tuple[int, int] | None:
        """The first and last step of a sample that is returned unsorted, to be counted by the
        caller; None where the statement counts.
        """
        grid = self._grid
        if (
            self._keys
            or self._dialect.counts_values
            or grid is None
            or not self._is_sample
            or grid.high - grid.low >= _MAX_TALLY_STEPS
        ):
            return None
        return (grid.low, grid.high)

    def build_query(self) -> exp.Select:
        """Build the query, sorted by group and then by value."""
        kept = self._keep_first_values(self._keep_first_groups())
        keys = [(key.name, key.copy()) for key in self._keys]
        if isinstance(self._measure, Measure):
            counted = select([*keys, ("n", self._build_distinct())], kept)
            by = [key.copy() for key in self._keys]
            return counted.group_by(*by, copy=False) if by else counted
        stepped = select([*keys, (_VALUE_COLUMN, self._build_steps())], kept)
        if self.tally is not None:
            return stepped
        counted = select(
            [*keys, (_VALUE_COLUMN, column(_VALUE_COLUMN)), ("n", exp.Count(this=exp.Star()))],
            stepped,
        )
        by = [*(key.copy() for key in self._keys), column(_VALUE_COLUMN)]
        return counted.group_by(*by, copy=False).order_by(*order_by(by).expressions, copy=False)

    def _keep_first_groups(self) -> exp.Select:
        """Keep the rows of each unit's first groups by (rank, group), including rows whose value is
        NULL.
        """
        if not self._has_units or not needs_group_bound(self._plan):
            return self._rows
        rank = self._dialect.build_rank([column(UNIT_COLUMN), *(key.copy() for key in self._keys)])
        place = exp.Window(
            this=exp.DenseRank(),
            partition_by=build_unit_partition(self._dialect, text_ids=self._text_ids),
            order=order_by([rank, *self._keys]),
        )
        return keep_first(self._rows, place, self._plan.bound.max_groups, self._names)

    def _keep_first_values(self, rows: exp.Select) -> exp.Select:
        value = column(_VALUE_COLUMN)
        has_value: exp.Expr = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
        if isinstance(self._measure, OrderStatistic) and self._measure.values is not None:
            has_value = is_one_of(value.copy(), self._measure.values, self._range.type)
        rows = select([(name, column(name)) for name in self._names], rows, [has_value])
        if not self._has_units:
            return rows
        if isinstance(self._measure, Measure):
            rows = rows.distinct(copy=False)
        if self._plan.bound.max_rows >= MAX_TABLE_ROWS:
            return rows
        by = [
            *build_unit_partition(self._dialect, text_ids=self._text_ids),
            *(key.copy() for key in self._keys),
        ]
        ranked: list[exp.Expr] = [column(_VALUE_COLUMN)]
        if isinstance(self._measure, OrderStatistic):
            copies = exp.Window(
                this=exp.RowNumber(),
                partition_by=[*(term.copy() for term in by), column(_VALUE_COLUMN)],
            )
            outputs = [(output.alias, column(output.alias)) for output in rows.expressions]
            rows = select([*outputs, (_COPY_COLUMN, copies)], rows)
            ranked.append(column(_COPY_COLUMN))
        terms = [column(UNIT_COLUMN), *self._keys, *ranked]
        rank = self._dialect.build_rank([term.copy() for term in terms])
        place = exp.Window(this=exp.RowNumber(), partition_by=by, order=order_by([rank, *ranked]))
        return keep_first(rows, place, self._plan.bound.max_rows, self._names)

    def _build_distinct(self) -> exp.Expr:
        """Build the number of distinct values, or the sum of distinct steps as text."""
        value = self._build_steps()
        if self._grid is None:
            return exp.Count(this=exp.Distinct(expressions=[value]))
        wide = cast(value, self._dialect.wide_integer)
        total = exp.Sum(this=exp.Distinct(expressions=[wide]))
        nothing = cast(integer_literal(0), self._dialect.wide_integer)
        return cast_to_type(call_function("coalesce", total, nothing), "text")

    def _build_steps(self) -> exp.Expr:
        value = column(_VALUE_COLUMN)
        if self._grid is None:
            return value
        if self._range.type == "date":
            return compile_grid_steps(
                self._dialect.ordinal(value), Range("integer"), self._grid, self._dialect
            )
        return compile_grid_steps(value, Range(self._range.type), self._grid, self._dialect)
