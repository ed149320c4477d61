"""Pooled tests of squared errors: over many values and batches at once, so that a variance 10 %
off is seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goodness import FAR
from hedgerow.local.protocols import LocalProtocol

BATCHES = 40  # times 1,000 values: a variance 10 % off is then 12 standard deviations away


def skewed(n: int, domain: int) -> NDArray[np.int64]:
    """n values, the first of them far more frequent than the last."""
    return (domain * (np.arange(n) / n) ** 3).astype(np.int64)


def counted(scheme: LocalProtocol, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The state of fresh reports, a piece at a time: all of them may be larger than memory."""
    piece, state = (
        max(1, (1 << 26) // scheme.record_size),
        np.zeros(scheme.counter_count, dtype=np.int64),
    )
    for start in range(0, values.size, piece):
        state += scheme.aggregate(scheme.encode(values[start : start + piece]))
    return state


def scores(
    scheme: LocalProtocol, n: int, batches: int, together: int
) -> tuple[float, float, float, float]:
    """How far errors, squared errors, and those against a variance 10 % larger or smaller are off,
    in standard deviations. Errors are told for so many values together: where few reports name a
    value, that of one value is not normal."""
    values = skewed(n, scheme.domain)
    truth = np.bincount(values, minlength=scheme.domain)
    spread = np.sqrt([scheme.variance(count / n, n) for count in truth])
    errors = np.array(
        [(scheme.estimate(counted(scheme, values)).counts - truth) / spread for _ in range(batches)]
    )

    def squared(factor: float) -> float:
        return float(((errors**2).mean() / factor - 1) / np.sqrt(2 / errors.size))

    # Estimates of one batch may add up to about the same: batches, not values, are independent for
    # the mean error.
    means = errors.sum(axis=0).reshape(-1, together).sum(axis=1) / np.sqrt(batches * together)
    return float(np.abs(means).max()), squared(1.0), squared(1.1), squared(0.9)


def check(scheme: LocalProtocol, n: int, batches: int = BATCHES, together: int = 1) -> None:
    bias, exact, larger, smaller = scores(scheme, n, batches, together)
    assert bias < FAR + 1.2  # the largest of a thousand
    assert abs(exact) < FAR
    assert larger < -FAR
    assert smaller > FAR
