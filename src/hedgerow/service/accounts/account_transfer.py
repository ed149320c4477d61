"""The transfer of accounts to the place where a ledger was moved: their acts are in its chain."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from hedgerow.ledger.location import Location
from hedgerow.service.accounts.account_file import ACCOUNT_TABLES
from hedgerow.service.accounts.table_stores import TableStore, has_tables, open_store

__all__ = ["transfer_accounts"]

_WAIT_SECONDS: Final = 10.0


def transfer_accounts(old: Location, new: Location) -> int:
    """Copy all tables to a place that has no accounts yet, and return how many accounts there are
    then; an old file is set aside, so that what is revoked later never comes back with it.
    """
    if not has_tables(old):
        return 0
    source = open_store(old, ACCOUNT_TABLES, _WAIT_SECONDS)
    try:
        target = open_store(new, ACCOUNT_TABLES, _WAIT_SECONDS)
        try:
            if not target.select("SELECT name FROM accounts"):
                _copy_tables(source, target)
            count = len(target.select("SELECT name FROM accounts"))
        finally:
            target.close()
    finally:
        source.close()
    if isinstance(old, Path):
        os.replace(old, old.with_name(old.name + ".moved"))
    return count


def _copy_tables(source: TableStore, target: TableStore) -> None:
    """Copy every row, all of them or none."""
    with target.hold(), target.begin() as db:
        for table in re.findall(r"EXISTS (\w+)", ACCOUNT_TABLES):
            rows = source.select(f"SELECT * FROM {table}")
            for row in rows:
                marks = ", ".join("?" for _ in row)
                db.execute(
                    f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
                )
            if rows and "number" in rows[0]:
                db.continue_numbers(table)
