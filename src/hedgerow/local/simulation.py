"""What collecting would give, tried on clients that do not exist: their values are known, so the error is too.

RAPPOR's counters are drawn bit by bit and not report by report. Given how many clients of a cohort have a bit in their filters, how many
report it is a sum of two binomials, one of those who have it and one of the others, independent of all other bits: coins are thrown for
every bit alone. That is the law of the counters, and it takes as long for fourteen million clients as their values take to be dealt out
to cohorts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import bdtrik

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.candidates import Candidates
from hedgerow.local.estimates import Estimates
from hedgerow.local.findings import Finding
from hedgerow.local.protocols import MEANS, Protocol, Rappor
from hedgerow.local.rappor_decode import decode
from hedgerow.local.spec import Metric
from hedgerow.local.thresholds import check_whole
from hedgerow.numeric.bits import words
from hedgerow.numeric.chunk import Floats, Integers
from hedgerow.numeric.number import Number

__all__ = ["SHAPES", "Moved", "Simulated", "collected", "holders", "simulate", "simulate_counters", "simulate_texts"]

SHAPES = ("zipf", "uniform")
_PIECE = 1 << 24  # bytes of reports at a time
_DEALT = 1 << 20  # clients at a time
_MOST = 10**9
Moved = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """True counts and what was estimated of them, for codes 0, 1, … or for values with these ``names``."""

    scheme: Protocol
    truth: Integers
    estimates: Estimates
    names: tuple[str, ...] | None = None

    @property
    def errors(self) -> Floats:
        """Estimate less truth, for each value."""
        return self.estimates.counts - self.truth

    @property
    def root_mean_square(self) -> float:
        """The error that there was, over all values."""
        return sqrt(float(np.mean(self.errors**2)))

    @property
    def expected(self) -> float:
        """The error that the exact variance foretells."""
        n = self.estimates.n
        held, of_each = np.unique(self.truth, return_counts=True)
        variances = [self.scheme.variance(count / n, n) for count in held.tolist()]
        return sqrt(float(np.dot(variances, of_each)) / len(self.truth))

    @property
    def covered(self) -> float:
        """The share of the 95 % intervals that hold the truth."""
        lows, highs = self.estimates.intervals()
        return float(np.mean((lows <= self.truth) & (self.truth <= highs)))

    def detected(self, control: str = "fdr", level: Number = 0.05) -> list[Finding]:
        """The values that a decoder reports, the most frequent first."""
        codes = np.flatnonzero(self.estimates.detected(control, level))
        return self._findings(codes[np.argsort(-self.estimates.counts[codes], kind="stable")])

    def frequent(self, most: int) -> list[Finding]:
        """The so many values that are the most frequent in truth, whether they were detected or not."""
        return self._findings(np.argsort(-self.truth, kind="stable")[:most])

    def truths(self, found: Sequence[Finding]) -> dict[int | str, int]:
        """How many clients hold each of these values in truth."""
        wanted = {finding.value for finding in found}
        names: Sequence[int | str] = range(len(self.truth)) if self.names is None else self.names
        return {name: count for name, count in zip(names, self.truth.tolist(), strict=True) if name in wanted}

    def _findings(self, codes: Integers) -> list[Finding]:
        columns = self.estimates.counts, self.estimates.standard_errors, *self.estimates.intervals(), self.estimates.p_values
        names: Sequence[int | str] = range(len(self.truth)) if self.names is None else self.names
        return [Finding(names[code], *(float(column[code]) for column in columns)) for code in codes.tolist()]


def holders(shape: str, values: int, clients: int) -> Integers:
    """How many of so many clients hold each value: drawn by this shape, the first value the most frequent one of ``zipf``."""
    check_whole(clients, "clients", 1, _MOST)
    levels, truth = _levels(shape, check_whole(values, "values", 1, _MOST)), np.zeros(values, np.int64)
    for start in range(0, clients, _DEALT):
        truth += np.bincount(_drawn(levels, min(_DEALT, clients - start)), minlength=values)
    return truth


def simulate(scheme: Protocol, clients: int, shape: str = "zipf", moved: Moved | None = None) -> Simulated:
    """Let so many clients hold values of this shape, report once each, and estimate. ``moved`` hears how far it is."""
    if isinstance(scheme, MEANS):
        raise Unsupported(f"This simulation counts values, and {scheme.name} estimates a mean: simulate_mean tries it.")
    truth, counters = collected(scheme, clients, shape, moved)
    return Simulated(scheme, truth, scheme.estimate(counters))


def collected(scheme: Protocol, clients: int, shape: str, moved: Moved | None = None) -> tuple[Integers, Integers]:
    """How many of so many clients hold each value, and the counters of their reports."""
    check_whole(clients, "clients", 1, _MOST)
    if isinstance(scheme, Rappor):
        raise Unsupported("RAPPOR is about texts: simulate_texts takes them, and how many clients hold each.")
    levels = _levels(shape, scheme.domain)
    truth, counters = np.zeros(scheme.domain, np.int64), np.zeros(scheme.counters, np.int64)
    piece = max(1, _PIECE // max(8, scheme.record))
    for start in range(0, clients, piece):
        values = _drawn(levels, min(piece, clients - start))
        truth += np.bincount(values, minlength=scheme.domain)
        counters += scheme.aggregate(scheme.encode(values))
        if moved is not None:
            moved(min(start + piece, clients), clients)
    return truth, counters


def simulate_texts(metric: Metric, held: Mapping[str, int], *, unlisted: Sequence[str] = (), moved: Moved | None = None) -> Simulated:
    """RAPPOR at any size: ``held`` has the candidates, and how many clients hold each (0 is fine); ``unlisted`` names those of them that
    the decoder is not told. Truth and estimates are in the order of ``held``, without the unlisted."""
    scheme, texts = metric.scheme, list(held)
    if not isinstance(scheme, Rappor):
        raise Unsupported(f"{scheme.name} is about codes: simulate takes a number of clients. Texts are for RAPPOR.")
    truth = np.array([check_whole(count, "held", 0, _MOST) for count in held.values()], np.int64)
    check_whole(int(truth.sum()), "held", 1, _MOST)
    hidden = set(unlisted)
    if not hidden <= held.keys() or len(hidden) == len(texts):
        raise InvalidArgument("unlisted", "must be some of the texts that are held, and not all", list(unlisted))
    bits = scheme.bits(texts, metric.lasting)
    counters = simulate_counters(scheme, bits, truth, moved)
    listed = np.array([text not in hidden for text in texts])
    # As scheme.estimate does, without hashing all texts once more.
    estimates = decode(scheme.rates(counters), Candidates.of(bits[listed], scheme.k))
    return Simulated(scheme, truth[listed], estimates, tuple(text for text in texts if text not in hidden))


def simulate_counters(scheme: Rappor, bits: Integers, held: Integers, moved: Moved | None = None) -> Integers:
    """The counters of clients of whom ``held`` hold each value, a report each; ``bits`` has the bits of every value, as ``scheme.bits``."""
    return _counted(scheme, bits, _dealt(held, scheme.m, moved))


def _dealt(truth: Integers, cohorts: int, moved: Moved | None) -> Integers:
    """(value, cohort) -> how many clients: each draws its cohort."""
    ends, clients = np.cumsum(truth), int(truth.sum())
    dealt = np.zeros(truth.size * cohorts, np.int64)
    for start in range(0, clients, _DEALT):
        stop = min(start + _DEALT, clients)
        values = np.searchsorted(ends, np.arange(start, stop), side="right")
        dealt += np.bincount(values * cohorts + (words(stop - start) & np.uint64(cohorts - 1)).astype(np.int64), minlength=dealt.size)
        if moved is not None:
            moved(stop, clients)
    return dealt.reshape(truth.size, cohorts)


def _counted(scheme: Rappor, bits: Integers, dealt: Integers) -> Integers:
    """The counters that these clients make, a report each."""
    sizes, have = dealt.sum(axis=0), np.zeros(scheme.m * scheme.k)
    for i in range(scheme.h):
        again = (bits[:, :, :i] == bits[:, :, i : i + 1]).any(axis=2)  # a text that hashes to the same bit twice sets it once
        cells = np.arange(scheme.m) * scheme.k + bits[:, :, i]
        have += np.bincount(cells.ravel(), np.where(again, 0, dealt).ravel(), minlength=have.size)
    low, high = (float(chance) for chance in scheme.reported)
    ones = _binomials(have, high) + _binomials(np.repeat(sizes, scheme.k) - have, low)
    return np.concatenate([ones, sizes, [sizes.sum()]]).astype(np.int64)


def _binomials(trials: Floats, chance: float) -> Floats:
    """One draw for each, by inverting the distribution function."""
    some = np.maximum(trials, 1.0)
    found = np.ceil(bdtrik(np.maximum(_uniform(trials.size), 2.0**-54), some, chance))
    return np.where(trials > 0, np.clip(found, 0.0, some), 0.0)


def _levels(shape: str, values: int) -> Floats:
    if shape not in SHAPES:
        raise InvalidArgument("shape", f"must be one of {', '.join(SHAPES)}", shape)
    return np.cumsum(1.0 / np.arange(1, values + 1) if shape == "zipf" else np.ones(values))


def _drawn(levels: Floats, size: int) -> Integers:
    """Values of clients that do not exist: nobody is hurt if the last bits of a probability are off."""
    found: Integers = np.minimum(np.searchsorted(levels, _uniform(size) * levels[-1], side="right"), len(levels) - 1).astype(np.int64)
    return found


def _uniform(size: int) -> Floats:
    return (words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
