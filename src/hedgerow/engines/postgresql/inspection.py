"""The columns of PostgreSQL tables, from the catalogue: no row is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import psycopg

from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.values import Type

__all__ = ["TableName", "read_columns"]

_KINDS: Final = {
    "v": "a view",
    "f": "a foreign table",
    "S": "a sequence",
    "c": "a composite type",
    "i": "an index",
}
_TYPES: Final[dict[str, Type]] = {
    "bool": "boolean",
    **dict.fromkeys(("int2", "int4", "int8"), "integer"),
    **dict.fromkeys(("float4", "float8"), "real"),
    **dict.fromkeys(("text", "varchar", "bpchar", "uuid", "name"), "text"),
    "date": "date",
    **dict.fromkeys(("timestamp", "timestamptz"), "timestamp"),
}
_FIND_TABLE: Final = """
SELECT c.oid, c.relkind, c.relrowsecurity, pg_catalog.has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s
"""
_LIST_COLUMNS: Final = """
SELECT a.attname, t.typname, t.typtype, a.atttypmod, a.attgenerated
FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
    AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum
"""


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of a table in a schema of the server."""

    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}"


def read_columns(
    connection: psycopg.Connection[Any], name: TableName
) -> tuple[PhysicalColumn, ...]:
    """Return the columns of a table that this role may read; refuse what is not a plain table."""
    found = connection.execute(_FIND_TABLE, (name.schema, name.table)).fetchone()
    if found is None:
        raise SourceError(f"The server has no table {name}. Correct source in the policy.")
    oid, kind, has_row_security, _ = found
    _check_kind(name, kind, has_row_security=has_row_security)
    rows = connection.execute(_LIST_COLUMNS, (oid,)).fetchall()
    if not rows:
        raise SourceError(
            f"The role may not read {name}. Let the server's owner run GRANT SELECT ON {name} for"
            " the role that the address in the policy names."
        )
    return tuple(_describe_column(*row) for row in rows)


def _check_kind(name: TableName, kind: str, *, has_row_security: bool) -> None:
    """Refuse relations whose rows may raise errors, change by themselves or be hidden."""
    if kind in _KINDS:
        raise SourceError(
            f"{name} is {_KINDS[kind]}, whose rows may raise errors or differ from one read to the"
            " next. Name a table, or store the rows: CREATE MATERIALIZED VIEW."
        )
    if has_row_security:
        raise SourceError(
            f"{name} has row-level security, which may hide rows. Name a table without it, or a"
            " materialized view of the rows."
        )


def _describe_column(
    name: str, type_name: str, kind: str, modifier: int, generated: str
) -> PhysicalColumn:
    """Describe a column; ``type`` is None for one that cannot be read."""
    if generated == "v":  # a virtual column is computed when it is read, and may raise an error
        return PhysicalColumn(name, None)
    if kind == "e":  # an enumeration is read as its words
        return PhysicalColumn(name, "text")
    if type_name == "numeric":
        # The low 16 bits of the modifier are the scale and 4; without one any number may be there.
        is_whole = modifier >= 4 and (modifier - 4) & 0x7FF == 0
        return (
            PhysicalColumn(name, "integer", is_wide=True)
            if is_whole
            else PhysicalColumn(name, "real", is_wide=True, exact_type="numeric")
        )
    return PhysicalColumn(
        name,
        _TYPES.get(type_name) if kind == "b" else None,
        is_wide=type_name == "timestamptz",
        has_time=type_name.startswith("timestamp"),
    )
