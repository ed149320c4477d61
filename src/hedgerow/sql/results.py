"""Reads what is said about the answer: the SELECT list, HAVING and ORDER BY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from sqlglot import exp

from hedgerow.plan.expressions import Call, Expression, Read, typed
from hedgerow.plan.functions import FUNCTIONS
from hedgerow.plan.values import Range
from hedgerow.sql.asked import Asked
from hedgerow.sql.measuring import Measuring, result
from hedgerow.sql.names import alias_of
from hedgerow.sql.readers import RowReader, type_only
from hedgerow.sql.rules.aggregates import is_aggregate
from hedgerow.sql.scope import Scope
from hedgerow.sql.typed import Typed

__all__ = ["ResultReader"]

Clause = Literal["select", "having", "order"]
_COUNTED: Final = "contribution_bounds_per_group => (0, 100), clipped => TRUE"


class ResultReader(RowReader):
    """Over keys and noisy aggregates. Columns of the table are read as well, and must turn out to be keys when all is settled."""

    def __init__(self, scope: Scope, measuring: Measuring, items: Sequence[exp.Expr]) -> None:
        super().__init__(scope)
        self._measuring = measuring
        self._items: Mapping[str, exp.Expr] = {
            alias.casefold(): item.this for item in reversed(items) if (alias := alias_of(item)) is not None
        }
        self._aliases = [alias for item in items if (alias := alias_of(item)) is not None]
        self._read: dict[int, Typed] = {}
        self._keys: Sequence[Expression] = ()
        self._clause: Clause = "select"

    def settle(self, node: exp.Expr, keys: Sequence[Typed], clause: Clause = "select") -> Typed:
        """An expression in which nothing is read but keys ("k0") and aggregates ("a0"), and whose values are of its type."""
        self._keys, self._clause = [key.expression for key in keys], clause
        found = self.read(node)
        known = {f"k{place}": type_only(key.type) for place, key in enumerate(keys)}
        for name, type_ in self._measuring.types.items():
            known |= {name + end: type_only(type_) for end in ("", ".low", ".high")}
        return Typed(typed(self._settled(node, found.expression), known), found.range, found.size)

    def column(self, node: exp.Column) -> Typed:
        """In HAVING a key comes before an output of that name, in ORDER BY after it; the SELECT list knows no outputs."""
        found = self.scope.find(node)
        output = self._items.get(node.name.casefold()) if "table" not in node.args and self._clause != "select" else None
        if output is not None and (self._clause == "order" or found is None or found.value.expression not in self._keys):
            return self._output(output)
        if found is None and "table" not in node.args and node.name.casefold() in self._items:
            self.refuse(node, f"{node.name} is an output, and outputs do not see each other", "Write the expression out again.")
        column = self.shown(node, self.scope.column(node, *self._aliases))
        return Typed(Read(column.column), type_only(column.range.type))

    def _output(self, output: exp.Expr) -> Typed:
        """An output by its alias: read once, and not explained by other outputs."""
        if id(output) not in self._read:
            clause, self._clause = self._clause, "select"
            self._read[id(output)] = self.read(output)
            self._clause = clause
        return self._read[id(output)]

    def aggregate(self, asked: Asked) -> Typed:
        """An aggregate, asked once however often it is written."""
        call = self._measuring.add(asked)
        return Typed(result(call.name), type_only(call.type))

    def interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> Typed:
        """An end of the interval of an aggregate, by its alias or written out; or how many units were outside its bounds."""
        inner = argument.unnest()
        if isinstance(inner, exp.Column) and "table" not in inner.args:
            inner = self._items.get(inner.name.casefold(), inner).unnest()
        if not is_aggregate(inner):
            self.refuse(node, "Intervals are those of aggregates", "Write DP_INTERVAL_LOW(n), where n is the alias of an aggregate.")
        value = self.read(inner)
        assert isinstance(value.expression, Read)
        if end == "clipped":
            count = self._measuring.clipped(value.expression.column[1:])
            if count is None:
                self.refuse(node, "Who is outside the bounds of this was not counted", f"Write SUM(x, {_COUNTED}).")
            return Typed(result(count), type_only("integer"))
        return Typed(Read(f"{value.expression.column}.{end}"), value.range)

    def _result(self, function: str, arguments: Sequence[Typed]) -> Range:
        ranges = [type_only(argument.type, null=argument.range.values == ()) for argument in arguments]
        found = FUNCTIONS[function].result(ranges)
        return type_only(found.type)

    def _settled(self, node: exp.Expr, expression: Expression) -> Expression:
        for place, key in enumerate(self._keys):
            if expression == key:
                return Read(f"k{place}")
        if isinstance(expression, Call):
            return Call(expression.function, tuple(self._settled(node, argument) for argument in expression.arguments))
        if isinstance(expression, Read):
            if not expression.column.startswith("\0"):
                self._not_a_key(node, expression.column)
            return Read(expression.column[1:])
        return expression

    def _not_a_key(self, node: exp.Expr, column: str) -> None:
        visible = self.scope.by_column(column)
        name = column if visible is None else visible.name
        where = next((part for part in node.find_all(exp.Column) if part.name.casefold() == name.casefold()), node)
        instead = f"Add it to GROUP BY, or write an aggregate of it, such as COUNT({name})."
        self.refuse(where, f"{name} is shown as it is, row by row", instead)
