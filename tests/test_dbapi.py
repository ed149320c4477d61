"""PEP 249: the globals, connections and cursors, parameters that cannot change a question, and
one error in two trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow
from database.clinic import exactly, write
from hedgerow import connect, errors
from hedgerow import dbapi as connection
from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.dbapi import Connection, Cursor, bind_parameters, format_literal

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


def test_the_tree_is_the_one_of_the_pep() -> None:
    for name in ("InterfaceError", "DatabaseError"):
        assert getattr(connection, name).__base__ is connection.Error
    for name in (
        "DataError",
        "OperationalError",
        "IntegrityError",
        "InternalError",
        "ProgrammingError",
        "NotSupportedError",
    ):
        assert getattr(connection, name).__base__ is connection.DatabaseError
        assert getattr(Connection, name) is getattr(connection, name)
    assert not issubclass(connection.Warning, connection.Error)


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
    assert connection._infer_type_code([None, date(2026, 1, 1)]) == connection.DATETIME


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


def test_what_pep_249_wants_and_does_nothing(cursor: Cursor) -> None:
    cursor.setinputsizes([1])
    cursor.setoutputsize(100, 1)
    cursor.connection.commit()
    assert cursor.execute(COUNTS).rowcount == 4


def test_nothing_is_refunded(cursor: Cursor) -> None:
    with pytest.raises(connection.NotSupportedError, match="stays paid for"):
        cursor.connection.rollback()


def test_closed_is_closed() -> None:
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
        assert db.query(COUNTS, epsilon=1).rows  # type: ignore[union-attr]  # the database is not the connection's


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


@pytest.mark.parametrize(
    ("sql", "epsilon", "own", "pep"),
    [
        ("SELECT * FROM data", 1, errors.Unsupported, connection.ProgrammingError),
        ("SELECT SUM(city) FROM nothing", 1, errors.Refused, connection.ProgrammingError),
        ("SELECT COUNT(*) FROM data", -1, errors.InvalidArgument, connection.ProgrammingError),
        (5, 1, ValueError, connection.ProgrammingError),
    ],
)
def test_one_error_is_caught_by_both_names(
    cursor: Cursor, sql: Any, epsilon: Any, own: type[Exception], pep: type[Exception]
) -> None:
    cursor.epsilon = epsilon
    for kind in (own, pep, connection.Error, errors.HedgerowError):
        with pytest.raises(kind):
            cursor.execute(sql)


def test_a_wrong_argument_keeps_its_name_and_message(cursor: Cursor) -> None:
    cursor.epsilon = -1
    with pytest.raises(connection.WrongArgumentError, match="epsilon must be above 0") as caught:
        cursor.execute(COUNTS)
    assert caught.value.argument == "epsilon"
    assert str(caught.value) == str(caught.value.__cause__)


def test_an_empty_budget_is_no_mistake_of_the_question(cursor: Cursor) -> None:
    cursor.epsilon = 9_000
    cursor.execute(COUNTS)
    for kind in (errors.BudgetExceeded, errors.Refused, connection.OperationalError):
        with pytest.raises(kind):
            cursor.execute("SELECT SUM(age) FROM data")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.SourceError("x"), connection.SourceFailedError),
        (errors.LedgerError("x"), connection.LedgerFailedError),
        (errors.EntropyError("x"), connection.EntropyFailedError),
        (errors.Refused("x"), connection.RefusedQuestionError),
        (errors.Unbounded("x"), connection.UnboundedQuestionError),
        (errors.HedgerowError("x"), connection.DatabaseError),
    ],
)
def test_other_errors_are_translated(
    error: errors.HedgerowError, kind: type[connection.Error]
) -> None:
    with pytest.raises(type(error), match=r"^x$") as caught, connection._translate_errors():
        raise error
    assert type(caught.value) is kind
    with pytest.raises(connection.Error) as again, connection._translate_errors():
        raise caught.value
    assert again.value is caught.value


def test_a_policy_that_is_not_there_is_told_in_both_trees(tmp_path: Path) -> None:
    with pytest.raises(connection.Error) as caught:
        connect(tmp_path / "nothing.toml")
    assert isinstance(caught.value, errors.InvalidArgument | errors.SourceError)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (False, "FALSE"),
        (12, "12"),
        (-12, "(-12)"),
        (np.int64(7), "7"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
        (np.float32(0.5), "0.5"),
        (Decimal("1.50"), "1.50"),
        (Decimal("-1E+3"), "(-1000)"),
        ("it's -- ?", "'it''s -- ?'"),
        ("\\'", "'\\'''"),
        (date(2026, 1, 31), "DATE '2026-01-31'"),
    ],
)
def test_literals(value: object, written: str) -> None:
    assert format_literal(value) == written


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        datetime(2026, 1, 1),
        b"x",
        [1],
        np.bool_(True),
        Fraction(1, 3),
        1j,
        object(),
    ],
)
def test_values_without_a_literal(value: object) -> None:
    with pytest.raises(connection.DataError, match="A parameter is a number"):
        format_literal(value)


@pytest.mark.parametrize(
    ("sql", "parameters", "written"),
    [
        (
            "a = ? AND b = '?' -- ?\n /* ? */ AND \"?\" = ?",
            [1, "x"],
            "a =  1  AND b = '?' -- ?\n /* ? */ AND \"?\" =  'x' ",
        ),
        ("x -?", [-1], "x - (-1) "),
        ("'it''s ?' = ?", ["?"], "'it''s ?' =  '?' "),
        ("?::INT", [2], " 2 ::INT"),
        ("EXPLAIN PRIVACY SELECT ? -- ?", [2], "EXPLAIN PRIVACY SELECT  2  -- ?"),
        ("no sign", (), "no sign"),
        ("$$ ? $$", (), "$$ ? $$"),
        ("'not closed ?", (), "'not closed ?"),
    ],
)
def test_parameters_stand_where_tokens_are(
    sql: str, parameters: list[object], written: str
) -> None:
    assert bind_parameters(sql, parameters) == written


@pytest.mark.parametrize(
    "text",
    ["'; DROP TABLE data; --", "' OR '1' = '1", "\\' OR 1 = 1 --", "x' UNION ALL SELECT 1 --", "?"],
)
def test_text_stays_text(cursor: Cursor, text: str) -> None:
    cursor.execute("SELECT COUNT(*) AS n FROM data WHERE city = ? OR city = ?", ["city 0", text])
    assert round(cursor.fetchall()[0][0]) == 400


@pytest.mark.parametrize(
    ("sql", "parameters", "told"),
    [
        ("x = ?", [], "has 1 of the sign"),
        ("x = 1", [1], "has 0 of the sign"),
        ("x = ?", "a", "list or a tuple"),
        ("x = ?", {"a": 1}, "list or a tuple"),
        ("x = ?", 5, "list or a tuple"),
    ],
)
def test_parameters_must_fit(sql: str, parameters: Any, told: str) -> None:
    with pytest.raises(connection.ProgrammingError, match=told):
        bind_parameters(sql, parameters)


def test_a_question_that_is_too_long_is_left_to_the_database(cursor: Cursor) -> None:
    with pytest.raises(errors.Unsupported, match="64 KiB"):
        cursor.execute("SELECT COUNT(*) FROM data WHERE city = '?" + "a" * 70_000)


def test_a_size_below_zero(cursor: Cursor) -> None:
    with pytest.raises(errors.InvalidArgument, match="size must be 0 or more; got -1"):
        cursor.execute(COUNTS).fetchmany(-1)
