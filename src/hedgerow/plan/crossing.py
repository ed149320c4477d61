"""How often each combination of several codes is there: what a publication is made of.

An attribute is a column of whole numbers from 0 to below its size, all public. What an engine hands over is one line for each combination
that is there, with how often it is: of each unit at most ``max_rows`` rows count, those that come first by (rank of the unit and the
words, words). A row that has NULL, or a number outside, in any attribute is dropped before.

A hundred attributes have more combinations than numbers have bits, so the codes travel packed: as many in one whole number below 2^62 as
fit, the first attribute slowest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.number import whole
from hedgerow.plan.measures import Reach
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["Cross", "Tabulated", "packed", "words_of"]

Whole = npt.NDArray[np.int64]

_WORD: Final = 2**62
_DENSE: Final = 2**28  # cells of one marginal: 2 GB


def words_of(sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The places of the attributes that share a whole number, in order."""
    words: list[tuple[int, ...]] = []
    room = 1
    for place, size in enumerate(sizes):
        if words and room * size <= _WORD:
            words[-1] += (place,)
            room *= size
        else:
            words.append((place,))
            room = size
    return tuple(words)


def packed(codes: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """The words of one code for each attribute, or of a column of them."""
    return tuple(functools.reduce(lambda word, place: word * sizes[place] + codes[place], places, 0) for places in words_of(sizes))


def _sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    if not sizes or any(whole(size, "sizes") > _WORD for size in sizes):
        raise InvalidArgument("sizes", "must be numbers of codes up to 2^62, at least one", sizes)
    return tuple(int(size) for size in sizes)


@dataclass(frozen=True, slots=True)
class Cross:
    """The combinations of the codes of these ``attributes``: (column, how many codes)."""

    kind: ClassVar[str] = "cross"
    snap: ClassVar[None] = None
    width: ClassVar[int] = 1
    attributes: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.attributes]
        if not names or len(set(names)) != len(names):
            raise InvalidArgument("attributes", "must be different columns, at least one", names)
        object.__setattr__(self, "attributes", tuple(zip(names, _sizes(self.sizes), strict=True)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is of."""
        return tuple(name for name, _ in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each attribute has."""
        return tuple(size for _, size in self.attributes)

    def sensitivity(self, reach: Reach) -> Sensitivity:
        """How many rows of one unit leave the table, or enter it, at most; replaced, as many do both."""
        if reach.cells != 1:
            raise InvalidArgument("measures", "must cross all rows, not those of groups: make the keys attributes", reach.cells)
        both = 2 if reach.moves else 1
        return Sensitivity(both * reach.rows, Fraction(reach.rows), Fraction(both * reach.rows), Fraction(both * reach.rows**2))


@dataclass(frozen=True, slots=True, eq=False)
class Tabulated:
    """The exact table: ``counts`` of the combinations in ``words``. Private, and never printed."""

    sizes: tuple[int, ...]
    words: tuple[Whole, ...]
    counts: Whole
    # Unpacked, narrow, when asked for.
    _codes: dict[int, npt.NDArray[np.integer[Any]]] = field(init=False, repr=False, default_factory=dict)
    _total: int = field(init=False, repr=False)
    _once: bool = field(init=False, repr=False)  # whether every line counts one row

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", _sizes(self.sizes))
        places_of, shape = words_of(self.sizes), (self.counts.size,)
        if len(self.words) != len(places_of) or any((c.shape, c.dtype) != (shape, np.dtype(np.int64)) for c in (*self.words, self.counts)):
            raise InvalidArgument("words", "must be a column of whole numbers for every word, as long as the counts")
        for word, places in zip(self.words, places_of, strict=True):
            if word.size and (int(word.min()) < 0 or int(word.max()) >= math.prod(self.sizes[place] for place in places)):
                raise InvalidArgument("words", "must be packed codes")
        if self.counts.size and int(self.counts.min()) < 0:
            raise InvalidArgument("counts", "must not be negative")
        total = (int((self.counts >> 32).sum()) << 32) + int((self.counts & (2**32 - 1)).sum())
        if total > _WORD:  # they are added up in 64 bits
            raise InvalidArgument("counts", "must be at most 2^62 together")
        object.__setattr__(self, "_total", total)
        object.__setattr__(self, "_once", bool((self.counts == 1).all()))

    def __repr__(self) -> str:
        return f"Tabulated(sizes={self.sizes})"

    @classmethod
    def of(cls, codes: Any, sizes: Sequence[int]) -> Tabulated:
        """The table of rows of codes, one column for each attribute, each row counted once."""
        each, rows = _sizes(sizes), np.asarray(codes)
        rows = rows if rows.size else np.zeros((0, len(each)), dtype=np.int64)
        if rows.dtype.kind not in "biu" or rows.shape[1:] != (len(each),):
            raise InvalidArgument("codes", "must be whole numbers, in a column for each attribute")
        if any(column.size and not 0 <= int(column.min()) <= int(column.max()) < size for column, size in zip(rows.T, each, strict=True)):
            raise InvalidArgument("codes", "must lie between 0 and the size of their attribute")
        return cls(each, packed(list(rows.astype(np.int64).T), each), np.ones(len(rows), dtype=np.int64))

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self._total

    def marginal(self, places: Sequence[int]) -> Whole:
        """How often each combination of the attributes at ``places`` is there, in that order, zeros included."""
        columns = [self.codes(place) for place in places]
        shape = tuple(self.sizes[place] for place in places)
        cells = math.prod(shape)
        if cells > _DENSE:
            raise Refused(f"A table of {cells} cells does not fit: at most {_DENSE} do. Leave out an attribute, or use fewer bins.")
        index = np.zeros(len(self.counts), dtype=np.int64)
        for size, codes in zip(shape, columns, strict=True):
            index *= size
            index += codes
        return self._added(index, cells).reshape(shape)

    def _added(self, index: Whole, cells: int) -> Whole:
        """The counts added up by index, in whole numbers: with weights numpy would count in doubles, exact up to 2^53 only."""
        if self._once:
            return np.bincount(index, minlength=cells)
        if self._total <= 2**53:
            return np.bincount(index, weights=self.counts, minlength=cells).astype(np.int64)
        found = np.zeros(cells, dtype=np.int64)
        np.add.at(found, index, self.counts)
        return found

    def codes(self, place: int) -> npt.NDArray[np.integer[Any]]:
        """The code that each line has of one attribute."""
        if place not in self._codes:
            found = [(word, places) for word, places in zip(self.words, words_of(self.sizes), strict=True) if place in places]
            if not found:
                raise InvalidArgument("places", "must be places of attributes", place)
            word, places = found[0]
            below = math.prod(self.sizes[other] for other in places if other > place)
            self._codes[place] = (word // below % self.sizes[place]).astype(np.min_scalar_type(self.sizes[place] - 1))
        return self._codes[place]
