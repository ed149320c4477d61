"""Estimates of tables of two attributes: with given sums, and with only the dependence that
stands out from the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.publish.strategies.strategy import Floats

__all__ = ["ShrunkTable", "rake_table", "shrink_table"]

_SWEEPS = 20


def rake_table(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Rake the table until its row and column sums match these."""
    for _ in range(_SWEEPS):
        table = table * _divide_or_zero(rows, table.sum(axis=1))[:, None]
        table = table * _divide_or_zero(columns, table.sum(axis=0))[None, :]
    return table


def _divide_or_zero(wanted: Floats, current: Floats) -> Floats:
    return np.divide(wanted, current, out=np.zeros_like(wanted), where=current > 0)


@dataclass(frozen=True, slots=True, eq=False)
class ShrunkTable:
    """An estimated ``table`` of two attributes, the ``rank`` of the dependence that was kept, and
    the expected sum of squared errors as far as the noisy table itself shows.
    """

    table: Floats
    rank: int
    squared_error: float


def shrink_table(noisy: Floats, variance: float, rows: Floats, columns: Floats) -> ShrunkTable:
    """Return the independent table with these sums, plus the part of the noisy dependence that
    stands out from the noise.

    A matrix of noise alone has singular values up to about s (sqrt(m) + sqrt(n)). Those above are
    shrunk optimally for the squared error, y -> sqrt((y^2 - m v - n v)^2 - 4 m n v^2) / y with v
    the variance; the others are dropped (Gavish and Donoho 2017).

    Let X be the dependence, Y the measured one and F the kept one. The best weights have |F - X|^2
    = |X|^2 - |F|^2, and |Y|^2 - m n v has the mean |X|^2: that gives the expected error. It is
    never reported below what noise does to a matrix of that rank.
    """
    total = float(rows.sum())
    (m, n), independent = noisy.shape, np.outer(rows, columns) / max(total, 1.0)
    rest = noisy - independent
    left, sizes, right = np.linalg.svd(rest, full_matrices=False)
    above = sizes > np.sqrt(variance) * (np.sqrt(m) + np.sqrt(n))
    inside = (sizes**2 - (m + n) * variance) ** 2 - 4 * m * n * variance**2
    kept = np.where(above, np.sqrt(np.maximum(inside, 0.0)) / np.maximum(sizes, 1e-300), 0.0)
    rank = int(above.sum())
    table = (
        rake_table(np.maximum(independent + (left * kept) @ right, 0.0), rows, columns)
        if rank
        else independent
    )
    error = float((sizes**2).sum() - m * n * variance - (kept**2).sum())
    return ShrunkTable(table, rank, max(error, rank * (m + n - rank) * variance, 0.0))
