"""A database that dies while it is asked: every answer that anybody received was charged, and
none is lost.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.filed import program
from ledger.making import quick_folder


@pytest.mark.long
def test_five_questions_wherever_the_process_dies(tmp_path: Path) -> None:
    """At a dozen of the places; tests/slow/test_killed_long.py dies at all of them."""
    with quick_folder(tmp_path) as folder:
        deaths, answers = map(int, program("asking.py", folder, 5, 11, "nothing").split())
    assert deaths > 9
    assert answers > deaths


@pytest.mark.long
@pytest.mark.parametrize(
    ("mistake", "first", "told"),
    [
        ("anchor_in_place", 24, "anchor of the ledger.*cannot be read"),
        ("charge_after_answer", 50, r"KeyError: 'r\d'"),
    ],
)
def test_a_planted_mistake_is_found(tmp_path: Path, mistake: str, first: int, told: str) -> None:
    with quick_folder(tmp_path) as folder, pytest.raises(AssertionError, match=told):
        program("asking.py", folder, first, 1, mistake)
