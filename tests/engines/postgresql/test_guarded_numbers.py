"""Arithmetic and casts on a real server, where they are easily wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from engines.postgresql.helpers_expressions import compute, x
from engines.postgresql.helpers_server import get_server
from hedgerow.engines.compile.sql_builders import (
    cast,
    integer_literal,
    null_literal,
    real_literal,
)
from hedgerow.engines.postgresql.dialect import POSTGRESQL
from hedgerow.engines.postgresql.guarded_numbers import TINY_REAL
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Type

REALS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(scope="module")
def server() -> Iterator[psycopg.Connection[Any]]:
    with get_server().connect() as connection:
        yield connection


@given(REALS)
def test_reals_are_rounded_half_away_from_zero(value: float) -> None:
    with get_server().connect() as connection:
        found = compute(connection, POSTGRESQL.round_real(x()), real_literal(value))
    assert found == round_half_away(value)


@pytest.mark.parametrize(
    "value", [0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 4503599627370495.5, 2.0**52 + 1]
)
def test_halves_are_rounded_away_from_zero(server: psycopg.Connection[Any], value: float) -> None:
    found = compute(server, POSTGRESQL.round_real(x()), real_literal(value))
    assert found == round_half_away(value)


@given(REALS, REALS)
def test_no_product_and_no_quotient_raises(a: float, b: float) -> None:
    if abs(a) * abs(b) > 2.0**1000:
        b = 1 / b  # a plan has no product beyond
    with get_server().connect() as connection:
        given_ = (real_literal(a), real_literal(b))
        product = compute(connection, POSTGRESQL.multiply_reals(x(), x(1)), *given_)
        quotient = compute(connection, POSTGRESQL.divide_reals(x(), x(1)), *given_)
    if min(abs(a), abs(b)) < TINY_REAL:
        assert product == 0
    else:
        assert product == a * b
    if abs(b) < TINY_REAL:
        assert quotient is None
    elif abs(a) < TINY_REAL:
        assert quotient == 0
    else:
        assert math.isinf(quotient) or quotient == a / b


@pytest.mark.parametrize(("a", "b"), [(None, 5e-324), (5e-324, None), (None, 2.0), (None, None)])
def test_products_and_quotients_with_null_are_null(
    server: psycopg.Connection[Any], a: float | None, b: float | None
) -> None:
    given_ = [null_literal("real") if one is None else real_literal(one) for one in (a, b)]
    assert compute(server, POSTGRESQL.multiply_reals(x(), x(1)), *given_) is None
    assert compute(server, POSTGRESQL.divide_reals(x(), x(1)), *given_) is None


def test_a_quotient_beyond_the_largest_real_is_infinite(
    server: psycopg.Connection[Any],
) -> None:
    for a, b in ((1e300, 1e-100), (-1e300, 1e-100), (1e300, -1e-100)):
        found = compute(
            server, POSTGRESQL.divide_reals(x(), x(1)), real_literal(a), real_literal(b)
        )
        assert found == math.copysign(math.inf, a * b)


def test_the_smallest_real_divides_by_a_step(server: psycopg.Connection[Any]) -> None:
    for step in (1000.0, 0.001):
        tree = POSTGRESQL.divide_by_nonzero(x(), real_literal(step))
        assert round(compute(server, tree, real_literal(5e-324))) == 0
        assert compute(server, tree.copy(), real_literal(7.0)) == 7.0 / step


CASTS: list[tuple[Any, str, Type, Type, bool, Any]] = [
    (2.0**63, "DOUBLE", "real", "integer", False, None),
    (2.0**63 - 1024, "DOUBLE", "real", "integer", False, 2**63 - 1024),
    (-(2.0**63), "DOUBLE", "real", "integer", False, -(2**63)),
    (math.inf, "DOUBLE", "real", "integer", False, None),
    (math.nan, "DOUBLE", "real", "integer", False, None),
    (Decimal(2**63), "DECIMAL", "integer", "integer", True, None),
    (Decimal(2**63 - 1), "DECIMAL", "integer", "integer", True, 2**63 - 1),
    (Decimal(-(2**63)), "DECIMAL", "integer", "integer", True, -(2**63)),
    (True, "BOOLEAN", "boolean", "integer", False, 1),
    (False, "BOOLEAN", "boolean", "real", False, 0.0),
    (7, "BIGINT", "integer", "boolean", False, True),
    (-0.0, "DOUBLE", "real", "boolean", False, False),
    (-7, "BIGINT", "integer", "text", False, "-7"),
    (True, "BOOLEAN", "boolean", "text", False, "true"),
]


@pytest.mark.parametrize(("value", "sql_type", "from_", "to", "is_wide", "wanted"), CASTS)
def test_numbers_that_do_not_fit_are_null(
    server: psycopg.Connection[Any],
    value: Any,
    sql_type: str,
    from_: Type,
    to: Type,
    is_wide: bool,
    wanted: Any,
) -> None:
    given_ = cast(exp.Literal.string(str(value)), sql_type)
    assert compute(server, POSTGRESQL.total_cast(x(), from_, to, is_wide), given_) == wanted


@pytest.mark.parametrize(
    ("number", "wanted"),
    [
        ("1e400", 1e300),
        ("-1e400", -1e300),
        ("1e-400", 0.0),
        ("NaN", None),
        ("0.1", 0.1),
        ("Infinity", 1e300),
    ],
)
def test_decimals_beyond_doubles_are_clamped(
    server: psycopg.Connection[Any], number: str, wanted: float | None
) -> None:
    raw = POSTGRESQL.read_stored(x(), "real", True)
    tree = POSTGRESQL.total_cast(raw, "real", "real", True)
    assert compute(server, tree, cast(exp.Literal.string(number), "DECIMAL")) == wanted


def test_wide_integers_are_divided_exactly(server: psycopg.Connection[Any]) -> None:
    a, b = 12345678901234567890123456789, 7
    given_ = [cast(exp.Literal.string(str(one)), "DECIMAL") for one in (a, -a, b)]
    assert compute(server, POSTGRESQL.truncating_divide_wide(x(), x(2)), *given_) == a // b
    assert compute(server, POSTGRESQL.truncating_divide_wide(x(1), x(2)), *given_) == -(a // b)
    narrow = [integer_literal(-7), integer_literal(2)]
    assert compute(server, POSTGRESQL.truncating_divide(x(), x(1)), *narrow) == -3
