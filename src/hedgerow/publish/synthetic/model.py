"""The model of a synthetic table: consistent estimates of the counts of attributes, and of binned
pairs with only the dependence that stands out from the noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.synthetic.binning import sum_bins
from hedgerow.publish.synthetic.budget_steps import MeasuredTable

__all__ = [
    "ShrunkTable",
    "SyntheticModel",
    "estimate_total",
    "fit_model",
    "rake_table",
    "shrink_table",
]

_SWEEPS = 20
_MIN_VARIANCE = 1e-12  # a smaller variance counts as this one


@dataclass(frozen=True, slots=True, eq=False)
class ShrunkTable:
    """An estimated ``table`` of two attributes, the ``rank`` of the dependence that was kept, and
    the expected sum of squared errors as far as the noisy table itself shows.
    """

    table: Floats
    rank: int
    squared_error: float


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticModel:
    """Estimated ``counts`` of the codes of each attribute, the bins (``groups``) of its codes, and
    tables of bins for ``pairs``.
    """

    total: float
    counts: tuple[Floats, ...]
    bins: tuple[Integers, ...]
    pairs: Mapping[tuple[int, int], ShrunkTable]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(counts) for counts in self.counts)

    def count_bins(self, place: int) -> Floats:
        return sum_bins(self.counts[place], self.bins[place])

    def table(self, a: int, b: int) -> Floats:
        """Return the estimated table of the bins of two attributes; as if independent if it was not
        measured.
        """
        if (a, b) in self.pairs:
            return self.pairs[a, b].table
        if (b, a) in self.pairs:
            return self.pairs[b, a].table.T
        return np.outer(self.count_bins(a), self.count_bins(b)) / max(self.total, 1.0)

    def dependence(self) -> Floats:
        """Return for all pairs of attributes the distance of their table from independence, as a
        share of all rows.
        """
        total, size = max(self.total, 1.0), len(self.counts)
        shares = np.zeros((size, size))
        for (a, b), pair in self.pairs.items():
            independent = np.outer(self.count_bins(a), self.count_bins(b)) / total
            shares[a, b] = shares[b, a] = np.abs(pair.table - independent).sum() / (2 * total)
        return shares


def estimate_total(singles: Sequence[MeasuredTable]) -> float:
    """Return the number of rows: the mean of the attributes' sums, weighted by inverse variance."""
    weights = [1 / (single.table.size * max(single.variance, _MIN_VARIANCE)) for single in singles]
    return float(np.average([single.table.sum() for single in singles], weights=weights))


def fit_model(
    singles: Sequence[MeasuredTable],
    groups: Sequence[Integers],
    pairs: Sequence[MeasuredTable],
    total: float,
) -> SyntheticModel:
    counts = tuple(
        _combine_counts(single, groups[place], place, pairs, total)
        for place, single in enumerate(singles)
    )
    sums = [sum_bins(each, group) for each, group in zip(counts, groups, strict=True)]
    tables = {
        (pair.positions[0], pair.positions[1]): shrink_table(
            pair.table, pair.variance, sums[pair.positions[0]], sums[pair.positions[1]]
        )
        for pair in pairs
    }
    return SyntheticModel(total, counts, tuple(groups), tables)


def _combine_counts(
    single: MeasuredTable,
    groups: Integers,
    place: int,
    pairs: Sequence[MeasuredTable],
    total: float,
) -> Floats:
    """Return the counts of one attribute by least squares, from its own measurement and the sums of
    its bins in tables with others.
    """
    sizes = np.bincount(groups).astype(np.float64)
    own = sum_bins(single.table, groups)
    precision = 1 / (sizes * max(single.variance, _MIN_VARIANCE))
    weighted = own * precision
    for pair in pairs:
        if place in pair.positions:
            along = 1 - pair.positions.index(place)
            certain = 1 / (pair.table.shape[along] * max(pair.variance, _MIN_VARIANCE))
            weighted, precision = (
                weighted + certain * pair.table.sum(axis=along),
                precision + certain,
            )
    corrected = single.table + ((weighted / precision - own) / sizes)[groups]
    return project_nonnegative(corrected, max(total, 0.0))


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


def rake_table(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Rake the table until its row and column sums match these."""
    for _ in range(_SWEEPS):
        table = table * _divide_or_zero(rows, table.sum(axis=1))[:, None]
        table = table * _divide_or_zero(columns, table.sum(axis=0))[None, :]
    return table


def _divide_or_zero(wanted: Floats, current: Floats) -> Floats:
    return np.divide(wanted, current, out=np.zeros_like(wanted), where=current > 0)
