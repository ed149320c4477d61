"""Contingency tables: the number of rows of each combination of several codes, the input of
publications.

An attribute is a column of integers from 0 to below its size, all public. An engine returns one
line for each combination that occurs, with its count. A row with NULL, or a number outside, in any
attribute is dropped before.

Of a unit with c rows at most m = ``max_rows`` count: if c > m, each of them counts m/c. Counts are
in parts of 1/F of a row, F = ``resolution``: the unit adds trunc(F k m/c) parts to a combination of
which it has k rows, and F k if c <= m. Its parts add up to at most F m, and each combination lacks
less than one part.

A hundred attributes have more combinations than a machine integer can number, so codes are packed:
as many into one word below 2^62 as fit, the first attribute slowest.
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
    """Return the indices of the attributes that share each word, in order."""
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
    """Pack one code for each attribute, or a column of codes for each, into words."""
    return tuple(
        functools.reduce(lambda word, place: word * sizes[place] + codes[place], places, 0)
        for places in group_into_words(sizes)
    )


def check_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the number of codes of each attribute as integers."""
    if not sizes or any(parse_whole(size, "sizes") > WORD_LIMIT for size in sizes):
        raise InvalidArgument("sizes", "must be numbers of codes up to 2^62, and not empty", sizes)
    return tuple(int(size) for size in sizes)


@dataclass(frozen=True, slots=True)
class Contingency:
    """The contingency table of these ``attributes``: (column, number of codes)."""

    kind: ClassVar[str] = "cross"
    grid: ClassVar[None] = None
    width: ClassVar[int] = 1
    attributes: tuple[tuple[str, int], ...]
    resolution: int = 1

    def __post_init__(self) -> None:
        names = [name for name, _ in self.attributes]
        if not names or len(set(names)) != len(names):
            raise InvalidArgument("attributes", "must be different columns, and not empty", names)
        object.__setattr__(
            self, "attributes", tuple(zip(names, check_sizes(self.sizes), strict=True))
        )
        object.__setattr__(self, "resolution", parse_whole(self.resolution, "resolution"))
        if self.resolution > MAX_RESOLUTION or self.resolution & (self.resolution - 1):
            raise InvalidArgument(
                "resolution", "must be a power of two up to 2^40", self.resolution
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return tuple(name for name, _ in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each attribute."""
        return tuple(size for _, size in self.attributes)

    def sensitivity(self, reach: UnitReach) -> Sensitivity:
        """Return how many parts of one unit leave or enter the table at most; a replaced unit does
        both.
        """
        if reach.cells != 1:
            raise InvalidArgument(
                "measures",
                "must be a contingency table of all rows: make the keys attributes",
                reach.cells,
            )
        both, parts = 2 if reach.is_change_one else 1, self.resolution * reach.rows
        return Sensitivity(
            both * parts, Fraction(parts), Fraction(both * parts), Fraction(both * parts**2)
        )
