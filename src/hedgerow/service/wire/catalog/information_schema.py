"""The rows of information_schema, from the visible relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from hedgerow.service.wire.catalog.visible_relations import (
    OWNER,
    VisibleColumn,
    VisibleRelation,
)

__all__ = ["list_information_rows"]

Row = dict[str, Any]
# Bits of numbers, and whether they are exact.
_PRECISIONS: Final = {
    "int2": (16, 0),
    "int4": (32, 0),
    "int8": (64, 0),
    "float4": (24, None),
    "float8": (53, None),
}


def list_information_rows(
    database: str, relations: Sequence[VisibleRelation]
) -> dict[str, list[Row]]:
    """Return the rows of information_schema by schema and name."""
    schemas = dict.fromkeys(one.schema for one in relations)
    grants = [_build_grant(database, one) | {"with_hierarchy": "YES"} for one in relations]
    rows = {
        "information_schema_catalog_name": [{"catalog_name": database}],
        "schemata": [
            {"catalog_name": database, "schema_name": name, "schema_owner": OWNER}
            for name in schemas
        ],
        "tables": [_build_table(database, one) for one in relations],
        "views": [_build_view(database, one) for one in relations if one.is_view],
        "columns": [
            _build_column(database, one, column) for one in relations for column in one.columns
        ],
        "table_privileges": grants,
        "role_table_grants": grants,
        "column_privileges": [
            _build_grant(database, one) | {"column_name": column.name}
            for one in relations
            for column in one.columns
        ],
        "character_sets": list(_list_character_sets(database)),
    }
    return {f"information_schema.{name}": listed for name, listed in rows.items()}


def _build_table(database: str, one: VisibleRelation) -> Row:
    return {
        "table_catalog": database,
        "table_schema": one.schema,
        "table_name": one.name,
        "table_type": "VIEW" if one.is_view else "BASE TABLE",
        "is_insertable_into": "NO",
        "is_typed": "NO",
    }


def _build_view(database: str, one: VisibleRelation) -> Row:
    return {
        "table_catalog": database,
        "table_schema": one.schema,
        "table_name": one.name,
        "check_option": "NONE",
        "is_updatable": "NO",
        "is_insertable_into": "NO",
    }


def _build_column(database: str, one: VisibleRelation, column: VisibleColumn) -> Row:
    type_ = column.type
    bits, scale = _PRECISIONS.get(type_.name, (None, None))
    return {
        "table_catalog": database,
        "table_schema": one.schema,
        "table_name": one.name,
        "column_name": column.name,
        "ordinal_position": column.number,
        "is_nullable": "YES",
        "data_type": "ARRAY" if type_.category == "A" else type_.sql_name,
        "character_octet_length": 2**30 if type_.category == "S" else None,
        "numeric_precision": bits,
        "numeric_precision_radix": None if bits is None else 2,
        "numeric_scale": scale,
        "datetime_precision": {"date": 0, "timestamp": 6, "timestamptz": 6}.get(type_.name),
        "udt_catalog": database,
        "udt_schema": "pg_catalog",
        "udt_name": type_.name,
        "dtd_identifier": str(column.number),
        "is_self_referencing": "NO",
        "is_identity": "NO",
        "identity_cycle": "NO",
        "is_generated": "NEVER",
        "is_updatable": "NO",
    }


def _build_grant(database: str, one: VisibleRelation) -> Row:
    return {
        "grantor": OWNER,
        "grantee": "PUBLIC",
        "table_catalog": database,
        "table_schema": one.schema,
        "table_name": one.name,
        "privilege_type": "SELECT",
        "is_grantable": "NO",
    }


def _list_character_sets(database: str) -> Iterator[Row]:
    yield {
        "character_set_name": "UTF8",
        "character_repertoire": "UCS",
        "form_of_use": "UTF8",
        "default_collate_catalog": database,
        "default_collate_schema": "pg_catalog",
        "default_collate_name": "C",
    }
