"""The table of sensitivities as code: the move of each statistic of a column in [L, U].

One unit owns one row.

**Global** sensitivity is the maximum over all data sets; noise may be scaled to it. W = U - L:

| statistic | change-one | add-remove |
|---|---|---|
| count | 1 | 1 |
| sum | W | max(|L|, |U|) |
| sum under a filter, a join or with NULL | width of the hull of [L, U] and 0 | max(|L|, |U|) |
| mean of a public number n of rows, no filter | W/n | a noisy sum and a noisy count |
| min, median, max, quantile | W | W |
| histogram | two cells, each by 1 | one cell by 1 |
| mode | 1 for the count of each candidate | 1 |

Why a filter matters: if a row at U is replaced by one that fails the filter, the sum moves by U,
however narrow [L, U] is.

**Local** sensitivity is the maximum over the neighbours of one data set, and often far smaller.
Change-one, n values:

- sum, mean: max_i max(x_i - L, U - x_i), divided by n for the mean.
- max: max(U - x_(n), x_(n) - x_(n-1)); min likewise. Median of an odd n, m = (n+1)/2: max(x_(m+1) -
  x_(m), x_(m) - x_(m-1)).

Under a filter the number of values is private even where that of the rows is public, and a changed
row may also leave or enter (``neighbour_moves``). That changes nothing for order statistics and the
mode. A sum moves by max(|L|, |U|) as well, a mean also as under add-remove, a count by 1.

Local sensitivity is offered for study and refused as a scale of noise, because it is as private as
the data. Example: in [0, 10^9], no neighbour of 0 0 0 0 10^9 has another median, so its local
sensitivity is 0. That of 0 0 0 10^9 10^9, one row away, is 10^9. Noise scaled to it would be zero
for one and enormous for the other, and an answer of exactly 0 would identify the row at any
epsilon.
"""

from __future__ import annotations

from fractions import Fraction

from hedgerow.errors import InvalidArgument, Unbounded, Unsupported
from hedgerow.numeric.exact_number import Number, parse_exact, parse_whole
from hedgerow.privacy.sensitivity import LocalSensitivity, Sensitivity
from hedgerow.sensitivity.count import Count
from hedgerow.sensitivity.mean import Mean
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample, check_relation
from hedgerow.sensitivity.sum import Sum

__all__ = ["STATISTICS", "global_sensitivity", "local_sensitivity"]

STATISTICS = ("count", "sum", "mean", "min", "median", "max", "quantile", "histogram", "mode")
_QUANTILE_LEVELS = {"min": Fraction(0), "median": Fraction(1, 2), "max": Fraction(1)}
_MEAN_HINT = (
    "The mean depends on the number of rows, which is private here. Release a noisy sum and a noisy"
    " count, and divide."
)


def global_sensitivity(
    statistic: str,
    *,
    neighbours: str,
    lower: Number | None = None,
    upper: Number | None = None,
    rows: int | None = None,
    filtered: bool = False,
) -> Sensitivity:
    """Return the largest move of ``statistic`` that one unit can cause in any data set.

    ``filtered`` means under WHERE, FILTER or a join, or where NULL may occur. ``rows`` is the
    public number of rows, for the mean.
    """
    changed = check_relation(neighbours) == "change-one"
    if statistic in ("count", "mode"):
        return Sensitivity.of(1)
    if statistic == "histogram":
        return Sensitivity.each(2 if changed else 1, 1)
    if statistic not in STATISTICS:
        raise InvalidArgument("statistic", f"must be one of {', '.join(STATISTICS)}", statistic)
    low, high = _parse_bounds(statistic, lower, upper)
    if statistic == "sum":
        if not changed:
            return Sensitivity.of(max(abs(low), abs(high)))
        return Sensitivity.of(max(high, high - low, -low) if filtered else high - low)
    if statistic == "mean":
        if filtered or not changed:
            raise Unsupported(_MEAN_HINT)
        return Sensitivity.of((high - low) / parse_whole(rows, "rows"))
    return Sensitivity.of(high - low)


def local_sensitivity(
    statistic: str,
    sample: SortedSample,
    *,
    neighbours: str,
    p: Number | None = None,
    filtered: bool = False,
) -> LocalSensitivity:
    """Return the largest move of ``statistic`` to a neighbour of this sample, in units of the
    values.

    For study only. ``filtered`` means that the values are those left by WHERE, FILTER, a join or
    the removal of NULL.
    """
    if statistic == "count":
        return Count(neighbours, filtered).local_sensitivity(sample)
    if statistic in ("sum", "mean"):
        moments = (Sum if statistic == "sum" else Mean)(neighbours, filtered)
        return moments.local_sensitivity(sample) * sample.grid
    level = _QUANTILE_LEVELS.get(statistic, p if statistic == "quantile" else None)
    if level is None:
        raise InvalidArgument(
            "statistic",
            "must be count, sum, mean, min, median, max, or quantile with its p",
            statistic,
        )
    return (
        Quantile(level, neighbours).local_sensitivity(sample)  # type: ignore[arg-type]
        * sample.grid
    )


def _parse_bounds(
    statistic: str, lower: Number | None, upper: Number | None
) -> tuple[Fraction, Fraction]:
    if lower is None or upper is None:
        raise Unbounded(
            f"The {statistic} needs bounds: without them one unit could move it arbitrarily far."
            " Declare lower and upper."
        )
    low, high = parse_exact(lower, "lower"), parse_exact(upper, "upper")
    if low >= high:
        raise InvalidArgument("upper", f"must be above lower = {lower}", upper)
    return low, high
