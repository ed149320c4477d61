from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from hedgerow.engines.duckdb.process.message_decoding import decode_result
from hedgerow.engines.duckdb.process.message_encoding import FETCH_ROWS, encode_result
from hedgerow.engines.statement import Statement

ROWS = """
SELECT CASE WHEN i % 3 > 0 THEN 'é' || chr((i % 5)::INTEGER) || i END,
       CASE WHEN i % 4 > 0 THEN DATE '0001-01-01' + (i * 7)::INTEGER END,
       i / 7, i % 2 = 0, CASE WHEN i % 5 > 0 THEN i - 5 END,
       9223372036854775807 - i, ((i - 3)::HUGEINT * 9223372036854775807 * 99)::VARCHAR,
       (-i)::INTEGER
FROM range({count}) t(i) ORDER BY i
"""


@pytest.fixture
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    "count", [0, 1, FETCH_ROWS - 1, FETCH_ROWS, FETCH_ROWS + 1, 3 * FETCH_ROWS + 5]
)
def test_rows_arrive_as_the_engine_has_them_be_they_few_or_many(
    count: int, engine: duckdb.DuckDBPyConnection
) -> None:
    statement = Statement(
        ROWS.format(count=count),
        ("text", "date", "real", "boolean", "integer"),
        (False, True, False),
    )
    header, payload = encode_result(engine.execute(statement.sql), statement)
    keys, numbers = decode_result((json.loads(json.dumps(header)), payload), statement)
    expected = [(*row[:6], int(row[6]), row[7]) for row in engine.execute(statement.sql).fetchall()]
    assert list(zip(*keys, *(column.tolist() for column in numbers), strict=True)) == expected
    assert len(expected) == count


def test_a_tally_is_made_here(engine: duckdb.DuckDBPyConnection) -> None:
    statement = Statement("SELECT i % 3 - 1 FROM range(10) t(i)", (), (False, False), (-1, 5))
    assert encode_result(engine.execute(statement.sql), statement) == (
        {"keys": [], "long": []},
        struct.pack("<6q", -1, 0, 1, 4, 3, 3),
    )


def test_unused_columns_are_not_sent(engine: duckdb.DuckDBPyConnection) -> None:
    assert encode_result(engine.execute("SELECT 1, 'a'"), Statement("", (), ())) == (
        {"keys": [], "long": []},
        b"",
    )


@pytest.mark.parametrize("count", [1, FETCH_ROWS + 1])
@pytest.mark.parametrize(
    ("last", "others", "wide"),
    [
        ("0.5::DOUBLE", "1.0", False),
        ("NULL", "1", False),
        ("'7'", "'1'", False),
        ("99999999999999999999::HUGEINT", "1::HUGEINT", False),
        ("1e30::DOUBLE", "1.0", True),
        ("NULL", "'1'", True),
        ("'0.5'", "'1'", True),
        ("7", "1", True),
    ],
)
def test_numbers_that_were_rounded_or_are_missing_are_not_sent(
    last: str, others: str, wide: bool, count: int, engine: duckdb.DuckDBPyConnection
) -> None:
    statement = Statement(
        f"SELECT CASE WHEN i + 1 = {count} THEN {last} ELSE {others} END FROM range({count}) t(i)",
        (),
        (wide,),
    )
    with pytest.raises((TypeError, ValueError, struct.error)):
        encode_result(engine.execute(statement.sql), statement)


def test_a_day_beyond_the_calendar_is_not_sent(engine: duckdb.DuckDBPyConnection) -> None:
    result: Any = engine.execute("SELECT DATE '290000-01-01'")
    with pytest.raises(AttributeError):
        encode_result(result, Statement("", ("date",), ()))
