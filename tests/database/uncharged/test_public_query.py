"""Public tables are asked for free, exactly, and without a way to any other table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import duckdb
import pytest

import hedgerow as hr
from database.survey import write_survey
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.public_query import limit_public_queries
from hedgerow.errors import Refused, SourceError


def test_a_public_table_is_asked_for_free(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        entries = len(list(db.ledger.entries()))
        found = db.query("SELECT region, people FROM regions WHERE area > '1' ORDER BY region DESC")
        assert isinstance(found, ExactTable)
        assert found.rows == [
            {"region": "south", "people": "200"},
            {"region": "north", "people": "100"},
        ]
        total = db.query(
            "SELECT SUM(CAST(people AS INT)) AS n, AVG(CAST(area AS DOUBLE)) AS a FROM regions r"
            " WHERE r.people IS NOT NULL"
        )
        assert total.rows == [{"n": 300, "a": 6.25}]
        assert found.cost.epsilon == 0
        assert len(list(db.ledger.entries())) == entries


def test_each_process_waits_for_a_turn_where_there_are_turns(tmp_path: Path) -> None:
    turns = []

    @contextmanager
    def take_turn() -> Iterator[None]:
        turns.append("begin")
        yield
        turns.append("end")

    sql = "SELECT COUNT(*) AS n FROM regions"
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        with limit_public_queries(take_turn):
            limited = db.query(sql)
        assert db.query(sql).rows == limited.rows  # without turns again
    assert turns == ["begin", "end"]


def test_a_publication_becomes_a_public_table(tmp_path: Path) -> None:
    policy = write_survey(tmp_path)
    with hr.open(policy, in_process=True) as db:
        made = db.publish.histogram("people", ["region", "age"], bins={"age": 10}, epsilon=20).to(
            tmp_path / "by_age"
        )
        spent = db.budget.spent
    policy.write_text(
        policy.read_text() + '\n[tables.by_age]\nsource = "by_age/data.parquet"\npublic = true\n'
    )
    with hr.open(policy, in_process=True) as db:
        found = db.query(
            "SELECT region, SUM(count) AS n FROM by_age WHERE age_from >= 50 GROUP BY region ORDER"
            " BY region"
        )
        table = made.to_pandas()
        for row in found.rows:
            assert (
                row["n"]
                == table[(table["region"] == row["region"]) & (table["age_from"] >= 50)][
                    "count"
                ].sum()
            )
        assert [row["region"] for row in found.rows] == ["east", "north", "south"]
        assert db.budget.spent == spent


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM regions, people",
        "SELECT COUNT(*) FROM regions WHERE region IN (SELECT region FROM people)",
        "SELECT * FROM regions UNION ALL SELECT region, '1', '2' FROM people",
    ],
)
def test_a_public_query_cannot_reach_protected_tables(tmp_path: Path, sql: str) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db, pytest.raises(Refused):
        db.query(sql, epsilon=1)


def test_functions_of_numbers_texts_and_dates_are_those_of_the_engine(tmp_path: Path) -> None:
    calls = (
        *("SIN(n)", "ATANH(n / 9.0)", "DEGREES(n)", "CBRT(n)", "SPLIT_PART('a.b', '.', n)"),
        *("CONCAT_WS('-', region, 'x')", "STRFTIME(DATE '2026-01-31', '%Y')"),
        *("LAST_DAY(DATE '2026-02-01')", "WEEK(DATE '2026-02-01')", "EPOCH(DATE '2026-02-01')"),
        "CAST('2026-01-31 09:30:00' AS TIMESTAMP)",
    )
    rows = "(SELECT region, 2 AS n FROM regions LIMIT 1) AS t"
    columns = ", ".join(f"{call} AS c{place}" for place, call in enumerate(calls))
    aggregates = "GEOMEAN(n), PRODUCT(n), ENTROPY(n), MAD(n)"
    with hr.open(write_survey(tmp_path), in_process=True) as db, duckdb.connect() as plain:
        found = db.query(f"SELECT {columns} FROM {rows}").rows[0]
        region = found["c5"].removesuffix("-x")
        sql = f"SELECT {columns} FROM (SELECT '{region}' AS region, 2 AS n) AS t"
        expected = plain.execute(sql).fetchone()
        assert tuple(found.values()) == expected
        found = db.query(f"SELECT {aggregates} FROM {rows}").rows[0]
        expected = plain.execute(f"SELECT {aggregates} FROM (SELECT 2 AS n) AS t").fetchone()
        assert tuple(found.values()) == expected


def test_an_engine_error_is_reported_without_its_message(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        with pytest.raises(Refused, match="regions has no column nothing"):
            db.query("SELECT nothing FROM regions")
        with pytest.raises(SourceError, match="could not be answered: a value has no result"):
            db.query("SELECT CAST(region AS INT) FROM regions")


def test_a_question_past_the_deadline_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.database.uncharged.public_query._DEADLINE_SECONDS", 0.5)
    endless = (
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c,"
        " regions"
    )
    with (
        hr.open(write_survey(tmp_path), in_process=True) as db,
        pytest.raises(SourceError, match="it took too long"),
    ):
        db.query(endless)


def test_an_answer_that_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.database.uncharged.public_query._MAX_ROWS", 2)
    with (
        hr.open(write_survey(tmp_path), in_process=True) as db,
        pytest.raises(Refused, match="more than 2 rows"),
    ):
        db.query("SELECT region FROM regions")


@pytest.mark.parametrize(
    "sql",
    [
        "WITH t0 AS (SELECT * FROM t0) SELECT t0.* FROM t0, regions",
        "WITH x AS (WITH t0 AS (SELECT 1 AS a) SELECT a FROM t0) SELECT t0.* FROM t0, x, regions",
        (
            "SELECT y.* FROM regions r, (WITH sqlite_master AS (SELECT 1 AS a) SELECT a FROM"
            " sqlite_master) x, sqlite_master y"
        ),
        (
            'SELECT y.* FROM regions r, (WITH "PATH" AS (SELECT 1 AS a) SELECT a FROM "PATH") x,'
            ' "PATH" y'
        ),
    ],
)
def test_a_name_outside_its_scope_is_unknown(tmp_path: Path, sql: str) -> None:
    """Not the engine's own views, nor the file behind them, by way of a subquery of that name
    elsewhere.
    """
    policy = write_survey(tmp_path)
    policy.write_text(
        policy.read_text().replace(
            "public = true", "public = true\n[tables.regions.columns]\npeople = { hidden = true }"
        )
    )
    with hr.open(policy, in_process=True) as db:
        assert "people" not in db.query("SELECT * FROM regions").rows[0]
        with pytest.raises((SourceError, Refused)):
            db.query(sql.replace("PATH", str(tmp_path / "regions.csv")), epsilon=1)


def test_named_subqueries_work_as_ever(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        big, two = (
            "big AS (SELECT region FROM regions WHERE area > '5')",
            "two AS (SELECT big.region FROM big)",
        )
        assert db.query(
            f"WITH {big}, {two} SELECT COUNT(*) AS n FROM two b JOIN Big USING (region)"
        ).rows == [{"n": 2}]


def test_a_named_subquery_may_have_the_name_of_the_table_it_asks_of(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        assert db.query(
            "WITH regions AS (SELECT region FROM regions) SELECT COUNT(*) AS n FROM regions"
        ).rows == [{"n": 3}]
        with pytest.raises(Refused):
            db.query("WITH regions AS (SELECT region FROM people) SELECT * FROM regions", epsilon=1)


def test_a_condition_may_be_a_number_or_stand_in_brackets(tmp_path: Path) -> None:
    """As in plain SQL: what is not 0 holds; and brackets hide no inequality from ASOF."""
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        assert db.query(
            "SELECT COUNT(*) AS n FROM regions WHERE CAST(area AS DOUBLE) - 7"
        ).rows == [{"n": 2}]
        joined = (
            "SELECT COUNT(*) AS n FROM regions r ASOF JOIN regions s ON (r.region = s.region AND"
            " (r.area >= s.area))"
        )
        assert db.query(joined).rows == [{"n": 3}]


def test_a_number_beyond_64_bits_is_refused_and_never_shown_as_null(tmp_path: Path) -> None:
    far = "SUM(CAST(people AS BIGINT) * 46116860184273879)"
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        assert db.query("SELECT SUM(CAST(people AS BIGINT)) AS n FROM regions").rows == [{"n": 300}]
        assert db.query(
            "SELECT SUM(CAST(people AS BIGINT)) AS n FROM regions WHERE region = 'x'"
        ).rows == [{"n": None}]
        for value in (far, "18446744073709551615", "HASH(region)"):
            with pytest.raises(Refused, match="does not fit in 64 bits"):
                db.query(
                    f"SELECT {value} AS n FROM regions"
                    f" {'' if 'SUM' in value else 'ORDER BY HASH(region) DESC LIMIT 1'}"
                )
        assert db.query(f"SELECT CAST({far} AS TEXT) AS n FROM regions").rows == [
            {"n": str(300 * 46116860184273879)}
        ]


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        (tmp_path / "regions.csv").unlink()
        with pytest.raises(SourceError, match="is missing"):
            db.query("SELECT region FROM regions")


DATED = """
[tables.days]
source = "days.csv"
public = true
columns.day = { type = "date" }
"""
INJECTED = (
    (
        'SELECT EXTRACT("year FROM day) AS y, (SELECT count(*) FROM duckdb_settings()) AS s,'
        ' EXTRACT(month" FROM day) AS m FROM days'
    ),
    """SELECT EXTRACT("year FROM DATE '2020-01-01'); CREATE TABLE evil AS SELECT 1; """
    """SELECT EXTRACT(year" FROM day) FROM days""",
    """SELECT EXTRACT("year FROM DATE '2020-01-01'); COPY (SELECT 1 AS k) TO (lower('FILE')) """
    """(FORMAT CSV, USE_TMP_FILE FALSE); SELECT EXTRACT(year" FROM day) FROM days""",
    """SELECT DATE_TRUNC("month', day), (SELECT 1), DATE_TRUNC('month" , day) FROM days""",
    """SELECT CAST(k AS "VARCHAR), (SELECT count(*) FROM duckdb_tables(") ) FROM days""",
    """SELECT day + INTERVAL 1 "DAY, (SELECT 1) AS z, day + INTERVAL 1 DAY" FROM days""",
)


def write_days(folder: Path) -> Path:
    policy = write_survey(folder)
    (folder / "days.csv").write_text("k,day\na,2026-01-02\nit's; --,2025-12-31\n")
    policy.write_text(policy.read_text() + DATED)
    return policy


def test_a_unit_or_type_name_cannot_inject_sql(tmp_path: Path) -> None:
    """Names in double quotes were once written without them, where the parser takes a keyword."""
    policy = write_days(tmp_path)
    before = (tmp_path / "days.csv").read_bytes()
    with hr.open(policy, in_process=True) as db:
        for sql in INJECTED:
            with pytest.raises(Refused):
                db.query(sql.replace("FILE", str(tmp_path / "days.csv")))
    assert (tmp_path / "days.csv").read_bytes() == before


def test_names_and_texts_come_back_as_they_were_written(tmp_path: Path) -> None:
    with hr.open(write_days(tmp_path), in_process=True) as db:
        sql = (
            """SELECT K AS "a ""quoted"" name", 'it''s; --' = k AS "name 0", day, """
            """EXTRACT(year FROM day), K || '/*' FROM days d"""
        )
        (row,) = db.query(sql + " WHERE d.k LIKE 'it%'").rows
    assert list(row) == [
        'a "quoted" name',
        "name 0",
        "day",
        "date_part('YEAR', day)",
        "(k || '/*')",
    ]
    assert list(row.values()) == ["it's; --", True, date(2025, 12, 31), 2025, "it's; --/*"]


def test_columns_with_quotes_in_their_names(tmp_path: Path) -> None:
    policy = write_survey(tmp_path)
    (tmp_path / "odd.csv").write_text('"we""ird","it\'s; --",name 1\n1,2,3\n')
    policy.write_text(policy.read_text() + '\n[tables.odd]\nsource = "odd.csv"\npublic = true\n')
    with hr.open(policy, in_process=True) as db:
        assert db.query("SELECT * FROM odd").rows == [
            {'we"ird': "1", "it's; --": "2", "name 1": "3"}
        ]
        assert db.query(
            'SELECT "IT\'S; --", o."we""ird" AS x FROM odd o WHERE "name 1" = \'3\''
        ).rows == [{"it's; --": "2", "x": "1"}]
