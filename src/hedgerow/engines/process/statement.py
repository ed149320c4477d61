"""What an engine is asked: SQL, and the columns that it must return. Nothing is loaded here, for
the process that answers needs no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hedgerow.plan.values import Type

__all__ = ["MAX_ARRAY_SUMS", "Statement"]

MAX_ARRAY_SUMS = 16  # in a place of an array; all levels of a statement together


class Statement(NamedTuple):
    """SQL whose result has a column for each key, of these types, and then one for each number;
    ``wide`` ones may exceed 64 bits and come as text. With a ``tally`` it is a single column of
    whole numbers from the first to the second, which become two: each number that is there, in
    rising order, and how often. Counting them here takes a third of the time that an engine takes.
    ``by_unit``: it groups the rows of everybody by their ids, and adds up no more than
    ``MAX_ARRAY_SUMS`` numbers, so that a large array may serve."""

    sql: str
    keys: tuple[Type, ...]
    wide: tuple[bool, ...]
    tally: tuple[int, int] | None = None
    by_unit: bool = False
