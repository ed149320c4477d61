"""Plans and expressions in words."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from hedgerow.plan.explain import describe, text
from hedgerow.plan.expressions import Call, Constant, Expression, Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Join, Project, Table, Union
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit

A, B, D = Read("a"), Read("b"), Read("d")
ONE, MINUS = Constant(1, "integer"), Constant(-1, "integer")


def c(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        (A, "a"),
        (Read("number of visits"), '"number of visits"'),
        (Read('a"b'), '"a""b"'),
        (Read("places.size"), "places.size"),
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
        (c("case", A, ONE, B, MINUS, Constant(None, "integer")), "CASE WHEN a THEN 1 WHEN b THEN -1 ELSE NULL END"),
        (c("coalesce", A, ONE), "COALESCE(a, 1)"),
        (c("to real", A), "CAST(a AS DOUBLE)"),
        (c("start of month", D), "DATE_TRUNC('month', d)"),
        (c("day of week", D), "DAYOFWEEK(d)"),
        (c("year", D), "YEAR(d)"),
    ],
)
def test_text(expression: Expression, written: str) -> None:
    assert text(expression) == written


COLUMNS = (Column("city", "text", values=("Oslo", "Bergen")), Column("cost", "real", Fraction(0), Fraction(100)))
VISITS, CALLS = Table(Schema("visits", COLUMNS, "patient")), Table(Schema("calls", COLUMNS, "patient", "2026-1"))
CITIES = Table(Schema("cities", (Column("name", "text"), Column("size", "integer")), None))
CENTS = Snap(Fraction(1, 100), 0, 10000)


def test_describe() -> None:
    source = Project(
        Filter(VISITS, c("<", Constant(5, "integer"), Read("cost"))), (("k0", Read("city")), ("v0", c("*", Read("cost"), ONE)))
    )
    measures = (Measure("units"), Measure("rows"), Measure("values", "v0"), Measure("total", "v0", CENTS), Measure("mean", "v0", CENTS))
    plan = Aggregate(Group(Bound(source, ("k0",), 2, 3), (("Oslo", "Bergen"),)), measures)
    assert describe(plan, Unit("add-remove", "patient")) == (
        "Reads the table visits, version 1: a unit is known by patient.",
        "Keeps the rows where 5 < cost.",
        "Groups by city: 2 cells, all declared, empty ones as well.",
        "Of each unit counts at most 2 groups, and in each at most 3 rows.",
        "The number of units: One unit coming or going can move 2 numbers by 2 in all, and none by more than 1.",
        "COUNT(*): One unit coming or going can move 2 numbers by 6 in all, and none by more than 3.",
        "COUNT(cost * 1): One unit coming or going can move 2 numbers by 6 in all, and none by more than 3.",
        "SUM(cost * 1): values are moved into 0 to 100 and rounded to steps of 0.01.",
        "SUM(cost * 1): One unit coming or going can move 2 numbers by 600 in all, and none by more than 300.",
        "AVG(cost * 1): values are moved into 0 to 100 and rounded to steps of 0.01.",
        "AVG(cost * 1), as two sums: how far the values lie above the lower bound, and below the upper one: "
        "One unit coming or going can move 4 numbers by 600 in all, and none by more than 300.",
    )


def test_describe_unions_joins_and_groups_of_units() -> None:
    union = Union((VISITS, CALLS))
    joined = Join(union, CITIES, (("city", "name"),), (("people", "size"),))
    plan = Aggregate(Group(Bound(joined, ("people",), 1, 1), None), (Measure("total", "cost", Snap(Fraction(1, 3), 0, 301)),))
    assert describe(plan, Unit("change-one", "patient", 2)) == (
        "Reads the table visits, version 1: a unit is known by patient.",
        "Reads the table calls, version 2026-1: a unit is known by patient.",
        "Puts the rows of these 2 sources together.",
        "Looks up the public table cities where city = cities.name: at most 1 row there for each row.",
        "Groups by cities.size: the groups that occur, since their values are not declared.",
        "Of each unit counts at most 1 group, and in each at most 1 row.",
        "SUM(cost): values are moved into 0 to about 100.333 and rounded to steps of about 0.333333.",
        "SUM(cost): 2 units together being replaced can move 4 numbers by about 401.333 in all, and none by more than about 200.667.",
    )


def test_describe_rows_as_units() -> None:
    rows = Table(Schema("visits", COLUMNS, "row"))
    plan = Aggregate(Group(Bound(rows, (), 1, 1)), (Measure("rows"),))
    assert describe(plan, Unit("add-remove")) == (
        "Reads the table visits, version 1: every row is a unit of its own.",
        "One answer for all rows together.",
        "Each row counts in one group.",
        "COUNT(*): One unit coming or going can move 1 number by 1 in all, and none by more than 1.",
    )
