"""A database that is killed at every step on the disk while it is asked five questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.filed import program
from ledger.making import quick_folder

SHARE = 4


@pytest.mark.parametrize("first", range(1, SHARE + 1))
def test_five_questions_wherever_the_process_dies(tmp_path: Path, first: int) -> None:
    with quick_folder(tmp_path) as folder:
        deaths, answers = map(int, program("asking.py", folder, first, SHARE, "nothing").split())
    assert deaths > 28
    assert answers > deaths
