from __future__ import annotations

import logging

import pytest

from hedgerow.service.metrics import Metrics
from hedgerow.service.wire.listener import WireListener
from service.clients.helpers_clients import free_of_charge
from service.helpers_service import RunningService
from service.wire.helpers_wire_fuzz import fuzz_logins, fuzz_sessions


def test_a_cancel_key_reaches_its_session_and_no_other(running: RunningService) -> None:
    listener, cancelled = WireListener(running.service, Metrics(), None), []
    one, two, none = (1, b"aaaa"), (1, b"aaab"), (9, b"")
    listener.register(one, lambda: cancelled.append("one"))
    listener.register(two, lambda: cancelled.append("two"))
    listener.cancel(two)
    listener.cancel(none)
    listener.unregister(two)
    listener.cancel(two)
    listener.unregister(none)
    assert cancelled == ["two"]


def test_mutated_logins_lose_no_process(running: RunningService) -> None:
    fuzz_logins(running, 800, seed=20261118)
    assert running.request("GET", "/healthz").status == 200


@pytest.mark.long
def test_mutated_messages_are_answered_as_a_second_codec_reads_them(
    running: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    with free_of_charge(running):
        seen = fuzz_sessions(running, 1200, seed=20261119)
    assert seen["08P01"] > 200  # malformed
    assert len(seen) >= 8
    assert seen["XX000"] == 0
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert running.request("GET", "/healthz").status == 200
