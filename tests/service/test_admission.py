from __future__ import annotations

from contextlib import ExitStack

import pytest

from hedgerow.service import admission as module
from hedgerow.service.admission import Admission, RequestKind
from hedgerow.service.problems import Overloaded
from hedgerow.service.settings import RequestLimits

QUESTION, READING = RequestKind.question, RequestKind.reading


def test_a_caller_at_its_limit_is_refused_and_nobody_else() -> None:
    admission = Admission(RequestLimits(requests_per_caller=2))
    with ExitStack() as running:
        for _ in range(2):
            running.enter_context(admission.admit("ana", QUESTION))
        with (
            pytest.raises(Overloaded, match="of your questions") as refusal,
            admission.admit("ana", QUESTION),
        ):
            pytest.fail("admitted")
        assert refusal.value.seconds > 0
        for caller, kind in (("ana", READING), ("ben", QUESTION)):
            with admission.admit(caller, kind):
                pass
    with admission.admit("ana", QUESTION):
        pass
    assert not admission._running


def test_all_callers_together_have_a_limit_that_leaves_readings_alone() -> None:
    admission = Admission(RequestLimits(questions=1))
    with admission.admit("ana", QUESTION):
        with pytest.raises(Overloaded, match="Too many"), admission.admit("eve", QUESTION):
            pytest.fail("admitted")
        with admission.admit("eve", READING):
            pass
    with admission.admit("eve", QUESTION):
        pass


def test_a_failed_question_no_longer_counts() -> None:
    admission = Admission(RequestLimits(requests_per_caller=1))
    for _ in range(3):
        with pytest.raises(RuntimeError), admission.admit("ana", QUESTION):
            raise RuntimeError


def test_nothing_is_admitted_while_the_service_stops() -> None:
    admission = Admission(RequestLimits())
    assert not admission.is_stopping()
    admission.stop()
    assert admission.is_stopping()
    with pytest.raises(Overloaded, match="stopped"), admission.admit("ana", QUESTION):
        pytest.fail("admitted")


def test_requests_of_a_minute_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    admission = Admission(RequestLimits(requests_per_minute=3))
    for kind in (QUESTION, READING, QUESTION, QUESTION):
        with admission.admit("ana", kind):
            pass
    with admission.admit("ana", READING):  # a driver describes each question before it is asked
        pass
    with pytest.raises(Overloaded, match="minute"), admission.admit("ana", QUESTION):
        pytest.fail("admitted")
    now += 61
    with admission.admit("ana", QUESTION):
        pass
