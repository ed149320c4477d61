"""Quantiles between two others that were paid for: the interval runs from the one to the other,
where that is certain enough.

Chosen are the quantiles at p - d, p and p + d of n values, none of them more than E ranks off
except with probability beta/2. So at most (p - d) n + E values lie below the first: fewer than p n,
if d n > E. A value v is a quantile at p if p n values or more are v or less; were the first above
it, these would be among those below the first. So it is not above any quantile at p; nor is the
last below one. How many values there are says a noisy count, in an interval with probability 1 -
beta/2. Where its lower end is not above E/d (E grows with n, and is taken at the upper end), the
whole range between the public bounds is told, which holds every quantile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hedgerow.answers.estimates.estimate import (
    Estimate,
    Interval,
    SelectedValue,
    estimate_aggregate,
)
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import NoiseMechanism
from hedgerow.sql.question import AggregateCall, QuantileBracket

__all__ = ["BracketedQuantile", "count_rows_needed", "estimate_bracketed"]


@dataclass(frozen=True, slots=True)
class BracketedQuantile:
    """What was chosen, the quantiles ``below`` and ``above`` it, ``wide`` shares away, and how
    many values there are.
    """

    quantile: SelectedValue
    below: SelectedValue
    above: SelectedValue
    count: Estimate
    mechanism: CalibratedSelection
    width: Fraction

    @property
    def values(self) -> list[Any]:
        """One for each group."""
        return self.quantile.values

    def intervals(self, level: Number) -> list[Interval]:
        """From the one to the other where there are rows enough, else the whole range."""
        outside = 1 - parse_probability(level, "level")
        ends = zip(
            self.below.values, self.above.values, self.count.intervals(1 - outside / 2), strict=True
        )
        whole = replace(self.quantile, steps=(self.mechanism.low, self.mechanism.high)).values
        return [
            (low, high) if self._is_certain(rows, outside / 2) else (whole[0], whole[1])
            for low, high, rows in ends
        ]

    def _is_certain(self, rows: Interval, beta: Fraction) -> bool:
        return (
            rows is not None
            and bool(rows[0] > 0)
            and count_rows_needed(self.mechanism, self.width, beta, rows[1]) < float(rows[0])
        )


def count_rows_needed(law: CalibratedSelection, wide: Fraction, beta: Fraction, most: int) -> float:
    """More values than this, and at most ``most``, make sure of a bracket ``wide`` shares wide
    to either side.
    """
    # A power of two, so that the bound is worked out once for many groups.
    off = law.rank_error(beta, max(10**6, 1 << int(most).bit_length()))
    assert off is not None  # a bracket is read for the one method with a bound
    return off / float(wide)


def estimate_bracketed(
    call: AggregateCall,
    bracket: QuantileBracket,
    numbers: Sequence[Sequence[Any]],
    law: NoiseMechanism,
    found: Mapping[str, Estimate],
) -> BracketedQuantile:
    """The estimate of a quantile with a bracket; ``numbers`` are the columns of its measure."""
    assert isinstance(law, CalibratedSelection)
    assert call.probability is not None
    picked = [
        estimate_aggregate(replace(call, probability=at), numbers, law)
        for at in (call.probability, bracket.low, bracket.high)
    ]
    middle, below, above = (one for one in picked if isinstance(one, SelectedValue))
    return BracketedQuantile(
        middle, below, above, found[bracket.count], law, bracket.high - call.probability
    )
