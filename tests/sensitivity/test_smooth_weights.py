from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.rounding import exp_bounds, exp_down
from hedgerow.sensitivity.smooth_weights import (
    MIN_BETA,
    SmoothWeights,
    check_beta,
    find_last_distance,
    round_maximum_up,
)

BETAS = [
    MIN_BETA,
    Fraction(1, 10**6),
    Fraction(1, 1000),
    Fraction(1, 60),
    Fraction(1, 6),
    Fraction(1),
    Fraction(7),
    Fraction(100),
]
SLACK = 1 + Fraction(1, 2**37)


def some(count: int) -> list[int]:
    """Return the first and last indices, those around a change of block, and some in between."""
    chosen = {
        *range(70),
        *range(1000, 1050),
        *range(2040, 2055),
        *range(count - 40, count),
        *range(0, count, max(1, count // 150)),
    }
    return sorted(k for k in chosen if 0 <= k < count)


@pytest.mark.parametrize("beta", BETAS)
def test_the_weights_fall_slowly_enough(beta: Fraction) -> None:
    count = min(2 * find_last_distance(beta, 10**6) + 3, 10**6)
    weights = SmoothWeights(beta, count)
    k = np.array(some(count))
    growth = exp_down(beta)
    for now, after in zip(weights.at(k), weights.at(k + 1), strict=True):
        assert 0 < after < now
        assert Fraction(float(now)) * SLACK <= growth * Fraction(float(after))


@pytest.mark.parametrize("beta", BETAS)
def test_each_weight_is_close_to_its_power(beta: Fraction) -> None:
    count = min(2 * find_last_distance(beta, 10**6) + 3, 10**6)
    weights, rate = SmoothWeights(beta, count), beta - Fraction(1, 2**36)
    for k in some(count)[:: 7 if count > 100 else 1]:
        low, high = exp_bounds(-rate * k)
        w = Fraction(float(weights.at(np.array([k]))[0]))
        assert low * (1 - Fraction(1, 2**47)) <= w <= high * (1 + Fraction(1, 2**47))


def test_no_exponential_function_of_the_platform_is_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = SmoothWeights(Fraction(1, 6), 100).at(np.arange(100))
    monkeypatch.setattr(np, "exp", lambda x: 0 * x)
    assert np.array_equal(SmoothWeights(Fraction(1, 6), 100).at(np.arange(100)), before)


@pytest.mark.parametrize("count", [1, 5, 1023, 1024, 1025, 5000])
def test_list_first_matches_at(count: int) -> None:
    weights = SmoothWeights(Fraction(1, 100), 5000)
    assert np.array_equal(weights.list_first(count), weights.at(np.arange(count)))
    assert np.array_equal(
        SmoothWeights(Fraction(1, 100), count).list_first(count), weights.list_first(count)
    )


def test_the_first_weight_is_one() -> None:
    assert all(SmoothWeights(beta, 0).at(np.array([0]))[0] == 1 for beta in BETAS)


@given(
    st.fractions(min_value=MIN_BETA, max_value=100, max_denominator=2**24), st.integers(0, 10**7)
)
def test_the_last_distance_is_all_data_or_a_tiny_weight(beta: Fraction, n: int) -> None:
    last = find_last_distance(beta, n)
    assert last == n or (last < n and beta * (last - 1) < 100 <= beta * last)


@given(st.floats(min_value=0, max_value=1e300))
def test_the_maximum_is_raised_above_its_rounding(largest: float) -> None:
    assert (
        Fraction(largest) * (1 + Fraction(1, 2**39))
        <= round_maximum_up(largest)
        <= Fraction(largest) * SLACK
    )


@pytest.mark.parametrize("beta", [0, -1, 2**-25, 101, nan, inf, None, "1", True, [1]])
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^beta must"):
        check_beta(beta)  # type: ignore[arg-type]


def test_beta_is_exact() -> None:
    assert check_beta(0.1) == Fraction(1, 10)
    assert check_beta(100) == 100
    assert check_beta(MIN_BETA) == MIN_BETA
