from __future__ import annotations

import pytest

from hedgerow.service.accounts.records import Caller
from hedgerow.service.http.explanation_panel import (
    ExplanationPanel,
    build_explanation_panel,
    format_field,
)
from service.helpers_service import RunningService


def build_panel(running: RunningService, name: str, sql: str, epsilon: float) -> ExplanationPanel:
    account = running.service.accounts.find_account(name)
    assert account is not None
    found = running.service.explain(Caller(account), sql, epsilon=epsilon)
    return build_explanation_panel(found)


def test_it_shows_cost_error_and_what_is_left(running: RunningService) -> None:
    panel = build_panel(running, "ben", "SELECT COUNT(*) FROM visits WHERE age < 61", 0.5)
    cost, error, left = panel.facts
    assert (cost.value, panel.epsilon, panel.is_free) == ("epsilon 0.5", "0.5", False)
    assert error.name == "Error of COUNT(*)"
    assert error.value.startswith("± ")
    assert float(panel.error) > 0
    assert (left.value, left.hint) == ("4", "in your quota")
    assert panel.is_covered


def test_a_question_that_was_answered_is_free(running: RunningService) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE age < 64"
    running.ask("ana", sql, epsilon="0.5")
    panel = build_panel(running, "ana", sql, 0.5)
    assert panel.is_free
    assert panel.facts[0].value == "free"
    assert "answered before, ledger entry" in panel.facts[0].hint
    assert panel.facts[-1].hint.endswith("if they were paid for anew")


def test_a_question_that_is_not_covered_says_so(running: RunningService) -> None:
    panel = build_panel(running, "ben", "SELECT COUNT(*) FROM visits WHERE age < 62", 2.5)
    assert panel.facts[-1].value == "none"
    assert not panel.is_covered


def test_an_error_that_is_private_is_described_by_its_note(running: RunningService) -> None:
    panel = build_panel(running, "ana", "SELECT AVG(age) FROM visits WHERE age < 63", 0.5)
    assert panel.facts[1].value == ""
    assert "for n rows" in panel.facts[1].hint
    assert panel.error == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (1234.56, "1235"), (1.2345e-5, "0.00001234"), (2e6, "2000000")],
)
def test_a_field_holds_a_plain_number(value: float, text: str) -> None:
    assert format_field(value) == text
