"""The design of RAPPOR's regression: the bits that each candidate value sets in each cohort.

A **cell** is one bit of one cohort, numbered cohort * bits + bit. The design is stored as cell
indices, not as a matrix. A candidate that hashes to the same bit twice sets it once: the repeated
index is replaced by the number of cells, an extra cell that is always empty.
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

# cells summed at once: a chunk fits into the cache
_CHUNK_CELLS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The design of all candidates: ``cell_indices`` has a row for each candidate with the cells it
    sets, one for each cohort and hash. Built by ``Candidates.of``.
    """

    cell_indices: NDArray[np.int32]
    cohorts: int
    bits: int

    @classmethod
    def of(cls, bits: Any, size: int) -> Candidates:
        """Build the design from an array of (candidate, cohort, hash) -> bit, each bit below
        ``size``.
        """
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
        # The last hash comes first, so that the index it repeats is still there.
        for later in range(hashes - 1, 0, -1):
            repeated = (places[:, :, :later] == places[:, :, later : later + 1]).any(axis=2)
            places[:, :, later][repeated] = cohorts * size
        return cls(places.reshape(count, cohorts * hashes), cohorts, size)

    def __len__(self) -> int:
        return int(self.cell_indices.shape[0])

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return self.cohorts * self.bits

    @property
    def distinct_bit_shares(self) -> Floats:
        """Shares of (candidate, cohort) pairs that set 0, 1, 2, … distinct bits."""
        hashes = self.cell_indices.shape[1] // self.cohorts
        different = (self.cell_indices < self.cell_count).reshape(-1, hashes).sum(axis=1)
        return np.asarray(np.bincount(different, minlength=hashes + 1) / max(1, different.size))

    @property
    def load(self) -> float:
        """Average share of the cells that a candidate sets."""
        return (
            float(self.distinct_bit_shares @ np.arange(self.distinct_bit_shares.size)) / self.bits
        )

    @property
    def has_one_bit_each(self) -> bool:
        """True if every candidate has its own bit, the same in every cohort: RAPPOR without a Bloom
        filter. With several cohorts every bit must belong to a candidate, because the pattern could
        otherwise be chance; with one cohort and one bit each it is assumed.
        """
        if self.cell_indices.shape[1] != self.cohorts or (
            self.cohorts > 1 and len(self) != self.bits
        ):
            return False
        bits = self.cell_indices % self.bits
        return bool((bits == bits[:, :1]).all()) and np.unique(bits[:, 0]).size == len(self)

    def sum_cells(self, numbers: Floats) -> Floats:
        """Sum the numbers over the cells that each candidate sets."""
        padded = np.append(numbers, 0.0)
        total = np.empty(len(self))
        for part in self.iterate_slices(len(self)):
            total[part] = padded.take(self.cell_indices[part]).sum(axis=1)
        return total

    def spread_shares(self, shares: Floats) -> Floats:
        """Sum the shares of the candidates that set each cell."""
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
        """Return slices of ``count`` candidates that are small enough to hold one number per cell
        and candidate in memory.
        """
        some = max(1, _CHUNK_CELLS // self.cell_indices.shape[1])
        return (slice(start, start + some) for start in range(0, count, some))

    def take(self, rows: Integers) -> Candidates:
        """Select candidates by row."""
        return Candidates(self.cell_indices[rows], self.cohorts, self.bits)

    def build_matrix(self) -> DesignMatrix:
        """Build the dense matrix, which is faster for many simultaneous fits of few candidates and
        cells.
        """
        matrix = np.zeros((len(self), self.cell_count + 1))
        np.put_along_axis(matrix, self.cell_indices, 1.0, axis=1)
        return DesignMatrix(matrix[:, :-1])

    def select_cohorts(self, cohorts: Integers) -> Candidates:
        """Restrict all candidates to the given cohorts."""
        shape = len(self), self.cohorts, self.cell_indices.shape[1] // self.cohorts
        kept = self.cell_indices.reshape(shape)[:, cohorts]
        moved = ((np.arange(cohorts.size) - cohorts) * self.bits).astype(np.int32)[None, :, None]
        places = np.where(kept < self.cell_count, kept + moved, np.int32(cohorts.size * self.bits))
        return Candidates(places.reshape(len(self), -1), int(cohorts.size), self.bits)


@dataclass(frozen=True, slots=True, eq=False)
class DesignMatrix:
    """The dense design: a row for each candidate, 1 where it sets a cell. Numbers and shares may
    hold many fits, one per row.
    """

    matrix: Floats

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def sum_cells(self, numbers: Floats) -> Floats:
        """Sum the numbers over the cells that each candidate sets."""
        return np.asarray(numbers @ self.matrix.T)

    def spread_shares(self, shares: Floats) -> Floats:
        """Sum the shares of the candidates that set each cell."""
        return np.asarray(shares @ self.matrix)
