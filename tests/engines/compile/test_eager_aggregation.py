"""What is added up before a join: the same cells, by statements that never put two rows beside
each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from depth import many
from engines.helpers_comparison import agreed, agreed_in, frames, schemas
from hedgerow.engines.compile.eager_aggregation import JoinSides, split_join
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_builders import integer_literal
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.registry import attach_tables
from hedgerow.engines.statement import Statement
from hedgerow.plan.measures import ClampedGrid, Measure, SecondPopulation
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Join, Project, RelationNode, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema

VISITS = Schema(
    "visits", (Column("pay", "integer", Fraction(-9), Fraction(9)), Column("kind", "text")), "id"
)
PEOPLE = Schema(
    "people", (Column("town", "text"), Column("age", "integer", Fraction(0), Fraction(99))), "id"
)
PLACES = Schema("places", (Column("name", "text"), Column("size", "integer")), None)
ADDS = (("town", "town"), ("age", "age"))
PLAIN = Join(Table(VISITS), Table(PEOPLE), (), ADDS)
TURNED = Join(Table(PEOPLE), Table(VISITS), (), (("pay", "pay"), ("kind", "kind")))
DEAR, OLD = (
    Call(">", (ColumnRef("pay"), Constant(1, "integer"))),
    Call(">", (ColumnRef("age"), Constant(40, "integer"))),
)
DECADE = Call("floor", (Call("/", (ColumnRef("age"), Constant(10, "integer"))),))
ALIKE = Call("=", (ColumnRef("kind"), ColumnRef("town")))
FILTERED = Project(
    Filter(Filter(PLAIN, DEAR), OLD),
    (("pay", ColumnRef("pay")), ("town", ColumnRef("town")), ("decade", DECADE)),
)
NARROW = ClampedGrid(Fraction(1), -9, 9)
WIDE = ClampedGrid(Fraction(1, 10**8), -9 * 10**8, 9 * 10**8)
MEASURES = (
    Measure("units"),
    Measure("rows"),
    Measure("values", "pay"),
    Measure("total", "pay", NARROW),
    Measure("moments", "pay", WIDE, has_null_sum=True),
)


def by(
    rows: RelationNode,
    *keys: str,
    caps: tuple[int, int] = (2, 3),
    measures: tuple[Any, ...] = MEASURES,
    domain: Any = None,
) -> Aggregate:
    return Aggregate(Group(Bound(rows, keys, *caps), domain), measures)


APART = {
    "plain": by(PLAIN, "town"),
    "turned round": by(TURNED, "town"),
    "filtered and computed": by(FILTERED, "town", "decade"),
    "one group": by(PLAIN, "town", caps=(1, 1)),
    "listed": by(PLAIN, "town", domain=(("a", "b", "c"),)),
    "few listed": by(PLAIN, "town", domain=(("a", "b"),)),
    "no key": by(PLAIN, domain=()),
    "no key, nothing declared": by(PLAIN),
    "no values": by(PLAIN, "town", measures=(Measure("rows"),)),
    "of either side": by(
        Project(PLAIN, (("pay", ColumnRef("pay")), ("one", Constant(1, "integer")))), "one"
    ),
    "never": by(Filter(PLAIN, Constant(False, "boolean")), "town"),
    "a public table first": by(
        Join(
            Join(Table(VISITS), Table(PLACES), (("kind", "name"),), (("size", "size"),)),
            Table(PEOPLE),
            (),
            ADDS,
        ),
        "town",
    ),
}
TOGETHER = {
    "key here": by(PLAIN, "kind"),
    "keys of both": by(PLAIN, "kind", "town"),
    "values of the other": by(
        PLAIN, "town", measures=(Measure("total", "age", ClampedGrid(Fraction(1), 0, 99)),)
    ),
    "values of both": by(
        Project(
            PLAIN,
            (("pay", Call("+", (ColumnRef("pay"), ColumnRef("age")))), ("town", ColumnRef("town"))),
        ),
        "town",
        measures=MEASURES[:3],
    ),
    "compared": by(Filter(PLAIN, ALIKE), "town"),
    "joined by more": by(Join(Table(VISITS), Table(PEOPLE), (("kind", "town"),), ADDS), "town"),
    "kept": by(replace(PLAIN, keeps_unmatched=True), "town"),
    "public": by(
        Join(Table(VISITS), Table(PLACES), (("kind", "name"),), (("size", "size"),)), "size"
    ),
    "alone": by(Table(VISITS), "kind"),
    "many rows": by(PLAIN, "town", caps=(2, 2**17 + 1)),
    "limits": by(PLAIN, "town", measures=(Measure("total", "pay", NARROW, sum_bounds=(-5, 5)),)),
    "a sample as well": by(
        PLAIN,
        "town",
        measures=(
            Measure("rows"),
            OrderStatistic("quantiles", "pay", NARROW, quantiles=(Fraction(1, 2),)),
        ),
    ),
}
NUMBERED = {
    int: lambda place: place,
    str: lambda place: f"p{place}",
    float: lambda place: place / 2,
}


def tables(random: Random, ids: Callable[[int], object]) -> dict[str, list[dict[str, object]]]:
    """People with no row, one, and several, in the same town and in others; NULL wherever it may
    stand.
    """

    def few(*values: object) -> object:
        return random.choice([*values, None])

    def whose() -> object:
        return None if random.random() < 0.1 else ids(random.randrange(6))

    visits = [
        {"id": whose(), "pay": few(-20, 1, 2, 3, 7), "kind": few("a", "b", "x")}
        for _ in range(random.randrange(25))
    ]
    people = [
        {"id": whose(), "town": few("a", "b", "c", "d"), "age": few(5, 41, 52, 140)}
        for _ in range(random.randrange(14))
    ]
    return {
        "visits": visits,
        "people": people,
        "places": [{"name": "a", "size": 1}, {"name": "b", "size": 2}, {"name": "b", "size": 3}],
    }


def compiled(plan: Aggregate) -> Statement:
    session = DuckDBSession([], EngineLimits())
    try:
        catalogue = attach_tables(
            session, frames(schemas(plan), tables(Random(0), NUMBERED[int])), DUCKDB
        )
        main = compile_plan(plan, catalogue.stored_tables, DUCKDB).sums
    finally:
        session.close()
    assert main is not None
    return main


def statement(plan: Aggregate) -> str:
    return compiled(plan).sql


ROWS = Schema("visits", VISITS.columns, "row")
BY_UNIT = {
    "plain",
    "turned round",
    "one group",
    "listed",
    "few listed",
    "no key",
    "no key, nothing declared",
    "no values",
    "of either side",
}


@pytest.mark.parametrize("name", APART)
def test_people_are_grouped_in_arrays_where_all_of_them_are_asked_about(name: str) -> None:
    few = (
        replace(APART[name], measures=(Measure("rows"), Measure("total", "pay", NARROW)))
        if name != "no values"
        else APART[name]
    )
    assert compiled(few).by_unit == (name in BY_UNIT or name == "a public table first")


@pytest.mark.parametrize(
    ("plan", "by_unit"),
    [
        (by(Table(VISITS), domain=(), measures=MEASURES[:3]), True),
        # a place for each person and group would be too many
        (by(Table(VISITS), "kind", measures=MEASURES[:3]), False),
        # few may be left
        (by(Filter(Table(VISITS), DEAR), domain=(), measures=MEASURES[:3]), False),
        (by(Table(ROWS), domain=(), caps=(1, 1), measures=MEASURES[:3]), False),
        (by(PLAIN, "kind", measures=MEASURES[:3]), False),
        (
            by(
                Table(VISITS),
                domain=(),
                measures=(Measure("moments", "pay", NARROW, degree=2, second=("pay", NARROW)),),
            ),
            False,
        ),
    ],
)
def test_only_suitable_plans_aggregate_by_unit_first(plan: Aggregate, by_unit: bool) -> None:
    assert compiled(plan).by_unit == by_unit


def added_before(sql: str) -> bool:
    """Whether what is joined last was added up by unit."""
    (tree,) = sqlglot.parse(sql, dialect="duckdb")
    assert tree is not None
    joins = [
        join.this.this for join in tree.find_all(exp.Join) if isinstance(join.this.this, exp.Select)
    ]
    return any(join.args.get("group") is not None for join in joins)


@pytest.mark.parametrize("plan", APART.values(), ids=APART)
def test_each_side_is_worked_on_alone(plan: Aggregate) -> None:
    assert added_before(statement(plan))


@pytest.mark.parametrize("plan", TOGETHER.values(), ids=TOGETHER)
def test_joins_that_cannot_be_split_are_joined_first(plan: Aggregate) -> None:
    assert not added_before(statement(plan))


@pytest.mark.long
@pytest.mark.parametrize(
    "ids",
    [
        pytest.param(kind, marks=pytest.mark.slow if place else ())
        for place, kind in enumerate(NUMBERED.values())
    ],
    ids=[kind.__name__ for kind in NUMBERED],
)
@pytest.mark.parametrize("plan", [*APART.values(), *TOGETHER.values()], ids=[*APART, *TOGETHER])
def test_cells_agree_with_the_reference(plan: Aggregate, ids: Callable[[int], object]) -> None:
    for number in range(many(2)):
        agreed(
            plan,
            {
                name: rows
                for name, rows in tables(Random(number), ids).items()
                if name in schemas(plan)
            },
        )


def test_tied_ranks_never_exceed_the_group_bound() -> None:
    tied = replace(DUCKDB, build_rank=lambda values: integer_literal(7))
    people = [
        {"id": place % 4, "town": town, "age": 1} for place, town in enumerate("abcdabdcacbdbbbb")
    ]
    visits = [{"id": place % 5, "pay": 1, "kind": "x"} for place in range(10)]
    for most in (1, 2, 3):
        found = agreed_in(
            tied,
            lambda *_: 7,
            by(PLAIN, "town", caps=(most, 9)),
            {"visits": visits, "people": people},
        )
        assert sum(numbers[0] for numbers in found.values()) == sum(
            min(most, len({p["town"] for p in people if p["id"] == i})) for i in range(4)
        )


@pytest.mark.parametrize(
    ("here", "there"), [(1, 1), (1, 400), (400, 1), (2, 2), (3, 90), (90, 3), (60, 60)]
)
def test_no_more_rows_count_than_the_cap_however_many_are_joined(here: int, there: int) -> None:
    visits = [{"id": 1, "pay": place % 7 - 2, "kind": "x"} for place in range(here)]
    people = [{"id": 1, "town": "a", "age": 1} for _ in range(there)]
    for most in (1, 3, 100, 4000):
        found = agreed(by(PLAIN, "town", caps=(1, most)), {"visits": visits, "people": people})
        assert found["a",][1] == min(here * there, most)


def test_a_join_splits_into_a_summed_and_a_grouped_side() -> None:
    found = split_join(FILTERED, ("town",), ("pay",))
    assert isinstance(found, JoinSides)
    assert set(found.summed.columns) == {"pay"}
    assert set(found.grouped.columns) == {"town", "decade"}
    assert split_join(FILTERED, ("town",), ("town",)) is None
    met = Join(
        Table(VISITS),
        Table(replace(PEOPLE, unit="town_id")),
        (),
        ADDS,
        1,
        second_population=SecondPopulation("kind", (), 1, 1),
    )
    assert split_join(met, ("town",), ("pay",)) is None
