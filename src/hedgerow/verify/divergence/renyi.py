"""Rényi divergences of finite distributions, as rigorous intervals.

D_a(one || other) = ln(sum of one(r)^a other(r)^(1-a)) / (a - 1) for an order a other than 1. At
a = 1 it is the sum of one(r) ln(one(r)/other(r)) (Kullback and Leibler), at infinity the largest
privacy loss. A mechanism is rho-zCDP if D_a <= rho a for every a > 1 and all neighbours.

Every term is other(r) x^a with x = one(r)/other(r). The power is an exact rational for small
integers a, else e^(a ln x) within bounds. Both functions increase, so rounding every step down
gives a lower bound, and rounding every step up an upper bound.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.rounding import exp_down, exp_up, log_bounds, log_down, log_up
from hedgerow.verify.divergence.curve import max_divergence
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon
from hedgerow.verify.divergence.exponential_sum import sum_fractions

__all__ = ["DivergenceInterval", "renyi_divergence"]

MAX_ORDER = 10**6
_MAX_EXACT_ORDER = 64  # integer orders up to this are exact; the fractions grow with the order
# a term below e^-1000, next to one of size 1, is bounded by 0 and e^-1000
_MIN_EXPONENT = Fraction(-1000)
_ZERO = Fraction(0)

Interval = tuple[Fraction, Fraction]
OutcomeRatios = list[tuple[Fraction, Fraction, Fraction]]


class DivergenceInterval(NamedTuple):
    """The interval low <= value <= high; both are ``math.inf`` if the value is infinite."""

    low: Fraction | float
    high: Fraction | float


def renyi_divergence(one: Probabilities, other: Probabilities, order: Number) -> DivergenceInterval:
    """Bound the Rényi divergence of any order above 0, including ``math.inf``."""
    first, second = Distribution(one, argument="one"), Distribution(other, argument="other")
    if isinstance(order, float) and order == math.inf:
        largest = max_divergence(first, second)
        return (
            DivergenceInterval(*largest.bounds())
            if isinstance(largest, Epsilon)
            else DivergenceInterval(largest, largest)
        )
    alpha = parse_exact(order, "order")
    if not 0 < alpha <= MAX_ORDER:
        raise InvalidArgument("order", "must be above 0, and at most 1,000,000 or infinite", order)
    common = [(p, q, p / q) for outcome, p in first.items() if (q := second.at(outcome)) and p]
    escapes = sum_fractions(p for p, _, _ in common) < 1
    if not common or (escapes and alpha >= 1):
        return DivergenceInterval(math.inf, math.inf)
    if all(x == 1 for _, _, x in common) and not escapes:
        return DivergenceInterval(_ZERO, _ZERO)
    low, high = (
        _sum_bounds([(p, log_bounds(x)) for p, _, x in common])
        if alpha == 1
        else _divergence_of_order(common, alpha)
    )
    return DivergenceInterval(max(low, _ZERO), high)


def _sum_bounds(terms: list[tuple[Fraction, Interval]]) -> Interval:
    return sum_fractions(w * ends[0] for w, ends in terms), sum_fractions(
        w * ends[1] for w, ends in terms
    )


def _divergence_of_order(common: OutcomeRatios, alpha: Fraction) -> Interval:
    """Bound the divergence by ln(sum of q x^a) = a ln(largest) + ln(sum of q (x/largest)^a), which
    does not overflow at any order.
    """
    largest = max(x for _, _, x in common)
    low, high = _sum_bounds([(q, _bound_power(x / largest, alpha)) for _, q, x in common])
    front = log_bounds(largest)
    ends = [
        (alpha * front[0] + log_down(low)) / (alpha - 1),
        (alpha * front[1] + log_up(high)) / (alpha - 1),
    ]
    return min(ends), max(ends)


def _bound_power(x: Fraction, alpha: Fraction) -> Interval:
    """Bound x^alpha for 0 < x <= 1."""
    if x == 1 or (alpha.denominator == 1 and alpha <= _MAX_EXACT_ORDER):
        power = Fraction(x ** int(alpha))
        return power, power
    low, high = log_bounds(x)
    return exp_down(alpha * low) if alpha * low > _MIN_EXPONENT else _ZERO, exp_up(
        max(alpha * high, _MIN_EXPONENT)
    )
