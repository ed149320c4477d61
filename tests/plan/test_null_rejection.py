"""Which conditions drop every row whose value is NULL."""

from __future__ import annotations

import pytest

from answers.consistency.test_additivity import ROWS
from hedgerow.plan.null_rejection import is_never_null
from hedgerow.sql.parser import parse_question


@pytest.mark.parametrize(
    ("condition", "rejects"),
    [("v IS NOT NULL", True), ("v > 3", True), ("v > 3 OR v IS NULL", False), ("a = 1", False)],
)
def test_a_condition_that_needs_a_value_rejects_nulls(condition: str, rejects: bool) -> None:
    plan = parse_question(f"SELECT v, COUNT(*) FROM t WHERE {condition} GROUP BY v", ROWS).plan
    assert is_never_null(plan, plan.bound.keys[0]) is rejects


def test_without_a_condition_nothing_is_rejected() -> None:
    plan = parse_question("SELECT v, COUNT(*) FROM t GROUP BY v", ROWS).plan
    assert not is_never_null(plan, plan.bound.keys[0])


def test_only_a_column_as_it_is_can_be_rejected() -> None:
    plan = parse_question("SELECT v + 1, COUNT(*) FROM t WHERE v > 3 GROUP BY v + 1", ROWS).plan
    assert not is_never_null(plan, plan.bound.keys[0])
