"""One flight per question among all hosts: advisory locks in the server of the ledger.

A flight has a connection of its own, and the server releases its locks when that connection ends:
the rule survives the death of a process, of a host and of the network between. A flight whose
connection is lost while it runs holds nobody back any more; a second run of its question then
costs budget, never privacy.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from hedgerow.errors import SourceError
from hedgerow.ledger.location import ServerLocation
from hedgerow.ledger.postgresql.connection import Connection, connect
from hedgerow.service.single_flight import choose_place, wait_for_lock

__all__ = ["ServerFlightLocks"]


class ServerFlightLocks:
    """The locks of the questions that are being answered, on any host."""

    def __init__(self, place: ServerLocation, *, wait: float) -> None:
        self._place, self._wait = place, wait

    @contextmanager
    def enter(self, *keys: str, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the flights of questions; ``check`` may end the wait by an error."""
        database = self._connect()
        try:
            until = time.monotonic() + self._wait
            # Everybody takes the places in one order, so that nobody waits in a circle. A schema is
            # a ledger: those of others do not wait for ours.
            for place in sorted({choose_place(f"{self._place.schema} {key}") for key in keys}):
                wait_for_lock(functools.partial(self._try_lock, database, place), until, check)
            yield
        finally:
            database.close()  # which releases them

    def _connect(self) -> Connection:
        try:
            return connect(self._place, self._wait)
        except psycopg.Error:
            pass
        raise SourceError(self._describe_loss())

    def _try_lock(self, database: Connection, place: int) -> bool:
        try:
            row = database.execute("SELECT pg_try_advisory_lock(%s::bigint)", (place,)).fetchone()
        except psycopg.Error:
            pass
        else:
            return row == (True,)
        raise SourceError(self._describe_loss())

    def _describe_loss(self) -> str:
        return f"{self._place.name} cannot be reached. Check the server, and try again."
