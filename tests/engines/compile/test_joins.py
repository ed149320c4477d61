"""Joins with public tables and with a second population: the engine agrees with the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from depth import many
from engines.compile.helpers_orders import COUNTS, ORDERS, PLACES, by
from engines.helpers_comparison import agreed, frames, plain
from engines.helpers_plans import ENGINES
from hedgerow.engines.compile import joins, sums
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_builders import column, integer_literal, select
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.reference import interpreter as reference
from hedgerow.errors import Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Table,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import meetings


def test_a_join_may_multiply_the_rows_of_a_unit_by_a_thousand() -> None:
    tables = {
        "orders": [
            {"id": 1, "number": 7, "x": 3},
            {"id": 2, "number": 8, "x": 9},
            {"id": 3, "number": 7, "x": 1},
        ],
        "places": [{"i": 7, "label": f"{i % 2}"} for i in range(1000)],
    }
    joined = Join(Table(ORDERS), Table(PLACES), (("number", "i"),), (("label", "label"),))
    total = Measure("total", "x", ClampedGrid(Fraction(1), 0, 9))
    everything = agreed(by(joined, caps=(1, 10**9), measures=(*COUNTS, total)), tables)
    assert everything == {(): (2, 2000, 4000)}
    # what a unit puts in stays what it was
    assert agreed(by(joined, caps=(1, 5), measures=(*COUNTS, total)), tables) == {(): (2, 10, 20)}
    assert (
        sum(units for units, *_ in agreed(by(joined, "label", caps=(1, 1)), tables).values()) == 2
    )
    itself = Join(joined, Table(ORDERS), (), (("again", "x"),))
    assert agreed(by(itself, caps=(1, 10**9)), tables) == {(): (2, 2000)}


def test_rows_without_partners_stay_with_nothing_beside_them_or_go() -> None:
    tables = {
        "orders": [
            {"id": 1, "number": 7, "x": 3},
            {"id": 2, "number": None, "x": 9},
            {"id": 3, "number": 5, "x": 1},
        ],
        "places": [{"i": 7, "label": "a"}, {"i": None, "label": "b"}, {"i": 6, "label": None}],
    }
    joined = Join(
        Table(ORDERS),
        Table(PLACES),
        (("number", "i"),),
        (("label", "label"), ("i", "i")),
        keeps_unmatched=True,
    )
    assert agreed(by(joined, "label"), tables) == {("a",): (1, 1), (None,): (2, 2)}
    assert agreed(by(replace(joined, keeps_unmatched=False), "label"), tables) == {("a",): (1, 1)}
    nobody = {**tables, "places": []}
    assert agreed(by(joined, "label", measures=(*COUNTS, Measure("values", "i"))), nobody) == {
        (None,): (3, 3, 0)
    }
    assert agreed(by(replace(joined, keeps_unmatched=False), "label"), nobody) == {}
    private = Join(
        Table(ORDERS),
        Filter(Table(ORDERS), Call("<", (ColumnRef("x"), Constant(5, "integer")))),
        (),
        (("other", "x"),),
        keeps_unmatched=True,
    )
    assert agreed(by(private, "other"), tables) == {(3,): (1, 1), (None,): (1, 1), (1,): (1, 1)}


@pytest.mark.parametrize("unit", ["id", "row"])
@pytest.mark.parametrize("keeps", [False, True])
def test_partners_are_limited_also_where_different_whole_numbers_are_one_real(
    unit: str, keeps: bool
) -> None:
    """2^53 and 2^53 + 1 are the same double: a row meets both, and may count once only."""
    sizes = Schema("sizes", (Column("r", "real"),), unit)
    tables = {
        "sizes": [{"id": 1, "r": 2.0**53}],
        "places": [{"i": 2**53 + 1, "label": "a"}, {"i": 2**53, "label": "b"}],
    }
    joined = Join(
        Table(sizes), Table(PLACES), (("r", "i"),), (("label", "label"),), 1, keeps_unmatched=keeps
    )
    assert agreed(by(joined, caps=(1, 1), measures=(Measure("rows"),)), tables) == {(): (1,)}
    assert agreed(by(joined, "label", caps=(1, 1), measures=(Measure("rows"),)), tables) == {
        ("a",): (1,)
    }


def hashed(unit: Any, cell: Any) -> int:
    """The order of DuckDB for the bonds of a unit; with one whom it met, a unit has no more
    groups than count.
    """
    types = ["BIGINT", *("BIGINT" if isinstance(value, int) else "VARCHAR" for value in cell)]
    if isinstance(unit, tuple):
        return 0
    sql = f"SELECT hash(hash({', '.join(f'CAST(? AS {type_})' for type_ in types)})) >> 32"
    ((found,),) = duckdb.execute(sql, [unit, *cell]).fetchall()
    return int(found)


@pytest.mark.parametrize("engine", ENGINES)
def test_joins_of_two_populations_agree_with_the_reference(engine: Callable[..., Any]) -> None:
    met = 0
    for number in range(many(6)):
        random = Random(number)
        tables = meetings.world(random)
        source = engine(frames({"visits": meetings.VISITS, "doctors": meetings.DOCTORS}, tables))
        try:
            for _ in range(8):
                plan = meetings.plan(random)
                found = plain(source.run(plan))
                assert found == reference.interpret_plan(plan, tables, hashed)
                met += any(any(numbers) for numbers in found.values())
        finally:
            source.close()
    assert met > 10


def test_references_must_have_the_type_of_the_ids_they_refer_to() -> None:
    tables: dict[str, Any] = {
        "visits": [{"id": 1, "doctor": 1, "month": "may", "cost": 1}],
        "doctors": [],
    }
    text = replace(meetings.DOCTORS, columns=(Column("id", "text"), *meetings.DOCTORS.columns))
    plan = Aggregate(
        Group(Bound(meetings.meeting((), other=Table(text)), (), 2, 2)), (Measure("rows"),)
    )
    source = DuckDB(frames({"visits": meetings.VISITS, "doctors": text}, tables))
    with pytest.raises(
        Unsupported,
        match="doctor and the unit ids of the population it refers to have different types",
    ):
        source.prepare(plan)
    source.close()


def test_references_must_compare_exactly_with_the_ids_they_refer_to() -> None:
    plan = Aggregate(Group(Bound(meetings.meeting(()), (), 2, 2)), (Measure("rows"),))
    columns = {
        column.name: StoredColumn(column.name, column.type)
        for column in (*meetings.VISITS.columns, *meetings.DOCTORS.columns)
    }
    visits = StoredTable("t0", columns, StoredColumn("id", "integer"))
    for alone in ("", "UHUGEINT"):  # an id of 128 bits does not fit beside one of 64 with a sign
        shelves = {
            "visits": visits,
            "doctors": replace(
                visits, relation="t1", unit=StoredColumn("id", "integer", exact_type=alone)
            ),
        }
        with (
            pytest.raises(Unsupported, match="it refers to have different types")
            if alone
            else nullcontext()
        ):
            compile_plan(plan, shelves, DUCKDB)


def by_engine(plan: Aggregate, tables: Any, rank: Any) -> Any:
    """As the reference runs a plan, but in DuckDB and with its order."""
    source = DuckDB(frames({"visits": meetings.VISITS, "doctors": meetings.DOCTORS}, tables))
    try:
        return plain(source.run(plan))
    finally:
        source.close()


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("table", ["visits", "doctors"])
def test_no_unit_of_two_populations_changes_an_answer_more_than_declared(
    table: str, relation: Relation
) -> None:
    assert list(meetings.searched(table, relation, range(many(2)), by_engine)) == []


def no_clamp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "clamp", lambda value, *_: value)


def no_cap_on_bonds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        joins,
        "_number_references",
        lambda found, cell, dialect: select([*named(found), ("place", integer_literal(1))], found),
    )


def bonds_after_the_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that name nobody who is there are gone before the bonds are counted."""
    honest = joins._number_references

    def first(found: exp.Select, cell: Any, dialect: Any) -> exp.Select:
        there = exp.select(exp.column("id", quoted=True)).from_(
            exp.Table(this=exp.to_identifier("t1", quoted=True))
        )
        return honest(
            found.where(exp.In(this=cell[0].copy(), query=exp.Subquery(this=there))), cell, dialect
        )

    monkeypatch.setattr(joins, "_number_references", first)


def named(found: exp.Select) -> list[tuple[str, exp.Expr]]:
    return [(output.alias, column(output.alias)) for output in found.expressions]


BUSY = {
    "visits": [
        {"id": who, "doctor": doctor, "month": "may", "cost": 1}
        for who in range(1, 9)
        for doctor in (1, 2)
    ],
    "doctors": [{"id": 1, "ward": "a", "fee": 1}, {"id": 2, "ward": "b", "fee": 1}],
}


def seen(table: str, caps: Mapping[str, int]) -> list[str]:
    """What is found on two busy doctors and eight patients who see both, without each of the
    first two of a table.
    """
    plan, unit = meetings.asked(("ward",), **caps), Unit("add-remove", "id")
    claims = (
        plan.sensitivity(unit) if table == "visits" else plan.second_population_sensitivity(unit)
    )
    fewer = [{**BUSY, table: [row for row in BUSY[table] if row["id"] != who]} for who in (1, 2)]
    return meetings.breaches(plan, BUSY, fewer, claims, by_engine)


MISTAKES: dict[Any, tuple[str, dict[str, int]]] = {
    no_clamp: ("doctors", {"bonds": 2, "rows": 1, "most": 3}),
    no_cap_on_bonds: ("visits", {"bonds": 1, "rows": 1, "most": 9}),
    bonds_after_the_meeting: ("doctors", {"bonds": 1, "rows": 1, "most": 9}),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistakes_in_the_bounds_of_two_populations_are_found(
    mistake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seen(*MISTAKES[mistake]) == []
    mistake(monkeypatch)
    assert seen(*MISTAKES[mistake])


@pytest.mark.parametrize("most", [1, 3, 2**70])
def test_totals_of_second_units_are_clamped_beyond_64_bits_too(most: int) -> None:
    far = 2**52
    visits = replace(
        meetings.VISITS, columns=(*meetings.VISITS.columns[:2], Column("cost", "integer"))
    )
    measures = (
        Measure("rows"),
        Measure("total", "cost", ClampedGrid(Fraction(1), -far, far)),
        Measure("moments", "cost", ClampedGrid(Fraction(1), 0, far)),
    )
    plan = Aggregate(Group(Bound(meetings.meeting((), 2, most, Table(visits)), (), 2, 2)), measures)
    told = [
        {"id": who, "doctor": 1, "month": "may", "cost": (-1) ** (who == 5) * far}
        for who in range(1, 6)
    ]
    tables = {"visits": told, "doctors": BUSY["doctors"]}
    source = DuckDB(frames({"visits": visits, "doctors": meetings.DOCTORS}, tables))
    found = plain(source.run(plan))
    source.close()
    assert (
        found
        == reference.interpret_plan(plan, tables, hashed)
        == {(): (min(5, most), min(3, most) * far, min(4, most) * far, far)}
    )
