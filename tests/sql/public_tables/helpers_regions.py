"""A public table of regions, and questions about it with the names put back."""

from __future__ import annotations

from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import read_public_query

CATALOG = Catalog(
    {
        "regions": TableEntry(
            Schema("regions", (Column("region", "text"), Column("people", "integer")), None)
        ),
        "visits": TableEntry(
            Schema("visits", (Column("region", "text"),), "who"), population="people"
        ),
    }
)


def shown(sql: str) -> str:
    """Return the written form of a question, with the names put back in."""
    found = read_public_query(sql, CATALOG)
    assert found is not None
    return found.names.restore_names(write_fragment(found.fragment, found.names)).replace(
        '"public 0"', "regions"
    )
