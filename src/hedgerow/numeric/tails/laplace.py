"""Tails of the discrete Laplace law, Pr[Z = z] = (1-q)/(1+q) q^|z| with q = e^(-1/scale): what
thresholds are made of.

Pr[Z >= m] is q^m/(1+q) for m >= 1, and 1 - q^(1-m)/(1+q) for m <= 0. Bounds are rationals, rounded
in the safe direction.

Noise that is *cut* at k is drawn until |Z| <= k. Its m largest values, m <= k, have the probability
q^(k+1-m) (1 - q^m)/(1 + q - 2 q^(k+1)).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, inf

from hedgerow.numeric.rounding import exp_bounds, log_up, round_up

__all__ = [
    "laplace_radius",
    "laplace_tail",
    "laplace_tail_double",
    "laplace_threshold",
    "laplace_truncation",
    "truncated_end_mass",
]

# losses are stored: a delta has at most so many decimals, far below the smallest delta that can be
# asked for
_TAIL_DENOMINATOR = 10**160
_MAX_FLOAT_STEPS = 10**300


def laplace_tail(scale: Fraction, m: int) -> Fraction:
    """At least Pr[Z >= m], and above it by less than one part in 10^38 or 10^-160."""
    return round_up(_bound_tail(scale, m), _TAIL_DENOMINATOR)


def _bound_tail(scale: Fraction, m: int) -> Fraction:
    low, high = exp_bounds(-1 / scale)
    if m >= 1:
        return exp_bounds(-m / scale)[1] / (1 + low)
    return 1 - exp_bounds(-(1 - m) / scale)[0] / (1 + high)


def laplace_threshold(scale: Fraction, level: Fraction) -> int:
    """The smallest m >= 1 with Pr[Z >= m] <= level, for certain; within a part in 10^38 of a tie
    it may be one more.
    """
    m = max(1, ceil(scale * log_up(1 / (level * (1 + exp_bounds(-1 / scale)[0])))))
    return m + (_bound_tail(scale, m) > level)


def laplace_radius(scale: Fraction, level: Fraction) -> int:
    """The smallest k with Pr[|Z| > k] <= level, in the same sense: both sides together are twice
    Pr[Z >= k + 1].
    """
    return laplace_threshold(scale, level / 2) - 1


def truncated_end_mass(scale: Fraction, cut: int, most: int) -> Fraction:
    """At least Pr[Z > cut - most] of noise that is cut, by less than one part in 10^36 or
    10^-160; the cut is at ``most`` or above.
    """
    end = exp_bounds(-(cut + 1 - most) / scale)[1] * (1 - exp_bounds(-most / scale)[0])
    return round_up(
        end / (1 + exp_bounds(-1 / scale)[0] - 2 * exp_bounds(-(cut + 1) / scale)[1]),
        _TAIL_DENOMINATOR,
    )


def laplace_truncation(scale: Fraction, most: int, level: Fraction) -> int:
    """The lowest cut at which the ``most`` largest values of the noise have at most this
    probability, for certain; near a tie, one more.

    With q = e^(-1/scale) that is where q^(cut+1-most) (1 - q^most + 2 level q^most) <= level (1 +
    q). It is a quarter of the scale at least: else noise that is far wider than the cut would be
    drawn again without end, where now a draw in five is kept, or more.
    """
    low, high = exp_bounds(-most / scale)
    share = (1 - low + 2 * level * high) / (level * (1 + exp_bounds(-1 / scale)[0]))
    cut = most - 1 + max(1, ceil(scale * log_up(share)))
    return max(cut + (truncated_end_mass(scale, cut, most) > level), ceil(scale / 4))


def laplace_tail_double(scale: Fraction, m: int | float) -> float:
    """Pr[Z >= m] as a double; m is whole, or infinite."""
    if abs(m) == inf:
        return 1.0 if m < 0 else 0.0
    rate, steps = float(1 / scale), float(max(min(m, _MAX_FLOAT_STEPS), -_MAX_FLOAT_STEPS))
    one_side = exp(-max(steps, 1 - steps) * rate) / (1 + exp(-rate))
    return one_side if steps >= 1 else 1 - one_side
