"""Tails of discrete Laplace noise, from which thresholds and truncations are computed.

**Symbols.** q = e^(-1/scale); Pr[Z = z] = (1-q)/(1+q) q^|z|.

Pr[Z >= m] is q^m/(1+q) for m >= 1, and 1 - q^(1-m)/(1+q) for m <= 0. Bounds are rationals, rounded
in the safe direction.

*Truncated* noise is redrawn until |Z| <= k. Its m largest values, m <= k, have probability
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

# losses are stored, so a delta has at most 160 decimals: far finer than the smallest delta in use
_TAIL_DENOMINATOR = 10**160
_MAX_FLOAT_STEPS = 10**300


def laplace_tail(scale: Fraction, m: int) -> Fraction:
    """Return an upper bound of Pr[Z >= m], too large by less than one part in 10^38, or 10^-160."""
    return round_up(_bound_tail(scale, m), _TAIL_DENOMINATOR)


def _bound_tail(scale: Fraction, m: int) -> Fraction:
    low, high = exp_bounds(-1 / scale)
    if m >= 1:
        return exp_bounds(-m / scale)[1] / (1 + low)
    return 1 - exp_bounds(-(1 - m) / scale)[0] / (1 + high)


def laplace_threshold(scale: Fraction, level: Fraction) -> int:
    """Return the smallest m >= 1 with Pr[Z >= m] <= level, decided by rational bounds.

    Within one part in 10^38 of a tie it may be one more.
    """
    m = max(1, ceil(scale * log_up(1 / (level * (1 + exp_bounds(-1 / scale)[0])))))
    return m + (_bound_tail(scale, m) > level)


def laplace_radius(scale: Fraction, level: Fraction) -> int:
    """Return the smallest k with Pr[|Z| > k] <= level, in the sense of ``laplace_threshold``.

    Both sides together have twice Pr[Z >= k + 1].
    """
    return laplace_threshold(scale, level / 2) - 1


def truncated_end_mass(scale: Fraction, cut: int, width: int) -> Fraction:
    """Return an upper bound of Pr[Z > cut - width] of truncated noise, for cut >= width.

    It is too large by less than one part in 10^36, or 10^-160.
    """
    end = exp_bounds(-(cut + 1 - width) / scale)[1] * (1 - exp_bounds(-width / scale)[0])
    return round_up(
        end / (1 + exp_bounds(-1 / scale)[0] - 2 * exp_bounds(-(cut + 1) / scale)[1]),
        _TAIL_DENOMINATOR,
    )


def laplace_truncation(scale: Fraction, width: int, level: Fraction) -> int:
    """Return the lowest cut at which the ``width`` largest values have at most this probability.

    Decided by rational bounds; near a tie it may be one more. With q = e^(-1/scale) the condition
    is q^(cut+1-width) (1 - q^width + 2 level q^width) <= level (1 + q). The cut is at least a
    quarter of the scale, so that at least one draw in five is accepted: noise far wider than the
    cut would be redrawn almost without end.
    """
    low, high = exp_bounds(-width / scale)
    share = (1 - low + 2 * level * high) / (level * (1 + exp_bounds(-1 / scale)[0]))
    cut = width - 1 + max(1, ceil(scale * log_up(share)))
    return max(cut + (truncated_end_mass(scale, cut, width) > level), ceil(scale / 4))


def laplace_tail_double(scale: Fraction, m: int | float) -> float:
    """Return Pr[Z >= m] as a double; m is a whole number or infinite."""
    if abs(m) == inf:
        return 1.0 if m < 0 else 0.0
    rate, steps = float(1 / scale), float(max(min(m, _MAX_FLOAT_STEPS), -_MAX_FLOAT_STEPS))
    tail = exp(-max(steps, 1 - steps) * rate) / (1 + exp(-rate))
    return tail if steps >= 1 else 1 - tail
