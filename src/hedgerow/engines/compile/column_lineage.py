"""Column lineage: the declared column that a name of a plan still refers to, unchanged or NULL."""

from __future__ import annotations

from typing import Final

from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, UnitAggregation
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column

__all__ = ["MAX_ENCODED_WORDS", "find_source_column", "list_words"]

MAX_ENCODED_WORDS: Final = 256  # encoding a longer list takes longer than codes save


def list_words(rows: RelationNode, name: str) -> list[str] | None:
    """List the sorted texts of a column with a short list of values, or None."""
    column = find_source_column(rows, name)
    if (
        column is None
        or column.type != "text"
        or column.values is None
        or len(column.values) > MAX_ENCODED_WORDS
    ):
        return None
    return sorted(map(str, column.values))


def find_source_column(rows: RelationNode, name: str) -> Column | None:
    """Return the declared column that a name refers to; None where it is computed or from several
    tables.
    """
    match rows:
        case Table(schema=schema):
            return schema.column(name)
        case Filter(source=source):
            return find_source_column(source, name)
        case Project(source=source, outputs=outputs):
            value = dict(outputs)[name]
            return (
                find_source_column(source, value.column) if isinstance(value, ColumnRef) else None
            )
        case UnitAggregation(source=source, keys=keys):
            return find_source_column(source, name) if name in keys else None
        case Join(source=source, other=other, added_columns=adds):
            added = dict(adds)
            return (
                find_source_column(other, added[name])
                if name in added
                else find_source_column(source, name)
            )
    return None
