"""Small matrices of linear queries, and how far one unit moves them."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from hedgerow.release.linear_queries import (
    BinSums,
    Factor,
    PrefixSums,
    QueryBlock,
    QueryMatrix,
    ResidualQueries,
)

FACTORS: tuple[Factor, ...] = (
    BinSums(1),
    BinSums(2),
    BinSums(3),
    BinSums(3, 3),
    BinSums(5, 2),
    ResidualQueries(2),
    ResidualQueries(3),
    QueryMatrix(np.array([[1, 0, 2], [0, -1, 1]])),
    QueryMatrix(np.array([[1], [3]])),
    QueryMatrix(np.array([[0, 1, 1]])),
    PrefixSums((4, 2, 1, 0), (1, 1, 1, 1)),
    PrefixSums((4, 2, 1, 3), (1, 2, 5, 7)),
    PrefixSums.unweighted(3),
    PrefixSums((3,), (1,)),
)


def dense(factor: Factor) -> np.ndarray:
    return factor.apply(np.eye(factor.size, dtype=np.int64), 0)


def kronecker(block: QueryBlock) -> np.ndarray:
    found = np.ones((1, 1), dtype=np.int64)
    for _, factor in block.factors:
        found = np.kron(found, dense(factor))
    return found


def _moves(matrix: np.ndarray, rows: int, relation: str) -> np.ndarray:
    """Every move of the answers by one unit with at most so many rows."""
    nothing = np.zeros((1, matrix.shape[0]), dtype=np.int64)
    columns = np.concatenate([nothing, matrix.T])
    puts = [
        sum(columns[list(chosen)])
        for chosen in itertools.combinations_with_replacement(range(len(columns)), rows)
    ]
    return (
        np.array(puts)
        if relation == "add-remove"
        else np.array([a - b for a in puts for b in puts])
    )


def _small_blocks() -> list[QueryBlock]:
    """All columns of three numbers up to 3, the matrix that was once refused, and some of each
    other small shape, alone and beside another factor."""
    made = [
        np.array(column).reshape(3, 1)
        for column in itertools.product(range(-3, 4), repeat=3)
        if any(column)
    ]
    draw = np.random.default_rng(19)
    for shape in itertools.product((1, 2, 3), repeat=2):
        made += [matrix for matrix in draw.integers(-3, 4, size=(25, *shape)) if matrix.any()]
    found = [
        QueryBlock(((0, QueryMatrix(matrix)),))
        for matrix in (*made, np.array([[0, 0], [1, 3], [0, 2]]))
    ]
    others = itertools.cycle(
        (
            BinSums(2),
            ResidualQueries(2),
            ResidualQueries(3),
            PrefixSums.unweighted(2),
            BinSums(3, 3),
        )
    )
    return found + [
        QueryBlock(((0, QueryMatrix(matrix)), (1, other)))
        for matrix, other in zip(made[::5], others, strict=False)
    ]


SHAPES = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.tuples(st.integers(1, 50), *[st.integers(0, 50)] * (n - 1)),
        st.tuples(*[st.integers(1, 50)] * n),
        st.just(n),
    )
)


def _written_out(triangle: PrefixSums) -> np.ndarray:
    n = triangle.size
    return np.array(
        [
            [triangle.kernel[i - j] * triangle.weights[j] if i >= j else 0 for j in range(n)]
            for i in range(n)
        ]
    )
