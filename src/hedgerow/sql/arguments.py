"""What an aggregate works on, row by row: its argument, NULL where FILTER does not hold."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.asked import Asked
from hedgerow.sql.readers import RowReader
from hedgerow.sql.scope import Visible
from hedgerow.sql.typed import Typed, aligned, constant

__all__ = ["argument", "unit_of"]


def argument(reader: RowReader, asked: Asked, place: int = 0) -> Typed:
    """The argument at a place; a constant 1 where there is none, as in COUNT(*)."""
    value = reader.read(asked.arguments[place]) if asked.arguments else constant(1, "integer")
    conditions = aligned([reader.read(condition) for condition in asked.conditions], "boolean")
    if not conditions:
        return value
    test = conditions[0] if len(conditions) == 1 else reader.call(asked.node, "and", *conditions)
    if test.type != "boolean":
        reader.refuse(asked.node, f"FILTER wants a condition, and this is {test.type}", "Write FILTER (WHERE x > 0).")
    return reader.call(asked.node, "case", test, *aligned([value, constant(None, "integer")]))


def unit_of(reader: RowReader, asked: Asked) -> Visible | None:
    """The id, where the argument is it and nothing else."""
    if len(asked.arguments) != 1:
        return None
    inner = asked.arguments[0].unnest()
    found = reader.scope.find(inner) if type(inner) is exp.Column and isinstance(inner.this, exp.Identifier) else None
    return found if found is not None and found.is_unit and not found.lost else None
