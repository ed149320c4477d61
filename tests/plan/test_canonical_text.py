"""Plan keys: the canonical text of a plan is a stored format that holds its whole meaning."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.plan.canonical_plans import compute_plan_key, map_measures
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Project,
    RelationNode,
    Table,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Value
from plan import meetings, trees

TABLE = Table(trees.SCHEMA)


SNAP = ClampedGrid(Fraction(1), -3, 3)


def c(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


def n(value: int) -> Constant:
    return Constant(value, "integer")


I, T, D = ColumnRef("i"), ColumnRef("t"), ColumnRef("d")  # noqa: E741


ADULT, NEAR = c(">=", I, n(2)), c("in", T, Constant("a", "text"), Constant("b", "text"))


def question(
    condition: Expression | None = ADULT,
    keys: tuple[Expression, ...] = (T,),
    value: Expression = I,
    measures: tuple[Measure | OrderStatistic, ...] = (
        Measure("rows"),
        Measure("total", "v0", SNAP),
    ),
    domain: tuple[tuple[Value, ...], ...] | None = (("a", "b"),),
    caps: tuple[int, int] = (2, 3),
    table: Table = TABLE,
) -> Aggregate:
    source: RelationNode = table if condition is None else Filter(table, condition)
    names = tuple(f"k{i}" for i in range(len(keys)))
    project = Project(source, (*zip(names, keys, strict=True), ("v0", value)))
    return Aggregate(Group(Bound(project, names, *caps), domain), measures)


def edited(column: str, **changes: Any) -> Table:
    columns = tuple(replace(old, **changes) if old.name == column else old for old in trees.COLUMNS)
    return Table(replace(trees.SCHEMA, columns=columns))


DIFFERENT: list[tuple[Aggregate, Aggregate]] = [
    (question(), other)
    for other in [
        question(None),
        question(c(">", I, n(2))),
        question(NEAR),
        question(c("or", ADULT, NEAR)),
        question(keys=(ColumnRef("u"),)),
        question(value=c("abs", I)),
        question(value=ColumnRef("h")),
        question(measures=(Measure("rows"),)),
        question(measures=(Measure("units"), Measure("total", "v0", SNAP))),
        question(measures=(Measure("rows"), Measure("moments", "v0", SNAP))),
        question(
            measures=(Measure("rows"), Measure("total", "v0", ClampedGrid(Fraction(1), -3, 2)))
        ),
        question(
            measures=(Measure("rows"), Measure("total", "v0", ClampedGrid(Fraction(2), -3, 3)))
        ),
        question(domain=None),
        question(domain=(("a",),)),
        question(domain=(("a", "c"),)),
        question(caps=(1, 3)),
        question(caps=(2, 2)),
        question(table=Table(replace(trees.SCHEMA, version="2"))),
        question(table=Table(replace(trees.SCHEMA, table="calls"))),
        question(table=Table(replace(trees.SCHEMA, unit="i"))),
        question(table=edited("i", high=Fraction(4))),
        question(table=edited("i", low=Fraction(-4))),
        question(table=edited("t", values=("a", "b"))),
    ]
] + [
    (question(keys=(T, I), domain=None), question(keys=(I, T), domain=None)),
    (
        question(keys=(D,), domain=None),
        question(keys=(D,), domain=None, table=edited("d", granularity="month")),
    ),
    (question(domain=(("1",),), keys=(ColumnRef("u"),)), question(domain=((1,),), keys=(I,))),
    (
        question(c("=", D, Constant(date(2020, 1, 1), "date"))),
        question(c("=", D, Constant(date(2020, 1, 2), "date"))),
    ),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_questions_have_different_keys(one: Aggregate, other: Aggregate) -> None:
    assert compute_plan_key(one) != compute_plan_key(other)


def linked(child: Schema) -> Aggregate:
    return Aggregate(Group(Bound(Table(child), (), 1, 1)), (Measure("rows"),))


def test_the_path_to_the_unit_is_part_of_the_plan_key() -> None:
    ids, code = Column("id", "integer"), Column("code", "text")
    top = Schema("top", (ids, Column("number", "integer"), code), "id")
    middle = Schema("middle", (Column("at", "integer"), code), "id", link=Link("at", top, "number"))
    low = Schema("low", (code, Column("of", "text")), "id", link=Link("code", middle, "code"))

    def over_top(changed: Schema) -> Schema:
        return replace(
            low, link=Link("code", replace(middle, link=Link("at", changed, "number")), "code")
        )

    others = [
        replace(low, link=Link("of", middle, "code")),
        replace(low, link=Link("code", top, "code")),
        replace(low, link=Link("code", replace(middle, version="2"), "code")),
        replace(low, columns=(replace(code, values=("a",)), low.columns[1])),
        over_top(replace(top, version="2")),
        over_top(replace(top, table="summit")),
        over_top(replace(top, columns=(replace(ids, type="text"), *top.columns[1:]))),
        over_top(
            replace(
                top, columns=(ids, replace(top.columns[1], low=Fraction(0), high=Fraction(1)), code)
            )
        ),
        replace(low, partition=Partition("of", 1)),
        replace(low, partition=Partition("of", 2)),
        replace(low, partition=Partition("code", 1)),
    ]
    assert len({compute_plan_key(linked(schema)) for schema in [low, *others]}) == 12
    same = [
        over_top(replace(top, partition=Partition("number", 1))),
        replace(low, link=Link("CODE", middle, "Code")),
    ]
    assert {compute_plan_key(linked(schema)) for schema in same} == {compute_plan_key(linked(low))}


def test_measures_and_order_statistics_are_part_of_the_plan_key() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    others: list[Measure | OrderStatistic] = [
        Measure("total", "v0", SNAP, sum_bounds=(0, 1)),
        Measure("total", "v0", SNAP, sum_bounds=(0, 2)),
        Measure("distinct", "v0"),
        Measure("moments", "v0", SNAP),
        Measure("moments", "v0", SNAP, degree=2),
        Measure("moments", "v0", SNAP, has_null_sum=True),
        Measure("moments", "v0", SNAP, second=("v0", SNAP)),
        Measure("moments", "v0", SNAP, second=("k0", SNAP)),
        Measure("moments", "v0", SNAP, second=("v0", ClampedGrid(Fraction(1), -3, 2))),
        OrderStatistic("quantiles", "v0", SNAP, quantiles=(half,)),
        OrderStatistic("quantiles", "v0", SNAP, quantiles=(third,)),
        OrderStatistic("quantiles", "v0", SNAP, quantiles=(third, half)),
        OrderStatistic("least", "v0", SNAP),
        OrderStatistic("least", "v0", SNAP, method="propose", bound=1),
        OrderStatistic("least", "v0", SNAP, method="propose", bound=2),
        OrderStatistic("least", "v0", SNAP, method="smooth"),
        OrderStatistic("mode", "v0", values=(1, 2)),
        OrderStatistic("mode", "v0", values=(2, 1)),
        OrderStatistic("mode", "k0", values=(1, 2)),
    ]
    assert len(
        {
            compute_plan_key(question(keys=(ColumnRef("h"),), domain=None, measures=(measure,)))
            for measure in others
        }
    ) == len(others)
    source = Project(TABLE, (("a", I), ("z", ColumnRef("h"))))
    plan = Aggregate(
        Group(Bound(source, (), 1, 1)),
        (OrderStatistic("least", "a", SNAP), Measure("moments", "z", SNAP, second=("a", SNAP))),
    )
    assert map_measures(plan) == (
        OrderStatistic("least", "v1", SNAP),
        Measure("moments", "v0", SNAP, second=("v1", SNAP)),
    )


def test_plan_keys_never_change() -> None:
    """Keys are stored: another form of them would make every stored answer unknown. Then raise
    "plan 3", and "plan 2" with it.
    """
    assert (
        compute_plan_key(question())
        == "a810b90983516b7f4fde502f2770639db8946b72a445764719a3d20e9de77717"
    )
    counts = question(measures=(Measure("rows"), Measure("units")))
    assert (
        compute_plan_key(counts)
        == "338009fc02714d1ba2bfe3eaecdfe3e0543d462d68ace0f136efefad17fa1b10"
    )


def test_references_are_part_of_the_plan_key() -> None:
    asked = [
        meetings.asked(("month",)),
        meetings.asked(("month",), bonds=3),
        meetings.asked(("month",), most=3),
        meetings.asked(),
    ]
    assert len({compute_plan_key(plan) for plan in asked}) == len(asked)
