"""Joins, folds, links, parts, different values, moments and picks: every engine gives what the
reference gives, cell for cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

from depth import many
from engines.against import RANKS, agreed, frames, nodes, plain, schemas
from engines.worlds import ENGINES
from hedgerow.engines.compile import relations as row_compiler
from hedgerow.engines.compile import sums
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.dialect import DUCKDB
from hedgerow.engines.compile.plan import StoredTable, compile_plan
from hedgerow.engines.compile.sql_builders import column, integer_literal, select
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.process.engine_process import IsolatedDuckDB
from hedgerow.engines.reference import interpreter as reference
from hedgerow.engines.tables.registry import RegisteredTable
from hedgerow.errors import SourceError, Unsupported
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
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import meetings, worlds


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(many(10)))
def test_every_engine_gives_what_the_reference_gives(
    engine: Callable[..., Any], number: int
) -> None:
    random = Random(number)
    world = worlds.world(random)
    source = engine(frames(world.schemas, world.tables))
    try:
        for _ in range(8):
            plan = worlds.plan(random, world.schemas)
            assert plain(source.run(plan)) == reference.interpret_plan(
                plan, world.tables, RANKS(plan, world.tables)
            )
    finally:
        source.close()


def test_the_generator_makes_everything() -> None:
    """Otherwise the test above would say little."""
    seen: set[str] = set()
    for number in range(many(10)):
        random = Random(number)
        world = worlds.world(random)
        for _ in range(8):
            plan = worlds.plan(random, world.schemas)
            seen |= {measure.kind for measure in plan.measures}
            seen |= {type(node).__name__ for node in nodes(plan.bound.source)}
            seen |= {"pick" for measure in plan.measures if isinstance(measure, OrderStatistic)}
    assert seen >= {
        "Table",
        "Filter",
        "Project",
        "Join",
        "Union",
        "Fold",
        "distinct",
        "moments",
        "total",
        "quantiles",
        "mode",
        "greatest",
    }


ORDERS = Schema(
    "orders", (Column("number", "integer"), Column("x", "integer", Fraction(0), Fraction(9))), "id"
)
ITEMS = Schema(
    "items",
    (Column("order", "integer"), Column("code", "text"), Column("price", "real")),
    "id",
    link=Link("order", ORDERS, "number"),
)
PARTS = Schema(
    "parts", (Column("of", "text"), Column("y", "integer")), "id", link=Link("of", ITEMS, "code")
)
PLACES = Schema("places", (Column("i", "integer"), Column("label", "text")), None)
COUNTS = (Measure("units"), Measure("rows"))


def by(
    rows: RelationNode,
    *keys: str,
    caps: tuple[int, int] = (9, 9),
    measures: tuple[Measure | OrderStatistic, ...] = COUNTS,
) -> Aggregate:
    return Aggregate(Group(Bound(rows, keys, *caps), None), measures)


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


CLAIMED: Mapping[str, list[dict[str, Any]]] = {
    "orders": [
        {"id": 1, "number": 7, "x": 3},
        {"id": 1, "number": 7, "x": 4},  # twice by the same customer: still one owner
        {"id": 2, "number": 7, "x": 9},
        {"id": 2, "number": 8, "x": 1},
        {"id": 3, "number": None, "x": 1},
        {"id": None, "number": 9, "x": 1},
    ],
    "items": [
        {"order": 7, "code": "a", "price": 1.0},
        {"order": 7, "code": "b", "price": 2.0},
        {"order": 8, "code": "c", "price": 4.0},
        {"order": 9, "code": "d", "price": 8.0},  # nobody's
        {"order": None, "code": "e", "price": 16.0},
        {"order": 99, "code": "f", "price": 32.0},  # leads nowhere
    ],
    "parts": [
        {"of": "a", "y": 1},
        {"of": "c", "y": 2},
        {"of": "d", "y": 3},
        {"of": None, "y": 4},
        {"of": "", "y": 5},
    ],
}


def test_a_row_that_two_units_claim_is_a_row_of_each_and_nobodys_rows_go() -> None:
    price = Measure("total", "price", ClampedGrid(Fraction(1), 0, 100))
    items = by(Table(ITEMS), "code", measures=(*COUNTS, price))
    assert agreed(items, CLAIMED) == {("a",): (2, 2, 2), ("b",): (2, 2, 4), ("c",): (1, 1, 4)}
    assert agreed(by(Table(PARTS), "y"), CLAIMED) == {(1,): (2, 2), (2,): (1, 1)}


@pytest.mark.parametrize("gone", [1, 2])
def test_without_one_of_its_owners_a_row_changes_for_that_one_alone(gone: int) -> None:
    left = {**CLAIMED, "orders": [row for row in CLAIMED["orders"] if row["id"] != gone]}
    for rows, key in ((Table(ITEMS), "code"), (Table(PARTS), "y")):
        plan = by(rows, key)
        before, after = agreed(plan, CLAIMED), agreed(plan, left)
        own = [unit for unit, row in reference.evaluate_relation(rows, CLAIMED) if unit == gone]
        assert own
        assert sum(found[1] for found in before.values()) - sum(
            found[1] for found in after.values()
        ) == len(own)
        assert [
            (unit, row) for unit, row in reference.evaluate_relation(rows, CLAIMED) if unit != gone
        ] == list(reference.evaluate_relation(rows, left))


@pytest.mark.parametrize(
    ("ids", "units"),
    [
        ([1, 2, 2, None], 2),
        (["1", "2", "2", None, "", " ", "\t\u3000", "1 "], 3),
        ([1.0, 2.5, 2.5, None, math.nan, 0.0, -0.0], 3),
    ],
)
def test_rows_without_an_id_are_nobodys_wherever_they_lead(ids: list[Any], units: int) -> None:
    tables = {
        "orders": [{"id": one, "number": i, "x": i} for i, one in enumerate(ids)],
        "items": [{"order": i, "code": "a", "price": 1.0} for i in range(len(ids))],
    }
    there = sum(
        1
        for one in ids
        if one is not None and one == one and (not isinstance(one, str) or one.strip())
    )
    assert agreed(by(Table(ITEMS)), tables) == {(): (units, there)}
    folded = UnitAggregation(Table(ORDERS), (), (("n", UnitStatistic("rows")),))
    assert sum(found[0] for found in agreed(by(folded, "n"), tables).values()) == units
    beside = Join(Table(ORDERS), Table(ITEMS), (("number", "order"),), (("code", "code"),))
    assert agreed(by(beside, "code"), tables) == {("a",): (units, there)}


def test_of_each_unit_only_its_first_parts_count_and_null_comes_last() -> None:
    parted = replace(ORDERS, partition=Partition("NUMBER", 2))
    tables = {
        "orders": (
            [
                {"id": 1, "number": number, "x": x}
                for number, x in ((5, 1), (5, 2), (None, 3), (9, 4), (7, 5))
            ]
            + [{"id": 2, "number": number, "x": 0} for number in (None, None, 9)]
            + [{"id": 3, "number": None, "x": 6}]
        )
    }
    assert agreed(by(Table(parted), "number"), tables) == {
        (5,): (1, 2),
        (7,): (1, 1),
        (9,): (1, 1),
        (None,): (2, 3),
    }
    # what hangs on other parts of a parent counts all the same
    items = replace(ITEMS, link=Link("order", parted, "number"))
    more = {**tables, "items": [{"order": 9, "code": "a", "price": 1.0}]}
    assert agreed(by(Table(items)), more) == {(): (2, 2)}


def test_a_link_of_columns_that_are_read_into_bounds_compares_what_was_read() -> None:
    clamped = replace(
        ORDERS, columns=(Column("number", "integer", Fraction(0), Fraction(10)), ORDERS.columns[1])
    )
    items = replace(ITEMS, link=Link("order", clamped, "number"))
    tables = {
        "orders": [{"id": 1, "number": 500, "x": 1}, {"id": 2, "number": -3, "x": 1}],
        "items": [
            {"order": 10, "code": "a", "price": 1.0},
            {"order": 0, "code": "b", "price": 1.0},
            {"order": 500, "code": "c", "price": 1.0},
        ],
    }
    assert agreed(by(Table(items), "code"), tables) == {("a",): (1, 1), ("b",): (1, 1)}


def some_plans(orders: Schema = ORDERS) -> list[Aggregate]:
    """A handful of everything that is new, over the tables in CLAIMED."""
    items = replace(ITEMS, link=Link("order", orders, "number"))
    parts = replace(PARTS, link=Link("of", items, "code"))
    price, x = ClampedGrid(Fraction(1, 2), 0, 100), ClampedGrid(Fraction(1), 0, 9)
    joined = Join(
        Table(orders),
        Table(items),
        (("number", "order"),),
        (("code", "code"), ("price", "price")),
        keeps_unmatched=True,
    )
    folded = UnitAggregation(
        joined,
        (),
        (
            ("n", UnitStatistic("rows")),
            ("paid", UnitStatistic("total", "price", price)),
            ("mean", UnitStatistic("mean", "price", price)),
        ),
    )
    labelled = Project(
        Table(parts),
        (
            ("label", Call("concat", (ColumnRef("of"), Call("upper", (ColumnRef("of"),))))),
            ("y", ColumnRef("y")),
        ),
    )
    return [
        by(Table(items), "code", caps=(1, 1)),
        by(
            Table(parts),
            measures=(Measure("distinct", "y"), OrderStatistic("mode", "of", values=("c", "a"))),
        ),
        by(
            joined,
            "code",
            caps=(2, 1),
            measures=(*COUNTS, Measure("moments", "x", x, degree=2, second=("price", price))),
        ),
        by(
            folded,
            "n",
            measures=(
                Measure("rows"),
                Measure("total", "paid", price, sum_bounds=(0, 50)),
                OrderStatistic("greatest", "mean", price),
            ),
        ),
        by(
            labelled,
            "label",
            measures=(OrderStatistic("quantiles", "y", x, quantiles=(Fraction(1, 2),)),),
        ),
        Aggregate(
            Group(Bound(joined, ("code",), 1, 2), (("f", "b", "a"),)),
            (OrderStatistic("least", "price", price), Measure("distinct", "x")),
        ),
    ]


def files(kind: str, folder: Path, plans: list[Aggregate]) -> dict[str, RegisteredTable]:
    made = {}
    for plan in plans:
        for name, table in frames(schemas(plan), CLAIMED).items():
            path = folder / f"{name}.{kind}"
            (pyarrow.csv.write_csv if kind == "csv" else pq.write_table)(table.data, path)
            made[name] = RegisteredTable(path, table.schema)
    return made


DECLARED = replace(ORDERS, columns=(*ORDERS.columns, Column("id", "integer")))


@pytest.mark.parametrize("engine", [DuckDB, IsolatedDuckDB])
@pytest.mark.parametrize(
    ("kind", "orders"),
    [("csv", ORDERS), ("csv", DECLARED), ("parquet", ORDERS)],
    ids=["csv", "declared", "parquet"],
)
def test_files_hang_together_like_frames_in_this_process_and_in_another(
    engine: Callable[..., Any], kind: str, orders: Schema, tmp_path: Path
) -> None:
    text = {
        **CLAIMED,
        "orders": [
            {**row, "id": None if row["id"] is None else str(row["id"])}
            for row in CLAIMED["orders"]
        ],
    }
    # ids that nobody declared are text in such a file
    tables = text if kind == "csv" and orders.id_column is None else CLAIMED
    plans = some_plans(orders)
    source = engine(files(kind, tmp_path, plans))
    try:
        for plan in plans:
            assert plain(source.run(plan)) == reference.interpret_plan(
                plan, tables, RANKS(plan, tables)
            )
    finally:
        source.close()


def test_a_worker_answers_from_frames_as_well() -> None:
    agreed(some_plans()[3], CLAIMED, IsolatedDuckDB)


def test_units_whose_ids_differ_in_type_are_never_joined(tmp_path: Path) -> None:
    pq.write_table(
        pyarrow.table({"id": ["1"], "number": [7], "x": [1]}), tmp_path / "orders.parquet"
    )
    others = replace(ORDERS, table="others")
    tables = {
        "orders": RegisteredTable(tmp_path / "orders.parquet", ORDERS),
        "others": RegisteredTable(pyarrow.table({"id": [1], "number": [7], "x": [1]}), others),
        "items": RegisteredTable(
            pyarrow.table({"order": [7], "code": ["a"], "price": [1.0]}), ITEMS
        ),
    }
    source = DuckDB(tables)
    for rows in (Table(ORDERS), Table(ITEMS)):
        with pytest.raises(Unsupported, match="differ in type"):
            source.prepare(by(Join(rows, Table(others), (), (("other", "x"),))))
        source.prepare(by(Join(rows, Table(ORDERS), (), (("other", "x"),))))
    source.close()


def test_a_parent_that_is_not_in_the_data_is_missed() -> None:
    tables = frames(schemas(by(Table(ITEMS))), CLAIMED)
    del tables["orders"]
    source = DuckDB(tables)
    with pytest.raises(SourceError, match="no table orders"):
        source.prepare(by(Table(ITEMS)))
    source.close()


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
def test_two_populations_meet_as_the_reference_says(engine: Callable[..., Any]) -> None:
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


def test_those_who_are_named_have_ids_of_the_same_type() -> None:
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
        match="The ids of a population, and the column that should hold them, differ in type",
    ):
        source.prepare(plan)
    source.close()


def test_those_who_are_named_have_ids_that_compare_exactly() -> None:
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
            pytest.raises(Unsupported, match="hold them, differ in type")
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
def test_nobody_of_two_populations_moves_an_answer_further_than_declared(
    table: str, relation: Relation
) -> None:
    assert list(meetings.searched(table, relation, range(many(2)), by_engine)) == []


def no_clamp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "clamp", lambda value, *_: value)


def no_cap_on_bonds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        row_compiler,
        "_number_references",
        lambda found, cell, dialect: select([*named(found), ("place", integer_literal(1))], found),
    )


def bonds_after_the_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that name nobody who is there are gone before the bonds are counted."""
    honest = row_compiler._number_references

    def first(found: exp.Select, cell: Any, dialect: Any) -> exp.Select:
        there = exp.select(exp.column("id", quoted=True)).from_(
            exp.Table(this=exp.to_identifier("t1", quoted=True))
        )
        return honest(
            found.where(exp.In(this=cell[0].copy(), query=exp.Subquery(this=there))), cell, dialect
        )

    monkeypatch.setattr(row_compiler, "_number_references", first)


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
def test_what_others_get_is_clamped_beyond_64_bits_too(most: int) -> None:
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
