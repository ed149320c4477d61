from __future__ import annotations

import json
from datetime import date

import pytest

from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.service.http.answer_formats import (
    ARROW,
    CSV,
    JSON,
    NotAcceptable,
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
        ("text/csv, application/json", CSV),
        ("application/json;q=0.5, text/csv;q=0.8", CSV),
        ("text/*", CSV),
        ("application/*", JSON),
        (f"*/*;q=0.1, {ARROW};q=0.2", ARROW),
        ("application/json;q=0, */*", CSV),
        ("TEXT/CSV ; charset=utf-8; Q=1.000", CSV),
        (", ,", JSON),
    ],
)
def test_the_first_known_format_is_chosen(accept: str, chosen: str) -> None:
    assert choose_format(accept) == chosen


@pytest.mark.parametrize(
    "accept",
    ["text/html", "*/*;q=0", "application/json;q=x", "json", "a/b;q=-1", "\0"],
)
def test_a_header_that_allows_no_format_is_refused(accept: str) -> None:
    with pytest.raises(NotAcceptable, match="must allow one of"):
        choose_format(accept)


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
