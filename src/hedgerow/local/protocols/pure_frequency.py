"""Pure frequency protocols: the estimate that all of them share.

A report supports its owner's value with one probability and any other value with another.

    n   number of clients, one report each
    N   number of reports that support a value
    p   ``own_support``: probability that a report supports its owner's value
    q   ``other_support``: probability that it supports a value that its owner does not hold
    f   share of the clients that hold the value

(N - n q)/(p - q) is an unbiased count of the clients that hold the value. Its exact variance, over
the randomness of the reports, is

    n q (1 - q)/(p - q)^2 + n f (1 - p - q)/(p - q).

If no client holds the value, N is binomial (n, q). The p-values use this distribution and not a
normal approximation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import Records, byte_width, check_codes
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.fixed_point import check_integer
from hedgerow.numeric.vectorised import Integers

__all__ = ["MAX_CLIENTS", "PureFrequencyProtocol", "check_counters"]

MAX_CLIENTS = 1 << 62


def check_counters(counters: Any, size: int) -> Integers:
    """Return a state as an array; refuse one of another size or type."""
    array = np.asarray(counters)
    if array.dtype != np.int64 or array.shape != (size,) or array[-1] < 0:
        raise InvalidArgument(
            "counters",
            f"must be {size} 64-bit whole numbers, the last of them the number of reports",
        )
    return array


class PureFrequencyProtocol(ABC):
    """A frequency protocol; a subclass makes the reports and counts the support of each value.

    Unless it says otherwise, a report is a number with a counter of its own.
    """

    __slots__ = ()
    memoised: ClassVar[bool] = False
    domain: int

    @property
    @abstractmethod
    def own_support(self) -> Fraction:
        """The probability that a report supports its owner's value."""

    @property
    @abstractmethod
    def other_support(self) -> Fraction:
        """The probability that a report supports a value that its owner does not hold."""

    @property
    def counter_count(self) -> int:
        """The number of counters in the state; the last one counts the reports."""
        return self.domain + 1

    @property
    def record_size(self) -> int:
        """The size of one report in bytes."""
        return byte_width(self.counter_count - 1)

    @property
    @abstractmethod
    def epsilon(self) -> Fraction:
        """The epsilon of one report."""

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """The epsilon of each report, or of all reports of one value if answers are memoised."""
        return self.epsilon

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of two values."""
        return abs(self.own_support - self.other_support)

    def count_support(self, counters: Integers) -> Integers:
        """Return the number of reports that support each value, from a checked state."""
        return counters[: self.domain]

    @abstractmethod
    def aggregate(self, records: Records) -> Integers:
        """Return the counters of these reports; those of shards may be added."""

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Estimate unbiased counts of all values, or of the given codes."""
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
        """Return the exact variance of the count of a value that n * frequency clients hold."""
        if not 0 <= frequency <= 1:
            raise InvalidArgument("frequency", "must lie between 0 and 1", frequency)
        p, q = float(self.own_support), float(self.other_support)
        return (
            check_integer(n, "n", 0, MAX_CLIENTS)
            * (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q))
            / (p - q) ** 2
        )
