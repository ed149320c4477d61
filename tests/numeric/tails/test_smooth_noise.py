"""The noises of smooth sensitivity, against other integrals."""

from __future__ import annotations

from math import exp, inf, log, pi

import numpy as np
import pytest
from scipy import integrate, stats

from hedgerow.numeric.tails.smooth_noise import SMOOTH_NOISES, log_mass, noise_radius

CELLS = [
    (0.0, 0.1),
    (-0.3, 0.4),
    (0.2, 5.0),
    (-5.0, -0.2),
    (3.0, 3.001),
    (-7.0, 9.0),
    (100.0, 100.5),
    (1e4, 1e5),
    (0.9, 1.1),
    (1.0, 2.0),
]


def mass(noise: str, gamma: float, low: float, high: float) -> float:
    return exp(log_mass(noise, gamma, np.array(low), np.array(high)))


def power_mass(gamma: float, low: float, high: float) -> float:
    """Return the normalised integral of 1/(1+|z|^gamma), by adaptive quadrature."""

    def part(a: float, b: float) -> float:
        return float(
            integrate.quad(
                lambda z: 1 / (1 + abs(z) ** gamma), a, b, epsabs=0, epsrel=1e-12, limit=400
            )[0]
        )

    whole = 2 * (part(0, 1) + part(1, inf))
    return (part(low, 0) + part(0, high) if low < 0 < high else part(low, high)) / whole


@pytest.mark.parametrize("gamma", [1.5, 2, 2.5, 4, 8])
@pytest.mark.parametrize(("low", "high"), CELLS)
def test_power_mass_matches_quadrature(gamma: float, low: float, high: float) -> None:
    assert mass("power", gamma, low, high) == pytest.approx(power_mass(gamma, low, high), rel=3e-8)


@pytest.mark.parametrize(("low", "high"), CELLS)
def test_gamma_2_is_cauchy(low: float, high: float) -> None:
    assert mass("power", 2, low, high) == pytest.approx(
        (np.arctan2(high - low, 1 + low * high)) / pi % 1, rel=1e-10
    )


@pytest.mark.parametrize(
    ("low", "high"),
    [(-0.3, 0.4), (0.2, 5.0), (-5.0, -0.2), (3.0, 3.001), (-7.0, 9.0), (0.0, 1e10), (30.0, inf)],
)
def test_laplace_and_gaussian_mass_match_closed_forms(low: float, high: float) -> None:
    for noise, law in (("laplace", stats.laplace), ("gaussian", stats.norm)):
        # the survival function on the near side keeps the digits
        far = min(abs(low), abs(high)) if low * high > 0 else 0.0
        other = (
            law.sf(far) - law.sf(max(abs(low), abs(high)))
            if low * high > 0
            else law.cdf(high) - law.cdf(low)
        )
        assert mass(noise, 2, low, high) == pytest.approx(float(other), rel=1e-9)


@pytest.mark.parametrize("noise", SMOOTH_NOISES)
def test_cells_add_up_to_one_and_mirror(noise: str) -> None:
    for gamma in (2.0, 3.0):
        edges = np.concatenate([[-1e300], np.linspace(-50, 50, 1001), [1e300]])
        logs = log_mass(noise, gamma, edges[:-1], edges[1:])
        assert np.exp(logs).sum() == pytest.approx(1, rel=1e-8)
        assert logs == pytest.approx(logs[::-1], abs=1e-9)


def test_far_out_logarithms_do_not_end() -> None:
    assert log_mass("gaussian", 2, np.array(100.0), np.array(1e9)) == pytest.approx(
        stats.norm.logsf(100), rel=1e-12
    )
    assert log_mass("laplace", 2, np.array(1e6), np.array(1e6 + 1)) == pytest.approx(
        -1e6 + log(-np.expm1(-1) / 2), rel=1e-12
    )
    # gamma 64: the density at 10^6 is 10^-384
    assert log_mass("power", 64, np.array(1e6), np.array(2e6)) == pytest.approx(
        log(64 * np.sin(pi / 64) / (2 * pi) / 63) - 63 * log(1e6), rel=1e-12
    )


@pytest.mark.parametrize("level", [0.9, 0.5, 0.05, 1e-9, 1e-300])
def test_the_radius_is_exceeded_with_the_stated_probability(level: float) -> None:
    assert noise_radius("laplace", 2, level) == pytest.approx(-log(level), rel=1e-5)
    assert noise_radius("gaussian", 2, level) == pytest.approx(stats.norm.isf(level / 2), rel=1e-5)
    assert noise_radius("power", 2, level) == pytest.approx(1 / np.tan(pi * level / 2), rel=1e-5)
    for noise, gamma in (
        ("laplace", 2),
        ("gaussian", 2),
        ("power", 2),
        ("power", 3),
        ("power", 2.5),
    ):
        outside = log_mass(
            noise, gamma, np.array(noise_radius(noise, gamma, level)), np.array(inf)
        ) + log(2)
        assert outside <= log(level)
        assert outside == pytest.approx(log(level), abs=1e-5)


def test_a_radius_beyond_all_doubles_is_infinite() -> None:
    assert noise_radius("power", 64 / 63, 1e-9) == inf
    assert noise_radius("power", 64 / 63, 0.5) < inf
