"""What estimating a mean would give, tried on clients that do not exist, and how it closes in on the truth as more of them report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.local.findings import Finding, mean_finding
from hedgerow.local.protocols import MEANS, Protocol
from hedgerow.local.simulation import Moved, collected
from hedgerow.local.thresholds import check_whole

__all__ = ["SimulatedMean", "simulate_mean"]

_PARTS = (100, 10, 1)  # of all clients: the first hundredth, the first tenth, all
_MOST = 10**9


@dataclass(frozen=True, slots=True)
class SimulatedMean:
    """After so many clients: their true mean from 0 to 1, what was estimated of it, and the error that the exact variance foretells."""

    clients: int
    truth: float
    found: Finding
    expected: float

    @property
    def error(self) -> float:
        """Estimate less truth."""
        return self.found.estimate - self.truth

    @property
    def covered(self) -> bool:
        """Whether the 95 % interval holds the truth."""
        return self.found.low <= self.truth <= self.found.high


def simulate_mean(scheme: Protocol, clients: int, shape: str = "zipf", moved: Moved | None = None) -> list[SimulatedMean]:
    """Let so many clients hold numbers of this shape and report once each: the mean after some of them, and last after all."""
    if not isinstance(scheme, MEANS):
        raise Unsupported(f"{scheme.name} counts values, and estimates no mean: simulate tries it.")
    count, seen = check_whole(clients, "clients", 1, _MOST), 0
    truth, counters = np.zeros(scheme.domain, np.int64), np.zeros(scheme.counters, np.int64)
    x, told = np.arange(scheme.domain) / (scheme.domain - 1), []
    first, second, third = map(float, scheme.curve())
    for stop in dict.fromkeys(max(1, count // part) for part in _PARTS):
        more = collected(scheme, stop - seen, shape, moved and partial(_further, moved, seen, count))
        truth, counters, seen = truth + more[0], counters + more[1], stop
        expected = sqrt(float(truth @ (first + second * x + third * x**2))) / stop
        told.append(SimulatedMean(stop, float(truth @ x) / stop, mean_finding(scheme.estimate(counters)), expected))
    return told


def _further(moved: Moved, seen: int, count: int, done: int, _: int) -> None:
    """What a part has done, beyond the parts before it."""
    moved(seen + done, count)
