"""Simulated estimation of a mean, on growing numbers of synthetic clients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.local.decode.value_estimates import ValueEstimate, estimate_mean
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.planning.simulated_frequencies import (
    MAX_CLIENTS,
    ProgressCallback,
    simulate_collection,
)
from hedgerow.local.protocols import MEAN_PROTOCOLS, LocalProtocol

__all__ = ["SimulatedMean", "simulate_mean"]

_CLIENT_FRACTIONS = (100, 10, 1)  # the first hundredth of all clients, the first tenth, all


@dataclass(frozen=True, slots=True)
class SimulatedMean:
    """The true mean of some clients, from 0 to 1, its estimate, and the predicted error."""

    clients: int
    true_mean: float
    mean_estimate: ValueEstimate
    expected_error: float

    @property
    def error(self) -> float:
        """The estimate minus the truth."""
        return self.mean_estimate.estimate - self.true_mean

    @property
    def is_covered(self) -> bool:
        """True if the 95 % interval contains the truth."""
        return self.mean_estimate.low <= self.true_mean <= self.mean_estimate.high


def simulate_mean(
    scheme: LocalProtocol, clients: int, shape: str = "zipf", moved: ProgressCallback | None = None
) -> list[SimulatedMean]:
    """Simulate one report of each client, with numbers of this shape, and estimate their mean.

    Return the estimates after a hundredth, a tenth and all of the clients.
    """
    if not isinstance(scheme, MEAN_PROTOCOLS):
        raise Unsupported(
            f"{scheme.name} counts values, but simulate_mean estimates a mean. Use"
            " simulate_frequencies instead."
        )
    count, seen = check_integer(clients, "clients", 1, MAX_CLIENTS), 0
    truth, counters = np.zeros(scheme.domain, np.int64), np.zeros(scheme.counter_count, np.int64)
    x, means = np.arange(scheme.domain) / (scheme.domain - 1), []
    first, second, third = map(float, scheme.variance_polynomial())
    for stop in dict.fromkeys(max(1, count // part) for part in _CLIENT_FRACTIONS):
        more = simulate_collection(
            scheme,
            stop - seen,
            shape,
            moved
            and partial(lambda call, before, done, _: call(before + done, count), moved, seen),
        )
        truth, counters, seen = truth + more[0], counters + more[1], stop
        expected = sqrt(float(truth @ (first + second * x + third * x**2))) / stop
        means.append(
            SimulatedMean(
                stop, float(truth @ x) / stop, estimate_mean(scheme.estimate(counters)), expected
            )
        )
    return means
