from __future__ import annotations

import json
from datetime import date

import pytest

from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.service.http.answer_formats import (
    ARROW,
    CSV,
    JSON,
    choose_format,
    encode_answer,
    encode_document,
)


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("text/html, text/csv;q=0.9", CSV),
        (ARROW, ARROW),
        ("application/json, text/csv", JSON),
    ],
)
def test_the_first_known_format_is_chosen(accept: str, chosen: str) -> None:
    assert choose_format(accept) == chosen


def test_csv_writes_null_as_nothing_and_dates_as_dates() -> None:
    table = ExactTable(
        {"d": "date", "b": "boolean", "x": "real"},
        [{"d": date(2026, 1, 31), "b": True, "x": None}],
    )
    content, kind = encode_answer(table, CSV)
    assert content == b"d,b,x\r\n2026-01-31,true,\r\n"
    assert kind == "text/csv; charset=utf-8"


def test_infinities_are_text() -> None:
    document = {"a": [float("inf"), -float("inf")], "b": (1.5, "x", None)}
    assert json.loads(encode_document(document)) == {"a": ["inf", "-inf"], "b": [1.5, "x", None]}
