"""All relations that the catalogue lists: the published tables and its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hedgerow.service.wire.catalog.published_tables import PublishedTable
from hedgerow.service.wire.catalog.relations import PgType, list_relations, list_types

__all__ = [
    "OWNER",
    "OWNER_OID",
    "READ_ACL",
    "VisibleColumn",
    "VisibleRelation",
    "list_visible_relations",
]

OWNER: Final = "hedgerow"
OWNER_OID: Final = 10
READ_ACL: Final = f"=r/{OWNER}"
_FIRST_OID: Final = 16_384


@dataclass(frozen=True, slots=True)
class VisibleColumn:
    """A column by its number."""

    number: int
    name: str
    type: PgType
    description: str | None = None


@dataclass(frozen=True, slots=True)
class VisibleRelation:
    """A relation with its object id."""

    oid: int
    schema: str
    name: str
    columns: tuple[VisibleColumn, ...]
    is_view: bool
    description: str | None = None


def list_visible_relations(tables: Sequence[PublishedTable]) -> list[VisibleRelation]:
    """Return the relations in the order of their object ids."""
    types = {one.name: one for one in list_types().values()}
    found = [
        VisibleRelation(
            one.oid, one.schema, one.name, _number_columns(one.columns, types), one.is_view
        )
        for one in list_relations().values()
        if not one.is_function
    ]
    for place, table in enumerate(tables):
        columns = tuple(
            VisibleColumn(number, column.name, types[column.type], column.description)
            for number, column in enumerate(table.columns, 1)
        )
        found.append(
            VisibleRelation(
                _FIRST_OID + place,
                table.schema,
                table.name,
                columns,
                table.is_view,
                table.description,
            )
        )
    return found


def _number_columns(
    columns: Mapping[str, str], types: Mapping[str, PgType]
) -> tuple[VisibleColumn, ...]:
    return tuple(
        VisibleColumn(number, name, _find_type(type_, types))
        for number, (name, type_) in enumerate(columns.items(), 1)
    )


def _find_type(name: str, types: Mapping[str, PgType]) -> PgType:
    return types["_" + name[:-2]] if name.endswith("[]") else types[name]
