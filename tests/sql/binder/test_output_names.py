"""Names of the columns of an answer."""

from __future__ import annotations

import pytest

from sql.helpers_fixtures import ask


@pytest.mark.parametrize(
    ("items", "names"),
    [
        ("COUNT(*), SUM(age), AVG(age)", ["count", "sum", "avg"]),
        ("COUNT(*), COUNT(*), COUNT(*)", ["count", "count_2", "count_3"]),
        ("COUNT(*) AS Count, COUNT(*)", ["Count", "count_2"]),
        ("COUNT(*) AS x, COUNT(*) AS X", ["x", "X_2"]),
        ("(COUNT(*)), COUNT(*) + 1, 'x'", ["count", "column2", "column3"]),
        ("REGION, (visits.Region), COUNT(*)", ["region", "region_2", "count"]),
        ('COUNT(*) AS "a b", SUM(age) total', ["a b", "total"]),
    ],
)
def test_outputs_are_named_by_alias_column_or_aggregate(items: str, names: list[str]) -> None:
    question = ask(f"SELECT {items} FROM visits GROUP BY region")
    assert [output.name for output in question.outputs] == names


def test_a_generated_suffix_avoids_existing_names() -> None:
    question = ask("SELECT COUNT(*) AS count_2, COUNT(*), COUNT(*) FROM visits")
    assert [output.name for output in question.outputs] == ["count_2", "count", "count_3"]
