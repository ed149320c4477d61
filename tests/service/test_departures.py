from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service import departures as module
from hedgerow.service.departures import Departures, RunSlot, TimingPromise


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(module.time, "sleep", self._sleep)

    def _sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize("elapsed", [0.0, 1.0, 4.99])
def test_an_answer_leaves_when_its_slot_ends_however_soon_it_was_ready(
    clock: Clock, elapsed: float
) -> None:
    end = clock.now + 5
    clock.now += elapsed
    assert Departures().wait_until(end)
    assert clock.now == pytest.approx(105)


def test_a_run_that_is_late_is_reported(clock: Clock) -> None:
    assert not Departures().wait_until(clock.now - 0.01)


@pytest.mark.parametrize(("elapsed", "leaves"), [(0.01, 0.05), (0.05, 0.05), (0.051, 0.1)])
def test_other_responses_leave_on_a_grid(clock: Clock, elapsed: float, leaves: float) -> None:
    start = clock.now
    clock.now += elapsed
    Departures().wait_for_step(start)
    assert clock.now - start == pytest.approx(leaves)


def test_the_weaker_promise_waits_for_nothing_and_says_so(clock: Clock) -> None:
    plain = Departures(TimingPromise.none)
    assert plain.wait_until(clock.now + 100)
    plain.wait_for_step(clock.now)
    assert clock.now == 100
    assert "may depend on the data" in plain.notes[0]
    assert "may depend on the data" in plain.describe()
    assert Departures().notes == ()
    assert "whatever the data" in Departures().describe()


def test_the_moments_of_a_slot_follow_from_its_begin_and_its_length() -> None:
    slot = RunSlot(100.0, 20.0)
    assert slot.engine_seconds == pytest.approx(14)
    assert (slot.store_time, slot.end) == (pytest.approx(117), 120)
    assert "70%" in Departures().describe()
    assert Departures(run_seconds=4).describe().startswith("4 seconds after an engine")
    with pytest.raises(InvalidArgument, match="run_seconds"):
        Departures(run_seconds=0)
