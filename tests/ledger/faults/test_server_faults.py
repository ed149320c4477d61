"""Clients of a ledger in a server that syncs, while connections end and the server restarts."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

import psycopg
import pytest

from engines.postgresql.helpers_server import Server
from hedgerow.errors import LedgerError
from ledger.helpers_nemesis import get_durable_server, spend_under_faults
from ledger.helpers_stores import TableStore
from ledger.making import TENTH, pay


@pytest.mark.long
def test_every_grant_is_in_the_ledger_whatever_ends(tmp_path: Path) -> None:
    """tests/slow/test_server_faults_long.py: 64 clients and 600 terminations."""
    ended, seconds = spend_under_faults(
        tmp_path, processes=1, threads=12, units=100, terminations=40, restarts=1, pause=0.3
    )
    assert ended > 20
    assert len(seconds) == 100


@pytest.mark.long
def test_a_commit_that_no_standby_confirmed_is_not_granted(tmp_path: Path) -> None:
    """The server commits all the same, and only warns if the wait for the standby is cancelled."""
    server = get_durable_server()
    store = TableStore(tmp_path, server=server).make(0)
    with store.open() as ledger, server.connect() as owner:
        owner.execute("ALTER SYSTEM SET synchronous_standby_names = 'ghost'")
        owner.execute("SELECT pg_reload_conf()")
        wait_until_commits_wait(server, owner)
        cancelled = threading.Thread(target=cancel_wait, args=(owner,))
        cancelled.start()
        with pytest.raises(LedgerError, match=r"did not confirm entry 3.*its standby did not"):
            pay(ledger, request="r")
        cancelled.join()
        owner.execute("ALTER SYSTEM RESET synchronous_standby_names")
        owner.execute("SELECT pg_reload_conf()")
        # It is spent, and the same request finds it.
        assert ledger.state.budget("patients").charged == TENTH
        assert pay(ledger, request="r").seq == 3


def wait_until_commits_wait(server: Server, owner: psycopg.Connection[object]) -> None:
    """Wait until the server has read its new settings: another client's commit then waits."""
    seen = threading.Event()

    def commit() -> None:
        with server.connect() as other:
            while not seen.is_set():
                with contextlib.suppress(psycopg.errors.QueryCanceled):  # late, after its wait
                    other.execute("CREATE TABLE IF NOT EXISTS public.probe ()")
                    other.execute("DROP TABLE IF EXISTS public.probe")

    committing = threading.Thread(target=commit)
    committing.start()
    until = time.monotonic() + 60
    while committing.is_alive():
        if time.monotonic() > until:
            seen.set()
        if owner.execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        ).fetchall():
            seen.set()
        time.sleep(0.02)


def cancel_wait(owner: psycopg.Connection[object]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        row = owner.execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        ).fetchone()
        if row is not None:
            return
        time.sleep(0.02)
