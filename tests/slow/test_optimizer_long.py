"""Questions mean the same with the engine's optimizer and without it, also where few values of a
column decide a lot.

An optimizer that goes by the least and greatest values of a column answers by what other people's
rows hold. Without the guard of ``engines.terms`` this finds a difference within seconds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import duckdb
import pytest

from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.quoting import quote_name
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.errors import HedgerowError
from sql.helpers_fixtures import CATALOG, ask

pytestmark = pytest.mark.slow
SCHEMA = CATALOG.tables["visits"].schema
SHELVES = {
    "visits": StoredTable(
        "t",
        {column.name: StoredColumn(column.name, column.type) for column in SCHEMA.columns},
        StoredColumn("patient_id", "integer"),
    )
}
TYPES = {
    "integer": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
}
VALUES: dict[str, Sequence[object]] = {
    "patient_id": (1, 2, 3, None),
    "age": (30, 31, 32, None, 300),
    "Cost": (1.5, 2.5, None, -3.0, float("nan")),
    "region": ("north", "north-b", "nord", None, "south"),
    "city": ("North", "North-b", "Nord", None, "Zz", ""),
    "smoker": (True, False, None),
    "day": (date(2025, 1, 2), date(2025, 2, 3), None),
}
TEXTS = (
    *(
        "city",
        "region",
        "LOWER(city)",
        "LEFT(city, 2)",
        "SUBSTRING(city, 2, 2)",
        "RIGHT(city, 2)",
        "city || 'x'",
    ),
    *(
        "NULLIF(city, 'North')",
        "NULLIF(region, 'north')",
        "COALESCE(region, city)",
        "TRIM(city)",
        "UPPER(region)",
    ),
    *("CASE WHEN age > 30 THEN city END", "CASE WHEN smoker THEN region ELSE city END"),
)
NUMBERS = (
    *(
        "age",
        "Cost",
        "NULLIF(age, 31)",
        "CASE WHEN smoker THEN age END",
        "LENGTH(city)",
        "YEAR(day)",
        "SQRT(age)",
        "age % 7",
    ),
    *("ROUND(Cost)", "COALESCE(age, 3)", "MONTH(day)", "LEAST(age, 40)"),
)
DAYS = (
    "day",
    "CASE WHEN age > 30 THEN day END",
    "NULLIF(day, DATE '2025-01-02')",
    "DATE_TRUNC('month', day)",
    "day + INTERVAL 3 DAY",
)
ABOUT_TEXT = (
    *(
        "{} LIKE 'No%'",
        "{} LIKE 'n%'",
        "{} NOT LIKE 'No%'",
        "STARTS_WITH({}, 'No')",
        "LEFT({}, 2) = 'No'",
        "SUBSTRING({}, 1, 1) = 'N'",
    ),
    *(
        "{} = 'North'",
        "{} >= 'N'",
        "{} IN ('North', 'Nord')",
        "{} IN ('north')",
        "{} IS NOT NULL",
        "{} <> 'Zz'",
        "{} BETWEEN 'A' AND 'z'",
    ),
)
ABOUT_NUMBERS = (
    "{} > 0",
    "{} <= 31",
    "{} = 31",
    "{} <> 100",
    "{} BETWEEN -1 AND 200",
    "{} IN (30, 31)",
    "{} IS NULL",
    "{} IS NOT NULL",
)
ABOUT_DAYS = (
    "{} > DATE '2024-01-01'",
    "{} <> DATE '2025-01-02'",
    "YEAR({}) = 2025",
    "{} BETWEEN DATE '2020-01-01' AND DATE '2030-01-01'",
)
TOGETHER = (
    "({} AND {})",
    "({} OR {})",
    "NOT ({})",
    "({}) IS TRUE",
    "({}) IS FALSE",
    "COALESCE({}, {})",
    "CASE WHEN {} THEN {} END",
)
QUESTIONS = (
    "SELECT COUNT(*) FROM visits WHERE {}",
    "SELECT COUNT(*) FILTER (WHERE {}), SUM(age) FROM visits WHERE {}",
    "SELECT region, COUNT(*) FROM visits WHERE {} GROUP BY region",
    (
        "SELECT COUNT(*) FROM (SELECT patient_id, NULLIF(city, 'North') AS y FROM visits WHERE {})"
        " q WHERE STARTS_WITH(y, 'N')"
    ),
    (
        "SELECT COUNT(*) FROM (SELECT patient_id, LEFT(region, 2) AS y FROM visits WHERE {}) q"
        " WHERE y = 'no' OR y IN ('so')"
    ),
)


def condition(chance: random.Random, depth: int) -> str:
    if depth and chance.random() < 0.6:
        template = chance.choice(TOGETHER)
        return template.format(*(condition(chance, depth - 1) for _ in range(template.count("{}"))))
    values, tests = chance.choice(
        ((TEXTS, ABOUT_TEXT), (TEXTS, ABOUT_TEXT), (NUMBERS, ABOUT_NUMBERS), (DAYS, ABOUT_DAYS))
    )
    return chance.choice(tests).format(chance.choice(values))


def fill(connection: duckdb.DuckDBPyConnection, chance: random.Random, file: Path) -> None:
    """Six rows with few values, in memory or in a Parquet file."""
    few = {
        name: chance.sample(values, min(len(values), chance.choice((1, 1, 2, 3))))
        for name, values in VALUES.items()
    }
    columns = [(column.name, TYPES[column.type]) for column in SCHEMA.columns]
    connection.execute("DROP VIEW IF EXISTS t")
    declared = ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)
    connection.execute(f"CREATE OR REPLACE TABLE rows_ ({declared})")
    rows = [[chance.choice(few.get(name, [None])) for name, _ in columns] for _ in range(6)]
    connection.executemany(f"INSERT INTO rows_ VALUES ({', '.join('?' for _ in columns)})", rows)
    if chance.random() < 0.5:
        connection.execute(f"COPY rows_ TO '{file}'")
        connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{file}')")
    else:
        connection.execute("CREATE VIEW t AS SELECT * FROM rows_")


def test_an_optimizer_changes_no_answer(tmp_path: Path) -> None:
    chance, connection, ran = random.Random(19), duckdb.connect(config={"threads": "1"}), 0
    for _ in range(120):
        fill(connection, chance, tmp_path / "t.parquet")
        for _ in range(25):
            template = chance.choice(QUESTIONS)
            sql = template.format(*(condition(chance, 2) for _ in range(template.count("{}"))))
            try:
                statement = compile_plan(ask(sql).plan, SHELVES, DUCKDB).sums
            except HedgerowError:
                continue
            assert statement is not None
            found = connection.execute(statement.sql).fetchall()
            connection.execute("PRAGMA disable_optimizer")
            expected = connection.execute(statement.sql).fetchall()
            connection.execute("PRAGMA enable_optimizer")
            assert sorted(map(str, found)) == sorted(map(str, expected)), sql
            ran += 1
    assert ran > 2000
