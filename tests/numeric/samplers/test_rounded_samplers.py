"""Rounded normal and heavy-tailed draws: the same bits give the same draw, and the distribution."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc

import goodness
from goodness import ALARM, FAR, Law
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.samplers import gaussian_sampler as gaussian
from hedgerow.numeric.samplers import rounded_samplers as rounded
from hedgerow.numeric.samplers.rounded_samplers import rounded_gaussian, rounded_power
from numeric.helpers_chosen_bits import HIGH, LOW, SPECIAL, exp, feed, ln, some, uniform

HALF = Fraction(1, 2)
END = 1 << 62
GAMMAS = [Fraction(2), Fraction(4), Fraction(3, 2), Fraction(5, 2)]
LAWS = [
    rounded._Normal(),
    *(rounded._Power(gamma.numerator, gamma.denominator) for gamma in GAMMAS),
    rounded._Power(11, 10),
]
NAMES = ["normal", "2", "4", "3/2", "5/2", "11/10"]


def root_of(x: Fraction, n: int) -> Fraction:
    """Return x^(1/n), precise enough to place words at a boundary."""
    return exp(ln(x) / n)


def limit(law: rounded._Distribution, u: Fraction) -> Fraction:
    """Return the largest z that is accepted with this U."""
    if isinstance(law, rounded._Normal):
        return root_of(-4 * ln(u), 2)
    return root_of((u ** -(law.root + 1) - 1) ** law.q, law.p)


def kept(law: rounded._Distribution, u: Fraction, z: Fraction) -> bool:
    if isinstance(law, rounded._Normal):
        return z**2 <= -4 * ln(u)
    return z**law.p <= (u ** -(law.root + 1) - 1) ** law.q


def pairs(law: rounded._Distribution, toward: Fraction, middle: Fraction) -> list[tuple[int, int]]:
    """Return words of (U, V): anywhere, where z is just accepted, and at rounding boundaries.

    At the last, centre + scale z passes half an integer.
    """
    found = list(zip(some(60, seed=1), some(60, seed=2), strict=True))
    found += [(u, v) for u in SPECIAL[1::4] for v in (0, 1, 1 << 61, (1 << 63) - 1)]
    for word in [w for w in some(60, seed=3) if w > 1 << 50]:
        u = Fraction(word, 1 << 63)
        z = limit(law, u)
        step = floor(middle + toward * z * Fraction(2, 3))
        for real in (z, (step - middle) / toward):
            v = int(real * u**law.root / Fraction(law.bound) * (1 << 63))
            found += [(word, w) for w in (v - 1, v, v + 1) if 0 <= w < 1 << 63]
    return found


@pytest.mark.long
@pytest.mark.parametrize(("scale", "centre", "sign", "more"), [
    (Fraction(1, 1000), 0.3, 0, LOW),
    (Fraction(15, 2), -1234.56, 1, HIGH),
    (Fraction(10**6, 7), 0.5, 0, HIGH),
    (Fraction(10**12), -(2.0**49) - 0.25, 1, LOW),
])  # fmt: skip
@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_doubles_and_rationals_make_the_same_draw_of_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
    law: rounded._Distribution,
    scale: Fraction,
    centre: float,
    sign: int,
    more: int,
) -> None:
    toward, middle = (-scale if sign else scale), Fraction(centre) + HALF
    both = pairs(law, toward, middle)
    feed(monkeypatch, gaussian, more, (u for u, _ in both), (v for _, v in both), sign=sign)
    drawn = rounded._draw_accepted(law, np.full(len(both), centre), scale)
    wanted = []
    for u, v in ((uniform(u, more), uniform(v, more)) for u, v in both):
        z = Fraction(law.bound) * v / u**law.root
        if kept(law, u, z):
            wanted.append(min(max(floor(middle + toward * z), -END), END))
    assert drawn.tolist() == wanted
    assert 40 < len(wanted) < len(both)


@pytest.mark.parametrize("law", [LAWS[0], LAWS[1], LAWS[3]], ids=["normal", "2", "3/2"])
def test_words_at_a_boundary_find_a_bound_that_is_too_small(
    monkeypatch: pytest.MonkeyPatch, law: rounded._Distribution
) -> None:
    both = pairs(law, Fraction(1), HALF)
    tried = []
    for believe_doubles in (False, True):
        feed(monkeypatch, gaussian, HIGH, (u for u, _ in both), (v for _, v in both))
        if believe_doubles:
            exactly = type(law).acceptance_margin
            monkeypatch.setattr(
                type(law),
                "acceptance_margin",
                lambda self, c, z, e, exactly=exactly: (
                    exactly(self, c, z, e)[0],
                    np.zeros_like(z),
                ),
            )
            monkeypatch.setattr(rounded, "_resolve_rounding", lambda law, u, v, c, t: 0)
        tried.append(rounded._draw_accepted(law, np.zeros(len(both)), Fraction(1)).tolist())
    assert tried[0] != tried[1]


def test_the_box_of_the_normal_distribution_is_large_enough() -> None:
    assert Fraction(rounded._NORMAL_BOUND) ** 2 >= 2 * exp(Fraction(-1)) * (1 + Fraction(1, 10**60))
    assert Fraction(np.nextafter(rounded._NORMAL_BOUND, 0)) ** 2 < 2 * exp(Fraction(-1))


@pytest.mark.parametrize(
    "gamma", [*GAMMAS, Fraction(64, 63), Fraction(64), Fraction(11, 10)], ids=str
)
def test_the_box_of_the_heavy_tail_is_large_enough(gamma: Fraction) -> None:
    law = rounded._Power(gamma.numerator, gamma.denominator)
    assert law.root * (gamma - 1) >= 1
    z = np.geomspace(1e-3, 1e4, 1000)
    assert (z * (1 + z ** float(gamma)) ** (-law.root / (law.root + 1)) <= 1 + 1e-12).all()


@pytest.mark.parametrize("centre", [0.3, -1234.56])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(7), Fraction(12345, 10)], ids=float)
def test_rounded_gaussian_is_exact(centre: float, scale: Fraction) -> None:
    draws = rounded_gaussian(np.full(300_000, centre), scale)
    assert goodness.p_value(draws, goodness.rounded_normal(centre, float(scale))) > ALARM
    assert goodness.p_value(draws, goodness.rounded_normal(centre, float(scale) * 1.04)) < ALARM
    assert (
        goodness.p_value(draws, goodness.rounded_normal(centre + 0.05 * float(scale), float(scale)))
        < ALARM
    )


def power_cdf(z: np.ndarray, gamma: float) -> np.ndarray:
    """Return the distribution function of power noise, an incomplete beta of 1/(1 + |z|^gamma)."""
    beyond = betainc(1 - 1 / gamma, 1 / gamma, 1 / (1 + np.abs(z) ** gamma)) / 2
    return np.where(z < 0, beyond, 1 - beyond)


@pytest.mark.parametrize("gamma", GAMMAS, ids=str)
def test_the_reference_distribution_integrates_its_density(gamma: Fraction) -> None:
    g = float(gamma)

    def density(z: float) -> float:
        return 1 / (1 + z**g)

    half = (
        quad(density, 0, 1, epsabs=1e-13)[0] + quad(density, 1, np.inf, epsabs=1e-13, limit=500)[0]
    )
    for z in (0.1, 1.0, 3.7):
        assert (
            abs(
                power_cdf(np.array([z]), g)[0]
                - 0.5
                - quad(density, 0, z, epsabs=1e-13)[0] / half / 2
            )
            < 1e-8
        )
    if gamma == 2:
        assert abs(power_cdf(np.array([3.7]), 2.0)[0] - 0.5 - np.arctan(3.7) / np.pi) < 1e-14


@pytest.mark.parametrize(("centre", "scale"), [(0.3, Fraction(1)), (-1234.56, Fraction(97, 2))])
@pytest.mark.parametrize("gamma", GAMMAS, ids=str)
def test_rounded_power_is_exact(gamma: Fraction, centre: float, scale: Fraction) -> None:
    draws = rounded_power(np.full(300_000, centre), scale, gamma)
    assert (
        goodness.p_value(
            draws, Law.rounded(centre, float(scale), lambda z: power_cdf(z, float(gamma)))
        )
        > ALARM
    )
    assert (
        goodness.p_value(
            draws, Law.rounded(centre, float(scale) * 1.06, lambda z: power_cdf(z, float(gamma)))
        )
        < ALARM
    )
    assert (
        goodness.p_value(
            draws, Law.rounded(centre, float(scale), lambda z: power_cdf(z, float(gamma) * 1.06))
        )
        < ALARM
    )


@pytest.mark.long
def test_each_centre_gets_its_own_draw() -> None:
    centre = np.arange(-50_000, 50_000).reshape(100, 1000) * 1e9
    for draws in (
        rounded_gaussian(centre, Fraction(1000)),
        rounded_power(centre, Fraction(1000), Fraction(4)),
    ):
        assert draws.shape == centre.shape
        noise = (draws - centre).ravel()
        assert np.median(np.abs(noise)) < 2000
        assert abs(goodness.serial_correlation(np.clip(noise, -5000, 5000), 1)) < FAR
        assert abs(goodness.sign_against_size(noise)) < FAR


def test_results_beyond_the_range_are_clamped() -> None:
    size, beyond = 8000, 2 * power_cdf(np.array([-END / 1e12]), 1.1)[0]
    draws = rounded_power(np.zeros(size), Fraction(10**12), Fraction(11, 10))
    assert np.abs(draws).max() == END
    assert (
        abs(np.count_nonzero(np.abs(draws) == END) - size * beyond)
        < FAR * (size * beyond * (1 - beyond)) ** 0.5
    )
    assert (
        np.abs(rounded_gaussian(np.array([1e300, -1e300]), Fraction(1)) - [1 << 50, -1 << 50]).max()
        < 100
    )


@pytest.mark.parametrize(
    "gamma", [Fraction(1), Fraction(1, 2), Fraction(-2), Fraction(65), Fraction(129, 64)]
)
def test_exponents_out_of_range_are_refused(gamma: Fraction) -> None:
    with pytest.raises(
        InvalidArgument,
        match="gamma must be a fraction above 1 with a numerator of at most 16; got ",
    ):
        rounded_power(np.zeros(1), Fraction(1), gamma)


@pytest.mark.parametrize("bad", [Fraction(0), Fraction(-1), Fraction(10**12 + 1)])
def test_scales_out_of_range_are_refused(bad: Fraction) -> None:
    with pytest.raises(InvalidArgument, match="scale must lie between"):
        rounded_gaussian(np.zeros(1), bad)
    with pytest.raises(InvalidArgument, match="scale must lie between"):
        rounded_power(np.zeros(1), bad, Fraction(2))


def test_no_centres_give_no_draws() -> None:
    assert rounded_gaussian(np.zeros((0, 3)), Fraction(1)).shape == (0, 3)
