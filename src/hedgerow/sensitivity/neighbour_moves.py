"""The moves of one unit, which owns one row, as a statistic sees them; with or without a filter.

A filter is WHERE, FILTER, a join, or the removal of NULL.

- add-remove: a value is **added** or **removed**. A row that fails the filter has no effect, so a
  filter changes nothing.
- change-one: a value is **changed** into another. The number of values is public.
- change-one under a filter: any of the three, as the row may fail the filter before, after or
  neither. The number of values is private.

In the last case, the distance is the larger of the number of removed values and the number of added
ones. A value can be added only if some row fails the filter now. That is private, and ignored here:
with more neighbours than there are, the local sensitivity is not smaller and a length not larger
than the true one, and both move between neighbours as they must. It makes a difference only where
no row fails.

Order statistics and the mode need not know about filters: k moves of all three kinds can do to them
what k changes can do, and no more (``order_statistics``, ``mode``).
"""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import InvalidArgument
from hedgerow.sensitivity.sample import SortedSample, check_relation

__all__ = ["NeighbourMoves"]


@dataclass(frozen=True, slots=True)
class NeighbourMoves:
    """A neighbour relation and a filter: the base of the statistics that depend on both."""

    neighbours: str
    filtered: bool = False

    def __post_init__(self) -> None:
        check_relation(self.neighbours)
        if not isinstance(self.filtered, bool):
            raise InvalidArgument("filtered", "must be True or False", self.filtered)

    @property
    def can_change(self) -> bool:
        """True if a value may change into another one."""
        return self.neighbours == "change-one"

    @property
    def can_come_and_go(self) -> bool:
        """True if values may be added or removed, so that their number is private."""
        return self.filtered or not self.can_change

    def check_sample(self, sample: SortedSample) -> None:
        """Refuse an empty sample where the number of values is public.

        Where it is private, the refusal would reveal it.
        """
        if len(sample) == 0 and not self.can_come_and_go:
            raise InvalidArgument(
                "values",
                "must not be empty under change-one without a filter, where their number is public",
            )
