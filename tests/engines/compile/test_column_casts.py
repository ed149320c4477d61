from __future__ import annotations

import csv
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.compile.helpers_cast_values import (
    DAYS,
    NUMBERS,
    STORED,
    TIMES,
    WORDS,
    spelling,
)
from engines.helpers_worlds import ENDLESS, ENDLESS_PAST
from hedgerow.engines.compile.column_casts import CASTABLE_TYPES
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference.column_casts import read_value
from hedgerow.errors import Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type, number_date


def came_out(data: Any, column: Column, tmp: Path | None = None) -> Counter[Any]:
    """Which values the engine reads, and how often."""
    schema = Schema("t", (column,), "row")
    table = RegisteredTable(data, schema)
    # as a multiline file: some values have line breaks
    source = DuckDB({"t": replace(table, accepted_stamp=table.stamp)})
    try:
        cells = source.run(
            Aggregate(Group(Bound(Table(schema), (column.name,), 1, 1), None), (Measure("rows"),))
        )
    finally:
        source.close()
    return Counter(
        {value: int(count) for value, count in zip(cells.keys[0], cells.numbers[0], strict=True)}
    )


def as_read(raw: Sequence[object], column: Column) -> Counter[Any]:
    return Counter(read_value(column, value) for value in raw)


def declared(type_: Type) -> list[Column]:
    """Ways to declare a column of a type."""
    ways = [Column("c", type_)]
    if type_ == "integer":
        ways += [
            Column("c", type_, Fraction(-3), Fraction(4)),
            Column("c", type_, Fraction(-(2**70)), Fraction(2**70)),
        ]
        ways += [
            Column("c", type_, Fraction(-end), Fraction(end)) for end in (2**40, 2**52, 2**53 + 1)
        ]
        ways += [Column("c", type_, values=(1, 0, 2**63 - 1, 42))]
    if type_ == "real":
        ways += [
            Column("c", type_, Fraction(1, 3), Fraction(10)),
            Column("c", type_, values=(0.5, 0.0, math.inf)),
        ]
    if type_ == "text":
        ways += [Column("c", type_, values=("a", "", "\x00", "'", "true", "1"))]
    if type_ == "timestamp":
        first, last = datetime(1970, 1, 1), datetime(2024, 5, 17, 12, 30)
        ways += [Column("c", type_, Fraction(number_date(first)), Fraction(number_date(last)))]
    if type_ == "date":
        ends = Fraction(date(1970, 1, 1).toordinal()), Fraction(date(2024, 6, 15).toordinal())
        ways += [
            Column("c", type_, *ends),
            Column("c", type_, *ends, granularity="month"),
            Column("c", type_, granularity="year"),
        ]
        ways += [Column("c", type_, values=(date(2024, 5, 1), date(1, 1, 1)), granularity="month")]
    return ways


MANY = tuple(map(spelling, [random.Random(5)] * 3000))


@pytest.mark.parametrize(
    ("type_", "spelled"),
    [
        ("integer", NUMBERS),
        ("integer", MANY),
        ("real", MANY),
        ("real", NUMBERS),
        ("date", DAYS),
        ("timestamp", (*DAYS, *TIMES)),
        ("boolean", WORDS),
        ("text", NUMBERS),
    ],
)
def test_text_in_a_file_is_cast_as_the_plan_defines(
    type_: Type, spelled: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["c"], *([text] for text in spelled)])
    for column in declared(type_):
        assert came_out(path, column) == as_read(spelled, column)


KINDS: dict[str, Type] = {
    **dict.fromkeys(("small", "unsigned", "whole decimal"), "integer"),
    **dict.fromkeys(("float", "decimal", "long decimal", "huge"), "real"),
    **dict.fromkeys(("categories", "large text"), "text"),
    "millidate": "date",
    **dict.fromkeys(("moment", "second", "zoned", "zoned and fine"), "timestamp"),
}


@pytest.mark.parametrize("stored", sorted(STORED))
def test_every_stored_type_is_cast_as_the_plan_defines(stored: str) -> None:
    array, raw = STORED[stored]
    kind = KINDS.get(stored, stored)
    for type_, readable in CASTABLE_TYPES.items():
        for column in declared(type_) if kind in readable else ():
            assert came_out(pa.table({"c": array}), column) == as_read(raw, column), (
                stored,
                column,
            )


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()])
def test_no_number_in_a_parquet_file_is_nothing(type_: pa.DataType, tmp_path: Path) -> None:
    """The least and greatest values that such a file tells leave NaN out, and the engine
    believes them: with these it is between bounds.
    """
    path, numbers = tmp_path / "t.parquet", [0.5, math.nan, 2.0]
    pq.write_table(pa.table({"c": pa.array(numbers, type_, from_pandas=False)}), path)
    bounds = Fraction(0), Fraction(10), Fraction(1, 2)
    ways = [
        Column("c", "boolean"),
        *declared("integer"),
        *declared("real"),
        Column("c", "real", *bounds),
    ]
    for column in ways:
        assert came_out(path, column) == as_read(numbers, column), column
    schema = Schema("t", (Column("c", "real", *bounds),), "row")
    snap = ClampedGrid(Fraction(1, 2), 0, 20)
    source = DuckDB({"t": RegisteredTable(path, schema)})
    try:  # and no sum fails, which would tell that NaN is there
        found = source.run(
            Aggregate(
                Group(Bound(Table(schema), (), 1, 1)),
                (Measure("total", "c", snap), Measure("values", "c")),
            )
        )
    finally:
        source.close()
    assert [int(numbers[0]) for numbers in found.numbers] == [5, 2]


def test_nan_ids_in_a_parquet_file_are_missing_ids(tmp_path: Path) -> None:
    path, schema = tmp_path / "t.parquet", Schema("t", (Column("id", "real"),), "id")
    pq.write_table(
        pa.table({"id": pa.array([1.0, math.nan, 2.0, math.nan], from_pandas=False)}), path
    )
    source = DuckDB({"t": RegisteredTable(path, schema)})
    try:
        (count,) = source.run(
            Aggregate(Group(Bound(Table(schema), (), 1, 1)), (Measure("units"),))
        ).numbers[0]
    finally:
        source.close()
    assert int(count) == 2


def test_days_beyond_the_calendar_are_moved_to_its_ends() -> None:
    array = pa.array([ENDLESS, ENDLESS_PAST, 10**7, -(10**7), 0], pa.int32()).view(pa.date32())
    found = came_out(pa.table({"c": array}), Column("c", "date"))
    assert found == Counter({date.max: 2, date.min: 2, date(1970, 1, 1): 1})
    later = pa.array([2**62, -(2**62), 0], pa.int64()).view(pa.timestamp("us"))
    assert came_out(pa.table({"c": later}), Column("c", "date")) == Counter(
        {date.max: 1, date.min: 1, date(1970, 1, 1): 1}
    )


def test_bounds_that_no_whole_number_has_are_refused() -> None:
    for low, high in ((2**63, 2**64), (-(2**65), -(2**64))):
        with pytest.raises(Unsupported, match="bounds of c do not fit into 64 bits"):
            came_out(pa.table({"c": [1]}), Column("c", "integer", Fraction(low), Fraction(high)))


@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_ids_are_never_moved_to_a_bound(kind: str, tmp_path: Path) -> None:
    """Beyond 64 bits an id is read as none where the file is text, and as it is where it is a
    number: strangers never become one person.
    """
    schema = Schema("t", (Column("id", "integer", Fraction(0), Fraction(100)),), "id")
    people = [5, 500, 501, 2**63, 2**64 - 1]
    path = tmp_path / "t.csv"
    path.write_text("id\n" + "\n".join(map(str, people)) + "\n", encoding="utf-8")
    source = DuckDB(
        {
            "t": RegisteredTable(
                path if kind == "csv" else pa.table({"id": pa.array(people, pa.uint64())}), schema
            )
        }
    )
    try:
        (count,) = source.run(
            Aggregate(Group(Bound(Table(schema), (), 1, 1), None), (Measure("units"),))
        ).numbers[0]
    finally:
        source.close()
    assert count == (3 if kind == "csv" else 5)
