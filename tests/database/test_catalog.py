"""Declarations laid over columns."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from hedgerow.database.catalog import catalog_of, schema_of
from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column
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


def test_what_is_declared_is_laid_over_what_is_there() -> None:
    (table,) = parse_policy(POLICY).tables
    schema = schema_of(table, THERE)
    assert schema.unit == "Who"
    assert [column.name for column in schema.columns] == ["who", "AGE", "score", "month", "day", "city"]
    assert schema.column("age") == Column("AGE", "integer", Fraction(0), Fraction(9), Fraction(1))
    assert schema.column("score") == Column("score", "real", Fraction(1, 2), Fraction(3, 2))
    month, day, city = schema.column("month"), schema.column("day"), schema.column("city")
    assert month is not None
    assert month.grain == "month"
    assert month.values == (date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1))
    assert day is not None
    assert day.grain == "day"
    assert city == Column("city", "text")
    entry = catalog_of(parse_policy(POLICY), {"t": THERE}).tables["t"]
    assert (entry.max_groups, entry.max_rows_per_group) == (4, 5)


@pytest.mark.parametrize("missing", ["who", "AGE", "note"])
def test_what_is_declared_must_be_there(missing: str) -> None:
    (table,) = parse_policy(POLICY).tables
    with pytest.raises(SourceError, match="has no column"):
        schema_of(table, [column for column in THERE if column.name.casefold() != missing.casefold()])
