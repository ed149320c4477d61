"""What one unit, which owns one row, can do to the values that a statistic sees; with a filter
(WHERE, FILTER, a join, NULL) or without.

* add-remove: a value **comes** or **goes**. A row that fails the filter does so unseen, so a filter
  is no matter.
* change-one: a value **changes** into another. The number of values is public.
* change-one under a filter: any of the three, as the row may fail the filter before, or after, or
  neither. The number of values is private.

Under the last, distance is the larger of the number of values that are gone and of those that have
come. A value comes only if some row fails the filter now. That is private, and left out here: with
more neighbours than there are, local sensitivity is not smaller and a length not larger than the
true one, and both move between neighbours as they must. It makes a difference only where no row
fails.

Order statistics and the mode need not know: what k changes can do to them, k moves of all three
kinds can do and no more (``order``, ``mode``).
"""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import InvalidArgument
from hedgerow.sensitivity.sample import Sample, check_relation

__all__ = ["NeighbourMoves"]


@dataclass(frozen=True, slots=True)
class NeighbourMoves:
    """A neighbour relation, as the values see it. The statistics that depend on a filter are
    made of it.
    """

    neighbours: str
    filtered: bool = False

    def __post_init__(self) -> None:
        check_relation(self.neighbours)
        if not isinstance(self.filtered, bool):
            raise InvalidArgument("filtered", "must be True or False", self.filtered)

    @property
    def can_change(self) -> bool:
        """A value may become another one."""
        return self.neighbours == "change-one"

    @property
    def can_come_and_go(self) -> bool:
        """A value may come, or go: their number is private."""
        return self.filtered or not self.can_change

    def check_sample(self, sample: Sample) -> None:
        """Refuses a sample of no values where their number is public; where it is private the
        refusal would tell it.
        """
        if len(sample) == 0 and not self.can_come_and_go:
            raise InvalidArgument(
                "values",
                "must not be empty under change-one without a filter, where their number is public",
            )
