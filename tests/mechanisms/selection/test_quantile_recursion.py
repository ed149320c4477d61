"""The recursion of several quantiles: splitting, tie-breakers, and the rank error."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from hedgerow.mechanisms.selection.quantile_recursion import (
    Shares,
    bound_rank_error,
    bound_tied_rows,
    count_tie_breakers,
    split_at_middle,
)

F = Fraction
TENTHS: Shares = tuple(F(i, 10) for i in range(1, 10))


def test_split_shares_are_relative_to_their_parts() -> None:
    assert split_at_middle((F(1, 3),)) == ((), F(1, 3), ())
    assert split_at_middle((F(1, 4), F(1, 2))) == ((F(1, 2),), F(1, 2), ())
    assert split_at_middle((F(1, 5), F(1, 2), F(3, 4))) == ((F(2, 5),), F(1, 2), (F(1, 2),))


def test_tie_breakers_leave_room_in_64_bits() -> None:
    assert count_tie_breakers(2) == count_tie_breakers(2**41) == 2**20
    assert count_tie_breakers(2**41 + 1) == 2**20 - 1
    assert count_tie_breakers(2**54 + 1) == 127
    assert count_tie_breakers(2**70) == 1


@pytest.mark.parametrize(("rows", "finer"), [(300, 64), (50, 64), (1000, 4)])
def test_few_rows_share_a_tie_breaker(rows: int, finer: int) -> None:
    rng, runs = np.random.default_rng(1), 400
    bound = bound_tied_rows(rows, finer, 0.05)
    assert rows / finer <= bound <= rows
    shared = [np.bincount(rng.integers(0, finer, rows)).max() for _ in range(runs)]
    assert np.mean(np.array(shared) > bound) <= 0.05


def test_the_bound_on_shared_tie_breakers_by_its_formula() -> None:
    for rows, finer, level in (
        (10**6, 2**20, 0.01),
        (10**4, 2**20, 0.01),
        (10**6, 2**30, 1e-6),
        (2, 4, 0.3),
    ):
        m = bound_tied_rows(rows, finer, level)
        assert comb(rows, m + 1) <= F(level) * finer**m
        assert m <= 13
    assert bound_tied_rows(1, 1, 0.5) == 1
    assert bound_tied_rows(70, 1, 0.5) == 70
    assert bound_tied_rows(10**9, 128, 0.01) < 4 * 10**9 / 128


def simulated(
    at: Shares,
    n: int,
    off: dict[tuple[Fraction, int], int],
    ties: int,
    low: int = 0,
    level: int = 0,
) -> list[float]:
    """Return where the answers lie, if choices and cuts of the rows 0 … n have these errors."""
    below, p, above = split_at_middle(at)
    chosen = low + float(p) * n + off[p, level]
    size = round(chosen - low) + ties
    left = simulated(below, size, off, ties, low, level + 1) if below else []
    return [
        *left,
        chosen,
        *(simulated(above, n - size, off, ties, low + size, level + 1) if above else []),
    ]


@pytest.mark.parametrize(
    "at", [(F(1, 2),), (F(1, 4), F(1, 2)), (F(1, 5), F(1, 2), F(3, 4)), TENTHS], ids=len
)
def test_no_cuts_exceed_the_rank_error_bound(at: Shares) -> None:
    rng, n = np.random.default_rng(len(at)), 10**6
    choices: dict[tuple[Fraction, int], int] = {}
    bound = bound_rank_error(
        at, lambda p, level: choices.setdefault((p, level), 100 * (level + 1)), 7
    )
    for trial in range(300):
        sign = {
            key: (1, -1, int(rng.choice([-1, 1])))[min(trial, 2)] * size
            for key, size in choices.items()
        }
        answers = simulated(at, n, sign, 7 if trial != 1 else 0)
        worst = max(abs(z - float(p) * n) for p, z in zip(at, answers, strict=True))
        assert worst <= bound + 3, "one row for each rounding"
        if trial == 0:
            assert worst >= 0.9 * bound


def test_the_rank_error_bound_matches_a_hand_computation() -> None:
    assert bound_rank_error((F(1, 2),), lambda p, level: 10.0, 5) == 10
    # half of 14, and 10
    assert bound_rank_error((F(1, 4), F(1, 2)), lambda p, level: 10.0, 4) == 17
    assert bound_rank_error((F(1, 4), F(1, 2)), lambda p, level: (10.0, 1.0)[level], 0) == 10
