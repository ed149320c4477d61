"""SELECTs of counts and sums, and the answers in their results."""

from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.answers.select_statements import SelectStatement


def said(sql: str, rows: list[list[object]]) -> list[tuple[str, str, object]]:
    return [
        (each.name, each.description, each.value)
        for each in SelectStatement.parse(sql).build_answers("Q1", 1, rows)
    ]


def test_one_count() -> None:
    assert said("SELECT COUNT(*) AS n FROM People WHERE age = 21", [["4"]]) == [
        ("Q1", "people with age = 21", 4)
    ]
    assert said("SELECT COUNT(1) FROM t", []) == [("Q1", "people with any values", None)]
    assert said("SELECT COUNT(income) FROM t", [["4"]]) == [
        ("Q1", "people with income is known", 4)
    ]
    assert SelectStatement.parse("SELECT COUNT(*) FROM People").table == "people"


def test_several_measures_and_filters() -> None:
    sql = (
        "SELECT COUNT(*), SUM(income), AVG(income), COUNT(*) FILTER (WHERE b = 1) FROM t WHERE"
        " a = 1"
    )
    assert said(sql, [["4", "100", "25", "*"]]) == [
        ("Q1a", "people with a = 1", 4),
        ("Q1b", "sum of income with a = 1", 100),
        ("Q1c", "mean of income with a = 1", 25),
        ("Q1d", "people with a = 1 and b = 1", None),
    ]


def test_groups_and_that_there_is_no_other() -> None:
    found = said("SELECT sex, COUNT(*) FROM t GROUP BY 1", [["m", "4"], [None, 1]])
    assert found == [
        ("Q1.1", "people with sex = 'm'", 4),
        ("Q1.2", "people with sex is missing", 1),
        ("Q1 (no other group)", "people in no group of that table", 0),
    ]
    assert (
        len(said("SELECT sex, COUNT(*) FROM t GROUP BY sex HAVING COUNT(*) > 2", [["m", "4"]])) == 1
    )
    assert len(said("SELECT COUNT(*) FROM t GROUP BY sex LIMIT 3", [["4"]])) == 1


def test_keys_are_read_by_how_they_look() -> None:
    rows: list[list[object]] = [
        ["21", 1],
        ["'21'", 1],
        [True, 1],
        ["FALSE", 1],
        ["2026-01-31", 1],
        ["1e5", 1],
        [21, 1],
        ["'it''s'", 1],
    ]
    found = [each[1] for each in said("SELECT k, COUNT(*) FROM t GROUP BY k LIMIT 9", rows)]
    texts = ["21", "'21'", "true", "false", "'2026-01-31'", "'1e5'", "21", "'it''s'"]
    assert found == [f"people with k = {text}" for text in texts]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT COUNT(*) FROM a JOIN b ON a.x = b.x", "JOIN is not read"),
        ("SELECT COUNT(*) FROM a, b", "JOIN is not read"),
        ("SELECT COUNT(*) FROM (SELECT 1)", "one table after FROM"),
        ("SELECT COUNT(*)", "one table after FROM"),
        ("SELECT DISTINCT COUNT(*) FROM a", "DISTINCT is not read"),
        ("SELECT COUNT(DISTINCT x) FROM a", r"COUNT\(DISTINCT x\) is not read"),
        ("SELECT MEDIAN(x) FROM a", "is not read"),
        ("SELECT x FROM a", "is not read"),
        ("SELECT x FROM a GROUP BY x", "no aggregate"),
        ("SELECT COUNT(*) FROM a GROUP BY x + 1", "plain columns only"),
        ("SELECT COUNT(*) FROM a GROUP BY 7", "plain columns only"),
        ("SELECT x, COUNT(*) FROM a GROUP BY ROLLUP (x)", "plain columns only"),
        ("SELECT MAX(x) FILTER (WHERE y = 1) FROM a", "is not read"),
    ],
)
def test_unsupported_parts_are_named(sql: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        SelectStatement.parse(sql)


def test_results_have_the_shape_of_the_question() -> None:
    with pytest.raises(InvalidArgument, match="line 1 must have one row of results"):
        said("SELECT COUNT(*) FROM t", [["4"], ["5"]])
    with pytest.raises(InvalidArgument, match="line 1 must have 2 numbers or keys"):
        said("SELECT sex, COUNT(*) FROM t GROUP BY sex", [["4"]])
