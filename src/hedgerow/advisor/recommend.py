"""The recommendation of mechanisms for a statistic: its options, ranked by expected error."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.advisor.options import STATISTICS
from hedgerow.advisor.recommendation import Recommendation
from hedgerow.advisor.request import RecommendationRequest
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_delta, parse_epsilon, parse_whole
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample, check_relation

__all__ = ["choose"]


def choose(
    statistic: str,
    *,
    epsilon: Number,
    n: int,
    neighbours: str,
    lower: Number | None = None,
    upper: Number | None = None,
    delta: Number | None = None,
    grid: Number | None = None,
    p: Number | None = None,
) -> Recommendation:
    """Rank the mechanisms for a statistic of about ``n`` rows between declared bounds, where each
    row is a unit.

    Methods that need a ``delta`` are included if one is given. ``p`` is for ``"quantile"`` only.
    """
    if statistic not in STATISTICS:
        raise InvalidArgument("statistic", f"must be one of {', '.join(STATISTICS)}", statistic)
    if (statistic == "quantile") != (p is not None):
        raise InvalidArgument(
            "p", "must be given for a quantile, and left out for other statistics", p
        )
    share = {"median": Fraction(1, 2), "min": Fraction(0), "max": Fraction(1)}.get(statistic, p)
    bounds = (
        None
        if lower is None or upper is None
        else SortedSample.from_values([], lower=lower, upper=upper, grid=grid)
    )
    question = RecommendationRequest(
        statistic,
        parse_epsilon(epsilon),
        None if delta is None else parse_delta(delta),
        parse_whole(n, "n"),
        check_relation(neighbours),
        bounds,
        Quantile(share or Fraction(0), neighbours).p,  # type: ignore[arg-type]
    )
    unit, reference, options = STATISTICS[statistic](question)
    if not options:
        raise InvalidArgument(
            "epsilon",
            "must be larger, or the grid coarser: no mechanism supports this range",
            epsilon,
        )
    name = f"quantile {question.p}" if statistic == "quantile" else statistic
    where = f" between {lower} and {upper}" if question.bounds is not None else ""
    price = f"epsilon {float(question.epsilon):g}" + (
        f", delta {float(question.delta):g}" if question.delta else ""
    )
    ranked = tuple(sorted(options, key=lambda option: option.expected))
    return Recommendation(
        f"{name} of about {question.n:,} rows{where}, {price}, {neighbours}",
        unit,
        reference,
        ranked,
    )
