"""Parallel composition: what was charged to the disjoint parts of a table, and what one unit pays
for it at most.

**Statement.** Let every unit have rows in at most k parts, cut so by a rule that looks at that
unit's rows alone. A question that reads some parts costs nothing to whoever is in none of them. So
whoever is in the parts S pays at most the sum, over S, of what was charged to each part, and
everybody at most the sum of the k dearest parts. Under change-one a unit leaves k parts and its
successor enters k others: ``most`` is 2k. A question over several parts charges its whole loss to
each of them.

The dearest are chosen for epsilon, rho and delta separately, which bounds every choice of parts.
Why the filter of ``budget.py`` may be asked about this figure, for questions chosen as one goes:
docs/decisions/0007-partitions.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.privacy.loss import Loss

__all__ = ["PartLosses"]

_NO_LOSS = Loss(Fraction(0))


@dataclass(frozen=True, slots=True)
class PartLosses:
    """The parts of one table by name, in how many a unit and its neighbour may be, and what was
    charged to each so far.
    """

    most: int
    names: tuple[str, ...]
    sums: Mapping[str, Loss] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", parse_whole(self.most, "most"))
        if not self.names or len(set(self.names)) != len(self.names):
            raise InvalidArgument("names", "must be at least one part, and each once", self.names)
        if not set(self.sums) <= set(self.names):
            raise InvalidArgument(
                "sums", "must be of parts that there are", sorted(set(self.sums) - set(self.names))
            )

    def charge(self, names: Collection[str], loss: Loss) -> PartLosses:
        """These parts with ``loss`` charged to each of the named ones."""
        if not names or len(set(names)) != len(names) or not set(names) <= set(self.names):
            raise InvalidArgument(
                "parts", "must be parts of the table, at least one, and each once", list(names)
            )
        return replace(
            self,
            sums={**self.sums, **{name: self.sums.get(name, _NO_LOSS) + loss for name in names}},
        )

    @property
    def without_charges(self) -> PartLosses:
        """The same parts with nothing charged to them."""
        return replace(self, sums={})

    @property
    def unit_loss(self) -> Loss:
        """What a unit pays at most, in whichever parts it is."""
        return Loss.parallel(*self.sums.values(), k=self.most) if self.sums else _NO_LOSS

    @property
    def unit_loss_by_part(self) -> dict[str, Loss]:
        """For each part, what a unit that is in it pays at most: that part, and the dearest others
        up to ``most``.

        That is the sum of the most - 1 dearest of all, and of the part itself or the next dearest,
        whichever is less.
        """
        others = self.sums and self.most > 1
        base = Loss.parallel(*self.sums.values(), k=self.most - 1) if others else _NO_LOSS
        last = _find_nth_loss(tuple(self.sums.values()), self.most)
        return {
            name: base + _find_smaller_loss(self.sums.get(name, _NO_LOSS), last)
            for name in self.names
        }


def _find_nth_loss(losses: tuple[Loss, ...], place: int) -> Loss:
    """The loss at this place in each of the three orders, dearest first; nothing beyond the end."""
    if len(losses) < place:
        return _NO_LOSS
    epsilon, delta, rho = (
        sorted(values, reverse=True)[place - 1]
        for values in zip(*map(_as_triple, losses), strict=True)
    )
    return Loss(epsilon, Fraction(delta), rho)


def _find_smaller_loss(a: Loss, b: Loss) -> Loss:
    epsilon, delta, rho = (min(pair) for pair in zip(_as_triple(a), _as_triple(b), strict=True))
    return Loss(epsilon, Fraction(delta), rho)


def _as_triple(loss: Loss) -> tuple[Fraction | float, Fraction, Fraction | float]:
    return loss.epsilon, loss.delta, loss.rho
