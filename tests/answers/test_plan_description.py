"""Plans and expressions in words."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from hedgerow.answers.plan_description import describe_plan
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure, Truncation
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.privacy.unit import Relation, Unit
from plan import meetings

ONE, MINUS = Constant(1, "integer"), Constant(-1, "integer")


def c(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


COLUMNS = (
    Column("city", "text", values=("Oslo", "Bergen")),
    Column("cost", "real", Fraction(0), Fraction(100)),
)
VISITS, CALLS = (
    Table(Schema("visits", COLUMNS, "patient")),
    Table(Schema("calls", COLUMNS, "patient", "2026-1")),
)
CITIES = Table(Schema("cities", (Column("name", "text"), Column("size", "integer")), None))
CENTS = ClampedGrid(Fraction(1, 100), 0, 10000)


def test_a_plan_is_described_line_by_line() -> None:
    source = Project(
        Filter(VISITS, c("<", Constant(5, "integer"), ColumnRef("cost"))),
        (("k0", ColumnRef("city")), ("v0", c("*", ColumnRef("cost"), ONE))),
    )
    measures = (
        Measure("units"),
        Measure("rows"),
        Measure("values", "v0"),
        Measure("total", "v0", CENTS),
        Measure("moments", "v0", CENTS),
    )
    plan = Aggregate(Group(Bound(source, ("k0",), 2, 3), (("Oslo", "Bergen"),)), measures)
    assert describe_plan(plan, Unit("add-remove", "patient")) == (
        "Reads the table visits, version 1: the unit is patient.",
        "Keeps the rows where 5 < cost.",
        "Groups by city: 2 declared groups, including empty ones.",
        "Each unit contributes to at most 2 groups, and at most 3 rows to each.",
        (
            "The number of units: adding or removing one unit changes at most 2 numbers, by at"
            " most 2 in all and 1 each."
        ),
        (
            "COUNT(*): adding or removing one unit changes at most 2 numbers, by at most 6 in"
            " all and 3 each."
        ),
        (
            "COUNT(cost * 1): adding or removing one unit changes at most 2 numbers, by at"
            " most 6 in all and 3 each."
        ),
        "SUM(cost * 1): values are clamped to [0, 100] and rounded to steps of 0.01.",
        (
            "SUM(cost * 1): adding or removing one unit changes at most 2 numbers, by at most"
            " 600 in all and 300 each."
        ),
        "AVG(cost * 1): values are clamped to [0, 100] and rounded to steps of 0.01.",
        (
            "AVG(cost * 1), from two sums of distances to the bounds: adding or removing one"
            " unit changes at most 4 numbers, by at most 600 in all and 300 each."
        ),
    )


def test_describe_unions_joins_and_groups_of_units() -> None:
    union = Union((VISITS, CALLS))
    joined = Join(union, CITIES, (("city", "name"),), (("people", "size"),))
    plan = Aggregate(
        Group(Bound(joined, ("people",), 1, 1), None),
        (Measure("total", "cost", ClampedGrid(Fraction(1, 3), 0, 301)),),
    )
    assert describe_plan(plan, Unit("change-one", "patient", 2)) == (
        "Reads the table visits, version 1: the unit is patient.",
        "Reads the table calls, version 2026-1: the unit is patient.",
        "Concatenates the rows of these 2 relations.",
        "Joins the public table cities on city = cities.name: all matching rows.",
        "Groups by cities.size: the groups that occur, since their values are not declared.",
        "Each unit contributes to at most 1 group, and at most 1 row to each.",
        (
            "SUM(cost): values are clamped to [0, about 100.333] and rounded to steps of about"
            " 0.333333."
        ),
        (
            "SUM(cost): replacing 2 units changes at most 4 numbers, by at most about 401.333"
            " in all and about 200.667 each."
        ),
    )


def said(
    source: RelationNode,
    *measures: Measure | OrderStatistic,
    keys: tuple[str, ...] = (),
    relation: Relation = "add-remove",
) -> list[str]:
    """Without the lines about groups and caps."""
    plan = Aggregate(
        Group(Bound(source, keys, 1, 3), None if keys else ()), measures or (Measure("units"),)
    )
    return [
        line
        for line in describe_plan(plan, Unit(relation, "patient"))
        if not line.startswith(("Groups", "One answer", "Each unit contributes"))
    ]


def test_describe_joins_with_public_tables() -> None:
    public = Project(
        CITIES, (("key", ColumnRef("name")), ("people", c("nullif", ColumnRef("size"), ONE)))
    )
    at_most = Join(
        VISITS, public, (("city", "key"),), (("people", "people"),), 2, keeps_unmatched=True
    )
    some = Join(VISITS, Filter(CITIES, c("<", ONE, ColumnRef("size"))), (("city", "name"),), ())
    assert said(at_most)[1:-1] == [
        (
            "Joins the public table cities on city = cities.name: at most 2 matching rows for each"
            " row; rows without a match stay, with NULL."
        )
    ]
    assert said(some)[1:-1] == [
        "Reads the table cities, version 1: public.",
        "Keeps the rows where 1 < cities.size.",
        "Joins these public rows on city = cities.name: all matching rows.",
    ]


def test_describe_rows_of_the_same_unit() -> None:
    joined = Join(
        VISITS,
        Project(CALLS, (("town", ColumnRef("city")),)),
        (("city", "town"),),
        (("again", "town"),),
    )
    assert said(Filter(joined, c("=", ColumnRef("again"), ColumnRef("city"))))[:-1] == [
        "Reads the table visits, version 1: the unit is patient.",
        "Reads the table calls, version 2026-1: the unit is patient.",
        "Joins the rows of the same unit on city = calls.city.",
        "Keeps the rows where calls.city = city.",
    ]
    assert said(Join(VISITS, CALLS, (), (), keeps_unmatched=True))[2:-1] == [
        ("Joins the rows of the same unit; rows without a match stay, with NULL."),
    ]


def test_describe_unit_aggregations() -> None:
    kinds = ("values", "distinct", "least", "greatest")
    each = tuple((kind, UnitStatistic(kind, "cost")) for kind in kinds)  # type: ignore[arg-type]
    fold = UnitAggregation(
        VISITS,
        ("city",),
        (
            ("n", UnitStatistic("rows")),
            *each,
            ("total", UnitStatistic("total", "cost", CENTS)),
            ("mean", UnitStatistic("mean", "cost", CENTS)),
        ),
    )
    assert said(Filter(fold, c("<", ColumnRef("total"), ColumnRef("n"))))[1:-1] == [
        (
            "Makes one row for each unit and city: COUNT(*), COUNT(cost), COUNT(DISTINCT"
            " cost), MIN(cost), MAX(cost), SUM(cost), AVG(cost)."
        ),
        "SUM(cost): values are clamped to [0, 100] and rounded to steps of 0.01.",
        "AVG(cost): values are clamped to [0, 100] and rounded to steps of 0.01.",
        "Keeps the rows where SUM(cost) < COUNT(*).",
    ]
    assert said(UnitAggregation(VISITS, (), ()))[1:-1] == ["Makes one row for each unit."]


def test_describe_links_and_parts() -> None:
    items = Schema(
        "items",
        (Column("town", "text"), Column("part", "text")),
        "patient",
        link=Link("town", VISITS.schema, "city"),
    )
    parts = Schema(
        "parts",
        (Column("part", "text"),),
        "patient",
        link=Link("part", items, "part"),
        partition=Partition("part", 2),
    )
    assert said(Table(parts))[:-1] == [
        (
            "Reads the table parts, version 1: the unit is patient of the table visits,"
            " reached by parts.part = items.part AND items.town = visits.city."
        ),
        ("Keeps the rows of each unit in its first 2 values of part, the same for every question."),
    ]


def test_rounding_without_a_declared_step_is_described_relative_to_the_range() -> None:
    fine, coarse = (
        Measure("total", "cost", ClampedGrid(Fraction(1, size), 0, 10 * size))
        for size in (2**20, 2**8)
    )
    assert said(VISITS, fine)[1] == (
        "SUM(cost): values are clamped to [0, 10] and rounded by less than a millionth of that"
        " range."
    )
    assert (
        said(VISITS, coarse)[1]
        == "SUM(cost): values are clamped to [0, 10] and rounded to steps of about 0.00390625."
    )


def test_describe_measures() -> None:
    ten = ClampedGrid(Fraction(1), 0, 10)
    dimes = ClampedGrid(Fraction(1, 10), 0, 100)
    source = Project(VISITS, (("x", ColumnRef("cost")), ("y", c("abs", ColumnRef("cost")))))
    one = "adding or removing one unit changes at most"
    sums = "of distances to the bounds"
    moved = "values are clamped to [0, 10] and rounded to steps of"
    assert said(source, Measure("distinct", "x"))[1:] == [
        f"COUNT(DISTINCT cost): {one} 1 number, by at most 3 in all and 3 each."
    ]
    assert said(source, Measure("total", "x", dimes, sum_bounds=(-5, 50)))[1:] == [
        f"SUM(cost): {moved} 0.1.",
        "SUM(cost): the sum of one unit in a group is clamped to [-0.5, 5].",
        f"SUM(cost): {one} 1 number, by at most 5 in all and 5 each.",
    ]
    assert said(source, Measure("moments", "x", dimes, degree=2))[1:] == [
        f"VARIANCE(cost): {moved} 0.1.",
        (
            f"VARIANCE(cost), from 3 sums of products {sums}: {one} 3 numbers, by at most 300"
            " in all and 300 each."
        ),
    ]
    assert said(source, Measure("moments", "x", dimes, has_null_sum=True))[1:] == [
        f"AVG(cost): {moved} 0.1.",
        (
            f"AVG(cost), from two sums {sums} and a sum for rows without a value, which give"
            f" COUNT(*) too: {one} 3 numbers, by at most 30 in all and 30 each."
        ),
    ]
    for degree, name, width, most in [(1, "COVARIANCE", 4, "300"), (2, "CORR", 9, "30,000")]:
        assert said(source, Measure("moments", "x", dimes, degree=degree, second=("y", ten)))[
            1:
        ] == [
            f"{name}(cost, ABS(cost)), cost: {moved} 0.1.",
            f"{name}(cost, ABS(cost)), ABS(cost): {moved} 1.",
            (
                f"{name}(cost, ABS(cost)), from {width} sums of products {sums}: {one} {width}"
                f" numbers, by at most {most} in all and {most} each."
            ),
        ]


def test_describe_order_statistics() -> None:
    source = Table(Schema("visits", (*COLUMNS, Column("day", "date")), "patient"))
    half, third = Fraction(1, 2), Fraction(1, 4)
    first = date(2020, 1, 1).toordinal()
    picks = (
        OrderStatistic("quantiles", "cost", CENTS, quantiles=(half,)),
        OrderStatistic("quantiles", "cost", CENTS, quantiles=(third, half)),
        OrderStatistic("least", "day", ClampedGrid(Fraction(1), first, first + 30)),
        OrderStatistic("greatest", "cost", CENTS),
        OrderStatistic("mode", "city", values=("Oslo", "Bergen")),
    )
    lines = said(source, *picks)[1:]
    assert lines[::2] == [
        "The quantile 0.5 of cost: values are clamped to [0, 100] and rounded to steps of 0.01.",
        (
            "The quantiles 0.25, 0.5 of cost: values are clamped to [0, 100] and rounded to"
            " steps of 0.01."
        ),
        "MIN(day): dates are clamped to 2020-01-01 … 2020-01-31.",
        "MAX(cost): values are clamped to [0, 100] and rounded to steps of 0.01.",
        "MODE(city): only the 2 declared values count.",
    ]
    assert lines[1] == (
        "The quantile 0.5 of cost: adding or removing one unit changes the sample of at most 1"
        " group, by at most 3 values leaving or entering."
    )
    replaced = said(source, picks[-1], keys=("city",), relation="change-one")[-1]
    assert replaced == (
        "MODE(city): replacing one unit changes the sample of at most 2 groups, by at most 3"
        " values leaving and as many entering."
    )


def test_describe_contingency_tables() -> None:
    columns = (
        Column("age", "integer", Fraction(0), Fraction(1199)),
        Column("home town", "integer"),
    )
    source = Project(
        Table(Schema("people", columns, "patient")),
        (("v0", c("/", ColumnRef("age"), ONE)), ("v1", ColumnRef("home town"))),
    )
    source = Project(source, (("v0", c("floor", ColumnRef("v0"))), ("v1", ColumnRef("v1"))))
    plan = Aggregate(Group(Bound(source, (), 1, 3)), (Contingency((("v0", 1200), ("v1", 1))),))
    assert describe_plan(plan, Unit("change-one", "patient"))[1:] == (
        "One answer for all rows together.",
        "Each unit contributes to at most 1 group, and at most 3 rows to each.",
        (
            'Counts the rows of each combination of FLOOR(age / 1) (1,200 codes), "home town"'
            " (1 code); a row with NULL or no code in one of them does not count."
        ),
        (
            "The counts: replacing one unit changes at most 6 counts, by at most 6 in all and"
            " 3 each."
        ),
    )
    fine = Aggregate(plan.source, (Contingency((("v0", 1200), ("v1", 1)), 2**30),))
    assert describe_plan(fine, Unit("change-one", "patient"))[4:] == (
        ("The rows of a unit with more rows than its bound are scaled down."),
        (
            "The counts: replacing one unit changes at most 1,200 counts, by at most 6 in all"
            " and 3 each."
        ),
    )


def test_describe_rows_as_units() -> None:
    rows = Table(Schema("visits", COLUMNS, "row"))
    plan = Aggregate(Group(Bound(rows, (), 1, 1)), (Measure("rows"),))
    assert describe_plan(plan, Unit("add-remove")) == (
        "Reads the table visits, version 1: every row is a unit.",
        "One answer for all rows together.",
        "Each row contributes to one group.",
        (
            "COUNT(*): adding or removing one unit changes at most 1 number, by at most 1 in"
            " all and 1 each."
        ),
    )


def test_describe_two_populations() -> None:
    plan = meetings.asked(("month", "ward"), bonds=3, rows=2, most=9)
    assert describe_plan(plan, Unit("add-remove", "id")) == (
        "Reads the table visits, version 1: the unit is id.",
        ("Keeps the rows of each unit with at most 3 values of doctor, month, before the join."),
        "Reads the table doctors, version 1: the unit is id.",
        (
            "Joins the first row of the unit that doctor names; each such unit counts as at"
            " most 9 rows in a group."
        ),
        "Groups by month, doctors.ward: 6 declared groups, including empty ones.",
        "Each pair of joined units contributes to at most 3 groups, and at most 2 rows to each.",
        (
            "COUNT(*): adding or removing one unit changes at most 3 numbers, by at most 6 in"
            " all and 6 each."
        ),
    )


def test_describe_joins_of_rows_of_different_units() -> None:
    caps = (Truncation(1, 2), Truncation(3, 4))
    join = Join(VISITS, VISITS, (("city", "city"),), (), truncations=caps)
    plan = Aggregate(Group(Bound(join, (), 1, 1)), (Measure("rows"),))
    text = describe_plan(plan, Unit("add-remove", "patient"))
    assert text[1:7] == (
        "Keeps at most 1 row of each unit, and of these at most 2 rows with the same city.",
        "Reads the table visits, version 1: the unit is patient.",
        "Keeps at most 3 rows of each unit, and of these at most 4 rows with the same visits.city.",
        "Joins the rows with equal keys, whoever owns them.",
        "One answer for all rows together.",
        "Each joined row contributes to one group, whoever its two owners are.",
    )
