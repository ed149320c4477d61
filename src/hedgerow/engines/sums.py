"""What is added up: first for each (unit, group), then over the units.

A unit with n rows in a group, where m count, puts in trunc(F * sum * m / n) when n > m, and F * sum otherwise, F being the ``fine`` of
the measure. Sums of 64 bits stay so wherever public bounds allow it; nothing overflows whatever the data are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.snapping import as_read, snapped
from hedgerow.engines.terms import between, call, cast, column, test, when, whole
from hedgerow.plan.contributions import MOST_ROWS, count_units
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Rows

__all__ = ["Sums"]

# No table has 2^36 rows. So sums of values up to 2^26 stay within 62 bits; others are taken in the wide type.
_NARROW: Final = 2**26
_ROOM: Final = 2**62
_COUNT: Final = "n"
_FAR: Final = 2**126

Named = list[tuple[str, exp.Expr]]


class Sums:
    """The sums behind the measures of a plan, each computed once however many measures need it."""

    def __init__(
        self,
        measures: Sequence[Measure],
        max_rows: int,
        names: Mapping[str, exp.Expr],
        source: Rows,
        dialect: Dialect,
    ) -> None:
        self._measures, self._most, self._names, self._source, self._dialect = measures, max_rows, names, source, dialect
        self._units = count_units(source)
        self._parts: dict[Part, str] = {}
        for measure in measures:
            for part in _parts_of(measure):
                self._parts.setdefault(part, f"a{len(self._parts)}")

    @property
    def wide(self) -> tuple[bool, ...]:
        """For each number whether it may exceed 64 bits: a matter of the plan, not of the data."""
        return tuple(self._is_wide(measure) for measure in self._measures for _ in range(measure.width))

    def _is_wide(self, measure: Measure) -> bool:
        """Return whether the sum of a group over all units takes the wide type, if there are no more units than declared."""
        rows = min(self._units * self._most, MOST_ROWS)  # that count
        return _is_wide(measure) or rows * measure.fine * _most_of(measure) > _ROOM

    def parts(self) -> Named:
        """Of the rows of one unit in one group: how many they are, how many values they have, the sums of their steps."""
        return [(_COUNT, exp.Count(this=exp.Star())), *((name, self._part(part)) for part, name in self._parts.items())]

    def of_rows(self) -> Named:
        """The numbers of the measures where every row is a unit of its own."""
        parts = {part: self._part(part) for part in self._parts}
        rows = exp.Count(this=exp.Star())
        each = [[rows.copy()] if measure.column is None else self._of_row(measure, parts, rows) for measure in self._measures]
        return _numbered(each)

    def of_pairs(self) -> Named:
        """The numbers of the measures from the lines that ``parts`` makes, one for each unit and group."""
        parts: dict[Part, exp.Expr] = {part: column(name) for part, name in self._parts.items()}
        return _numbered([self._added_up(measure, parts) for measure in self._measures])

    def of_others(self, most: int) -> Named:
        """The numbers of the measures from lines that ``of_pairs`` makes, one for each of the others and group: each is moved between what
        so many rows put in."""
        widths = [(measure, measure.ends(most)) for measure in self._measures for _ in range(measure.width)]
        return _numbered([[self._kept(column(f"n{i}"), measure, ends)] for i, (measure, ends) in enumerate(widths)])

    def _kept(self, number: exp.Expr, measure: Measure, ends: tuple[int, int]) -> exp.Expr:
        # No sum comes near these: none is beyond 2^62, or of wide ones 2^126.
        wide = self._is_wide(measure)
        far = _FAR if wide else _ROOM
        low, high = (self._end(min(max(end, -far), far), wide=wide) for end in ends)
        return self._grand_total(between(number, low, high), measure)

    def _end(self, end: int, *, wide: bool) -> exp.Expr:
        if not wide:
            return whole(end)
        literal = exp.Literal.string(str(end))
        return cast(literal, self._dialect.wide)

    def _of_row(self, measure: Measure, parts: Parts, rows: exp.Expr) -> list[exp.Expr]:
        if measure.limits is None or measure.snap is None:
            return self._plain(measure, parts, rows)
        steps = snapped(self._names[str(measure.column)], as_read(self._source, str(measure.column)), measure.snap)
        low, high = map(whole, measure.limits)
        return [self._total(between(steps, low, high), wide=_is_wide(measure))]

    def _added_up(self, measure: Measure, parts: Parts) -> list[exp.Expr]:
        if measure.kind == "units":
            return [exp.Count(this=exp.Star())]
        if measure.kind == "rows":
            return [self._total(call("least", column(_COUNT), whole(min(self._most, MOST_ROWS))), wide=False)]
        wide = _is_wide(measure)
        if measure.limits is not None:
            return [self._total(self._limited(measure, parts), wide=wide)]
        return [self._grand_total(self._scaled(value, measure), measure) for value in self._plain(measure, parts, column(_COUNT))]

    def _limited(self, measure: Measure, parts: Parts) -> exp.Expr:
        """The whole sum of a unit, moved into its limits; 0 where it has no values."""
        name, limits = str(measure.column), measure.limits or (0, 0)
        total = cast(parts[name, measure.snap].copy(), self._dialect.wide)
        none = (test(parts[name, None].copy(), exp.EQ, whole(0)), cast(whole(0), self._dialect.wide))
        low, high = (cast(whole(end), self._dialect.wide) for end in limits)
        return between(total, low, high, none)

    def _plain(self, measure: Measure, parts: Parts, rows: exp.Expr) -> list[exp.Expr]:
        """What the rows, of which there are so many, have in them, before any scaling."""
        if not measure.rest:
            return self._values(measure, parts)
        missing = self._sized(test(rows.copy(), exp.Sub, parts[str(measure.column), None].copy()), wide=_is_wide(measure))
        return [*self._values(measure, parts), test(missing, exp.Mul, whole(measure.most))]

    def _values(self, measure: Measure, parts: Parts) -> list[exp.Expr]:
        """What those with a value have in them."""
        name, snap = str(measure.column), measure.snap
        if snap is None:
            return [parts[name, None].copy()]
        if measure.degree == 2 or measure.second is not None:
            return [parts[measure, place].copy() for place in range(measure.width - measure.rest)]
        total = parts[name, snap]
        if measure.kind == "total":
            return [total.copy()]
        count = self._sized(parts[name, None].copy(), wide=_is_wide(measure))
        # sum(v - low) = sum(v) - low * count, and so for high - v: whole numbers are exact.
        below, above = (test(count.copy(), exp.Mul, whole(end)) for end in (snap.low, snap.high))
        return [test(total.copy(), exp.Sub, below), test(above, exp.Sub, total.copy())]

    def _scaled(self, value: exp.Expr, measure: Measure) -> exp.Expr:
        """The sum of a unit in parts of 1/F step: all of it, or where it has n rows and m < n count, F * sum * m / n cut to whole parts."""
        times, wide = measure.fine * self._most, _is_wide(measure)
        wide = wide or times * _most_of(measure) > _ROOM
        value, count = self._sized(value, wide=wide), column(_COUNT)
        parts = value if measure.fine == 1 else test(value.copy(), exp.Mul, self._end(measure.fine, wide=wide))
        if self._most >= MOST_ROWS:
            return parts
        branches = [(test(count.copy(), exp.LTE, whole(self._most)), parts)]
        if not wide and times > _NARROW:  # 64 bits hold the remainder times that of all but units with absurdly many rows
            few = test(count.copy(), exp.LTE, whole(_ROOM // times))
            branches.append((few, self._quotient(value, count, times, wide=False)))
            return when(*branches, otherwise=cast(self._quotient(value, count, times, wide=True), "BIGINT"))
        return when(*branches, otherwise=self._quotient(value, count, times, wide=wide))

    def _quotient(self, value: exp.Expr, count: exp.Expr, times: int, *, wide: bool) -> exp.Expr:
        """sum * times / n without the long product: (sum // n) * times + ((sum % n) * times) // n. Quotient and remainder have the sign of
        the sum, so that both parts are cut towards zero, as the whole is."""
        most, narrow = self._end(times, wide=wide and times > _NARROW), wide and times <= _NARROW
        value = self._sized(value.copy(), wide=wide)
        whole_part = test(self._dialect.cut(value.copy(), count.copy()), exp.Mul, most.copy())
        left = test(value, exp.Mod, count.copy())  # less than the rows there are, so 64 bits hold it and some times as much
        rest = test(cast(left, "BIGINT") if narrow else left, exp.Mul, most.copy())
        return test(whole_part, exp.Add, self._dialect.cut(rest, count.copy()))

    def _grand_total(self, value: exp.Expr, measure: Measure) -> exp.Expr:
        """The sum over all units.

        Where 64 bits hold it only if there are no more units than declared, it is clamped to them, which moves it no farther than before:
        more units than declared make an answer wrong, and never an error."""
        if self._is_wide(measure) or measure.fine * _most_of(measure) <= _NARROW:
            return self._total(value, wide=self._is_wide(measure))
        total = call("coalesce", exp.Sum(this=value), whole(0))
        low, high = (self._end(end, wide=True) for end in (-_ROOM, _ROOM))
        return cast(call("greatest", call("least", cast(total, self._dialect.wide), high), low), "BIGINT")

    def _total(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        return cast(call("coalesce", exp.Sum(this=value), whole(0)), self._dialect.wide if wide else "BIGINT")

    def _sized(self, value: exp.Expr, *, wide: bool) -> exp.Expr:
        """As the wide type; narrow values have 64 bits already."""
        return cast(value, self._dialect.wide) if wide else value

    def _part(self, part: Part) -> exp.Expr:
        first, second = part
        if isinstance(first, Measure):
            assert isinstance(second, int)
            return self._total(self._product(first, second), wide=_is_wide(first))
        value = self._names[first]
        if not isinstance(second, Snap):
            return exp.Count(this=value.copy())
        return self._total(snapped(value, as_read(self._source, first), second), wide=_far(second) > _NARROW)

    def _product(self, measure: Measure, place: int) -> exp.Expr:
        """The polynomial of a number of moments, or the product of two of them; NULL where a value is."""
        assert measure.snap is not None
        if measure.second is None:
            return self._polynomial(str(measure.column), measure.snap, measure.degree, place)
        one, other = divmod(place, measure.degree + 1)
        first = self._polynomial(str(measure.column), measure.snap, measure.degree, one)
        return test(first, exp.Mul, self._polynomial(*measure.second, measure.degree, other))

    def _polynomial(self, name: str, snap: Snap, degree: int, place: int) -> exp.Expr:
        """C(d, k) y^k (w - y)^(d - k), k = d - place."""
        steps = snapped(self._names[name], as_read(self._source, name), snap)
        above, below = test(steps, exp.Sub, whole(snap.low)), test(whole(snap.high), exp.Sub, steps.copy())
        factors = [above] * (degree - place) + [below] * place
        found: exp.Expr = whole(math.comb(degree, place))
        for factor in factors:
            found = test(found, exp.Mul, factor.copy())
        return found


Part = tuple[str, Snap | None] | tuple[Measure, int]
Parts = Mapping[Part, exp.Expr]


def _parts_of(measure: Measure) -> list[Part]:
    """What has to be summed for a measure."""
    name = measure.column
    if name is None:
        return []
    if measure.degree == 2 or measure.second is not None:
        products: list[Part] = [(measure, place) for place in range(measure.width - measure.rest)]
        return [*products, (name, None)] if measure.rest else products
    counted: list[Part] = [(name, None)] if measure.kind != "total" or measure.limits is not None else []
    return counted if measure.snap is None else [*counted, (name, measure.snap)]


def _is_wide(measure: Measure) -> bool:
    """Return whether the sum of one unit takes the wide type, before it is scaled."""
    return _most_of(measure) > _NARROW


def _most_of(measure: Measure) -> int:
    """The most that one row puts into a number, or with limits one unit."""
    if measure.snap is None:
        return 1
    return max(_far(measure.snap), measure.most, *(abs(end) for end in measure.limits or (0,)))


def _far(snap: Snap) -> int:
    return max(abs(snap.low), abs(snap.high), snap.high - snap.low)


def _numbered(each: Sequence[Sequence[exp.Expr]]) -> Named:
    return [(f"n{i}", value) for i, value in enumerate(value for values in each for value in values)]
