"""Variances of nodes and ranges agree with a general least-squares solver."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.publish.strategies.tree_nodes import TreeNodes, compute_range_variances
from hedgerow.release.linear_queries import BinSums


@pytest.mark.parametrize(
    ("size", "widths", "own"),
    [
        (5, (1,), (2.0,)),
        (8, (1, 2, 4, 8), (1.0, 2.0, 3.0, 4.0)),
        (11, (1, 3, 9), (1.0, 0.5, 7.0)),  # the last node of each level is incomplete
    ],
)
def test_every_range_has_the_variance_of_least_squares(
    size: int, widths: tuple[int, ...], own: tuple[float, ...]
) -> None:
    levels = [BinSums(size, width).apply(np.eye(size, dtype=np.int64), 0) for width in widths]
    precision = np.repeat([1 / variance for variance in own], [len(level) for level in levels])
    measured = np.concatenate(levels)
    covariance = np.linalg.inv(measured.T @ (precision[:, None] * measured))
    starts, stops = np.triu_indices(size)
    stops = stops + 1
    codes = np.arange(size)
    wanted = ((codes >= starts[:, None]) & (codes < stops[:, None])).astype(float)
    exact = np.einsum("ij,jk,ik->i", wanted, covariance, wanted)
    nodes = TreeNodes.from_variances(size, widths, own)
    assert compute_range_variances(nodes, starts, stops) == pytest.approx(exact)


def test_columns_of_variances_give_a_row_for_each() -> None:
    starts, stops = np.array([0, 2]), np.array([3, 6])
    several = [np.array([[1.0], [2.0]]), np.array([[3.0], [1.0]])]
    rows = compute_range_variances(TreeNodes.from_variances(6, (1, 2), several), starts, stops)
    for place, own in enumerate(((1.0, 3.0), (2.0, 1.0))):
        single = compute_range_variances(TreeNodes.from_variances(6, (1, 2), own), starts, stops)
        assert rows[place] == pytest.approx(single)
