"""Aggregates of a question, each measured once."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.aggregates.measures import MAX_AGGREGATES, build_result_read
from sql.helpers_fixtures import ask


def test_equal_aggregates_are_measured_once() -> None:
    question = ask(
        "SELECT SUM(age), SUM( AGE ), SUM(visits.age + 0), AVG(age), COUNT(1), COUNT(*) FROM visits"
    )
    assert [call.name for call in question.aggregates] == ["a0", "a1", "a2", "a3"]
    # SUM(age) is read off the moments of AVG(age); age + 0 is an argument of its own
    assert len(question.plan.measures) == 3


def test_too_many_aggregates_are_refused() -> None:
    most = ", ".join(f"SUM(age + {i})" for i in range(MAX_AGGREGATES))
    assert len(ask(f"SELECT {most} FROM visits").aggregates) == MAX_AGGREGATES
    with pytest.raises(Unsupported, match="more than 100 aggregates"):
        ask(f"SELECT {most}, AVG(age) FROM visits")


def test_a_result_has_a_name_that_no_column_has() -> None:
    assert build_result_read("a0").column == "\0a0"
