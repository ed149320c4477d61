from __future__ import annotations

import threading
import time

import pytest

from hedgerow.service.engine_turns import EngineTurns
from hedgerow.service.problems import Overloaded


def queue_up(turns: EngineTurns, order: list[str], *callers: str) -> list[threading.Thread]:
    """Let callers wait one after the other; each notes its turn and gives the engine back."""

    def wait(caller: str) -> None:
        engine = turns.take(caller, 1.0)
        order.append(caller)
        turns.give_back(engine)

    threads = []
    for caller in callers:
        before = len(turns._waiting)
        threads.append(threading.Thread(target=wait, args=(caller,)))
        threads[-1].start()
        while len(turns._waiting) == before:
            time.sleep(0.001)
    return threads


def test_one_who_asks_much_does_not_starve_another() -> None:
    turns, order = EngineTurns(1, wait=30), list[str]()
    engine = turns.take("ana", 1.0)
    threads = queue_up(turns, order, "ana", "ana", "ana", "ana", "ben", "ben", "eve")
    turns.give_back(engine)
    for thread in threads:
        thread.join(30)
    assert order == ["ben", "eve", "ana", "ben", "ana", "ana", "ana"]


def test_a_longer_turn_counts_as_more() -> None:
    turns, order = EngineTurns(1, wait=30), list[str]()
    turns.give_back(turns.take("ana", 3.0))
    engine = turns.take("ben", 1.0)
    turns.add_seconds("ben", 1.0)
    threads = queue_up(turns, order, "ana", "ben", "ben")
    turns.give_back(engine)
    for thread in threads:
        thread.join(30)
    assert order == ["ben", "ana", "ben"]


def test_turns_that_were_not_wanted_are_not_saved_up() -> None:
    turns, order = EngineTurns(1, wait=30), list[str]()
    for _ in range(10):
        turns.give_back(turns.take("ana", 1.0))
    engine = turns.take("ana", 1.0)
    threads = queue_up(turns, order, "ben", "ana", "ben", "ben")
    turns.give_back(engine)
    for thread in threads:
        thread.join(30)
    assert order.index("ana") < 3


def test_a_wait_for_an_engine_has_a_limit() -> None:
    turns = EngineTurns(1, wait=0.01)
    engine = turns.take("ana", 5.0)
    with pytest.raises(Overloaded, match="engines are busy") as refusal:
        turns.take("ben", 5.0)
    assert refusal.value.seconds == 5
    turns.give_back(engine)
    assert turns.take("ben", 5.0) == engine


def test_an_engine_is_given_back_after_its_work_whatever_happens() -> None:
    turns = EngineTurns(1, wait=0.01)

    def work() -> None:
        with turns.hold("ana", 1.0):
            with pytest.raises(Overloaded):
                turns.take("ben", 1.0)
            raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            work()


def test_a_wait_can_be_given_up() -> None:
    turns = EngineTurns(1, wait=30)
    engine = turns.take("ana", 1.0)

    def give_up() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        turns.take("ben", 1.0, give_up)
    turns.give_back(engine)
    assert turns.take("ben", 1.0) == engine
