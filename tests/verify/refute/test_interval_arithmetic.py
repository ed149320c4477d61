from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    add_reals,
    approximate,
    compute_exp,
    compute_log,
    compute_sqrt,
    decide_sign,
    divide_reals,
    enclose,
    multiply_reals,
    simplify,
    subtract_reals,
)
from hedgerow.verify.refute.out_of_scope import OutOfScope

HALF, TWO = Fraction(1, 2), Fraction(2)
E = compute_exp(Fraction(1))
ROOT = compute_sqrt(TWO)
fractions = st.fractions(-50, 50, max_denominator=100)


def test_fractions_stay_fractions() -> None:
    assert add_reals(HALF, TWO) == Fraction(5, 2)
    assert multiply_reals(HALF, TWO) == 1
    assert subtract_reals(HALF, TWO) == Fraction(-3, 2)
    assert divide_reals(TWO, HALF) == 4


def test_exponentials_stay_exact_and_fall_back_to_fractions() -> None:
    assert isinstance(E, ExponentialSum)
    assert compute_log(E) == 1
    assert multiply_reals(E, compute_exp(Fraction(-1))) == Fraction(1)
    assert isinstance(multiply_reals(E, compute_exp(Fraction(-1))), Fraction)
    assert subtract_reals(E, E) == Fraction(0)
    assert divide_reals(Fraction(1), E) == compute_exp(Fraction(-1))
    assert compute_exp(Fraction(0)) == Fraction(1)


def test_irrational_values_are_enclosed() -> None:
    assert isinstance(ROOT, RealInterval)
    low, high = enclose(multiply_reals(ROOT, ROOT))
    assert low < 2 < high
    assert high - low < Fraction(1, 10**50)
    low, high = enclose(add_reals(compute_log(TWO), E))
    assert low < Fraction(math.log(2)) + Fraction(math.e) + Fraction(1, 10**15)
    assert high > low
    low, high = enclose(divide_reals(Fraction(1), add_reals(Fraction(1), E)))
    assert low <= high
    assert abs(float(low) - 1 / (1 + math.e)) < 1e-15


def test_roots_of_squares_are_exact() -> None:
    assert compute_sqrt(Fraction(9, 4)) == Fraction(3, 2)
    assert compute_sqrt(Fraction(0)) == 0


def test_signs_are_decided_or_refused() -> None:
    assert decide_sign(subtract_reals(E, Fraction(27, 10))) == 1
    assert decide_sign(subtract_reals(E, Fraction(28, 10))) == -1
    assert decide_sign(subtract_reals(ROOT, Fraction(3, 2))) == -1
    assert decide_sign(ROOT) == 1
    assert decide_sign(Fraction(0)) == 0
    assert decide_sign(RealInterval(Fraction(0), Fraction(0))) == 0
    with pytest.raises(OutOfScope, match="does not decide"):
        decide_sign(subtract_reals(multiply_reals(ROOT, ROOT), TWO))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: divide_reals(TWO, Fraction(0)),
        lambda: compute_log(Fraction(0)),
        lambda: compute_sqrt(Fraction(-1)),
        lambda: compute_exp(multiply_reals(ROOT, Fraction(10**6))),
        lambda: compute_exp(Fraction(10**6)),
    ],
)
def test_undefined_values_are_out_of_scope(wrong: object) -> None:
    with pytest.raises(OutOfScope):
        wrong()  # type: ignore[operator]


def test_an_interval_is_not_empty() -> None:
    with pytest.raises(ValueError, match="empty"):
        RealInterval(TWO, HALF)


@given(fractions, fractions)
def test_operations_on_intervals_hold_the_result(one: Fraction, other: Fraction) -> None:
    wide, narrow = RealInterval(one - 1, one + 1), RealInterval(other, other)
    for operation, exact in (
        (add_reals, one + other),
        (multiply_reals, one * other),
        (subtract_reals, one - other),
    ):
        low, high = enclose(operation(wide, narrow))
        assert low <= exact <= high


@given(st.fractions(-30, 30, max_denominator=100))
def test_exponential_of_an_interval_holds_the_exponential(value: Fraction) -> None:
    low, high = enclose(compute_exp(RealInterval(value, value)))
    assert low <= Fraction(math.exp(value)) * (1 + Fraction(1, 10**12))
    assert high >= Fraction(math.exp(value)) * (1 - Fraction(1, 10**12))


def test_shortened_ends_stay_outside() -> None:
    small = Fraction(1, 3**400)
    held = RealInterval.around(small, small)
    assert held.low <= small <= held.high
    assert held.high - held.low < small / 10**50


def test_approximations_survive_cancellation_and_small_numbers() -> None:
    almost = ExponentialSum(((Fraction(0), Fraction(1)), (Fraction(-1, 10**12), Fraction(-1))))
    assert approximate(almost) == pytest.approx(1e-12, rel=1e-6)
    assert approximate(ExponentialSum(((Fraction(-700), Fraction(3)),))) == pytest.approx(
        3 * math.exp(-700)
    )
    assert approximate(HALF) == 0.5
    assert simplify(ExponentialSum.of(2)) == 2
