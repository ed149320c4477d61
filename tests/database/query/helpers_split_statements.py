"""Statements that are split into pieces, and their meaning without privacy."""

from __future__ import annotations

from typing import Any

import duckdb

from database.clinic import visits
from hedgerow.database import Database

SHARES = (
    "SELECT region, COUNT(*) AS n, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM data"
    " GROUP BY region"
)


TWO_TOTALS = (
    "SELECT (SELECT COUNT(*) FROM data WHERE age > 50) / (SELECT COUNT(*) FROM data) AS old"
)


def compute_without_privacy(sql: str) -> list[tuple[Any, ...]]:
    """Answer a statement by DuckDB, on the rows themselves."""
    with duckdb.connect() as db:
        db.register("data", visits())
        return db.execute(sql).fetchall()


def count_charges(db: Database) -> int:
    return sum(entry.kind == "charge" for entry in db.ledger.entries())


def repr_key(row: tuple[Any, ...]) -> tuple[str, ...]:
    """Sort rows by their keys, and by rounded numbers."""
    return tuple(
        f"{float(value):12.1f}"
        if isinstance(value, int | float) and not isinstance(value, bool)
        else str(value)
        for value in row
        if isinstance(value, str | bool) or value is None
    )


OLDER = (
    "SELECT region, COUNT(*) AS n FROM data WHERE age > (SELECT AVG(age) FROM data) GROUP BY region"
)


def list_kinds(db: Database) -> list[str]:
    return [entry.kind for entry in db.ledger.entries() if entry.kind in ("charge", "answer")]
