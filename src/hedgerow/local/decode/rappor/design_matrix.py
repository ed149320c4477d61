"""Which bits each candidate value sets in each cohort: the design of RAPPOR's regression, kept as
places rather than as a matrix.

A **cell** is one bit of one cohort, numbered cohort * bits + bit. A candidate that hashes to the
same bit twice sets it once: the second time its place is the number of cells, a cell that holds
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = ["Candidates", "DesignMatrix"]

# cells summed at once: what is gathered of them stays in the cache, and takes little memory
_CHUNK_CELLS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """``places`` has a row for each candidate: the cells it sets, ``hashes`` for each cohort.
    Made by ``Candidates.of``.
    """

    cell_indices: NDArray[np.int32]
    cohorts: int
    bits: int

    @classmethod
    def of(cls, bits: Any, size: int) -> Candidates:
        """From an array of (candidate, cohort, hash) -> bit, each below ``size``."""
        array = np.asarray(bits)
        if array.ndim != 3 or array.dtype.kind not in "iu" or not array.shape[2]:
            raise InvalidArgument(
                "bits", "must be whole numbers for each candidate, cohort and hash", array.shape
            )
        if array.size and not (array.min() >= 0 and array.max() < size):
            raise InvalidArgument(
                "bits", f"must lie between 0 and {size - 1}", (int(array.min()), int(array.max()))
            )
        count, cohorts, hashes = array.shape
        if cohorts * size >= 1 << 31:
            raise InvalidArgument("bits", "must have fewer than 2^31 cells", cohorts * size)
        places = array.astype(np.int32)
        places += (np.arange(cohorts, dtype=np.int32) * np.int32(size))[None, :, None]
        # the last first, so that every repeat still finds the place it repeats
        for later in range(hashes - 1, 0, -1):
            repeated = (places[:, :, :later] == places[:, :, later : later + 1]).any(axis=2)
            places[:, :, later][repeated] = cohorts * size
        return cls(places.reshape(count, cohorts * hashes), cohorts, size)

    def __len__(self) -> int:
        return int(self.cell_indices.shape[0])

    @property
    def cell_count(self) -> int:
        """How many cells there are."""
        return self.cohorts * self.bits

    @property
    def distinct_bit_shares(self) -> Floats:
        """How often a candidate sets 0, 1, 2, … different bits of a cohort."""
        hashes = self.cell_indices.shape[1] // self.cohorts
        different = (self.cell_indices < self.cell_count).reshape(-1, hashes).sum(axis=1)
        return np.asarray(np.bincount(different, minlength=hashes + 1) / max(1, different.size))

    @property
    def load(self) -> float:
        """The share of the cells that a candidate sets, on average."""
        return (
            float(self.distinct_bit_shares @ np.arange(self.distinct_bit_shares.size)) / self.bits
        )

    @property
    def has_one_bit_each(self) -> bool:
        """Whether every candidate has a bit of its own, the same in every cohort: RAPPOR without a
        Bloom filter. Of several cohorts every bit must have its candidate, or it may be chance; of
        one with one bit each it is taken to be so, as nothing tells otherwise."""
        if self.cell_indices.shape[1] != self.cohorts or (
            self.cohorts > 1 and len(self) != self.bits
        ):
            return False
        bits = self.cell_indices % self.bits
        return bool((bits == bits[:, :1]).all()) and np.unique(bits[:, 0]).size == len(self)

    def sum_cells(self, numbers: Floats) -> Floats:
        """For each candidate the sum of these numbers over the cells it sets."""
        padded = np.append(numbers, 0.0)
        total = np.empty(len(self))
        for part in self.iterate_slices(len(self)):
            total[part] = padded.take(self.cell_indices[part]).sum(axis=1)
        return total

    def spread_shares(self, shares: Floats) -> Floats:
        """For each cell the sum of the shares of those that set it."""
        some, total = np.flatnonzero(shares), np.zeros(self.cell_count + 1)
        for part in self.iterate_slices(some.size):
            rows = some[part]
            total += np.bincount(
                self.cell_indices[rows].ravel(),
                np.repeat(shares[rows], self.cell_indices.shape[1]),
                minlength=self.cell_count + 1,
            )
        return total[: self.cell_count]

    def iterate_slices(self, count: int) -> Iterator[slice]:
        """So many candidates some at a time: what is computed for each of their cells is never
        held for all.
        """
        some = max(1, _CHUNK_CELLS // self.cell_indices.shape[1])
        return (slice(start, start + some) for start in range(0, count, some))

    def take(self, rows: Integers) -> Candidates:
        """Some of the candidates."""
        return Candidates(self.cell_indices[rows], self.cohorts, self.bits)

    def build_matrix(self) -> DesignMatrix:
        """The matrix after all: for few candidates and few cells it is faster, if it is used for
        many fits at once.
        """
        matrix = np.zeros((len(self), self.cell_count + 1))
        np.put_along_axis(matrix, self.cell_indices, 1.0, axis=1)
        return DesignMatrix(matrix[:, :-1])

    def select_cohorts(self, cohorts: Integers) -> Candidates:
        """All candidates in some of the cohorts."""
        shape = len(self), self.cohorts, self.cell_indices.shape[1] // self.cohorts
        kept = self.cell_indices.reshape(shape)[:, cohorts]
        moved = ((np.arange(cohorts.size) - cohorts) * self.bits).astype(np.int32)[None, :, None]
        places = np.where(kept < self.cell_count, kept + moved, np.int32(cohorts.size * self.bits))
        return Candidates(places.reshape(len(self), -1), int(cohorts.size), self.bits)


@dataclass(frozen=True, slots=True, eq=False)
class DesignMatrix:
    """A row for each candidate, 1 where it sets a cell. Numbers and shares may be those of many
    fits, a row for each.
    """

    matrix: Floats

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def sum_cells(self, numbers: Floats) -> Floats:
        """For each candidate the sum of these numbers over the cells it sets."""
        return np.asarray(numbers @ self.matrix.T)

    def spread_shares(self, shares: Floats) -> Floats:
        """For each cell the sum of the shares of those that set it."""
        return np.asarray(shares @ self.matrix)
