from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.quantity import (
    Interval,
    approximate,
    bounds,
    divide,
    exponential,
    logarithm,
    minus,
    plus,
    root,
    sign,
    simple,
    times,
)

HALF, TWO = Fraction(1, 2), Fraction(2)
E = exponential(Fraction(1))
ROOT = root(TWO)
fractions = st.fractions(-50, 50, max_denominator=100)


def test_fractions_stay_fractions() -> None:
    assert plus(HALF, TWO) == Fraction(5, 2)
    assert times(HALF, TWO) == 1
    assert minus(HALF, TWO) == Fraction(-3, 2)
    assert divide(TWO, HALF) == 4


def test_exponentials_stay_exact_and_fall_back_to_fractions() -> None:
    assert isinstance(E, Amount)
    assert logarithm(E) == 1
    assert times(E, exponential(Fraction(-1))) == Fraction(1)
    assert isinstance(times(E, exponential(Fraction(-1))), Fraction)
    assert minus(E, E) == Fraction(0)
    assert divide(Fraction(1), E) == exponential(Fraction(-1))
    assert exponential(Fraction(0)) == Fraction(1)


def test_what_is_irrational_is_enclosed() -> None:
    assert isinstance(ROOT, Interval)
    low, high = bounds(times(ROOT, ROOT))
    assert low < 2 < high
    assert high - low < Fraction(1, 10**50)
    low, high = bounds(plus(logarithm(TWO), E))
    assert low < Fraction(math.log(2)) + Fraction(math.e) + Fraction(1, 10**15)
    assert high > low
    low, high = bounds(divide(Fraction(1), plus(Fraction(1), E)))
    assert low <= high
    assert abs(float(low) - 1 / (1 + math.e)) < 1e-15


def test_roots_of_squares_are_exact() -> None:
    assert root(Fraction(9, 4)) == Fraction(3, 2)
    assert root(Fraction(0)) == 0


def test_signs_are_decided_or_refused() -> None:
    assert sign(minus(E, Fraction(27, 10))) == 1
    assert sign(minus(E, Fraction(28, 10))) == -1
    assert sign(minus(ROOT, Fraction(3, 2))) == -1
    assert sign(ROOT) == 1
    assert sign(Fraction(0)) == 0
    assert sign(Interval(Fraction(0), Fraction(0))) == 0
    with pytest.raises(Beyond, match="does not decide"):
        sign(minus(times(ROOT, ROOT), TWO))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: divide(TWO, Fraction(0)),
        lambda: logarithm(Fraction(0)),
        lambda: root(Fraction(-1)),
        lambda: exponential(times(ROOT, Fraction(10**6))),
        lambda: exponential(Fraction(10**6)),
    ],
)
def test_what_has_no_value_is_given_up(wrong: object) -> None:
    with pytest.raises(Beyond):
        wrong()  # type: ignore[operator]


def test_an_interval_is_not_empty() -> None:
    with pytest.raises(ValueError, match="empty"):
        Interval(TWO, HALF)


@given(fractions, fractions)
def test_operations_on_intervals_hold_the_result(one: Fraction, other: Fraction) -> None:
    wide, narrow = Interval(one - 1, one + 1), Interval(other, other)
    for operation, exact in ((plus, one + other), (times, one * other), (minus, one - other)):
        low, high = bounds(operation(wide, narrow))
        assert low <= exact <= high


@given(st.fractions(-30, 30, max_denominator=100))
def test_exponential_of_an_interval_holds_the_exponential(value: Fraction) -> None:
    low, high = bounds(exponential(Interval(value, value)))
    assert low <= Fraction(math.exp(value)) * (1 + Fraction(1, 10**12))
    assert high >= Fraction(math.exp(value)) * (1 - Fraction(1, 10**12))


def test_shortened_ends_stay_outside() -> None:
    small = Fraction(1, 3**400)
    held = Interval.around(small, small)
    assert held.low <= small <= held.high
    assert held.high - held.low < small / 10**50


def test_approximations_survive_cancellation_and_small_numbers() -> None:
    almost = Amount(((Fraction(0), Fraction(1)), (Fraction(-1, 10**12), Fraction(-1))))
    assert approximate(almost) == pytest.approx(1e-12, rel=1e-6)
    assert approximate(Amount(((Fraction(-700), Fraction(3)),))) == pytest.approx(3 * math.exp(-700))
    assert approximate(HALF) == 0.5
    assert simple(Amount.of(2)) == 2
