"""The bounds hold at their level: checked against the exact binomial law, not by sampling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.audit.confidence import (
    COIN_RULE,
    SPLIT_SHARES,
    HitCount,
    certify_epsilon,
    clopper_pearson_lower,
    clopper_pearson_upper,
    parse_confidence,
    parse_delta,
    parse_integer,
)


def pmf(n: int, p: float) -> np.ndarray:
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("error", [0.5, 0.05, 1e-4])
def test_each_side_fails_no_more_often_than_stated(n: int, error: float) -> None:
    hits = np.arange(n + 1)
    low, high = clopper_pearson_lower(hits, n, error), clopper_pearson_upper(hits, n, error)
    for p in np.linspace(0, 1, 101):
        chance = pmf(n, p)
        assert chance[low > p].sum() <= error
        assert chance[high < p].sum() <= error


def test_bounds_are_the_tightest_that_hold() -> None:
    # At p = the bound itself, seeing this many hits or more has exactly the chance that the level
    # allows.
    assert pmf(20, float(clopper_pearson_lower(7, 20, 0.05)))[7:].sum() == pytest.approx(
        0.05, rel=1e-6
    )
    assert pmf(20, float(clopper_pearson_upper(7, 20, 0.05)))[:8].sum() == pytest.approx(
        0.05, rel=1e-6
    )


def test_known_values_at_the_ends() -> None:
    assert clopper_pearson_lower(0, 10, 0.05) == 0
    assert clopper_pearson_upper(10, 10, 0.05) == 1
    assert clopper_pearson_upper(0, 10, 0.05) == pytest.approx(1 - 0.05**0.1)
    assert clopper_pearson_lower(10, 10, 0.05) == pytest.approx(0.05**0.1)
    assert (clopper_pearson_lower(0, 0, 0.05), clopper_pearson_upper(0, 0, 0.05)) == (0, 1)


@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("share", SPLIT_SHARES)
@pytest.mark.parametrize(
    ("p", "q"), [(0.5, 0.184), (0.9, 0.33), (0.05, 0.01), (0.3, 0.3), (1.0, 0.5)]
)
def test_split_rule_exceeds_the_truth_no_more_often_than_stated(
    share: float, p: float, q: float, delta: float
) -> None:
    n, m = 30, 25
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    bounds = certify_epsilon((x, n), (y, m), 0.05, delta, share)
    truth = math.log((p - delta) / q) if p > delta else -math.inf
    assert np.outer(pmf(n, p), pmf(m, q))[bounds > truth].sum() <= 0.05


@pytest.mark.parametrize(
    ("p", "q"), [(0.5, 0.184), (0.9, 0.33), (0.05, 0.01), (0.3, 0.3), (1.0, 0.5)]
)
def test_coin_rule_exceeds_the_truth_no_more_often_than_stated(p: float, q: float) -> None:
    # Each run: a fair coin picks the side. Outcomes: a hit on the likelier side (p/2), on the other
    # (q/2), no hit.
    runs = 24
    total = 0.0
    for x in range(runs + 1):
        for y in range(runs + 1 - x):
            if certify_epsilon((x, runs), (y, runs), 0.05) > math.log(p / q):
                ways = math.factorial(runs) // (
                    math.factorial(x) * math.factorial(y) * math.factorial(runs - x - y)
                )
                total += ways * (p / 2) ** x * (q / 2) ** y * (1 - (p + q) / 2) ** (runs - x - y)
    assert total <= 0.05


def test_coin_rule_is_tighter_for_a_middling_event() -> None:
    counts = (5_000, 10_000), (1_840, 10_000)
    assert (
        certify_epsilon(*counts, 0.05)
        > max(float(certify_epsilon(*counts, 0.05, share=share)) for share in SPLIT_SHARES)
        > 0.9
    )


def test_zero_counts() -> None:
    for share in (COIN_RULE, *SPLIT_SHARES):
        assert certify_epsilon((0, 100), (0, 100), 0.05, share=share) <= 0
        assert certify_epsilon((0, 100), (50, 100), 0.05, share=share) == -math.inf
        assert 2 < certify_epsilon((90, 100), (0, 100), 0.05, share=share) < math.log(100)
    assert certify_epsilon((50, 100), (0, 100), 0.05, delta=0.6, share=0.5) == -math.inf


def test_coin_rule_refuses_a_delta() -> None:
    with pytest.raises(InvalidArgument, match="share"):
        certify_epsilon((5, 10), (1, 10), 0.05, 0.01, COIN_RULE)


def test_arguments_are_checked_at_the_door() -> None:
    assert parse_confidence(0.95) == 0.05
    assert (parse_delta(0), parse_delta(1e-6)) == (0.0, 1e-6)
    assert parse_integer(np.int64(7), "cells", 1) == 7
    for bad in (0, 1, 1.5, math.nan, True, "0.9"):
        with pytest.raises(InvalidArgument, match="confidence"):
            parse_confidence(bad)
    for bad in (-0.1, 1, math.inf, False, None):
        with pytest.raises(InvalidArgument, match="delta"):
            parse_delta(bad)
    for bad in (0, 2.0, True, "9"):
        with pytest.raises(InvalidArgument, match="cells"):
            parse_integer(bad, "cells", 1)


def test_rate_of_nothing_is_zero() -> None:
    assert HitCount(0, 0).rate == 0.0
    assert HitCount(1, 4).rate == 0.25
