"""The stores of a ledger, for tests that each of them must pass: a file, and a table of a real
PostgreSQL server.
"""

from __future__ import annotations

import itertools
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from engines.postgresql.helpers_server import ROLE, Server, get_server
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.anchored_ledger import AnchoredLedger
from hedgerow.ledger.location import Location, ServerLocation
from hedgerow.ledger.postgresql.store import PostgresLedger
from hedgerow.ledger.recovery import find_store
from hedgerow.ledger.sqlite import Ledger
from ledger.making import pay, policy

_SCHEMAS = itertools.count()
COLUMNS = ("seq", "kind", "time", "body", "previous", "hash")


class Store(ABC):
    """A place for a ledger, and what somebody with write access does to it."""

    place: Location
    path: Path

    @abstractmethod
    def change(self, statement: str, *values: object) -> None:
        """Run SQL on the table ``entries``, past every rule; ``?`` stands for a value."""

    @abstractmethod
    def read_rows(self) -> list[tuple[Any, ...]]:
        """The stored entries."""

    @abstractmethod
    def copy_table(self) -> None:
        """Put a copy of the entries in the place of the original."""

    @abstractmethod
    def lose(self) -> None:
        """Lose all entries, and leave the anchor."""

    @abstractmethod
    def break_while(self, ledger: AnchoredLedger) -> None:
        """End the connection of an open ledger from the outside, where it has one."""

    def replace_rows(self, rows: list[tuple[Any, ...]]) -> None:
        """Put other entries in the same table."""
        self.change("DELETE FROM entries")
        for row in rows:
            self.change("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", *row)

    def open(self, *, create: bool = False, wait: float = 30.0) -> AnchoredLedger:
        return find_store(self.place).open(self.place, create=create, wait=wait)

    def make(self, questions: int = 3) -> Store:
        """A ledger with a policy and some answered questions: entries 1, 2, then two for each."""
        with self.open(create=True) as ledger:
            ledger.accept_policy(**policy())
            for number in range(questions):
                ledger.answer(pay(ledger, question=f"q{number}"), f"answer {number}")
        return self

    @property
    def anchor(self) -> Path:
        return Anchor.path_for(self.path)


class FileStore(Store):
    def __init__(self, folder: Path, name: str = "clinic") -> None:
        self.place = self.path = folder / f"{name}.ledger"

    def change(self, statement: str, *values: object) -> None:
        db = apsw.Connection(str(self.path))
        db.execute(statement, values)
        db.close()

    def read_rows(self) -> list[tuple[Any, ...]]:
        db = apsw.Connection(str(self.path))
        rows = list(db.execute("SELECT * FROM entries ORDER BY seq"))
        db.close()
        return rows

    def copy_table(self) -> None:
        self.change("PRAGMA wal_checkpoint(TRUNCATE)")
        copy = self.path.with_name("copy")
        shutil.copy(self.path, copy)
        copy.rename(self.path)

    def lose(self) -> None:
        self.path.unlink()

    def break_while(self, ledger: AnchoredLedger) -> None:
        pass


class TableStore(Store):
    place: ServerLocation

    def __init__(self, folder: Path, name: str = "clinic", server: Server | None = None) -> None:
        self.server = server or get_server()
        schema = f"{name}_{os.getpid()}_{next(_SCHEMAS)}"
        self.place = ServerLocation(
            self.server.address(), schema, f"server/{schema}", folder / f"{schema}.ledger"
        )
        self.schema, self.path = schema, self.place.path
        with self.connect() as owner:
            owner.execute(f"CREATE SCHEMA {schema}; GRANT USAGE ON SCHEMA {schema} TO {ROLE}")
            owner.execute(f"SET search_path TO {schema}")
            self._create_table(owner)

    def _create_table(self, owner: psycopg.Connection[Any]) -> None:
        owner.execute(
            "CREATE TABLE entries (seq bigint PRIMARY KEY, kind text NOT NULL, time text NOT NULL,"
            " body text NOT NULL, previous text NOT NULL, hash text NOT NULL)"
        )
        owner.execute(f"GRANT SELECT, INSERT ON entries TO {ROLE}")

    @contextmanager
    def connect(self) -> Iterator[psycopg.Connection[Any]]:
        with self.server.connect() as owner:
            owner.execute(f"SET search_path TO {self.schema}")
            yield owner

    def change(self, statement: str, *values: object) -> None:
        with self.connect() as owner:
            owner.execute(statement.replace("?", "%s"), values or None)

    def read_rows(self) -> list[tuple[Any, ...]]:
        with self.connect() as owner:
            return owner.execute("SELECT * FROM entries ORDER BY seq").fetchall()

    def copy_table(self) -> None:
        with self.connect() as owner:
            owner.execute("ALTER TABLE entries RENAME TO old")
            owner.execute("ALTER INDEX entries_pkey RENAME TO old_pkey")
            self._create_table(owner)
            owner.execute("INSERT INTO entries SELECT * FROM old ORDER BY seq")

    def lose(self) -> None:
        self.change("TRUNCATE entries")

    def break_while(self, ledger: AnchoredLedger) -> None:
        assert isinstance(ledger, PostgresLedger)
        assert ledger._database is not None
        with self.connect() as owner:
            owner.execute(
                "SELECT pg_terminate_backend(%s, 5000)", (ledger._database.info.backend_pid,)
            )


STORES: dict[str, Callable[[Path], Store]] = {"sqlite": FileStore, "postgresql": TableStore}


def attach_server(port: int) -> Server:
    """The server of another process."""
    server = object.__new__(Server)
    server.port = port
    return server


def allow_lossy_server(patch: pytest.MonkeyPatch) -> None:
    """The shared server of the tests syncs nothing, which a ledger refuses."""
    patch.setattr(PostgresLedger, "_required", {})


__all__ = [
    "COLUMNS",
    "STORES",
    "FileStore",
    "Ledger",
    "Store",
    "TableStore",
    "allow_lossy_server",
    "attach_server",
]
