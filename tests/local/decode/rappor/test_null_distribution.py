from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm, pearson3

from hedgerow.local.decode.rappor.null_distribution import NullDistribution, compute_upper_tail


def enumerated(pulls: np.ndarray, hashes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of all equally likely choices of bits, and the shares of d distinct bits in
    a cohort.
    """
    bits = range(pulls.shape[1])
    of_each = [
        [sum(row[bit] for bit in set(chosen)) for chosen in product(bits, repeat=hashes)]
        for row in pulls
    ]
    distinct = np.bincount(
        [len(set(chosen)) for chosen in product(bits, repeat=hashes)], minlength=hashes + 1
    )
    return np.array([sum(scores) for scores in product(*of_each)]), distinct / distinct.sum()


@pytest.mark.parametrize(
    ("cohorts", "bits", "hashes"), [(4, 6, 1), (1, 7, 3), (3, 4, 2), (2, 3, 3)]
)
def test_tails_are_those_of_all_choices_of_bits(cohorts: int, bits: int, hashes: int) -> None:
    pulls = np.random.default_rng(bits).normal(size=(cohorts, bits)) ** 3 + 0.1
    scores, distinct = enumerated(pulls, hashes)
    law = NullDistribution.of(pulls, distinct)
    assert law.mean == pytest.approx(scores.mean())
    assert law.variance == pytest.approx(scores.var())
    exact = np.array([(scores >= score - 1e-9).mean() for score in np.unique(scores)])
    found = law.upper_tail(np.unique(scores))
    # never below, and above only by what shares a few steps of the grid
    assert (found >= exact - 1e-9).all()
    near = np.array([(scores >= score - 0.1 * scores.std()).mean() for score in np.unique(scores)])
    assert (found <= near + 1e-9).all()


def test_no_p_value_is_below_the_chance_of_the_same_bits() -> None:
    pulls = np.zeros((4, 8))
    pulls[:, 0] = 1.0
    law = NullDistribution.of(pulls - pulls.mean(), np.array([0.0, 1.0]))
    assert law.upper_tail(np.array([4 * 7 / 8]))[0] == pytest.approx(8.0**-4, rel=1e-6)


def test_many_cohorts_and_far_tails() -> None:
    """Compare with drawn scores, and beyond the grid with the bound of a normal distribution."""
    rng = np.random.default_rng(3)
    pulls = rng.normal(size=(64, 16)) + 6.0 * (rng.random((64, 16)) < 0.02)
    pulls -= pulls.mean()
    chosen = rng.integers(0, 16, (100_000, 64, 2))
    same = chosen[:, :, 0] == chosen[:, :, 1]
    every = pulls[np.arange(64)[None, :, None], chosen]
    scores = every[:, :, 0].sum(axis=1) + np.where(same, 0.0, every[:, :, 1]).sum(axis=1)
    law = NullDistribution.of(pulls, np.array([0.0, 1 / 16, 15 / 16]))
    for share in (0.5, 0.1, 0.01, 0.001):
        found = float(law.upper_tail(np.quantile(scores, [1 - share]))[0])
        assert abs(found - share) < 6.2 * (share / scores.size) ** 0.5 + 0.03 * share
    far = law.upper_tail(law.mean + law.variance**0.5 * np.array([9.0, 11.0, 15.0, 200.0]))
    assert (np.diff(far) <= 0).all()
    assert norm.sf(9.0) < far[0] < 1e-9
    assert far[2] < 1e-20


def test_noise_that_is_known_makes_up_for_pulls_that_were_fitted_too_well() -> None:
    law = NullDistribution.of(np.zeros((20, 8)), np.array([0.0, 1.0]), 4.0)
    assert (law.mean, law.variance) == (0.0, 4.0)
    np.testing.assert_allclose(
        law.upper_tail(np.array([0.0, 2.0, 6.0])), norm.sf([0.0, 1.0, 3.0]), rtol=0.03
    )


def test_nothing_pulls() -> None:
    assert NullDistribution.of(np.zeros((2, 8)), np.array([0.0, 1.0])).upper_tail(
        np.array([-1.0, 0.0, 1.0])
    ).tolist() == [1.0, 1.0, 1.0]


def test_beyond_512_cohorts_a_skewed_distribution_approximates_the_exact_one() -> None:
    rng = np.random.default_rng(4)
    pulls = rng.normal(size=(512, 64)) + 20.0 * (rng.random((512, 64)) < 0.01)
    pulls -= pulls.mean()
    law, distinct = NullDistribution.of(pulls, np.array([0.0, 1.0])), np.array([0.0, 1.0])
    twice = NullDistribution.of(np.vstack([pulls, pulls]) / 2**0.5, distinct)
    assert twice.variance == pytest.approx(law.variance)
    assert twice.skewness == pytest.approx(law.skewness / 2**0.5)
    z = law.variance**0.5 * np.array([0.0, 1.0, 3.0, 4.0])
    np.testing.assert_allclose(
        law.upper_tail(z), pearson3.sf([0.0, 1.0, 3.0, 4.0], law.skewness), rtol=0.1
    )
    np.testing.assert_allclose(
        twice.upper_tail(z), pearson3.sf([0.0, 1.0, 3.0, 4.0], twice.skewness), rtol=1e-6
    )


def test_upper_tail() -> None:
    z = np.array([-3.0, 0.0, 2.0, 5.0])
    np.testing.assert_allclose(compute_upper_tail(z, 0.0), norm.sf(z), rtol=1e-12)
    np.testing.assert_allclose(compute_upper_tail(z, -1.0), norm.sf(z), rtol=1e-12)
    np.testing.assert_allclose(compute_upper_tail(z, 0.5), pearson3.sf(z, 0.5), rtol=1e-9)
    np.testing.assert_allclose(compute_upper_tail(z, 2e-4), norm.sf(z), rtol=1e-2)
