from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hedgerow.service import single_flight
from hedgerow.service.problems import Overloaded
from hedgerow.service.single_flight import FlightLocks

HOLD = """
import sys, time
from pathlib import Path
from hedgerow.service.single_flight import FlightLocks
with FlightLocks(Path(sys.argv[1]), wait=30).enter("question"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_whoever_asks_the_same_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks, order = FlightLocks(tmp_path / "flights", wait=30), []
    waits = threading.Event()
    monkeypatch.setattr(single_flight.time, "sleep", lambda _: waits.set())

    def ask() -> None:
        with locks.enter("question"):
            order.append("second")

    with locks.enter("question"):
        other = threading.Thread(target=ask)
        other.start()
        assert waits.wait(30)
        order.append("first")
    other.join(30)
    assert order == ["first", "second"]


def test_other_questions_wait_for_nobody(tmp_path: Path) -> None:
    locks, entered = FlightLocks(tmp_path / "flights", wait=0.01), 0
    with locks.enter(*(f"question {number}" for number in range(2_000))):
        for number in range(2_000, 4_000):
            with locks.enter(f"question {number}"):
                entered += 1
    assert entered == 2_000


def test_a_killed_process_gives_its_flight_back(tmp_path: Path) -> None:
    path = tmp_path / "flights"
    locks = FlightLocks(path, wait=0.05)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(Overloaded, match="Try again"), locks.enter("question"):
            pytest.fail("entered")
        process.kill()
    with FlightLocks(path, wait=30).enter("question"):
        pass


def test_a_wait_can_be_given_up(tmp_path: Path) -> None:
    locks = FlightLocks(tmp_path / "flights", wait=30)

    def give_up() -> None:
        raise InterruptedError

    with (
        locks.enter("question"),
        pytest.raises(InterruptedError),
        locks.enter("question", check=give_up),
    ):
        pytest.fail("entered")
    with locks.enter("question"):
        pass


def test_several_flights_are_taken_in_one_order(tmp_path: Path) -> None:
    locks = FlightLocks(tmp_path / "flights", wait=30)
    done = []

    def ask(keys: list[str]) -> None:
        for _ in range(20):
            with locks.enter(*keys):
                pass
        done.append(keys)

    keys = [f"question {number}" for number in range(6)]
    threads = [threading.Thread(target=ask, args=(one,)) for one in (keys, keys[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(done) == 2


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    with FlightLocks(tmp_path / "flights", wait=1).enter("question"):
        assert (tmp_path / "flights").stat().st_mode & 0o077 == 0
