"""The strongest adaptive analyst, computed exactly: a dynamic program over randomised response.

Randomised response at ln r answers "yes" with probability r/(1+r) in one data set and 1/(1+r) in
the other, so a "yes" multiplies the likelihood ratio of the transcript by r and a "no" divides it.
Every pure mechanism is post-processed randomised response, so this is the worst case. After each
answer the analyst chooses the next toss, or stops, in full view of everything. The delta at e^E is
the sum of (P - e^E Q)_+ over transcripts; its maximum over strategies satisfies

    V(ratio, spent) = max( ratio - e^E, 0, max over affordable tosses of
                           V(ratio * r, …)/(1+r) + V(ratio / r, …) r/(1+r) )

in units of the mass under Q. A toss with a delta d first reveals the data set, with probability d;
under P that is worth its whole mass. Ratios are powers of one rational base, so everything is an
exact Fraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Protocol

from hedgerow.numeric.rounding import log_up
from hedgerow.privacy import Loss


class Filter(Protocol):
    def covers(self, loss: Loss) -> bool: ...

    def after(self, loss: Loss) -> Filter: ...


@dataclass(frozen=True)
class Toss:
    """Randomised response at ln(base^power), with a leak of probability delta."""

    power: int
    delta: Fraction = Fraction(0)

    def loss(self, base: Fraction) -> Loss:
        return Loss(self.power * log_up(base), self.delta)


def worst_delta(start: Filter, tosses: Sequence[Toss], base: Fraction, target: int) -> Fraction:
    """Return the largest delta at e^E = base^target of any adaptive strategy against the filter."""
    losses = [toss.loss(base) for toss in tosses]
    goal = base**target
    # a filter's state is named by its place here: integers are quick to look up
    filters: list[Filter] = [start]
    places: dict[Filter, int] = {start: 0}

    @cache
    def charged(place: int, toss: int) -> int | None:
        if not filters[place].covers(losses[toss]):
            return None
        after = filters[place].add_charge(losses[toss])
        if after not in places:
            places[after] = len(filters)
            filters.append(after)
        return places[after]

    @cache
    def value(power: int, place: int) -> Fraction:
        ratio = base**power
        best = max(Fraction(0), ratio - goal)
        for i, toss in enumerate(tosses):
            then = charged(place, i)
            if then is not None:
                r = base**toss.power
                went_on = (
                    value(power + toss.power, then) + r * value(power - toss.power, then)
                ) / (1 + r)
                best = max(best, toss.delta * ratio + (1 - toss.delta) * went_on)
        return best

    return value(0, 0)
