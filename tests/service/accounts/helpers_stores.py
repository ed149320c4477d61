"""Where accounts can be, for tests that must hold in each place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engines.postgresql.helpers_server import ROLE
from hedgerow.ledger.location import Location
from ledger.helpers_stores import TableStore


def in_file(folder: Path) -> Location:
    return folder / "clinic.accounts"


def in_server(folder: Path) -> Location:
    store = TableStore(folder)
    store.change(f"GRANT CREATE ON SCHEMA {store.schema} TO {ROLE}")
    return store.place


PLACES: dict[str, Callable[[Path], Location]] = {"file": in_file, "server": in_server}
