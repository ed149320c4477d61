from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.design_matrix import Candidates


def dense(bits: np.ndarray, k: int) -> np.ndarray:
    matrix = np.zeros((bits.shape[0], bits.shape[1], k))
    np.put_along_axis(matrix, bits, 1.0, axis=2)
    return matrix.reshape(bits.shape[0], -1)


@pytest.mark.parametrize("hashes", [1, 2, 3, 5])
def test_sums_and_spread_are_those_of_the_matrix(hashes: int) -> None:
    rng = np.random.default_rng(hashes)
    bits = rng.integers(0, 4, (5000, 3, hashes))  # more than a chunk, and many repeats
    matrix, candidates = dense(bits, 4), Candidates.of(bits, 4)
    cells, shares = rng.normal(size=12), rng.normal(size=5000)
    np.testing.assert_allclose(candidates.sum_cells(cells), matrix @ cells, atol=1e-9)
    np.testing.assert_allclose(candidates.spread_shares(shares), matrix.T @ shares, atol=1e-9)
    assert candidates.load == pytest.approx(matrix.mean())
    some, cohorts = np.array([3, 4999, 7]), np.array([2, 0])
    np.testing.assert_allclose(
        candidates.take(some).sum_cells(cells), matrix[some] @ cells, atol=1e-9
    )
    np.testing.assert_allclose(
        candidates.select_cohorts(cohorts).sum_cells(cells[:8]),
        dense(bits[:, cohorts], 4) @ cells[:8],
        atol=1e-9,
    )


def test_one_bit_each() -> None:
    own = np.repeat(np.array([2, 0, 1])[:, None, None], 4, axis=1)
    assert Candidates.of(own, 3).has_one_bit_each
    assert not Candidates.of(np.repeat(own, 2, axis=2), 3).has_one_bit_each  # two hashes
    assert not Candidates.of(own[[0, 0]], 3).has_one_bit_each  # a shared bit
    moved = own.copy()
    moved[0, 3] = 1
    assert not Candidates.of(moved, 3).has_one_bit_each


@pytest.mark.parametrize(
    "bits", [np.zeros((2, 2)), np.zeros((1, 1, 1)), np.zeros((1, 1, 0), dtype=int)]
)
def test_shape(bits: np.ndarray) -> None:
    with pytest.raises(InvalidArgument, match="for each candidate, cohort and hash"):
        Candidates.of(bits, 4)


@pytest.mark.parametrize("bit", [-1, 4])
def test_range(bit: int) -> None:
    with pytest.raises(InvalidArgument, match="between 0 and 3"):
        Candidates.of(np.full((1, 1, 1), bit), 4)


def test_too_many_cells() -> None:
    with pytest.raises(InvalidArgument, match="fewer than"):
        Candidates.of(np.zeros((1, 2, 1), dtype=int), 1 << 30)


def test_the_matrix_sums_and_spreads_the_same_for_many_at_once() -> None:
    rng = np.random.default_rng(6)
    candidates = Candidates.of(rng.integers(0, 4, (7, 3, 2)), 4)
    design, numbers, shares = (
        candidates.build_matrix(),
        rng.normal(size=(5, 12)),
        rng.random((5, 7)),
    )
    assert len(design) == 7
    np.testing.assert_allclose(
        design.sum_cells(numbers), [candidates.sum_cells(row) for row in numbers]
    )
    np.testing.assert_allclose(
        design.spread_shares(shares), [candidates.spread_shares(row) for row in shares]
    )
