"""What was found about synthetic rows is told in sentences, with units."""

from __future__ import annotations

from typing import Any

import pytest

from hedgerow.publish.output.quality_report import (
    describe_quality,
    summarise_quality,
    summarise_quality_briefly,
)

PAIR = {
    "places": ["age", "sex"],
    "expected_error": 0.04,
    "dependence": 0.2,
    "measured_dependence": 0.25,
}
CHECK = {"pairs": [["age", "sex"], ["age", "town"]], "error": 0.0312, "at_most": 0.05}
TASK = {
    "target": "sex",
    "by": ["age", "town"],
    "synthetic": 0.8,
    "exact": 0.75,
    "commonest": 0.6,
    "standard_error": 0.01,
}
WHOLE: dict[str, Any] = {
    "attributes": {"age": 0.0, "sex": 0.00001},
    "pairs": [PAIR],
    "check": CHECK,
    "task": TASK,
}


def test_the_share_out_of_place_comes_first() -> None:
    assert (
        summarise_quality({"quality": WHOLE})
        == "About 3.1 % of the rows are misplaced in tables of two columns, by a fresh"
        " measurement; at most 5 % with 95 % confidence."
    )
    assert str(summarise_quality({"quality": WHOLE | {"check": None}})).startswith(
        "About 4 % of the rows are expected to be misplaced"
    )
    assert summarise_quality({"quality": WHOLE | {"check": None, "pairs": []}}) is None
    assert summarise_quality({}) is None
    hidden = {"quality": WHOLE | {"check": CHECK | {"error": 0.0}}}
    assert str(summarise_quality(hidden)).startswith("At most 5 % of the rows are misplaced")
    assert summarise_quality_briefly(hidden) == "at most 5 % with 95 % confidence"
    assert (
        summarise_quality_briefly({"quality": WHOLE})
        == "about 3.1 %, at most 5 % with 95 % confidence"
    )
    assert summarise_quality_briefly({"quality": WHOLE | {"check": None}}) == "about 4 %, expected"
    assert summarise_quality_briefly({}) is None


def test_every_part_has_a_heading_and_words() -> None:
    columns, pairs, check, task = describe_quality({"quality": WHOLE})
    assert columns.rows == (("age", "0 %"), ("sex", "less than 0.01 %"))
    assert columns.paragraphs[0] == summarise_quality({"quality": WHOLE})
    assert pairs.rows == (("age × sex", "4 %", "0.20", "0.25"),)
    assert "Cramér" in pairs.paragraphs[0]
    assert check.paragraphs == (
        "2 tables, good and bad ones, were measured afresh: age × sex; age × town.",
    )
    assert (
        "predicts sex from age and town correctly in 80 % of these rows and in 75 % of the real"
        " rows (standard error 1 %)" in task.paragraphs[0]
    )
    assert "right in 60 %" in task.paragraphs[0]


@pytest.mark.parametrize(
    "facts", [{}, {"quality": None}, {"quality": {"attributes": {}, "pairs": []}}]
)
def test_a_report_without_findings_is_empty(facts: dict[str, Any]) -> None:
    assert describe_quality(facts) == []


def test_one_column_alone_has_a_table_only() -> None:
    (only,) = describe_quality(
        {"quality": {"attributes": {"age": 0.5}, "pairs": [], "check": None, "task": None}}
    )
    assert only.rows == (("age", "50 %"),)
    assert len(only.paragraphs) == 1
