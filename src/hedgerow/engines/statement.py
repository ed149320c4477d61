"""Statements for an engine: SQL and the columns that it must return. It imports nothing, since the
engine process loads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hedgerow.plan.values import Type

__all__ = ["MAX_ARRAY_SUMS", "Statement"]

MAX_ARRAY_SUMS = 16  # in a slot of an array, over all levels of a statement


class Statement(NamedTuple):
    """SQL whose result has a column for each key, of these types, then one for each number.

    Numbers marked ``wide`` may exceed 64 bits and come as text. With a ``tally``, the result is a
    single column of integers between the two ends, which becomes two: each distinct integer, in
    rising order, and its frequency; counting them here takes a third of the engine's time.
    ``by_unit``: the statement groups all rows by unit id and has at most ``MAX_ARRAY_SUMS`` sums,
    so that a large array may replace the hash table.
    """

    sql: str
    keys: tuple[Type, ...]
    wide: tuple[bool, ...]
    tally: tuple[int, int] | None = None
    by_unit: bool = False
