"""Declarations laid over columns."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

import pytest

from hedgerow.database.catalog_builder import build_catalog, build_schema
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.tables.inspect import ColumnSummary
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column, Link, Partition
from hedgerow.policy import parse_policy

POLICY = """
[database]
name = "x"
[budget]
epsilon = 1
[tables.t]
source = "t.parquet"
unit = "Who"
neighbours = "add-remove"
max_units = 10
max_groups = 4
max_rows_per_group = 5
[tables.t.columns]
AGE = { type = "integer", min = 0, max = 9 }
score = { values = [0.5, 1.5] }
month = { type = "date", values = "2026-01 … 2026-03" }
day = { type = "date", values = "2026-01-01 … 2026-01-02" }
note = { hidden = true }
"""
THERE = [
    PhysicalColumn("who", "integer"),
    PhysicalColumn("age", "integer"),
    PhysicalColumn("score", "real"),
    PhysicalColumn("month", "date"),
    PhysicalColumn("day", "date"),
    PhysicalColumn("note", "text"),
    PhysicalColumn("city", "text"),
    PhysicalColumn("blob", None),
]


def test_declarations_override_the_columns_of_the_source() -> None:
    policy = parse_policy(POLICY)
    schema = build_schema(policy, policy.tables[0], {"t": THERE})
    assert schema.unit == "Who"
    assert [column.name for column in schema.columns] == [
        "who",
        "AGE",
        "score",
        "month",
        "day",
        "city",
    ]
    assert schema.column("age") == Column("AGE", "integer", Fraction(0), Fraction(9), Fraction(1))
    assert schema.column("score") == Column("score", "real", Fraction(1, 2), Fraction(3, 2))
    month, day, city = schema.column("month"), schema.column("day"), schema.column("city")
    assert month is not None
    assert month.granularity == "month"
    assert month.values == (date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1))
    assert day is not None
    assert day.granularity == "day"
    assert city == Column("city", "text")
    entry = build_catalog(parse_policy(POLICY), {"t": THERE}).tables["t"]
    assert (entry.max_groups, entry.max_rows_per_group) == (4, 5)


@pytest.mark.parametrize("missing", ["who", "AGE", "note"])
def test_declared_columns_must_exist(missing: str) -> None:
    policy = parse_policy(POLICY)
    with pytest.raises(SourceError, match="has no column"):
        build_schema(
            policy,
            policy.tables[0],
            {"t": [column for column in THERE if column.name.casefold() != missing.casefold()]},
        )


LINKED = """
[database]
name = "x"
[budget]
epsilon = 1
[tables.orders]
source = "orders.parquet"
unit = "customer"
neighbours = "add-remove"
max_units = 10
max_groups = 1
max_rows_per_group = 1
[tables.orders.columns]
number = { hidden = true }
month = { type = "date", values = "2026-01 … 2026-03" }
[tables.orders.partition]
column = "month"
max_parts_per_unit = PARTS
[tables.items]
source = "items.parquet"
unit = "order_number -> orders.number, orders.customer"
neighbours = "add-remove"
max_units = 10
max_groups = 1
max_rows_per_group = 1
[tables.cities]
source = "cities.csv"
public = true
unique = "name"
"""
COLUMNS = {
    "orders": [
        PhysicalColumn("customer", "integer"),
        PhysicalColumn("number", "integer"),
        PhysicalColumn("month", "date"),
    ],
    "items": [PhysicalColumn("order_number", "integer"), PhysicalColumn("price", "real")],
    "cities": [PhysicalColumn("name", "text"), PhysicalColumn("size", "integer")],
}


def test_links_parts_and_keys_come_from_the_policy() -> None:
    catalog = build_catalog(parse_policy(LINKED.replace("PARTS", "2")), COLUMNS)
    orders, items, cities = (catalog.tables[name] for name in ("orders", "items", "cities"))
    assert orders.schema.partition == Partition("month", 2)
    assert orders.schema.column("number") is not None  # what leads to the unit is read,
    assert orders.find_column("number") is None  # and still hidden
    assert items.schema.link == Link("order_number", orders.schema, "number")
    assert items.schema.unit == "customer"
    assert items.population == orders.population != ""
    assert (cities.unique, cities.population, cities.schema.unit) == ((("name",),), "", None)


def test_a_unit_bound_of_all_parts_leaves_the_table_unpartitioned() -> None:
    assert (
        build_catalog(parse_policy(LINKED.replace("PARTS", "3")), COLUMNS)
        .tables["orders"]
        .schema.partition
        is None
    )


@pytest.mark.parametrize(
    ("table", "missing"), [("orders", "number"), ("items", "order_number"), ("cities", "name")]
)
def test_columns_of_links_must_exist(table: str, missing: str) -> None:
    there = COLUMNS | {table: [column for column in COLUMNS[table] if column.name != missing]}
    with pytest.raises(SourceError, match=f"has no column '{missing}'"):
        build_catalog(parse_policy(LINKED.replace("PARTS", "2")), there)


PUBLIC = (
    LINKED.replace("PARTS", "2")
    + """[tables.cities.columns]
size = { type = "integer", min = 0, max = 9 }
mayor = { hidden = true }
river = { type = "text" }
visitors = { type = "integer" }
"""
)
TOWN = {
    "river": "text",
    "visitors": "text",
    "name": "text",
    "size": "integer",
    "mayor": "text",
    "area": "real",
    "founded": "date",
    "port": "boolean",
    "rank": "integer",
}


def towns(**public: ColumnSummary) -> dict[str, Column]:
    there = COLUMNS | {
        "cities": [
            PhysicalColumn(name, type_)  # type: ignore[arg-type]
            for name, type_ in TOWN.items()
        ]
    }
    return {
        column.name: column
        for column in (
            build_catalog(parse_policy(PUBLIC), there, {"cities": public})
            .tables["cities"]
            .schema.columns
        )
    }


def test_a_public_table_supplies_values_that_the_policy_omits() -> None:
    days = (date(1900, 1, 1), date(1950, 1, 1))
    found = towns(
        name=ColumnSummary(("Aachen", "Bonn"), "Aachen", "Bonn"),
        area=ColumnSummary((0.5, 2.5), 0.5, 2.5),
        founded=ColumnSummary(days, *days),
        port=ColumnSummary((True,), True, True),
        rank=ColumnSummary(None, -3, 500),
    )
    assert found["name"] == Column("name", "text", values=("Aachen", "Bonn"))
    # reals are no keys
    assert found["area"] == Column("area", "real", Fraction(1, 2), Fraction(5, 2))
    assert found["founded"] == Column("founded", "date", values=days)
    assert found["port"] == Column("port", "boolean", values=(True,))
    assert found["rank"] == Column("rank", "integer", Fraction(-3), Fraction(500))
    later = towns(founded=ColumnSummary(None, *days))["founded"]
    assert later == Column(
        "founded", "date", Fraction(days[0].toordinal()), Fraction(days[1].toordinal())
    )


def test_a_public_column_with_its_own_type_alone_has_the_values_of_its_data() -> None:
    found = towns(
        river=ColumnSummary(("Rhine", "Ruhr"), "Rhine", "Ruhr"),
        visitors=ColumnSummary(("5", "many"), "5", "many"),  # text that is read as numbers
    )
    assert found["river"] == Column("river", "text", values=("Rhine", "Ruhr"))
    assert found["visitors"] == Column("visitors", "integer")


def test_declared_and_hidden_columns_stay_as_declared() -> None:
    found = towns(size=ColumnSummary((5, 70), 5, 70), mayor=ColumnSummary(("Ann",), "Ann", "Ann"))
    assert found["size"] == Column("size", "integer", Fraction(0), Fraction(9), Fraction(1))
    assert "mayor" not in found


@pytest.mark.parametrize(
    "ends", [(1.5, math.nan), (-math.inf, 2.0), (0.0, 1e300), (None, 2.0), (None, None)]
)
def test_non_numeric_ends_do_not_bound_a_column(ends: tuple[float | None, float | None]) -> None:
    assert towns(area=ColumnSummary(None, *ends))["area"] == Column("area", "real")


def test_protected_tables_are_never_looked_into() -> None:
    public = {"items": {"price": ColumnSummary((1.0,), 1.0, 1.0)}}
    catalog = build_catalog(
        parse_policy(LINKED.replace("PARTS", "2")),
        COLUMNS,
        public,
        {"items": "digest", "cities": "abc"},
    )
    assert catalog.tables["items"].schema.column("price") == Column("price", "real")
    assert catalog.tables["items"].schema.version == "1"
    assert catalog.tables["cities"].schema.version == "1 abc"


def test_all_missing_columns_are_reported_at_once_with_similar_names() -> None:
    there = [
        PhysicalColumn("who", "integer"),
        PhysicalColumn("agee", "integer"),
        PhysicalColumn("score", "real"),
        PhysicalColumn("x", "text"),
    ]
    policy = parse_policy(POLICY)
    with pytest.raises(SourceError) as caught:
        build_schema(policy, policy.tables[0], {"t": there})
    said = str(caught.value)
    assert (
        "no column 'AGE' (did you mean 'agee'?) and no column 'month' and no column 'day' and no"
        " column 'note'" in said
    )
    assert "The columns are who, agee, score, x." in said
