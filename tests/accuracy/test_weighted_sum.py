"""How far sums of noise may be off: the bounds hold, and are not far from the truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import (
    _bound_coupling_distance,
    _compute_tail,
    _find_closed_radii,
    _find_laplace_radius,
    compute_mean_error,
    compute_radii,
    compute_radius,
)
from hedgerow.mechanisms import Gaussian, Laplace

LAWS = (Laplace(Fraction(30)), Gaussian(Fraction(30)))
WEIGHTS = [(1,), (1, 1), (2, 1), (Fraction(1, 3), 0, Fraction(-1, 7)), (1,) * 9]


def drawn(law: Laplace | Gaussian, weights: tuple[Fraction, ...], size: int) -> np.ndarray:
    zeros = np.zeros(size, dtype=np.int64)
    return sum(float(w) * law.sample(zeros) for w in weights)  # type: ignore[return-value]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("law", LAWS)
def test_sums_of_noise_stay_within_the_radius(
    law: Laplace | Gaussian, weights: tuple[Fraction, ...]
) -> None:
    """100,000 draws at 5 %: more than 5,450 outside would be six and a half standard errors."""
    beta = Fraction(1, 20)
    outside = np.abs(drawn(law, weights, 100_000)) > float(compute_radius(law, weights, beta))
    assert outside.sum() < 5450
    assert outside.sum() > 4000  # it is not much wider either


def test_noise_of_both_kinds_stays_within_the_radius() -> None:
    """Totals with Laplace noise and parts with Gaussian noise, made consistent. 100,000 draws at
    5 %.
    """
    law = WeightedNoise(
        (
            (Laplace(Fraction(30)), Fraction(1, 2)),
            (Gaussian(Fraction(20)), Fraction(1, 2)),
            (Gaussian(Fraction(9)), Fraction(1, 3)),
        )
    )
    weights, beta, n = (Fraction(1), Fraction(-1)), Fraction(1, 20), 100_000
    noise = sum(
        drawn(one, tuple(weight * share for weight in weights), n) for one, share in law.terms
    )  # type: ignore[arg-type]
    outside = np.abs(noise) > float(compute_radius(law, weights, beta))
    assert outside.sum() < 5450
    assert np.abs(noise).mean() == pytest.approx(compute_mean_error(law, weights), rel=0.05)
    (wide,) = compute_radii(law, np.array([[1.0, 1.0]]), 0.05)
    assert (np.abs(noise) > wide).sum() < 5450
    assert wide == pytest.approx(float(compute_radius(law, weights, beta)), rel=0.1)


def test_a_single_number_has_the_radius_of_its_law() -> None:
    for law in LAWS:
        assert compute_radius(law, (Fraction(1, 4), Fraction(0)), Fraction(1, 20)) == Fraction(
            law.error(Fraction(1, 20)), 4
        )


def test_tiny_noise_is_bounded_by_its_parts() -> None:
    law = Laplace(Fraction(1, 100))
    assert compute_radius(law, (Fraction(1), Fraction(1)), Fraction(1, 20)) == 0


def test_two_laplace_draws_have_a_known_tail() -> None:
    """Pr[|X + Y| > t] = (1 + t/2) e^-t for scale 1."""
    for beta in (0.5, 0.05, 1e-4, 1e-9):
        t = _find_laplace_radius((1.0, 1.0), beta)
        assert (1 + t / 2) * math.exp(-t) == pytest.approx(beta, rel=2e-3)
        assert (1 + t / 2) * math.exp(-t) <= beta


@pytest.mark.parametrize(
    "sizes",
    [
        (1.0,),
        (0.2, 1.0),
        (1.0, 1.0),
        (0.3, 0.7, 1.0),
        (1.0, 1.0, 1.0),
        (1e-9, 0.5, 0.5, 1.0),
        (1.0,) * 4,
    ],
)
def test_partial_fractions_are_the_integral(sizes: tuple[float, ...]) -> None:
    for beta in (0.5, 0.05, 1e-4, 1e-9):
        t = float(_find_closed_radii(np.array([sizes]), beta)[0])
        assert 0.96 * beta <= _compute_tail(t, sizes) <= beta * (1 + 1e-5)


@pytest.mark.parametrize(
    "law", [*LAWS, Laplace(Fraction(1)), Laplace(Fraction(1, 1000)), Gaussian(Fraction(3))]
)
def test_draws_are_near_continuous_ones(law: Laplace | Gaussian) -> None:
    """By their quantiles: |Z| >= k as often as |L| >= some l, and l lies between k - apart and k
    - 1 + apart.
    """
    apart = _bound_coupling_distance(law)
    for k in range(1, 12):
        tail = 0.0
        for z in range(k, k + 2000):
            tail += 2 * math.exp(float(law.log_prob(z, 0)))
        if tail < 1e-15:
            break
        scale = float(law.scale)
        if isinstance(law, Laplace):
            far = -scale * math.log(min(tail, 1.0))
        else:
            low, high = 0.0, 10 * scale
            for _ in range(100):
                middle = (low + high) / 2
                low, high = (
                    (low, middle)
                    if math.erfc(middle / scale / math.sqrt(2)) <= tail
                    else (middle, high)
                )
            far = high
        assert k - apart - 1e-6 <= far <= k - 1 + apart + 1e-6


@pytest.mark.parametrize(
    "law",
    [
        *LAWS,
        WeightedNoise(
            (
                (LAWS[0], Fraction(1, 3)),
                (Laplace(Fraction(20)), Fraction(2, 3)),
                (LAWS[0], Fraction(1, 5)),
            )
        ),
    ],
)
def test_radii_hold_row_by_row_and_are_convex(law: Laplace | Gaussian | WeightedNoise) -> None:
    """100,000 draws at 5 %: more than 5,450 outside would be six and a half standard errors."""
    weights = np.array([[1.0, 0.0], [0.75, -0.25], [0.5, -0.5], [0.25, -0.75], [0.0, -1.0]])
    far = compute_radii(law, weights, 0.05)
    parts = law.terms if isinstance(law, WeightedNoise) else ((law, Fraction(1)),)
    noise = sum(
        float(share) * one.sample(np.zeros((2, 100_000), dtype=np.int64)) for one, share in parts
    )
    outside = (np.abs(weights @ noise) > far[:, None]).sum(axis=1)
    assert (outside < 5450).all()
    assert (outside > 4000).all()
    assert (np.diff(far, 2) > 0).all()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("law", LAWS)
def test_the_mean_size_is_that_of_draws(
    law: Laplace | Gaussian, weights: tuple[Fraction, ...]
) -> None:
    """The relative standard error of 100,000 draws is below 0.4 %."""
    found = np.abs(drawn(law, weights, 100_000)).mean()
    assert compute_mean_error(law, weights) == pytest.approx(found, rel=0.025)


def test_no_noise_has_no_size() -> None:
    assert compute_mean_error(Laplace(Fraction(1, 10**6)), (Fraction(1),)) == 0


@pytest.mark.parametrize(
    "law",
    [
        *LAWS,
        WeightedNoise(tuple((law, Fraction(1, 2)) for law in LAWS)),
        WeightedNoise(((LAWS[0], Fraction(1, 3)),) * 3),
    ],
)
def test_zero_groups_have_no_radii(law: Laplace | Gaussian | WeightedNoise) -> None:
    for numbers in (1, 3, 9):
        assert compute_radii(law, np.zeros((0, numbers)), 0.05).shape == (0,)


def test_radii_of_many_numbers_are_bounds_that_are_not_much_wider() -> None:
    generator = np.random.default_rng(5)
    weights = generator.uniform(0, 1, (6, 9))
    for noise in (
        Laplace(Fraction(1000)),
        WeightedNoise(((Laplace(Fraction(900)), Fraction(1, 3)),)),
    ):
        for beta in (0.025, 0.01, 1e-4):
            found = compute_radii(noise, weights, beta)
            for row, far in zip(weights, found.tolist(), strict=True):
                parts = tuple(Fraction(float(weight)) for weight in row)
                exact = float(compute_radius(noise, parts, Fraction(beta)))
                assert exact < far < 1.6 * exact
