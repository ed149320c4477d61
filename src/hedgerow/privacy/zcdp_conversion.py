"""Conversion from rho to (epsilon, delta) and back, tight and rounded to the safe side.

**Statement** (Canonne, Kamath, Steinke 2020, Proposition 12). If D_alpha(P || Q) <= rho * alpha for
every alpha > 1, then P(S) <= e^eps Q(S) + delta for every event S whenever, for some alpha > 1,

    (1)  ln delta = (alpha - 1) (rho alpha - eps + ln(1 - 1/alpha)) - ln alpha,

which is the same as

    (2)  eps = rho alpha + ln(1 / (alpha delta)) / (alpha - 1) + ln(1 - 1/alpha).

**Proof.** For one alpha: (p - e^eps q)_+ <= c p^alpha q^(1-alpha) pointwise, where c is the maximum
of (r - e^eps) / r^alpha over r > 0, reached at r = e^eps alpha / (alpha - 1): c = e^(-(alpha-1)
eps) (1 - 1/alpha)^(alpha-1) / alpha. Sum over outcomes. []

**Arithmetic.** *Every* alpha > 1 gives a true statement, so alpha may be found in floats; the
formula is then evaluated at that one rational with outward rounding. The best alpha solves an
equation whose sides are monotone, so bisection finds it:

    given (rho, delta):  rho (alpha-1)^2 + ln alpha = ln(1/delta),
    given (rho, eps):    (2 alpha - 1) rho + ln(1 - 1/alpha) = eps,
    given (eps, delta):  both together, rho eliminated.

An alpha that is off by 10^-13 costs about 10^-26, on the safe side.

**Tightness.** No better bound follows from rho alone. Consider a coin that shows S with probability
p in one data set and p/r in the other, ln r = (2 alpha - 1) rho at the best alpha and p r^(alpha-1)
= e^(alpha (alpha-1) rho) - 1. As a function of the order x, ln p + (x - 1) ln r is a tangent of x
(x - 1) rho, so the coin has this rho (a test checks the orders where the -1 matters), and its delta
is that of (1) up to the factor 1 - e^(-alpha (alpha-1) rho), a few parts in a million for typical
parameters. Only more knowledge of the mechanism than its rho (the privacy loss distribution) gives
less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hedgerow.numeric.exact_number import Number, parse_nonnegative, parse_probability
from hedgerow.numeric.rounding import exp_up, log_up, round_down, round_up

__all__ = ["convert_rho_to_delta", "convert_rho_to_epsilon", "find_largest_rho", "parse_bound"]

_MAX_FLOAT = Fraction(10**300)
_NEAR_ONE = Fraction(1, 10**18)
# e^-1000 is below every delta in use (``parse_delta`` refuses less than 10^-100); smaller ones
# would only make rationals longer
_MIN_LOG_DELTA = Fraction(-1000)


def convert_rho_to_epsilon(rho: Number, delta: Number) -> Fraction | float:
    """Return the epsilon that ``rho`` gives at ``delta``, rounded up; infinite for infinite rho."""
    bound, tail = parse_bound(rho, "rho"), parse_probability(delta, "delta")
    if isinstance(bound, float):
        return bound
    if bound == 0:
        return Fraction(0)
    r, log_tail = _clamp_float(bound), _log_inverse_float(tail)
    u = _find_root(lambda u, _: r * u * u + math.log1p(u) - log_tail)
    alpha = 1 + u
    return max(
        Fraction(0), round_up(bound * alpha + _log_up(1 / (alpha * tail)) / u + _log_up(u / alpha))
    )


def find_largest_rho(epsilon: Number, delta: Number) -> Fraction:
    """Return the largest rho that still gives ``epsilon`` at ``delta``, rounded down."""
    target, tail = parse_nonnegative(epsilon, "epsilon"), parse_probability(delta, "delta")
    e, log_tail = _clamp_float(target), _log_inverse_float(tail)
    u = _find_root(
        lambda u, v: e - (log_tail - math.log1p(u)) * ((2 * u + 1) / u / u) - v + math.log1p(u)
    )
    alpha = 1 + u
    return max(
        Fraction(0),
        round_down((target - _log_up(1 / (alpha * tail)) / u - _log_up(u / alpha)) / alpha),
    )


def convert_rho_to_delta(rho: Number, epsilon: Number) -> Fraction:
    """Return the delta that ``rho`` gives at ``epsilon``, rounded up, at most 1."""
    bound, target = parse_bound(rho, "rho"), parse_nonnegative(epsilon, "epsilon")
    if isinstance(bound, float):
        return Fraction(1)
    if bound == 0:
        return Fraction(0)
    r, e = _clamp_float(bound), _clamp_float(target)
    u = _find_root(lambda u, v: (2 * u + 1) * r + v - math.log1p(u) - e)
    alpha = 1 + u
    # -ln alpha is written as ln(1/alpha), so that its upper bound is the safe one as well
    log_delta = u * (bound * alpha - target + _log_up(u / alpha)) + _log_up(1 / alpha)
    return min(Fraction(1), exp_up(min(max(log_delta, _MIN_LOG_DELTA), Fraction(0))))


def _find_root(rising: Callable[[float, float], float]) -> Fraction:
    """Return u near the zero of ``rising(u, ln u)``, as a rational.

    Without a zero, it is an end of the float range.
    """
    low, high = -690.0, 690.0
    for _ in range(56):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(math.exp(middle), middle) < 0 else (low, middle)
    return Fraction(math.exp(low))


def _log_up(x: Fraction) -> Fraction:
    """Return an upper bound of ln x.

    Close to 1 the tangent x - 1, which lies above ln x everywhere, is the sharper bound.
    """
    return x - 1 if abs(x - 1) < _NEAR_ONE else log_up(x)


def _log_inverse_float(delta: Fraction) -> float:
    return math.log(delta.denominator) - math.log(delta.numerator)


def _clamp_float(x: Fraction) -> float:
    """Return a float near x within the range of floats; it only guides the search."""
    return float(min(max(x, 1 / _MAX_FLOAT), _MAX_FLOAT))


def parse_bound(value: object, argument: str) -> Fraction | float:
    """Return an exact number of at least 0, or infinity."""
    infinite = isinstance(value, float) and value == math.inf
    return math.inf if infinite else parse_nonnegative(value, argument)
