"""The decaying weights of smooth sensitivity.

S(x) = max_k A(x, k) w_k, where A(x, k) bounds the local sensitivity within distance k of x. Then
S(x) >= A(x, 0) w_0, and for neighbours A(x, k) <= A(y, k+1), so S(x) <= max_k A(y, k+1) w_k <=
e^beta S(y) as soon as w_k <= e^beta w_(k+1). *Any* such weights are valid; they need not be
e^(-beta k).

So the weights are doubles with a slightly smaller exponent, beta - 2^-36, which leaves room for
every rounding in them and in the maximum. Each is a product of at most 30 powers e^(-rate 2^b),
correctly rounded, hence within 60 * 2^-53 < 2^-47 of e^(-rate k): no exponential function of the
platform is trusted. A maximum is found within 2^-39 of the true one (``order_statistics``) and
raised by 2^-38, to between S and (1 + 2^-37) S. And (1 + 2^-37) (1 + 2^-45) e^(-2^-36) < 1.

Beyond ``find_last_distance`` steps A(x, k) is replaced by the whole width, a constant, which keeps
both conditions: the weight there is e^-100, and no weight that matters is near the end of the
doubles.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_positive
from hedgerow.numeric.rounding import exp_down
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = [
    "MIN_BETA",
    "ROUNDING_MARGIN",
    "SmoothWeights",
    "check_beta",
    "find_last_distance",
    "round_maximum_up",
]

MIN_BETA = Fraction(1, 2**24)
ROUNDING_MARGIN = Fraction(1, 2**36)
_BLOCK_SIZE = 1 << 10


def check_beta(beta: Number) -> Fraction:
    """Return a beta that is large against the rounding margin; refuse others."""
    value = parse_positive(beta, "beta")
    if not MIN_BETA <= value <= 100:
        raise InvalidArgument("beta", "must lie between 2^-24 and 100", beta)
    return value


def find_last_distance(beta: Fraction, n: int) -> int:
    """Return the number of steps from which on the whole width counts.

    It is n, or the number at which the weight has fallen to e^-100.
    """
    return min(n, ceil(100 / beta))


class SmoothWeights:
    """The weights w_0 = 1, w_1, …, w_count: falling, and w_k (1 + 2^-37) <= e^beta w_(k+1)."""

    __slots__ = ("_blocks", "_within")

    def __init__(self, beta: Fraction, count: int) -> None:
        rate = beta - ROUNDING_MARGIN
        self._within = _compute_powers(rate, min(count + 1, _BLOCK_SIZE))
        self._blocks = _compute_powers(rate * _BLOCK_SIZE, count // _BLOCK_SIZE + 1)

    def at(self, k: Integers) -> Floats:
        """Return w_k for each k."""
        w: Floats = self._blocks[k // _BLOCK_SIZE] * self._within[k % _BLOCK_SIZE]
        return w

    def list_first(self, count: int) -> Floats:
        """Return w_0, …, w_(count-1) at once."""
        return np.outer(self._blocks, self._within).ravel()[:count]


def _compute_powers(rate: Fraction, count: int) -> Floats:
    """Return e^0, e^-rate, e^(-2 rate), …

    The known powers are doubled at each step, so that each power is a product of few factors.
    """
    w: Floats = np.ones(count)
    known = 1
    while known < count:
        w[known : 2 * known] = w[: min(known, count - known)] * float(exp_down(-rate * known))
        known *= 2
    return w


def round_maximum_up(largest: float) -> Fraction:
    """Return the maximum as an exact number, raised by more than its rounding error."""
    return Fraction(largest) * (1 + Fraction(1, 2**38))
