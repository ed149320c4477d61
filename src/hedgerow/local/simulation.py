"""What collecting would give, tried on clients that do not exist: their values are known, so the error is too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.estimates import Estimates
from hedgerow.local.protocols import Protocol
from hedgerow.local.thresholds import check_whole
from hedgerow.numeric.bits import words
from hedgerow.numeric.chunk import Floats, Integers

__all__ = ["SHAPES", "Simulated", "simulate"]

SHAPES = ("zipf", "uniform")
_PIECE = 1 << 24  # bytes of reports at a time
_MOST = 10**9


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """True counts and what was estimated of them."""

    scheme: Protocol
    truth: Integers
    estimates: Estimates

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


def simulate(scheme: Protocol, clients: int, shape: str = "zipf", moved: Callable[[int, int], None] | None = None) -> Simulated:
    """Let so many clients hold values of this shape, report once each, and estimate. ``moved`` hears how far it is."""
    check_whole(clients, "clients", 1, _MOST)
    if shape not in SHAPES:
        raise InvalidArgument("shape", f"must be one of {', '.join(SHAPES)}", shape)
    levels = np.cumsum(1.0 / np.arange(1, scheme.domain + 1) if shape == "zipf" else np.ones(scheme.domain))
    truth, counters = np.zeros(scheme.domain, np.int64), np.zeros(scheme.counters, np.int64)
    piece = max(1, _PIECE // max(8, scheme.record))
    for start in range(0, clients, piece):
        values = _drawn(levels, min(piece, clients - start))
        truth += np.bincount(values, minlength=scheme.domain)
        counters += scheme.aggregate(scheme.encode(values))
        if moved is not None:
            moved(min(start + piece, clients), clients)
    estimates = scheme.estimate(counters)
    if len(estimates.counts) != scheme.domain:
        raise Unsupported(f"A simulation counts values, and {scheme.name} estimates a mean. Take a protocol that counts.")
    return Simulated(scheme, truth, estimates)


def _drawn(levels: Floats, size: int) -> Integers:
    """Values of clients that do not exist: nobody is hurt if the last bits of a probability are off."""
    uniform = (words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    found: Integers = np.minimum(np.searchsorted(levels, uniform * levels[-1], side="right"), len(levels) - 1).astype(np.int64)
    return found
