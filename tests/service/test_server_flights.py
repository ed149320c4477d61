from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hedgerow.errors import SourceError
from hedgerow.ledger.location import ServerLocation
from hedgerow.service import single_flight
from hedgerow.service.problems import Overloaded
from hedgerow.service.server_flights import ServerFlightLocks
from ledger.helpers_stores import TableStore


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    return TableStore(tmp_path)


def end_connections(store: TableStore) -> int:
    """Cut off the host that holds a flight, as a dead network does."""
    with store.connect() as owner:
        rows = owner.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'"
            " AND granted"
        ).fetchall()
    return len(rows)


def test_whoever_asks_the_same_on_another_host_waits(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = (ServerFlightLocks(store.place, wait=30) for _ in range(2))
    waits, order = threading.Event(), list[str]()
    monkeypatch.setattr(single_flight.time, "sleep", lambda _: waits.set())

    def ask() -> None:
        with there.enter("question", "another"):
            order.append("second")

    with here.enter("another"):
        other = threading.Thread(target=ask)
        other.start()
        assert waits.wait(30)
        order.append("first")
    other.join(30)
    assert order == ["first", "second"]


def test_other_questions_and_other_ledgers_wait_for_nobody(
    store: TableStore, tmp_path: Path
) -> None:
    other = ServerLocation(store.place.address, "another", "x", tmp_path / "x")
    with (
        ServerFlightLocks(store.place, wait=0).enter("one", "two"),
        ServerFlightLocks(store.place, wait=0).enter("three"),
        ServerFlightLocks(other, wait=0).enter("one"),
        pytest.raises(Overloaded),
        ServerFlightLocks(store.place, wait=0).enter("two"),
    ):
        pytest.fail("entered")


def test_a_host_that_is_cut_off_gives_its_flight_back(store: TableStore) -> None:
    locks = ServerFlightLocks(store.place, wait=1)
    with locks.enter("question"):
        assert end_connections(store) == 1
        with locks.enter("question"):
            pass


def test_a_wait_ends_when_nobody_wants_the_answer_or_the_server_goes(store: TableStore) -> None:
    locks = ServerFlightLocks(store.place, wait=30)

    def leave() -> None:
        raise KeyError

    with locks.enter("question"):
        with pytest.raises(KeyError), locks.enter("question", check=leave):
            pytest.fail("entered")
        with (
            pytest.raises(SourceError, match="cannot be reached"),
            locks.enter("question", check=lambda: end_others(store)),
        ):
            pytest.fail("entered")
    gone = ServerLocation("host=/nowhere", "x", "the server", store.path)
    with (
        pytest.raises(SourceError, match="the server cannot be reached"),
        ServerFlightLocks(gone, wait=1).enter("question"),
    ):
        pytest.fail("entered")


def end_others(store: TableStore) -> None:
    """Cut off those who wait."""
    with store.connect() as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name ="
            " 'hedgerow-ledger' AND pid NOT IN (SELECT pid FROM pg_locks WHERE granted"
            " AND locktype = 'advisory')"
        )
