from __future__ import annotations

import threading

import pytest

from hedgerow.service import admission as module
from hedgerow.service.admission import Admission
from hedgerow.service.problems import Overloaded
from hedgerow.service.settings import RequestLimits


def test_a_caller_at_its_limit_is_refused_and_slows_nobody_else() -> None:
    admission = Admission(RequestLimits(questions_per_caller=1, waiting_per_caller=2))
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with admission.admit("ana"):
            entered.set()
            leave.wait(30)

    first = threading.Thread(target=hold)
    first.start()
    assert entered.wait(30)
    second = threading.Thread(target=hold)  # waits for its turn
    second.start()
    while admission._waiting["ana"] < 2:
        pass
    with pytest.raises(Overloaded, match="waiting") as refusal, admission.admit("ana"):
        pytest.fail("admitted")
    assert refusal.value.seconds > 0
    with admission.admit("ben"):
        pass
    leave.set()
    first.join(30)
    second.join(30)
    with admission.admit("ana"):
        pass


def test_requests_of_a_minute_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    admission = Admission(RequestLimits(requests_per_minute=3))
    for _ in range(3):
        with admission.admit("ana"):
            pass
    with pytest.raises(Overloaded, match="minute"), admission.admit("ana"):
        pytest.fail("admitted")
    now += 61
    with admission.admit("ana"):
        pass
