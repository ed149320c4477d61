"""The interval of a quantile, from two neighbouring quantiles that were released with it.

| symbol | meaning |
|---|---|
| n | the number of values, private |
| p | the probability of the quantile |
| d | the distance of the two neighbouring quantiles, at p - d and p + d |
| E | the rank error of all three, exceeded with probability beta/2 at most |
| v | an exact quantile at p |

At most (p - d) n + E values lie below the released quantile at p - d, which is fewer than p n if
d n > E. At least p n values are at most v. If the released quantile at p - d were above v, these
would all lie below it, so it is not above v. In the same way the released quantile at p + d is not
below v. A noisy count bounds n, with probability 1 - beta/2. Where its lower end is not above E/d
(E grows with n and is taken at the upper end), the interval is the whole declared range, which
holds every quantile.
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
    """A selected quantile, the selected quantiles ``below`` and ``above`` it at a distance of
    ``width`` in probability, and the count of values."""

    quantile: SelectedValue
    below: SelectedValue
    above: SelectedValue
    count: Estimate
    mechanism: CalibratedSelection
    width: Fraction

    @property
    def values(self) -> list[Any]:
        """The selected quantile of each group."""
        return self.quantile.values

    def intervals(self, level: Number) -> list[Interval]:
        """Return the bracket where the count is large enough, else the whole declared range."""
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


def count_rows_needed(
    mechanism: CalibratedSelection, width: Fraction, beta: Fraction, max_rows: int
) -> float:
    """Return the row count above which a bracket of this ``width`` holds, for up to ``max_rows``
    rows."""
    # Rounded up to a power of two: the rank error is then computed once for many groups.
    ranks = mechanism.rank_error(beta, max(10**6, 1 << int(max_rows).bit_length()))
    assert ranks is not None  # brackets exist only for the one method with a rank error
    return ranks / float(width)


def estimate_bracketed(
    call: AggregateCall,
    bracket: QuantileBracket,
    numbers: Sequence[Sequence[Any]],
    mechanism: NoiseMechanism,
    estimates: Mapping[str, Estimate],
) -> BracketedQuantile:
    """Estimate a quantile with its bracket; ``numbers`` are the columns of its measure."""
    assert isinstance(mechanism, CalibratedSelection)
    assert call.probability is not None
    selected = [
        estimate_aggregate(replace(call, probability=at), numbers, mechanism)
        for at in (call.probability, bracket.low, bracket.high)
    ]
    middle, below, above = (one for one in selected if isinstance(one, SelectedValue))
    width = bracket.high - call.probability
    return BracketedQuantile(middle, below, above, estimates[bracket.count], mechanism, width)
