"""Advice for refusals about undeclared columns: lines to add to the policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    find_columns,
)
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.catalog import ColumnName
from hedgerow.sql.syntax.named_arguments import NUMBER
from hedgerow.sql.syntax.quoting import quote_key, quote_name

__all__ = [
    "find_auto_bounds_column",
    "find_max_length",
    "find_unbounded_columns",
    "suggest_bounds",
    "suggest_max_length",
    "suggest_number",
    "suggest_number_declaration",
]

_BOUNDED_TYPES: Final = ("integer", "real", "date", "timestamp")
_EXAMPLE_DAYS: Final = ("2026-01-01", "2026-12-31")


def suggest_number(scope: Scope, arguments: Sequence[TypedExpression]) -> str | None:
    """Return how to make a number of text beside numbers: drop its quotes, or declare it."""
    numbers = [argument.type for argument in arguments if argument.type in ("integer", "real")]
    written = [
        argument.expression.value
        for argument in arguments
        if argument.type == "text" and isinstance(argument.expression, Constant)
    ]
    if numbers and len(numbers) < len(arguments) and written and NUMBER.fullmatch(str(written[0])):
        return f"Numbers take no quotes: write {written[0]}."
    line = suggest_number_declaration(
        scope,
        [argument for argument in arguments if argument.type == "text"],
        "real" if "real" in numbers else "integer",
    )
    return f"{line}; otherwise compare it with 'text'." if numbers and line is not None else None


def suggest_number_declaration(
    scope: Scope, values: Sequence[TypedExpression], kind: str, bounds: str = ""
) -> str | None:
    """Return the line of the policy that declares a text column as numbers.

    Columns of a .csv file are text unless the policy says otherwise.
    """
    names = [
        name for value in values if value.type == "text" for name in find_columns(value.expression)
    ]
    found = [
        visible
        for name in names
        if (visible := scope.find_plan_column(name)) is not None and _can_be_numbers(visible)
    ]
    if not found or found[0].origin is None:
        return None
    table, column = found[0].origin
    line = f'{quote_key(column.name)} = {{ type = "{kind}"{bounds} }}'
    return (
        f"If {column.name} holds numbers, declare it as a number in the policy, under"
        f" [tables.{table}.columns]: {line}"
    )


def _can_be_numbers(visible: ColumnReference) -> bool:
    """Return whether a text column may hold numbers: its values are unknown or all numeric."""
    values = visible.range.values
    return values is None or all(NUMBER.fullmatch(str(value)) for value in values)


def find_unbounded_columns(
    scope: Scope, expressions: Sequence[Expression]
) -> list[ColumnReference]:
    """Return the columns of numbers and dates without bounds in these expressions."""
    names = dict.fromkeys(name for expression in expressions for name in find_columns(expression))
    columns = [visible for name in names if (visible := scope.find_plan_column(name)) is not None]
    return [
        visible
        for visible in columns
        if visible.range.type in _BOUNDED_TYPES and not visible.range.is_bounded
    ]


def find_auto_bounds_column(scope: Scope, visible: ColumnReference) -> ColumnName | None:
    """Return the table and column if the policy lets the bounds be found.

    Keys that identify an owner are left out: clamping them would merge units.
    """
    if visible.origin is None or visible.owner is not None:
        return None
    table, column = visible.origin
    entry = dict(scope.tables).get(table)
    return (table, column.name) if entry is not None and entry.can_find_bounds(column) else None


def suggest_bounds(scope: Scope, columns: Sequence[ColumnReference]) -> str:
    """Return the missing bounds as lines of the policy or an argument of protect, and alternatives
    for an analyst."""
    lines: dict[str, list[str]] = {}
    for table, column in (visible.origin for visible in columns if visible.origin is not None):
        bounds = (
            "min = …, max = …"
            if column.type in ("integer", "real")
            else f'values = "{_EXAMPLE_DAYS[0]} … {_EXAMPLE_DAYS[1]}"'
        )
        line = f'{quote_key(column.name)} = {{ type = "{column.type}", {bounds} }}'
        lines.setdefault(table, []).append(line)
    declared = "; and ".join(
        f"under [tables.{table}.columns]: {'; '.join(dict.fromkeys(each))}"
        for table, each in lines.items()
    )
    advice = f"Declare bounds in the policy, {declared}"
    in_frame = any(entry.in_frame for name, entry in scope.tables if name in lines)
    if in_frame:
        names = dict.fromkeys(visible.name for visible in columns)
        pairs = ", ".join(f'"{name}": (low, high)' for name in names)
        advice = f"Pass bounds to protect: columns={{{pairs}}}"
    # A clamped key would merge units.
    if any(visible.owner is not None for visible in columns):
        return f"{advice}."
    first = columns[0]
    kind = first.range.type
    low, high = (
        (f"{kind.upper()} '{day}'" for day in _EXAMPLE_DAYS)
        if kind in ("date", "timestamp")
        else ("0", "500")
    )
    advice += f"; or clamp: LEAST(GREATEST({quote_name(first.name)}, {low}), {high})"
    if in_frame or any(visible.range.type in ("date", "timestamp") for visible in columns):
        return f"{advice}."
    tables = " and ".join(f"[tables.{table}]" for table in lines)
    return (
        f"{advice}; or set auto_bounds = true under {tables} to find bounds privately, at a cost."
    )


def find_max_length(scope: Scope, text: Expression) -> int | None:
    """Return the declared length of a column of text, of which case and blanks change nothing."""
    while isinstance(text, Call) and text.function in ("lower", "upper", "trim"):
        text = text.arguments[0]
    visible = scope.find_plan_column(text.column) if isinstance(text, ColumnRef) else None
    if visible is None or visible.origin is None:
        return None
    table, column = visible.origin
    entry = dict(scope.tables).get(table)
    return None if entry is None else entry.max_lengths.get(column.name)


def suggest_max_length(scope: Scope, lengths: Sequence[Expression]) -> str:
    """Return how to bound the length of texts, for an analyst and for the custodian."""
    names = [name for expression in lengths for name in find_columns(expression)]
    visible = next((one for one in map(scope.find_plan_column, names) if one is not None), None)
    if visible is None or visible.origin is None or visible.range.type != "text":
        return "Clamp it to a length of your choice: LEAST(LENGTH(x), 100)."
    table, column = visible.origin
    advice = f"Clamp it to a length of your choice: LEAST(LENGTH({quote_name(visible.name)}), 100)"
    line = f'{quote_key(column.name)} = {{ type = "text", max_length = 100 }}'
    return f"{advice}; or declare one in the policy, under [tables.{table}.columns]: {line}."
