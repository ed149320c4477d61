from __future__ import annotations

import numpy as np
import pytest

from hedgerow.local.decode.rappor.robust_residuals import ResidualCap


def test_without_unlisted_values_influence_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(1)
    variances = rng.uniform(0.5, 2.0, 4000)
    left = rng.normal(size=4000) * np.sqrt(variances)
    law = ResidualCap.learn(left, variances)
    assert law.cap >= 2.5
    pulls, says = ResidualCap.uncapped(left, variances).compute_influence(left, variances)
    np.testing.assert_allclose(says, 1 / variances)
    np.testing.assert_allclose(
        pulls, (left - np.average(left, weights=1 / variances)) / variances, atol=1e-9
    )


def test_influence_of_unlisted_values_is_capped() -> None:
    """One cell in twenty is ten standard deviations high: estimates are more than four times as
    sharp as those of least squares.
    """
    rng = np.random.default_rng(2)
    high = rng.random(4000) < 0.05
    left, variances = 10.0 * high + rng.normal(size=4000), np.ones(4000)
    law = ResidualCap.learn(left, variances)
    assert law.cap < 3
    assert law.baseline == pytest.approx(0.0, abs=0.2)
    pulls, says = law.compute_influence(left, variances)
    assert pulls.sum() == pytest.approx(0.0, abs=1e-6)
    assert np.ptp(pulls[high]) < 0.5  # all at the cap, but a few
    plain, all_say = ResidualCap.uncapped(left, variances).compute_influence(left, variances)
    assert says.sum() ** 2 / (pulls @ pulls) > 4 * all_say.sum() ** 2 / (plain @ plain)


def test_pulls_never_fall_when_more_is_left() -> None:
    law, left = ResidualCap(0.1, 1.5), np.linspace(-4, 6, 50)
    pulls, _ = law.compute_influence(left, np.full(50, 0.5))
    assert (np.diff(pulls) >= 0).all()
    raised = law.raise_influence(left, np.full(50, 0.3), np.full(50, 0.5), pulls)
    assert (raised >= pulls).all()
    np.testing.assert_allclose(raised[:5], pulls[:5] + 0.6)
    np.testing.assert_allclose(raised[-5:], pulls[-5:])


def test_no_cap_where_most_cells_would_be_above_it() -> None:
    left = np.append(np.full(30, 50.0) + np.arange(30), [-3.0, 0.0, 3.0])
    law = ResidualCap.learn(left, np.ones(33))
    assert np.mean(left - law.baseline < law.cap) >= 0.5


def test_nothing_left() -> None:
    assert ResidualCap.learn(np.zeros(8), np.ones(8)).cap == np.inf
