"""Errors of the connection, caught by either name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from database.clinic import exactly
from hedgerow import connect, errors
from hedgerow import dbapi as connection
from hedgerow.dbapi import Connection, Cursor
from hedgerow.dbapi import errors as dbapi_errors


@pytest.fixture
def cursor() -> Iterator[Cursor]:
    with exactly() as db, connect(db) as made, made.cursor() as found:
        found.epsilon = 500
        yield found


COUNTS = "SELECT region, COUNT(*) AS n FROM data GROUP BY region"


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
    with pytest.raises(dbapi_errors.WrongArgumentError, match="epsilon must be above 0") as caught:
        cursor.execute(COUNTS)
    assert caught.value.argument == "epsilon"
    assert str(caught.value).startswith("epsilon must be above 0; got -1.")
    assert caught.value.__cause__ is None


def test_an_empty_budget_is_no_mistake_of_the_question(cursor: Cursor) -> None:
    cursor.epsilon = 9_000
    cursor.execute(COUNTS)
    for kind in (errors.BudgetExceeded, errors.Refused, connection.OperationalError):
        with pytest.raises(kind):
            cursor.execute("SELECT SUM(age) FROM data")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.SourceError("x"), dbapi_errors.SourceFailedError),
        (errors.LedgerError("x"), dbapi_errors.LedgerFailedError),
        (errors.EntropyError("x"), dbapi_errors.EntropyFailedError),
        (errors.Refused("x"), dbapi_errors.RefusedQuestionError),
        (errors.Unbounded("x"), dbapi_errors.UnboundedQuestionError),
        (errors.HedgerowError("x"), connection.DatabaseError),
    ],
)
def test_other_errors_are_translated(
    error: errors.HedgerowError, kind: type[connection.Error]
) -> None:
    with pytest.raises(type(error), match=r"^x$") as caught, dbapi_errors.translate_errors():
        raise error
    assert type(caught.value) is kind
    with pytest.raises(connection.Error) as again, dbapi_errors.translate_errors():
        raise caught.value
    assert again.value is caught.value


def test_a_missing_policy_raises_errors_of_both_hierarchies(tmp_path: Path) -> None:
    with pytest.raises(connection.Error) as caught:
        connect(tmp_path / "nothing.toml")
    assert isinstance(caught.value, errors.InvalidArgument | errors.SourceError)
