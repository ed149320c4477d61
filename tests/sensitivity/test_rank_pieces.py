from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.numeric.vectorised import Integers
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.rank_pieces import (
    RankPieces,
    build_pieces,
    compute_inverse_lengths,
    compute_rank_errors,
)
from hedgerow.sensitivity.sample import SortedSample

from .helpers_brute_force import PARTS, RELATIONS, World, add_remove, change_one, quantile, sample

POINTS, UPPER, LARGEST = 4, 3, 9


def spread(parts: RankPieces, values: Integers) -> Integers:
    """Return one number for each point of the range."""
    return np.repeat(values, parts.points)


def worlds(neighbours: str) -> list[World]:
    return (
        [add_remove(POINTS, LARGEST)]
        if neighbours == "add-remove"
        else [change_one(POINTS, n) for n in (1, 2, 3, 4, 5)]
    )


@given(st.lists(st.integers(-5, 15), max_size=12))
def test_pieces_cover_the_range_once(values: list[int]) -> None:
    x = SortedSample.from_values(values, lower=0, upper=9)
    parts = build_pieces(x)
    assert parts.first.tolist() == [0, *np.cumsum(parts.points)[:-1]]
    assert (parts.points > 0).all()
    assert parts.first.size <= 2 * len(x) + 1
    for name, count in (
        ("below", [sum(v < z for v in x.values) for z in range(10)]),
        ("equal", [sum(v == z for v in x.values) for z in range(10)]),
        ("above", [sum(v > z for v in x.values) for z in range(10)]),
    ):
        assert spread(parts, getattr(parts, name)).tolist() == count


def test_an_empty_sample_is_one_piece() -> None:
    parts = build_pieces(sample([], 9))
    assert (parts.first.tolist(), parts.points.tolist(), parts.equal.tolist()) == ([0], [10], [0])


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS)
def test_inverse_length_matches_brute_force(p: Fraction, neighbours: str) -> None:
    """It is the distance to the nearest non-empty data set whose quantile is z."""
    q, f = Quantile(p, neighbours), quantile(p, POINTS)
    for world in worlds(neighbours):
        answers = np.array([f(x) for x in world.sets])
        truth = [world.nearest((answers == z) & (world.sizes > 0)) for z in range(POINTS)]
        for i in np.flatnonzero(world.sizes <= 4):  # z comes at most as often as there are others
            parts = build_pieces(sample(world.sets[i], UPPER))
            assert spread(parts, compute_inverse_lengths(q, parts)).tolist() == [
                int(truth[z][i]) for z in range(POINTS)
            ]


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", [*PARTS, Fraction(1, 3)])
def test_rank_errors_move_by_at_most_the_stated_amount(p: Fraction, neighbours: str) -> None:
    q = Quantile(p, neighbours)
    for world in worlds(neighbours):
        small = np.flatnonzero(world.sizes <= 6)
        found = {}
        for i in small:
            parts = build_pieces(sample(world.sets[i], UPPER))
            off, sensitivity = compute_rank_errors(q, parts)
            found[int(i)] = spread(parts, off)
            assert off.min() >= 0
        moves = [
            np.abs(found[i] - found[j]).max()
            for i, j in world.pairs.tolist()
            if i in found and j in found
        ]
        assert max(moves) <= sensitivity
        assert neighbours == "change-one" or max(moves) == sensitivity


@pytest.mark.parametrize("neighbours", RELATIONS)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.sampled_from(PARTS))
def test_the_quantile_has_no_rank_error(neighbours: str, values: list[int], p: Fraction) -> None:
    q, x = Quantile(p, neighbours), sample(values, 20)
    parts = build_pieces(x)
    off, length = (
        spread(parts, compute_rank_errors(q, parts)[0]),
        spread(parts, compute_inverse_lengths(q, parts)),
    )
    assert off[q.value(x)] == length[q.value(x)] == 0
    assert (length[np.arange(21) != q.value(x)] >= 1).all()
