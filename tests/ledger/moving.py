"""A ledger that is moved to another store, killed by SIGKILL at its k-th step, for every k.

Run as a program: moving.py FOLDER PORT FROM TO FIRST EACH. FROM and TO are kinds of stores, PORT is
that of a PostgreSQL server, and the k are FIRST, FIRST + EACH, … to the end of the move. A step is
a write, sync or deletion by SQLite, a write, sync or replacement of an anchor, or a statement that
is sent to the server. After each death at most one of the two accepts a charge, and the same move
again ends with all charges in the new one. Prints the number of deaths, and how many ledgers were
open after them.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import psycopg

from engines.postgresql.helpers_server import Server
from fate import VFS, life
from hedgerow.errors import LedgerError
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.postgresql.store import PostgresLedger
from hedgerow.ledger.recovery import move
from hedgerow.ledger.sqlite import Ledger
from ledger.helpers_stores import FileStore, Store, TableStore, attach_server
from ledger.killing import BESIDE
from ledger.making import TENTH, pay

STATEMENTS = ((psycopg.Cursor, "execute"), (psycopg.Cursor, "executemany"))


def build(kind: str, folder: Path, name: str, server: Server) -> Store:
    return FileStore(folder, name) if kind == "sqlite" else TableStore(folder, name, server)


def go(source: Store, target: Store) -> None:
    Ledger._vfs = VFS
    move(source.place, target.place, "a larger house")


def count_open(*stores: Store) -> int:
    """How many of these accept a charge now."""
    accepted = 0
    for store in stores:
        try:
            with store.open() as ledger:
                pay(ledger, question="after the death")
        except LedgerError:
            continue
        accepted += 1
    return accepted


def check(source: Store, target: Store) -> int:
    accepted = count_open(source, target)
    assert accepted <= 1, "two ledgers are open"
    if accepted == 0 or not count_arrived(target):
        move(source.place, target.place, "again")
    with target.open() as ledger:
        assert ledger.state.budget("patients").charged == (3 + accepted) * TENTH
        assert [payload for _, payload in ledger.answers("q1", "1")] == ["answer 1"]
        pay(ledger)
    assert count_open(source) == 0
    for store in (source, target):
        assert verify(store.place).sound, verify(store.place).problem
    return accepted


def count_arrived(target: Store) -> int:
    """How often the ledger arrived there; it may have gone on after that, so that the source is not
    its copy any more.
    """
    try:
        with target.open() as ledger:
            return [entry.kind for entry in ledger.entries()].count("arrived")
    except LedgerError:
        return 0


def main(folder: str, port: str, old: str, new: str, first: str, each: str) -> None:
    PostgresLedger._required = {}
    server, deaths, opened = attach_server(int(port)), 0, 0
    for step in itertools.count(int(first), int(each)):
        home = Path(folder) / str(step)
        home.mkdir()
        source = build(old, home, "old", server).make()
        target = build(new, home, "new", server)
        _, died = life(
            (source if old == "sqlite" else target).path,
            step,
            lambda _, source=source, target=target: go(source, target),  # type: ignore[misc]
            *BESIDE,
            *STATEMENTS,
        )
        opened += check(source, target)
        if not died:
            break
        deaths += 1
    print(deaths, opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
