"""What is known of the exact table: noisy counts of every attribute, and of pairs of attributes in groups, made to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.publish.designs import Floats
from hedgerow.publish.synthetic.denoise import Shrunk, nearest, shrunk
from hedgerow.publish.synthetic.groups import merged
from hedgerow.publish.synthetic.spending import Measured
from hedgerow.tabulated import Whole

__all__ = ["Model", "fitted", "total_of"]

_LEAST = 1e-12  # so small a variance is none


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Estimated ``counts`` of the codes of each attribute, the ``groups`` these are in, and tables of groups for ``pairs``."""

    total: float
    counts: tuple[Floats, ...]
    groups: tuple[Whole, ...]
    pairs: Mapping[tuple[int, int], Shrunk]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each attribute has."""
        return tuple(len(counts) for counts in self.counts)

    def grouped(self, place: int) -> Floats:
        """The counts of the groups of an attribute."""
        return merged(self.counts[place], self.groups[place])

    def table(self, a: int, b: int) -> Floats:
        """The estimated table of the groups of two attributes; as if independent, where it was not measured."""
        if (a, b) in self.pairs:
            return self.pairs[a, b].table
        if (b, a) in self.pairs:
            return self.pairs[b, a].table.T
        return np.outer(self.grouped(a), self.grouped(b)) / max(self.total, 1.0)

    def dependence(self) -> Floats:
        """For all pairs of attributes how far their table is from independence, as a part of all rows."""
        found = np.zeros((len(self.counts), len(self.counts)))
        for (a, b), pair in self.pairs.items():
            independent = np.outer(self.grouped(a), self.grouped(b)) / max(self.total, 1.0)
            found[a, b] = found[b, a] = np.abs(pair.table - independent).sum() / (2 * max(self.total, 1.0))
        return found


def total_of(ones: Sequence[Measured]) -> float:
    """How many rows there are: every attribute's counts add up to it, and those with little noise in the sum count most."""
    weights = [1 / (one.table.size * max(one.variance, _LEAST)) for one in ones]
    return float(np.average([one.table.sum() for one in ones], weights=weights))


def fitted(ones: Sequence[Measured], groups: Sequence[Whole], pairs: Sequence[Measured], total: float) -> Model:
    """The model of these measurements."""
    counts = tuple(_combined(one, groups[place], place, pairs, total) for place, one in enumerate(ones))
    sums = [merged(each, group) for each, group in zip(counts, groups, strict=True)]
    tables = {
        (pair.places[0], pair.places[1]): shrunk(pair.table, pair.variance, sums[pair.places[0]], sums[pair.places[1]]) for pair in pairs
    }
    return Model(total, counts, tuple(groups), tables)


def _combined(one: Measured, groups: Whole, place: int, pairs: Sequence[Measured], total: float) -> Floats:
    """The counts of one attribute by least squares: what was measured of it, and the sums of its groups in tables with others."""
    sizes = np.bincount(groups).astype(np.float64)
    own = merged(one.table, groups)
    precision = 1 / (sizes * max(one.variance, _LEAST))
    weighted = own * precision
    for pair in pairs:
        if place in pair.places:
            along = 1 - pair.places.index(place)
            certain = 1 / (pair.table.shape[along] * max(pair.variance, _LEAST))
            weighted, precision = weighted + certain * pair.table.sum(axis=along), precision + certain
    return nearest(one.table + ((weighted / precision - own) / sizes)[groups], total)
