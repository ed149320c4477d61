"""RAPPOR: a text as a Bloom filter, randomised once permanently and again for every report.

Symbols
    k, h, m     number of bits of the Bloom filter, of hash functions, and of cohorts
    f           probability that a permanent bit is replaced by a fair coin
    q, p        probability that a reported bit is 1, given a permanent bit of 1, or of 0
    q*, p*      the same, given a bit of 1, or of 0, in the Bloom filter:
                    q* = f(p+q)/2 + (1-f)q
                    p* = f(p+q)/2 + (1-f)p

Statement
    A client sets the h bits that its value hashes to in its cohort. Each bit of the *permanent*
    response is 1 with probability f/2, 0 with probability f/2, and otherwise the bit itself; it is
    drawn once for each value and remembered. Each bit of a report is 1 with probability q or p.

    - One report is pure epsilon-DP with epsilon = h |ln(q*(1-p*)/(p*(1-q*)))|.
    - All reports of one value together are pure epsilon-DP with ``lifetime_epsilon`` =
      2h ln((1-f/2)/(f/2)), which is infinite if f = 0.

    c distinct values cost c times the lifetime epsilon, between two histories that change at the
    same times: the *time* of a change is not hidden. The cohort is not protected, because it does
    not depend on the value.

Proof
    Given the filter, the bits of a report are independent, and 1 with probability q* or p*. At most
    h bits are set in the first filter only, and h in the second only. One bit of either kind
    together change the likelihood by at most the factor q*(1-p*)/(p*(1-q*)), or its inverse if
    q* < p*: the first bit is 1 and the second 0, or the other way round. So h pairs give the first
    epsilon. The permanent response has the same form with 1-f/2 and f/2 in the places of q* and p*,
    and the factor is the square of (1-f/2)/(f/2). Every report is made from it with coins that do
    not depend on the value: post-processing.

Accuracy
    ``estimate`` decodes candidates (``hedgerow.local.decode.rappor.decoder``). ``variance`` is that
    of a candidate's least-squares count if all other clients are spread evenly over the bits:

        n r(1-r)/((q*-p*)^2 b (1-b/k))

    b is the expected number of distinct bits of a value, r the expected share of ones. An uneven
    spread adds to it.

Arithmetic
    f, p and q are whole multiples of 1/65536, and f an even one, so that f/2 is a multiple too.
    Both epsilons are computed from them and rounded up.

Edges
    p may exceed q: then a 0 is the evidence. p = q and f = 1 are refused, because reports would not
    depend on the value. f = 0 is allowed and has no lifetime bound. A report is two bytes of
    cohort, then the bits; an unknown cohort or padding other than 0 is refused. Codes are hashed as
    decimal digits.

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
    check_padding,
    check_records,
    draw_coin_rows,
    sum_columns_by_group,
)
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.decode.rappor.bit_rates import BitRates, compute_report_probabilities
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.fixed_point import (
    MAX_DOMAIN,
    SCALE,
    THRESHOLD_ENDS,
    check_fields,
    check_rules,
    compute_epsilon,
)
from hedgerow.local.protocols.pure_frequency import check_counters
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.vectorised import Integers, iterate_chunks

__all__ = ["Rappor"]

_COHORT_BYTES = 2
_MAX_CELLS = 1 << 22
_HASH_CHUNK = 1 << 17  # bits of candidates that are hashed at a time


@dataclass(frozen=True, slots=True)
class Rappor:
    """RAPPOR with ``k`` bits, ``h`` hashes and ``m`` cohorts (a power of two).

    ``f``, ``p`` and ``q`` are in 1/65536.
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
        check_fields(
            self,
            k=(2, 4096),
            h=(1, 16),
            m=(1, 1 << 15),
            f=(0, SCALE - 2),
            p=THRESHOLD_ENDS,
            q=THRESHOLD_ENDS,
        )
        check_rules(
            self,
            ("h", self.h <= self.k, f"must be at most k = {self.k}"),
            (
                "m",
                self.m.bit_count() == 1,
                "must be a power of two, so that cohorts are equally likely",
            ),
            (
                "m",
                self.m * self.k <= _MAX_CELLS,
                f"must be at most {_MAX_CELLS // self.k} with {self.k} bits: each cohort has its"
                " own counter for every bit",
            ),
            ("f", self.f % 2 == 0, "must be even, so that f/2 is a whole number of 1/65536"),
            (
                "q",
                self.q != self.p,
                "must differ from p, or reports would not depend on the value",
            ),
        )

    @property
    def domain(self) -> int:
        """The bound on codes; texts are unlimited."""
        return MAX_DOMAIN

    @property
    def record_size(self) -> int:
        return _COHORT_BYTES + -(-self.k // 8)

    @property
    def counter_count(self) -> int:
        """The number of counters: for each cohort its bits and its reports; then all reports."""
        return self.m * self.k + self.m + 1

    @property
    def report_probabilities(self) -> tuple[Fraction, Fraction]:
        """The probabilities (p*, q*) that a clear bit, and a set bit, is reported as 1."""
        return compute_report_probabilities(
            Fraction(self.f, SCALE), Fraction(self.p, SCALE), Fraction(self.q, SCALE)
        )

    @property
    def epsilon(self) -> Fraction:
        low, high = self.report_probabilities
        return self.h * compute_epsilon(high * (1 - low) / (low * (1 - high)))

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """The epsilon of all reports of one value together."""
        return (
            2 * self.h * compute_epsilon(Fraction(2 * SCALE - self.f, self.f))
            if self.f
            else math.inf
        )

    @property
    def total_variation(self) -> Fraction:
        """A bound on the total variation distance between single reports of two values.

        Their filters differ in at most 2h bits.
        """
        low, high = self.report_probabilities
        return min(Fraction(1), 2 * self.h * abs(high - low))

    def hash_values(self, values: Sequence[int | str], key: bytes = b"") -> Integers:
        """Return the bit of each (value, cohort, hash).

        ``key`` is ``Metric.permanent_hash`` for the reports of a metric.
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
        """Return the bits of these values in every cohort, as candidates for the decoder."""
        places = np.empty((len(values), self.m * self.h), dtype=np.int32)
        # In chunks: a value takes more memory while it is hashed.
        some = max(1, _HASH_CHUNK // (self.m * self.h))
        for start in range(0, len(values), some):
            places[start : start + some] = Candidates.of(
                self.hash_values(values[start : start + some], key), self.k
            ).cell_indices
        return Candidates(places, self.m, self.k)

    def permanent_response(self, values: Any, key: bytes = b"") -> Records:
        """Draw the answer that a client remembers, for a new client of a random cohort each."""
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
        """Return a fresh report from each remembered answer."""
        rows = self._check_records(permanent)
        kept = rows[:, _COHORT_BYTES:]
        ones, zeros = (
            draw_coin_rows(threshold, rows.shape[0], self.k) for threshold in (self.q, self.p)
        )
        return np.hstack([rows[:, :_COHORT_BYTES], (kept & ones) | (~kept & zeros)])

    def encode(self, values: Any, key: bytes = b"") -> Records:
        """Return a report for each value, as from clients that report for the first time."""
        return self.instantaneous_response(self.permanent_response(values, key))

    def aggregate(self, records: Any) -> Integers:
        """Count the ones of each bit by cohort, the reports by cohort, and all reports."""
        rows = self._check_records(records)
        cohorts = self._read_cohorts(rows)
        sums = sum_columns_by_group(rows, cohorts, self.m)[
            :, 8 * _COHORT_BYTES : 8 * _COHORT_BYTES + self.k
        ]
        return np.concatenate(
            [sums.ravel(), np.bincount(cohorts, minlength=self.m), [rows.shape[0]]]
        ).astype(np.int64)

    def compute_bit_rates(self, counters: Any) -> BitRates:
        """Estimate the rate of every bit in every cohort."""
        state = check_counters(counters, self.counter_count)
        bits, sizes = state[: self.m * self.k].reshape(self.m, self.k), state[self.m * self.k : -1]
        if sizes.sum() != state[-1]:
            raise InvalidArgument(
                "counters", "must have cohorts whose reports add up to the number of all reports"
            )
        return BitRates.of(bits, sizes, *self.report_probabilities)

    def estimate(self, counters: Any, values: Any = None, key: bytes = b"") -> Estimates:
        """Estimate the counts of candidate values, which are texts or codes."""
        if values is None:
            raise InvalidArgument(
                "values",
                "must name the candidates: a Bloom filter does not reveal its texts",
            )
        # Imported late: a collector only counts, and does not need the decoder.
        from hedgerow.local.decode.rappor.decoder import decode_candidates

        return decode_candidates(
            self.compute_bit_rates(counters), self.build_candidates(list(values), key)
        )

    def variance(self, frequency: float, n: int) -> float:
        """Return the variance of a candidate's count if all other clients are spread evenly."""
        low, high = (float(number) for number in self.report_probabilities)
        load = 1 - (1 - 1 / self.k) ** self.h
        ones = low + (high - low) * (load + frequency * (1 - load))
        return n * ones * (1 - ones) / ((high - low) ** 2 * self.k * load * (1 - load))

    def _check_records(self, records: Any) -> Records:
        rows = check_records(records, self.record_size)
        check_padding(rows, self.k)
        if rows.shape[0] and self._read_cohorts(rows).max() >= self.m:
            raise InvalidArgument(
                "records",
                f"must have cohorts below {self.m}; nothing was counted",
            )
        return rows

    @staticmethod
    def _read_cohorts(rows: Records) -> Integers:
        return rows[:, 0].astype(np.int64) << 8 | rows[:, 1]


def _compute_hmacs(key: bytes, heads: list[bytes], texts: list[bytes]) -> bytes:
    """Compute HMAC-SHA256 of each head with each text, texts in the outer loop."""
    # Written out, and not hmac.digest, so that the keyed states are used again.
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
        raise InvalidArgument("values", "must be texts or codes") from failure
