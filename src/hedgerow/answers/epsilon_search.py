"""The search for the least epsilon that brings an expected error down to a target."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

__all__ = ["find_least_epsilon"]

_MIN_ERROR = 1e-300  # an error of 0 has no logarithm
_LEAST_EPSILON, _LARGEST_RATIO = 1e-7, 1e12  # of the first interval
_GRAIN = 10**12  # the epsilon that is returned has so many decimals


def find_least_epsilon(
    error_at: Callable[[Fraction], float],
    target: Fraction,
    max_epsilon: Fraction,
    precision: float = 1e-3,
) -> Fraction | None:
    """Return the least epsilon whose expected error is at most ``target``, up to a relative
    ``precision``; None where even ``max_epsilon`` leaves a larger error.

    On logarithmic scales the error is nearly a straight line in epsilon. So each guess is where the
    line between the ends of the interval meets the target, moved a little up and then a little
    down, to get both ends close. Every third guess is the middle, which ends the search whatever
    shape the error has.
    """

    def excess(log_epsilon: float) -> float:
        epsilon = Fraction(math.exp(log_epsilon)).limit_denominator(10**15)
        error = error_at(min(epsilon, max_epsilon))
        return math.log(max(error, _MIN_ERROR) / float(target))

    high = math.log(max_epsilon)
    low = max(high - math.log(_LARGEST_RATIO), min(high, math.log(_LEAST_EPSILON)))
    below, above = math.inf, excess(high)
    if above > 0:
        return None
    nudge = 0.4 * precision
    for shift in itertools.cycle((nudge, -nudge, None)):
        if high - low <= math.log1p(precision):
            break
        if below == math.inf:  # the lower end was not tried: take a slope of -1
            line = max(high + above, (low + high) / 2)
        else:
            line = low + (high - low) * below / (below - above)
        middle = (low + high) / 2
        guess = middle if shift is None else min(max(line + shift, low + nudge), high - nudge)
        found = excess(guess)
        if found <= 0:
            high, above = guess, found
        else:
            low, below = guess, found
    # A decimal number, rounded up: a larger epsilon has no larger error.
    return min(max_epsilon, Fraction(math.ceil(math.exp(high) * _GRAIN), _GRAIN))
