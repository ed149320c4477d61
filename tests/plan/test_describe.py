"""Plans and expressions in words."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from hedgerow.plan.contingency import Contingency
from hedgerow.plan.describe import describe_plan
from hedgerow.plan.measures import ClampedGrid, Measure
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


def test_describe() -> None:
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
        "Reads the table visits, version 1: a unit is known by patient.",
        "Keeps the rows where 5 < cost.",
        "Groups by city: 2 cells, all known beforehand, empty ones as well.",
        "Of each unit counts at most 2 groups, and in each at most 3 rows.",
        (
            "The number of units: One unit coming or going can move 2 numbers by 2 in all, and none"
            " by more than 1."
        ),
        (
            "COUNT(*): One unit coming or going can move 2 numbers by 6 in all, and none by more"
            " than 3."
        ),
        (
            "COUNT(cost * 1): One unit coming or going can move 2 numbers by 6 in all, and none by"
            " more than 3."
        ),
        "SUM(cost * 1): values are moved into 0 to 100 and rounded to steps of 0.01.",
        (
            "SUM(cost * 1): One unit coming or going can move 2 numbers by 600 in all, and none by"
            " more than 300."
        ),
        "AVG(cost * 1): values are moved into 0 to 100 and rounded to steps of 0.01.",
        (
            "AVG(cost * 1), as two sums: how far the values lie above the lower bound, and below"
            " the upper one: One unit coming or going can move 4 numbers by 600 in all, and none by"
            " more than 300."
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
        "Reads the table visits, version 1: a unit is known by patient.",
        "Reads the table calls, version 2026-1: a unit is known by patient.",
        "Puts the rows of these 2 sources together.",
        "Looks up the public table cities where city = cities.name: all rows there for each row.",
        "Groups by cities.size: the groups that occur, since their values are not declared.",
        "Of each unit counts at most 1 group, and in each at most 1 row.",
        (
            "SUM(cost): values are moved into 0 to about 100.333 and rounded to steps of about"
            " 0.333333."
        ),
        (
            "SUM(cost): 2 units together being replaced can move 4 numbers by about 401.333 in all,"
            " and none by more than about 200.667."
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
        if not line.startswith(("Groups", "One answer", "Of each unit counts"))
    ]


def test_describe_lookups() -> None:
    public = Project(
        CITIES, (("key", ColumnRef("name")), ("people", c("nullif", ColumnRef("size"), ONE)))
    )
    at_most = Join(
        VISITS, public, (("city", "key"),), (("people", "people"),), 2, keeps_unmatched=True
    )
    some = Join(VISITS, Filter(CITIES, c("<", ONE, ColumnRef("size"))), (("city", "name"),), ())
    assert said(at_most)[1:-1] == [
        "Looks up the public table cities where city = cities.name: at most 2 rows there for each"
        " row, and a row without any stays, with NULL."
    ]
    assert said(some)[1:-1] == [
        "Reads the table cities, version 1: public.",
        "Keeps the rows where 1 < cities.size.",
        "Looks up these public rows where city = cities.name: all rows there for each row.",
    ]


def test_describe_rows_of_the_same_unit() -> None:
    joined = Join(
        VISITS,
        Project(CALLS, (("town", ColumnRef("city")),)),
        (("city", "town"),),
        (("again", "town"),),
    )
    assert said(Filter(joined, c("=", ColumnRef("again"), ColumnRef("city"))))[:-1] == [
        "Reads the table visits, version 1: a unit is known by patient.",
        "Reads the table calls, version 2026-1: a unit is known by patient.",
        "Puts beside each row the rows of the same unit there where city = calls.city.",
        "Keeps the rows where calls.city = city.",
    ]
    assert said(Join(VISITS, CALLS, (), (), keeps_unmatched=True))[2:-1] == [
        (
            "Puts beside each row the rows of the same unit there, and a row without any stays,"
            " with NULL."
        ),
    ]


def test_describe_folds() -> None:
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
            "Makes one row of the rows of each unit and city: COUNT(*), COUNT(cost), COUNT(DISTINCT"
            " cost), MIN(cost), MAX(cost), SUM(cost), AVG(cost)."
        ),
        "SUM(cost): values are moved into 0 to 100 and rounded to steps of 0.01.",
        "AVG(cost): values are moved into 0 to 100 and rounded to steps of 0.01.",
        "Keeps the rows where SUM(cost) < COUNT(*).",
    ]
    assert said(UnitAggregation(VISITS, (), ()))[1:-1] == [
        "Makes one row of the rows of each unit."
    ]


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
            "Reads the table parts, version 1: a unit is known by patient in the table visits, "
            "found by parts.part = items.part AND items.town = visits.city."
        ),
        (
            "Of each unit keeps the rows with the first 2 values of part that it has, for every"
            " question alike."
        ),
    ]


def test_describe_says_no_step_that_nobody_chose() -> None:
    fine, coarse = (
        Measure("total", "cost", ClampedGrid(Fraction(1, size), 0, 10 * size))
        for size in (2**20, 2**8)
    )
    assert (
        said(VISITS, fine)[1]
        == "SUM(cost): values are moved into 0 to 10 and rounded by less than a millionth of that."
    )
    assert (
        said(VISITS, coarse)[1]
        == "SUM(cost): values are moved into 0 to 10 and rounded to steps of about 0.00390625."
    )


def test_describe_measures() -> None:
    ten = ClampedGrid(Fraction(1), 0, 10)
    dimes = ClampedGrid(Fraction(1, 10), 0, 100)
    source = Project(VISITS, (("x", ColumnRef("cost")), ("y", c("abs", ColumnRef("cost")))))
    one = "One unit coming or going can move"
    sums = "how far the values lie above the lower bound, and below the upper one"
    moved = "values are moved into 0 to 10 and rounded to steps of"
    assert said(source, Measure("distinct", "x"))[1:] == [
        f"COUNT(DISTINCT cost): {one} 1 number by 3 in all, and none by more than 3."
    ]
    assert said(source, Measure("total", "x", dimes, sum_bounds=(-5, 50)))[1:] == [
        f"SUM(cost): {moved} 0.1.",
        "SUM(cost): what one unit puts into a group in all is moved into -0.5 to 5.",
        f"SUM(cost): {one} 1 number by 5 in all, and none by more than 5.",
    ]
    assert said(source, Measure("moments", "x", dimes, degree=2))[1:] == [
        f"VARIANCE(cost): {moved} 0.1.",
        (
            f"VARIANCE(cost), as 3 sums of products: {sums}: {one} 3 numbers by 300 in all, and"
            " none by more than 300."
        ),
    ]
    assert said(source, Measure("moments", "x", dimes, has_null_sum=True))[1:] == [
        f"AVG(cost): {moved} 0.1.",
        (
            f"AVG(cost), as two sums: {sums}; COUNT(*) with it, by one sum more, of the whole way"
            f" for each row without a value: {one} 3 numbers by 30 in all, and none by more"
            " than 30."
        ),
    ]
    for degree, name, width, most in [(1, "COVARIANCE", 4, "300"), (2, "CORR", 9, "30,000")]:
        assert said(source, Measure("moments", "x", dimes, degree=degree, second=("y", ten)))[
            1:
        ] == [
            f"{name}(cost, ABS(cost)), cost: {moved} 0.1.",
            f"{name}(cost, ABS(cost)), ABS(cost): {moved} 1.",
            (
                f"{name}(cost, ABS(cost)), as {width} sums of products: {sums}: "
                f"{one} {width} numbers by {most} in all, and none by more than {most}."
            ),
        ]


def test_describe_picks() -> None:
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
        "The quantile 0.5 of cost: values are moved into 0 to 100 and rounded to steps of 0.01.",
        (
            "The quantiles 0.25, 0.5 of cost: values are moved into 0 to 100 and rounded to steps"
            " of 0.01."
        ),
        "MIN(day): dates are moved into 2020-01-01 to 2020-01-31.",
        "MAX(cost): values are moved into 0 to 100 and rounded to steps of 0.01.",
        "MODE(city): values other than the 2 declared ones do not count.",
    ]
    assert (
        lines[1]
        == "The quantile 0.5 of cost: One unit coming or going can change 1 group, where at most 3"
        " values of the sample may leave or enter."
    )
    replaced = said(source, picks[-1], keys=("city",), relation="change-one")[-1]
    assert (
        replaced
        == "MODE(city): One unit being replaced can change 2 groups, where at most 3 values of the"
        " sample may leave and as many enter."
    )


def test_describe_combinations() -> None:
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
        "Of each unit counts at most 1 group, and in each at most 3 rows.",
        (
            'Counts how often each combination of FLOOR(age / 1) (1,200 codes), "home town" (1'
            " code) is there; a row in which one of them is NULL or not a code does not count."
        ),
        (
            "The combinations: One unit being replaced can move 6 counts by 6 in all, and none by"
            " more than 3."
        ),
    )
    fine = Aggregate(plan.source, (Contingency((("v0", 1200), ("v1", 1)), 2**30),))
    assert describe_plan(fine, Unit("change-one", "patient"))[4:] == (
        (
            "Of a unit with more rows than count, each row counts in part: as much less as they are"
            " more."
        ),
        (
            "The combinations: One unit being replaced can move 1,200 counts by 6 in all, and none"
            " by more than 3."
        ),
    )


def test_describe_rows_as_units() -> None:
    rows = Table(Schema("visits", COLUMNS, "row"))
    plan = Aggregate(Group(Bound(rows, (), 1, 1)), (Measure("rows"),))
    assert describe_plan(plan, Unit("add-remove")) == (
        "Reads the table visits, version 1: every row is a unit of its own.",
        "One answer for all rows together.",
        "Each row counts in one group.",
        (
            "COUNT(*): One unit coming or going can move 1 number by 1 in all, and none by more"
            " than 1."
        ),
    )


def test_describe_two_populations() -> None:
    plan = meetings.asked(("month", "ward"), bonds=3, rows=2, most=9)
    assert describe_plan(plan, Unit("add-remove", "id")) == (
        "Reads the table visits, version 1: a unit is known by id.",
        (
            "Of each unit keeps the rows with at most 3 values of doctor, month, before it meets"
            " anybody."
        ),
        "Reads the table doctors, version 1: a unit is known by id.",
        (
            "Puts beside each row the first row of the unit that doctor names there, of whom at"
            " most 9 rows count in a group."
        ),
        "Groups by month, doctors.ward: 6 cells, all known beforehand, empty ones as well.",
        "Of each unit and one whom it meets counts at most 3 groups, and in each at most 2 rows.",
        (
            "COUNT(*): One unit coming or going can move 3 numbers by 6 in all, and none by more"
            " than 6."
        ),
    )
