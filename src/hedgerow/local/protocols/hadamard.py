"""Hadamard response: one bit about the value, and which bit it is.

Statement
    Let K be the least power of two that is at least the number of values. A client with value v
    draws j uniformly below K and reports j with the parity of the bits that j and v share, told
    truly with probability p = keep/65536 > 1/2. One report is pure epsilon-DP with epsilon = ln
    p/(1-p).

Proof
    j does not depend on v. Given j, the report is one bit, told truly with probability p and
    falsely with 1-p.

Accuracy
    A report supports the values whose parity with its j is the reported bit: its own value with
    probability p. Two different values have different parities for exactly half of all j, so that
    it supports any other value with probability 1/2, whatever p is. The variance for each client is
    ((e^eps+1)/(e^eps-1))^2, less the share of the value: near the best for small epsilon, poor for
    large.

Arithmetic
    j: the lowest bits of one 16-bit draw, or of two with the higher first where K > 65536. Then u <
    keep tells the truth. The counters of a state are, for each j, reports with bit 0 less those
    with bit 1; a fast transform in whole numbers gives the support of all values.

Edges
    The report is 2j + bit in 1 to 4 bytes, the highest first.

Source
    Bassily, Smith (STOC 2015); Acharya, Sun, Zhang (AISTATS 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.local.bit_rows import Records, byte_width, check_codes, count_numbers, pack_numbers
from hedgerow.local.fixed_point import (
    SCALE,
    check_domain,
    check_epsilon,
    check_integer,
    compute_epsilon,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.pure_frequency import PureFrequencyProtocol
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import Integers

__all__ = ["Hadamard", "hadamard_transform"]


@dataclass(frozen=True, slots=True)
class Hadamard(PureFrequencyProtocol):
    """``keep``: how likely the bit is told truly, in 1/65536, above one half."""

    name: ClassVar[str] = "hadamard"
    domain: int
    keep: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", check_domain(self.domain))
        object.__setattr__(
            self, "keep", check_integer(self.keep, "keep", SCALE // 2 + 1, SCALE - 1)
        )

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Hadamard:
        """The most truth that epsilon allows."""
        return cls(
            domain,
            find_largest_threshold(
                lambda keep: cls(2, keep).epsilon, check_epsilon(epsilon), SCALE // 2 + 1, SCALE - 1
            ),
        )

    @property
    def order(self) -> int:
        """How many bits there are to choose from: the least power of two that is at least the
        domain.
        """
        return 1 << (self.domain - 1).bit_length()

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return byte_width(2 * self.order)

    @property
    def counter_count(self) -> int:
        """One for each j, and the number of reports."""
        return self.order + 1

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        return compute_epsilon(self.own_support / (1 - self.own_support))

    @property
    def own_support(self) -> Fraction:
        """How likely a report agrees with its owner's value."""
        return Fraction(self.keep, SCALE)

    @property
    def other_support(self) -> Fraction:
        """How likely a report agrees with another value."""
        return Fraction(1, 2)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of two values: for half of all j they
        have the same law.
        """
        return self.own_support - self.other_support

    def encode(self, values: Any) -> Records:
        """A fresh report for each value."""
        codes = check_codes(values, self.domain)
        index = uniform_integers(self.order, codes.size)
        parity = np.bitwise_count(index & codes) & 1
        bit = parity ^ ~flip_coins(self.keep, codes.size)
        return pack_numbers(2 * index + bit, self.record_size)

    def aggregate(self, records: Any) -> Integers:
        """For each j the reports with bit 0 less those with bit 1, then the number of reports."""
        found = count_numbers(records, self.record_size, 2 * self.order)
        return np.append(found[::2] - found[1::2], found.sum())

    def count_support(self, counters: Integers) -> Integers:
        """How many reports agree with each value."""
        support: Integers = (counters[-1] + hadamard_transform(counters[:-1])[: self.domain]) >> 1
        return support


def hadamard_transform(numbers: Integers) -> Integers:
    """Sums with signs: the entry v is the sum over j of numbers[j], negative where j and v share
    an odd number of bits.
    """
    result, half = numbers.copy(), 1
    while half < result.size:
        pairs = result.reshape(-1, 2, half)
        pairs[:, 0], pairs[:, 1] = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        half *= 2
    return result
