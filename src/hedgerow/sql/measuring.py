"""The aggregates of a question as measures of its plan. Equal ones are asked once, and those of one column share what they can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from hedgerow.errors import Unbounded
from hedgerow.plan.expressions import Expression, Read, range_of, reads
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.picks import Pick
from hedgerow.plan.values import Range, Type
from hedgerow.sql.arguments import argument, unit_of
from hedgerow.sql.asked import Asked
from hedgerow.sql.named import Arguments
from hedgerow.sql.narrowing import written_out
from hedgerow.sql.picking import read_pick
from hedgerow.sql.question import AggregateCall, Bracket, Clip
from hedgerow.sql.quoting import quoted
from hedgerow.sql.readers import RowReader, as_numbers
from hedgerow.sql.scope import Scope
from hedgerow.sql.sharing import shared
from hedgerow.sql.snapping import snap
from hedgerow.sql.typed import Typed, aligned, as_number, constant

__all__ = ["Measuring", "result"]

MAX_AGGREGATES: Final = 100
_MOST: Final = 2**62
_FAR: Final = Fraction(2**400)  # the size of a step: so that squares of values, and of their noise, are doubles
# How many steps wide the values may be whose moments are taken: their products have to stay whole numbers that engines can add.
_WIDE: Final = {"AVG": None, "VAR_POP": 2**13, "VAR_SAMP": 2**13, "STDDEV_POP": 2**13, "STDDEV_SAMP": 2**13}
# The numbers of a correlation have both widths squared, and noise must be drawable beside them.
_PAIR: Final = {"COVAR_POP": 2**12, "COVAR_SAMP": 2**12, "CORR": 2**7}


@dataclass(frozen=True, slots=True)
class _Measured:
    """A measure on its own, before it is shared, and the type of what is made of it."""

    measure: Measure | Pick
    type: Type


class Measuring:
    """Collects aggregates while a question is read. Arguments become the columns "v0", "v1", … of the plan; ``work`` is theirs in all."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._reader = RowReader(scope, "an aggregate")
        self._columns: dict[Expression, str] = {}
        self.work = 0
        self._calls: dict[tuple[object, ...], AggregateCall] = {}

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The aggregates, each once, with the measures that they share."""
        return shared(tuple(self._calls.values()))

    @property
    def types(self) -> Mapping[str, Type]:
        """Name and type of each aggregate."""
        return {call.name: call.type for call in self._calls.values()}

    @property
    def columns(self) -> tuple[tuple[str, Expression], ...]:
        """Name and expression of each argument."""
        return tuple((name, expression) for expression, name in self._columns.items())

    def add(self, asked: Asked) -> AggregateCall:
        """The aggregate, which may be there already."""
        self._check(asked)
        found = self._measured(asked)
        named = asked.named
        key = (asked.function, found.measure, asked.at, named.clipped, named.outer, named.bracket)
        if key not in self._calls:
            self._calls[key] = AggregateCall(self._name(asked), asked.function, found.measure, found.type, self._text(asked), asked.at)
            if named.clipped:
                self._calls[key] = replace(self._calls[key], clip=self._clip(asked, found.measure))
            if named.bracket is not None:
                self._calls[key] = replace(self._calls[key], bracket=self._bracket(asked, named.bracket))
        return self._calls[key]

    def clipped(self, name: str) -> str | None:
        """The aggregate that counts the units outside the bounds of this one."""
        return next((call.clip.count for call in self._calls.values() if call.name == name and call.clip is not None), None)

    def _bracket(self, asked: Asked, wide: Fraction) -> Bracket:
        """With a count of the values that it is chosen from: of each unit as many as count."""
        value = self._one(asked, argument(self._reader, asked))
        measure = Measure("total", self._column(value), _ONES, (0, self._scope.max_rows))
        key = ("bracket", measure)
        if key not in self._calls:
            self._calls[key] = AggregateCall(self._name(asked), "COUNT", measure, "integer", f"the count of values in {self._text(asked)}")
        assert asked.at is not None
        return Bracket(self._calls[key].name, asked.at - wide, asked.at + wide)

    def _name(self, asked: Asked) -> str:
        if len(self._calls) == MAX_AGGREGATES:
            self._reader.refuse(asked.node, f"This has more than {MAX_AGGREGATES} aggregates", "Ask several shorter questions.")
        return f"a{len(self._calls)}"

    def _text(self, asked: Asked) -> str:
        return self._scope.text.cut(asked.node, _SHORT)

    def _clip(self, asked: Asked, measure: Measure | Pick) -> Clip:
        """With a count of the units outside, which has the measure of the sum until ``clipping`` gives it its own."""
        assert isinstance(measure, Measure)
        assert measure.limits is not None
        assert measure.snap is not None
        low, high = (limit * measure.snap.step for limit in measure.limits)
        outer = asked.named.outer
        if outer is not None and not (outer[0] <= low and high <= outer[1]):
            what = "outer_bounds_per_group lie around contribution_bounds_per_group"
            self._reader.refuse(
                asked.node, what, f"Write outer_bounds_per_group => ({float(low):g}, {float(10 * high):g}), or leave it out."
            )
        key = ("DP_CLIPPED", measure)
        if key not in self._calls:
            self._calls[key] = AggregateCall(self._name(asked), "COUNT", measure, "integer", f"DP_CLIPPED({self._text(asked)})")
        return Clip(self._calls[key].name, (low, high), outer)

    def _check(self, asked: Asked) -> None:
        """Options that contradict each other, or have no meaning here."""
        if asked.distinct and asked.function not in ("COUNT", "MIN", "MAX"):
            self._reader.refuse(asked.node, "DISTINCT stands inside COUNT only", "Write COUNT(DISTINCT x).")
        picks = asked.function in ("QUANTILE", "MIN", "MAX", "MODE")
        if not picks and (asked.named.method is not None or asked.named.bound is not None):
            what = f"{asked.name} has no choice of method"
            self._reader.refuse(asked.node, what, "Leave method and bound out: they are for MEDIAN, QUANTILE, MIN, MAX and MODE.")
        if asked.named.bracket is not None and asked.function != "QUANTILE":
            what = f"{asked.name} has no bracket"
            self._reader.refuse(asked.node, what, "Leave it out: it is for MEDIAN, QUANTILE and PERCENTILE_CONT.")
        limits = asked.named.limits
        if asked.named.clipped and limits is None:
            what = "clipped => TRUE counts who is outside of contribution_bounds_per_group, and there are none"
            self._reader.refuse(asked.node, what, "Add contribution_bounds_per_group => (0, 100), or leave clipped out.")
        if asked.named.outer is not None and not asked.named.clipped:
            what = "outer_bounds_per_group says how far out those can be whom clipped => TRUE counts"
            self._reader.refuse(asked.node, what, "Add clipped => TRUE, or leave it out.")
        if limits is None:
            return
        if asked.function not in ("SUM", "COUNT") or asked.distinct:
            self._reader.refuse(asked.node, "contribution_bounds_per_group goes with SUM and COUNT", "Leave it out.")
        if limits[0] > limits[1]:
            what = "The lower one of contribution_bounds_per_group comes first"
            self._reader.refuse(asked.node, what, "Write contribution_bounds_per_group => (0, 100).")
        if limits[0] == limits[1] == 0:
            self._reader.refuse(asked.node, "Nobody can move this sum: its values can only be 0", "Leave it out.")

    def _measured(self, asked: Asked) -> _Measured:
        if asked.function == "COUNT":
            return _Measured(self._count(asked), "integer")
        if asked.function in ("QUANTILE", "MIN", "MAX", "MODE"):
            value = argument(self._reader, asked)
            return _Measured(read_pick(self._reader, asked, value, self._column(value)), value.type)
        if asked.function in ("COVAR_POP", "COVAR_SAMP", "CORR"):
            return _Measured(self._pair(asked), "real")
        value = argument(self._reader, asked)
        if asked.function == "SUM":
            return _Measured(self._sum(asked, value), value.type)
        grid = self._grid(asked, value, _WIDE[asked.function])
        degree = 1 if asked.function == "AVG" else 2
        return _Measured(Measure("moments", self._column(value), grid, degree=degree), "real")

    def _count(self, asked: Asked) -> Measure:
        if unit_of(self._reader, asked) is not None:
            return self._people(asked)
        value = argument(self._reader, asked)
        if value.range.values == ():
            self._reader.refuse(asked.node, "This is always NULL, and NULL is never counted", "Write COUNT(*), or COUNT(x).")
        if asked.distinct:
            return Measure("distinct", self._column(value))
        if asked.named.limits is not None:
            return self._limited(asked, self._one(asked, value), Snap(Fraction(1), 1, 1))
        return Measure("rows") if not value.range.nullable else Measure("values", self._column(value))

    def _people(self, asked: Asked) -> Measure:
        """COUNT of the id: of its rows; with DISTINCT of the people, each of whom is a sum of ones, moved down to 1."""
        without = replace(asked, arguments=(), distinct=False)
        if not asked.distinct:
            return self._count(without)
        if not asked.conditions:
            return Measure("units")
        return self._limited(replace(without, named=Arguments(limits=(Fraction(0), Fraction(1)))), argument(self._reader, without), _ONES)

    def _one(self, asked: Asked, value: Typed) -> Typed:
        """1 where there is a value."""
        if not value.range.nullable:
            return constant(1, "integer")
        missing = self._reader.call(asked.node, "is null", value)
        return self._reader.call(asked.node, "case", missing, *aligned([constant(None, "integer"), constant(1, "integer")], "integer"))

    def _sum(self, asked: Asked, value: Typed) -> Measure:
        limits = asked.named.limits
        if limits is not None and value.type in ("integer", "real") and not value.range.bounded:
            low, high = min(limits[0], Fraction(0)), max(limits[1], Fraction(0))
            within = Range(value.type, *(map(Fraction, map(half_away, (low, high))) if value.type == "integer" else (low, high)))
            value = Typed(value.expression, replace(within, step=value.range.step), value.size, value.work)
        grid = self._grid(asked, value, None, constant_too=True)
        if limits is not None:
            return self._limited(asked, value, grid)
        if grid.low == grid.high == 0:
            self._reader.refuse(asked.node, "Nobody can move this sum: its values can only be 0", "Leave it out.")
        return Measure("total", self._column(value), grid)

    def _limited(self, asked: Asked, value: Typed, grid: Snap) -> Measure:
        assert asked.named.limits is not None
        low, high = (half_away(limit / grid.step) for limit in asked.named.limits)
        if (low, high) == (0, 0) or max(abs(low), abs(high)) > _MOST:
            what = "contribution_bounds_per_group is too narrow or too wide for the steps of this column"
            least, most = (f"{float(many * grid.step):.1g}" for many in (1, _MOST))
            self._reader.refuse(asked.node, what, f"Choose bounds from {least} to {most} in size.")
        return Measure("total", self._column(value), grid, (low, high))

    def _pair(self, asked: Asked) -> Measure:
        first, second = argument(self._reader, asked), self._reader.read(asked.arguments[1])
        grids = [self._grid(asked, value, _PAIR[asked.function]) for value in (first, second)]
        degree = 2 if asked.function == "CORR" else 1
        return Measure("moments", self._column(first), grids[0], degree=degree, second=(self._column(second), grids[1]))

    def _grid(self, asked: Asked, value: Typed, wide: int | None, *, constant_too: bool = False) -> Snap:
        """The steps of numbers with bounds; what is no number, or has none, is refused."""
        reader, node, name = self._reader, asked.node, asked.name
        if value.type == "boolean":
            written = self._scope.text.cut(asked.arguments[0]) if asked.arguments else "x"
            instead = f"Write COUNT_IF({written})." if name == "SUM" else f"Write {name}({as_number(written)})."
            reader.refuse(node, f"{name} adds numbers, and this is a condition", instead)
        if value.range.values == ():
            reader.refuse(node, "This is always NULL, and NULL is never added", "Leave it out.")
        if value.type not in ("integer", "real"):
            line = as_numbers(self._scope, [value], "real", ", min = …, max = …")
            instead = "Use COUNT(x), or a column that is a number." if line is None else f"{line}; else use COUNT(x)."
            reader.refuse(node, f"{name} adds numbers, and this is {value.type}", instead)
        if not value.range.bounded:
            raise reader.unbounded(node, "so one person could move this arbitrarily far", [value])
        if asked.named.limits is None:
            self._check_dates(asked, value)
        grid = snap(value.range, wide)
        if grid is None:
            what, instead = "The bounds of this are too wide to add it up exactly", "Declare narrower bounds in the policy: within ±2^53."
            raise self._scope.text.refusal(Unbounded, what, node, instead)
        if asked.function.startswith(("VAR", "STDDEV", "COVAR")) and not 1 / _FAR <= grid.step <= _FAR:
            size = "large" if grid.step > 1 else "small"
            what = f"The values of this are so {size} that their squares are no numbers any more"
            reader.refuse(node, what, f"Multiply them by something that makes them {'smaller' if size == 'large' else 'larger'} first.")
        if grid.low == grid.high and not constant_too:
            what = "The mean of a constant is that constant" if name == "AVG" else f"{name} of a constant is known beforehand"
            reader.refuse(node, what, "Leave it out.")
        return grid

    def _check_dates(self, asked: Asked, value: Typed) -> None:
        """Bounds that come from nothing but the calendar, which has 9999 years, are none."""
        rows, expression = written_out(self._scope.rows, value.expression)
        known = rows.columns
        dates = [name for name in dict.fromkeys(reads(expression)) if known[name].type == "date" and not known[name].bounded]
        if not dates:
            return
        shorter = {**known, **{name: known[name].but(low=_SHORTER[0], high=_SHORTER[1]) for name in dates}}
        found = range_of(expression, shorter)
        if (found.low, found.high) == (value.range.low, value.range.high):
            return
        written = self._scope.text.cut(asked.arguments[0]) if asked.arguments else "x"
        names = " and ".join(map(quoted, dates))
        what = f"{names} {'has' if len(dates) == 1 else 'have'} no bounds, so one person could move this by thousands of years"
        instead = (
            f"Clamp it, to bounds of your choice: LEAST(GREATEST({written}, 0), 365); "
            'or declare the days in the policy: values = "2026-01-01 … 2026-12-31".'
        )
        raise self._scope.text.refusal(Unbounded, what, asked.node, instead)

    def _column(self, value: Typed) -> str:
        if value.expression not in self._columns:
            self._columns[value.expression] = f"v{len(self._columns)}"
            self.work += value.work
        return self._columns[value.expression]


_SHORTER: Final = (Fraction(date(1001, 1, 1).toordinal()), Fraction(date(9001, 1, 1).toordinal()))  # than the calendar
_SHORT: Final = 60  # characters of an aggregate in tables and notes
_ONES: Final = Snap(Fraction(1), 1, 1)


def result(name: str) -> Read:
    """How expressions call a result before it is settled. No column of a table can have this name."""
    return Read("\0" + name)
