"""Directed rounding, against rational series with explicit remainders."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow.numeric import rounding
from hedgerow.numeric.rounding import (
    exp_bounds,
    exp_down,
    exp_up,
    log_bounds,
    log_down,
    log_up,
    round_digits_up,
    round_down,
    round_up,
    sqrt_down,
    sqrt_up,
)  # fmt: skip

Interval = tuple[Fraction, Fraction]
POINT = 10**130  # fixed point: lower ends are cut, upper ends are raised


def cut(x: Fraction) -> Fraction:
    return Fraction(x * POINT // 1, POINT)


def raised(x: Fraction) -> Fraction:
    return -cut(-x)


def exp_interval(x: Fraction) -> Interval:
    """Return e^x between rationals.

    The series at y = |x| / 2^k < 1/2, whose remainder is below its last term, is squared k times.
    """
    halvings = (2 * abs(x) // 1).bit_length()
    ends = []
    for shorten, remainder in ((cut, 0), (raised, 1)):
        y, total, term, n = shorten(abs(x) / 2**halvings), Fraction(1), Fraction(1), 0
        while n < 90:
            n += 1
            term = shorten(term * y / n)
            total += term
        total += remainder * term
        for _ in range(halvings):
            total = shorten(total * total)
        ends.append(total)
    return (ends[0], ends[1]) if x >= 0 else (1 / ends[1], 1 / ends[0])


def log_interval(x: Fraction) -> Interval:
    """Return ln x between rationals.

    x = m 2^e with 2/3 < m < 4/3, ln m = 2 artanh((m-1)/(m+1)), ln 2 = 2 artanh(1/3).
    """
    e = x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2) ** e
    if m >= Fraction(4, 3):
        m, e = m / 2, e + 1
    elif m <= Fraction(2, 3):
        m, e = m * 2, e - 1
    (a, b), (c, d) = artanh_interval((m - 1) / (m + 1)), artanh_interval(Fraction(1, 3))
    return 2 * a + 2 * min(e * c, e * d), 2 * b + 2 * max(e * c, e * d)


def artanh_interval(y: Fraction) -> Interval:
    """Return sum y^(2k+1)/(2k+1) for |y| <= 1/3; the remainder is below the last power."""
    ends = []
    for shorten, remainder in ((cut, 0), (raised, 1)):
        size, total = shorten(abs(y)), Fraction(0)
        power = size
        for k in range(1, 161, 2):
            total += shorten(power / k)
            power = shorten(power * size * size)
        ends.append(total + remainder * power)
    return (ends[0], ends[1]) if y >= 0 else (-ends[1], -ends[0])


positives = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12, max_denominator=10**15)


@settings(max_examples=40)
@given(st.fractions(min_value=-60, max_value=60, max_denominator=10**12))
@example(Fraction(0))
@example(Fraction(1))
@example(Fraction(-1, 10**30))
@example(Fraction(1, 10**60))
@example(Fraction(-700))
@example(Fraction(700))
def test_exp_is_bracketed(x: Fraction) -> None:
    low, high = exp_interval(x)
    assert high / low < 1 + Fraction(1, 10**60)
    # tight: each is within one part in 10^30 of the truth, on its own side
    assert low * (1 - Fraction(1, 10**30)) <= exp_down(x) <= low
    assert high <= exp_up(x) <= high * (1 + Fraction(1, 10**30))
    assert exp_bounds(x) == (exp_down(x), exp_up(x))


@settings(max_examples=40)
@given(positives)
@example(Fraction(1, 3))
@example(Fraction(2))
@example(1 + Fraction(1, 10**20))
@example(1 - Fraction(1, 10**20))
@example(Fraction(10**300))
def test_log_is_bracketed(x: Fraction) -> None:
    low, high = log_interval(x)
    assert log_bounds(x) == (log_down(x), log_up(x))
    assert high - low < Fraction(1, 10**60)
    if x == 1:
        return
    assert low - Fraction(1, 10**30) <= log_down(x) <= low
    assert high <= log_up(x) <= high + Fraction(1, 10**30)


@pytest.mark.parametrize("x", [Fraction(1), 1 + Fraction(1, 10**50), 1 - Fraction(1, 10**50)])
def test_the_logarithm_at_one_is_quick(x: Fraction) -> None:
    # The decimals next to 0 are 10^-(10^18): as a fraction one would fill the memory.
    assert log_down(x) <= 0 <= log_up(x) or x != 1
    low, high = log_interval(x)
    assert log_down(x) <= high
    assert log_up(x) >= low
    assert log_up(x) - log_down(x) <= Fraction(1, 10**38)


def test_the_logarithm_of_one_is_zero() -> None:
    assert log_bounds(Fraction(1)) == (0, 0)


@pytest.mark.parametrize("digits", [10, 25, 80])
@settings(max_examples=40)
@given(x=st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6))
def test_more_digits_are_more_digits(digits: int, x: Fraction) -> None:
    assert exp_down(x, digits) <= exp_down(x, 100) <= exp_up(x, 100) <= exp_up(x, digits)
    # the argument is rounded, too
    assert exp_up(x, digits) - exp_down(x, digits) <= exp_up(x) * Fraction(1000, 10**digits)
    assert log_down(x, digits) <= log_down(x, 100) <= log_up(x, 100) <= log_up(x, digits)
    assert log_up(x, digits) - log_down(x, digits) <= Fraction(200, 10**digits)


@pytest.mark.parametrize("x", [-(10**5), -(10**9), -(10**18), -(10**400)])
def test_a_vanishing_exponential_is_bracketed_without_being_written_out(x: int) -> None:
    low, high = exp_bounds(Fraction(x))
    assert low == 0
    assert 0 < high < Fraction(1, 10**17000)
    assert exp_bounds(Fraction(x), 80)[1] < high**2 * 2


@pytest.mark.parametrize(("bounds", "lowers"), [(exp_bounds, exp_down), (log_bounds, log_down)])
def test_a_bound_on_the_wrong_side_is_detected(
    bounds: Callable[[Fraction], Interval], lowers: Callable[[Fraction], Fraction]
) -> None:
    x = Fraction(7, 3)
    truth = {exp_bounds: exp_interval, log_bounds: log_interval}[bounds](x)
    assert not lowers(x) + Fraction(1, 10**35) <= truth[0]


@given(st.fractions(min_value=0, max_value=10**12, max_denominator=10**12))
@example(Fraction(0))
@example(Fraction(4, 9))
@example(Fraction(2))
def test_square_roots_are_bracketed(x: Fraction) -> None:
    assert sqrt_down(x) ** 2 <= x <= sqrt_up(x) ** 2
    assert 0 <= sqrt_up(x) - sqrt_down(x) <= Fraction(1, 10**30)
    assert sqrt_down(x, 10) ** 2 <= x <= sqrt_up(x, 10) ** 2


def test_a_root_on_the_grid_is_exact() -> None:
    assert sqrt_down(Fraction(4, 25)) == sqrt_up(Fraction(4, 25)) == Fraction(2, 5)
    assert sqrt_up(Fraction(2), 1) == 2
    assert sqrt_down(Fraction(2)) == Fraction(isqrt(2 * 10**60), 10**30)


@given(st.fractions(), st.sampled_from([1, 3, 10**12, 10**30]))
def test_numbers_are_rounded_to_a_grid(x: Fraction, grid: int) -> None:
    low, high = round_down(x, grid), round_up(x, grid)
    assert low <= x <= high
    assert (low * grid).denominator == (high * grid).denominator == 1
    assert high - low == (0 if (x * grid).denominator == 1 else Fraction(1, grid))


@given(positives, st.integers(min_value=1, max_value=20))
def test_numbers_are_rounded_to_digits(x: Fraction, digits: int) -> None:
    rounded = round_digits_up(x, digits)
    assert x <= rounded <= x * (1 + Fraction(10, 10**digits))
    scaled = rounded
    while scaled.denominator != 1:
        scaled *= 10
    assert len(str(scaled.numerator).rstrip("0")) <= digits


def test_negative_numbers_round_towards_the_same_side() -> None:
    assert round_up(Fraction(-1, 3), 1) == 0
    assert round_down(Fraction(-1, 3), 1) == -1


def test_the_default_precision_is_kept() -> None:
    assert rounding.DIGITS == 40
    assert exp_up(Fraction(1)) - exp_down(Fraction(1)) == Fraction(2, 10**39)
