from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from hedgerow.local.decode.rappor.shrinkage_prior import ShrinkagePrior


def test_posteriors_are_those_of_the_prior_integrated() -> None:
    """Integrate a prior with half at 0, a third in a component at 2, a sixth in one at 6, for
    standard errors 1 and 0.5.
    """
    prior = ShrinkagePrior(np.array([0.0, 2.0, 6.0]), np.array([1 / 2, 1 / 3, 1 / 6]))
    grid = np.linspace(-5, 15, 200_001)
    bumps = norm.pdf(grid, 2.0, 0.5) / 3 + norm.pdf(grid, 6.0, 1.5) / 6
    for estimate, error in ((0.3, 1.0), (1.1, 0.5), (4.0, 1.0), (7.0, 0.5)):
        at_zero, likely = (
            norm.pdf(estimate, 0.0, error) / 2,
            bumps * norm.pdf(estimate, grid, error) * (grid[1] - grid[0]),
        )
        total = at_zero + likely.sum()
        mean = float(likely @ grid) / total
        variance = float(likely @ grid**2) / total - mean**2
        found = prior.shrink(np.array([estimate]), np.array([error]))
        assert (found[0][0], found[1][0]) == pytest.approx((mean, variance), rel=1e-6)


def test_a_prior_learns_how_many_are_absent() -> None:
    rng = np.random.default_rng(1)
    truth = np.append(np.zeros(900), np.full(100, 6.0))
    estimate, errors, prior = truth + rng.normal(size=1000), np.ones(1000), ShrinkagePrior.initial()
    for _ in range(10):
        prior = prior.fit(estimate, errors, 0)
    mean, variance = prior.shrink(np.array([0.0, 2.0, 6.0]), np.ones(3))
    assert mean[0] < 0.1
    assert mean[1] < 1.0
    assert mean[2] == pytest.approx(6.0, abs=0.5)
    assert variance[0] < 0.2
    # of estimates as they are it is 1
    assert np.mean((prior.shrink(estimate, errors)[0] - truth) ** 2) < 0.25


def test_candidates_that_were_not_looked_at_count_as_absent() -> None:
    estimate = np.array([3.0, 0.5])
    few, many = (ShrinkagePrior.initial().fit(estimate, np.ones(2), absent) for absent in (0, 1000))
    assert many.weights[0] > 0.95 > few.weights[0]
    assert few.weights.sum() == pytest.approx(1.0)
    assert few.fit(np.zeros(0), np.zeros(0), 5) is few


def test_the_table_says_the_same() -> None:
    rng = np.random.default_rng(2)
    prior = ShrinkagePrior.initial().fit(
        np.append(rng.normal(size=300), rng.uniform(2, 400, 30)), np.ones(330), 0
    )
    estimate = np.append(rng.normal(size=(4, 50)) * 3, rng.uniform(0, 400, (4, 50)), axis=1)
    for found, exact in zip(
        prior.shrink_by_table(estimate, 1.0),
        prior.shrink(estimate, np.ones(estimate.shape)),
        strict=True,
    ):
        np.testing.assert_allclose(found, exact, rtol=0.02, atol=0.003)
