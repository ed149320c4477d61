"""Arguments of aggregates as row expressions: NULL where FILTER does not hold."""

from __future__ import annotations

from typing import Final

from hedgerow.plan.values import Range
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import UNIT_NAME, ColumnReference
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    require_condition,
)
from hedgerow.sql.catalog import PRIVACY_ID, UnitPart, has_whole_id

__all__ = ["bind_argument", "find_privacy_id"]

_COUNTED_OR_CHOSEN: Final = ("COUNT", "MIN", "MAX", "MODE", "QUANTILE")


def bind_argument(binder: RowBinder, asked: AggregateSyntax, place: int = 0) -> TypedExpression:
    """Bind the argument at a position; COUNT(*) has the constant 1."""
    if asked.distinct and len(asked.arguments) > 1:
        binder.refuse(
            asked.node, "DISTINCT takes one column here", f"Write {asked.name}(DISTINCT x)."
        )
    parts = [binder.scope.find_bare_column(node) for node in asked.arguments if asked.distinct]
    is_part = any(part is not None and isinstance(part.owner, UnitPart) for part in parts)
    bind = binder.bind_presence if asked.function == "COUNT" and not is_part else binder.bind
    value = bind(asked.arguments[place]) if asked.arguments else build_constant(1, "integer")
    if value.type == "boolean" and asked.function not in _COUNTED_OR_CHOSEN and not value.is_null:
        value = _convert_to_number(binder, asked, value)
    conditions = align_types([binder.bind(condition) for condition in asked.conditions], "boolean")
    if not conditions:
        return value
    test = conditions[0] if len(conditions) == 1 else binder.apply(asked.node, "and", *conditions)
    test = require_condition(binder.text, "FILTER", asked.node, test)
    return binder.apply(
        asked.node, "case", test, *align_types([value, build_constant(None, "integer")])
    )


def _convert_to_number(
    binder: RowBinder, asked: AggregateSyntax, condition: TypedExpression
) -> TypedExpression:
    """Convert a condition to 1 and 0: the sum of conditions is how often they hold."""
    one, zero, none = align_types([build_constant(n, "integer") for n in (1, 0, None)])
    otherwise = binder.apply(asked.node, "not", condition)
    return binder.apply(asked.node, "case", condition, one, otherwise, zero, none)


def find_privacy_id(binder: RowBinder, asked: AggregateSyntax) -> ColumnReference | None:
    """Return the privacy id if it is what the aggregate reads: one column, or all parts of it."""
    columns = [binder.scope.find_bare_column(node) for node in asked.arguments]
    parts = [column for column in columns if column and isinstance(column.owner, UnitPart)]
    if parts and len(parts) == len(columns) and has_whole_id(part.owner for part in parts):
        whole = ColumnReference("", UNIT_NAME, "", Range("text"), PRIVACY_ID)
        return next((part for part in parts if part.may_be_missing), whole)
    column = columns[0] if len(columns) == 1 and not parts else None
    return column if column and column.is_privacy_id else None
