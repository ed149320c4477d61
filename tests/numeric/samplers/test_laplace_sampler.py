"""Coins, geometric and Laplace draws: the same bits give the same draw, and the distribution."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from unittest.mock import Mock

import numpy as np
import pytest

import goodness
from goodness import ALARM, FAR
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.samplers import laplace_sampler as exponential
from hedgerow.numeric.samplers.laplace_sampler import (
    bernoulli_exp,
    discrete_laplace,
    geometric,
    rounded_laplace,
)
from numeric import helpers_reference_samplers as obvious
from numeric.helpers_chosen_bits import (
    HIGH,
    LOW,
    SCALES,
    SPECIAL,
    exp,
    feed,
    ln,
    near,
    some,
    uniform,
)

HALF = Fraction(1, 2)
N = 10**6


def offset(scale: Fraction, two_sided: bool) -> Fraction:
    return -scale * ln((1 + exp(-1 / scale)) / 2) if two_sided else Fraction(0)


def boundaries(scale: Fraction, d: Fraction) -> list[int]:
    """Return words at which t E + d passes an integer, as far as U differs from 0."""
    farthest = floor(43 * scale)
    picks = {1, 2, 3, farthest // 3, farthest // 2, farthest} | {
        word % (farthest + 1) for word in some(20, seed=5)
    }
    return [word for k in picks if 0 < k <= farthest for word in near(exp((d - k) / scale))]


@pytest.mark.long
@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("scale", SCALES, ids=float)
def test_doubles_and_rationals_make_the_same_draw_of_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, scale: Fraction, two_sided: bool, more: int
) -> None:
    d, anywhere = offset(scale, two_sided), some(150, seed=1)
    edges = boundaries(scale, d)
    words = anywhere + SPECIAL + edges
    settled = Mock(wraps=exponential._resolve_floor)
    monkeypatch.setattr(exponential, "_resolve_floor", settled)
    feed(monkeypatch, exponential, more, words)
    drawn = exponential._draw_floors(scale, len(words), two_sided=two_sided)
    assert drawn.tolist() == [floor(-scale * ln(uniform(word, more)) + d) for word in words]
    assert settled.call_count >= (len(edges) // 6 if edges else 1), (
        "words at a boundary must be continued"
    )
    assert settled.call_count <= len(edges) + len(SPECIAL) + len(anywhere) // 2


def test_words_at_a_boundary_find_a_bound_that_is_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scale = Fraction(10**6)
    d = offset(scale, two_sided=True)
    words = boundaries(scale, d)
    t, error, double = exponential._compute_affine_parameters(scale)
    monkeypatch.setattr(
        exponential, "_compute_affine_parameters", lambda _: (t, np.zeros_like(error), double)
    )
    feed(monkeypatch, exponential, HIGH, words)
    drawn = exponential._draw_floors(scale, len(words), two_sided=True)
    assert drawn.tolist() != [floor(-scale * ln(uniform(word, HIGH)) + d) for word in words]


@pytest.mark.long
@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("centre", [0.3, -1234.56, -0.4999999999999999, 2.0**49 + 0.25, 1e300])
@pytest.mark.parametrize("scale", SCALES[1::2], ids=float)
def test_rounded_laplace_makes_the_same_draw_of_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, scale: Fraction, centre: float, sign: int
) -> None:
    exact = Fraction(min(centre, 2.0**50))
    toward, middle = (-scale if sign else scale), exact + HALF
    steps = {1, 2, 3, floor(20 * scale), floor(43 * scale)}
    boundary = [(floor(middle) + (-k if sign else k) - middle) / toward for k in steps]
    words = (
        some(60, seed=2)
        + SPECIAL
        + [word for e in boundary if 0 < e < 43 for word in near(exp(-e))]
    )
    feed(monkeypatch, exponential, HIGH, words, sign=sign)
    drawn = rounded_laplace(np.full(len(words), centre), scale)
    assert drawn.tolist() == [floor(middle - toward * ln(uniform(word, HIGH))) for word in words]


@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize(
    "x",
    [
        Fraction(0),
        Fraction(1, 10**15),
        Fraction(1, 3),
        Fraction(1),
        Fraction(40),
        Fraction(44),
        Fraction(10**400),
    ],
    ids=str,
)
def test_coins_fall_the_same_way_for_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, x: Fraction, more: int
) -> None:
    limit = exp(-min(x, Fraction(1000)))
    words = some(200, seed=3) + SPECIAL + near(limit)
    feed(monkeypatch, exponential, more, words)
    assert bernoulli_exp(x, len(words)).tolist() == [uniform(word, more) < limit for word in words]


@pytest.mark.parametrize(
    "scale", [Fraction(3, 10), Fraction(1), Fraction(15, 2), Fraction(1000)], ids=float
)
def test_discrete_laplace_is_exact_and_two_per_cent_off_is_not(scale: Fraction) -> None:
    law = goodness.discrete_laplace(scale)
    assert goodness.p_value(discrete_laplace(scale, N), law) > ALARM
    assert goodness.p_value(discrete_laplace(scale * Fraction(102, 100), N), law) < ALARM
    assert goodness.p_value(discrete_laplace(scale * Fraction(98, 100), N), law) < ALARM


@pytest.mark.parametrize("scale", [Fraction(3, 10), Fraction(15, 2), Fraction(1000)], ids=float)
def test_geometric_is_exact_and_two_per_cent_off_is_not(scale: Fraction) -> None:
    law = goodness.geometric(scale)
    assert goodness.p_value(geometric(scale, N), law) > ALARM
    assert goodness.p_value(geometric(scale * Fraction(102, 100), N), law) < ALARM


@pytest.mark.parametrize("scale", [Fraction(10**6), Fraction(10**12)], ids=float)
def test_at_large_scales_discrete_noise_is_rounded_continuous_noise(scale: Fraction) -> None:
    # Pr[|Z| >= k] = 2 q^k/(1+q), and rounding the real law gives q^(k-1/2): apart by a factor of 1
    # - 1/8t^2.
    law = goodness.rounded_laplace(0, float(scale))
    assert goodness.p_value(discrete_laplace(scale, 200_000), law) > ALARM
    assert goodness.p_value(discrete_laplace(scale * Fraction(95, 100), 200_000), law) < ALARM


@pytest.mark.parametrize("centre", [0.3, -1234.56])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(7), Fraction(12345, 10)], ids=float)
def test_rounded_laplace_is_exact(centre: float, scale: Fraction) -> None:
    draws = rounded_laplace(np.full(300_000, centre), scale)
    assert goodness.p_value(draws, goodness.rounded_laplace(centre, float(scale))) > ALARM
    assert (
        goodness.p_value(
            draws, goodness.rounded_laplace(centre + 0.05 * float(scale), float(scale))
        )
        < ALARM
    )


def test_the_obvious_sampler_agrees() -> None:
    scale = Fraction(5, 2)
    slow = np.array([obvious.laplace(scale) for _ in range(10_000)])
    assert goodness.p_value(slow, goodness.discrete_laplace(scale)) > ALARM
    both = np.stack(
        [
            np.bincount(np.clip(draws + 12, 0, 24), minlength=25)
            for draws in (slow, discrete_laplace(scale, slow.size))
        ]
    )
    for row in both:
        assert goodness.chi_square(row, both.sum(axis=0)) > ALARM


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 10), Fraction(1), Fraction(7)], ids=float)
def test_coins_have_the_probability_stated(x: Fraction) -> None:
    p = float(exp(-x))
    heads = int(bernoulli_exp(x, N).sum())
    assert abs(heads - N * p) <= FAR * (N * p * (1 - p)) ** 0.5


def test_draws_are_independent() -> None:
    draws = discrete_laplace(Fraction(15, 2), N)
    assert all(abs(goodness.serial_correlation(draws, lag)) < FAR for lag in (1, 2, 64, 8192))
    assert abs(goodness.sign_against_size(draws)) < FAR
    assert abs(np.sign(draws).sum()) < FAR * N**0.5


def test_no_two_cells_share_their_noise() -> None:
    draws = np.concatenate(
        [discrete_laplace(Fraction(10**12), 5000), discrete_laplace(Fraction(10**12), 5000)]
    )
    # three chance pairs have probability below 1e-12
    assert np.unique(np.abs(draws)).size >= draws.size - 2


@pytest.mark.parametrize(
    "bad", [Fraction(0), Fraction(-1), Fraction(10**12 + 1), Fraction(1, 10**13), Fraction(10**400)]
)
def test_scales_out_of_range_are_refused(bad: Fraction) -> None:
    for refused in (
        lambda: geometric(bad, 1),
        lambda: discrete_laplace(bad, 1),
        lambda: rounded_laplace(np.zeros(1), bad),
    ):
        with pytest.raises(
            InvalidArgument, match=r"scale must lie between 10\^-12 and 10\^12 grid steps"
        ):
            refused()


def test_a_negative_exponent_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"x must be 0 or more; got -0\.5"):
        bernoulli_exp(Fraction(-1, 2), 1)


@pytest.mark.parametrize(
    "scale", [Fraction(1, 10**12), Fraction(1, 10**6), Fraction(1, 1000)], ids=float
)
def test_scales_without_noise_are_quick_and_quiet(scale: Fraction) -> None:
    # e^(-1/scale) as a fraction would have up to 10^11 digits.
    assert not discrete_laplace(scale, 1000).any()
    assert not geometric(scale, 1000).any()


def test_shapes_are_kept() -> None:
    assert rounded_laplace(np.zeros((2, 3)), Fraction(1)).shape == (2, 3)
    assert discrete_laplace(Fraction(1), 0).size == 0
    assert discrete_laplace(Fraction(1), 20_000).size == 20_000
