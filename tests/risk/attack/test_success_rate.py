"""Intervals that hold: against the exact chances of coins, and in the corners."""

from __future__ import annotations

import math

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.attack.success_rate import SuccessRate


def tail(hits: int, trials: int, rate: float) -> float:
    """The probability of so many hits or more."""
    return sum(
        math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(hits, trials + 1)
    )


@pytest.mark.parametrize("hits", [1, 17, 25, 40])
def test_apart_every_guess_is_a_trial(hits: int) -> None:
    found = SuccessRate(hits, people=20, runs=2, is_independent=True)
    assert found.rate == hits / 40
    low, high = found.interval(0.9)
    assert tail(hits, 40, low) == pytest.approx(0.05, rel=1e-6)
    assert 1 - tail(hits + 1, 40, high) == pytest.approx(0.05, rel=1e-6) or hits == 40
    assert low < found.rate <= high


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_together_only_runs_are(rate: float) -> None:
    """The worst runs are coins that are right for all or for nobody; even for those the bound
    fails no more often than it says.
    """
    runs, error = 40, 0.05
    missed = sum(
        math.comb(runs, k) * rate**k * (1 - rate) ** (runs - k)
        for k in range(runs + 1)
        if SuccessRate(k * 10, 10, runs).lower_bound(error) > rate
    )
    assert 0 < missed <= error
    missed = sum(
        math.comb(runs, k) * rate**k * (1 - rate) ** (runs - k)
        for k in range(runs + 1)
        if SuccessRate(k * 10, 10, runs).upper_bound(error) < rate
    )
    assert 0 < missed <= error


def test_corners() -> None:
    sure, never = SuccessRate(200, 10, 20), SuccessRate(0, 10, 20)
    assert sure.interval() == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert never.interval() == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert SuccessRate(40_000, 200, 200, is_independent=True).interval()[1] == 1.0


def test_a_rate_above_the_ceiling_is_proved() -> None:
    assert SuccessRate(30_000, 200, 200, is_independent=True).exceeds(0.7, 1e-9)
    assert not SuccessRate(30_000, 200, 200, is_independent=True).exceeds(0.745, 1e-9)
    # 200 runs of people who hang together say less
    assert not SuccessRate(30_000, 200, 200).exceeds(0.7, 1e-9)
    assert SuccessRate(30_000, 200, 200).exceeds(0.5, 1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [((0, 0, 1), "runs"), ((0, 1, 0), "runs"), ((3, 1, 2), "hits"), ((-1, 1, 2), "hits")],
)
def test_impossible_counts_are_refused(given: tuple[int, int, int], words: str) -> None:
    with pytest.raises(InvalidArgument, match=f"{words} "):
        SuccessRate(*given)
