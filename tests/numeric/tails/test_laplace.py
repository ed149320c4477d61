"""Tails of discrete Laplace noise, against sums of its masses."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, inf

import pytest

from hedgerow.numeric.rounding import exp_down, exp_up
from hedgerow.numeric.tails.laplace import (
    laplace_radius,
    laplace_tail,
    laplace_tail_double,
    laplace_threshold,
    laplace_truncation,
    truncated_end_mass,
)

SCALES = [Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(10, 3), Fraction(50)]


def bounds(scale: Fraction, m: int) -> tuple[Fraction, Fraction]:
    """Return bounds of Pr[Z >= m] to 60 digits."""
    low, high = exp_down(-1 / scale, 60), exp_up(-1 / scale, 60)
    steps = max(m, 1 - m)
    least, most = exp_down(-steps / scale, 60) / (1 + high), exp_up(-steps / scale, 60) / (1 + low)
    return (least, most) if m >= 1 else (1 - most, 1 - least)


def test_the_formula_is_the_sum_of_the_masses() -> None:
    q = Fraction(2, 3)
    for m in range(-5, 6):
        below = sum(((1 - q) / (1 + q) * q ** abs(z) for z in range(m - 200, m)), Fraction(0))
        formula = q**m / (1 + q) if m >= 1 else 1 - q ** (1 - m) / (1 + q)
        assert float(1 - below) == pytest.approx(float(formula), abs=1e-12)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_tail_is_rounded_up_slightly(scale: Fraction) -> None:
    for m in (-30, -1, 0, 1, 2, 7, 40):
        low, high = bounds(scale, m)
        assert (
            low <= laplace_tail(scale, m) <= high * (1 + Fraction(1, 10**35)) + Fraction(1, 10**160)
        )


def test_a_tail_can_be_stored() -> None:
    # e^-(5 10^12) as a fraction would fill the memory
    assert laplace_tail(Fraction(1, 10**12), 5) == Fraction(1, 10**160)
    assert laplace_tail(Fraction(1, 10**12), -5) == 1
    assert laplace_tail(Fraction(10**12), 1) < Fraction(1, 2)
    assert 10**160 % laplace_tail(Fraction(7, 3), 12).denominator == 0


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize(
    "level",
    [Fraction(99, 100), Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**9), Fraction(1, 10**100)],
    ids=float,
)
def test_the_threshold_is_the_smallest(scale: Fraction, level: Fraction) -> None:
    m = laplace_threshold(scale, level)
    assert m >= 1
    assert bounds(scale, m)[1] <= level
    assert m == 1 or bounds(scale, m - 1)[0] > level
    assert laplace_tail(scale, m) <= level


@pytest.mark.parametrize("m", [1, 5, 400])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(10**12)], ids=str)
def test_a_threshold_at_a_tie_is_certain(m: int, scale: Fraction) -> None:
    low, high = bounds(scale, m)
    assert laplace_threshold(scale, high + Fraction(1, 10**30) * high) == m
    for level in (low - Fraction(1, 10**50) * low, low, high):
        assert laplace_threshold(scale, level) in {m, m + 1}
    # What is below the true tail, by however little, is never granted.
    assert laplace_threshold(scale, low - Fraction(1, 10**50) * low) == m + 1


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize(
    "level", [Fraction(9, 10), Fraction(1, 20), Fraction(1, 10**400)], ids=["0.9", "0.05", "1e-400"]
)
def test_the_radius_is_the_smallest(scale: Fraction, level: Fraction) -> None:
    k = laplace_radius(scale, level)
    assert 2 * bounds(scale, k + 1)[1] <= level
    assert k == 0 or 2 * bounds(scale, k)[0] > level


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_double_is_the_tail(scale: Fraction) -> None:
    for m in range(-60, 61):
        assert laplace_tail_double(scale, m) == pytest.approx(float(bounds(scale, m)[0]), rel=1e-12)


def test_distant_tails_stay_finite() -> None:
    assert laplace_tail_double(Fraction(1), inf) == 0
    assert laplace_tail_double(Fraction(1), -inf) == 1
    assert laplace_tail_double(Fraction(10**12), 10**400) == 0
    assert laplace_tail_double(Fraction(10**12), -(10**400)) == 1
    assert laplace_tail_double(Fraction(1, 10**12), 1) == 0
    assert laplace_tail_double(Fraction(1), 700) == pytest.approx(
        exp(-700) / (1 + exp(-1)), rel=1e-10
    )


def end(scale: Fraction, cut: int, most: int) -> tuple[Fraction, Fraction]:
    """Return Pr[Z > cut - most] of truncated noise to about 60 digits, as a quotient of sums."""
    found = []
    for power in (exp_down, exp_up):
        masses = {z: power(Fraction(-abs(z)) / scale, 60) for z in range(-cut, cut + 1)}
        found.append(sum(masses[z] for z in range(cut - most + 1, cut + 1)) / sum(masses.values()))
    return min(found), max(found)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_end_mass_of_truncated_noise_is_rounded_up_slightly(scale: Fraction, most: int) -> None:
    for cut in (most, most + 1, most + 30):
        low, high = end(scale, cut, most)
        assert (
            low * (1 - Fraction(1, 10**50))
            <= truncated_end_mass(scale, cut, most)
            <= high * (1 + Fraction(1, 10**35)) + Fraction(1, 10**160)
        )


@pytest.mark.parametrize("scale", [*SCALES, Fraction(10**6), Fraction(10**12)], ids=str)
@pytest.mark.parametrize("most", [1, 5])
@pytest.mark.parametrize(
    "level", [Fraction(1, 3), Fraction(1, 100), Fraction(1, 10**9), Fraction(1, 10**60)], ids=float
)
def test_the_cut_is_the_lowest(scale: Fraction, most: int, level: Fraction) -> None:
    cut = laplace_truncation(scale, most, level)
    assert cut >= most
    assert truncated_end_mass(scale, cut, most) <= level
    assert cut in {most, ceil(scale / 4)} or truncated_end_mass(scale, cut - 1, most) > level
    assert laplace_tail_double(scale, cut + 1) < 0.4  # on either side: a draw in five is kept
