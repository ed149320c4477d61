"""Answers on standard output: which form fits where."""

from __future__ import annotations

from datetime import date

from hedgerow.cli import answer_output


def test_cells_of_csv() -> None:
    assert [
        answer_output._format_csv_cell(value) for value in (None, True, date(2026, 1, 2), 5)
    ] == [
        "",
        "true",
        "2026-01-02",
        5,
    ]
