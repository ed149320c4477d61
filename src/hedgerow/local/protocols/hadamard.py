"""Hadamard response: a random index and one noisy parity bit of the value at that index.

Statement
    Let K be the least power of two that is at least the number of values. A client with value v
    draws an index j uniformly below K. It reports j and one bit: the parity of the number of ones
    in (j AND v), correct with probability p = keep/65536 > 1/2 and flipped otherwise. One report is
    pure epsilon-DP with epsilon = ln(p/(1-p)).

Proof
    j does not depend on v. Given j, the report is one bit, correct with probability p and flipped
    with probability 1-p.

Accuracy
    A report supports the values whose parity with its j is the reported bit: its owner's value with
    probability p. Two different values have different parities for exactly half of all j, so a
    report supports any other value with probability 1/2, whatever p is. The variance per client is
    ((e^eps+1)/(e^eps-1))^2, minus the share of the value: close to optimal for a small epsilon,
    poor for a large one.

Arithmetic
    j is the lowest bits of one 16-bit draw, or of two draws, the higher first, if K > 65536. Then
    one draw u: the bit is correct if u < keep. A state has one counter for each j: the reports with
    bit 0 minus the reports with bit 1. A fast transform in whole numbers gives the support of all
    values.

Edges
    The report is 2j + bit in 1 to 4 bytes, big-endian.

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
    DOMAIN_ENDS,
    SCALE,
    check_epsilon,
    check_fields,
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
    """Hadamard response; ``keep``: the probability of a correct bit, in 1/65536, above 1/2."""

    name: ClassVar[str] = "hadamard"
    domain: int
    keep: int

    def __post_init__(self) -> None:
        check_fields(self, domain=DOMAIN_ENDS, keep=(SCALE // 2 + 1, SCALE - 1))

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Hadamard:
        """Return the protocol with the largest ``keep`` within epsilon."""
        return cls(
            domain,
            find_largest_threshold(
                lambda keep: cls(2, keep).epsilon, check_epsilon(epsilon), SCALE // 2 + 1, SCALE - 1
            ),
        )

    @property
    def order(self) -> int:
        """The number of indices: the least power of two that is at least the domain."""
        return 1 << (self.domain - 1).bit_length()

    @property
    def record_size(self) -> int:
        return byte_width(2 * self.order)

    @property
    def counter_count(self) -> int:
        """The number of counters: one for each index, and the number of reports."""
        return self.order + 1

    @property
    def epsilon(self) -> Fraction:
        return compute_epsilon(self.own_support / (1 - self.own_support))

    @property
    def own_support(self) -> Fraction:
        """The probability that a report agrees with its owner's value."""
        return Fraction(self.keep, SCALE)

    @property
    def other_support(self) -> Fraction:
        """The probability that a report agrees with another value."""
        return Fraction(1, 2)

    def encode(self, values: Any) -> Records:
        codes = check_codes(values, self.domain)
        index = uniform_integers(self.order, codes.size)
        bit = (np.bitwise_count(index & codes) & 1) ^ ~flip_coins(self.keep, codes.size)
        return pack_numbers(2 * index + bit, self.record_size)

    def aggregate(self, records: Any) -> Integers:
        """Return for each index the zeros minus the ones, then the number of reports."""
        found = count_numbers(records, self.record_size, 2 * self.order)
        return np.append(found[::2] - found[1::2], found.sum())

    def count_support(self, counters: Integers) -> Integers:
        """Return the number of reports that agree with each value."""
        return np.asarray((counters[-1] + hadamard_transform(counters[:-1])[: self.domain]) >> 1)


def hadamard_transform(numbers: Integers) -> Integers:
    """Compute the Walsh-Hadamard transform of a power of two of numbers.

    Entry v is the sum over j of numbers[j], negated where (j AND v) has an odd number of ones.
    """
    result, half = numbers.copy(), 1
    while half < result.size:
        pairs = result.reshape(-1, 2, half)
        pairs[:, 0], pairs[:, 1] = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        half *= 2
    return result
