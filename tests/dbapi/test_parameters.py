"""Parameters in place of question marks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from database.clinic import exactly
from hedgerow import connect, errors
from hedgerow import dbapi as connection
from hedgerow.dbapi import Cursor
from hedgerow.dbapi.parameters import bind_parameters, format_literal


@pytest.fixture
def cursor() -> Iterator[Cursor]:
    with exactly() as db, connect(db) as made, made.cursor() as found:
        found.epsilon = 500
        yield found


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
    with pytest.raises(connection.DataError, match="A parameter must be a finite number"):
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
    ("sql", "parameters", "written"),
    [
        ("x = :low AND y = :low", {"low": -1}, "x =  (-1)  AND y =  (-1) "),
        ("x = %(low)s", {"low": "it's"}, "x =  'it''s' "),
        ("x % 2 = :a AND y::INT = :b::INT", {"a": 0, "b": 2}, "x % 2 =  0  AND y::INT =  2 ::INT"),
        ("':a %(a)s' = :a -- :b\n", {"a": 1}, "':a %(a)s' =  1  -- :b\n"),
        ("EXPLAIN PRIVACY SELECT :date", {"date": 2}, "EXPLAIN PRIVACY SELECT  2 "),
        ("no name", {}, "no name"),
    ],
)
def test_parameters_may_have_names(sql: str, parameters: dict[str, object], written: str) -> None:
    assert bind_parameters(sql, parameters) == written


def test_a_named_parameter_reaches_the_question(cursor: Cursor) -> None:
    cursor.execute("SELECT COUNT(*) AS n FROM data WHERE city = :city", {"city": "city 0"})
    assert round(cursor.fetchall()[0][0]) == 400


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
        ("x = ?", [], "has 1 placeholders"),
        ("x = 1", [1], "has 0 placeholders"),
        ("x = ?", "a", "list or a tuple"),
        ("x = ?", {"a": 1}, "list or a tuple"),
        ("x = ?", 5, "list or a tuple"),
        ("x = :low AND y = :high", {"low": 1}, "no value for high"),
        ("x = :low", {"low": 1, "lwo": 2}, "no placeholder for lwo"),
    ],
)
def test_parameters_must_fit(sql: str, parameters: Any, told: str) -> None:
    with pytest.raises(connection.ProgrammingError, match=told):
        bind_parameters(sql, parameters)


def test_a_question_that_is_too_long_is_left_to_the_database(cursor: Cursor) -> None:
    with pytest.raises(errors.Unsupported, match="64 KiB"):
        cursor.execute("SELECT COUNT(*) FROM data WHERE city = '?" + "a" * 70_000)
