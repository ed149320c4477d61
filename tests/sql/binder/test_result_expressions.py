"""HAVING, ORDER BY and the SELECT list: the pairs in result_expressions.sql."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.plan.scalar.expressions import ColumnRef, evaluate
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("result_expressions"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("result_expressions__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_columns_named_like_results_are_not_taken_for_them() -> None:
    columns = (
        Column("a0", "integer", Fraction(0), Fraction(9)),
        Column("k0", "integer", Fraction(0), Fraction(9)),
    )
    catalog = Catalog({"t": TableEntry(Schema("t", columns, "id"))})
    question = parse_question("SELECT k0 + 1, SUM(a0), a0 FROM t GROUP BY a0, k0", catalog)
    assert [
        evaluate(output.expression, {"k0": 10, "k1": 20, "a0": 30}) for output in question.outputs
    ] == [21, 30, 10]
    assert question.outputs[2].expression == ColumnRef("k0")


def test_a_selected_value_has_the_declared_type() -> None:
    (output,) = ask("SELECT COALESCE(AVG(age), 0) FROM visits").outputs
    assert output.type == "real"
    assert type(evaluate(output.expression, {"a0": None})) is float
