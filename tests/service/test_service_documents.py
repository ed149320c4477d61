from __future__ import annotations

import pytest

from hedgerow.service.problems import NotAllowed
from service.helpers_service import RunningService


def test_the_history_has_the_texts_of_ones_own_questions(running: RunningService) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE age < 71 -- a comment"
    running.ask("ana", sql, epsilon=0.125)
    own = running.request("GET", "/api/v1/history", who="ana").document["entries"]
    assert sql in [entry["sql"] for entry in own]
    other = running.request("GET", "/api/v1/history", who="ben").document["entries"]
    assert sql not in [entry["sql"] for entry in other]
    everything = running.request("GET", "/api/v1/history", who="aude").document["entries"]
    assert sql in [entry["sql"] for entry in everything]


def test_acts_say_what_was_done_and_by_whom(running: RunningService) -> None:
    entries = running.request("GET", "/api/v1/ledger", who="aude").document["entries"]
    notes = [entry["note"] for entry in entries if entry["kind"] == "act"]
    assert "add account: account ana, role analyst (by test)" in notes


def test_measured_clipping_is_for_custodians_and_auditors(running: RunningService) -> None:
    service = running.service
    found = service.list_clipping(service.find_caller(running.tokens["aude"]))
    assert found == {"visits": None, "shifts": None}  # the policy pays for no measurement
    with pytest.raises(NotAllowed):
        service.list_clipping(service.find_caller(running.tokens["ana"]))
