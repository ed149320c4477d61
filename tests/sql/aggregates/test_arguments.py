"""Arguments of aggregates."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.answers.expression_text import format_expression
from hedgerow.errors import Unsupported
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.arguments import bind_argument, find_privacy_id
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.relations.table_scan import scan_table
from hedgerow.sql.syntax.source_text import tokenise
from sql.helpers_fixtures import CATALOG

READER = RowBinder(
    scan_table(tokenise("SELECT SUM(age) FROM visits"), exp.table_("visits"), CATALOG),
    "an aggregate",
)
NODE = exp.Sum(this=exp.column("age"))


def asked(*arguments: str, conditions: tuple[str, ...] = ()) -> AggregateSyntax:
    return AggregateSyntax(
        NODE,
        "SUM",
        "SUM",
        tuple(map(exp.column, arguments)),
        conditions=tuple(map(exp.column, conditions)),
    )


def test_an_argument_is_null_where_the_conditions_do_not_hold() -> None:
    assert format_expression(bind_argument(READER, asked("age")).expression) == "age"
    assert (
        format_expression(bind_argument(READER, asked("age", conditions=("smoker",))).expression)
        == "CASE WHEN smoker THEN age ELSE NULL END"
    )
    both = bind_argument(READER, asked("age", conditions=("smoker", "smoker")))
    assert (
        format_expression(both.expression) == "CASE WHEN smoker AND smoker THEN age ELSE NULL END"
    )


def test_without_an_argument_it_is_one() -> None:
    assert format_expression(bind_argument(READER, asked()).expression) == "1"
    assert (
        format_expression(bind_argument(READER, asked(conditions=("smoker",))).expression)
        == "CASE WHEN smoker THEN 1 ELSE NULL END"
    )


def test_a_condition_is_one() -> None:
    with pytest.raises(Unsupported, match="FILTER needs a condition, but this is integer"):
        bind_argument(READER, asked("age", conditions=("age",)))


def test_the_id_is_known() -> None:
    found = find_privacy_id(READER, asked("Patient_ID"))
    assert found is not None
    assert found.name == "patient_id"
    assert find_privacy_id(READER, asked("age")) is None
    assert find_privacy_id(READER, asked()) is None
    assert find_privacy_id(READER, asked("patient_id", "age")) is None
