"""COUNT, SUM, AVG: the pairs in aggregates.sql and aggregates__refused.sql."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.sql.rules.aggregates import find_aggregate_name, is_aggregate
from sql.fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("aggregates"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("aggregates__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)


def test_what_is_an_aggregate() -> None:
    assert is_aggregate(exp.Filter(this=exp.Sum(this=exp.column("x"))))
    assert find_aggregate_name(exp.WithinGroup(this=exp.Mode())) == "MODE"
    assert not is_aggregate(exp.Filter())
    assert find_aggregate_name(exp.column("x")) is None
