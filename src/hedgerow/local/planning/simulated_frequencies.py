"""Simulated collection of frequencies, on synthetic clients with known values.

RAPPOR's counters are drawn bit by bit and not report by report. Take the clients of a cohort that
have a bit in their filters, and the others: the reported ones of that bit are a sum of two
binomials, one of each kind of client, and independent of all other bits, because every bit has its
own coins. This is the exact distribution of the counters. It takes no longer, for fourteen million
clients, than assigning their cohorts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import bdtrik

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.decode.rappor.decoder import decode_candidates
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.value_estimates import ValueEstimate, list_values
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import MEAN_PROTOCOLS, LocalProtocol, Rappor
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = [
    "MAX_CLIENTS",
    "SHAPES",
    "ProgressCallback",
    "SimulatedFrequencies",
    "draw_holders",
    "simulate_collection",
    "simulate_counters",
    "simulate_frequencies",
    "simulate_rappor",
]

SHAPES = ("zipf", "uniform")
_CHUNK_BYTES = 1 << 24  # bytes of reports at a time
_CLIENT_CHUNK = 1 << 20  # clients at a time
MAX_CLIENTS = 10**9
ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedFrequencies:
    """True counts and their estimates, for the codes 0, 1, … or for values with ``names``."""

    scheme: LocalProtocol
    true_counts: Integers
    estimates: Estimates
    names: tuple[str, ...] | None = None

    @property
    def errors(self) -> Floats:
        """The estimate minus the truth, for each value."""
        return self.estimates.counts - self.true_counts

    @property
    def root_mean_square_error(self) -> float:
        """The actual root mean square error over all values."""
        return sqrt(float(np.mean(self.errors**2)))

    @property
    def expected_error(self) -> float:
        """The root mean square error that the exact variance predicts."""
        n = self.estimates.n
        held, of_each = np.unique(self.true_counts, return_counts=True)
        variances = [self.scheme.variance(count / n, n) for count in held.tolist()]
        return sqrt(float(np.dot(variances, of_each)) / len(self.true_counts))

    @property
    def coverage(self) -> float:
        """The share of the 95 % intervals that contain the truth."""
        lows, highs = self.estimates.intervals()
        return float(np.mean((lows <= self.true_counts) & (self.true_counts <= highs)))

    def list_detected(self, control: str = "fdr", level: Number = 0.05) -> list[ValueEstimate]:
        """List the values that a decoder detects, the most frequent first."""
        codes = self.estimates.rank_detected(control, level)
        return list_values(self.estimates, codes, self.names)

    def list_most_frequent(self, most: int) -> list[ValueEstimate]:
        """List the ``most`` values with the largest true counts, detected or not."""
        codes = np.argsort(-self.true_counts, kind="stable")[:most]
        return list_values(self.estimates, codes, self.names)

    def find_true_counts(self, found: Sequence[ValueEstimate]) -> dict[int | str, int]:
        """Return the true count of each of these values."""
        wanted = {finding.value for finding in found}
        names: Sequence[int | str] = (
            range(len(self.true_counts)) if self.names is None else self.names
        )
        return {
            name: count
            for name, count in zip(names, self.true_counts.tolist(), strict=True)
            if name in wanted
        }


def draw_holders(shape: str, values: int, clients: int) -> Integers:
    """Draw the number of clients that hold each value, from a distribution of this shape.

    The first value is the most frequent one of ``zipf``.
    """
    check_integer(clients, "clients", 1, MAX_CLIENTS)
    levels, truth = (
        _cumulate_weights(shape, check_integer(values, "values", 1, MAX_CLIENTS)),
        np.zeros(values, np.int64),
    )
    for start in range(0, clients, _CLIENT_CHUNK):
        truth += np.bincount(
            _draw_values(levels, min(_CLIENT_CHUNK, clients - start)), minlength=values
        )
    return truth


def simulate_frequencies(
    scheme: LocalProtocol, clients: int, shape: str = "zipf", moved: ProgressCallback | None = None
) -> SimulatedFrequencies:
    """Simulate one report of each client, with values of this shape, and estimate the counts.

    ``moved`` is called with the number of clients done, and of all.
    """
    if isinstance(scheme, MEAN_PROTOCOLS):
        raise Unsupported(
            f"simulate_frequencies counts values, but {scheme.name} estimates a mean. Use"
            " simulate_mean instead."
        )
    truth, counters = simulate_collection(scheme, clients, shape, moved)
    return SimulatedFrequencies(scheme, truth, scheme.estimate(counters))


def simulate_collection(
    scheme: LocalProtocol, clients: int, shape: str, moved: ProgressCallback | None = None
) -> tuple[Integers, Integers]:
    """Draw the true count of each value, and the counters of the clients' reports."""
    check_integer(clients, "clients", 1, MAX_CLIENTS)
    if isinstance(scheme, Rappor):
        raise Unsupported(
            "RAPPOR collects texts. Use simulate_rappor, with the number of clients for each text."
        )
    levels = _cumulate_weights(shape, scheme.domain)
    truth, counters = np.zeros(scheme.domain, np.int64), np.zeros(scheme.counter_count, np.int64)
    piece = max(1, _CHUNK_BYTES // max(8, scheme.record_size))
    for start in range(0, clients, piece):
        values = _draw_values(levels, min(piece, clients - start))
        truth += np.bincount(values, minlength=scheme.domain)
        counters += scheme.aggregate(scheme.encode(values))
        if moved is not None:
            moved(min(start + piece, clients), clients)
    return truth, counters


def simulate_rappor(
    metric: Metric,
    held: Mapping[str, int],
    *,
    unlisted: Sequence[str] = (),
    moved: ProgressCallback | None = None,
) -> SimulatedFrequencies:
    """Simulate RAPPOR at any size.

    ``held`` maps each candidate to the number of clients that hold it, possibly 0. ``unlisted``
    names the texts that the decoder does not know. Truth and estimates are in the order of
    ``held``, without the unlisted texts.
    """
    scheme, texts = metric.scheme, list(held)
    if not isinstance(scheme, Rappor):
        raise Unsupported(
            f"{scheme.name} collects codes, not texts. Use simulate_frequencies, with a number of"
            " clients."
        )
    truth = np.array(
        [check_integer(count, "held", 0, MAX_CLIENTS) for count in held.values()], np.int64
    )
    check_integer(int(truth.sum()), "held", 1, MAX_CLIENTS)
    hidden = set(unlisted)
    if not hidden <= held.keys() or len(hidden) == len(texts):
        raise InvalidArgument(
            "unlisted", "must be some of the texts in held, but not all of them", list(unlisted)
        )
    bits = scheme.hash_values(texts, metric.permanent_hash)
    counters = simulate_counters(scheme, bits, truth, moved)
    listed = np.array([text not in hidden for text in texts])
    # The same as scheme.estimate, but without hashing all texts again.
    estimates = decode_candidates(
        scheme.compute_bit_rates(counters), Candidates.of(bits[listed], scheme.k)
    )
    return SimulatedFrequencies(
        scheme, truth[listed], estimates, tuple(text for text in texts if text not in hidden)
    )


def simulate_counters(
    scheme: Rappor, bits: Integers, held: Integers, moved: ProgressCallback | None = None
) -> Integers:
    """Draw the counters of one report of each client.

    ``held`` is the number of clients with each value, ``bits`` the result of
    ``scheme.hash_values`` for all values.
    """
    return _draw_counters(scheme, bits, _assign_cohorts(held, scheme.m, moved))


def _assign_cohorts(truth: Integers, cohorts: int, moved: ProgressCallback | None) -> Integers:
    """Draw a cohort for each client, and count the clients of each (value, cohort)."""
    ends, clients = np.cumsum(truth), int(truth.sum())
    dealt = np.zeros(truth.size * cohorts, np.int64)
    for start in range(0, clients, _CLIENT_CHUNK):
        stop = min(start + _CLIENT_CHUNK, clients)
        values = np.searchsorted(ends, np.arange(start, stop), side="right")
        dealt += np.bincount(
            values * cohorts + (draw_words(stop - start) & np.uint64(cohorts - 1)).astype(np.int64),
            minlength=dealt.size,
        )
        if moved is not None:
            moved(stop, clients)
    return dealt.reshape(truth.size, cohorts)


def _draw_counters(scheme: Rappor, bits: Integers, dealt: Integers) -> Integers:
    """Draw the counters of one report of each client, from the counts by cohort."""
    sizes, have = dealt.sum(axis=0), np.zeros(scheme.m * scheme.k)
    for i in range(scheme.h):
        # A text that hashes to the same bit twice sets it only once.
        again = (bits[:, :, :i] == bits[:, :, i : i + 1]).any(axis=2)
        cells = np.arange(scheme.m) * scheme.k + bits[:, :, i]
        have += np.bincount(cells.ravel(), np.where(again, 0, dealt).ravel(), minlength=have.size)
    low, high = (float(chance) for chance in scheme.report_probabilities)
    ones = _draw_binomials(have, high) + _draw_binomials(np.repeat(sizes, scheme.k) - have, low)
    return np.concatenate([ones, sizes, [sizes.sum()]]).astype(np.int64)


def _draw_binomials(trials: Floats, chance: float) -> Floats:
    """Draw a binomial for each number of trials, by inverting the distribution function."""
    some = np.maximum(trials, 1.0)
    found = np.ceil(bdtrik(np.maximum(_draw_uniform(trials.size), 2.0**-54), some, chance))
    return np.where(trials > 0, np.clip(found, 0.0, some), 0.0)


def _cumulate_weights(shape: str, values: int) -> Floats:
    if shape not in SHAPES:
        raise InvalidArgument("shape", f"must be one of {', '.join(SHAPES)}", shape)
    return np.cumsum(1.0 / np.arange(1, values + 1) if shape == "zipf" else np.ones(values))


def _draw_values(levels: Floats, size: int) -> Integers:
    """Draw values of synthetic clients.

    Floating-point probabilities are good enough here, because no real value is protected.
    """
    found = np.searchsorted(levels, _draw_uniform(size) * levels[-1], side="right")
    return np.asarray(np.minimum(found, len(levels) - 1), dtype=np.int64)


def _draw_uniform(size: int) -> Floats:
    return (draw_words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
