"""The ledger in a table of a PostgreSQL server, with its anchor outside that server.

Each step is one transaction whose first statement takes the lock: catch up with other processes,
let the state decide, insert, commit. Then the anchor moves, and only then does the step return. A
connection that is lost while it commits leaves open whether it did; the lock is free again once
that transaction has ended, so whoever holds it reads the truth. The reasons, and what cannot be
noticed: docs/decisions/0023-postgresql-ledger.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import psycopg

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import SERVER_KEYS, Anchor
from hedgerow.ledger.anchored_ledger import AnchoredLedger
from hedgerow.ledger.durable_files import lock_folder
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.location import Location, ServerLocation
from hedgerow.ledger.postgresql.connection import (
    DURABLE_SETTINGS,
    Connection,
    build_statements,
    connect,
    explain_errors,
)
from hedgerow.ledger.rules import LedgerState

__all__ = ["PostgresLedger"]

# permanent; without triggers, rules, row security and descendants
_PLAIN_TABLE = "rpfalsefalsefalsefalse"
_PAUSE_SECONDS = 0.05


class PostgresLedger(AnchoredLedger):
    """A ledger in a server."""

    _moved_hint = (
        "The server or the table is another one than the anchor knows, or the server was restored"
        " or has failed over."
    )
    _anchor_hint = (
        "A further host gets it from the first one: copy the file. If it is lost for good,"
        " 'hedgerow ledger adopt POLICY --lost' goes on with all budgets closed."
    )
    _required: ClassVar[Mapping[str, tuple[str, ...]]] = DURABLE_SETTINGS
    _database: Connection | None = None
    _identity: Mapping[str, object] = {}
    _unwritten: tuple[Entry, ...] = ()  # of this transaction

    def __init__(self, place: Location, *, wait: float = 30.0) -> None:
        assert isinstance(place, ServerLocation)
        super().__init__(place, wait=wait)
        self.place, self.name = place, place.name
        self._sql = build_statements(place.schema)
        self._warnings: list[str] = []  # of the server, while it commits

    @classmethod
    def inspect(cls, place: Location) -> tuple[list[Entry], Mapping[str, object]]:
        """Return the stored entries, unverified, and the identity of the table."""
        with cls(place) as ledger, explain_errors(ledger.place):
            return [Entry(*row) for row in ledger._fetch("select", 1)], ledger._identify()

    def entries(self) -> list[Entry]:
        """Return all entries in order."""
        self._catch_up()
        with self._lock, explain_errors(self.place):
            return [Entry(*row) for row in self._fetch("select", 1)]

    @contextmanager
    def _transaction(self, *, trusting: bool = False) -> Iterator[None]:
        with self._lock, explain_errors(self.place):
            before, self._unwritten = self._state.seq, ()
            try:
                self._begin()
                self._read_new_entries(trusting=trusting)
                before = self._state.seq
                yield
                self._commit()
            except BaseException:
                if self._state.seq == before:
                    self._rollback()
                else:
                    self._reset()
                raise
            with lock_folder(self.path.parent, self._wait):
                anchor = Anchor.from_state(self._state, self._identity)
                anchor.write(self.path) if trusting else anchor.advance(self.path)

    @contextmanager
    def _hold_creation(self) -> Iterator[None]:
        with self._lock, explain_errors(self.place), lock_folder(self.path.parent, self._wait):
            self._begin()
            try:
                yield
            finally:
                self._rollback()  # what was installed has been committed

    def _has_store(self) -> bool:
        with self._lock, explain_errors(self.place):
            return bool(self._fetch("hash", 1))

    def _install(self, state: LedgerState, entries: Iterable[Entry]) -> None:
        # A crash after the commit would leave entries without their anchor: it is written first,
        # under another name.
        anchor = Anchor.from_state(state, self._identity)
        anchor.write(self._draft_path)
        self._unwritten = tuple(entries)
        self._write()
        anchor.write(self.path)
        Anchor.path_for(self._draft_path).unlink()

    def _finish_creation(self) -> None:
        if not Anchor.path_for(self._draft_path).exists():
            return
        with self._hold_creation():
            anchor = Anchor.read(self._draft_path)
            if (
                anchor is not None
                and anchor.is_same_store(self._identity)
                and self._read_hash(anchor.seq) == anchor.hash
            ):
                anchor.write(self.path)
            Anchor.path_for(self._draft_path).unlink(missing_ok=True)

    @property
    def _draft_path(self) -> Path:
        return self.path.with_name(self.path.name + ".new")

    def _store_entry(self, entry: Entry) -> None:
        self._unwritten += (entry,)

    def _read_entry(self, seq: int) -> Entry:
        with self._lock, explain_errors(self.place):
            found = [Entry(*row) for row in self._fetch("select_one", seq)]
        return self._check_stored(found[0] if found else None, seq)

    def _catch_up(self) -> None:
        with self._lock, explain_errors(self.place):
            self._read_new_entries()

    def _read_new_entries(self, *, trusting: bool = False) -> None:
        """Read the entries of other processes, and compare them with the anchor."""
        try:
            # The anchor first: its entry was committed before, so the entries read after it must
            # include that one.
            anchor = None if trusting else Anchor.read(self.path)
            rows = self._fetch("select", max(self._state.seq, 1))
            self._replay(Entry(*row) for row in rows)
            if not trusting:
                self._check_anchor(anchor)
        except BaseException:
            self._reset()
            raise

    def _read_hash(self, seq: int) -> object:
        return next((hash_ for (hash_,) in self._fetch("hash", seq)), None)

    def _identify(self) -> Mapping[str, object]:
        """Return the identity of the table; refuse a server whose commits may be lost."""
        found = self._fetch("identify")
        if not found:
            raise psycopg.errors.UndefinedTable
        *identity, kind = found[0]
        for name, value in self._fetch("settings", list(self._required)):
            if value not in self._required[name]:
                raise LedgerError(
                    f"The server of the ledger '{self.name}' has {name} = {value}, and may lose"
                    f" charges. Set {name} to {self._required[name][0]}, for the server or by ALTER"
                    " ROLE."
                )
        if kind != _PLAIN_TABLE or not identity[1]:
            raise LedgerError(
                f"The ledger '{self.name}' must be a plain, logged table without triggers, rules or"
                " row security, on a server that is not a standby. Move it to one."
            )
        return dict(zip(SERVER_KEYS, (self.name, *identity), strict=True))

    def _begin(self) -> None:
        """Begin a transaction that holds the lock, on a new connection if the old one broke."""
        until = time.monotonic() + self._wait
        while True:
            try:
                self._get_connection().execute(self._sql["lock"])
                self._identity = self._identify()
                return
            except psycopg.OperationalError:
                if not self._is_broken() or time.monotonic() > until:
                    raise
                time.sleep(_PAUSE_SECONDS)

    def _commit(self) -> None:
        """Write the entries; if the connection is lost meanwhile, find out whether they are
        there, and write them again if they are not.
        """
        until, identity = time.monotonic() + self._wait, self._identity
        while self._unwritten:
            try:
                self._write()
                return
            except psycopg.Error:
                if not self._is_broken() or time.monotonic() > until:
                    raise
            self._begin()
            first, last = self._unwritten[0], self._unwritten[-1]
            if self._identity == identity and self._read_hash(last.seq) == last.hash:
                break
            if (
                self._identity != identity
                or self._read_hash(first.seq) is not None
                or self._read_hash(first.seq - 1) != first.previous
            ):
                raise LedgerError(
                    f"The connection to the ledger '{self.name}' was lost, and entry {first.seq}"
                    " was not written. Ask again."
                )
        self._rollback()

    def _write(self) -> None:
        """Insert the entries and commit."""
        database = self._get_connection()
        with database.cursor() as cursor:
            cursor.executemany(self._sql["insert"], [entry.columns for entry in self._unwritten])
            self._warnings.clear()
            cursor.execute("COMMIT")
        if self._warnings:
            raise LedgerError(
                f"The server did not confirm entry {self._unwritten[-1].seq} of the ledger"
                f" '{self.name}', perhaps because its standby did not. Look after the server, and"
                " ask again with the same request key."
            )

    def _rollback(self) -> None:
        """End the transaction without effect."""
        with suppress(psycopg.Error):
            if self._database is not None:
                self._database.execute("ROLLBACK")

    def _fetch(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; once more on a new connection, outside of transactions,
        if the old one broke.
        """
        database = self._get_connection()
        is_begun = database.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        try:
            return database.execute(self._sql[statement], values or None).fetchall()
        except psycopg.OperationalError:
            if is_begun or not self._is_broken():
                raise
            return self._get_connection().execute(self._sql[statement], values or None).fetchall()

    def _get_connection(self) -> Connection:
        if self._closed:
            raise LedgerError(f"The ledger '{self.name}' is closed. Open it again.")
        if self._database is None:
            self._database = connect(self.place, self._wait)
            self._database.add_notice_handler(self._note)
        return self._database

    def _note(self, notice: psycopg.errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            self._warnings.append(str(notice.sqlstate))

    def _is_broken(self) -> bool:
        """Return whether the connection is lost, and let go of it then."""
        if self._database is not None and not self._database.closed:
            return False
        self._disconnect()
        return True

    def _disconnect(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()
