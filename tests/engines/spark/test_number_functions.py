"""Numbers on a real cluster: rounding, division and casts at the ends."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from sqlglot import exp

from engines.spark.helpers_worlds import compute, compute_rows, connect
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    cast,
    cast_to_type,
    column,
    integer_literal,
    real_literal,
)
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.engines.spark.number_functions import (
    cast_or_null,
    divide_reals,
    divide_wide_integers,
    round_real,
)
from hedgerow.engines.spark.session import SparkConnection
from hedgerow.plan.scalar.functions import round_half_away

WIDE = 12345678901234567890123456789
REALS = (
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, -0.49999999999999994, 2.0**52 + 1,
    4503599627370495.5, 2.0**53, 1e15 + 0.5, 2.0**63 - 1024, -(2.0**63),
)  # fmt: skip
BEYOND = (2.0**63, -(2.0**63) - 2048, 1e308, math.inf, -math.inf, math.nan)


@pytest.fixture(scope="module")
def server() -> Iterator[SparkConnection]:
    connection = connect()
    yield connection
    connection.close()


def test_halves_are_rounded_away_from_zero_and_what_does_not_fit_is_null(
    server: SparkConnection,
) -> None:
    rows = [[real_literal(value)] for value in (*REALS, *BEYOND)]
    wanted = [round_half_away(value) for value in REALS] + [None] * len(BEYOND)
    assert compute_rows(server, round_real(column("x0")), rows) == wanted


@pytest.mark.parametrize("function", ["floor", "ceil"])
def test_whole_numbers_are_cut_nowhere(server: SparkConnection, function: str) -> None:
    rows = [[real_literal(value)] for value in (*REALS, *BEYOND)]
    wanted = [getattr(math, function)(value) for value in REALS] + [None] * len(BEYOND)
    whole = SPARK.total_cast(call_function(function, column("x0")), "real", "integer", False)
    assert compute_rows(server, whole, rows) == wanted


def test_wide_integers_are_divided_towards_zero_where_div_wraps(server: SparkConnection) -> None:
    numbers = [(WIDE, 7), (-WIDE, 7), (2**98, 1), (-(2**98), 3), (5, 7), (-5, 7), (0, 1)]
    rows = [[cast(exp.Literal.string(str(a)), "DECIMAL"), integer_literal(b)] for a, b in numbers]
    wanted = [abs(a) // b * (1 if a >= 0 else -1) for a, b in numbers]
    found = compute_rows(server, divide_wide_integers(column("x0"), column("x1")), rows)
    assert [int(one) for one in found] == wanted
    naive = compute_rows(server, binary(column("x0"), exp.IntDiv, column("x1")), rows[:1])
    assert naive == [5998745962792105731]


def test_reals_are_divided_as_by_ieee_and_never_by_zero(server: SparkConnection) -> None:
    pairs = [(1.0, 3.0), (5e-324, 1000.0), (1e308, 1e-10), (-1e308, 1e-10), (1.0, 0.0), (0.0, -0.0)]
    rows = [[real_literal(a), real_literal(b)] for a, b in pairs]
    found = compute_rows(server, divide_reals(column("x0"), column("x1")), rows)
    assert found == [1 / 3, 0.0, math.inf, -math.inf, None, None]


def test_casts_that_do_not_fit_are_null(server: SparkConnection) -> None:
    far = cast(exp.Literal.string(str(WIDE)), "DECIMAL")
    found = compute(
        server,
        cast_or_null(far, "integer", "integer", True),
        cast_or_null(far.copy(), "integer", "text", True),
        cast_or_null(exp.Literal.string("2024-02-30"), "text", "date", False),
        cast_or_null(exp.Literal.string("1.5"), "text", "real", False),
        cast_or_null(exp.true(), "boolean", "real", False),
        cast_or_null(integer_literal(2), "integer", "boolean", False),
    )
    assert found == [None, str(WIDE), None, 1.5, 1.0, True]


def test_order_is_that_of_the_reference(server: SparkConnection) -> None:
    nan, null = real_literal(math.nan), cast_to_type(exp.Null(), "real")
    far = real_literal(math.inf)
    assert compute(
        server,
        binary(nan, exp.GT, far),
        binary(nan.copy(), exp.EQ, nan.copy()),
        binary(real_literal(0.0), exp.EQ, real_literal(-0.0)),
        SPARK.is_nan(nan.copy()),
        call_function("least", nan.copy(), far.copy(), null),
    ) == [True, True, True, True, math.inf]
