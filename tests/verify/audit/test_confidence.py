"""The bounds hold at their level: checked against the exact binomial law, not by sampling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.audit.confidence import COIN, SPLITS, Count, allowance, certified, error_level, highest, lowest, whole


def pmf(n: int, p: float) -> np.ndarray:
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("error", [0.5, 0.05, 1e-4])
def test_each_side_fails_no_more_often_than_stated(n: int, error: float) -> None:
    hits = np.arange(n + 1)
    low, high = lowest(hits, n, error), highest(hits, n, error)
    for p in np.linspace(0, 1, 101):
        chance = pmf(n, p)
        assert chance[low > p].sum() <= error
        assert chance[high < p].sum() <= error


def test_bounds_are_the_tightest_that_hold() -> None:
    # At p = the bound itself, seeing this many hits or more has exactly the chance that the level allows.
    assert pmf(20, float(lowest(7, 20, 0.05)))[7:].sum() == pytest.approx(0.05, rel=1e-6)
    assert pmf(20, float(highest(7, 20, 0.05)))[:8].sum() == pytest.approx(0.05, rel=1e-6)


def test_known_values_at_the_ends() -> None:
    assert lowest(0, 10, 0.05) == 0
    assert highest(10, 10, 0.05) == 1
    assert highest(0, 10, 0.05) == pytest.approx(1 - 0.05**0.1)
    assert lowest(10, 10, 0.05) == pytest.approx(0.05**0.1)
    assert (lowest(0, 0, 0.05), highest(0, 0, 0.05)) == (0, 1)


@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("share", SPLITS)
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.184), (0.9, 0.33), (0.05, 0.01), (0.3, 0.3), (1.0, 0.5)])
def test_split_rule_exceeds_the_truth_no_more_often_than_stated(share: float, p: float, q: float, delta: float) -> None:
    n, m = 30, 25
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    bounds = certified((x, n), (y, m), 0.05, delta, share)
    truth = math.log((p - delta) / q) if p > delta else -math.inf
    assert np.outer(pmf(n, p), pmf(m, q))[bounds > truth].sum() <= 0.05


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.184), (0.9, 0.33), (0.05, 0.01), (0.3, 0.3), (1.0, 0.5)])
def test_coin_rule_exceeds_the_truth_no_more_often_than_stated(p: float, q: float) -> None:
    # Each run: a fair coin picks the side. Outcomes: a hit on the likelier side (p/2), on the other (q/2), no hit.
    runs = 24
    total = 0.0
    for x in range(runs + 1):
        for y in range(runs + 1 - x):
            if certified((x, runs), (y, runs), 0.05) > math.log(p / q):
                ways = math.factorial(runs) // (math.factorial(x) * math.factorial(y) * math.factorial(runs - x - y))
                total += ways * (p / 2) ** x * (q / 2) ** y * (1 - (p + q) / 2) ** (runs - x - y)
    assert total <= 0.05


def test_coin_rule_is_tighter_for_a_middling_event() -> None:
    counts = (5_000, 10_000), (1_840, 10_000)
    assert certified(*counts, 0.05) > max(float(certified(*counts, 0.05, share=share)) for share in SPLITS) > 0.9


def test_zero_counts() -> None:
    for share in (COIN, *SPLITS):
        assert certified((0, 100), (0, 100), 0.05, share=share) <= 0
        assert certified((0, 100), (50, 100), 0.05, share=share) == -math.inf
        assert 2 < certified((90, 100), (0, 100), 0.05, share=share) < math.log(100)
    assert certified((50, 100), (0, 100), 0.05, delta=0.6, share=0.5) == -math.inf


def test_coin_rule_refuses_a_delta() -> None:
    with pytest.raises(InvalidArgument, match="share"):
        certified((5, 10), (1, 10), 0.05, 0.01, COIN)


def test_arguments_are_checked_at_the_door() -> None:
    assert error_level(0.95) == 0.05
    assert (allowance(0), allowance(1e-6)) == (0.0, 1e-6)
    assert whole(np.int64(7), "cells", 1) == 7
    for bad in (0, 1, 1.5, math.nan, True, "0.9"):
        with pytest.raises(InvalidArgument, match="confidence"):
            error_level(bad)
    for bad in (-0.1, 1, math.inf, False, None):
        with pytest.raises(InvalidArgument, match="delta"):
            allowance(bad)
    for bad in (0, 2.0, True, "9"):
        with pytest.raises(InvalidArgument, match="cells"):
            whole(bad, "cells", 1)


def test_rate_of_nothing_is_zero() -> None:
    assert Count(0, 0).rate == 0.0
    assert Count(1, 4).rate == 0.25
