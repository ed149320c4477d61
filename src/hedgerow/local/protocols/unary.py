"""Unary encoding: one bit for each value, randomised independently.

The variants are symmetric (SUE), optimised (OUE), and memoised for repeated reports (L-OSUE).

Symbols
    p, q        probability that the bit of the client's value, or any other bit, is 1
    p1, q1      the same for the permanent answer of ``LongitudinalUnary``
    p2, q2      probability that a report's bit is 1, given a permanent bit of 1, or of 0
    c           number of distinct values of one client

Statement
    The bit of the client's value is 1 with probability p = one/65536, every other bit with
    probability q = zero/65536. One report is pure epsilon-DP with epsilon = ln(p(1-q)/(q(1-p))).
    ``LongitudinalUnary`` randomises twice: once for a *permanent* answer to each value, which the
    client remembers, and again for the *instantaneous* answer of every report. All reports of one
    value together lose at most ``lifetime_epsilon``, the loss of the permanent answer; a single
    report loses ``epsilon``, which is less.

Proof
    The reports of two values differ in distribution in two independent bits. The likelihood ratio
    is largest if one bit is 1 and the other 0, and is then p(1-q)/(q(1-p)). All reports of a value
    are made from its permanent answer with coins that do not depend on the value: post-processing.
    The bits of a single report are independent, and are 1 with probability p1 p2 + (1-p1) q2 and
    q1 p2 + (1-q1) q2, so the first argument applies to them. c distinct values have c independent
    permanent answers: c times the lifetime epsilon, between two histories of values that change at
    the same times. The *time* of a change is not hidden: reports from one permanent answer can be
    distinguished from reports from two, the better the more bits there are.

Accuracy
    A report supports the values whose bits are 1: p and q are those of
    ``hedgerow.local.protocols.pure_frequency``. OUE has p = 1/2 and, for rare values, the variance
    4 e^eps/(e^eps - 1)^2 per client. So has the memoised protocol with an optimised permanent and a
    symmetric instantaneous answer (L-OSUE).

Arithmetic
    One 16-bit draw u for each bit, in order; the bit is 1 if u is below its threshold.

Edges
    A report with a 1 after its last value is refused. p may be below q: then a 0 is the evidence.
    p = q is refused, because reports would not depend on the value.

Source
    Erlingsson, Pihur, Korolova (CCS 2014) for SUE; Wang, Blocki, Li, Jha (USENIX Security 2017) for
    OUE; Arcolezi et al. (2022) for L-OSUE.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import (
    Records,
    check_codes,
    check_padding,
    check_records,
    draw_coin_rows,
    sum_columns,
)
from hedgerow.local.fixed_point import (
    DOMAIN_ENDS,
    SCALE,
    THRESHOLD_ENDS,
    check_epsilon,
    check_fields,
    check_rules,
    compute_epsilon,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.pure_frequency import PureFrequencyProtocol
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers

__all__ = ["LongitudinalUnary", "Unary"]

_HALF = SCALE // 2
_SAME_THRESHOLDS = "must differ from zero, or reports would not depend on the value"


class _BitVectorProtocol(PureFrequencyProtocol):
    """A protocol whose reports are rows of bits, one for each value."""

    __slots__ = ()

    @property
    def record_size(self) -> int:
        return -(-self.domain // 8)

    @property
    def epsilon(self) -> Fraction:
        return _compute_epsilon(self.own_support, self.other_support)

    def aggregate(self, records: Any) -> Integers:
        """Count the ones of each bit, then the reports."""
        rows = self._check_records(records)
        return np.append(sum_columns(rows, self.domain), rows.shape[0]).astype(np.int64)

    def _check_records(self, records: Any) -> Records:
        rows = check_records(records, self.record_size)
        check_padding(rows, self.domain)
        return rows

    def _randomise_one_hot(self, values: Any, one: int, zero: int) -> Records:
        codes = check_codes(values, self.domain)
        rows, every = draw_coin_rows(zero, codes.size, self.domain), np.arange(codes.size)
        place, bit = codes >> 3, (128 >> (codes & 7)).astype(np.uint8)
        rows[every, place] = (rows[every, place] & ~bit) | np.where(
            flip_coins(one, codes.size), bit, np.uint8(0)
        )
        return rows


@dataclass(frozen=True, slots=True)
class Unary(_BitVectorProtocol):
    """Unary encoding of one report.

    ``one`` and ``zero`` are the probabilities, in 1/65536, that the bit of the client's value, or
    any other bit, is 1.
    """

    name: ClassVar[str] = "unary"
    domain: int
    one: int
    zero: int

    def __post_init__(self) -> None:
        check_fields(self, domain=DOMAIN_ENDS, one=THRESHOLD_ENDS, zero=THRESHOLD_ENDS)
        check_rules(self, ("one", self.one != self.zero, _SAME_THRESHOLDS))

    @classmethod
    def optimised(cls, *, domain: int, epsilon: Number) -> Unary:
        """Return OUE, whose true bit is a fair coin, with the lowest ``zero`` within epsilon."""
        clear = find_largest_threshold(
            lambda clear: cls(2, _HALF, SCALE - clear).epsilon,
            check_epsilon(epsilon),
            _HALF + 1,
            SCALE - 1,
        )
        return cls(domain, _HALF, SCALE - clear)

    @classmethod
    def symmetric(cls, *, domain: int, epsilon: Number) -> Unary:
        """Return SUE, whose bits are all correct with the same probability, for an epsilon."""
        keep = find_largest_threshold(
            lambda keep: cls(2, keep, SCALE - keep).epsilon,
            check_epsilon(epsilon),
            _HALF + 1,
            SCALE - 1,
        )
        return cls(domain, keep, SCALE - keep)

    @property
    def own_support(self) -> Fraction:
        """The probability that the bit of the client's value is 1."""
        return Fraction(self.one, SCALE)

    @property
    def other_support(self) -> Fraction:
        """The probability that any other bit is 1."""
        return Fraction(self.zero, SCALE)

    def encode(self, values: Any) -> Records:
        return self._randomise_one_hot(values, self.one, self.zero)


@dataclass(frozen=True, slots=True)
class LongitudinalUnary(_BitVectorProtocol):
    """Unary encoding with a remembered permanent answer for each value.

    ``permanent_one`` and ``permanent_zero`` randomise the remembered bits. ``one`` and ``zero`` are
    the probabilities, in 1/65536, that a remembered 1, or 0, is reported as 1.
    """

    name: ClassVar[str] = "longitudinal_unary"
    memoised: ClassVar[bool] = True
    domain: int
    permanent_one: int
    permanent_zero: int
    one: int
    zero: int

    def __post_init__(self) -> None:
        check_fields(
            self,
            domain=DOMAIN_ENDS,
            permanent_one=THRESHOLD_ENDS,
            permanent_zero=THRESHOLD_ENDS,
            one=THRESHOLD_ENDS,
            zero=THRESHOLD_ENDS,
        )
        check_rules(
            self,
            (
                "permanent_one",
                self.permanent_one != self.permanent_zero,
                "must differ from permanent_zero, or reports would not depend on the value",
            ),
            ("one", self.one != self.zero, _SAME_THRESHOLDS),
        )

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number, lifetime: Number) -> LongitudinalUnary:
        """Return L-OSUE with ``epsilon`` for one report and ``lifetime`` for all of a value."""
        limit, permanent = check_epsilon(epsilon), Unary.optimised(domain=domain, epsilon=lifetime)
        if limit >= permanent.epsilon:
            raise InvalidArgument(
                "epsilon", "must be below the lifetime epsilon of all reports", epsilon
            )
        first = (permanent.one, permanent.zero)
        keep = find_largest_threshold(
            lambda keep: cls(2, *first, keep, SCALE - keep).epsilon, limit, _HALF + 1, SCALE - 1
        )
        return cls(domain, *first, keep, SCALE - keep)

    @property
    def own_support(self) -> Fraction:
        """The probability that the bit of the client's value is 1 in one report."""
        return self._report_probability(self.permanent_one)

    @property
    def other_support(self) -> Fraction:
        """The probability that any other bit is 1 in one report."""
        return self._report_probability(self.permanent_zero)

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """The epsilon of all reports of one value together."""
        return _compute_epsilon(
            Fraction(self.permanent_one, SCALE), Fraction(self.permanent_zero, SCALE)
        )

    def permanent_response(self, values: Any) -> Records:
        """Draw the answer that a client remembers for each value, once and for all."""
        return self._randomise_one_hot(values, self.permanent_one, self.permanent_zero)

    def instantaneous_response(self, permanent: Any) -> Records:
        """Return a fresh report from each remembered answer."""
        kept = self._check_records(permanent)
        ones, zeros = (
            draw_coin_rows(threshold, kept.shape[0], self.domain)
            for threshold in (self.one, self.zero)
        )
        return (kept & ones) | (~kept & zeros)

    def encode(self, values: Any) -> Records:
        """Return a report for each value, as from clients that report for the first time."""
        return self.instantaneous_response(self.permanent_response(values))

    def _report_probability(self, permanent: int) -> Fraction:
        return Fraction(permanent * self.one + (SCALE - permanent) * self.zero, SCALE * SCALE)


def _compute_epsilon(one: Fraction, zero: Fraction) -> Fraction:
    return compute_epsilon(one * (1 - zero) / (zero * (1 - one)))
