"""The report says what was found, draws it, and warns."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from hedgerow.risk.report_page import SENSITIVE_WARNING
from hedgerow.risk.table.linkage import linkage
from hedgerow.risk.table.report import build_table_page, format_percent
from hedgerow.risk.table.sample_students import students
from hedgerow.risk.table.uniqueness import uniqueness

KNOWN = ["age", "sex", "first_semester", "worst_grade", "siblings"]


def drawings(text: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text)]


def test_a_report_on_the_students() -> None:
    linked = linkage(students(), students().slice(3, 15), ["age", "sex"])
    text = build_table_page("students.csv", uniqueness(students(), KNOWN), linked, "club.csv")
    assert text.count(SENSITIVE_WARNING) == 2
    assert "<h1>Re-identification: students.csv</h1>" in text
    assert "<dd>18 rows, 75 %</dd>" in text
    assert "None makes every row unique" in text
    assert "age, worst_grade, siblings" in text
    assert f"{linked.certain_count} of 24 rows match club.csv for certain" in text
    assert "are not linked" not in text
    classes, steps, attackers, candidates = drawings(text)
    bars = [
        len([each for each in found.iter() if each.tag.endswith("rect")])
        for found in (classes, steps, attackers, candidates)
    ]
    assert bars == [6, 5, 6, 7]


def test_identifying_sets_are_listed_and_gaps_reported() -> None:
    table = pa.table({"id": range(30), "x": [1, None] * 15})
    text = build_table_page("t", uniqueness(table), linkage(table, table), "t")
    assert "1 of them makes every row unique and can spare no column" in text
    assert "id has a different value in almost every row" in text
    assert "Rows with a missing value are not linked: 15 here, 15 there." in text
    several = build_table_page("t", uniqueness(students(), KNOWN, share=0.5))
    assert "of them make at least 50 % of the rows unique" in several


def test_a_greedy_search_says_so_and_has_no_attackers() -> None:
    wide = pa.table({f"q{i}": [row * (i + 3) % 7 % 4 for row in range(20)] for i in range(45)})
    text = build_table_page("wide", uniqueness(wide, search="greedy", size=2))
    assert "one set, extended by the best column each time" in text
    assert "Attackers who know some columns" not in text
    assert "q19 and 25 more" in text
    assert "The first 40 of 45 columns." in text


def test_names_are_escaped() -> None:
    text = build_table_page("<b>", uniqueness(pa.table({"<i>": [1, 2]})))
    assert "<b>" not in text
    assert "<i>" not in text


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (Fraction(1, 3), "33.3 %"),
        (0.5, "50 %"),
        (0.0001, "under 0.1 %"),
        (0.9999, "over 99.9 %"),
        (0.001, "0.1 %"),
    ],
)
def test_percent_tells_few_from_none(part: float, told: str) -> None:
    assert format_percent(part) == told


def test_more_sets_than_are_listed() -> None:
    many = uniqueness(pa.table({f"id{i:02}": range(3) for i in range(21)}), size=1)
    text = build_table_page("keys", many)
    assert (
        "21 of them make every row unique and can spare no column. The first 20 are listed; --json"
        " has all." in text
    )
    assert "id19" in text.split("Smallest identifying column sets")[1]
    assert "id20" not in text.split("Smallest identifying column sets")[1].split("Attackers")[0]


def test_a_bar_of_few_unique_rows_does_not_say_0() -> None:
    table = pa.table({"x": [0, *[1] * 2_000], "y": [*[0] * 2_000, 1]})
    steps = drawings(build_table_page("t", uniqueness(table)))[1]
    written = {each.text for each in steps.iter() if each.get("class") == "value"}
    assert written == {"under 0.1 %"}
