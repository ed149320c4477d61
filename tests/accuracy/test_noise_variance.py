"""Variances against sums over the mass function."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.accuracy.noise_variance import compute_noise_variance, compute_variance
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from publish.helpers_strategies import exact_variance


@pytest.mark.parametrize(
    "scale",
    [Fraction(1, 3), Fraction(1), Fraction(19, 10), Fraction(2), Fraction(7, 2), Fraction(40)],
    ids=str,
)
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_variances_match_the_discrete_distribution(
    kind: type[Laplace] | type[Gaussian], scale: Fraction
) -> None:
    assert compute_noise_variance(kind(scale)) == pytest.approx(
        exact_variance(kind(scale)), rel=1e-12
    )


def test_hardly_any_noise_has_hardly_any_variance() -> None:
    assert compute_noise_variance(Laplace(Fraction(1, 2000))) == 0
    assert compute_noise_variance(Gaussian(Fraction(1, 2000))) == 0


def test_a_weighted_average_adds_variances_by_squared_weights() -> None:
    parts = ((Laplace(Fraction(3)), Fraction(1, 4)), (Gaussian(Fraction(5)), Fraction(3, 4)))
    expected = (
        compute_noise_variance(parts[0][0]) / 16 + compute_noise_variance(parts[1][0]) * 9 / 16
    )
    assert compute_variance(WeightedNoise(parts)) == pytest.approx(expected)
