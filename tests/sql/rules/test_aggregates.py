"""COUNT, SUM, AVG: the pairs in aggregates.sql and aggregates__refused.sql."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.sql.rules.aggregates import find_aggregate_name, is_aggregate
from sql.helpers_fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("aggregates"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("aggregates__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_aggregates_are_recognised_inside_filter_and_within_group() -> None:
    assert is_aggregate(exp.Filter(this=exp.Sum(this=exp.column("x"))))
    assert find_aggregate_name(exp.WithinGroup(this=exp.Mode())) == "MODE"
    assert not is_aggregate(exp.Filter())
    assert find_aggregate_name(exp.column("x")) is None
