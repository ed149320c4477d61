"""Tails of the discrete Gaussian: tight upper bounds of delta, and smallest radii."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import atanh, ceil, erfc, exp, floor, nextafter, sqrt

import numpy as np
import pytest

import goodness
from goodness import decimal
from hedgerow.numeric.tails import gaussian as tail
from hedgerow.numeric.tails.gaussian import (
    gaussian_delta,
    gaussian_log_mass,
    gaussian_radius,
    gaussian_tail,
    gaussian_vector_delta,
)

EXACT = Context(prec=60)
CASES = [
    (sigma, shift, epsilon)
    for sigma in (0.05, 0.3, 0.7, 1.0, 2.0, 7.5, 60.0)
    for shift in (1, 2, 5, 40)
    for epsilon in (1e-6, 0.1, 1.0, 3.0, 10.0, 60.0, 400.0)
    if epsilon * sigma / shift - shift / (2 * sigma) < 39
] + [(400.0, 3, 0.05), (400.0, 1000, 5.0)]


@cache
def bells(sigma: float, reach: int) -> list[Decimal]:
    """Return exp(-z^2 / 2 sigma^2) for z = 0, 1, …, reach."""
    with localcontext(EXACT):
        rate = decimal(-1 / (2 * Fraction(sigma) ** 2))
        return [(rate * z * z).exp() for z in range(reach + 1)]


def true_delta(sigma: float, shift: int, epsilon: float | Fraction) -> Decimal:
    """Return sup_S Pr[Z in S] - e^eps Pr[Z + s in S], to 50 digits, of the exact doubles.

    It is sum_z (p(z) - e^eps p(z + s))_+.
    """
    cut = ceil(abs(float(epsilon) * sigma**2 / shift - shift / 2))
    reach = cut + shift + ceil(25 * sigma) + 30
    bell = bells(sigma, reach)
    with localcontext(EXACT):
        factor = decimal(Fraction(epsilon)).exp()
        gained = (
            bell[abs(z)] - factor * bell[abs(z + shift)] for z in range(-reach, reach - shift + 1)
        )
        return min(sum(gain for gain in gained if gain > 0) / (2 * sum(bell) - 1), Decimal(1))


@pytest.mark.long
@pytest.mark.parametrize(("sigma", "shift", "epsilon"), CASES)
def test_delta_is_an_upper_bound_and_within_one_per_cent(
    sigma: float, shift: int, epsilon: float
) -> None:
    truth, found = true_delta(sigma, shift, epsilon), Decimal(gaussian_delta(sigma, shift, epsilon))
    assert found >= truth
    # only where epsilon puts the cut on a whole z, within 10^-14
    if found > max(truth * Decimal("1.01"), Decimal("1e-299")):
        assert found <= true_delta(
            sigma, shift, Fraction(epsilon) * (1 - Fraction(2, 10**14))
        ) * Decimal("1.01")


@pytest.mark.parametrize(
    ("sigma", "epsilon"),
    [
        (0.1, nextafter(50.0, 0)),
        (0.1, 50 - 2e-14),
        (0.2, 37.49999999999999),
        (0.007, 10204.081632653),
        (0.007, 10204.08163265306),
    ],
)
def test_a_value_just_beyond_the_cut_is_counted(sigma: float, epsilon: float) -> None:
    # All of delta is the gain of one z, and that gain is a rounding of epsilon.
    truth, found = true_delta(sigma, 1, epsilon), Decimal(gaussian_delta(sigma, 1, epsilon))
    assert truth > 0
    assert truth <= found <= truth + Decimal("3e-14") * Decimal(epsilon)


@pytest.mark.parametrize("sigma", [0.4, 3.0, 20.0])
def test_smaller_moves_are_covered(sigma: float) -> None:
    for epsilon in (0.2, 2.0):
        found = Decimal(gaussian_delta(sigma, 6, epsilon))
        assert all(true_delta(sigma, shift, epsilon) <= found for shift in range(1, 7))


def test_delta_falls_with_epsilon_and_with_sigma() -> None:
    by_epsilon = [gaussian_delta(5.0, 1, epsilon) for epsilon in np.linspace(0.01, 3, 60)]
    by_sigma = [
        gaussian_delta(sigma, 1, 0.5)
        for sigma in (*np.linspace(3, 1000, 40), *np.linspace(1001, 3000, 20))
    ]
    assert by_epsilon == sorted(by_epsilon, reverse=True)
    assert by_sigma == sorted(by_sigma, reverse=True)


@pytest.mark.parametrize("sigma", [1001.0, 1700.0, 5000.0])
@pytest.mark.parametrize("shift", [1, 300, 4000])
@pytest.mark.parametrize("x", [-1.0, 0.0, 1.0, 4.0, 9.0, 20.0])
def test_above_1000_the_integral_covers_the_sum_and_is_close_to_it(
    sigma: float, shift: int, x: float
) -> None:
    epsilon = (x * sigma + shift / 2) * shift / sigma**2  # puts the cut at x sigma
    if epsilon <= 0:
        return
    z = np.arange(floor(x * sigma) - 1, floor(x * sigma) + 13 * sigma)
    gain = -np.expm1(np.minimum(epsilon - (2 * z + shift) * shift / (2 * sigma**2), 0))
    direct = float(np.sum(np.exp(-((z / sigma) ** 2) / 2) * gain)) / (sigma * sqrt(2 * np.pi))
    found = gaussian_delta(sigma, shift, epsilon)
    assert found >= direct * (1 - 1e-10)
    assert found <= direct * 1.05 + (1 / sigma if x <= 0 else 0)


def normal_tail(x: Decimal) -> Decimal:
    """Return Pr[N > x] by the series of the error function, with digits to spare."""
    term = total = abs(x)
    k = 1
    while term > total.scaleb(-430):
        term *= x * x / (2 * k + 1)
        total += term
        k += 1
    half = total * (-x * x / 2).exp() / (2 * pi()).sqrt()
    return Decimal("0.5") - half if x >= 0 else Decimal("0.5") + half


@cache
def pi() -> Decimal:
    """Return pi by Machin's formula."""

    def arctan(n: int) -> Decimal:
        one, total, k, sign = Decimal(1) / n, Decimal(0), 1, 1
        while one > Decimal(10) ** -445:
            total += sign * one / k
            one, k, sign = one / (n * n), k + 2, -sign
        return total

    return 16 * arctan(5) - 4 * arctan(239)


@pytest.mark.parametrize(
    ("sigma", "shift", "epsilon"),
    [
        # the second tail is a denormal double here
        (29447182247.82093, 584774875781.0, 562.3658975631846),
        (223914231715.72006, 389881475171.0, 65.3207326260176),
        (314039591519.6113, 6600340854851.0, 576.8187262918989),
        (1e12, 1e11, 1.0),
        (1e12, 2e12, 30.0),
        (1e9, 4e7, 0.2),
    ],
)
def test_the_integral_is_an_upper_bound_at_the_ends_of_doubles(
    sigma: float, shift: float, epsilon: float
) -> None:
    with localcontext(Context(prec=450)):
        s, d, e = Decimal(sigma), Decimal(shift), Decimal(epsilon)
        cut = e * s * s / d - d / 2
        truth = normal_tail(cut / s) - e.exp() * normal_tail((cut + d) / s)
        found = Decimal(gaussian_delta(sigma, shift, epsilon))
        assert truth <= found
        assert found < truth * Decimal("1.02") or found < Decimal("1e-70")


def test_extreme_parameters_stay_within_0_and_1() -> None:
    assert gaussian_delta(1.0, 1, 100.0) == 1e-300  # the cut lies beyond 38 sigma
    assert gaussian_delta(2000.0, 1, 10.0) == 1e-300
    assert gaussian_delta(0.01, 1000, 1.0) == pytest.approx(1, abs=1e-9)
    assert gaussian_delta(1.0, 100, 1e-9) <= 1.0
    assert gaussian_delta(2000.0, 10**6, 800.0) == pytest.approx(1, abs=1e-3)  # e^800 is no double


def analytic_sigma(epsilon: float, delta: float) -> float:
    """Return the least sigma of the *continuous* Gaussian, sensitivity 1 (Balle and Wang 2018)."""

    def spent(sigma: float) -> float:
        def phi(x: float) -> float:
            return erfc(-x / sqrt(2)) / 2

        return phi(1 / (2 * sigma) - epsilon * sigma) - exp(epsilon) * phi(
            -1 / (2 * sigma) - epsilon * sigma
        )

    low, high = 1e-3, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if spent(middle) <= delta else (middle, high)
    return high


@pytest.mark.parametrize(
    ("epsilon", "delta", "factor"), [(1.0, 1e-5, 1.035), (3.0, 1e-6, 1.38), (10.0, 1e-7, 3.6)]
)
def test_the_scale_of_continuous_noise_is_too_small_for_discrete_noise(
    epsilon: float, delta: float, factor: float
) -> None:
    sigma = analytic_sigma(epsilon, delta)
    assert gaussian_delta(sigma, 1, epsilon) / delta == pytest.approx(factor, rel=0.01)
    assert true_delta(sigma, 1, epsilon) > Decimal(delta)


@pytest.mark.parametrize("sigma", [0.05, 0.3, 1.0, 7.5, 80.0])
@pytest.mark.parametrize("beta", [0.9, 0.5, 0.05, 1e-3, 1e-9, 1e-40])
def test_the_radius_is_the_smallest(sigma: float, beta: float) -> None:
    bell = bells(sigma, ceil(20 * sigma) + 20)

    def outside(k: int) -> Decimal:
        return 2 * sum(bell[k + 1 :]) / (2 * sum(bell) - 1)

    k = gaussian_radius(sigma, beta)
    with localcontext(EXACT):
        assert outside(k) <= Decimal(beta)
        assert k == 0 or outside(k - 1) > Decimal(beta)


@pytest.mark.parametrize("sigma", [1000.5, 1234.5, 4000.0])
@pytest.mark.parametrize("beta", [0.999, 0.6, 0.31, 0.05, 1e-6, 1e-12])
def test_above_1000_the_radius_is_at_most_one_step_more(sigma: float, beta: float) -> None:
    z = np.arange(ceil(14 * sigma), 0, -1)
    # of |Z| >= z
    outside = 2 * np.cumsum(np.exp(-((z / sigma) ** 2) / 2)) / (sigma * sqrt(2 * np.pi))
    smallest = int(z[outside <= beta].min()) - 1
    assert smallest <= gaussian_radius(sigma, beta) <= smallest + 1


def test_the_radius_has_no_jump_where_the_method_changes() -> None:
    for beta in (0.5, 0.05, 1e-9):
        assert 0 <= gaussian_radius(1001.0, beta) - gaussian_radius(1000.0, beta) <= 8


@pytest.mark.parametrize("sigma", [0.3, 1.0, 1.99, 2.0, 7.5, 500.0])
def test_log_mass_is_the_log_probability(sigma: float) -> None:
    reach = ceil(12 * sigma)
    z = np.arange(-reach, reach + 1.0)
    mass = np.exp(gaussian_log_mass(z, sigma))
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    law = goodness.discrete_gaussian(Fraction(str(sigma)))
    known = dict(zip(law.points.tolist(), np.diff(law.upto, prepend=0.0), strict=True))
    for point in (0, 1, round(2 * sigma)):
        assert mass[reach + point] == pytest.approx(known[point], rel=1e-9, abs=1e-15)
    assert np.isfinite(gaussian_log_mass(np.array([1e6 * sigma]), sigma)).all()


def test_the_normaliser_does_not_jump_either() -> None:
    assert tail._normaliser(2.0) == pytest.approx(float(2 * sum(bells(2.0, 60)) - 1), rel=1e-14)
    assert tail._normaliser(1.999999) == pytest.approx(tail._normaliser(2.0), rel=1e-6)


def together(scales: tuple[float, ...], shifts: tuple[int, ...], epsilon: float) -> Decimal:
    """Return the joint delta of several cells, from all outcomes, to 50 digits."""
    reach = [ceil(9 * scale) + abs(shift) for scale, shift in zip(scales, shifts, strict=True)]
    with localcontext(EXACT):
        factor = decimal(Fraction(epsilon)).exp()
        every = [(Decimal(1), Decimal(1))]
        for scale, shift, far in zip(scales, shifts, reach, strict=True):
            bell = bells(scale, far + abs(shift))
            total = 2 * sum(bells(scale, ceil(25 * scale) + 30)) - 1
            each = [
                (bell[abs(z)] / total, bell[abs(z + shift)] / total) for z in range(-far, far + 1)
            ]
            every = [(p * a, q * b) for p, q in every for a, b in each]
        return sum((gain for p, q in every if (gain := p - factor * q) > 0), Decimal(0))


VECTORS = [
    ((0.7, 0.7), (1, 1)),
    ((1.0, 3.0), (1, 4)),
    ((2.0, 2.0), (1, -1)),
    ((5.0, 5.0), (3, 1)),
    ((1.2, 1.2, 1.2), (1, 1, 1)),
]


@pytest.mark.parametrize(("scales", "shifts"), VECTORS)
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 4.0])
def test_the_delta_of_a_vector_is_an_upper_bound(
    scales: tuple[float, ...], shifts: tuple[int, ...], epsilon: float
) -> None:
    parts = [(scale, float(shift**2)) for scale, shift in zip(scales, shifts, strict=True)]
    found = Decimal(gaussian_vector_delta(parts, len(parts), epsilon))
    truth = together(scales, shifts, epsilon)
    assert truth <= found
    if min(scales) >= 2 and epsilon <= 1:
        assert found <= truth * Decimal("1.5")


def test_the_continuous_formula_would_be_too_small_for_a_vector() -> None:
    """Two cells with a continuous delta of 10^-6 at epsilon 5 have a larger discrete one.

    Our bound is above both.
    """
    sigma = analytic_sigma(5.0, 1e-6) * sqrt(2)
    truth = together((sigma, sigma), (1, 1), 5.0)
    assert truth > Decimal("1.2e-6")
    assert truth <= Decimal(gaussian_vector_delta([(sigma, 2.0)], 2, 5.0))


@pytest.mark.parametrize("sigma", [10.0, 100.0, 1e6])
def test_the_delta_of_a_vector_nears_the_continuous_one(sigma: float) -> None:
    wide = analytic_sigma(1.0, 1e-6)
    assert gaussian_vector_delta([(sigma, (sigma / wide) ** 2)], 20, 1.0) == pytest.approx(
        1e-6, rel=13 / sigma**2 * 2 + 1e-6
    )


def test_the_delta_of_a_vector_at_the_ends() -> None:
    assert gaussian_vector_delta([(0.5, 1.0)], 2, 1.0) == 1.0  # too narrow to be smoothed
    assert gaussian_vector_delta([(10.0, 1e8)], 2, 1.0) == 1.0  # 1000 deviations away
    assert gaussian_vector_delta([(1e9, 1e-300)], 2, 1.0) == 1.0  # no move at all is not asked for
    # no number of cells has a meaning so large
    assert gaussian_vector_delta([(10.0, 1.0)], 10**30, 1.0) == 1.0
    assert gaussian_vector_delta([(1000.0, 1.0)], 2, 1.0) == 1e-300
    assert gaussian_vector_delta([(10.0, 9e5)], 2, 800.0) > 0.9  # e^800 is no double
    many = [gaussian_vector_delta([(10.0, 4.0)], cells, 0.5) for cells in (4, 10**3, 10**6)]
    assert many == sorted(many)
    assert many[-1] < many[0] * 1.05


@pytest.mark.parametrize("sigma", [0.3, 2.5, 40.0])
def test_tails_are_tight_upper_bounds(sigma: float) -> None:
    bell = bells(sigma, ceil(25 * sigma) + 60)
    for m in (0, 1, 2, 7, 30):
        with localcontext(EXACT):
            truth = sum(bell[m:]) / (2 * sum(bell) - 1)
        found = Decimal(gaussian_tail(sigma, m))
        assert truth <= found <= max(truth * Decimal("1.00000001"), Decimal("1.1e-300"))


@pytest.mark.parametrize("sigma", [1000.5, 20_000.0])
def test_tails_of_wide_noise_are_close_upper_bounds(sigma: float) -> None:
    """Compared with sums of all masses, smallest first."""
    z = np.arange(ceil(38 * sigma), -1, -1, dtype=np.float64)
    bell = np.exp(-((z / sigma) ** 2) / 2)
    tails = np.cumsum(bell)[::-1] / (2 * bell.sum() - 1)
    for m in (0, 1, 7, *(int(part * sigma) for part in (0.3, 0.9, 1.0, 1.1, 2.5, 4.0, 6.0))):
        assert tails[m] <= gaussian_tail(sigma, m) <= tails[m] * 1.0001


@pytest.mark.parametrize("square", [0.35, 0.55, 1.05])
@pytest.mark.parametrize("cells", [2, 50])
def test_each_smoothing_width_costs_its_ripple(square: float, cells: int) -> None:
    """The bound is (1 + k)^n delta(epsilon - 2 n artanh k), computed independently.

    At the narrowest width, 50 cells shift epsilon by 0.2.
    """
    k = sum(2 * exp(-2 * float(pi()) ** 2 * square * n * n) for n in (1, 2, 3))
    epsilon, length = 1.0 - 2 * cells * atanh(k), sqrt(3 / (25 - square) + 2 / (9 - square))
    phi = [0.5 * erfc((epsilon / length + side * length / 2) / sqrt(2)) for side in (-1, 1)]
    wanted = (1 + k) ** cells * (phi[0] - exp(epsilon) * phi[1])
    found = tail._smoothed_delta([(5.0, 3.0), (3.0, 2.0)], cells, 1.0, square)
    assert wanted <= found <= wanted * 1.01
