"""The exact contingency table of a publication. It is private, and used through a private table
only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.contingency import WORD_LIMIT, check_sizes, group_into_words, pack_codes

__all__ = ["ContingencyTable", "Integers", "split_halves"]

Integers = npt.NDArray[np.int64]

_MAX_MARGINAL_CELLS: Final = 2**28  # cells of one marginal: 2 GB
_HALF_BITS: Final = 32  # bits
_LOW_MASK: Final = 2**_HALF_BITS - 1


@dataclass(frozen=True, slots=True, eq=False)
class ContingencyTable:
    """The exact table: ``counts`` of the combinations packed in ``words``. It is private, and never
    printed.
    """

    sizes: tuple[int, ...]
    words: tuple[Integers, ...]
    counts: Integers
    # Unpacked, narrow, when asked for.
    _codes: dict[int, npt.NDArray[np.integer[Any]]] = field(
        init=False, repr=False, default_factory=dict
    )
    _total: int = field(init=False, repr=False)
    _once: bool = field(init=False, repr=False)  # whether every line counts one row

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", check_sizes(self.sizes))
        places_of, shape = group_into_words(self.sizes), (self.counts.size,)
        if len(self.words) != len(places_of) or any(
            (c.shape, c.dtype) != (shape, np.dtype(np.int64)) for c in (*self.words, self.counts)
        ):
            raise InvalidArgument(
                "words", "must be one column of integers for every word, as long as the counts"
            )
        for word, places in zip(self.words, places_of, strict=True):
            if word.size and (
                int(word.min()) < 0
                or int(word.max()) >= math.prod(self.sizes[place] for place in places)
            ):
                raise InvalidArgument("words", "must be codes that pack_codes packed")
        if self.counts.size and int(self.counts.min()) < 0:
            raise InvalidArgument("counts", "must not be negative")
        if self.counts.size and int(self.counts.max()) > WORD_LIMIT:
            raise InvalidArgument("counts", "must be at most 2^62 each")
        object.__setattr__(
            self, "_total", _join_halves(*(int(half.sum()) for half in split_halves(self.counts)))
        )
        object.__setattr__(self, "_once", bool((self.counts == 1).all()))

    def __repr__(self) -> str:
        return f"ContingencyTable(sizes={self.sizes})"

    @classmethod
    def from_codes(cls, codes: Any, sizes: Sequence[int]) -> ContingencyTable:
        """Build the table of rows of codes, one column for each attribute; each row counts once."""
        each, rows = check_sizes(sizes), np.asarray(codes)
        rows = rows if rows.size else np.zeros((0, len(each)), dtype=np.int64)
        if rows.dtype.kind not in "biu" or rows.shape[1:] != (len(each),):
            raise InvalidArgument("codes", "must be integers, with a column for each attribute")
        if any(
            column.size and not 0 <= int(column.min()) <= int(column.max()) < size
            for column, size in zip(rows.T, each, strict=True)
        ):
            raise InvalidArgument(
                "codes", "must be at least 0 and below the size of their attribute"
            )
        return cls(
            each,
            pack_codes(list(rows.astype(np.int64).T), each),
            np.ones(len(rows), dtype=np.int64),
        )

    @property
    def total(self) -> int:
        """The number of rows, or of parts of rows."""
        return self._total

    def marginal(self, places: Sequence[int]) -> Integers:
        """Return the count of each combination of the attributes at ``places``, in that order,
        including zeros.
        """
        columns = [self.codes(place) for place in places]
        shape = tuple(self.sizes[place] for place in places)
        cells = math.prod(shape)
        if cells > _MAX_MARGINAL_CELLS:
            raise Refused(
                f"A table of {cells:,} cells is too large: at most {_MAX_MARGINAL_CELLS:,} fit."
                " Leave out a column, or use fewer bins."
            )
        index = np.zeros(len(self.counts), dtype=np.int64)
        for size, codes in zip(shape, columns, strict=True):
            index *= size
            index += codes
        return self._sum_by_index(index, cells).reshape(shape)

    def _sum_by_index(self, index: Integers, cells: int) -> Integers:
        """Add up the counts by index, in whole numbers: with weights numpy counts in doubles, exact
        up to 2^53 only.
        """
        if self._once:
            return np.bincount(index, minlength=cells)
        if self._total <= 2**53:
            return np.bincount(index, weights=self.counts, minlength=cells).astype(np.int64)
        halves = np.zeros((2, cells), dtype=np.int64)
        for half, part in zip(halves, split_halves(self.counts), strict=True):
            np.add.at(half, index, part)
        return self.join_halves(halves[0], halves[1])

    def join_halves(self, high: Integers, low: Integers) -> Integers:
        """Combine sums of upper and lower halves into sums of counts.

        Sums beyond 2^62, which no table with the declared number of units has, are clamped there:
        that moves them no farther than before, and a failure would reveal something.
        """
        found: Integers = _join_halves(high, low)
        if self._total > WORD_LIMIT:
            found = np.minimum(
                _join_halves(high.astype(object), low.astype(object)), WORD_LIMIT
            ).astype(np.int64)
        return found

    def codes(self, place: int) -> npt.NDArray[np.integer[Any]]:
        """Return the code of one attribute in each line."""
        if place not in self._codes:
            found = [
                (word, places)
                for word, places in zip(self.words, group_into_words(self.sizes), strict=True)
                if place in places
            ]
            if not found:
                raise InvalidArgument("places", "must be indices of attributes", place)
            word, places = found[0]
            below = math.prod(self.sizes[other] for other in places if other > place)
            self._codes[place] = (word // below % self.sizes[place]).astype(
                np.min_scalar_type(self.sizes[place] - 1)
            )
        return self._codes[place]


def split_halves(counts: Integers) -> tuple[Integers, Integers]:
    """Split counts into upper and lower halves, to be added up apart: with at most 2^31 lines
    neither overflows.
    """
    return counts >> _HALF_BITS, counts & _LOW_MASK


def _join_halves(high: Any, low: Any) -> Any:
    return high * 2**_HALF_BITS + low
