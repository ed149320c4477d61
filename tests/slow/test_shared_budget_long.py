"""Sixty-four people at four processes of one ledger, which are killed and paused all the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.processes.helpers_crowd import run_crowd


@pytest.mark.parametrize("options", [("--untimed",), ("--answer-seconds", "2")])
def test_a_shared_budget_is_spent_exactly_by_a_crowd(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    crowd = run_crowd(tmp_path, options, processes=4, people=64, questions=320)
    assert {one.entry is None for one in crowd.received} == {True, False}  # over both protocols
    assert crowd.lost > 0
