"""SQL text of expressions."""

from __future__ import annotations

from datetime import date

import pytest

from hedgerow.answers.expression_text import format_expression
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression

A, B, D = ColumnRef("a"), ColumnRef("b"), ColumnRef("d")


ONE, MINUS = Constant(1, "integer"), Constant(-1, "integer")


def c(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        (A, "a"),
        (ColumnRef("number of visits"), '"number of visits"'),
        (ColumnRef('a"b'), '"a""b"'),
        (ColumnRef("places.size"), "places.size"),
        (Constant(None, "text"), "NULL"),
        (Constant(True, "boolean"), "TRUE"),
        (Constant(False, "boolean"), "FALSE"),
        (Constant("it's", "text"), "'it''s'"),
        (Constant(date(2020, 1, 31), "date"), "DATE '2020-01-31'"),
        (Constant(0.1, "real"), "0.1"),
        (c("+", A, c("*", B, ONE)), "a + b * 1"),
        (c("*", c("+", A, B), ONE), "(a + b) * 1"),
        (c("-", c("-", A, B), ONE), "a - b - 1"),
        (c("-", A, c("-", B, ONE)), "a - (b - 1)"),
        (c("/", A, c("*", B, ONE)), "a / (b * 1)"),
        (c("%", A, c("negate", B)), "a % -b"),
        (c("negate", c("negate", A)), "-(-a)"),
        (c("negate", MINUS), "-(-1)"),
        (c("-", A, MINUS), "a - -1"),
        (c("<", c("+", A, ONE), B), "a + 1 < b"),
        (c("=", c("<", A, B), c("is null", A)), "(a < b) = (a IS NULL)"),
        (c("and", c("or", A, B), c("<>", A, ONE)), "(a OR b) AND a <> 1"),
        (c("or", c("and", A, B), A), "a AND b OR a"),
        (c("not", c("and", A, B)), "NOT (a AND b)"),
        (c("not", c("not", A)), "NOT NOT a"),
        (c("not", c("=", A, B)), "NOT a = b"),
        (c("in", A, ONE, MINUS), "a IN (1, -1)"),
        (c("not", c("in", c("+", A, B), ONE)), "a + b NOT IN (1)"),
        (c("like", A, Constant("x%", "text")), "a LIKE 'x%'"),
        (c("not", c("like", A, Constant("x%", "text"))), "a NOT LIKE 'x%'"),
        (c("is null", A), "a IS NULL"),
        (c("not", c("is null", A)), "a IS NOT NULL"),
        (
            c("case", A, ONE, B, MINUS, Constant(None, "integer")),
            "CASE WHEN a THEN 1 WHEN b THEN -1 ELSE NULL END",
        ),
        (c("coalesce", A, ONE), "COALESCE(a, 1)"),
        (c("to real", A), "CAST(a AS DOUBLE)"),
        (c("start of month", D), "DATE_TRUNC('month', d)"),
        (c("day of week", D), "DAYOFWEEK(d)"),
        (c("year", D), "YEAR(d)"),
        (c("starts with", A, Constant("x", "text")), "STARTS_WITH(a, 'x')"),
        (c("upper", c("concat", A, B, A)), "UPPER(a || b || a)"),
        (c("substring", A, ONE, MINUS), "SUBSTRING(a, 1, -1)"),
        (c("add days", D, ONE), "d + INTERVAL 1 DAY"),
        (c("add months", c("add days", D, A), MINUS), "d + INTERVAL a DAY + INTERVAL (-1) MONTH"),
        (
            c("days between", D, c("add days", D, c("+", A, ONE))),
            "DATE_DIFF('day', d, d + INTERVAL (a + 1) DAY)",
        ),
    ],
)
def test_expressions_are_written_in_sql(expression: Expression, written: str) -> None:
    assert format_expression(expression) == written
