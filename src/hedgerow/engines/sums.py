"""What is added up: first for each (unit, group), then over the units.

A unit with n rows in a group, where m count, puts in trunc(sum * m / n) when n > m, and the plain sum otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.terms import as_type, between, call, cast, column, real, test, when, whole
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.values import Range

__all__ = ["Sums"]

# No table has 2^36 rows. So sums of values up to 2^26 stay within 62 bits; others are taken in the wide type.
_NARROW: Final = 2**26
_MOST_ROWS: Final = 2**36
_COUNT: Final = "n"

Named = list[tuple[str, exp.Expr]]


class Sums:
    """The sums behind the measures of a plan, each computed once however many measures need it."""

    def __init__(
        self,
        measures: Sequence[Measure],
        max_rows: int,
        names: Mapping[str, exp.Expr],
        columns: Mapping[str, Range],
        dialect: Dialect,
    ) -> None:
        self._measures, self._most, self._names, self._columns, self._dialect = measures, max_rows, names, columns, dialect
        self._parts: dict[tuple[str, Snap | None], str] = {}
        for measure in measures:
            if measure.column is not None and measure.kind != "total":
                self._parts.setdefault((measure.column, None), f"a{len(self._parts)}")
            if measure.column is not None and measure.snap is not None:
                self._parts.setdefault((measure.column, measure.snap), f"a{len(self._parts)}")

    @property
    def wide(self) -> tuple[bool, ...]:
        """For each number whether it may exceed 64 bits: a matter of the plan, not of the data."""
        return tuple(self._is_wide(measure.snap) for measure in self._measures for _ in range(measure.width))

    def parts(self) -> Named:
        """Of the rows of one unit in one group: how many they are, how many values they have, the sums of their steps."""
        return [(_COUNT, exp.Count(this=exp.Star())), *((name, self._part(*part)) for part, name in self._parts.items())]

    def of_rows(self) -> Named:
        """The numbers of the measures where every row is a unit of its own."""
        parts = {part: self._part(*part) for part in self._parts}
        each = [[exp.Count(this=exp.Star())] if measure.column is None else self._plain(measure, parts) for measure in self._measures]
        return _numbered(each)

    def of_pairs(self) -> Named:
        """The numbers of the measures from the lines that ``parts`` makes, one for each unit and group."""
        parts = {part: column(name) for part, name in self._parts.items()}
        return _numbered([self._added_up(measure, parts) for measure in self._measures])

    def _added_up(self, measure: Measure, parts: Mapping[tuple[str, Snap | None], exp.Expr]) -> list[exp.Expr]:
        if measure.kind == "units":
            return [exp.Count(this=exp.Star())]
        if measure.kind == "rows":
            return [self._total(call("least", column(_COUNT), whole(min(self._most, _MOST_ROWS))), wide=False)]
        wide = self._is_wide(measure.snap)
        return [self._total(self._scaled(value, wide=wide), wide=wide) for value in self._plain(measure, parts)]

    def _plain(self, measure: Measure, parts: Mapping[tuple[str, Snap | None], exp.Expr]) -> list[exp.Expr]:
        """What the rows have in them, before any scaling."""
        name, snap = str(measure.column), measure.snap
        if snap is None:
            return [parts[name, None].copy()]
        total = parts[name, snap]
        if measure.kind == "total":
            return [total.copy()]
        count = self._sized(parts[name, None].copy(), wide=self._is_wide(snap))
        # sum(v - low) = sum(v) - low * count, and so for high - v: whole numbers are exact.
        below, above = (test(count.copy(), exp.Mul, whole(end)) for end in (snap.low, snap.high))
        return [test(total.copy(), exp.Sub, below), test(above, exp.Sub, total.copy())]

    def _scaled(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        if self._most >= _MOST_ROWS:
            return value
        # sum * m / n without the long product: (sum // n) * m + ((sum % n) * m) // n. Quotient and remainder have the sign of the sum,
        # so that both parts are cut towards zero, as the whole is.
        wide = wide or self._most > _NARROW
        value, count, most = self._sized(value, wide=wide), column(_COUNT), whole(self._most)
        whole_part = test(self._dialect.cut(value.copy(), count.copy()), exp.Mul, most.copy())
        rest = test(test(value.copy(), exp.Mod, count.copy()), exp.Mul, most.copy())
        scaled = test(whole_part, exp.Add, self._dialect.cut(rest, count.copy()))
        return when((test(count, exp.GT, most), scaled), otherwise=value)

    def _total(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        return cast(call("coalesce", exp.Sum(this=value), whole(0)), self._dialect.wide if wide else "BIGINT")

    def _sized(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        """As the wide type; narrow values have 64 bits already."""
        return cast(value, self._dialect.wide) if wide else value

    def _is_wide(self, snap: Snap | None) -> bool:
        if snap is None:
            return False
        return max(abs(snap.low), abs(snap.high), snap.high - snap.low) > _NARROW

    def _part(self, name: str, snap: Snap | None) -> exp.Expr:
        value = self._names[name]
        if snap is None:
            return exp.Count(this=value.copy())
        return self._total(snapped(value, self._columns[name], snap), wide=self._is_wide(snap))


def _numbered(each: Sequence[Sequence[exp.Expr]]) -> Named:
    return [(f"n{i}", value) for i, value in enumerate(value for values in each for value in values)]


def snapped(value: exp.Expr, known: Range, snap: Snap) -> exp.Expr:
    """A value in steps: clamped, divided, rounded half away from zero, clamped again. Whole numbers with step 1 stay whole."""
    low, high = whole(snap.low), whole(snap.high)
    if known.type == "integer" and snap.step == 1:
        return between(value.copy(), low, high)
    number = as_type(value.copy(), "real") if known.type == "integer" else value.copy()
    step, first, last = float(snap.step), float(snap.low * snap.step), float(snap.high * snap.step)
    clamped = between(number, real(first), real(last))
    steps = as_type(call("round", test(clamped, exp.Div, real(step))), "integer")
    # Division and rounding never turn an order round, and doubles divide here as they do there. So where the two ends of the first clamp
    # come out within the second, everything between them does.
    if snap.low <= half_away(first / step) and half_away(last / step) <= snap.high:
        return steps
    return between(steps, low, high)
