"""Stored tables: the place of each declared column in the engine, checked before any plan runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hedgerow.engines.compile.column_casts import CASTABLE_TYPES, ID_TYPES, StoredColumn
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Type

__all__ = ["StoredTable", "find_column", "locate_columns", "locate_unit"]

_TYPE_NAMES: Final[Mapping[Type | None, str]] = {
    "boolean": "booleans",
    "integer": "integers",
    "real": "real numbers",
    "text": "text",
    "date": "dates",
    "timestamp": "timestamps",
    None: "values of another type",
}


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table in the engine: its relation, its columns by declared name, and the id of the unit."""

    relation: str
    columns: Mapping[str, StoredColumn]
    unit: StoredColumn | None


def locate_columns(schema: Schema, relation: str, columns: Sequence[PhysicalColumn]) -> StoredTable:
    """Locate each declared column and the unit; refuse a missing one or one of an
    unreadable type.
    """
    stored: dict[str, StoredColumn] = {}
    for declared in schema.columns:
        there = find_column(schema, declared.name, columns)
        if there.type is None or there.type not in CASTABLE_TYPES[declared.type]:
            is_text_date = there.type == "text" and declared.type in ("date", "timestamp")
            how = ", for instance with pandas.to_datetime" if is_text_date else ""
            raise SourceError(
                f"The column {declared.name} of {schema.table} holds {_TYPE_NAMES[there.type]}, but"
                f" the policy declares {_TYPE_NAMES[declared.type]}. Change the type in the policy,"
                f" or convert the column{how}."
            )
        stored[declared.name] = StoredColumn(there.name, there.type, there.is_wide)
    return StoredTable(relation, stored, locate_unit(schema, columns))


def locate_unit(schema: Schema, columns: Sequence[PhysicalColumn]) -> StoredColumn | None:
    """Locate the id column of the unit; None where rows are units or a foreign key leads to it."""
    if schema.unit in (None, "row") or schema.link is not None:
        return None
    there, declared = find_column(schema, str(schema.unit), columns), schema.id_column
    if there.type not in ID_TYPES or (declared is not None and declared.type not in ID_TYPES):
        held = _TYPE_NAMES[
            there.type if declared is None or there.type not in ID_TYPES else declared.type
        ]
        raise SourceError(
            f"The id column {schema.unit} of {schema.table} holds {held}. Ids must be integers or"
            " text: convert the column, or name another unit in the policy."
        )
    return StoredColumn(there.name, there.type, exact_type=there.exact_type)


def find_column(schema: Schema, name: str, columns: Sequence[PhysicalColumn]) -> PhysicalColumn:
    """Find a column by its exact name, else by the only name that differs in case alone."""
    exact = [there for there in columns if there.name == name]
    alike = exact or [there for there in columns if there.name.casefold() == name.casefold()]
    if not alike:
        raise SourceError(
            f"The table {schema.table} has no column {name}. Correct the name in the policy; the"
            f" columns are {', '.join(there.name for there in columns)}."
        )
    if len(alike) > 1:
        raise SourceError(
            f"The table {schema.table} has several columns {name} that differ in case alone. Rename"
            " all but one of them."
        )
    return alike[0]
