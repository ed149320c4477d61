"""Binding of expressions over the noisy answer: the SELECT list, HAVING and ORDER BY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from sqlglot import exp

from hedgerow.plan.scalar.expressions import ColumnRef, Expression, insert_casts
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.values import Range, Type, build_date
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.measures import MeasureCollector, build_result_read
from hedgerow.sql.binder.output_names import find_alias
from hedgerow.sql.binder.row_expressions import RowBinder, build_type_range
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant
from hedgerow.sql.rules.aggregates import is_aggregate

__all__ = ["ResultBinder"]

ResultClause = Literal["select", "having", "order"]
_MAX_LISTED_VALUES: Final = 200  # of which the least or the greatest is selected
_CLIPPED_EXAMPLE: Final = "contribution_bounds_per_group => (0, 100), clipped => TRUE"


class ResultBinder(RowBinder):
    """A binder over keys and noisy aggregates.

    It also binds columns of the table; ``bind_result`` refuses those that turn out not to be keys.
    """

    def __init__(
        self, scope: Scope, measuring: MeasureCollector, items: Sequence[exp.Expr]
    ) -> None:
        super().__init__(scope)
        self._measures = measuring
        self._outputs_by_alias: Mapping[str, exp.Expr] = {
            alias.casefold(): item.this
            for item in reversed(items)
            if (alias := find_alias(item)) is not None
        }
        self._aliases = [alias for item in items if (alias := find_alias(item)) is not None]
        self._bound_outputs: dict[int, TypedExpression] = {}
        self._keys: Sequence[Expression] = ()
        self._clause: ResultClause = "select"
        # expressions whose intervals are read: as they are bound, and over keys and aggregates
        self._computed: dict[Expression, Expression | None] = {}
        # of real keys that are grouped by steps, how they are shown
        self.real_keys: dict[Expression, Expression] = {}

    def bind_result(
        self, node: exp.Expr, keys: Sequence[TypedExpression], clause: ResultClause = "select"
    ) -> TypedExpression:
        """Bind an expression that reads only keys ("k0") and aggregates ("a0")."""
        self._keys = [*(key.expression for key in keys), *self.real_keys]
        self._clause = clause
        found = self.bind(node)
        names: dict[Expression, Expression] = {
            key.expression: ColumnRef(f"k{i}") for i, key in enumerate(keys)
        }
        names |= self.real_keys
        ranges = {f"k{i}": build_type_range(key.type) for i, key in enumerate(keys)}
        for name, type_ in self._measures.types.items():
            ranges |= {name + end: build_type_range(type_) for end in ("", ".low", ".high")}
        for place, (within, computed) in enumerate(self._computed.items()):
            if computed is None:
                whole = self.replace_keys(node, within, names, "COUNT")
                self._computed[within] = insert_casts(whole, ranges)
            ranges |= {f"i{place}{end}": build_type_range("real") for end in (".low", ".high")}
        expression = self.replace_keys(node, found.expression, names, "COUNT")
        return TypedExpression(insert_casts(expression, ranges), found.range, found.size)

    @property
    def computed(self) -> tuple[tuple[str, Expression], ...]:
        """The expressions over aggregates whose intervals are read, as "i0", "i1", …"""
        return tuple(
            (f"i{place}", expression)
            for place, expression in enumerate(self._computed.values())
            if expression is not None
        )

    def bind_column(self, node: exp.Column) -> TypedExpression:
        """Bind a key or an output alias.

        HAVING prefers the key, ORDER BY the alias, and the SELECT list has no aliases.
        """
        found = self.scope.find_column(node)
        output = (
            self._outputs_by_alias.get(node.name.casefold())
            if "table" not in node.args and self._clause != "select"
            else None
        )
        if output is not None and (
            self._clause == "order" or found is None or found.value.expression not in self._keys
        ):
            return self._bind_output(output)
        if (
            found is None
            and "table" not in node.args
            and node.name.casefold() in self._outputs_by_alias
        ):
            self.refuse(
                node,
                f"{node.name} is an alias, and the SELECT list cannot use its own aliases",
                "Write the expression again.",
            )
        column = self.check_selectable(node, self.scope.resolve_column(node, *self._aliases))
        return TypedExpression(ColumnRef(column.plan_column), build_type_range(column.range.type))

    def _bind_output(self, output: exp.Expr) -> TypedExpression:
        if id(output) not in self._bound_outputs:
            clause, self._clause = self._clause, "select"
            self._bound_outputs[id(output)] = self.bind(output)
            self._clause = clause
        return self._bound_outputs[id(output)]

    def bind_aggregate(self, asked: AggregateSyntax) -> TypedExpression:
        """Bind an aggregate; equal ones share one result."""
        if asked.function in ("MIN", "MAX"):
            listed = self._list_values(asked)
            if listed is not None:
                return self._bind_listed_extreme(asked, listed)
        if asked.function in ("MIN", "MAX", "QUANTILE"):
            argument = RowBinder(self.scope, "an aggregate").bind(asked.arguments[0])
            if argument.type == "timestamp":
                return self._bind_chosen_moment(asked, argument)
        call = self._measures.add(asked)
        return TypedExpression(build_result_read(call.name), build_type_range(call.type))

    def _bind_chosen_moment(
        self, asked: AggregateSyntax, argument: TypedExpression
    ) -> TypedExpression:
        """Bind MIN, MAX or a quantile of timestamps, by the whole seconds since the first one."""
        if not argument.range.is_bounded or argument.range.low is None:
            raise self.build_unbounded_error(asked.node, [argument])
        if asked.named_arguments.bracket is not None:
            self.refuse(
                asked.node,
                "A bracket needs numbers, but this is a timestamp",
                "Leave it out, or count: DATE_DIFF('second', TIMESTAMP '2026-01-01', t).",
            )
        start = build_date(int(argument.range.low), "timestamp")
        seconds = exp.DateDiff(
            this=asked.arguments[0].copy(),
            expression=exp.cast(exp.Literal.string(str(start)), "timestamp"),
            unit=exp.var("SECOND"),
        )
        call = self._measures.add(replace(asked, arguments=(seconds,)))
        found = TypedExpression(build_result_read(call.name), build_type_range(call.type))
        count = self.apply(asked.node, "*", found, build_constant(10**6, "integer"))
        return self.apply(asked.node, "add microseconds", build_constant(start, "timestamp"), count)

    def _list_values(self, asked: AggregateSyntax) -> list[Any] | None:
        """Return the declared values of the text or condition under MIN or MAX, in order."""
        argument = RowBinder(self.scope, "an aggregate").bind(asked.arguments[0])
        if argument.type not in ("text", "boolean"):
            return None
        values = (False, True) if argument.type == "boolean" else argument.range.values
        return sorted(values) if values and 2 <= len(values) <= _MAX_LISTED_VALUES else None

    def _bind_listed_extreme(
        self, asked: AggregateSyntax, listed: Sequence[Any]
    ) -> TypedExpression:
        """Bind MIN or MAX of listed values by their places in the list."""
        argument = asked.arguments[0]
        branches = [
            exp.If(
                this=exp.EQ(
                    this=argument.copy(),
                    expression=exp.Boolean(this=value)
                    if isinstance(value, bool)
                    else exp.Literal.string(value),
                ),
                true=exp.Literal.number(place),
            )
            for place, value in enumerate(listed)
        ]
        call = self._measures.add(replace(asked, arguments=(exp.Case(ifs=branches),)))
        place_read = TypedExpression(build_result_read(call.name), build_type_range(call.type))
        type_: Type = "boolean" if isinstance(listed[0], bool) else "text"
        parts = [
            part
            for place, value in enumerate(listed)
            for part in (
                self.apply(asked.node, "=", place_read, build_constant(place, "integer")),
                build_constant(value, type_),
            )
        ]
        return self.apply(asked.node, "case", *parts, build_constant(None, type_))

    def bind_interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> TypedExpression:
        """Bind an end of the interval of an aggregate, or the count of units that it clips."""
        inner = argument.unnest()
        if isinstance(inner, exp.Column) and "table" not in inner.args:
            inner = self._outputs_by_alias.get(inner.name.casefold(), inner).unnest()
        if not is_aggregate(inner) and (end == "clipped" or inner.find(exp.AggFunc) is None):
            self.refuse(
                node,
                "This function takes an aggregate",
                "Write DP_INTERVAL_LOW(n), where n is the alias of an aggregate.",
            )
        value = self.bind(inner)
        if not isinstance(value.expression, ColumnRef):
            return self._bind_computed_interval(node, value, end)
        if end == "clipped":
            count = self._measures.find_clipping_count(value.expression.column[1:])
            if count is None:
                self.refuse(
                    node,
                    "DP_CLIPPED needs a sum with bounds of its own and clipped => TRUE",
                    f"Write SUM(x, {_CLIPPED_EXAMPLE}).",
                )
            return TypedExpression(build_result_read(count), build_type_range("integer"))
        return TypedExpression(ColumnRef(f"{value.expression.column}.{end}"), value.range)

    def _bind_computed_interval(
        self, node: exp.Expr, value: TypedExpression, end: str
    ) -> TypedExpression:
        """Bind an end of the interval of an expression over aggregates."""
        if value.type not in ("integer", "real") or end == "clipped":
            self.refuse(node, "This expression has no interval", "Leave it out.")
        self._computed.setdefault(value.expression, None)
        place = list(self._computed).index(value.expression)
        read = build_result_read(f"i{place}.{end}")
        return TypedExpression(read, build_type_range("real"))

    def _compute_range(self, function: str, arguments: Sequence[TypedExpression]) -> Range:
        ranges = [
            build_type_range(argument.type, null=argument.range.values == ())
            for argument in arguments
        ]
        found = FUNCTIONS[function].infer_range(ranges)
        return build_type_range(found.type)
