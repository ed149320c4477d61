"""PostgreSQL beside the reference: the same cells for every plan, before noise; and what happens
when the server fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from depth import many
from engines.helpers_engine_answers import answer, expected
from engines.helpers_plans import plans
from engines.helpers_worlds import worlds
from engines.postgresql.helpers_server import get_server, make_table
from engines.postgresql.helpers_worlds import ServerRanks, guarded_reference, open_world
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import binary, call_function, cast_to_type
from hedgerow.engines.postgresql import engine
from hedgerow.engines.postgresql.dialect import POSTGRESQL
from hedgerow.engines.postgresql.engine import PostgreSQL, PostgresTable
from hedgerow.engines.postgresql.inspection import TableName
from hedgerow.errors import InvalidArgument, SourceError, Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema

VISITS = Schema(
    "visits",
    (
        Column("region", "text"),
        Column("cost", "real", Fraction(-10), Fraction(10)),
        Column("big", "integer"),
    ),
    "id",
)
VISIT_TYPES = {"id": "text", "region": "text", "cost": "double precision", "big": "bigint"}


@pytest.fixture(scope="module")
def owner() -> Iterator[psycopg.Connection[Any]]:
    with get_server().new_database() as name, get_server().connect(name) as connection:
        yield connection


@pytest.mark.long
@given(data=st.data())
@settings(max_examples=many(8), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_the_server_gives_the_numbers_of_the_reference(
    owner: psycopg.Connection[Any], data: st.DataObject
) -> None:
    ranks: Any = ServerRanks(owner)
    with guarded_reference():
        world = data.draw(worlds())
        source = open_world(world, owner)
        try:
            for _ in range(15):
                plan = data.draw(plans(world))
                try:
                    source.prepare(plan)
                except Unsupported:
                    continue
                assert answer(source, plan) == expected(world, plan, ranks)
        finally:
            source.close()


def sum_by_region(
    *measures: Measure, max_rows: int = 1, max_groups: int = 1, domain: Any = None
) -> Aggregate:
    return Aggregate(
        Group(Bound(Table(VISITS), ("region",), max_groups, max_rows), domain), measures
    )


COST = Measure("total", "cost", ClampedGrid(Fraction(1), -10, 10))
FINE = replace(COST, resolution=2**34)
COARSE = replace(COST, grid=ClampedGrid(Fraction(1000), -1, 1))
WIDE = Measure("total", "big", ClampedGrid(Fraction(1), -(2**53), 2**53))


def run(owner: psycopg.Connection[Any], rows: list[tuple[Any, ...]], plan: Aggregate) -> Any:
    make_table(
        owner, "visits", VISIT_TYPES, [dict(zip(VISIT_TYPES, row, strict=True)) for row in rows]
    )
    source = PostgreSQL(
        get_server().address(owner.info.dbname),
        {"visits": PostgresTable(TableName("public", "visits"), VISITS)},
    )
    try:
        return answer(source, plan)
    finally:
        source.close()


def half_even() -> Dialect:
    return replace(
        POSTGRESQL,
        round_bounded=lambda value: cast_to_type(call_function("round", value), "integer"),
    )


def no_flush() -> Dialect:
    return replace(POSTGRESQL, divide_by_nonzero=lambda a, b: binary(a, exp.Div, b))


def float_sums() -> Dialect:
    return replace(POSTGRESQL, wide_integer="DOUBLE")


def no_collation() -> Dialect:
    def rewrite(tree: exp.Expr) -> exp.Expr:
        found = POSTGRESQL.rewrite(tree)
        return found.transform(
            lambda node: (
                exp.Collate(this=node.this, expression=exp.to_identifier("blind", quoted=True))
                if isinstance(node, exp.Collate)
                else node
            )
        )

    return replace(POSTGRESQL, rewrite=rewrite)


def raising_cast() -> Dialect:
    return replace(POSTGRESQL, read_stored=lambda value, _, __: cast_to_type(value, "integer"))


def dividing_reals() -> Dialect:
    divide = lambda a, b: cast_to_type(  # noqa: E731
        binary(cast_to_type(a, "real"), exp.Div, cast_to_type(b, "real")), "integer"
    )
    return replace(POSTGRESQL, truncating_divide=divide, truncating_divide_wide=divide)


ZOO = [("a", "Zoo", 1.0, 0), ("b", "zoo", 1.0, 0)]
MISTAKES: list[tuple[Any, list[tuple[Any, ...]], Aggregate]] = [
    (half_even, [("a", "x", 2.5, 0)], sum_by_region(COST)),
    (
        no_flush,
        [("a", "x", 5e-324, 0)],
        sum_by_region(COARSE),
    ),
    (no_collation, ZOO, sum_by_region(Measure("units"))),
    (
        float_sums,
        [("a", "x", 1.0, 2**53), ("b", "x", 1.0, 1), ("c", "x", 1.0, 1)],
        sum_by_region(WIDE),
    ),
    (raising_cast, [("a", "x", 9.5, 0)], sum_by_region(COST)),
    (
        dividing_reals,
        [("a", "x", 1.0, 0)] * 2 + [("a", "x", 10.0, 0)] * 5,
        sum_by_region(FINE, max_rows=3),
    ),
]


@pytest.mark.parametrize(
    ("mistake", "rows", "plan"), MISTAKES, ids=lambda one: getattr(one, "__name__", "")
)
def test_planted_mistakes_change_the_cells(
    owner: psycopg.Connection[Any],
    monkeypatch: pytest.MonkeyPatch,
    mistake: Callable[[], Dialect],
    rows: list[tuple[Any, ...]],
    plan: Aggregate,
) -> None:
    owner.execute(
        "CREATE COLLATION IF NOT EXISTS blind"
        " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    right = run(owner, rows, plan)
    monkeypatch.setattr(engine, "POSTGRESQL", mistake())
    try:
        wrong = run(owner, rows, plan)
    except SourceError:
        wrong = None
    assert wrong != right


def test_the_order_of_rows_does_not_decide_which_groups_count(
    owner: psycopg.Connection[Any],
) -> None:
    rows = [(f"u{i % 5}", f"r{i % 7}", float(i % 3), i) for i in range(70)]
    plan = sum_by_region(Measure("units"), COST, max_groups=2)
    assert run(owner, rows, plan) == run(owner, rows[::-1], plan)


def test_a_failure_says_nothing_of_the_data_and_the_next_question_is_answered(
    owner: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_table(owner, "visits", VISIT_TYPES, [])
    source = PostgreSQL(
        get_server().address(owner.info.dbname),
        {"visits": PostgresTable(TableName("public", "visits"), VISITS)},
    )
    plan = sum_by_region(Measure("units"))
    assert answer(source, plan) == {}
    owner.execute("ALTER TABLE visits ALTER region TYPE integer USING 1")
    owner.execute("INSERT INTO visits VALUES ('secret', 7, 1.0, 2)")
    owner.execute("ALTER TABLE visits RENAME COLUMN id TO gone")
    with pytest.raises(SourceError) as failure:
        source.run(plan)
    assert "charged" in str(failure.value)
    assert failure.value.__context__ is failure.value.__cause__ is None
    owner.execute("ALTER TABLE visits RENAME COLUMN gone TO id")
    owner.execute("ALTER TABLE visits ALTER region TYPE text")
    assert answer(source, plan) == {("7",): (1,)}
    source.close()


def test_a_terminated_backend_is_one_failure(owner: psycopg.Connection[Any]) -> None:
    make_table(owner, "visits", VISIT_TYPES, [])
    source = PostgreSQL(
        get_server().address(owner.info.dbname),
        {"visits": PostgresTable(TableName("public", "visits"), VISITS)},
    )
    plan = sum_by_region(Measure("units"))
    assert answer(source, plan) == {}
    terminate = (
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND usename = 'reader'"
    )
    assert owner.execute(terminate).fetchall() == [(True,)]
    assert answer(source, plan) == {}  # a connection that broke between questions is no failure
    source.close()


def test_only_registered_tables_have_a_schema(owner: psycopg.Connection[Any]) -> None:
    make_table(owner, "visits", VISIT_TYPES, [])
    source = PostgreSQL(
        get_server().address(owner.info.dbname),
        {"visits": PostgresTable(TableName("public", "visits"), VISITS)},
    )
    assert [column.name for column in source.schema("visits")] == list(VISIT_TYPES)
    with pytest.raises(InvalidArgument, match="registered table"):
        source.schema("pg_authid")
    source.close()
