from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from engines.helpers_comparison import plain
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.stored_tables import StoredTable, locate_columns
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB, RegisteredTable
from hedgerow.engines.reference.interpreter import evaluate_relation, interpret_plan
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Join, Table
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.plan.values import Type

SCHEMA = Schema("visits", (Column("age", "integer"), Column("City", "text")), "id")
COLUMNS = (
    PhysicalColumn("ID", "integer", exact_type="UHUGEINT"),
    PhysicalColumn("age", "real"),
    PhysicalColumn("city", "text"),
)


def test_columns_are_found_by_exact_name_first_then_ignoring_case() -> None:
    assert locate_columns(SCHEMA, "t0", COLUMNS) == StoredTable(
        "t0",
        {"age": StoredColumn("age", "real"), "City": StoredColumn("city", "text")},
        StoredColumn("ID", "integer", exact_type="UHUGEINT"),
    )


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (COLUMNS[1:], "no column id"),
        (COLUMNS[:2], "no column City"),
        ((*COLUMNS[:2], PhysicalColumn("city", None)), "City"),
        ((*COLUMNS, PhysicalColumn("CITY", "text")), "City"),
        ((PhysicalColumn("id", "date"), *COLUMNS[1:]), "id column id"),
    ],
)
def test_a_column_that_cannot_be_read_as_declared_is_named(
    columns: tuple[PhysicalColumn, ...], problem: str
) -> None:
    with pytest.raises(SourceError, match=problem):
        locate_columns(SCHEMA, "t0", columns)


SALES = Schema(
    "sales",
    (
        Column("store", "integer", values=(1, 2)),
        Column("customer", "text"),
        Column("price", "integer", Fraction(0), Fraction(9)),
    ),
    "(store, customer)",
)
LINES = Schema(
    "lines",
    (Column("customer", "text"), Column("pieces", "integer")),
    "(store, customer)",
    link=Link("customer", SALES, "customer"),
)
PARTS = [
    *((store, who, 3) for store in (1, 2, 7, 11) for who in ("1", "11", "1:1", "ä😀")),
    *((1, "11", price) for price in (None, -4, 8)),
    *((None, "1", 1), (1, None, 1), (1, " ", 1), (None, None, 1)),
]
COLUMNS_OF_SALES = [
    PhysicalColumn("store", "integer"),
    PhysicalColumn("customer", "text"),
    PhysicalColumn("price", "integer"),
]


def locate_parts(*types: Type | None) -> StoredTable:
    names = ("STORE", "customer", "price")
    columns = [PhysicalColumn(name, type_) for name, type_ in zip(names, types, strict=True)]
    return locate_columns(replace(SALES, columns=SALES.columns[2:]), "t0", columns)


def test_parts_of_a_composite_id_are_read_as_they_are_declared_or_stored() -> None:
    unit = locate_parts("integer", "text", "integer").unit
    assert unit is not None
    assert [(part.name, read.type) for part, read in unit.parts] == [
        ("STORE", "integer"),
        ("customer", "text"),
    ]
    assert unit.exact_type == "integer, text"


@pytest.mark.parametrize("type_", ["real", "date", None])
def test_a_part_that_is_neither_integer_nor_text_is_refused(type_: Type | None) -> None:
    with pytest.raises(SourceError, match="column store of sales, a part of the privacy id"):
        locate_parts(type_, "text", "integer")


def attach(folder: Path, kind: str) -> DuckDB:
    """Sales as a frame or a file, and lines that lead to them."""
    columns = [list(column) for column in zip(*PARTS, strict=True)]
    sales: Any = pa.table(dict(zip(("store", "customer", "price"), columns, strict=True)))
    if kind == "parquet":
        pq.write_table(sales, folder / "sales.parquet")
    if kind == "csv":
        csv.write_csv(sales, folder / "sales.csv")
    data = sales if kind == "frame" else folder / f"sales.{kind}"
    lines = pa.table({"customer": ["1", "ä😀", None], "pieces": [1, 2, 3]})
    tables = {"sales": RegisteredTable(data, SALES), "lines": RegisteredTable(lines, LINES)}
    return DuckDB(tables, threads=1)


@pytest.mark.parametrize("kind", ["frame", "parquet", "csv"])
def test_the_engine_gives_each_combination_of_parts_the_id_of_the_reference(
    tmp_path: Path, kind: str
) -> None:
    raw = {
        "sales": [dict(zip(("store", "customer", "price"), row, strict=True)) for row in PARTS],
        "lines": [{"customer": who, "pieces": n} for who, n in (("1", 1), ("ä😀", 2), (None, 3))],
    }
    sales, lines = Table(SALES), Table(LINES)
    joined = Join(sales, sales, (), (("other", "price"),))
    with closing(attach(tmp_path, kind)) as engine:
        for rows in (sales, lines, joined, Join(lines, sales, (), (("other", "price"),))):
            plan = Aggregate(
                Group(Bound(rows, (), 1, 100), ()), (Measure("units"), Measure("rows"))
            )
            assert plain(engine.run(plan)) == interpret_plan(plan, raw, lambda *_: 0)
    assert len({unit for unit, _ in evaluate_relation(sales, raw)}) == 16


def test_ids_of_parts_with_other_types_are_not_compared() -> None:
    other = replace(SALES, table="others")
    stored = {
        "sales": locate_columns(SALES, "t0", COLUMNS_OF_SALES),
        "others": replace(
            locate_columns(SALES, "t1", COLUMNS_OF_SALES),
            unit=StoredColumn("(store, customer)", "text", exact_type="text, text"),
        ),
    }
    plan = Aggregate(
        Group(Bound(Join(Table(SALES), Table(other), (), ()), (), 1, 1), ()), (Measure("rows"),)
    )
    with pytest.raises(Unsupported, match="different types"):
        compile_plan(plan, stored, DUCKDB)
