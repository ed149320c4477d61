"""Unary encoding: a bit for each value, each randomised on its own. Symmetric (SUE), optimised
(OUE), and memoised for repeated reports.

Statement
    Bit v of the report of a client with value v is 1 with probability p = one/65536, every other
    bit with probability q = zero/65536. One report is pure epsilon-DP with epsilon = ln
    p(1-q)/(q(1-p)). ``LongitudinalUnary`` applies this twice: a *permanent* answer, made once for
    each value and remembered, then an *instantaneous* one of its bits for every report. All reports
    of one value together give away no more than the permanent answer does (``lifetime``), and one
    of them alone less (``epsilon``).

Proof
    The reports of two values differ in law in two bits, which are independent: the ratio of
    likelihoods is largest where one bit is 1 and the other 0, and is p(1-q)/(q(1-p)) there. All
    reports of a value are made from its permanent answer by coins that do not depend on the value:
    post-processing. A single report has bits that are 1 with probability p1 p2 + (1-p1) q2 and q1
    p2 + (1-q1) q2, independent of each other, so that the first sentence applies to it. c different
    values have c permanent answers, made independently: c times the lifetime epsilon between two
    histories of values that change at the same times. *When* a value changed is not hidden: reports
    made from one permanent answer are told from reports of two, the better the more bits there are.

Accuracy
    A report supports the values whose bits are 1: p and q are those of
    ``hedgerow.local.protocols.pure_frequency``. OUE has p = 1/2 and, for rare values, the variance
    4 e^eps/(e^eps - 1)^2 for each client; so has the memoised protocol with an optimised permanent
    and a symmetric instantaneous answer (L-OSUE).

Arithmetic
    A 16-bit draw u for each bit, in order; the bit is u < its threshold.

Edges
    Bits after the last value are 0, or the report is refused. p may be below q: then a 0 is the
    evidence. p = q says nothing: refused.

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
    check_records,
    draw_coin_rows,
    is_padding_zero,
    sum_columns,
)
from hedgerow.local.fixed_point import (
    SCALE,
    check_domain,
    check_epsilon,
    check_threshold,
    compute_epsilon,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.pure_frequency import PureFrequencyProtocol
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers

__all__ = ["LongitudinalUnary", "Unary"]

_HALF = SCALE // 2


class _BitVectorProtocol(PureFrequencyProtocol):
    """Reports that are rows of bits, one for each value."""

    __slots__ = ()

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return -(-self.domain // 8)

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        return _compute_epsilon(self.own_support, self.other_support)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of two values."""
        return abs(self.own_support - self.other_support)

    def aggregate(self, records: Any) -> Integers:
        """How often each bit is set, then the number of reports."""
        rows = self._check_records(records)
        return np.append(sum_columns(rows, self.domain), rows.shape[0]).astype(np.int64)

    def _check_records(self, records: Any) -> Records:
        rows = check_records(records, self.record_size)
        if not is_padding_zero(rows, self.domain):
            raise InvalidArgument(
                "records", "hold a report with bits after its last value; nothing was counted"
            )
        return rows

    def _randomise_one_hot(self, values: Any, one: int, zero: int) -> Records:
        """One randomised row for each value."""
        codes = check_codes(values, self.domain)
        rows, every = draw_coin_rows(zero, codes.size, self.domain), np.arange(codes.size)
        place, bit = codes >> 3, (128 >> (codes & 7)).astype(np.uint8)
        rows[every, place] = (rows[every, place] & ~bit) | np.where(
            flip_coins(one, codes.size), bit, np.uint8(0)
        )
        return rows


@dataclass(frozen=True, slots=True)
class Unary(_BitVectorProtocol):
    """``one``: how likely the bit of the client's value is 1; ``zero``: how likely any other bit
    is; in 1/65536.
    """

    name: ClassVar[str] = "unary"
    domain: int
    one: int
    zero: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", check_domain(self.domain))
        _check_thresholds(self, "one", "zero")

    @classmethod
    def optimised(cls, *, domain: int, epsilon: Number) -> Unary:
        """OUE: the true bit is a fair coin."""
        clear = find_largest_threshold(
            lambda clear: cls(2, _HALF, SCALE - clear).epsilon,
            check_epsilon(epsilon),
            _HALF + 1,
            SCALE - 1,
        )
        return cls(domain, _HALF, SCALE - clear)

    @classmethod
    def symmetric(cls, *, domain: int, epsilon: Number) -> Unary:
        """SUE: every bit is told truly with the same probability."""
        keep = find_largest_threshold(
            lambda keep: cls(2, keep, SCALE - keep).epsilon,
            check_epsilon(epsilon),
            _HALF + 1,
            SCALE - 1,
        )
        return cls(domain, keep, SCALE - keep)

    @property
    def own_support(self) -> Fraction:
        """How likely the bit of the client's value is 1."""
        return Fraction(self.one, SCALE)

    @property
    def other_support(self) -> Fraction:
        """How likely any other bit is 1."""
        return Fraction(self.zero, SCALE)

    def encode(self, values: Any) -> Records:
        """A fresh report for each value."""
        return self._randomise_one_hot(values, self.one, self.zero)


@dataclass(frozen=True, slots=True)
class LongitudinalUnary(_BitVectorProtocol):
    """``permanent_one`` and ``permanent_zero`` make the remembered bits; ``one`` and ``zero`` are
    how likely a bit is reported as 1 when the remembered one is 1, and when it is 0."""

    name: ClassVar[str] = "longitudinal_unary"
    memoised: ClassVar[bool] = True
    domain: int
    permanent_one: int
    permanent_zero: int
    one: int
    zero: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", check_domain(self.domain))
        _check_thresholds(self, "permanent_one", "permanent_zero")
        _check_thresholds(self, "one", "zero")

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number, lifetime: Number) -> LongitudinalUnary:
        """L-OSUE: at most ``epsilon`` for one report and ``lifetime`` for all reports of one
        value.
        """
        limit, permanent = check_epsilon(epsilon), Unary.optimised(domain=domain, epsilon=lifetime)
        if limit >= permanent.epsilon:
            raise InvalidArgument(
                "epsilon", "of one report must be below its lifetime epsilon", epsilon
            )
        first = (permanent.one, permanent.zero)
        keep = find_largest_threshold(
            lambda keep: cls(2, *first, keep, SCALE - keep).epsilon, limit, _HALF + 1, SCALE - 1
        )
        return cls(domain, *first, keep, SCALE - keep)

    @property
    def own_support(self) -> Fraction:
        """How likely the bit of the client's value is 1 in one report."""
        return self._report_probability(self.permanent_one)

    @property
    def other_support(self) -> Fraction:
        """How likely any other bit is 1 in one report."""
        return self._report_probability(self.permanent_zero)

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """What all reports of one value give away together."""
        return _compute_epsilon(
            Fraction(self.permanent_one, SCALE), Fraction(self.permanent_zero, SCALE)
        )

    def permanent_response(self, values: Any) -> Records:
        """The answer to be remembered for each value; made once and never again."""
        return self._randomise_one_hot(values, self.permanent_one, self.permanent_zero)

    def instantaneous_response(self, permanent: Any) -> Records:
        """A fresh report from each remembered answer."""
        kept = self._check_records(permanent)
        ones, zeros = (
            draw_coin_rows(threshold, kept.shape[0], self.domain)
            for threshold in (self.one, self.zero)
        )
        return (kept & ones) | (~kept & zeros)

    def encode(self, values: Any) -> Records:
        """A report for each value, as from a client that reports for the first time."""
        return self.instantaneous_response(self.permanent_response(values))

    def _report_probability(self, permanent: int) -> Fraction:
        return Fraction(permanent * self.one + (SCALE - permanent) * self.zero, SCALE * SCALE)


def _compute_epsilon(one: Fraction, zero: Fraction) -> Fraction:
    return compute_epsilon(one * (1 - zero) / (zero * (1 - one)))


def _check_thresholds(scheme: Unary | LongitudinalUnary, one: str, zero: str) -> None:
    for name in (one, zero):
        object.__setattr__(scheme, name, check_threshold(getattr(scheme, name), name))
    if getattr(scheme, one) == getattr(scheme, zero):
        raise InvalidArgument(
            one, f"must differ from {zero}, or reports say nothing", getattr(scheme, one)
        )
