"""k-ary randomised response: the true value or a uniform one; Warner's method if k = 2.

Statement
    With probability r = truth/65536 the report is the client's value, else one of the k values
    drawn uniformly (the true one included). One report is pure epsilon-DP for its client with
    epsilon = ln(1 + k r/(1-r)): ln 3 for two values at r = 1/2.

Proof
    See ``hedgerow.mechanisms.randomized_response``, whose loss is used here: r is a rational number
    with denominator 65536.

Accuracy
    A report supports the value that it names: p = r + (1-r)/k and q = (1-r)/k in
    ``hedgerow.local.protocols.pure_frequency``.

Arithmetic
    One 16-bit draw u: the report is true if u < truth. Then a uniform value below k. A client that
    reads draws one by one takes one draw for it if k <= 65536, else two (the higher half first). It
    repeats until the number is below the largest multiple of k, and keeps the remainder modulo k.
    The value is drawn even if it is not needed.

Edges
    Thresholds are strictly between 0 and 1. The report is the code in 1 to 3 bytes, big-endian.

Source
    Warner (JASA 1965); Kairouz, Bonawitz, Ramage (ICML 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.local.bit_rows import Records, check_codes, count_numbers, pack_numbers
from hedgerow.local.fixed_point import (
    DOMAIN_ENDS,
    SCALE,
    THRESHOLD_ENDS,
    check_domain,
    check_epsilon,
    check_fields,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.pure_frequency import PureFrequencyProtocol
from hedgerow.mechanisms.randomized_response import RandomizedResponse
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import Integers

__all__ = ["KAry"]


@dataclass(frozen=True, slots=True)
class KAry(PureFrequencyProtocol):
    """k-ary randomised response: the true value with probability truth/65536, else any."""

    name: ClassVar[str] = "k_ary"
    domain: int
    truth: int

    def __post_init__(self) -> None:
        check_fields(self, domain=DOMAIN_ENDS, truth=THRESHOLD_ENDS)

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> KAry:
        """Return the protocol with the largest ``truth`` within epsilon."""
        size = check_domain(domain)
        return cls(
            size,
            find_largest_threshold(
                lambda truth: cls(size, truth).epsilon, check_epsilon(epsilon), 1, SCALE - 1
            ),
        )

    @property
    def epsilon(self) -> Fraction:
        return Fraction(RandomizedResponse(Fraction(self.truth, SCALE), self.domain).loss().epsilon)

    @property
    def own_support(self) -> Fraction:
        """The probability that a report names its owner's value."""
        return Fraction(self.truth, SCALE) + self.other_support

    @property
    def other_support(self) -> Fraction:
        """The probability that a report names a given other value."""
        return Fraction(SCALE - self.truth, SCALE * self.domain)

    def encode(self, values: Any) -> Records:
        codes = check_codes(values, self.domain)
        honest = flip_coins(self.truth, codes.size)
        return pack_numbers(
            np.where(honest, codes, uniform_integers(self.domain, codes.size)), self.record_size
        )

    def aggregate(self, records: Any) -> Integers:
        """Count the reports of each value, then all reports."""
        found = count_numbers(records, self.record_size, self.domain)
        return np.append(found, found.sum())
