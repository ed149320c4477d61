"""PEP 249: the globals, connections and cursors, parameters that cannot change a question, and
one error in two trees.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hedgerow
from database.clinic import exactly, write
from hedgerow import connect, errors
from hedgerow import dbapi as connection
from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.dbapi import Cursor
from hedgerow.dbapi.connection import _infer_type_code

COUNTS = "SELECT region, COUNT(*) AS n FROM data GROUP BY region"


@pytest.fixture
def cursor() -> Iterator[Cursor]:
    with exactly() as db, connect(db) as made, made.cursor() as found:
        found.epsilon = 500
        yield found


def test_the_module_says_what_it_speaks() -> None:
    assert (connection.apilevel, connection.threadsafety, connection.paramstyle) == (
        "2.0",
        1,
        "qmark",
    )
    assert connection.Date(2026, 1, 31) == date(2026, 1, 31)


def test_rows_are_fetched_one_by_one_some_and_all(cursor: Cursor) -> None:
    assert cursor.description is None
    assert cursor.rowcount == -1
    assert cursor.execute(COUNTS) is cursor
    assert cursor.rowcount == 4
    assert cursor.fetchone() == ("east", 266)
    assert cursor.fetchmany() == [("north", 268)]
    cursor.arraysize = 5
    assert cursor.fetchmany(0) == []
    assert cursor.fetchmany() == [("south", 266), ("west", 0)]
    assert cursor.fetchone() is None
    assert cursor.fetchall() == []
    assert list(cursor.execute(COUNTS)) == [
        ("east", 266),
        ("north", 268),
        ("south", 266),
        ("west", 0),
    ]
    assert cursor.execute(COUNTS).fetchall()[0] == ("east", 266)


def test_columns_are_described(cursor: Cursor) -> None:
    cursor.execute(
        "SELECT age > 40 AS old, region, COUNT(*) AS n FROM data WHERE age > 1 GROUP BY old, region"
    )
    assert cursor.description is not None
    assert [column[:2] for column in cursor.description] == [
        ("old", connection.BOOLEAN),
        ("region", connection.STRING),
        ("n", connection.NUMBER),
    ]
    assert all(column[2:] == (None,) * 5 for column in cursor.description)
    cursor.execute(COUNTS + " HAVING COUNT(*) > 1e9")
    assert cursor.description[0][:2] == ("region", None)
    assert _infer_type_code([None, date(2026, 1, 1)]) == connection.DATETIME


def test_the_answer_is_there_with_its_price(cursor: Cursor) -> None:
    cursor.execute(COUNTS)
    assert isinstance(cursor.answer, Answer)
    assert cursor.answer.receipt.epsilon == 500
    cursor.epsilon = None
    cursor.execute(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = ?) COUNT(age) FROM data", [7]
    )
    assert cursor.answer.receipt.epsilon == 7


def test_an_explanation_has_a_row_for_each_aggregate(cursor: Cursor) -> None:
    cursor.execute("EXPLAIN PRIVACY SELECT COUNT(*), SUM(age) FROM data WHERE age > ?", (30,))
    assert isinstance(cursor.answer, Explanation)
    assert [row[0] for row in cursor.fetchall()] == ["COUNT(*)", "SUM(age)"]
    assert cursor.description is not None
    assert [column[0] for column in cursor.description][:3] == ["aggregate", "mechanism", "scale"]
    assert cursor.connection.database.budget.epsilon.spent == 0  # type: ignore[union-attr]


def test_many_questions_are_asked_one_by_one(cursor: Cursor) -> None:
    cursor.executemany(
        "SELECT COUNT(*) FROM data WHERE region = ?", [["north"], ["east"], ["west"]]
    )
    assert [round(n) for (n,) in cursor.fetchall()] == [268, 266, 0]
    assert cursor.answer.rows == [{"count": 0}]
    cursor.executemany(COUNTS, [])
    assert cursor.description is None
    with pytest.raises(connection.InterfaceError, match="no rows to fetch"):
        cursor.fetchone()


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("region = ?", ["east"]),
        ("region = :place", {"place": "east"}),
        ("region = %(place)s", {"place": "east"}),
    ],
)
def test_pandas_reads_without_a_warning(condition: str, values: Any) -> None:
    with exactly() as db, warnings.catch_warnings():
        warnings.simplefilter("error")
        connected = connect(db)
        paid = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 500)"
        sql = f"{paid} COUNT(*) AS n FROM data WHERE {condition}"
        assert pd.read_sql(sql, connected, params=values).to_dict("list") == {"n": [266]}
        with pytest.raises(errors.Refused):
            pd.read_sql("SELECT * FROM data", connected)


def test_required_methods_of_pep_249_do_nothing(cursor: Cursor) -> None:
    cursor.setinputsizes([1])
    cursor.setoutputsize(100, 1)
    cursor.connection.commit()
    assert cursor.execute(COUNTS).rowcount == 4


def test_nothing_is_refunded(cursor: Cursor) -> None:
    with pytest.raises(connection.NotSupportedError, match="stays charged"):
        cursor.connection.rollback()


def test_a_closed_connection_refuses_to_work() -> None:
    with exactly() as db:
        made = connect(db)
        cursor = made.cursor()
        cursor.close()
        for act in (lambda: cursor.execute(COUNTS), cursor.fetchall):
            with pytest.raises(connection.InterfaceError, match="cursor is closed"):
                act()
        other = made.cursor()
        made.close()
        made.close()
        for act in (made.cursor, made.commit, lambda: other.execute(COUNTS), other.fetchone):
            with pytest.raises(connection.InterfaceError, match="connection is closed"):
                act()
        # The database is not the connection's.
        assert db.query(COUNTS, epsilon=1).rows  # type: ignore[union-attr]


def test_a_policy_file_is_opened_and_closed(tmp_path: Path) -> None:
    path = write(tmp_path)
    with connect(path, analyst="ana", in_process=True) as made:
        cursor = made.cursor().execute("SELECT COUNT(*) FROM visits")
        assert len(cursor.fetchall()) == 1
        assert made.database.ledger.state.asked_epsilon("ana") == Fraction(1, 10)
        held = made.database
    with pytest.raises(errors.LedgerError):
        held.query("SELECT SUM(age) FROM visits")
    with hedgerow.open(path, in_process=True) as db, connect(db, analyst="bob") as made:
        assert made.analyst == "bob"
        made.cursor().execute("SELECT COUNT(region) FROM visits")
        assert db.ledger.state.asked_epsilon("bob") == Fraction(1, 10)


def test_a_negative_fetch_size_is_refused(cursor: Cursor) -> None:
    with pytest.raises(errors.InvalidArgument, match="size must be 0 or more; got -1"):
        cursor.execute(COUNTS).fetchmany(-1)


@pytest.mark.parametrize(
    ("database", "options", "words"),
    [
        ("https://host:8800", {}, "token is missing"),
        ("https://host:8800", {"token": "x", "analyst": "ana"}, "analyst must be left out"),
        ("http://host:8800", {"token": "x"}, "could read the token"),
        ("clinic.toml", {"token": "x"}, "token belongs to a service"),
        ("clinic.toml", {"ca_file": "x"}, "ca_file belongs to a service"),
    ],
)
def test_a_service_needs_a_token_and_no_analyst(
    database: str, options: dict[str, str], words: str
) -> None:
    with pytest.raises(connection.ProgrammingError, match=words):
        connect(database, **options)  # type: ignore[arg-type]
