"""The column of a table that a name still stands for: what was read is there unchanged, or NULL."""

from __future__ import annotations

from typing import Final

from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, UnitAggregation
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column

__all__ = ["MAX_ENCODED_WORDS", "find_source_column", "list_words"]

MAX_ENCODED_WORDS: Final = 256  # a longer list takes longer to be read than codes save


def list_words(rows: RelationNode, name: str) -> list[str] | None:
    """The texts that a column may have, sorted, where it has a short list of its own and holds
    nothing else but NULL.
    """
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
    """The declared column whose values these are; None where they were computed, or come from
    several tables.
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
