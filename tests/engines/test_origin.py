"""Which names still stand for what was read, and that a list is not looked through twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.against import agreed
from hedgerow.engines.compile import Shelf, compile_plan
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.origin import origin
from hedgerow.engines.reading import Stored
from hedgerow.plan.expressions import Call, Constant, Read
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Fold, Folded, Group, Join, Project, Rows, Table, Union
from hedgerow.plan.schema import Column, Schema

CITY, AGE = Column("city", "text", values=("a", "b", "c", "d")), Column("age", "integer")
PEOPLE = Schema("people", (CITY, AGE), "id")
PLACES = Schema("places", (Column("name", "text"), Column("size", "integer", values=(1, 5, 9))), None)
SHELVES = {"people": Shelf("t0", {"city": Stored("city", "text"), "age": Stored("age", "integer")}, Stored("id", "integer"))}
OLD = Filter(Table(PEOPLE), Call(">", (Read("age"), Constant(3, "integer"))))
BESIDE = Join(OLD, Table(PLACES), (("city", "name"),), (("size", "size"),))


@pytest.mark.parametrize(
    ("rows", "name", "column"),
    [
        (Table(PEOPLE), "city", CITY),
        (OLD, "age", AGE),
        (Project(OLD, (("town", Read("city")),)), "town", CITY),
        (Fold(OLD, ("city",), (("n", Folded("rows")),)), "city", CITY),
        (BESIDE, "city", CITY),
        (BESIDE, "size", PLACES.columns[1]),
        (Project(OLD, (("city", Call("lower", (Read("city"),))),)), "city", None),
        (Project(OLD, (("city", Constant("z", "text")),)), "city", None),
        (Fold(OLD, (), (("city", Folded("greatest", "age")),)), "city", None),
        (Union((Table(PEOPLE), Table(replace(PEOPLE, table="others")))), "city", None),
    ],
)
def test_a_column_is_followed_to_its_table(rows: Rows, name: str, column: Column | None) -> None:
    assert origin(rows, name) == column


def by_city(rows: Rows, *domain: str) -> Aggregate:
    return Aggregate(Group(Bound(rows, ("city",), 1, 2), (domain,)), (Measure("rows"), Measure("units")))


def lists(plan: Aggregate) -> int:
    """How often the statement looks through a list."""
    compiled = compile_plan(plan, SHELVES, DUCKDB)
    assert compiled.main is not None
    return compiled.main.sql.count(" IN (")


def test_a_list_is_looked_through_once_where_all_of_it_is_asked_for() -> None:
    assert lists(by_city(Table(PEOPLE), "a", "b", "c", "d")) == 1
    assert lists(by_city(OLD, "d", "c", "x", "b", "a")) == 1  # and more that nobody has
    assert lists(by_city(Table(PEOPLE), "a", "b", "c")) == 2
    assert lists(by_city(Project(OLD, (("city", Call("lower", (Read("city"),))),)), "a", "b", "c", "d")) == 2
    free = Schema("people", (Column("city", "text"), AGE), "id")
    assert lists(by_city(Table(free), "a", "b", "c", "d")) == 1


@pytest.mark.parametrize("domain", [("a", "b", "c", "d"), ("d", "x", "c", "b", "a"), ("b", "d")])
def test_what_is_not_in_the_list_takes_the_place_of_no_group(domain: tuple[str, ...]) -> None:
    cities = ["a", "z", None, "d", "", "b", "z", "b", None, "c"]
    rows = [{"id": place % 3, "city": city, "age": place} for place, city in enumerate(cities)]
    found = agreed(by_city(Table(PEOPLE), *domain), {"people": rows})
    assert set(found) == {(city,) for city in domain}
    assert sum(units for _, units in found.values()) == 3
