"""What estimating a mean would give, tried on clients that do not exist, and how it closes in on
the truth as more of them report.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.local.decode.value_estimates import ValueEstimate, estimate_mean
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.planning.simulated_frequencies import ProgressCallback, simulate_collection
from hedgerow.local.protocols import MEAN_PROTOCOLS, LocalProtocol

__all__ = ["SimulatedMean", "simulate_mean"]

_CLIENT_FRACTIONS = (100, 10, 1)  # of all clients: the first hundredth, the first tenth, all
_MAX_CLIENTS = 10**9


@dataclass(frozen=True, slots=True)
class SimulatedMean:
    """After so many clients: their true mean from 0 to 1, what was estimated of it, and the
    error that the exact variance foretells.
    """

    clients: int
    true_mean: float
    mean_estimate: ValueEstimate
    expected_error: float

    @property
    def error(self) -> float:
        """Estimate less truth."""
        return self.mean_estimate.estimate - self.true_mean

    @property
    def is_covered(self) -> bool:
        """Whether the 95 % interval holds the truth."""
        return self.mean_estimate.low <= self.true_mean <= self.mean_estimate.high


def simulate_mean(
    scheme: LocalProtocol, clients: int, shape: str = "zipf", moved: ProgressCallback | None = None
) -> list[SimulatedMean]:
    """Let so many clients hold numbers of this shape and report once each: the mean after some
    of them, and last after all.
    """
    if not isinstance(scheme, MEAN_PROTOCOLS):
        raise Unsupported(f"{scheme.name} counts values, and estimates no mean: simulate tries it.")
    count, seen = check_integer(clients, "clients", 1, _MAX_CLIENTS), 0
    truth, counters = np.zeros(scheme.domain, np.int64), np.zeros(scheme.counter_count, np.int64)
    x, told = np.arange(scheme.domain) / (scheme.domain - 1), []
    first, second, third = map(float, scheme.variance_polynomial())
    for stop in dict.fromkeys(max(1, count // part) for part in _CLIENT_FRACTIONS):
        more = simulate_collection(
            scheme, stop - seen, shape, moved and partial(_report_progress, moved, seen, count)
        )
        truth, counters, seen = truth + more[0], counters + more[1], stop
        expected = sqrt(float(truth @ (first + second * x + third * x**2))) / stop
        told.append(
            SimulatedMean(
                stop, float(truth @ x) / stop, estimate_mean(scheme.estimate(counters)), expected
            )
        )
    return told


def _report_progress(moved: ProgressCallback, seen: int, count: int, done: int, _: int) -> None:
    """What a part has done, beyond the parts before it."""
    moved(seen + done, count)
