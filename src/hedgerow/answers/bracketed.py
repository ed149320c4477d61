"""Quantiles between two others that were paid for: the interval runs from the one to the other, where that is certain enough.

Chosen are the quantiles at p - d, p and p + d of n values, none of them more than E ranks off except with probability beta/2. So at most
(p - d) n + E values lie below the first: fewer than p n, if d n > E. A value v is a quantile at p if p n values or more are v or less;
were the first above it, these would be among those below the first. So it is not above any quantile at p; nor is the last below one. How
many values there are says a noisy count, in an interval with probability 1 - beta/2. Where its lower end is not above E/d (E grows with n,
and is taken at the upper end), the whole range between the public bounds is told, which holds every quantile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hedgerow.answers.estimates import Estimate, Interval, Picked, estimate
from hedgerow.numeric.number import Number, probability
from hedgerow.picking import Picking
from hedgerow.release import Law
from hedgerow.sql.question import AggregateCall, Bracket

__all__ = ["Bracketed", "bracketed", "rows_needed"]


@dataclass(frozen=True, slots=True)
class Bracketed:
    """What was chosen, the quantiles ``below`` and ``above`` it, ``wide`` shares away, and how many values there are."""

    picked: Picked
    below: Picked
    above: Picked
    count: Estimate
    law: Picking
    wide: Fraction

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return self.picked.values

    def intervals(self, level: Number) -> list[Interval]:
        """From the one to the other where there are rows enough, else the whole range."""
        outside = 1 - probability(level, "level")
        ends = zip(self.below.values, self.above.values, self.count.intervals(1 - outside / 2), strict=True)
        whole = replace(self.picked, steps=(self.law.low, self.law.high)).values
        return [(low, high) if self._sure(rows, outside / 2) else (whole[0], whole[1]) for low, high, rows in ends]

    def _sure(self, rows: Interval, beta: Fraction) -> bool:
        return rows is not None and bool(rows[0] > 0) and rows_needed(self.law, self.wide, beta, rows[1]) < float(rows[0])


def rows_needed(law: Picking, wide: Fraction, beta: Fraction, most: int) -> float:
    """More values than this, and at most ``most``, make sure of a bracket ``wide`` shares wide to either side."""
    # A power of two, so that the bound is worked out once for many groups.
    off = law.ranks(beta, max(10**6, 1 << int(most).bit_length()))
    assert off is not None  # a bracket is read for the one method with a bound
    return off / float(wide)


def bracketed(
    call: AggregateCall, bracket: Bracket, numbers: Sequence[Sequence[Any]], law: Law, found: Mapping[str, Estimate]
) -> Bracketed:
    """The estimate of a quantile with a bracket; ``numbers`` are the columns of its measure."""
    assert isinstance(law, Picking)
    assert call.at is not None
    picked = [estimate(replace(call, at=at), numbers, law) for at in (call.at, bracket.low, bracket.high)]
    middle, below, above = (one for one in picked if isinstance(one, Picked))
    return Bracketed(middle, below, above, found[bracket.count], law, bracket.high - call.at)
