from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from hedgerow.service.http.templating import render_template


def test_everything_is_escaped() -> None:
    page = render_template(
        "problem.html", 400, database="<db>", detail="<script>", problem_title="x"
    )
    text = bytes(page.body).decode()
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert page.status_code == 400


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_template("history.html", database="db")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("9.500000000000", "9.5"),
        ("1.306670353472", "1.30667"),
        ("0.000000050000", "0.00000005"),
        ("0", "0"),
    ],
)
def test_budgets_are_written_short(value: str, text: str) -> None:
    from hedgerow.service.http.templating import _format_plain

    assert _format_plain(value) == text
