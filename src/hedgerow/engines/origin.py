"""The column of a table that a name still stands for: what was read is there unchanged, or NULL."""

from __future__ import annotations

from typing import Final

from hedgerow.plan.expressions import Read
from hedgerow.plan.nodes import Filter, Fold, Join, Project, Rows, Table
from hedgerow.plan.schema import Column

__all__ = ["FEW_WORDS", "origin", "words"]

FEW_WORDS: Final = 256  # a longer list takes longer to be read than codes save


def words(rows: Rows, name: str) -> list[str] | None:
    """The texts that a column may have, sorted, where it has a short list of its own and holds nothing else but NULL."""
    column = origin(rows, name)
    if column is None or column.type != "text" or column.values is None or len(column.values) > FEW_WORDS:
        return None
    return sorted(map(str, column.values))


def origin(rows: Rows, name: str) -> Column | None:
    """The declared column whose values these are; None where they were computed, or come from several tables."""
    match rows:
        case Table(schema=schema):
            return schema.column(name)
        case Filter(source=source):
            return origin(source, name)
        case Project(source=source, outputs=outputs):
            value = dict(outputs)[name]
            return origin(source, value.column) if isinstance(value, Read) else None
        case Fold(source=source, keys=keys):
            return origin(source, name) if name in keys else None
        case Join(source=source, other=other, adds=adds):
            added = dict(adds)
            return origin(other, added[name]) if name in added else origin(source, name)
    return None
