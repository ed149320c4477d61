"""RAPPOR: a text as a Bloom filter, randomised once for good and then again for every report.

Statement
    A client of cohort c sets the h bits that its value hashes to among k. Each bit of the
    *permanent* response is 1 with probability f/2, 0 with probability f/2 and else the bit itself,
    made once for each value and remembered. Each bit of a report is 1 with probability q where the
    permanent bit is 1 and p where it is 0. With q* = f(p+q)/2 + (1-f)q and p* = f(p+q)/2 + (1-f)p:

    - one report is pure epsilon-DP with epsilon = h |ln q*(1-p*)/(p*(1-q*))|;
    - all reports of one value together are so with epsilon = 2h ln (1-f/2)/(f/2), the ``lifetime``;
      infinite for f = 0.

    c different values cost c times the lifetime, between two histories that change at the same
    times: *when* a value changed is not hidden. The cohort is not protected: it says nothing about
    the value.

Proof
    Given the filter, the bits of a report are independent, and 1 with probability q* or p*. Two
    filters differ in at most h bits that only the first has and h that only the second has. One of
    either kind together change the likelihood by at most the factor q*(1-p*)/(p*(1-q*)), or its
    inverse where q* < p*: the first bit is 1 and the second 0, or the other way round. So h pairs
    give the first epsilon. The permanent response has the same form with 1-f/2 and f/2 in the
    places of q* and p*, where the factor is the square of (1-f/2)/(f/2); every report is made from
    it by coins that do not depend on the value: post-processing.

Accuracy
    ``estimate`` decodes candidates (``hedgerow.local.decode.rappor.decoder``). ``variance`` is that
    of a candidate's least-squares count where all other clients are spread evenly over the bits: n
    r(1-r)/((q*-p*)^2 b (1-b/k)), b the expected number of different bits of a value and r the
    expected share of ones. Uneven others add to it.

Arithmetic
    f, p and q are whole numbers of 1/65536, f an even one, so that f/2 is one too; both epsilons
    are computed from them, rounded up.

Edges
    p may exceed q: then a 0 is the evidence. p = q, or f = 1, says nothing: refused. f = 0 is
    allowed, and has no lifetime bound. A report is two bytes of cohort, then the bits; a cohort
    that is not there or padding that is not 0 is refused. Codes are hashed as digits.

Source
    Erlingsson, Pihur, Korolova (CCS 2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import (
    Records,
    check_records,
    draw_coin_rows,
    is_padding_zero,
    sum_columns_by_group,
)
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.decode.rappor.bit_rates import BitRates, compute_report_probabilities
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.fixed_point import (
    MAX_DOMAIN,
    SCALE,
    check_integer,
    check_threshold,
    compute_epsilon,
)
from hedgerow.local.protocols.pure_frequency import check_counters
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.vectorised import Integers, iterate_chunks

__all__ = ["Rappor"]

_COHORT_BYTES = 2  # bytes
_MAX_CELLS = 1 << 22
_HASH_CHUNK = 1 << 17  # bits of candidates at a time


@dataclass(frozen=True, slots=True)
class Rappor:
    """``k`` bits, ``h`` hashes, ``m`` cohorts (a power of two); ``f``, ``p`` and ``q`` in
    1/65536.
    """

    name: ClassVar[str] = "rappor"
    memoised: ClassVar[bool] = True
    k: int
    h: int
    m: int
    f: int
    p: int
    q: int

    def __post_init__(self) -> None:
        ends = {"k": (2, 4096), "h": (1, 16), "m": (1, 1 << 15), "f": (0, SCALE - 2)}
        for name, (low, high) in ends.items():
            object.__setattr__(self, name, check_integer(getattr(self, name), name, low, high))
        for name in ("p", "q"):
            object.__setattr__(self, name, check_threshold(getattr(self, name), name))
        if self.h > self.k:
            raise InvalidArgument("h", f"must be at most k = {self.k}", self.h)
        if self.m & (self.m - 1):
            raise InvalidArgument(
                "m", "must be a power of two, so that cohorts are equally likely", self.m
            )
        if self.m * self.k > _MAX_CELLS:
            raise InvalidArgument(
                "m",
                f"must be at most {_MAX_CELLS // self.k} with so many bits: every bit of every"
                " cohort is counted",
                self.m,
            )
        if self.f % 2:
            raise InvalidArgument(
                "f", "must be even, so that f/2 is a whole number of 1/65536", self.f
            )
        if self.p == self.q:
            raise InvalidArgument("q", "must differ from p, or reports say nothing", self.q)

    @property
    def domain(self) -> int:
        """Texts have no end; codes are taken up to this."""
        return MAX_DOMAIN

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return _COHORT_BYTES + -(-self.k // 8)

    @property
    def counter_count(self) -> int:
        """Each bit of each cohort, then the reports of each cohort, then all reports."""
        return self.m * self.k + self.m + 1

    @property
    def report_probabilities(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): how likely a bit that is clear, and one that is set, is reported as 1."""
        return compute_report_probabilities(
            Fraction(self.f, SCALE), Fraction(self.p, SCALE), Fraction(self.q, SCALE)
        )

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        low, high = self.report_probabilities
        return self.h * compute_epsilon(high * (1 - low) / (low * (1 - high)))

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """What all reports of one value give away together."""
        return (
            2 * self.h * compute_epsilon(Fraction(2 * SCALE - self.f, self.f))
            if self.f
            else math.inf
        )

    @property
    def total_variation(self) -> Fraction:
        """A bound on the total variation distance between single reports of two values: 2h bits
        differ at most.
        """
        low, high = self.report_probabilities
        return min(Fraction(1), 2 * self.h * abs(high - low))

    def hash_values(self, values: Sequence[int | str], key: bytes = b"") -> Integers:
        """(value, cohort, hash) -> bit. ``key`` is ``Metric.lasting`` where a metric is
        collected.
        """
        texts, blocks = _encode_values(values), -(-self.m * self.h // 16)  # 16 numbers to a digest
        digests = _compute_hmacs(key, [block.to_bytes(4, "big") for block in range(blocks)], texts)
        numbers = np.frombuffer(digests, dtype=">u2").reshape(len(texts), 16 * blocks)[
            :, : self.m * self.h
        ]
        return (
            (numbers.astype(np.uint16) % np.uint16(self.k))
            .astype(np.int64)
            .reshape(len(texts), self.m, self.h)
        )

    def build_candidates(self, values: Sequence[int | str], key: bytes = b"") -> Candidates:
        """The cells of these values: their bits, hashed some values at a time, because each
        takes more room while it is hashed.
        """
        places = np.empty((len(values), self.m * self.h), dtype=np.int32)
        some = max(1, _HASH_CHUNK // (self.m * self.h))
        for start in range(0, len(values), some):
            places[start : start + some] = Candidates.of(
                self.hash_values(values[start : start + some], key), self.k
            ).cell_indices
        return Candidates(places, self.m, self.k)

    def permanent_response(self, values: Any, key: bytes = b"") -> Records:
        """The answer to be remembered for each value, each by a new client of a random cohort."""
        different, codes = np.unique(np.asarray(values), return_inverse=True)
        bits = self.hash_values(different.tolist(), key).astype(np.int16)
        rows = np.empty((codes.size, self.record_size), dtype=np.uint8)
        for piece in iterate_chunks(codes.size):
            rows[piece] = self._build_permanent_rows(bits, codes.ravel()[piece])
        return rows

    def _build_permanent_rows(self, bits: NDArray[np.int16], codes: Integers) -> Records:
        cohorts, every = (
            (draw_words(codes.size) & np.uint64(self.m - 1)).astype(np.int64),
            np.arange(codes.size),
        )
        filters = np.zeros((codes.size, self.record_size - _COHORT_BYTES), dtype=np.uint8)
        for places in bits[codes, cohorts].T:
            filters[every, places >> 3] |= (128 >> (places & 7)).astype(np.uint8)
        if self.f:
            noisy, fair = (
                draw_coin_rows(self.f, codes.size, self.k),
                draw_coin_rows(SCALE // 2, codes.size, self.k),
            )
            filters = (noisy & fair) | (~noisy & filters)
        return np.hstack([cohorts.astype(">u2").view(np.uint8).reshape(-1, _COHORT_BYTES), filters])

    def instantaneous_response(self, permanent: Any) -> Records:
        """A fresh report from each remembered answer."""
        rows = self._check_records(permanent)
        kept = rows[:, _COHORT_BYTES:]
        ones, zeros = (
            draw_coin_rows(threshold, rows.shape[0], self.k) for threshold in (self.q, self.p)
        )
        return np.hstack([rows[:, :_COHORT_BYTES], (kept & ones) | (~kept & zeros)])

    def encode(self, values: Any, key: bytes = b"") -> Records:
        """A report for each value, as from clients that report for the first time."""
        return self.instantaneous_response(self.permanent_response(values, key))

    def aggregate(self, records: Any) -> Integers:
        """How often each bit of each cohort is set, the reports of each cohort, and all reports."""
        rows = self._check_records(records)
        cohorts = self._read_cohorts(rows)
        sums = sum_columns_by_group(rows, cohorts, self.m)[
            :, 8 * _COHORT_BYTES : 8 * _COHORT_BYTES + self.k
        ]
        return np.concatenate(
            [sums.ravel(), np.bincount(cohorts, minlength=self.m), [rows.shape[0]]]
        ).astype(np.int64)

    def compute_bit_rates(self, counters: Any) -> BitRates:
        """What the counters say about every bit."""
        state = check_counters(counters, self.counter_count)
        bits, sizes = state[: self.m * self.k].reshape(self.m, self.k), state[self.m * self.k : -1]
        if sizes.sum() != state[-1]:
            raise InvalidArgument(
                "counters", "must have as many reports in all cohorts together as in total"
            )
        return BitRates.of(bits, sizes, *self.report_probabilities)

    def estimate(self, counters: Any, values: Any = None, key: bytes = b"") -> Estimates:
        """Counts of candidate values, texts or codes: RAPPOR cannot list values that nobody
        thought of.
        """
        if values is None:
            raise InvalidArgument(
                "values",
                "must name the candidates: a Bloom filter does not say which texts it holds",
            )
        # a collector only counts, and needs none of it
        from hedgerow.local.decode.rappor.decoder import decode_candidates

        return decode_candidates(
            self.compute_bit_rates(counters), self.build_candidates(list(values), key)
        )

    def variance(self, frequency: float, n: int) -> float:
        """Of the count of a candidate, where everybody else is spread evenly."""
        low, high = (float(number) for number in self.report_probabilities)
        load = 1 - (1 - 1 / self.k) ** self.h
        ones = low + (high - low) * (load + frequency * (1 - load))
        return n * ones * (1 - ones) / ((high - low) ** 2 * self.k * load * (1 - load))

    def _check_records(self, records: Any) -> Records:
        rows = check_records(records, self.record_size)
        if not is_padding_zero(rows, self.k):
            raise InvalidArgument(
                "records", "hold a report with bits after its last one; nothing was counted"
            )
        if rows.shape[0] and self._read_cohorts(rows).max() >= self.m:
            raise InvalidArgument(
                "records",
                f"hold a report of a cohort that is not below {self.m}; nothing was counted",
            )
        return rows

    @staticmethod
    def _read_cohorts(rows: Records) -> Integers:
        return rows[:, 0].astype(np.int64) << 8 | rows[:, 1]


def _compute_hmacs(key: bytes, heads: list[bytes], texts: list[bytes]) -> bytes:
    """HMAC-SHA256 of each head with each text, texts in the outer loop. Written out, because the
    keyed states can then be used again.
    """
    padded = key.ljust(64, b"\0")
    outer, inner = (sha256(bytes(byte ^ pad for byte in padded)) for pad in (0x5C, 0x36))
    started = []
    for head in heads:
        started.append(inner.copy())
        started[-1].update(head)

    def one(begun: Any, text: bytes) -> bytes:
        first, second = begun.copy(), outer.copy()
        first.update(text)
        second.update(first.digest())
        return bytes(second.digest())

    return b"".join(b"".join([one(begun, text) for begun in started]) for text in texts)


def _encode_values(values: Sequence[int | str]) -> list[bytes]:
    try:
        return [
            (value if isinstance(value, str) else str(int(value))).encode("utf-8")
            for value in values
        ]
    except (TypeError, ValueError) as failure:
        raise InvalidArgument("values", "must be texts, or codes") from failure
