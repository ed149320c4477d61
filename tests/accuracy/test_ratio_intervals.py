"""Intervals of means, variances and covariances: they cover, they are about as narrow as noise
allows, and say so when it drowned them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.accuracy.ratio_intervals import (
    compute_covariance_intervals,
    compute_mean_intervals,
    to_matrix,
)
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radii
from hedgerow.mechanisms import Gaussian, Laplace

WIDE = 1000
LAWS = (Laplace(Fraction(WIDE)), Gaussian(Fraction(WIDE)))
MEAN, SQUARES = np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.0, 0.0])
FIRST, SECOND, BOTH = (
    np.array([1.0, 1.0, 0.0, 0.0]),
    np.array([1.0, 0.0, 1.0, 0.0]),
    np.array([1.0, 0.0, 0.0, 0.0]),
)


def noisy(exact: Any, law: Any, size: int = 20_000) -> Any:
    parts = law.terms if isinstance(law, WeightedNoise) else ((law, 1),)
    drawn = sum(
        float(share) * one.sample(np.zeros((size, len(exact)), dtype=np.int64))
        for one, share in parts
    )
    return np.asarray(exact, dtype=float) + drawn


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [0.0, 0.03, 0.4, 1.0])
def test_means_are_covered_and_no_more_often_than_asked_for(law: Any, mean: float) -> None:
    """20,000 draws at 95 %: six standard errors are 0.9 %. At an end of the range half of the
    failures cannot happen.
    """
    rows = 300 * WIDE
    ends = compute_mean_intervals(
        noisy([rows * mean, rows * (1 - mean)], law), np.array([1.0, 0.0]), law, 0.05
    )
    covered = np.mean((ends[:, 0] <= mean) & (mean <= ends[:, 1]))
    assert 0.941 < covered < (0.96 if 0 < mean < 1 else 0.985)
    assert (ends >= 0).all()
    assert (ends <= 1).all()


def test_the_width_of_a_mean_is_that_of_the_noise_that_moves_it() -> None:
    """Twice the radius of the weights (1 - m, m), by the total."""
    (ends,) = compute_mean_intervals(np.array([[3e8, 7e8]]), np.array([1.0, 0.0]), LAWS[0], 0.05)
    far = compute_radii(LAWS[0], np.array([[0.7, 0.3]]), 0.05)[0]
    assert ends[1] - ends[0] == pytest.approx(2 * far / 1e9, rel=1e-2)


def test_a_possibly_empty_group_gets_the_whole_range() -> None:
    far = compute_radii(LAWS[0], np.ones((1, 2)), 0.05)[0]
    ends = compute_mean_intervals(
        np.array([[far, 0.0], [-9e9, 9e9], [2 * far, 0.0]]), np.array([1.0, 0.0]), LAWS[0], 0.05
    )
    assert ends[:2].tolist() == [[0, 1], [0, 1]]
    assert ends[2, 0] > 0


def test_the_nearer_end_is_returned_when_no_mean_fits() -> None:
    ends = compute_mean_intervals(
        np.array([[-1e8, 9e8], [9e8, -1e8]]), np.array([1.0, 0.0]), LAWS[0], 0.05
    )
    assert ends.tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("less", [0, 1])
@pytest.mark.parametrize("values", [(0, 1), (0.5, 0.5), (0.1, 0.2), (0.4, 0.9)])
def test_variances_are_covered(law: Any, less: int, values: tuple[float, float]) -> None:
    """20,000 draws at 95 %: six standard errors are 0.9 %."""
    t = np.repeat(values, 400)
    exact = [(t * t).sum() * WIDE, (2 * t * (1 - t)).sum() * WIDE, ((1 - t) ** 2).sum() * WIDE]
    ends = compute_covariance_intervals(
        noisy(exact, law), (MEAN, MEAN, SQUARES), law, 0.05, less * WIDE
    )
    truth = t.var(ddof=less)
    assert 0.941 < np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) < 0.985


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("less", [0, 1])
def test_covariances_are_covered(law: Any, less: int) -> None:
    """20,000 draws at 95 %: six standard errors are 0.9 %."""
    t, u = np.linspace(0, 1, 800), np.linspace(0, 1, 800) ** 2
    exact = [
        WIDE * product.sum() for product in (t * u, t * (1 - u), (1 - t) * u, (1 - t) * (1 - u))
    ]
    ends = compute_covariance_intervals(
        noisy(exact, law), (FIRST, SECOND, BOTH), law, 0.05, less * WIDE
    )
    truth = np.cov(t, u, ddof=less)[0, 1]
    assert 0.941 < np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) < 0.985


def test_a_large_noise_of_the_total_gives_no_information() -> None:
    few = np.array(
        [[3 * WIDE, 0, 3 * WIDE], [0, 0, 0], [-WIDE, 0, WIDE], [500 * WIDE, 0, 500 * WIDE]],
        dtype=float,
    )
    ends = compute_covariance_intervals(few, (MEAN, MEAN, SQUARES), LAWS[0], 0.05)
    assert np.isnan(ends[:3]).all()
    assert ends[3, 0] < 0.25 < ends[3, 1]


def test_answers_that_were_averaged_are_covered_too() -> None:
    """2,000 draws at 80 %: six standard errors are 5.4 %. Weights are rounded up for so many
    draws, by 1/64 of the largest at most.
    """
    law = WeightedNoise(
        (
            (Laplace(Fraction(2000)), Fraction(1, 4)),
            (Laplace(Fraction(1000)), Fraction(1, 2)),
            (Laplace(Fraction(1500)), Fraction(1, 4)),
        )
    )
    ends = compute_mean_intervals(
        noisy([90 * WIDE, 210 * WIDE], law, 2000), np.array([1.0, 0.0]), law, 0.2
    )
    assert 0.746 < np.mean((ends[:, 0] <= 0.3) & (ends[:, 1] >= 0.3)) < 0.87


def test_groups_are_rows() -> None:
    assert to_matrix([[1, 2], [Fraction(1, 2), 3], [4, 5]]).tolist() == [[1, 0.5, 4], [2, 3, 5]]
    assert to_matrix([[], []]).shape == (0, 2)
    assert compute_mean_intervals(
        to_matrix([[], []]), np.array([1.0, 0.0]), LAWS[0], 0.05
    ).shape == (0, 2)
