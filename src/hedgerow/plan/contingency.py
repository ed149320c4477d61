"""How often each combination of several codes is there: what a publication is made of.

An attribute is a column of whole numbers from 0 to below its size, all public. What an engine hands
over is one line for each combination that is there, with how often it is. A row that has NULL, or a
number outside, in any attribute is dropped before.

Of a unit with c rows at most m = ``max_rows`` count: where c > m each of them counts m/c. What is
counted are parts of 1/F of a row, F = ``fine``: the unit puts trunc(F k m/c) of them into a
combination of which it has k rows, and F k where c <= m. They add up to at most F m, and each
combination lacks less than one part.

A hundred attributes have more combinations than numbers have bits, so the codes travel packed: as
many in one whole number below 2^62 as fit, the first attribute slowest.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.measures import UnitReach
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = [
    "MAX_RESOLUTION",
    "WORD_LIMIT",
    "Contingency",
    "check_sizes",
    "group_into_words",
    "pack_codes",
]

WORD_LIMIT: Final = 2**62
MAX_RESOLUTION: Final = 2**40  # parts of a row; no noise that can be drawn asks for more


def group_into_words(sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The places of the attributes that share a whole number, in order."""
    words: list[tuple[int, ...]] = []
    room = 1
    for place, size in enumerate(sizes):
        if words and room * size <= WORD_LIMIT:
            words[-1] += (place,)
            room *= size
        else:
            words.append((place,))
            room = size
    return tuple(words)


def pack_codes(codes: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """The words of one code for each attribute, or of a column of them."""
    return tuple(
        functools.reduce(lambda word, place: word * sizes[place] + codes[place], places, 0)
        for places in group_into_words(sizes)
    )


def check_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """How many codes each attribute has, in whole numbers."""
    if not sizes or any(parse_whole(size, "sizes") > WORD_LIMIT for size in sizes):
        raise InvalidArgument("sizes", "must be numbers of codes up to 2^62, at least one", sizes)
    return tuple(int(size) for size in sizes)


@dataclass(frozen=True, slots=True)
class Contingency:
    """The combinations of the codes of these ``attributes``: (column, how many codes)."""

    kind: ClassVar[str] = "cross"
    grid: ClassVar[None] = None
    width: ClassVar[int] = 1
    attributes: tuple[tuple[str, int], ...]
    resolution: int = 1

    def __post_init__(self) -> None:
        names = [name for name, _ in self.attributes]
        if not names or len(set(names)) != len(names):
            raise InvalidArgument("attributes", "must be different columns, at least one", names)
        object.__setattr__(
            self, "attributes", tuple(zip(names, check_sizes(self.sizes), strict=True))
        )
        object.__setattr__(self, "resolution", parse_whole(self.resolution, "resolution"))
        if self.resolution > MAX_RESOLUTION or self.resolution & (self.resolution - 1):
            raise InvalidArgument(
                "resolution", "must be a power of two of at most 2^40", self.resolution
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is of."""
        return tuple(name for name, _ in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each attribute has."""
        return tuple(size for _, size in self.attributes)

    def sensitivity(self, reach: UnitReach) -> Sensitivity:
        """Return how many parts of one unit leave the table, or enter it, at most; replaced, as
        many do both.
        """
        if reach.cells != 1:
            raise InvalidArgument(
                "measures",
                "must cross all rows, not those of groups: make the keys attributes",
                reach.cells,
            )
        both, parts = 2 if reach.is_change_one else 1, self.resolution * reach.rows
        return Sensitivity(
            both * parts, Fraction(parts), Fraction(both * parts), Fraction(both * parts**2)
        )
