"""The constants of smooth sensitivity: tails against scipy, limits, and ranges of published
constants.
"""

from __future__ import annotations

from fractions import Fraction
from math import cosh, exp, expm1, log, nan, sinh, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.tails.smooth_noise_constants import (
    compute_constants,
    dilation_delta,
    find_largest,
    gamma_tail,
    joint_delta,
    power_shift,
    power_slope,
    sliding_delta,
)

TWO = Fraction(2)


def asked(**change: Any) -> Any:
    given = {
        "noise": "power",
        "epsilon": 1,
        "delta": None,
        "gamma": 2,
        "dimension": 1,
        "classical": False,
    }
    return compute_constants(**(given | change))


@pytest.mark.parametrize("halves", [1, 2, 3, 4, 7, 20, 101, 2000])
def test_gamma_tail_matches_scipy(halves: int) -> None:
    for y in (1e-3, 0.5, 3.0, halves / 2, 2.0 * halves, 300.0):
        assert gamma_tail(halves, y) == pytest.approx(
            special.gammaincc(halves / 2, y), rel=1e-10, abs=1e-300
        )
    assert gamma_tail(halves, 1e6) == 0


@pytest.mark.parametrize(
    "gamma",
    [Fraction(64, 63), Fraction(3, 2), TWO, Fraction(5, 2), Fraction(4), Fraction(64)],
    ids=str,
)
def test_the_slope_of_the_power_density(gamma: Fraction) -> None:
    z, g = np.geomspace(1e-6, 1e3, 1_000_001), float(gamma)
    steepest = float((g * z ** (g - 1) / (1 + z**g)).max())
    assert steepest <= float(power_slope(gamma)) * (1 + 1e-12)
    assert float(power_slope(gamma)) == pytest.approx(steepest, rel=1e-3)
    stretched = 1 - g * z**g / (1 + z**g)
    assert np.abs(stretched).max() <= max(1, g - 1)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 4.0])
@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_dilation_of_laplace_noise_in_closed_form(epsilon: float, share: float) -> None:
    stretch = share * epsilon
    exact = (1 - exp(-stretch)) * exp(-(epsilon + stretch) / expm1(stretch))
    found = dilation_delta("laplace", 1, epsilon, stretch)
    assert exact <= found <= exact * (1 + 1e-6)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("dimension", [1, 2, 5, 40])
def test_dilation_grows_with_the_stretch_and_is_an_upper_bound(noise: str, dimension: int) -> None:
    epsilon, rng = 1.0, np.random.default_rng(5)
    found = [
        dilation_delta(noise, dimension, epsilon, share * epsilon / dimension)
        for share in np.linspace(0.05, 1, 20)
    ]
    assert found == sorted(found)
    # No half-line of lengths gains more: Pr[wide > c] - e^epsilon Pr[narrow > c].
    stretch = epsilon / dimension
    halves, k = (2 * dimension, 1) if noise == "laplace" else (dimension, 2)
    for c in rng.uniform(0, 10 * dimension + 20, 200):
        gain = special.gammaincc(halves / 2, c * exp(-k * stretch)) - exp(
            epsilon
        ) * special.gammaincc(halves / 2, c)
        assert gain <= found[-1]


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 4.0])
def test_sliding_of_gaussian_noise(epsilon: float) -> None:
    for shift in (0.01, 0.1, 1.0, 3.0):
        exact = stats.norm.cdf(shift / 2 - epsilon / shift) - exp(epsilon) * stats.norm.cdf(
            -shift / 2 - epsilon / shift
        )
        found = sliding_delta(epsilon, shift)
        assert (
            exact - 1e-15
            <= found
            <= exact * (1 + 1e-6) + 1e-9 * stats.norm.cdf(shift / 2 - epsilon / shift) * 3
        )


def test_find_largest_returns_the_last_true_value() -> None:
    assert find_largest(lambda x: x <= 3, 10) == pytest.approx(3, rel=1e-11)
    assert find_largest(lambda x: x <= 3, 10) <= 3
    assert find_largest(lambda x: x <= 30, 10) == 10
    assert find_largest(lambda x: False, 10) == 0


@pytest.mark.parametrize("gamma", [Fraction(3, 2), TWO, Fraction(4)], ids=str)
def test_power_constants_of_several_numbers_spend_exactly_epsilon(gamma: Fraction) -> None:
    found = asked(epsilon=Fraction(3, 10), gamma=gamma, dimension=3)
    spent = power_slope(gamma) * found.alpha + 3 * max(Fraction(1), gamma - 1) * found.beta
    assert spent <= Fraction(3, 10)
    assert float(spent) == pytest.approx(0.3, rel=1e-12)
    assert found.delta == 0


OFFERED = [
    Fraction(p, q) for p, q in ((16, 15), (5, 4), (3, 2), (2, 1), (5, 2), (3, 1), (16, 3), (16, 1))
]


def worst_ratio(gamma: float, shift: float, stretch: float) -> float:
    """Return the largest |ln N/W| of power noise on a dense grid, by definition."""
    half = np.concatenate([np.linspace(0, 20, 40_001), np.geomspace(20, 1e8, 4001)])
    z = np.concatenate([-half, half, shift + exp(stretch) * half])
    wide = -stretch - np.log1p(np.abs((z - shift) * exp(-stretch)) ** gamma)
    return float(np.abs(wide + np.log1p(np.abs(z) ** gamma)).max())


@pytest.mark.long
@pytest.mark.parametrize("gamma", OFFERED, ids=str)
@pytest.mark.parametrize("epsilon", [0.01, 1, 8])
def test_power_constants_of_one_number_spend_exactly_epsilon(
    gamma: Fraction, epsilon: float
) -> None:
    found, several = (
        asked(epsilon=epsilon, gamma=gamma),
        asked(epsilon=epsilon, gamma=gamma, dimension=2),
    )
    alpha, beta, g = float(found.alpha), float(found.beta), float(gamma)
    worst = max(
        worst_ratio(g, share * alpha, part * beta)
        for share in (0.3, 1)
        for part in (0, 0.2, 0.5, 0.8, 1)
    )
    assert 0.999 * epsilon < worst <= epsilon * (1 + 1e-9)
    assert worst_ratio(g, alpha * 1.02, beta) > epsilon or worst_ratio(g, alpha * 1.02, 0) > epsilon
    assert found.alpha > several.alpha  # never more noise than in two steps
    assert found.beta > 2 * several.beta * Fraction(99, 100)


def test_the_shift_of_power_noise() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(5)):
        for part in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
            hyperbolic = sqrt(2 * exp(part * epsilon) * (cosh(epsilon) - cosh(part * epsilon)))
            expected = min(hyperbolic, 2 * sinh(epsilon / 2))
            found = float(power_shift(epsilon, TWO, part * epsilon))
            assert found == pytest.approx(expected, rel=1e-12)
    # Small epsilon: a circle for exponent 2, and for 3 the fifth more that the old halves left.
    small = asked(epsilon=Fraction(1, 1000))
    assert float(small.alpha**2 + small.beta**2) == pytest.approx(1e-6, rel=1e-3)
    cube, halves = (
        asked(epsilon=Fraction(1, 1000), gamma=3),
        asked(epsilon=Fraction(1, 1000), gamma=3, dimension=2),
    )
    assert float(cube.alpha * cube.beta / (halves.alpha * 2 * halves.beta)) == pytest.approx(
        1.2**2, rel=0.02
    )


def test_classical_gamma_2_has_a_third_of_half() -> None:
    assert asked(classical=True)[-2:] == (round_third := asked(classical=True).alpha, round_third)
    assert float(round_third) == pytest.approx(1 / 6, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 8, 100])
@pytest.mark.parametrize("delta", [0.3, 1e-2, 1e-6, 1e-12, 1e-100])
@pytest.mark.parametrize("dimension", [2, 10])
def test_laplace_and_gaussian_constants_of_several_numbers_spend_all_of_delta(
    epsilon: float, delta: float, dimension: int
) -> None:
    half = epsilon / 2
    laplace, gaussian = (
        asked(noise=noise, epsilon=epsilon, delta=delta, dimension=dimension)
        for noise in ("laplace", "gaussian")
    )
    assert laplace.alpha == Fraction(str(epsilon)) / 2
    for found, noise, share in ((laplace, "laplace", delta), (gaussian, "gaussian", delta / 2)):
        spent = dilation_delta(noise, dimension, half, float(found.beta))
        assert spent <= share * (1 + 1e-9)
        assert spent > share * 0.999 or dimension * found.beta == pytest.approx(half, rel=1e-12)
        assert dimension * found.beta <= half
    spent = exp(half) * sliding_delta(half, float(gaussian.alpha))
    assert delta / 2 * 0.999 < spent <= delta / 2


def tails(noise: str, epsilon: float, shift: float, stretch: float) -> tuple[float, float]:
    """Return the excess of one number from the wider to the narrower noise, and back.

    Quadrature over the pieces between the kinks.
    """
    law = stats.laplace if noise == "laplace" else stats.norm
    wide = law(loc=shift, scale=exp(stretch))
    far = 45 * exp(stretch) + shift
    z = np.unique(np.concatenate([np.linspace(-far, far, 400_001), [0.0, shift]]))
    p, q = wide.pdf(z), law.pdf(z)
    return tuple(
        float(np.trapezoid(np.maximum(a - exp(epsilon) * b, 0), z)) for a, b in ((p, q), (q, p))
    )  # type: ignore[return-value]


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
@pytest.mark.parametrize("delta", [0.3, 1e-2, 1e-6])
def test_laplace_and_gaussian_constants_of_one_number_keep_delta_in_both_directions(
    epsilon: float, delta: float
) -> None:
    for noise in ("laplace", "gaussian"):
        found = asked(noise=noise, epsilon=epsilon, delta=delta)
        several = asked(noise=noise, epsilon=epsilon, delta=delta, dimension=2)
        alpha, beta = float(found.alpha), float(found.beta)
        for share, part in ((1, 1), (1, 0.5), (1, 1e-3), (0.5, 1), (0.01, 1)):
            assert (
                max(tails(noise, epsilon, share * alpha, part * beta)) <= delta * (1 + 1e-4) + 1e-12
            )
        assert found.alpha >= several.alpha
        assert found.beta > several.beta
        told = joint_delta(noise, epsilon, alpha, beta * (1 - 1e-9))
        assert told >= max(tails(noise, epsilon, alpha, beta)) * (1 - 1e-4) - 1e-12
        assert told <= delta * (1 + 1e-6)
    pure = asked(noise="laplace", epsilon=epsilon, delta=0.3)
    assert float(pure.beta) + float(pure.alpha) * exp(-float(pure.beta)) <= epsilon * (1 + 1e-12)
    # too far for the pure direction
    assert joint_delta("laplace", epsilon, epsilon / 2, epsilon) == 1


def test_without_a_joint_bound_the_two_step_constants_are_used() -> None:
    """With a delta so large that a^2 > 2 epsilon, the two-step pair is still proved."""
    found = asked(noise="gaussian", epsilon=0.01, delta=0.9)
    assert float(found.beta) == pytest.approx(0.005, rel=1e-9)
    assert exp(0.005) * sliding_delta(0.005, float(found.alpha)) == pytest.approx(0.45, rel=1e-6)


def test_an_epsilon_too_small_for_doubles_leaves_no_beta() -> None:
    for noise in ("laplace", "gaussian"):
        assert asked(noise=noise, epsilon=Fraction(1, 10**12), delta=1e-20).beta == 0


def test_known_values_are_reproduced() -> None:
    found = asked(noise="laplace", delta=1e-6)
    assert float(found.beta) == pytest.approx(0.0530070, abs=1e-6)
    assert found.beta / asked(noise="laplace", delta=1e-6, classical=True).beta > 1.53
    gaussian, published = (
        asked(noise="gaussian", delta=1e-6, classical=classical) for classical in (False, True)
    )
    assert float(gaussian.alpha / published.alpha) == pytest.approx(3.149 * 1.0392, abs=1e-2)
    assert float(gaussian.beta / published.beta) == pytest.approx(1.632 * 1.0392, abs=1e-2)


@pytest.mark.parametrize("delta", [0.05, 0.01, 1e-3, 1e-6, 1e-12, 1e-30, 1e-100])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1, 3, 5, 7, 8])
def test_the_published_constants_hold_in_their_range(delta: float, epsilon: float) -> None:
    half = epsilon / 2
    laplace, gaussian = (
        asked(noise=noise, epsilon=epsilon, delta=delta, classical=True)
        for noise in ("laplace", "gaussian")
    )
    assert float(laplace.beta) == pytest.approx(half / log(2 / delta), rel=1e-12)
    assert laplace.beta <= half
    assert dilation_delta("laplace", 1, half, float(laplace.beta)) <= delta
    assert float(gaussian.alpha) == pytest.approx(
        epsilon / (5 * sqrt(2 * log(2 / delta))), rel=1e-12
    )
    assert float(gaussian.beta) == pytest.approx(epsilon / (4 * (1 + log(2 / delta))), rel=1e-12)
    assert gaussian.beta <= half
    assert (
        dilation_delta("gaussian", 1, half, float(gaussian.beta))
        + exp(half) * sliding_delta(half, float(gaussian.alpha))
        <= delta
    )


def test_beyond_the_range_the_published_laplace_constant_breaks() -> None:
    for epsilon, delta in ((9, 0.05), (8, 0.1), (14, 1e-9)):
        assert dilation_delta("laplace", 1, epsilon / 2, epsilon / 2 / log(2 / delta)) > delta
    # ln(1/delta) in place of ln(2/delta) would break within it.
    assert dilation_delta("laplace", 1, 4, 4 / log(100)) > 1.7 * 0.01


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"noise": "cauchy"}, "noise"),
        ({"noise": None}, "noise"),
        ({"noise": ["power"]}, "noise"),
        ({"classical": 1}, "classical"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": nan}, "epsilon"),
        ({"epsilon": 101}, "epsilon"),
        ({"dimension": 0}, "dimension"),
        ({"dimension": 1001}, "dimension"),
        ({"dimension": 2, "classical": True}, "dimension"),
        ({"delta": 1e-6}, "delta"),
        ({"delta": nan}, "delta"),
        ({"noise": "laplace"}, "delta"),
        ({"noise": "gaussian", "delta": 0}, "delta"),
        ({"gamma": 1}, "gamma"),
        ({"gamma": 0.5}, "gamma"),
        ({"gamma": 1000}, "gamma"),
        ({"gamma": 2.001}, "gamma"),
        ({"gamma": nan}, "gamma"),
        ({"noise": "laplace", "delta": 0.01, "epsilon": 8.1, "classical": True}, "epsilon"),
        ({"noise": "gaussian", "delta": 0.06, "classical": True}, "delta"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        asked(**change)
    assert refusal.value.argument == name


def test_power_noise_accepts_a_delta_of_0() -> None:
    assert asked(delta=0) == asked()
