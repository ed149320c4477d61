"""Rigorous bounds on probabilities of the normal distribution.

P(Z > x) = 1/2 - phi(x) (x + x^3/3 + x^5/(3 5) + …) for x >= 0. All terms are positive. Once every
term is less than half of the one before, the rest of the series is less than its last term.
Everything is computed in integers of a fixed unit, once rounded down and once up, with extra digits
for small results, which cancellation would otherwise use up. pi comes from Machin's formula.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    RealNumber,
    divide_reals,
    enclose,
)

__all__ = ["bound_probability", "bound_tail"]

_MAX_ARGUMENT = 38
_BITS = 220


def bound_probability(
    low: RealNumber | None, high: RealNumber | None, deviation: RealNumber
) -> RealInterval:
    """Bound P(low <= X <= high) for a normal X of mean 0."""
    ends = [None if end is None else enclose(divide_reals(end, deviation)) for end in (low, high)]
    # work in the upper tail: small probabilities have a smaller absolute error
    if ends[0] is not None and ends[0][0] < 0 and (ends[1] is None or ends[1][0] > -ends[0][1]):
        ends = [None if end is None else (-end[1], -end[0]) for end in reversed(ends)]
    first, second = ends
    above = RealInterval(Fraction(1), Fraction(1)) if first is None else _bound_upper_tail(first)
    below = RealInterval(Fraction(0), Fraction(0)) if second is None else _bound_upper_tail(second)
    return RealInterval.around(
        max(Fraction(0), above.low - below.high), max(Fraction(0), above.high - below.low)
    )


def _bound_upper_tail(x: tuple[Fraction, Fraction]) -> RealInterval:
    return RealInterval(bound_tail(x[1]).low, bound_tail(x[0]).high)


@lru_cache(maxsize=4096)
def bound_tail(x: Fraction) -> RealInterval:
    """Bound P(Z > x) for a standard normal Z."""
    if x < 0:
        mirrored = bound_tail(-x)
        return RealInterval(1 - mirrored.high, 1 - mirrored.low)
    if x > _MAX_ARGUMENT:
        return RealInterval(Fraction(0), bound_tail(Fraction(_MAX_ARGUMENT)).high)
    bits = _BITS + ceil(x * x * Fraction(3, 4))  # x^2/2 nats are 0.72 x^2 bits
    unit = 1 << bits
    low, high = x.numerator * unit // x.denominator, -(-x.numerator * unit // x.denominator)
    series = _sum_series(low, unit, bits)[0], _sum_series(high, unit, bits)[1]
    digits = bits * 3 // 10 + 20
    density = (
        exp_bounds(-Fraction(high * high, 2 * unit * unit), digits)[0],
        exp_bounds(-Fraction(low * low, 2 * unit * unit), digits)[1],
    )
    root = _bound_root_of_two_pi(bits)
    middle = [
        Fraction(s, unit) * d / r for s, d, r in zip(series, density, reversed(root), strict=True)
    ]
    return RealInterval.around(
        max(Fraction(0), Fraction(1, 2) - middle[1]), Fraction(1, 2) - middle[0]
    )


def _sum_series(x: int, unit: int, bits: int) -> tuple[int, int]:
    """Sum x + x^3/3 + x^5/(3 5) + …, rounded down and up."""
    square = x * x
    low = high = down = up = x
    k = 1
    while up > 1 or square > (2 * k + 1) * unit * unit // 2:
        divisor = (2 * k + 1) << (2 * bits)
        down, up = down * square // divisor, -(-up * square // divisor)
        low, high = low + down, high + up
        k += 1
    return low, high + 2 * up


@lru_cache(maxsize=64)
def _bound_root_of_two_pi(bits: int) -> tuple[Fraction, Fraction]:
    unit = 1 << (bits + 16)
    low, high = (
        (16 * a - 4 * b)
        for a, b in zip(
            _bound_arctangent(5, unit), reversed(_bound_arctangent(239, unit)), strict=True
        )
    )
    return Fraction(isqrt(2 * low * unit), unit), Fraction(isqrt(2 * high * unit) + 1, unit)


def _bound_arctangent(q: int, unit: int) -> tuple[int, int]:
    """Bound arctan(1/q) in units: in this alternating series, rounding changes every term by less
    than 1, and the rest is less than the last term.
    """
    power, total, k = unit // q, 0, 0
    while power:
        total += (-1) ** k * (power // (2 * k + 1))
        power //= q * q
        k += 1
    return total - 2 * k - 2, total + 2 * k + 2
