"""Questions given as a matrix: the goldens, least squares, the smallest radii."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.workload_matrix import LinearQueries
from hedgerow.release.linear_queries import BinSums
from publish.helpers_strategies import FAR, best, drawn, measured, noise_of, off, price_of, read

# the ones of each of three bits
ONES = np.array([[code >> bit & 1 for code in range(8)] for bit in (2, 1, 0)])
UPTO = np.tril(np.ones((8, 8), dtype=np.int64))
ODD = np.array([[1, 0, -2, 3, 1], [1, 0, -2, 3, 1], [0, 0, 1, 1, 0], [0, 0, 0, 0, 0]])


def variance_of(ways: list[LinearQueries], name: str) -> np.ndarray:
    (found,) = (way.variances() for way in ways if way.name == name)
    return found / 10**6


def test_ones_of_three_bits() -> None:
    """8 from the codes and 18 as asked where people come and go; 32 and 18 where one becomes
    another.
    """
    for relation, cells, name in (("add-remove", 8, "each cell"), ("change-one", 32, "as asked")):
        terms = PrivacyParameters(epsilon=Fraction(1, 1000), relation=relation)
        ways = LinearQueries.list_candidates(0, ONES, terms)
        assert variance_of(ways, "each cell") == pytest.approx(np.full(3, cells), rel=1e-4)
        assert variance_of(ways, "as asked") == pytest.approx(np.full(3, 18), rel=1e-4)
        assert LinearQueries.plan(0, ONES, terms).name == name


def test_eight_cumulative_counts() -> None:
    """14.2 times less variance than eight answers at an eighth of epsilon each, or 3.6."""
    for relation, factor in (("add-remove", 128 / 9), ("change-one", 128 / 36)):
        ways = LinearQueries.list_candidates(
            0, UPTO, PrivacyParameters(epsilon=Fraction(1, 1000), relation=relation)
        )
        assert 128 / variance_of(ways, "each cell").mean() == pytest.approx(factor, rel=1e-4)


def test_ten_people() -> None:
    """The golden rows: 000 101 010 101 000 001 110 000 010 101."""
    counts = np.bincount([0, 5, 2, 5, 0, 1, 6, 0, 2, 5], minlength=8)
    assert (ONES @ counts / 10).tolist() == [0.4, 0.3, 0.4]
    assert (UPTO @ counts / 10).tolist() == [0.3, 0.4, 0.6, 0.6, 0.6, 0.9, 1, 1]
    for matrix in (ONES, UPTO):
        for way in LinearQueries.list_candidates(0, matrix, PrivacyParameters(epsilon=Fraction(1))):
            exact = np.concatenate([factor.apply(counts, 0) for factor in way.factors])
            assert read(way) @ exact == pytest.approx(matrix @ counts, abs=1e-9)


@pytest.mark.parametrize(
    "terms",
    [
        PrivacyParameters(epsilon=Fraction(1)),
        PrivacyParameters(rho=Fraction(1, 9), relation="change-one", rows=2),
    ],
    ids=str,
)
@pytest.mark.parametrize("matrix", [ONES, UPTO, ODD], ids=["ones", "upto", "odd"])
def test_answers_are_least_squares_and_their_variances_exact(
    matrix: np.ndarray, terms: PrivacyParameters
) -> None:
    sizes = (matrix.shape[1],)
    for way in LinearQueries.list_candidates(0, matrix, terms):
        weights = read(way)
        assert weights @ measured(way, sizes) == pytest.approx(matrix, abs=1e-9)
        assert weights == pytest.approx(best(way, matrix, sizes), abs=1e-9)
        assert way.variances() == pytest.approx(
            np.square(weights) @ noise_of(way), rel=1e-9, abs=1e-12
        )
        spent = price_of(way, terms)
        assert float(spent.rho if terms.is_gaussian else spent.epsilon) == pytest.approx(
            float(terms.epsilon or terms.rho or 0), rel=1e-8
        )
    errors = [way.variances().sum() for way in LinearQueries.list_candidates(0, matrix, terms)]
    assert LinearQueries.plan(0, matrix, terms).variances().sum() == pytest.approx(min(errors))


def test_many_ranges_of_many_codes_want_a_tree() -> None:
    starts, stops = np.triu_indices(24)
    matrix = ((np.arange(24) >= starts[:, None]) & (np.arange(24) <= stops[:, None])).astype(
        np.int64
    )
    assert LinearQueries.plan(0, matrix, PrivacyParameters(rho=Fraction(1))).name.startswith(
        "tree of"
    )


def test_live_noise_has_the_variance_that_is_said_and_is_covered() -> None:
    for way in LinearQueries.list_candidates(0, ODD, PrivacyParameters(epsilon=Fraction(1, 2))):
        weights, variances = read(way), way.variances()
        errors = drawn(way) @ weights.T
        assert (off(errors[:, :3], variances[:3]) < FAR).all()
        assert (off(errors[:, :3], variances[:3] * 1.25) > FAR).all()
        outside = (np.abs(errors) > way.radii(0.05)).sum(axis=0)
        assert (binom.sf(outside - 1, len(errors), 0.05) > 1e-10).all()
        assert outside[3] == 0


def test_sums_of_cells_have_the_smallest_radius() -> None:
    cells = LinearQueries.list_candidates(
        0, np.concatenate([ONES, 2 * ONES[:1]]), PrivacyParameters(epsilon=Fraction(1))
    )[0]
    four = find_sum_radius(cells.mechanisms[0], 4, 0.05)
    assert cells.radii(0.05) == pytest.approx([four, four, four, 2 * four])


def test_too_many_codes_and_unmatched_factors_are_refused() -> None:
    with pytest.raises(Refused, match="1,025 codes"):
        LinearQueries.plan(
            0, np.ones((1, 1025), dtype=np.int64), PrivacyParameters(epsilon=Fraction(1))
        )
    with pytest.raises(InvalidArgument, match="matrix"):
        LinearQueries.plan(0, np.ones((1, 3)), PrivacyParameters(epsilon=Fraction(1)))
    for factors, laws in (((BinSums(4),), (Laplace(Fraction(1)),)), ((BinSums(3),), ())):
        with pytest.raises(InvalidArgument, match="a column for each code"):
            LinearQueries("each cell", 0, np.ones((1, 3), dtype=np.int64), factors, laws)
