"""How often each combination of several codes is there: what a publication is made of.

An attribute is a column of whole numbers from 0 to below its size, all public. What an engine hands over is one line for each combination
that is there, with how often it is. A row that has NULL, or a number outside, in any attribute is dropped before.

Of a unit with c rows at most m = ``max_rows`` count: where c > m each of them counts m/c. What is counted are parts of 1/F of a row,
F = ``fine``: the unit puts trunc(F k m/c) of them into a combination of which it has k rows, and F k where c <= m. They add up to at most
F m, and each combination lacks less than one part.

A hundred attributes have more combinations than numbers have bits, so the codes travel packed: as many in one whole number below 2^62 as
fit, the first attribute slowest.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import whole
from hedgerow.plan.measures import Reach
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["FINEST", "WORD", "Cross", "checked_sizes", "packed", "words_of"]

WORD: Final = 2**62
FINEST: Final = 2**40  # parts of a row; no noise that can be drawn asks for more


def words_of(sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The places of the attributes that share a whole number, in order."""
    words: list[tuple[int, ...]] = []
    room = 1
    for place, size in enumerate(sizes):
        if words and room * size <= WORD:
            words[-1] += (place,)
            room *= size
        else:
            words.append((place,))
            room = size
    return tuple(words)


def packed(codes: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """The words of one code for each attribute, or of a column of them."""
    return tuple(functools.reduce(lambda word, place: word * sizes[place] + codes[place], places, 0) for places in words_of(sizes))


def checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """How many codes each attribute has, in whole numbers."""
    if not sizes or any(whole(size, "sizes") > WORD for size in sizes):
        raise InvalidArgument("sizes", "must be numbers of codes up to 2^62, at least one", sizes)
    return tuple(int(size) for size in sizes)


@dataclass(frozen=True, slots=True)
class Cross:
    """The combinations of the codes of these ``attributes``: (column, how many codes)."""

    kind: ClassVar[str] = "cross"
    snap: ClassVar[None] = None
    width: ClassVar[int] = 1
    attributes: tuple[tuple[str, int], ...]
    fine: int = 1

    def __post_init__(self) -> None:
        names = [name for name, _ in self.attributes]
        if not names or len(set(names)) != len(names):
            raise InvalidArgument("attributes", "must be different columns, at least one", names)
        object.__setattr__(self, "attributes", tuple(zip(names, checked_sizes(self.sizes), strict=True)))
        object.__setattr__(self, "fine", whole(self.fine, "fine"))
        if self.fine > FINEST or self.fine & (self.fine - 1):
            raise InvalidArgument("fine", "must be a power of two of at most 2^40", self.fine)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is of."""
        return tuple(name for name, _ in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each attribute has."""
        return tuple(size for _, size in self.attributes)

    def sensitivity(self, reach: Reach) -> Sensitivity:
        """Return how many parts of one unit leave the table, or enter it, at most; replaced, as many do both."""
        if reach.cells != 1:
            raise InvalidArgument("measures", "must cross all rows, not those of groups: make the keys attributes", reach.cells)
        both, parts = 2 if reach.moves else 1, self.fine * reach.rows
        return Sensitivity(both * parts, Fraction(parts), Fraction(both * parts), Fraction(both * parts**2))
