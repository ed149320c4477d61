from __future__ import annotations

import math
from datetime import date

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from engines.helpers_worlds import SQL_TYPES
from hedgerow.engines.compile.sql_builders import SQL_TYPES as OURS
from hedgerow.engines.compile.sql_builders import binary as compared
from hedgerow.engines.compile.sql_builders import (
    clamp,
    column,
    constant,
    integer_literal,
    is_one_of,
    real_literal,
    select,
    text_literal,
)
from hedgerow.errors import Unsupported
from hedgerow.plan.values import Type, Value

CONNECTION = duckdb.connect()


def back(term: exp.Expr) -> tuple[object, str]:
    """The value and the type that the engine makes of it."""
    sql = term.sql("duckdb")
    found = CONNECTION.execute(f"SELECT {sql}, typeof({sql})").fetchone()
    assert found is not None
    return found


@given(st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([2**63 - 1, -(2**63)])))
def test_integer_literals_are_exact(number: int) -> None:
    assert back(integer_literal(number)) == (number, "BIGINT")


@given(st.floats(allow_nan=False))
def test_reals_arrive_to_the_last_bit(number: float) -> None:
    value, type_ = back(real_literal(number))
    assert (value, math.copysign(1, number), type_) == (
        number,
        math.copysign(1, value),  # type: ignore[arg-type]
        "DOUBLE",
    )


@given(st.text())
def test_text_arrives_as_it_was(value: str) -> None:
    assert back(text_literal(value)) == (value, "VARCHAR")


@given(st.dates())
def test_dates_arrive(value: date) -> None:
    assert back(constant(value, "date")) == (value, "DATE")


@pytest.mark.parametrize("type_", OURS)
def test_null_has_a_type(type_: Type) -> None:
    assert dict(SQL_TYPES) == OURS
    assert back(constant(None, type_)) == (None, OURS[type_])


@pytest.mark.parametrize("value", [True, False])
def test_truth_values_arrive(value: Value) -> None:
    assert back(constant(value, "boolean")) == (value, "BOOLEAN")


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**400])
def test_longer_numbers_are_refused(number: int) -> None:
    with pytest.raises(Unsupported, match="64 bits"):
        integer_literal(number)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(Unsupported, match="surrogate"):
        text_literal("a\udc00")


@pytest.mark.parametrize(
    ("value", "moved"), [(-1, 0), (0, 0), (3, 3), (5, 5), (6, 5), (None, None)]
)
def test_between_moves_to_the_nearest_end_and_leaves_null(
    value: int | None, moved: int | None
) -> None:
    assert (
        back(clamp(constant(value, "integer"), integer_literal(0), integer_literal(5)))[0] == moved
    )


def test_a_select_without_outputs_still_counts_rows() -> None:
    inner = select([], exp.Table(this=exp.to_identifier("t", quoted=True)))
    assert (
        select([("n", exp.Count(this=exp.Star()))], inner).sql("duckdb")
        == 'SELECT COUNT(*) AS "n" FROM (SELECT 1 AS "one" FROM "t") AS "s"'
    )


@pytest.mark.parametrize(
    ("type_", "values", "others", "short"),
    [
        ("integer", (3, 1, 2), (0, 4), True),
        ("integer", (3, 1), (0, 2, 4), False),
        (
            "date",
            (date(2024, 2, 28), date(2024, 3, 1), date(2024, 2, 29)),
            (date(2024, 2, 27), date(2024, 3, 2)),
            True,
        ),
        ("date", (date(2024, 2, 1), date(2024, 1, 1)), (date(2024, 1, 2),), False),
        ("text", ("a", "b"), ("c",), False),
    ],
)
def test_lists_without_a_gap_are_compared_with_their_ends(
    type_: Type, values: tuple[Value, ...], others: tuple[Value, ...], short: bool
) -> None:
    found = {
        value: is_one_of(constant(value, type_), values, type_) for value in (*values, *others)
    }
    assert {isinstance(test, exp.Between) for test in found.values()} == {short}
    assert {value: back(test)[0] for value, test in found.items()} == {
        value: value in values for value in found
    }


LONG: dict[Type, tuple[Value, ...]] = {
    "text": (
        "",
        "a",
        "A",
        "it's",
        "\u00e9",
        "e\u0301",
        "NULL",
        "9",
        "b ",
        "\x00",
        "\x01",
        "\x02\x03",
        "x" * 300,
    ),
    "integer": (-(2**63), -7, 0, 2, 4, 6, 8, 10, 12, 2**63 - 1),
    "date": tuple(date(2020 + i, 1, 1) for i in range(10)),
}


@pytest.mark.parametrize("type_", LONG)
def test_long_lists_are_looked_up(type_: Type) -> None:
    values = LONG[type_]
    others: dict[Type, tuple[Value, ...]] = {
        "text": ("b", "aa", "e"),
        "integer": (1, -6),
        "date": (date(2020, 1, 2),),
    }
    found = {
        value: is_one_of(constant(value, type_), values, type_)
        for value in (*values, *others[type_], None)
    }
    assert all(test.args.get("query") is not None for test in found.values())
    assert {value: back(test)[0] for value, test in found.items()} == {
        value: None if value is None else value in values for value in found
    }


def test_reals_are_compared_one_by_one() -> None:
    found = is_one_of(constant(-0.0, "real"), tuple(map(float, range(20))), "real")
    assert found.args.get("query") is None
    assert back(found)[0] is True


MADE = ("CASE WHEN x IN ('north') THEN x END", "NULLIF(x, 'nowhere')", "CASE WHEN n = 1 THEN x END")
ASKED = (
    "{v} LIKE 'no%'",
    "starts_with({v}, 'no')",
    "substring({v}, 1, 2) = 'no'",
    "{v} IN ('north', 'nowhere')",
    "{v} >= 'n'",
    "{v} <> 'z'",
)


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(
    "how", ["{a}", "NOT ({a})", "({a}) AND n > 0", "({a}) AND (n < 9 AND ({a}))", "({a}) OR n = 7"]
)
def test_a_condition_means_the_same_with_and_without_column_statistics(
    made: str, asked: str, how: str
) -> None:
    """Its optimizer, which goes by the least and greatest values of a column, beside none."""
    condition = how.format(a=asked.format(v=made))
    connection = duckdb.connect(config={"threads": "1"})
    connection.execute(
        "CREATE TABLE t AS SELECT * FROM (VALUES ('north', 1), ('nowhere', 2)) AS v(x, n)"
    )
    parsed = sqlglot.parse_one(condition, dialect="duckdb")
    tree = select(
        [("n", exp.Count(this=exp.Star()))],
        exp.Table(this=exp.to_identifier("t", quoted=True)),
        [parsed],
    )
    found = connection.execute(tree.sql(dialect="duckdb")).fetchall()
    connection.execute("PRAGMA disable_optimizer")
    assert found == connection.execute(f"SELECT count(*) FROM t WHERE {condition}").fetchall()


def test_columns_that_are_never_null_are_compared_plainly() -> None:
    table = exp.Table(this=exp.to_identifier("t", quoted=True))
    places = [
        compared(column("place"), exp.LTE, integer_literal(1)),
        exp.Not(this=exp.Is(this=column("x"), expression=exp.Null())),
    ]
    assert "COALESCE" not in select([("x", column("x"))], table, places).sql(dialect="duckdb")
    assert "COALESCE" in select(
        [("x", column("x"))], table.copy(), [compared(column("x"), exp.LTE, integer_literal(1))]
    ).sql(dialect="duckdb")
