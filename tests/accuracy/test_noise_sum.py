"""Radii of noise and of sums of noise: they cover, and no smaller one would."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom

from hedgerow.accuracy.noise_sum import bound_sum_radii, find_single_radius, find_sum_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.publish.strategies.strategy import AdditiveNoise

LAWS: tuple[AdditiveNoise, ...] = (
    Laplace(Fraction(1, 2)),
    Laplace(Fraction(3)),
    Laplace(Fraction(40)),
    Gaussian(Fraction(1, 3)),
    Gaussian(Fraction(3, 2)),
    Gaussian(Fraction(7)),
)


def masses(law: AdditiveNoise, draws: int, weights: tuple[int, ...] = (1,)) -> np.ndarray:
    """Those of the sum of so many draws times each weight, from -n to n, by adding up one draw
    after another.
    """
    reach = int(40 * float(law.scale)) + 12
    z = np.arange(-reach, reach + 1)
    with np.errstate(under="ignore"):
        one = (
            np.exp(-np.abs(z) / float(law.scale))
            if isinstance(law, Laplace)
            else np.exp(-((z / float(law.scale)) ** 2) / 2)
        )
    one /= one.sum()
    found = np.ones(1)
    for weight in weights:
        wide = np.zeros(2 * reach * weight + 1)
        wide[::weight] = one
        for _ in range(draws):
            found = np.convolve(found, wide)
    return found


def beyond(mass: np.ndarray, radius: float) -> float:
    middle = len(mass) // 2
    return float(mass[np.abs(np.arange(len(mass)) - middle) > radius].sum())


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("draws", [1, 2, 3, 8])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_radius_of_a_sum_is_the_smallest(law: AdditiveNoise, draws: int, beta: float) -> None:
    mass, radius = masses(law, draws), find_sum_radius(law, draws, beta)
    assert beyond(mass, radius) <= beta
    assert radius == 0 or beyond(mass, radius - 1) > beta


def test_one_draw_follows_the_mechanism() -> None:
    assert find_single_radius(Laplace(Fraction(1)), 0.05) == 3
    assert (
        find_single_radius(Gaussian(Fraction(3)), 0.05)
        == find_sum_radius(Gaussian(Fraction(3)), 1, 0.05)
        == 6
    )


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize(
    "weights", [(1,), (1, 1), (1, 2), (3, 1), (1, 1, 1, 1, 1), (5, 3, 1)], ids=str
)
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_any_weights_are_covered(law: AdditiveNoise, weights: tuple[int, ...], beta: float) -> None:
    squares = np.square(weights)
    variance = compute_noise_variance(law)
    (radius,) = bound_sum_radii(
        np.array([squares.sum() * variance]), [law], squares.max() * variance, beta
    )
    mass = masses(law, 1, weights)
    assert beyond(mass, radius) <= beta
    # little is given away where steps are small, least where the terms are alike
    if law.scale >= 7 and beta <= 0.05:
        smallest = next(k for k in range(len(mass)) if beyond(mass, k) <= beta)
        assert radius <= (1.08 if len(set(weights)) == 1 else 1.3) * smallest + max(weights)


@pytest.mark.parametrize("beta", [0.2, 0.01, 1e-5])
@pytest.mark.parametrize(
    ("scales", "weights"),
    [((4, 9), (3, 1)), (("1/2", 3), (5, 1)), (("1/2", 3), (1, 1)), (("1/4", "1/3"), (1, 2))],
    ids=str,
)
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_laws_of_different_scales_are_covered(
    kind: type[Laplace] | type[Gaussian],
    scales: tuple[int | str, int | str],
    weights: tuple[int, int],
    beta: float,
) -> None:
    laws = [kind(Fraction(scale)) for scale in scales]
    terms = [
        compute_noise_variance(law) * weight**2 for law, weight in zip(laws, weights, strict=True)
    ]
    (radius,) = bound_sum_radii(np.array([sum(terms)]), laws, max(terms), beta)
    mass = np.convolve(
        *(masses(law, 1, (weight,)) for law, weight in zip(laws, weights, strict=True))
    )
    assert beyond(mass, radius) <= beta


def test_a_bound_too_small_for_the_largest_term_is_caught() -> None:
    """Said to be of many small terms, one large Laplace term gets the radius of a normal law,
    and leaves it too often.
    """
    law = Laplace(Fraction(40))
    (wrong,) = bound_sum_radii(
        np.array([compute_noise_variance(law)]), [law], compute_noise_variance(law) / 1000, 1e-3
    )
    assert beyond(masses(law, 1), wrong) > 1e-3


def test_many_radii_at_once_equal_single_radii() -> None:
    law = Laplace(Fraction(6))
    variances, largest = np.array([80.0, 500.0, 90_000.0, 0.0]), np.array([72.0, 72.0, 72.0, 0.0])
    found = bound_sum_radii(variances, [law], largest, 0.05)
    assert found.tolist() == [
        float(bound_sum_radii(v[None], [law], m[None], 0.05)[0])
        for v, m in zip(variances, largest, strict=True)
    ]
    assert found[3] == 0
    assert found[2] / sqrt(90_000) < found[0] / sqrt(80)  # many terms: nearly normal


def test_noise_that_is_hardly_there() -> None:
    for law in (Laplace(Fraction(1, 1000)), Gaussian(Fraction(1, 1000))):
        assert bound_sum_radii(
            np.array([compute_noise_variance(law)]), [law], compute_noise_variance(law), 0.05
        ).tolist() == [0.0]
        assert find_sum_radius(law, 5, 0.05) == 0


def test_sums_too_long_for_a_transform_and_tails_too_small() -> None:
    law = Laplace(Fraction(10**7))
    assert find_sum_radius(law, 2, 0.05) == pytest.approx(
        2.061 * 10**7 * sqrt(2) * sqrt(2), rel=0.02
    )
    assert find_sum_radius(Gaussian(Fraction(9)), 4, 1e-12) == pytest.approx(7.13 * 18 + 1, abs=1)


def test_live_noise_is_covered() -> None:
    law = Gaussian(Fraction(5, 2))
    noise = law.sample(np.zeros((100_000, 3), dtype=np.int64)) @ np.array([0.5, 0.3, 0.2])
    (radius,) = bound_sum_radii(np.array([0.38 * 6.25]), [law], 0.25 * 6.25, 0.05)
    assert binom.sf(int((np.abs(noise) > radius).sum()) - 1, 100_000, 0.05) > 1e-9


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="all Laplace or all Gaussian"):
        bound_sum_radii(np.ones(1), [Laplace(Fraction(1)), Gaussian(Fraction(1))], 1.0, 0.05)
    with pytest.raises(InvalidArgument, match="at least one"):
        bound_sum_radii(np.ones(1), [], 1.0, 0.05)
    with pytest.raises(InvalidArgument, match="beta"):
        find_sum_radius(Laplace(Fraction(1)), 2, 1)
    with pytest.raises(InvalidArgument, match="draws"):
        find_sum_radius(Laplace(Fraction(1)), 0, 0.05)
