"""Estimated counts with standard errors, intervals, p-values and the detection of present values.

Counts are unbiased and raw: some are negative, and they do not add up to n. Intervals and p-values
come from them alone. ``norm_sub`` and ``base_cut`` return plausible counts instead: these are
biased, are labelled with their method, and have no intervals.

Among many absent values some look frequent by chance. **Family-wise** control (Bonferroni) keeps
the probability of even one false detection below the level, always. **False discovery** control
(Benjamini and Hochberg) keeps the expected share of false detections below the level. This is
proven if the p-values of absent values are independent (unary protocols, whose bits are randomised
independently; RAPPOR under random hashing) or positively dependent. The counts of k-ary response
add up to the number of reports, so they are negatively dependent, with correlations of about -1/k:
the share is then proven to stay below the level times a factor that does not grow with k (Chi and
others), and measured to stay below the level itself (tests/slow). ``benjamini_yekutieli`` holds
under any dependence, at a level that is lower by the factor 1 + 1/2 + … + 1/size.

Source
    Benjamini, Hochberg (1995); Benjamini, Yekutieli (2001); Chi, Ramdas, Wang, Multiple testing
    under negative dependence (2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import betainc, ndtr, ndtri

from hedgerow.errors import InvalidArgument
from hedgerow.local.fixed_point import check_integer
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.numeric.vectorised import Floats, Integers, Mask

__all__ = [
    "CONTROLS",
    "Estimates",
    "PostprocessedCounts",
    "base_cut",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "norm_sub",
]


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Counts of values among n clients. ``exact_p_values`` is None if the distribution of an absent
    value's count is only known to be about normal.
    """

    counts: Floats
    standard_errors: Floats
    n: int
    exact_p_values: Floats | None = None

    def __post_init__(self) -> None:
        for name in ("counts", "standard_errors", "exact_p_values"):
            if (numbers := getattr(self, name)) is not None:
                object.__setattr__(self, name, np.asarray(numbers, dtype=np.float64))
        shapes = {
            numbers.shape
            for numbers in (self.counts, self.standard_errors, self.exact_p_values)
            if numbers is not None
        }
        if len(shapes) != 1 or self.counts.ndim != 1:
            raise InvalidArgument("standard_errors", "must be one for each count", shapes)
        if not (self.standard_errors >= 0).all():
            raise InvalidArgument("standard_errors", "must be at least 0", self.standard_errors)
        check_integer(self.n, "n", 0, 1 << 62)

    @classmethod
    def from_support(cls, support: Integers, n: int, own: Fraction, other: Fraction) -> Estimates:
        """Estimate counts from the number of reports that support each value; ``own`` and ``other``
        are the probabilities of ``hedgerow.local.protocols.pure_frequency``.
        """
        p, q, hits = float(own), float(other), support.astype(np.float64)
        counts = (hits - n * q) / (p - q)
        share = np.clip(counts / max(n, 1), 0.0, 1.0)
        errors = np.sqrt(n * (share * p * (1 - p) + (1 - share) * q * (1 - q))) / abs(p - q)
        # A present value has more support than chance if own > other, and less otherwise.
        tails = (
            _compute_binomial_tail(hits, n, q)
            if p > q
            else _compute_binomial_tail(n - hits, n, 1 - q)
        )
        return cls(counts, errors, n, tails)

    @property
    def shares(self) -> Floats:
        """Counts divided by n."""
        return self.counts / max(self.n, 1)

    @property
    def p_values(self) -> Floats:
        """Probabilities that an absent value looks at least as frequent."""
        if self.exact_p_values is not None:
            return self.exact_p_values
        sure = np.where(self.counts > 0, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                self.standard_errors > 0, ndtr(-self.counts / self.standard_errors), sure
            )

    def intervals(self, confidence: Number = 0.95, together: bool = False) -> tuple[Floats, Floats]:
        """Return the ends of a normal interval around each count; with ``together`` all intervals
        hold at once with the given confidence.
        """
        outside = (1 - float(parse_probability(confidence, "confidence"))) / (
            2 * (max(1, self.counts.size) if together else 1)
        )
        radius = -ndtri(outside) * self.standard_errors
        return self.counts - radius, self.counts + radius

    def detect(self, control: str = "fdr", level: Number = 0.05) -> Mask:
        """Mark the detected values under family-wise (``fwer``) or false discovery (``fdr``)
        control.
        """
        if control not in CONTROLS:
            raise InvalidArgument("control", f"must be one of {', '.join(CONTROLS)}", control)
        return CONTROLS[control](self.p_values, level)

    def rank_detected(self, control: str = "fdr", level: Number = 0.05) -> Integers:
        """Return the codes of the detected values, most frequent first."""
        codes = np.flatnonzero(self.detect(control, level))
        return codes[np.argsort(-self.counts[codes], kind="stable")]


@dataclass(frozen=True, slots=True, eq=False)
class PostprocessedCounts:
    """Counts after post-processing by ``method``. They are biased, and intervals do not hold for
    them.
    """

    method: str
    counts: Floats


def bonferroni(p_values: Any, level: Number = 0.05) -> Mask:
    """Mark the p-values that are at most the level divided by their number."""
    p = _check_p_values(p_values)
    return p <= float(parse_probability(level, "level")) / max(1, p.size)


def benjamini_hochberg(p_values: Any, level: Number = 0.05) -> Mask:
    """Mark the k smallest p-values, for the largest k where the k-th is at most level k/size."""
    p, limit = _check_p_values(p_values), float(parse_probability(level, "level"))
    ordered = np.sort(p)
    passing = np.flatnonzero(ordered <= limit * np.arange(1, p.size + 1) / max(1, p.size))
    return p <= ordered[passing[-1]] if passing.size else np.zeros(p.size, dtype=np.bool_)


def benjamini_yekutieli(p_values: Any, level: Number = 0.05) -> Mask:
    """Mark p-values as ``benjamini_hochberg`` does, at a lower level that controls false
    discoveries under any dependence.
    """
    p = _check_p_values(p_values)
    return benjamini_hochberg(
        p,
        float(parse_probability(level, "level"))
        / max(1.0, float(np.sum(1 / np.arange(1, p.size + 1)))),
    )


CONTROLS = {"fwer": bonferroni, "fdr": benjamini_hochberg}


def norm_sub(estimates: Estimates) -> PostprocessedCounts:
    """Subtract one number from every count and cut at 0 so that the counts add up to n: the
    Euclidean projection.
    """
    counts = np.sort(estimates.counts)[::-1]
    if not counts.size:
        return PostprocessedCounts("norm-sub", counts)
    excess = (np.cumsum(counts) - estimates.n) / np.arange(1, counts.size + 1)
    kept = int(np.flatnonzero(counts - excess > 0)[-1]) if estimates.n else 0
    return PostprocessedCounts("norm-sub", np.maximum(estimates.counts - excess[kept], 0.0))


def base_cut(estimates: Estimates, level: Number = 0.05) -> PostprocessedCounts:
    """Keep the counts of values detected under family-wise control, and set all others to 0."""
    return PostprocessedCounts(
        "base-cut", np.where(estimates.detect("fwer", level), estimates.counts, 0.0)
    )


def _compute_binomial_tail(hits: Floats, n: int, chance: float) -> Floats:
    """Return Pr[X >= hits] for X binomial (n, chance)."""
    # The tail is expensive and many values have the same support: compute each tail once.
    found, places = np.unique(hits, return_inverse=True)
    some = np.maximum(found, 1.0)
    tails = np.where(found > 0, betainc(some, np.maximum(n - some + 1, 1.0), chance), 1.0)
    return np.asarray(tails[places], dtype=np.float64)


def _check_p_values(p_values: Any) -> Floats:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InvalidArgument("p_values", "must be a list of numbers between 0 and 1")
    return p
