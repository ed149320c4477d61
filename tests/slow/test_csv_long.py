"""Scanner, grammar and engine agree about files of comma-separated values: many more of them."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pytest

from engines.helpers_csv import check_drawn


@pytest.mark.parametrize("start", range(8))
def test_scanner_grammar_and_engine_agree_about_many_files(start: int, tmp_path: Path) -> None:
    draw = random.Random(start)
    with duckdb.connect(config={"threads": 1}) as connection:
        good = sum(check_drawn(draw, tmp_path / "t.csv", connection) for _ in range(10_000))
    assert good > 2_000
