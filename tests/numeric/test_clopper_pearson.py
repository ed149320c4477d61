"""Clopper-Pearson bounds against scipy, and their exact coverage."""

from __future__ import annotations

from math import comb, pi, sqrt

import pytest
from scipy.special import betaincinv

from hedgerow.numeric import clopper_pearson as binomial
from hedgerow.numeric.clopper_pearson import clopper_pearson


@pytest.mark.parametrize(
    ("hits", "trials"),
    [
        (1, 1),
        (1, 2),
        (1, 10),
        (3, 10),
        (9, 10),
        (1, 1000),
        (500, 1000),
        (999, 1000),
        (17, 10**6),
        (5 * 10**5, 10**6),
        (10**6 - 1, 10**6),
        (10**8, 10**9),
    ],
)
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999999])
def test_bounds_match_the_beta_distribution(hits: int, trials: int, confidence: float) -> None:
    outside = (1 - confidence) / 2
    low, high = clopper_pearson(hits, trials, confidence)
    assert low == pytest.approx(betaincinv(hits, trials - hits + 1, outside), rel=2e-8)
    wanted = betaincinv(hits + 1, trials - hits, 1 - outside) if hits < trials else 1.0
    assert high == pytest.approx(wanted, rel=2e-8)
    assert low < hits / trials <= high


def test_no_and_only_successes() -> None:
    low, high = clopper_pearson(0, 50, 0.95)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 50))
    low, high = clopper_pearson(50, 50, 0.95)
    assert low == pytest.approx(0.025 ** (1 / 50))
    assert high == 1
    assert clopper_pearson(0, 0, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("trials", [5, 23])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_probability_is_held_at_least_as_often_as_stated(
    trials: int, confidence: float
) -> None:
    bounds = [clopper_pearson(hits, trials, confidence) for hits in range(trials + 1)]
    for p in [i / 97 for i in range(1, 97)]:
        held = sum(
            comb(trials, hits) * p**hits * (1 - p) ** (trials - hits)
            for hits, (low, high) in enumerate(bounds)
            if low <= p <= high
        )
        assert held >= confidence - 1e-12


def test_the_bounds_are_symmetric() -> None:
    for hits in range(21):
        low, high = clopper_pearson(hits, 20, 0.9)
        mirrored = clopper_pearson(20 - hits, 20, 0.9)
        assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


def test_more_confidence_is_a_wider_interval() -> None:
    widths = [
        high - low
        for low, high in (
            clopper_pearson(7, 30, confidence)
            for confidence in (0.5, 0.9, 0.99, 1 - 1e-12, 1 - 1e-16)
        )
    ]
    assert widths == sorted(widths)
    assert widths[-1] <= 1


def test_a_fraction_that_converges_slowly_is_cut_short_near_its_value() -> None:
    # I_1/2(a, a) = 1/2 makes it sqrt(pi a) in the limit.
    assert binomial._continued_fraction(10**14, 10**14, 0.5) == pytest.approx(
        sqrt(pi * 10**14), rel=1e-3
    )


@pytest.mark.parametrize(
    ("k", "n", "p"), [(1, 1, 0.3), (3, 7, 0.2), (3, 7, 0.8), (20, 40, 0.5), (1, 40, 0.9)]
)
def test_the_upper_tail_is_the_sum_of_its_terms(k: int, n: int, p: float) -> None:
    assert binomial._binomial_tail(k, n, p) == pytest.approx(
        sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)), rel=1e-12
    )
