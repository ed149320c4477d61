"""A catalogue of two small tables, and statements as its writer translates them."""

from __future__ import annotations

import functools
from typing import Any

from sqlglot import parse_one

from hedgerow.service.wire.catalog.catalog_database import CatalogDatabase
from hedgerow.service.wire.catalog.published_tables import PublishedColumn, PublishedTable
from hedgerow.service.wire.catalog.query_writer import QueryWriter
from hedgerow.service.wire.catalog.session_facts import SessionFacts
from hedgerow.service.wire.session_settings import SessionSettings

TABLES = (
    PublishedTable(
        "public",
        "visits",
        (PublishedColumn("age", "int8", "from 0 to 110"), PublishedColumn("region", "text")),
        "Protected by patient.",
    ),
    PublishedTable("public", "Odd name", (PublishedColumn("x", "float8"),)),
    PublishedTable("hedgerow", "budget", (PublishedColumn("total", "float8"),), is_view=True),
)


@functools.cache
def open_database() -> CatalogDatabase:
    return CatalogDatabase("clinic", TABLES)


def translate(sql: str) -> str:
    """Return the statement that the embedded database would get."""
    settings = SessionSettings()
    facts = SessionFacts("clinic", "ana", settings.find)
    writer = QueryWriter(open_database(), facts, settings.change)
    return writer.write_query(parse_one(sql, dialect="postgres"))


def ask(sql: str) -> list[Any]:
    """Return the rows of a catalogue statement; single columns without their tuples."""
    rows = open_database().run(translate(sql)).rows
    return [row[0] if len(row) == 1 else tuple(row) for row in rows]
