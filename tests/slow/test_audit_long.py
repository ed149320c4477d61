"""The auditor at length: many runs of the whole procedure, textbook mechanisms that are broken,
noise that is a little too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hedgerow.verify import audit, audit_one_run
from verify.audit.subjects import Subject, coin, discrete_laplace, gridded_gaussian, gridded_laplace

RNG = np.random.default_rng(9)


@pytest.mark.parametrize("samples", [200, 2_000, 20_000])
@pytest.mark.parametrize("subject", [discrete_laplace, gridded_laplace, coin])
def test_a_thousand_runs_exceed_the_truth_no_more_often_than_stated(
    subject: Callable[..., Subject], samples: int
) -> None:
    mechanism = subject(1.0, RNG)
    found = np.array(
        [audit(mechanism, 0, 1, samples=samples, batch=True).epsilon for _ in range(1_000)]
    )
    assert (found > 1.0).sum() <= 95  # 5 % of 1,000; more has a chance below 1e-9


def test_with_a_delta_as_well() -> None:
    phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    truth = 1.5
    delta = phi(0.5 - truth) - math.exp(truth) * phi(-0.5 - truth)
    mechanism = gridded_gaussian(1.0, RNG)
    found = np.array(
        [
            audit(mechanism, 0, 1, samples=5_000, delta=delta, batch=True).epsilon
            for _ in range(1_000)
        ]
    )
    assert (found > truth).sum() <= 95


@pytest.mark.parametrize(
    ("samples", "least"), [(10_000, 0.85), (100_000, 0.95), (1_000_000, 0.985)]
)
def test_power_on_laplace(samples: int, least: float) -> None:
    mechanism = gridded_laplace(1.0, RNG)
    assert (
        np.median([audit(mechanism, 0, 1, samples=samples, batch=True).epsilon for _ in range(21)])
        >= least
    )


@pytest.mark.parametrize(("cells", "least"), [(1_000, 0.75), (10_000, 0.9), (100_000, 0.97)])
def test_power_of_one_run(cells: int, least: float) -> None:
    found = [
        audit_one_run(
            lambda included: included + RNG.laplace(0, 1, included.size), cells=cells
        ).epsilon
        for _ in range(41)
    ]
    assert np.median(found) >= least


def test_noise_a_twentieth_too_small_is_caught() -> None:
    result = audit(
        discrete_laplace(1.05, RNG), 0, 1, samples=2_000_000, confidence=0.999, batch=True
    )
    assert result.refutes(1)


def sparse_vector(noisy_queries: bool, stop: bool) -> Callable[[Any, int], list[tuple[bool, ...]]]:
    """Above or below a noisy threshold at epsilon 1. Without noise on the queries, or without a
    stop after the first, it costs more.
    """

    def run(data: Any, n: int) -> list[tuple[bool, ...]]:
        scale = (4.0 if stop else 2.0) if noisy_queries else 0.0
        above = np.asarray(data) + scale * RNG.laplace(
            size=(n, len(data))
        ) >= 0.5 + 2.0 * RNG.laplace(size=(n, 1))
        if not stop:
            return list(map(tuple, above.tolist()))
        ends = np.where(above.any(axis=1), above.argmax(axis=1) + 1, len(data))
        return [tuple(row[:end]) for row, end in zip(above.tolist(), ends.tolist(), strict=True)]

    return run


def test_the_audit_refutes_broken_variants_of_sparse_vector_only() -> None:
    one, other = [1] * 5 + [0] * 5, [0] * 5 + [1] * 5
    honest = audit(sparse_vector(True, True), one, other, confidence=1 - 1e-9, batch=True)
    assert honest.epsilon <= 1
    assert audit(sparse_vector(False, True), one, other, batch=True).refutes(5)
    assert audit(sparse_vector(True, False), one, other, batch=True).refutes(1)


def test_noisy_maximum_that_tells_the_value() -> None:
    # The index of the largest of noisy scores costs epsilon; handing out its value as well costs
    # more.
    def with_value(data: Any, n: int) -> np.ndarray:
        noisy = np.rint(2**10 * (np.asarray(data) + RNG.laplace(0, 2, (n, len(data)))))
        best = noisy.argmax(axis=1)
        return np.column_stack([best, noisy[np.arange(n), best]])

    one, other = [1, 1, 1, 1, 1, 1], [2, 0, 0, 0, 0, 0]
    index = audit(
        lambda data, n: with_value(data, n)[:, 0],
        one,
        other,
        samples=300_000,
        confidence=1 - 1e-9,
        batch=True,
    )
    assert 0.5 < index.epsilon <= 1
    assert audit(with_value, one, other, samples=300_000, batch=True).refutes(1)
