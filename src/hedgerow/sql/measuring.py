"""The aggregates of a question as measures of its plan. Equal ones are asked once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, Literal, cast

from sqlglot import exp

from hedgerow.errors import InvalidArgument, Unbounded
from hedgerow.plan.expressions import Expression, Read
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Kind, Measure, Snap
from hedgerow.plan.values import Range, Type, default_step
from hedgerow.sql.question import AggregateCall
from hedgerow.sql.readers import RowReader
from hedgerow.sql.rules.aggregates import DISTINCT
from hedgerow.sql.scope import Scope
from hedgerow.sql.typed import Typed

__all__ = ["Measuring", "snap"]

MAX_AGGREGATES: Final = 100
_STEPS: Final = 2**24


def snap(range_: Range) -> Snap | None:
    """The grid and the clamp of values in a range with bounds: whole numbers by 1, reals by their step. A multiple of that where there
    would be more than 2^24 steps: noise hides the whole width of a row, and what is lost by rounding is a millionth of it. None where no
    double reaches the bounds."""
    if range_.low is None or range_.high is None:
        return None
    low, high = range_.low, range_.high
    step = Fraction(1) if range_.type == "integer" else range_.step or _usual_step(low, high)
    many = max(abs(low), abs(high), high - low) / step / _STEPS
    if many > 1:
        step *= 2 ** (math.ceil(many) - 1).bit_length()
    try:
        return Snap(step, half_away(low / step), half_away(high / step))
    except InvalidArgument:
        return None


def _usual_step(low: Fraction, high: Fraction) -> Fraction:
    return default_step(low, high) if low < high else abs(low) or Fraction(1)


class Measuring:
    """Collects aggregates while a question is read. Arguments become the columns "v0", "v1", … of the plan; ``work`` is theirs in all."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._reader = RowReader(scope, "an aggregate")
        self._columns: dict[Expression, str] = {}
        self.work = 0
        self._calls: dict[tuple[str, Measure], AggregateCall] = {}

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The aggregates, each once."""
        return tuple(self._calls.values())

    @property
    def columns(self) -> tuple[tuple[str, Expression], ...]:
        """Name and expression of each argument."""
        return tuple((name, expression) for expression, name in self._columns.items())

    def add(self, node: exp.Expr, function: str) -> AggregateCall:
        """The aggregate of this node, which may be there already."""
        measure, type_ = self._count(node) if function == "COUNT" else self._sum(node, function)
        if (function, measure) not in self._calls:
            if len(self._calls) == MAX_AGGREGATES:
                self._reader.refuse(node, f"This has more than {MAX_AGGREGATES} aggregates", "Ask several shorter questions.")
            name, word = f"a{len(self._calls)}", cast(Literal["COUNT", "SUM", "AVG"], function)
            self._calls[function, measure] = AggregateCall(name, word, measure, type_, self._scope.text.cut(node))
        return self._calls[function, measure]

    def _count(self, node: exp.Expr) -> tuple[Measure, Type]:
        if isinstance(node.this, exp.Star):
            return Measure("rows"), "integer"
        value = self._argument(node)
        if value.range.values == ():
            self._reader.refuse(node, "This is always NULL, and NULL is never counted", "Write COUNT(*), or COUNT(x).")
        if not value.range.nullable:
            return Measure("rows"), "integer"
        return Measure("values", self._column(value)), "integer"

    def _sum(self, node: exp.Expr, function: str) -> tuple[Measure, Type]:
        value = self._argument(node)
        if value.type == "boolean":
            self._reader.refuse(node, f"{function} adds numbers, and this is a condition", "Write CASE WHEN … THEN 1 ELSE 0 END.")
        if value.range.values == ():
            self._reader.refuse(node, "This is always NULL, and NULL is never added", "Leave it out.")
        if value.type not in ("integer", "real"):
            self._reader.refuse(node, f"{function} adds numbers, and this is {value.type}", "Use COUNT(x), or a column that is a number.")
        if not value.range.bounded:
            raise self._reader.unbounded(node, "so one person could move this arbitrarily far", [value])
        grid = snap(value.range)
        if grid is None:
            what, instead = "The bounds of this are too wide to add it up exactly", "Declare narrower bounds in the policy: within ±2^53."
            raise self._scope.text.refusal(Unbounded, what, node, instead)
        if function == "SUM" and grid.low == grid.high == 0:
            self._reader.refuse(node, "Nobody can move this sum: its values can only be 0", "Leave it out.")
        if function == "AVG" and grid.low == grid.high:
            self._reader.refuse(node, "The mean of a constant is that constant", "Leave it out.")
        type_: Type = "real" if function == "AVG" else value.type
        kind: Kind = "mean" if function == "AVG" else "total"
        return Measure(kind, self._column(value), grid), type_

    def _argument(self, node: exp.Expr) -> Typed:
        if isinstance(node.this, exp.Distinct):
            self._reader.refuse(node, *DISTINCT)
        if node.this is None:
            self._reader.refuse(node, "An aggregate needs something to work on", "Write COUNT(*), SUM(x) or AVG(x).")
        return self._reader.read(node.this)

    def _column(self, value: Typed) -> str:
        if value.expression not in self._columns:
            self._columns[value.expression] = f"v{len(self._columns)}"
            self.work += value.work
        return self._columns[value.expression]


def result(name: str) -> Read:
    """How expressions call a result before it is settled. No column of a table can have this name."""
    return Read("\0" + name)
