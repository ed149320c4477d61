"""Which names still stand for what was read, and that a list is not looked through twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.helpers_comparison import agreed
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.column_lineage import find_source_column
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.plan.measures import Measure
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
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema

CITY, AGE = Column("city", "text", values=("a", "b", "c", "d")), Column("age", "integer")
PEOPLE = Schema("people", (CITY, AGE), "id")
PLACES = Schema(
    "places", (Column("name", "text"), Column("size", "integer", values=(1, 5, 9))), None
)
SHELVES = {
    "people": StoredTable(
        "t0",
        {"city": StoredColumn("city", "text"), "age": StoredColumn("age", "integer")},
        StoredColumn("id", "integer"),
    )
}
OLD = Filter(Table(PEOPLE), Call(">", (ColumnRef("age"), Constant(3, "integer"))))
BESIDE = Join(OLD, Table(PLACES), (("city", "name"),), (("size", "size"),))


@pytest.mark.parametrize(
    ("rows", "name", "column"),
    [
        (Table(PEOPLE), "city", CITY),
        (OLD, "age", AGE),
        (Project(OLD, (("town", ColumnRef("city")),)), "town", CITY),
        (UnitAggregation(OLD, ("city",), (("n", UnitStatistic("rows")),)), "city", CITY),
        (BESIDE, "city", CITY),
        (BESIDE, "size", PLACES.columns[1]),
        (Project(OLD, (("city", Call("lower", (ColumnRef("city"),))),)), "city", None),
        (Project(OLD, (("city", Constant("z", "text")),)), "city", None),
        (UnitAggregation(OLD, (), (("city", UnitStatistic("greatest", "age")),)), "city", None),
        (Union((Table(PEOPLE), Table(replace(PEOPLE, table="others")))), "city", None),
    ],
)
def test_a_column_is_followed_to_its_table(
    rows: RelationNode, name: str, column: Column | None
) -> None:
    assert find_source_column(rows, name) == column


def by_city(rows: RelationNode, *domain: str) -> Aggregate:
    return Aggregate(
        Group(Bound(rows, ("city",), 1, 2), (domain,)), (Measure("rows"), Measure("units"))
    )


def lists(plan: Aggregate) -> int:
    """How often the statement looks through a list."""
    compiled = compile_plan(plan, SHELVES, DUCKDB)
    assert compiled.sums is not None
    return compiled.sums.sql.count(" IN (")


def test_a_list_is_looked_through_once_where_all_of_it_is_asked_for() -> None:
    assert lists(by_city(Table(PEOPLE), "a", "b", "c", "d")) == 1
    assert lists(by_city(OLD, "d", "c", "x", "b", "a")) == 1  # and more that nobody has
    assert lists(by_city(Table(PEOPLE), "a", "b", "c")) == 2
    assert (
        lists(
            by_city(
                Project(OLD, (("city", Call("lower", (ColumnRef("city"),))),)), "a", "b", "c", "d"
            )
        )
        == 2
    )
    free = Schema("people", (Column("city", "text"), AGE), "id")
    assert lists(by_city(Table(free), "a", "b", "c", "d")) == 1


@pytest.mark.parametrize("domain", [("a", "b", "c", "d"), ("d", "x", "c", "b", "a"), ("b", "d")])
def test_unlisted_values_use_up_no_group(domain: tuple[str, ...]) -> None:
    cities = ["a", "z", None, "d", "", "b", "z", "b", None, "c"]
    rows = [{"id": place % 3, "city": city, "age": place} for place, city in enumerate(cities)]
    found = agreed(by_city(Table(PEOPLE), *domain), {"people": rows})
    assert set(found) == {(city,) for city in domain}
    assert sum(units for _, units in found.values()) == 3
