"""Truncated noise, against sums of the remaining masses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from goodness import chi_square
from hedgerow.numeric.rounding import exp_up
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.truncated_laplace_sampler import (
    truncated_laplace,
    truncated_laplace_radius,
    truncated_laplace_tail,
)
from hedgerow.numeric.tails.laplace import laplace_tail_double, truncated_end_mass

SCALES = [Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(10, 3), Fraction(50)]


def law(scale: Fraction, cut: int) -> dict[int, Fraction]:
    """Return the distribution to 60 digits."""
    masses = {z: exp_up(Fraction(-abs(z)) / scale, 60) for z in range(-cut, cut + 1)}
    total = sum(masses.values())
    return {z: mass / total for z, mass in masses.items()}


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("cut", [0, 1, 7, 60])
def test_the_double_is_the_sum_of_the_masses(scale: Fraction, cut: int) -> None:
    masses = law(scale, cut)
    for m in range(-cut - 2, cut + 3):
        exact = sum((mass for z, mass in masses.items() if z >= m), Fraction(0))
        assert truncated_laplace_tail(scale, cut, m) == pytest.approx(float(exact), rel=1e-12)


def test_the_tail_matches_the_end_mass_of_delta() -> None:
    for cut, most in ((40, 1), (40, 7), (4000, 30)):
        assert truncated_laplace_tail(Fraction(30), cut, cut + 1 - most) == pytest.approx(
            float(truncated_end_mass(Fraction(30), cut, most)), rel=1e-12
        )


def test_distant_tails_stay_finite() -> None:
    assert truncated_laplace_tail(Fraction(1), 10**400, 1) == laplace_tail_double(Fraction(1), 1)
    assert truncated_laplace_tail(Fraction(1), 10**400, 10**400) == 0
    # as good as even
    assert truncated_laplace_tail(Fraction(10**12), 10**6, 10**6) == pytest.approx(
        1 / (2 * 10**6 + 1), rel=1e-5
    )


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("cut", [0, 1, 7, 60])
@pytest.mark.parametrize(
    "level", [Fraction(9, 10), Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**30)], ids=float
)
def test_the_radius_is_the_smallest(scale: Fraction, cut: int, level: Fraction) -> None:
    masses, radius = law(scale, cut), truncated_laplace_radius(scale, cut, level)

    def outside(size: int) -> Fraction:
        return sum((mass for z, mass in masses.items() if abs(z) > size), Fraction(0))

    assert outside(radius) <= level
    assert radius == 0 or outside(radius - 1) > level


@pytest.mark.parametrize(("scale", "cut"), [(Fraction(3), 5), (Fraction(20), 6)])
def test_draws_follow_the_distribution(scale: Fraction, cut: int) -> None:
    """200,000 draws, false alarms 1e-9.

    The same test rejects untruncated noise that is clamped to the ends.
    """
    masses, n = law(scale, cut), 200_000
    expected = np.array([float(masses[z]) for z in sorted(masses)])

    def p_value(noise: object) -> float:
        return chi_square(np.bincount(np.asarray(noise) + cut, minlength=2 * cut + 1), expected)

    assert p_value(truncated_laplace(scale, cut, n)) > 1e-9
    assert p_value(np.clip(discrete_laplace(scale, n), -cut, cut)) < 1e-9


def test_no_draws_and_a_cut_beyond_every_draw() -> None:
    assert truncated_laplace(Fraction(1), 3, 0).tolist() == []
    assert truncated_laplace(Fraction(1), 10**400, 5).size == 5
    assert truncated_laplace(Fraction(1), 0, 50).tolist() == [0] * 50
