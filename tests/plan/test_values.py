"""Ranges and the grid that is taken where none is declared."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.plan.values import (
    DAY,
    FIRST_NUMBERS,
    LAST_NUMBERS,
    Range,
    build_date,
    compute_common_step,
    compute_default_step,
    number_date,
)

ZERO, TWO = Fraction(0), Fraction(2)


def test_domain() -> None:
    assert Range("text", values=("b", "a")).domain(2) == ("b", "a")
    assert Range("text", values=("b", "a")).domain(1) is None
    assert Range("boolean").domain(2) == (False, True)
    assert Range("integer", ZERO, TWO).domain(3) == (0, 1, 2)
    assert Range("integer", ZERO, TWO).domain(2) is None
    assert Range("integer").domain(9) is None
    whole, step = Range("integer", Fraction(-(2**63)), Fraction(2**63)), Fraction(2**62)
    assert whole.domain(10**6) is None  # more values than a range can count
    assert whole.with_changes(step=step).domain(5) == tuple(n * 2**62 for n in (-2, -1, 0, 1, 2))
    assert whole.with_changes(step=step).domain(4) is None
    # no multiple lies between them
    assert Range("integer", Fraction(3), Fraction(4), Fraction(5)).domain(9) is None
    assert Range("real", ZERO, TWO).domain(9) is None


def test_bounded_and_but() -> None:
    assert Range("real", ZERO, TWO).is_bounded
    assert not Range("real", ZERO).is_bounded
    assert not Range("real").is_bounded
    assert Range("real").with_changes(type="integer", low=ZERO) == Range("integer", ZERO)


@pytest.mark.parametrize(
    "width",
    [
        Fraction(1),
        Fraction(3),
        Fraction(1, 3),
        Fraction(10**300),
        Fraction(1, 10**300),
        Fraction(2**20),
        Fraction(2**21),
    ],
)
def test_default_step_is_the_power_of_two_below(width: Fraction) -> None:
    step = compute_default_step(Fraction(-1), width - 1)
    assert step <= width / 2**20 < 2 * step
    assert 1 in (step.numerator, step.denominator)
    assert (step.numerator * step.denominator).bit_count() == 1


def test_default_step_of_one_number() -> None:
    assert compute_default_step(Fraction(-3, 2), Fraction(-3, 2)) == Fraction(1, 2**20)
    assert compute_default_step(ZERO, ZERO) == Fraction(1, 2**20)


def test_a_common_step_divides_all() -> None:
    assert compute_common_step([Fraction(1, 100), Fraction(1)]) == Fraction(1, 100)
    assert compute_common_step([Fraction(3, 4), Fraction(1, 2)]) == Fraction(1, 4)
    assert compute_common_step([Fraction(6)]) == 6
    assert compute_common_step([Fraction(1), None, Fraction(2)]) is None
    assert compute_common_step([]) is None


@given(st.datetimes())
def test_timestamps_have_numbers_that_divide_into_days(moment: datetime) -> None:
    number = number_date(moment)
    assert build_date(number, "timestamp") == moment
    assert build_date(number // DAY, "date") == moment.date()
    assert FIRST_NUMBERS["timestamp"] <= number <= LAST_NUMBERS["timestamp"]


def test_the_ends_of_the_calendar_have_numbers() -> None:
    for type_, first, last in (
        ("date", date.min, date.max),
        ("timestamp", datetime.min, datetime.max),
    ):
        assert build_date(FIRST_NUMBERS[type_], type_) == first  # type: ignore[index, arg-type]
        assert build_date(LAST_NUMBERS[type_], type_) == last  # type: ignore[index, arg-type]
