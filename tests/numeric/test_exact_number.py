"""Parsing of parameters: accepted numbers, their exact meaning, and refusals."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    check_stored_digits,
    parse_delta,
    parse_epsilon,
    parse_exact,
    parse_nonnegative,
    parse_positive,
    parse_probability,
    parse_whole,
)

DOORS = [
    parse_exact,
    parse_nonnegative,
    parse_positive,
    parse_probability,
    parse_epsilon,
    parse_delta,
]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1, Fraction(1)),
        (-3, Fraction(-3)),
        (0.1, Fraction(1, 10)),
        (1e-12, Fraction(1, 10**12)),
        (1e22, Fraction(10**22)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.longdouble("0.1"), Fraction(1, 10)),
        (np.int8(-7), Fraction(-7)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Decimal("1e-100"), Fraction(1, 10**100)),
        (Decimal("0e-999999999"), Fraction(0)),
        (
            Decimal("0." + "3" * 5000),
            Fraction(int("3" * 4000) * 10**1000 + int("3" * 1000), 10**5000),
        ),
        (Fraction(1, 3), Fraction(1, 3)),
        (2**70, Fraction(2**70)),
        (-0.0, Fraction(0)),
    ],
    ids=lambda value: repr(value)[:30] if not isinstance(value, Fraction) else "",
)
def test_numbers_are_read_as_written(written: object, meant: Fraction) -> None:
    read = parse_exact(written, "x")
    assert read == meant
    assert type(read) is Fraction


def test_numbers_below_0_are_refused_where_0_is_allowed() -> None:
    assert parse_nonnegative(0, "x") == 0
    with pytest.raises(InvalidArgument, match=r"^x must be at least 0; got -0\.1\.$"):
        parse_nonnegative(-0.1, "x")


def test_ten_tenths_are_one() -> None:
    assert sum(parse_exact(0.1, "epsilon") for _ in range(10)) == 1
    assert sum(Fraction(0.1) for _ in range(10)) > 1  # the trap


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "bad",
    [
        True,
        False,
        np.True_,
        np.bool_(False),
        "1",
        "0.5",
        b"1",
        None,
        1 + 0j,
        np.complex128(1),
        [0.5],
        (0.5,),
        np.array(0.5),
        np.array([0.5]),
        object,
        {},
    ],
    ids=repr,
)
def test_non_numbers_are_refused_by_name_and_value(door: object, bad: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        door(bad, "epsilon")
    assert refusal.value.argument == "epsilon"
    assert (
        str(refusal.value)
        == f"epsilon must be a number; got {bad if isinstance(bad, complex) else repr(bad)}."
    )


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "bad",
    [
        float("nan"), float("inf"), -float("inf"), 1e400,
        np.float32("nan"), np.float64("inf"), np.longdouble("1e4000"),
        Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("-Infinity"),
    ],
    ids=repr,
)  # fmt: skip
def test_infinite_and_nan_are_refused(door: object, bad: object) -> None:
    with pytest.raises(InvalidArgument, match="sigma must be finite; got") as refusal:
        door(bad, "sigma")
    assert str(bad) in str(refusal.value)


@pytest.mark.parametrize("bad", ["1e-99999999", "-1e-1001", "1e400000", "9e1001"])
def test_decimals_that_would_fill_the_memory_are_refused(bad: str) -> None:
    with pytest.raises(
        InvalidArgument, match=r"x must lie between 1e-1000 and 1e1000; got -?[19]E"
    ):
        parse_exact(Decimal(bad), "x")


@pytest.mark.parametrize(
    "bad", [0, 0.0, -0.0, -1, -1e-9, Decimal("-0.5"), Fraction(-1, 3), np.int64(0)], ids=repr
)
@pytest.mark.parametrize("door", [parse_positive, parse_epsilon])
def test_zero_and_below_are_refused(door: object, bad: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        door(bad, "epsilon")
    assert str(refusal.value) == f"epsilon must be above 0; got {bad}."


@pytest.mark.parametrize("bad", [0, 1, 1.0, -0.5, 2, Fraction(3, 2), Decimal(1)], ids=repr)
@pytest.mark.parametrize("door", [parse_probability, parse_delta])
def test_probabilities_lie_strictly_between_0_and_1(door: object, bad: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        door(bad, "beta")
    assert (
        str(refusal.value)
        == f"beta must lie strictly between 0 and 1; got {1.5 if bad == 1.5 else bad}."
    )


@pytest.mark.parametrize(
    "bad",
    [1e-320, 5e-324, 9.9e-13, 10_001, 1e300, Fraction(1, 10**13), 10**5000],
    ids=lambda bad: type(bad).__name__,
)
def test_an_epsilon_out_of_range_is_refused(bad: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^epsilon must lie between 1e-12 and 10000; got "):
        parse_epsilon(bad)


@pytest.mark.parametrize("bad", [1e-320, 1e-101, Decimal("1e-101")])
def test_a_delta_out_of_range_is_refused(bad: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^delta must be at least 1e-100; got "):
        parse_delta(bad)


def test_the_ends_are_allowed_and_the_name_can_be_changed() -> None:
    assert parse_epsilon(1e-12) == Fraction(1, 10**12)
    assert parse_epsilon(10_000) == 10_000
    assert parse_delta(1e-100) == Fraction(1, 10**100)
    assert parse_delta(0.5) == Fraction(1, 2)
    assert parse_positive(5e-324, "x") > 0
    with pytest.raises(InvalidArgument, match=r"^rho must lie between 1e-12 and 10000"):
        parse_epsilon(1e9, "rho")


@pytest.mark.parametrize(
    "number",
    [Fraction(10**120), Fraction(-(10**120)), Fraction(1, 10**120), Fraction(1, 3), Fraction(0)],
)
def test_parameters_of_usual_length_can_be_stored(number: Fraction) -> None:
    assert check_stored_digits(number, "epsilon") is number


@pytest.mark.parametrize(
    "number",
    [
        Fraction(10**120 + 1),
        Fraction(-(10**120) - 1),
        Fraction(1, 10**120 + 1),
        Fraction(1, 3**20_000),
    ],
)
def test_numbers_with_too_many_digits_are_refused(number: Fraction) -> None:
    with pytest.raises(
        InvalidArgument, match=r"^delta must be written with at most 120 digits; got "
    ):
        check_stored_digits(number, "delta")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_as_itself_and_as_its_shortest_decimal(value: float) -> None:
    read = parse_exact(value, "x")
    assert float(read) == value
    assert read == Fraction(repr(value))


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=20
    )
)
def test_a_decimal_is_read_exactly(value: Decimal) -> None:
    assert parse_exact(value, "x") == Fraction(value)


@pytest.mark.parametrize("value", [1, 7, 10**30, np.int64(7), np.uint8(3), 4.0, Fraction(6, 2)])
def test_whole_numbers_pass(value: object) -> None:
    number = parse_whole(value, "k")
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        0.5,
        Fraction(3, 2),
        True,
        np.True_,
        "1",
        None,
        float("nan"),
        float("inf"),
        1e-320,
        1e400,
        np.int64(0),
    ],
)
def test_non_whole_numbers_are_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^k must be .*; got ") as caught:
        parse_whole(value, "k")
    assert caught.value.argument == "k"
