"""Several processes over one ledger, killed and paused while many ask: the budget is spent to the
last question and not beyond, and every answer was paid for once."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.processes.helpers_crowd import run_crowd

pytestmark = pytest.mark.long


def test_a_shared_budget_is_spent_exactly_while_processes_die(tmp_path: Path) -> None:
    crowd = run_crowd(tmp_path, ["--untimed"], processes=2, people=8, questions=40)
    assert {one.entry is None for one in crowd.received} == {True, False}  # over both protocols
    assert crowd.lost > 0
