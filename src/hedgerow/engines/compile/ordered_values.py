"""Values that are not added up: of each unit those that come first, by group.

rows -> the groups of the unit that count -> its values there that come first by (rank, value, copy)
-> each value of a group with how many times it is there (a sample), or how many different ones
there are

Equal values of a unit are numbered, and each copy has a rank of its own: so a value that it has
three times is three times as likely to count as one that it has once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.grid_rounding import compile_grid_steps
from hedgerow.engines.compile.relations import MAX_PLACE, UNIT_COLUMN, CompiledRelation
from hedgerow.engines.compile.sql_builders import (
    binary,
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
    """The statement of one pick, or of one count of different values."""

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
        self._range = plan.bound.columns[str(measure.column)]
        self._keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
        self._has_units = plan.bound.source.unit != "row"
        unit = [(UNIT_COLUMN, column(UNIT_COLUMN))] if self._has_units else []
        keys = [
            (key.name, found.columns[name].copy())
            for key, name in zip(self._keys, plan.bound.keys, strict=True)
        ]
        self._rows = select(
            [*unit, *keys, (_VALUE_COLUMN, found.columns[str(measure.column)].copy())],
            found.query,
            where,
        )

    @property
    def extra_keys(self) -> tuple[Type, ...]:
        """A mode tells the values as they are: they are few, and their places in the list are
        looked up afterwards.
        """
        return (
            (self._range.type,)
            if isinstance(self._measure, OrderStatistic) and self._measure.grid is None
            else ()
        )

    @property
    def wide(self) -> tuple[bool, ...]:
        """The steps and how often they are there, or the one number there is."""
        return (
            (False, False)
            if isinstance(self._measure, OrderStatistic) and self._measure.grid is not None
            else (False,)
        )

    @property
    def tally(self) -> tuple[int, int] | None:
        """The steps of a sample that is told as it is, to be counted elsewhere; None where the
        statement counts.
        """
        snap = self._measure.grid
        if (
            self._keys
            or snap is None
            or isinstance(self._measure, Measure)
            or snap.high - snap.low >= _MAX_TALLY_STEPS
        ):
            return None
        return (snap.low, snap.high)

    def build_query(self) -> exp.Select:
        """Sorted by group, and within it by value."""
        kept = self._keep_first_values(self._keep_first_groups())
        keys = [(key.name, key.copy()) for key in self._keys]
        if isinstance(self._measure, Measure):
            different = exp.Count(this=exp.Distinct(expressions=[column(_VALUE_COLUMN)]))
            counted = select([*keys, ("n", different)], kept)
            return (
                counted.group_by(*(key.copy() for key in self._keys), copy=False)
                if keys
                else counted
            )
        if self.tally is not None:
            return select([(_VALUE_COLUMN, self._build_steps())], kept)
        stepped = select([*keys, (_VALUE_COLUMN, self._build_steps())], kept)
        found = select(
            [*keys, (_VALUE_COLUMN, column(_VALUE_COLUMN)), ("n", exp.Count(this=exp.Star()))],
            stepped,
        )
        by = [*(key.copy() for key in self._keys), column(_VALUE_COLUMN)]
        return found.group_by(*by, copy=False).order_by(*order_by(by).expressions, copy=False)

    def _keep_first_groups(self) -> exp.Select:
        """Rows of the groups that come first by (rank, group), as everywhere else: also those
        whose value is NULL have a say.
        """
        cells, most = self._plan.source.cells, self._plan.bound.max_groups
        if not self._has_units or not self._keys or (cells is not None and cells <= most):
            return self._rows
        rank = self._dialect.build_rank([column(UNIT_COLUMN), *(key.copy() for key in self._keys)])
        place = exp.Window(
            this=exp.DenseRank(),
            partition_by=self._list_unit_partition(),
            order=order_by([rank, *self._keys]),
        )
        return self._keep_first(self._rows, place, most)

    def _keep_first_values(self, rows: exp.Select) -> exp.Select:
        value = column(_VALUE_COLUMN)
        there: exp.Expr = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
        if isinstance(self._measure, OrderStatistic) and self._measure.values is not None:
            there = is_one_of(value.copy(), self._measure.values, self._range.type)
        unit = [(UNIT_COLUMN, column(UNIT_COLUMN))] if self._has_units else []
        rows = select(
            [
                *unit,
                *((key.name, key.copy()) for key in self._keys),
                (_VALUE_COLUMN, column(_VALUE_COLUMN)),
            ],
            rows,
            [there],
        )
        if not self._has_units:
            return rows
        if isinstance(self._measure, Measure):
            rows = rows.distinct(copy=False)
        if self._plan.bound.max_rows >= MAX_TABLE_ROWS:
            return rows
        by, told = (
            [*self._list_unit_partition(), *(key.copy() for key in self._keys)],
            [column(_VALUE_COLUMN)],
        )
        if isinstance(self._measure, OrderStatistic):
            copies = exp.Window(
                this=exp.RowNumber(),
                partition_by=[*(one.copy() for one in by), column(_VALUE_COLUMN)],
            )
            outputs = [(output.alias, column(output.alias)) for output in rows.expressions]
            rows, told = (
                select([*outputs, (_COPY_COLUMN, copies)], rows),
                [column(_VALUE_COLUMN), column(_COPY_COLUMN)],
            )
        rank = self._dialect.build_rank(
            [
                column(UNIT_COLUMN),
                *(key.copy() for key in self._keys),
                *(one.copy() for one in told),
            ]
        )
        place = exp.Window(this=exp.RowNumber(), partition_by=by, order=order_by([rank, *told]))
        return self._keep_first(rows, place, self._plan.bound.max_rows)

    def _list_unit_partition(self) -> list[exp.Expr]:
        # Text is partitioned faster by its hash first.
        return (
            [self._dialect.build_rank([column(UNIT_COLUMN)]), column(UNIT_COLUMN)]
            if self._text_ids
            else [column(UNIT_COLUMN)]
        )

    def _keep_first(self, rows: exp.Select, place: exp.Expr, most: int) -> exp.Select:
        outputs = [
            (UNIT_COLUMN, column(UNIT_COLUMN)),
            *((key.name, key.copy()) for key in self._keys),
            (_VALUE_COLUMN, column(_VALUE_COLUMN)),
        ]
        numbered = select([*outputs, ("place", place)], rows)
        return select(
            [(name, value.copy()) for name, value in outputs],
            numbered,
            [binary(column("place"), exp.LTE, integer_literal(min(most, MAX_PLACE)))],
        )

    def _build_steps(self) -> exp.Expr:
        assert isinstance(self._measure, OrderStatistic)
        snap, value = self._measure.grid, column(_VALUE_COLUMN)
        if snap is None:
            return value
        if self._range.type == "date":
            return compile_grid_steps(self._dialect.ordinal(value), Range("integer"), snap)
        return compile_grid_steps(value, Range(self._range.type), snap)
