"""Probabilities as integer multiples of 1/65536, so that the sampler and the privacy claim use the
same number.

A **draw** is a uniform 16-bit number u; "with probability t/65536" means u < t, exactly. Epsilon is
the logarithm of a ratio of such integers, rounded up; it is never computed from a probability that
was rounded afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.exact_number import Number, parse_epsilon
from hedgerow.numeric.rounding import log_up, round_up
from hedgerow.numeric.vectorised import Mask

__all__ = [
    "DOMAIN_ENDS",
    "MAX_DOMAIN",
    "SCALE",
    "THRESHOLD_ENDS",
    "check_domain",
    "check_epsilon",
    "check_fields",
    "check_integer",
    "check_rules",
    "compute_epsilon",
    "draw_uint16",
    "find_largest_threshold",
    "flip_coins",
]

SCALE = 1 << 16
MAX_DOMAIN = 1 << 24  # counters of one metric then fill 128 MB
DOMAIN_ENDS = (2, MAX_DOMAIN)
# Strictly between 0 and 1: at either end a report would reveal the client's value.
THRESHOLD_ENDS = (1, SCALE - 1)
# ln 65535 = 11.09: for larger epsilons the smallest probability, 1/65536, is too large
_MAX_EPSILON = 11


def draw_uint16(size: int) -> NDArray[np.uint16]:
    """Draw ``size`` independent uniform 16-bit integers."""
    return draw_words(-(-size // 4)).view(np.uint16)[:size]


def flip_coins(threshold: int, size: int) -> Mask:
    """Flip ``size`` independent coins, each True with probability exactly threshold/65536."""
    return draw_uint16(size) < threshold


def compute_epsilon(ratio: Fraction) -> Fraction:
    """Return |ln ratio| rounded up to 12 decimals: the epsilon of a report whose likelihoods
    differ by at most this ratio.
    """
    return round_up(log_up(max(ratio, 1 / ratio)), 10**12)


def check_integer(value: object, argument: str, low: int, high: int) -> int:
    """Check that a value is an integer between ``low`` and ``high``, and return it."""
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (int, np.integer))
        or not low <= value <= high
    ):
        raise InvalidArgument(argument, f"must be a whole number between {low} and {high}", value)
    return int(value)


def check_fields(protocol: object, **ends: tuple[int, int]) -> None:
    """Check the integer fields of a frozen dataclass between these ends, and store them as int."""
    for name, (low, high) in ends.items():
        object.__setattr__(protocol, name, check_integer(getattr(protocol, name), name, low, high))


def check_rules(protocol: object, *rules: tuple[str, bool, str]) -> None:
    """Refuse the first field whose rule does not hold; a rule is a field, a fact and a sentence."""
    for name, holds, sentence in rules:
        if not holds:
            raise InvalidArgument(name, sentence, getattr(protocol, name))


def check_domain(value: object, argument: str = "domain") -> int:
    """Check the number of values in a domain."""
    return check_integer(value, argument, *DOMAIN_ENDS)


def check_epsilon(epsilon: Number) -> Fraction:
    """Check that thresholds of 1/65536 can express this epsilon."""
    number = parse_epsilon(epsilon)
    if number > _MAX_EPSILON:
        raise InvalidArgument(
            "epsilon",
            f"must be at most {_MAX_EPSILON}; above, nearly every report is the true value",
            epsilon,
        )
    return number


def find_largest_threshold(
    epsilon_at: Callable[[int], Fraction], limit: Fraction, low: int, high: int
) -> int:
    """Find the largest threshold whose epsilon, which grows with it, stays within the limit."""
    if epsilon_at(low) > limit:
        raise InvalidArgument(
            "epsilon",
            "is too small for thresholds of 1/65536 on this domain; raise it, or declare fewer"
            " values",
            float(limit),
        )
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if epsilon_at(middle) <= limit else (low, middle - 1)
    return low
