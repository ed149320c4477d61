"""The tables that a caller may ask about, as the catalogue shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from hedgerow.database.uncharged.system_query import SYSTEM_SCHEMA
from hedgerow.database.uncharged.system_tables import SYSTEM_TABLES
from hedgerow.service.accounts.records import Caller
from hedgerow.service.problems import NotAllowed
from hedgerow.service.query_service import QueryService

__all__ = [
    "PUBLIC_SCHEMA",
    "PublishedColumn",
    "PublishedTable",
    "find_example",
    "list_published_tables",
]

PUBLIC_SCHEMA: Final = "public"
_LITERALS: Final = re.compile(r"'(?:''|[^'])*'|[^,\s…]+")
# Our types -> those of PostgreSQL.
_PG_TYPES: Final = {
    "boolean": "bool",
    "date": "date",
    "integer": "int8",
    "real": "float8",
    "text": "text",
    "timestamp": "timestamp",
}


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """A column with its type in PostgreSQL, what is declared about it, and a value."""

    name: str
    type: str
    description: str | None = None
    example: str | None = None


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table or a view with its columns."""

    schema: str
    name: str
    columns: tuple[PublishedColumn, ...]
    description: str | None = None
    is_view: bool = False


def list_published_tables(service: QueryService, caller: Caller) -> tuple[PublishedTable, ...]:
    """Return the tables that a caller may ask about, and the system tables."""
    try:
        documents = service.list_tables(caller)["tables"]
    except NotAllowed:  # an analyst whom the policy does not declare
        documents = []
    return (*map(_build_table, documents), *_list_system_tables())


def _build_table(document: Mapping[str, Any]) -> PublishedTable:
    columns = tuple(
        PublishedColumn(
            one["name"], _PG_TYPES[one["type"]], _describe_column(one), find_example(one)
        )
        for one in document["columns"]
    )
    unit = "row" if document["unit_kind"] == "row" else document["unit"]
    protection = f"Protected by {unit}: answers are noisy, and rows are never shown."
    words = "Public." if document["public"] else protection
    return PublishedTable(PUBLIC_SCHEMA, document["name"], columns, words)


def _describe_column(column: Mapping[str, Any]) -> str | None:
    if column["is_unit"]:
        return "privacy id"
    if column["value_list"] is not None:
        return f"one of {column['value_list']}"
    if column["min"] is None or column["max"] is None:
        return None
    return f"from {column['min']} to {column['max']}"


def find_example(column: Mapping[str, Any]) -> str | None:
    """Return a value in the middle of a column, written as in a question: with it, no comparison
    is always true or never."""
    if column["value_list"]:
        literals = _LITERALS.findall(column["value_list"])
        return str(literals[(len(literals) - 1) // 2])
    low, high = column["min"], column["max"]
    if low is None or high is None:
        return None
    if column["type"] in ("integer", "real"):
        step = Decimal(column["step"] or 1)
        middle = Decimal(low) + (Decimal(high) - Decimal(low)) / step // 2 * step
        return f"{middle:f}"
    first, last = datetime.fromisoformat(low), datetime.fromisoformat(high)
    middle_day = first + timedelta((last - first).days // 2)
    return f"'{middle_day.date() if column['type'] == 'date' else middle_day}'"


def _list_system_tables() -> list[PublishedTable]:
    return [
        PublishedTable(
            SYSTEM_SCHEMA,
            name,
            tuple(PublishedColumn(column, _PG_TYPES[type_]) for column, type_ in columns.items()),
            "System table; free.",
            is_view=True,
        )
        for name, columns in SYSTEM_TABLES.items()
    ]
