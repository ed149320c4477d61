"""Arguments of aggregates as row expressions: NULL where FILTER does not hold."""

from __future__ import annotations

from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import ColumnReference
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    require_condition,
)

__all__ = ["bind_argument", "find_privacy_id"]


def bind_argument(binder: RowBinder, asked: AggregateSyntax, place: int = 0) -> TypedExpression:
    """Bind the argument at a position; COUNT(*) has the constant 1."""
    bind = binder.bind_presence if asked.function == "COUNT" else binder.bind
    value = bind(asked.arguments[place]) if asked.arguments else build_constant(1, "integer")
    conditions = align_types([binder.bind(condition) for condition in asked.conditions], "boolean")
    if not conditions:
        return value
    test = conditions[0] if len(conditions) == 1 else binder.apply(asked.node, "and", *conditions)
    test = require_condition(binder.text, "FILTER", asked.node, test)
    return binder.apply(
        asked.node, "case", test, *align_types([value, build_constant(None, "integer")])
    )


def find_privacy_id(binder: RowBinder, asked: AggregateSyntax) -> ColumnReference | None:
    """Return the privacy id if it is the only argument of the aggregate."""
    column = binder.scope.find_bare_column(asked.arguments[0]) if asked.arguments else None
    return column if len(asked.arguments) == 1 and column and column.is_privacy_id else None
