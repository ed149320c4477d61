"""The model of a synthetic table: consistent estimates of the counts of attributes, and of binned
pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.plan.contingency_table import Integers
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.strategies.strategy import Floats
from hedgerow.publish.synthetic.binning import sum_bins
from hedgerow.publish.synthetic.budget_steps import MeasuredTable
from hedgerow.publish.synthetic.denoise import ShrunkTable, shrink_table

__all__ = ["SyntheticModel", "estimate_total", "fit_model"]

_MIN_VARIANCE = 1e-12  # a smaller variance counts as this one


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
