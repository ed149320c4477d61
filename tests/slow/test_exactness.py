"""Exactness at length: ten million draws of each law, and many more words through both paths of
every sampler.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor

import numpy as np
import pytest

import goodness
from goodness import ALARM, FAR
from hedgerow.numeric.samplers import gaussian_sampler as gaussian
from hedgerow.numeric.samplers import laplace_sampler as exponential
from hedgerow.numeric.samplers.gaussian_sampler import discrete_gaussian, draw_ratio_candidates
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from numeric.helpers_chosen_bits import HIGH, LOW, SCALES, exp, feed, ln, near, some, uniform

N = 10**7
HALF = Fraction(1, 2)
Sampler = Callable[[Fraction, int], np.ndarray]


@pytest.mark.parametrize(
    "scale", [Fraction(3, 10), Fraction(1), Fraction(15, 2), Fraction(1000)], ids=float
)
@pytest.mark.parametrize(
    ("sampler", "law"),
    [
        (discrete_laplace, goodness.discrete_laplace),
        (discrete_gaussian, goodness.discrete_gaussian),
    ],
)
def test_ten_million_draws_fit_the_law_and_two_per_cent_off_do_not(
    sampler: Sampler, law: Callable[[Fraction], goodness.Law], scale: Fraction
) -> None:
    exact = law(scale)
    draws = sampler(scale, N)
    assert goodness.p_value(draws, exact) > ALARM
    assert all(abs(goodness.serial_correlation(draws, lag)) < FAR for lag in (1, 2, 3, 8192))
    assert abs(goodness.sign_against_size(draws)) < FAR
    for off in (Fraction(102, 100), Fraction(98, 100), Fraction(1007, 1000)):
        assert goodness.p_value(sampler(scale * off, N), exact) < ALARM


@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize("scale", SCALES, ids=float)
def test_many_words_through_both_paths_of_the_laplace_law(
    monkeypatch: pytest.MonkeyPatch, scale: Fraction, more: int
) -> None:
    d = -scale * ln((1 + exp(-1 / scale)) / 2)
    farthest = floor(43 * scale)
    edges = [
        word
        for pick in some(400, seed=21)
        if farthest
        for word in near(exp((d - 1 - pick % farthest) / scale))
    ]
    words = (some(4000, seed=22) + edges)[:8000]
    feed(monkeypatch, exponential, more, words)
    drawn = exponential._draw_floors(scale, len(words), two_sided=True)
    assert drawn.tolist() == [floor(-scale * ln(uniform(word, more)) + d) for word in words]


@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize("sigma", SCALES, ids=float)
def test_many_words_through_both_paths_of_the_gaussian_law(
    monkeypatch: pytest.MonkeyPatch, sigma: Fraction, more: int
) -> None:
    bound = gaussian._compute_ratio_bound(sigma)
    both = list(zip(some(4000, seed=23), some(4000, seed=24), strict=True))
    for u in some(500, seed=25):
        if u:
            z = 1 + u % (1 + floor(4 * sigma))
            both += [
                (u, word)
                for word in near(
                    min(Fraction(u, 1 << 63) * (z - HALF) / Fraction(bound), Fraction(1))
                )
            ]
    feed(monkeypatch, gaussian, more, (u for u, _ in both), (v for _, v in both))
    nearest, keep = gaussian._decide_candidates(draw_ratio_candidates(len(both)), sigma, bound)
    wanted = []
    for u, v in ((uniform(u, more), uniform(v, more)) for u, v in both):
        z = floor(Fraction(bound) * v / u + HALF)
        wanted.append(z if -ln(u) >= Fraction(z * z) / (4 * sigma**2) else None)
    assert [
        z if kept else None for z, kept in zip(nearest.tolist(), keep.tolist(), strict=True)
    ] == wanted
