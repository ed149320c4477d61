"""What the frequency protocols have in common: a report supports its owner's value with one
probability, and any other value with another.

Let N be the number of reports that support a value, p = ``own`` the probability that a report
supports its owner's value and q = ``other`` that it supports a value which its owner does not hold.
Then (N - n q)/(p - q) is an unbiased count of the holders, its variance over the randomness of the
reports is

    n q (1 - q)/(p - q)^2 + n f (1 - p - q)/(p - q)        where a share f of the n clients holds
    the value,

exactly, and where nobody holds the value N is binomial (n, q): p-values come from that law, not
from a normal curve.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import Records, check_codes
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.fixed_point import check_integer
from hedgerow.numeric.vectorised import Integers

__all__ = ["PureFrequencyProtocol", "check_counters"]

MAX_CLIENTS = 1 << 62


def check_counters(counters: Any, size: int) -> Integers:
    """A state: so many whole numbers, the last of them the number of reports."""
    array = np.asarray(counters)
    if array.dtype != np.int64 or array.shape != (size,) or array[-1] < 0:
        raise InvalidArgument(
            "counters",
            f"must be {size} 64-bit whole numbers, the last of them how many reports were counted",
        )
    return array


class PureFrequencyProtocol(ABC):
    """A frequency protocol. Who derives from it says how reports are made, and counts the
    reports that support each value.
    """

    __slots__ = ()
    memoised: ClassVar[bool] = False
    domain: int

    @property
    @abstractmethod
    def own_support(self) -> Fraction:
        """How likely a report supports its owner's value."""

    @property
    @abstractmethod
    def other_support(self) -> Fraction:
        """How likely a report supports a value that its owner does not hold."""

    @property
    def counter_count(self) -> int:
        """How many numbers the state has; the last is the number of reports."""
        return self.domain + 1

    @property
    @abstractmethod
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """What each further report gives away, or each further different value where answers are
        memoised.
        """
        return self.epsilon

    def count_support(self, counters: Integers) -> Integers:
        """How many reports support each value, from a checked state."""
        return counters[: self.domain]

    @abstractmethod
    def aggregate(self, records: Records) -> Integers:
        """The state that these reports make. States add."""

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Unbiased counts of all values, or of the given codes."""
        state = check_counters(counters, self.counter_count)
        codes = None if values is None else check_codes(values, self.domain)
        support = self.count_support(state)
        return Estimates.from_support(
            support if codes is None else support[codes],
            int(state[-1]),
            self.own_support,
            self.other_support,
        )

    def variance(self, frequency: float, n: int) -> float:
        """The variance of the estimated count of a value that a share ``frequency`` of n clients
        holds.
        """
        if not 0 <= frequency <= 1:
            raise InvalidArgument("frequency", "must lie between 0 and 1", frequency)
        p, q = float(self.own_support), float(self.other_support)
        return (
            check_integer(n, "n", 0, MAX_CLIENTS)
            * (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q))
            / (p - q) ** 2
        )
