"""What people see of an answer: nothing cut off, intervals aligned, notebooks safe from what the
data say.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from rich.console import Console

from database.clinic import exactly
from hedgerow import protect
from hedgerow.answers import render as show
from hedgerow.answers.answer import Answer
from hedgerow.database import Database

GROUPED = "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age FROM data GROUP BY region"


def answered(db: Database, sql: str, epsilon: float = 1) -> Answer:
    answer = db.query(sql, epsilon=epsilon)
    assert isinstance(answer, Answer)
    return answer


def test_numbers_stand_right_and_intervals_are_aligned() -> None:
    with exactly(epsilon=3) as db:
        text = repr(answered(db, GROUPED))
    head, _, *rows = text.split("\n\n")[0].splitlines()
    assert head.split()[:2] == ["region", "n"]
    assert head.count("95 % interval") == 2
    assert len({row.index(" … ") for row in rows}) == 1
    ends = [re.match(r" \w+ +[-\d,]+(?= )", row) for row in rows]
    assert len({found.end() for found in ends if found}) == 1
    assert None not in ends
    assert "Cost: epsilon 1" in text
    assert "ledger entry 3" in text


def test_a_notebook_prints_the_table_and_displays_nothing_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    displayed: list[object] = []
    with exactly(epsilon=3) as db:
        answer = answered(db, GROUPED)
    plain = repr(answer)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *shown: displayed.append(shown))
    assert Console().is_jupyter  # what rich believes in a notebook
    assert repr(answer) == plain
    assert "region" in plain
    assert displayed == []


@pytest.mark.parametrize(
    ("pairs", "places"),
    [
        ([(0, 3000)], 0),
        ([(51.2, 56.4)], 1),
        ([(1.0, 1.5), None], 2),
        ([None, (0.5, 0.5)], None),
        ([], None),
        ([(0, 1e-30)], 12),
    ],
)
def test_decimals_follow_the_width_of_the_interval(
    pairs: list[tuple[float, float] | None], places: int | None
) -> None:
    assert show._count_decimals(pairs) == places


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (None, None, "NULL"),
        (True, None, "true"),
        (1234567, 2, "1,234,567"),
        (1234.5678, 2, "1,234.57"),
        (0.123456789, None, "0.123457"),
        (12345678.9, None, "12,345,679"),
        ("a", 3, "a"),
    ],
)
def test_values(value: object, places: int | None, text: str) -> None:
    assert show._format_value(value, places) == text


def test_a_terminal_gets_the_same_table() -> None:
    with exactly(epsilon=3) as db:
        answer = answered(db, GROUPED)
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(show.build_answer_table(answer))
    drawn = [
        line.rstrip()
        for line in console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        if line.strip()
    ]
    assert drawn == repr(answer).split("\n\n")[0].splitlines()


def test_long_answers_are_truncated_with_a_note() -> None:
    frame = pa.table({"id": list(range(70)), "k": list(range(70))})
    keys = {"k": {"values": list(range(70))}}
    with protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns=keys,
        epsilon=1,
    ) as db:
        text = repr(answered(db, "SELECT k, COUNT(*) FROM data GROUP BY k"))
        assert "… and 10 more rows. Read them all in .rows" in text
        assert len(text.split("\n\n")[0].splitlines()) == 62
        assert "Answered before, free now · ledger entry 3" in repr(
            answered(db, "SELECT k, COUNT(*) FROM data GROUP BY k")
        )


def test_no_rows_and_no_intervals() -> None:
    with exactly(epsilon=3) as db:
        empty = answered(
            db,
            "SELECT region, COUNT(*) AS n FROM data GROUP BY region HAVING COUNT(*) > 1000000000",
        )
        assert repr(empty).splitlines()[0].split() == ["region", "n"]
        assert "<tbody></tbody>" in empty._repr_html_()
        assert "HAVING, LIMIT or OFFSET leaves no rows." in repr(empty)


def test_hidden_groups_are_mentioned() -> None:
    note = "Groups with a noisy count below 57 people are hidden. …"
    assert show._describe_no_rows([note]).startswith("Every group is hidden")


def test_years_among_the_keys_are_plain_and_counts_are_not() -> None:
    frame = pa.table({"id": list(range(5000)), "year": [2024] * 5000})
    with protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"year": {"values": [2024]}},
        epsilon=1,
    ) as db:
        answer = answered(
            db, "SELECT year, year + 1 AS next, COUNT(*) AS n FROM data GROUP BY year"
        )
    assert answer.keys == {"year", "next"}
    year, next_, n, *_ = repr(answer).splitlines()[2].split()
    assert (year, next_) == ("2024", "2025")
    assert "," in n


def test_a_notebook_escapes_and_draws_error_bars() -> None:
    frame = pa.table({"id": [1, 2], "k": ["<b>", "x"]})
    with protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"k": ["<b>", "x"]},
        epsilon=1,
    ) as db:
        page = answered(db, 'SELECT k, COUNT(*) AS "a & b" FROM data GROUP BY k')._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "a &amp; b" in page
    assert page.count("<svg") == 2
    ElementTree.fromstring(f"<div>{page.replace('<br>', '<br/>')}</div>")
    for x in re.findall(r'cx="([-\d.]+)"', page):
        assert 4 <= float(x) <= 116


def test_error_bars_skip_nulls() -> None:
    full, empty = show._draw_error_bars([3, None], [(1, 5), None])
    assert full.startswith("<svg")
    assert empty == ""
    assert 'cx="4.0"' in show._draw_error_bars([2], [(2, 2)])[0]


def test_an_explanation_repeats_nothing() -> None:
    with exactly(epsilon=3) as db:
        told = db.explain("SELECT city, COUNT(*) AS n, SUM(age) FROM data GROUP BY city", epsilon=1)
    lines = repr(told).splitlines()
    assert len(lines) == len(set(lines)) == 1 + 2 + len(told.notes)
    assert lines[0].startswith("This question would cost epsilon 1")
    assert lines[1].index("off by") == lines[2].index("off by")
    assert not any(step in repr(told) for step in told.steps)
    page = told._repr_html_()
    assert page.count("<li>") == len(told.steps)
    assert "<details>" in page
