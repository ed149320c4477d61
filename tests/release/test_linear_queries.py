"""Matrices of whole numbers: what they compute, and how far one unit moves it, by brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.unit import RELATIONS
from hedgerow.release.linear_queries import (
    BinSums,
    Factor,
    PrefixSums,
    QueryBlock,
    QueryMatrix,
    ResidualQueries,
)
from release.helpers_matrices import (
    FACTORS,
    SHAPES,
    _moves,
    _small_blocks,
    _written_out,
    dense,
    kronecker,
)


def test_linear_queries_have_the_expected_matrices() -> None:
    assert dense(BinSums(5, 2)).tolist() == [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    assert dense(BinSums(3, 7)).tolist() == [[1, 1, 1]]
    assert dense(ResidualQueries(3)).tolist() == [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]
    assert dense(PrefixSums((4, 2, 0), (1, 1, 1))).tolist() == [[4, 0, 0], [2, 4, 0], [0, 2, 4]]
    assert dense(QueryMatrix(np.array([[1, -2]]))).tolist() == [[1, -2]]
    assert [
        factor.rows
        for factor in (
            BinSums(5, 2),
            ResidualQueries(3),
            PrefixSums.unweighted(3),
            QueryMatrix(np.array([[1, -2]])),
        )
    ] == [3, 3, 3, 1]


@pytest.mark.parametrize("factor", FACTORS, ids=repr)
def test_norms_are_those_of_the_matrix(factor: Factor) -> None:
    matrix, norms = dense(factor), factor.norms
    assert norms.l0 == (matrix != 0).sum(axis=0).max()
    assert norms.linf == abs(matrix).max()
    assert norms.l1 == abs(matrix).sum(axis=0).max()
    assert norms.l2_squared == (matrix**2).sum(axis=0).max()
    pairs = [
        int(matrix[:, i] @ matrix[:, j]) for i, j in itertools.combinations(range(factor.size), 2)
    ]
    assert (norms.inner_products is None) == (not pairs)
    if pairs:
        assert norms.inner_products is not None
        assert norms.inner_products[0] <= min(pairs)
        assert norms.inner_products[1] >= max(pairs)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(
    "pair",
    [(f,) for f in FACTORS]
    + list(
        itertools.combinations(
            [BinSums(2), BinSums(4, 2), ResidualQueries(2), ResidualQueries(3)], 2
        )
    ),
    ids=repr,
)
def test_no_unit_moves_the_answers_further(
    pair: tuple[Factor, ...], rows: int, relation: str
) -> None:
    block = QueryBlock(tuple(enumerate(pair)))
    declared = block.sensitivity(rows, relation)
    moves = _moves(kronecker(block), rows, relation)
    assert (moves != 0).sum(axis=1).max() <= declared.l0
    assert abs(moves).max() <= declared.linf
    assert abs(moves).sum(axis=1).max() <= declared.l1
    assert (moves**2).sum(axis=1).max() <= declared.l2_squared


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize(
    "pair",
    [
        (BinSums(3),),
        (BinSums(6, 2),),
        (ResidualQueries(4),),
        (ResidualQueries(3), ResidualQueries(3)),
        (BinSums(2), BinSums(2)),
        (BinSums(3, 3),),
    ],
    ids=repr,
)
def test_and_some_unit_moves_them_so_far(pair: tuple[Factor, ...], relation: str) -> None:
    """Sensitivities are exact where it matters: the l1 of sums and cells, the l2 of everything."""
    block = QueryBlock(tuple(enumerate(pair)))
    declared, moves = block.sensitivity(2, relation), _moves(kronecker(block), 2, relation)
    assert (moves**2).sum(axis=1).max() == declared.l2_squared
    if not any(isinstance(factor, ResidualQueries) for factor in pair):
        assert abs(moves).sum(axis=1).max() == declared.l1


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_every_small_matrix_has_a_sensitivity_and_no_unit_moves_it_further(relation: str) -> None:
    """Bounds that lower each other must still fit together: none is refused, and none is below a
    move that there is.
    """
    for block in _small_blocks():
        moves = _moves(kronecker(block), 1, relation)
        most = (
            (moves != 0).sum(axis=1).max(),
            abs(moves).max(),
            abs(moves).sum(axis=1).max(),
            (moves**2).sum(axis=1).max(),
        )
        for rows in (1, 2, 3):
            declared = block.sensitivity(rows, relation)
            # More rows, all alike, move the same cells so many times as far.
            assert most[0] <= declared.l0
            assert most[1] * rows <= declared.linf
            assert most[2] * rows <= declared.l1
            assert most[3] * rows**2 <= declared.l2_squared


def test_a_total_moves_by_one_also_where_a_unit_is_replaced() -> None:
    block = QueryBlock(((0, BinSums(4, 4)),))
    for relation in ("add-remove", "change-one"):
        assert block.sensitivity(1, relation).l1 == 1
    assert QueryBlock(()).sensitivity(3, "change-one").l1 == 3


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 1)), max_size=30),
    st.data(),
)
@settings(max_examples=60)
def test_a_block_measures_its_matrix_times_the_counts(
    rows: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    sizes = (3, 5, 2)
    factors: dict[int, tuple[Factor, ...]] = {
        0: (BinSums(3), ResidualQueries(3), QueryMatrix(np.array([[1, 0, 2], [0, -1, 1]]))),
        1: (BinSums(5, 2), ResidualQueries(5), PrefixSums((5, 3, 1, 0, 0), (1, 2, 1, 1, 3))),
        2: (BinSums(2), ResidualQueries(2)),
    }
    places = data.draw(st.permutations(range(3)))[: data.draw(st.integers(0, 3))]
    block = QueryBlock(
        tuple((place, data.draw(st.sampled_from(factors[place]))) for place in places)
    )
    table = ContingencyTable.from_codes(rows, sizes)
    counts = np.zeros([sizes[place] for place in places], dtype=np.int64)
    for row in rows:
        counts[tuple(row[place] for place in places)] += 1
    found = block.evaluate(table)
    assert found.dtype == np.int64
    assert found.shape == block.shape
    assert found.size == block.cells
    assert found.ravel().tolist() == (kronecker(block) @ counts.ravel()).tolist()


def test_a_forgotten_factor_of_two_would_be_seen() -> None:
    """The brute force above is no mirror of the code: a rest that was charged like a cell breaks
    it.
    """
    moves = _moves(dense(ResidualQueries(3)), 1, "add-remove")
    assert (moves**2).sum(axis=1).max() > QueryBlock(((0, BinSums(3)),)).sensitivity(
        1, "add-remove"
    ).l2_squared


@pytest.mark.parametrize(
    "factor",
    [
        BinSums(4),
        BinSums(4, 3),
        ResidualQueries(4),
        PrefixSums((3, 2, 2**20, 2**32), (1, 2, 3, 2**31)),
        QueryMatrix(np.array([[2**31, -5, 0, 1], [1, 1, 1, 1]])),
    ],
)
def test_numbers_beyond_64_bits_are_clamped_not_wrapped(factor: Factor) -> None:
    """To refuse them would tell how many rows there are; and a clamp moves no answer farther
    than before.
    """
    counts = [2**61 + 7, 2**62, 3, 2**60 + 1]
    big = ContingencyTable((4, 2), (np.array([0, 2, 4, 7]),), np.array(counts))
    expected = [
        sum(int(a) * b for a, b in zip(line, counts, strict=True))
        for line in dense(factor).tolist()
    ]
    found = QueryBlock(((0, factor),)).evaluate(big)
    assert found.dtype == np.int64
    assert found.tolist() == [min(max(one, -(2**62)), 2**62) for one in expected]
    block = QueryBlock(((0, factor), (1, BinSums(2))))
    assert block.evaluate(big).sum(axis=1).shape == (factor.rows,)
    assert np.abs(block.evaluate(big)).max() <= 2**62


def test_parts_of_a_row_are_rows_of_which_there_are_more() -> None:
    """By brute force: every way in which a unit of c rows, of which m count, puts its parts in,
    beside what is said of F m rows.
    """
    fine, most = 4, 2
    for factor, relation in itertools.product(
        (
            BinSums(3),
            ResidualQueries(3),
            PrefixSums.unweighted(3),
            QueryMatrix(np.array([[1, -2, 0], [0, 1, 1]])),
        ),
        RELATIONS,
    ):
        matrix = dense(factor)
        kinds = [
            bag
            for count in range(6)
            for bag in itertools.combinations_with_replacement(range(3), count)
        ]
        put = [
            [
                int(Fraction(fine * bag.count(code) * min(most, len(bag)), len(bag) or 1))
                for code in range(3)
            ]
            for bag in kinds
        ]
        moves = [[0, 0, 0]] if relation == "add-remove" else put
        found = [matrix @ (np.array(one) - np.array(other)) for one in put for other in moves]
        said, short = (
            QueryBlock(((0, factor),)).sensitivity(rows, relation) for rows in (fine * most, most)
        )
        norms = [
            (np.count_nonzero(move), np.abs(move).max(), np.abs(move).sum(), np.square(move).sum())
            for move in found
        ]
        l0, linf, l1, squares = (int(max(column)) for column in zip(*norms, strict=True))
        assert (l0 <= said.l0, linf <= said.linf, l1 <= said.l1, squares <= said.l2_squared) == (
            True,
        ) * 4
        assert l1 > short.l1  # what is said of rows is too little for parts
        assert squares > short.l2_squared


def test_invalid_matrices_and_blocks_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="different attributes"):
        QueryBlock(((0, BinSums(2)), (0, ResidualQueries(2))))
    with pytest.raises(InvalidArgument, match="as many columns"):
        QueryBlock(((0, BinSums(2)),)).evaluate(ContingencyTable.from_codes([[0]], (3,)))
    with pytest.raises(InvalidArgument, match="relation"):
        QueryBlock(((0, BinSums(2)),)).sensitivity(1, "neighbours")
    with pytest.raises(InvalidArgument, match="a single code has no residual"):
        ResidualQueries(1)
    for matrix in ([1, 2], [[1.0, 2.0]], [[]]):
        with pytest.raises(InvalidArgument, match="rows and columns"):
            QueryMatrix(np.array(matrix))
    for wrong in (np.array([[0, 0]]), np.array([[2**32]]), np.array([[2**63]], dtype=np.uint64)):
        with pytest.raises(InvalidArgument, match=r"within 2\^31"):
            QueryMatrix(wrong)
    for kernel, weights in (((), ()), ((1,), (1, 1))):
        with pytest.raises(InvalidArgument, match="as many as the kernel"):
            PrefixSums(kernel, weights)
    for kernel, weights in (
        ((0, 1), (1, 1)),
        ((1, -1), (1, 1)),
        ((1, 1), (1, 0)),
        ((2**33,), (1,)),
        ((1.0,), (1,)),
        ((True,), (1,)),
    ):
        with pytest.raises(InvalidArgument, match="kernel"):
            PrefixSums(kernel, weights)


def test_a_matrix_cannot_be_changed_afterwards() -> None:
    rows = QueryMatrix(np.array([[1, 2]]))
    with pytest.raises(ValueError, match="read-only"):
        rows.matrix[0, 0] = 100


def test_places_and_shape() -> None:
    block = QueryBlock(((2, BinSums(5, 2)), (0, ResidualQueries(3))))
    assert block.places == (2, 0)
    assert block.shape == (3, 3)
    assert block.cells == math.prod(block.shape)
    assert block.sensitivity(1, "add-remove").linf == Fraction(2)


@given(SHAPES)
def test_norms_of_triangles_are_those_of_the_matrix(
    shape: tuple[tuple[int, ...], tuple[int, ...], int],
) -> None:
    kernel, weights, n = shape
    triangle = PrefixSums(kernel, weights)
    true = QueryMatrix(_written_out(triangle)).norms
    ours = triangle.norms
    assert (ours.l0, ours.linf, ours.l1, ours.l2_squared) == (
        true.l0,
        true.linf,
        true.l1,
        true.l2_squared,
    )
    if n == 1:
        assert ours.inner_products is None
    else:
        assert ours.inner_products is not None
        assert true.inner_products is not None
        assert (
            ours.inner_products[0]
            <= true.inner_products[0]
            <= true.inner_products[1]
            <= ours.inner_products[1]
        )


@given(SHAPES, st.sampled_from(["add-remove", "change-one"]))
def test_no_row_moves_a_triangle_farther_than_is_said(
    shape: tuple[tuple[int, ...], tuple[int, ...], int], relation: str
) -> None:
    triangle = PrefixSums(*shape[:2])
    said, matrix = QueryBlock(((0, triangle),)).sensitivity(1, relation), _written_out(triangle)
    moves = [*matrix.T, *(a - b for a in matrix.T for b in matrix.T if relation == "change-one")]
    assert max(int(np.abs(move).sum()) for move in moves) <= said.l1
    assert max(int((move**2).sum()) for move in moves) <= said.l2_squared
    assert max(int(np.abs(move).max()) for move in moves) <= said.linf


def test_it_multiplies_along_any_axis() -> None:
    triangle = PrefixSums((4, 2, 1), (1, 2, 5))
    counts = np.arange(6).reshape(2, 3)
    assert triangle.rows == triangle.size == 3
    assert (triangle.apply(counts, 1) == counts @ _written_out(triangle).T).all()
    assert (triangle.apply(counts.T.copy(), 0) == _written_out(triangle) @ counts.T).all()


def test_squares_beyond_64_bits_are_exact() -> None:
    far = 2**31
    norms = QueryMatrix(np.array([[far, 1], [far, -far]])).norms
    assert (norms.l2_squared, norms.inner_products) == (2 * far**2, (far - far**2, far - far**2))
