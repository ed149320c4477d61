"""Parallel composition: charges to the disjoint parts of a table, and the most that one unit pays.

**Statement.** Let every unit have rows in at most k parts, enforced by a rule that looks at that
unit's rows alone. A question that reads some parts costs nothing to units that are in none of them.
So a unit in the parts S pays at most the sum, over S, of the charges to each part, and every unit
pays at most the sum of the k dearest parts. Under change-one a unit leaves k parts and its
replacement enters k others: ``most`` is 2k. A question over several parts charges its whole loss to
each of them.

The dearest parts are chosen for epsilon, rho and delta separately, which bounds every choice of
parts. docs/decisions/0007-partitions.md explains why the filter of ``budget.py`` may use this
figure for adaptively chosen questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.privacy.loss import Bound, Loss

__all__ = ["PartLosses", "TableParts"]

_NO_LOSS = Loss(Fraction(0))


@dataclass(frozen=True, slots=True)
class TableParts:
    """A partitioned table, and the names of its parts that a question reads."""

    table: str
    names: Collection[str]


@dataclass(frozen=True, slots=True)
class PartLosses:
    """The parts of one table and the losses charged to each.

    ``most`` is the number of parts that a unit and its neighbour may be in together.
    """

    most: int
    names: tuple[str, ...]
    sums: Mapping[str, Loss] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", parse_whole(self.most, "most"))
        if not self.names or len(set(self.names)) != len(self.names):
            raise InvalidArgument(
                "names", "must list at least one part, without repetition", self.names
            )
        if not set(self.sums) <= set(self.names):
            raise InvalidArgument(
                "sums",
                "must refer to declared parts only",
                sorted(set(self.sums) - set(self.names)),
            )

    def charge(self, names: Collection[str], loss: Loss) -> PartLosses:
        """Return these parts with ``loss`` charged to each of the named ones."""
        if not names or len(set(names)) != len(names) or not set(names) <= set(self.names):
            raise InvalidArgument(
                "parts", "must be one or more parts of the table, without repetition", list(names)
            )
        return replace(
            self,
            sums={**self.sums, **{name: self.sums.get(name, _NO_LOSS) + loss for name in names}},
        )

    @property
    def without_charges(self) -> PartLosses:
        """The same parts without any charges."""
        return replace(self, sums={})

    @property
    def unit_loss(self) -> Loss:
        """The most that one unit has paid, whichever parts it is in."""
        return Loss.parallel(*self.sums.values(), k=self.most) if self.sums else _NO_LOSS

    @property
    def unit_loss_by_part(self) -> dict[str, Loss]:
        """The most that a unit in each part has paid: that part, and the dearest others up to
        ``most``.

        This is the sum of the most - 1 dearest parts overall, and of the part itself or the next
        dearest, whichever is less.
        """
        others = self.sums and self.most > 1
        base = Loss.parallel(*self.sums.values(), k=self.most - 1) if others else _NO_LOSS
        last = _NO_LOSS
        if len(self.sums) >= self.most:
            dearest = self.sums.values()
            last = _combine_losses(dearest, lambda x: sorted(x, reverse=True)[self.most - 1])
        return {
            name: base + _combine_losses((self.sums.get(name, _NO_LOSS), last), min)
            for name in self.names
        }


def _combine_losses(losses: Iterable[Loss], choose: Callable[[Iterable[Bound]], Bound]) -> Loss:
    """Return the loss with the chosen epsilon, delta and rho, each from those of the losses."""
    columns = zip(*((loss.epsilon, loss.delta, loss.rho) for loss in losses), strict=True)
    epsilon, delta, rho = map(choose, columns)
    return Loss(epsilon, Fraction(delta), rho)
