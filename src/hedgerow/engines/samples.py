"""Values that are not added up: of each unit those that come first, by group.

rows -> the groups of the unit that count -> its values there that come first by (rank, value, copy) -> each value of a group with how
many times it is there (a sample), or how many different ones there are

Equal values of a unit are numbered, and each copy has a rank of its own: so a value that it has three times is three times as likely to
count as one that it has once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.rows import MOST, UNIT, Selected
from hedgerow.engines.snapping import snapped
from hedgerow.engines.terms import column, one_of, ordered, select, test, whole
from hedgerow.plan.contributions import MOST_ROWS
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.picks import Pick
from hedgerow.plan.values import Range, Type

__all__ = ["Samples"]

_VALUE: Final = "v"
_COPY: Final = "copy"
_TALLIED: Final = 2**24  # steps that are counted one by one, in an array


class Samples:
    """The statement of one pick, or of one count of different values."""

    def __init__(
        self, plan: Aggregate, measure: Measure | Pick, found: Selected, dialect: Dialect, where: Sequence[exp.Expr], *, text_ids: bool
    ) -> None:
        self._plan, self._measure, self._dialect, self._text_ids = plan, measure, dialect, text_ids
        self._known = plan.bound.columns[str(measure.column)]
        self._keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
        self._units = plan.bound.source.unit != "row"
        unit = [(UNIT, column(UNIT))] if self._units else []
        keys = [(key.name, found.names[name].copy()) for key, name in zip(self._keys, plan.bound.keys, strict=True)]
        self._rows = select([*unit, *keys, (_VALUE, found.names[str(measure.column)].copy())], found.sql, where)

    @property
    def more_keys(self) -> tuple[Type, ...]:
        """A mode tells the values as they are: they are few, and their places in the list are looked up afterwards."""
        return (self._known.type,) if isinstance(self._measure, Pick) and self._measure.snap is None else ()

    @property
    def wide(self) -> tuple[bool, ...]:
        """The steps and how often they are there, or the one number there is."""
        return (False, False) if isinstance(self._measure, Pick) and self._measure.snap is not None else (False,)

    @property
    def tally(self) -> tuple[int, int] | None:
        """The steps of a sample that is told as it is, to be counted elsewhere; None where the statement counts."""
        snap = self._measure.snap
        if self._keys or snap is None or isinstance(self._measure, Measure) or snap.high - snap.low >= _TALLIED:
            return None
        return (snap.low, snap.high)

    def sql(self) -> exp.Select:
        """Sorted by group, and within it by value."""
        kept = self._first_values(self._first_groups())
        keys = [(key.name, key.copy()) for key in self._keys]
        if isinstance(self._measure, Measure):
            different = exp.Count(this=exp.Distinct(expressions=[column(_VALUE)]))
            counted = select([*keys, ("n", different)], kept)
            return counted.group_by(*(key.copy() for key in self._keys), copy=False) if keys else counted
        if self.tally is not None:
            return select([(_VALUE, self._steps())], kept)
        stepped = select([*keys, (_VALUE, self._steps())], kept)
        found = select([*keys, (_VALUE, column(_VALUE)), ("n", exp.Count(this=exp.Star()))], stepped)
        by = [*(key.copy() for key in self._keys), column(_VALUE)]
        return found.group_by(*by, copy=False).order_by(*ordered(by).expressions, copy=False)

    def _first_groups(self) -> exp.Select:
        """Rows of the groups that come first by (rank, group), as everywhere else: also those whose value is NULL have a say."""
        cells, most = self._plan.source.cells, self._plan.bound.max_groups
        if not self._units or not self._keys or (cells is not None and cells <= most):
            return self._rows
        rank = self._dialect.rank([column(UNIT), *(key.copy() for key in self._keys)])
        place = exp.Window(this=exp.DenseRank(), partition_by=self._unit(), order=ordered([rank, *self._keys]))
        return self._cut(self._rows, place, most)

    def _first_values(self, rows: exp.Select) -> exp.Select:
        value = column(_VALUE)
        there: exp.Expr = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
        if isinstance(self._measure, Pick) and self._measure.values is not None:
            there = one_of(value.copy(), self._measure.values, self._known.type)
        unit = [(UNIT, column(UNIT))] if self._units else []
        rows = select([*unit, *((key.name, key.copy()) for key in self._keys), (_VALUE, column(_VALUE))], rows, [there])
        if not self._units:
            return rows
        if isinstance(self._measure, Measure):
            rows = rows.distinct(copy=False)
        if self._plan.bound.max_rows >= MOST_ROWS:
            return rows
        by, told = [*self._unit(), *(key.copy() for key in self._keys)], [column(_VALUE)]
        if isinstance(self._measure, Pick):
            copies = exp.Window(this=exp.RowNumber(), partition_by=[*(one.copy() for one in by), column(_VALUE)])
            outputs = [(output.alias, column(output.alias)) for output in rows.expressions]
            rows, told = select([*outputs, (_COPY, copies)], rows), [column(_VALUE), column(_COPY)]
        rank = self._dialect.rank([column(UNIT), *(key.copy() for key in self._keys), *(one.copy() for one in told)])
        place = exp.Window(this=exp.RowNumber(), partition_by=by, order=ordered([rank, *told]))
        return self._cut(rows, place, self._plan.bound.max_rows)

    def _unit(self) -> list[exp.Expr]:
        # Text is partitioned faster by its hash first.
        return [self._dialect.rank([column(UNIT)]), column(UNIT)] if self._text_ids else [column(UNIT)]

    def _cut(self, rows: exp.Select, place: exp.Expr, most: int) -> exp.Select:
        outputs = [(UNIT, column(UNIT)), *((key.name, key.copy()) for key in self._keys), (_VALUE, column(_VALUE))]
        numbered = select([*outputs, ("place", place)], rows)
        return select([(name, value.copy()) for name, value in outputs], numbered, [test(column("place"), exp.LTE, whole(min(most, MOST)))])

    def _steps(self) -> exp.Expr:
        assert isinstance(self._measure, Pick)
        snap, value = self._measure.snap, column(_VALUE)
        if snap is None:
            return value
        if self._known.type == "date":
            return snapped(self._dialect.ordinal(value), Range("integer"), snap)
        return snapped(value, Range(self._known.type), snap)
