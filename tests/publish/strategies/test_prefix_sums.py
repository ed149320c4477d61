"""All prefix sums at once: what each way measures, tells and costs, and how far off it is."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from goodness import FAR
from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.prefix_sums import (
    BinaryTree,
    ElementNoise,
    LeastSquaresTree,
    PrefixNoise,
    list_prefix_strategies,
)
from hedgerow.publish.strategies.square_root import SquareRootStrategy
from hedgerow.publish.strategies.strategy import Strategy, choose_strategy, compute_expected_error
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable
from publish.helpers_optimum import AT_4096, least_rms
from publish.strategies.helpers_prefix_sums import list_variances, read_weights, root_mean_square

HALF = Fraction(1, 2)
PURE, RHO = PrivacyParameters(epsilon=Fraction(1)), PrivacyParameters(rho=HALF)
SIZES = [1, 2, 3, 8, 13, 30]


def table(size: int) -> tuple[ContingencyTable, np.ndarray]:
    counts = np.arange(size) * 7 % 5 + 1
    return ContingencyTable.from_codes(np.repeat(np.arange(size), counts)[:, None], (size,)), counts


def matrix(design: Strategy) -> np.ndarray:
    """All measurements as one matrix, by measuring single cells."""
    n = len(design.variances())
    cells = [ContingencyTable.from_codes(np.array([[cell]]), (n,)) for cell in range(n)]
    return np.array(
        [
            np.concatenate([block.evaluate(cell) for block, _ in design.measurements])
            for cell in cells
        ]
    ).T.astype(float)


def every(terms: PrivacyParameters) -> list[Strategy]:
    return [design for size in SIZES for design in list_prefix_strategies(size, terms)]


ALL = every(PURE) + every(RHO)


def named(design: Any) -> str:
    return f"{design.name}, {design.size}"


@pytest.mark.parametrize("design", ALL, ids=named)
def test_without_noise_the_sums_are_exact(design: Any) -> None:
    held, counts = table(design.size)
    found = design.reconstruct([block.evaluate(held) for block, _ in design.measurements])
    assert np.allclose(found, np.cumsum(counts), rtol=1e-9)


@pytest.mark.parametrize("design", ALL, ids=named)
def test_variances_are_those_of_the_weights(design: Any) -> None:
    weights = read_weights(design)
    assert np.allclose(design.variances(), weights**2 @ list_variances(design), rtol=1e-5)
    most = 1.0 if not isinstance(design, SquareRootStrategy) else design._scales[0]
    assert np.abs(weights).max() <= most * (1 + 1e-6)  # what the radii are computed with


@pytest.mark.parametrize(
    "design", [design for design in ALL if isinstance(design, LeastSquaresTree)], ids=named
)
def test_a_tree_is_answered_by_least_squares(design: LeastSquaresTree) -> None:
    asked, noise = matrix(design), list_variances(design)
    best = np.linalg.inv(asked.T @ np.diag(1 / noise) @ asked) @ asked.T @ np.diag(1 / noise)
    assert np.allclose(
        read_weights(design), np.tril(np.ones((design.size, design.size))) @ best, atol=1e-9
    )


@pytest.mark.parametrize(
    "terms",
    [
        PURE,
        RHO,
        PrivacyParameters(rho=HALF, relation="change-one", rows=3),
        PrivacyParameters(epsilon=Fraction(1, 3), rows=2, group=2),
    ],
    ids=str,
)
def test_no_way_costs_more_than_is_paid_and_none_much_less(terms: PrivacyParameters) -> None:
    paid = Loss(terms.epsilon) if terms.epsilon is not None else Loss(math.inf, rho=terms.rho or 0)
    for design in list_prefix_strategies(30, terms):
        purse = PrivateTable(
            table(30)[0], paid, rows=terms.rows, relation=terms.relation, group=terms.group
        )
        noisy = [purse.measure(block, law) for block, law in design.measurements]
        assert design.reconstruct(noisy).shape == (30,)
        spent, most = (
            (purse.spent.rho, paid.rho)
            if terms.is_gaussian
            else (purse.spent.epsilon, paid.epsilon)
        )
        assert most * Fraction(999_999, 10**6) <= spent <= most
        with pytest.raises(Refused):
            purse.measure(*design.measurements[0])


def test_a_planted_mistake_is_refused_by_the_private_table() -> None:
    """The tree's noise on the square root's coefficients would be free; the purse knows their
    norms.
    """
    (root,) = (
        design
        for design in list_prefix_strategies(30, RHO)
        if isinstance(design, SquareRootStrategy)
    )
    purse = PrivateTable(table(30)[0], Loss(math.inf, rho=HALF), rows=1, relation="add-remove")
    with pytest.raises(Refused, match="This step costs"):
        purse.measure(root.measurements[0][0], Gaussian(root.mechanism.scale * Fraction(99, 100)))


def test_another_attribute_may_be_meant() -> None:
    codes = np.array([[0, 1], [2, 1], [1, 0], [0, 0]])
    held = ContingencyTable.from_codes(codes, (3, 2))
    for place, sums in ((0, [2, 3, 4]), (1, [2, 4])):
        for design in (
            *list_prefix_strategies(len(sums), RHO, place),
            *list_prefix_strategies(len(sums), PURE, place),
        ):
            assert np.allclose(
                design.reconstruct([block.evaluate(held) for block, _ in design.measurements]), sums
            )


@pytest.mark.parametrize("terms", [PURE, RHO], ids=["pure", "rho"])
def test_the_best_comes_first(terms: PrivacyParameters) -> None:
    for size in (*SIZES, 1000):
        found = list_prefix_strategies(size, terms)
        assert found[0] is choose_strategy(found)
        assert [compute_expected_error(design) for design in found] == sorted(
            compute_expected_error(design) for design in found
        )


def test_the_best_strategy_depends_on_noise_and_size() -> None:
    assert isinstance(list_prefix_strategies(4096, RHO)[0], SquareRootStrategy)
    assert isinstance(list_prefix_strategies(4096, PURE)[0], LeastSquaresTree)
    assert isinstance(list_prefix_strategies(8, PURE)[0], ElementNoise)
    assert isinstance(
        list_prefix_strategies(2, PrivacyParameters(epsilon=Fraction(1), relation="change-one"))[0],
        PrefixNoise,
    )
    assert {type(design) for design in list_prefix_strategies(64, RHO)} == {
        PrefixNoise,
        ElementNoise,
        BinaryTree,
        LeastSquaresTree,
        SquareRootStrategy,
    }
    assert {type(design) for design in list_prefix_strategies(2**17, RHO)} == {
        ElementNoise,
        BinaryTree,
        LeastSquaresTree,
    }


def test_at_4096_under_gaussian_noise() -> None:
    """rms errors at a rho of 1/2, one row: 3.4352 against 8.83 of the plain tree and at least
    3.3885 of any factorisation.
    """
    found = {type(design): root_mean_square(design) for design in list_prefix_strategies(4096, RHO)}
    assert math.isclose(found[BinaryTree], math.sqrt(13 * 6.0007), rel_tol=1e-3)
    assert found[BinaryTree] / found[SquareRootStrategy] >= 2.55
    assert found[LeastSquaresTree] / found[SquareRootStrategy] >= 1.2
    assert AT_4096[0] <= found[SquareRootStrategy] <= 1.02 * AT_4096[0]
    assert math.isclose(found[PrefixNoise], 64, rel_tol=1e-6)
    assert math.isclose(found[ElementNoise], math.sqrt(4097 / 2), rel_tol=1e-6)


def test_at_64_the_square_root_is_near_the_least_error_there_is() -> None:
    (root,) = (
        design
        for design in list_prefix_strategies(64, RHO)
        if isinstance(design, SquareRootStrategy)
    )
    assert least_rms(64)[0] <= root_mean_square(root) <= 1.02 * least_rms(64)[0]


def test_at_4096_in_pure_epsilon_larger_branching_wins() -> None:
    found = {type(design): design for design in list_prefix_strategies(4096, PURE)}
    assert root_mean_square(found[BinaryTree]) / root_mean_square(found[LeastSquaresTree]) > 3.2
    assert found[LeastSquaresTree].branching > 4  # type: ignore[attr-defined]


def test_the_cdf_of_the_golden_table() -> None:
    """Eight cells. One by one at an eighth of epsilon each, against all at once: 14.2 times the
    variance, 3.6 under change-one.
    """
    one_by_one = 2 * 8**2
    for relation, factor in (("add-remove", 14.2), ("change-one", 3.6)):
        (cells,) = (
            d
            for d in list_prefix_strategies(
                8, PrivacyParameters(epsilon=Fraction(1, 1000), relation=relation)
            )
            if isinstance(d, ElementNoise)
        )
        assert math.isclose(one_by_one * 10**6 / cells.variances().mean(), factor, rel_tol=0.02)


@pytest.mark.parametrize("terms", [PURE, RHO], ids=["pure", "rho"])
@pytest.mark.long
def test_measured_errors_are_those_predicted_and_intervals_cover(terms: PrivacyParameters) -> None:
    held, counts = table(30)
    exact, runs = np.cumsum(counts), 800
    for design in list_prefix_strategies(30, terms):
        values = [block.evaluate(held) for block, _ in design.measurements]
        offs = np.array(
            [
                design.reconstruct(
                    [
                        law.sample(value)
                        for value, (_, law) in zip(values, design.measurements, strict=True)
                    ]
                )
                - exact
                for _ in range(runs)
            ]
        )
        ratios = (offs**2 / design.variances()).mean(axis=1)
        # 0.75 by Chernoff's bound: below 2e-12
        assert 0.75 < ratios.mean() <= 1 + FAR * ratios.std() / math.sqrt(runs), design.name
        inside = (np.abs(offs) <= design.radii(0.05)).mean(axis=0)
        # of a binomial law so skewed, below 1e-11
        assert (inside >= 0.95 - 8 * math.sqrt(0.05 * 0.95 / runs)).all(), design.name


def test_radii_are_the_smallest_where_the_law_is_known() -> None:
    found = {type(design): design for design in list_prefix_strategies(100, PURE)}
    sums, cells = found[PrefixNoise], found[ElementNoise]
    (gaussian,) = (
        design for design in list_prefix_strategies(100, RHO) if isinstance(design, ElementNoise)
    )
    assert (sums.radii(0.1) == sums.mechanism.error(0.1)).all()  # type: ignore[attr-defined]
    for law in (cells.mechanism, gaussian.mechanism):  # type: ignore[attr-defined]
        radii = ElementNoise(100, 0, law).radii(0.1)
        smallest = np.array([find_sum_radius(law, draws, 0.1) for draws in range(1, 101)])
        assert (radii[:64] == smallest[:64]).all()
        assert (radii >= smallest).all()
        assert (radii <= 1.04 * smallest + 1).all()


def test_radii_of_trees_follow_from_the_law() -> None:
    """Live noise by the weights of all measurements: about a twentieth lies outside, and not
    more.
    """
    tree = next(
        design
        for design in list_prefix_strategies(20, PrivacyParameters(epsilon=Fraction(2)))
        if isinstance(design, LeastSquaresTree)
    )
    counts, runs = [block.shape[0] for block, _ in tree.measurements], 20_000
    cuts = np.cumsum(counts)[:-1]
    weights = np.stack(
        [tree.reconstruct(np.split(one, cuts)) for one in np.eye(sum(counts))], axis=1
    )
    noise = np.concatenate(
        [
            law.sample(np.zeros((runs, many), dtype=np.int64))
            for many, law in zip(counts, tree.mechanisms, strict=True)
        ],
        axis=1,
    )
    outside = (np.abs(noise @ weights.T) > tree.radii(0.05)).mean(axis=1)
    error = FAR * outside.std() / math.sqrt(runs)
    assert 0.042 - error < outside.mean() < 0.05 + error


def test_radii_of_plain_trees_are_the_smallest() -> None:
    plain = next(
        design for design in list_prefix_strategies(12, PURE) if isinstance(design, BinaryTree)
    )
    assert plain.radii(0.05)[[0, 2, 6, 11]].tolist() == [
        find_sum_radius(plain.mechanisms[0], many, 0.05) for many in (1, 2, 3, 2)
    ]
    mixed = BinaryTree(12, 0, (*plain.mechanisms[:-1], Laplace(Fraction(50))))
    assert (mixed.radii(0.05) >= plain.radii(0.05)).all()


@pytest.mark.parametrize("size", [0, -1, 2.5, "8"])
def test_sizes_are_whole_numbers(size: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^size must be"):
        list_prefix_strategies(size, RHO)


def test_sums_of_neighbours_are_blocks_of_bins() -> None:
    tree = next(
        design for design in list_prefix_strategies(8, PURE) if isinstance(design, BinaryTree)
    )
    assert [block for block, _ in tree.measurements] == [
        QueryBlock(((0, BinSums(8, 2**level)),)) for level in range(4)
    ]
