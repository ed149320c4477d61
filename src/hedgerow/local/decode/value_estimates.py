"""Values decoded from the counters of a metric: detected values, estimated counts and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Rappor
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers

__all__ = ["ValueEstimate", "detect_values", "estimate_mean", "list_values"]


@dataclass(frozen=True, slots=True)
class ValueEstimate:
    """A detected value: its estimated count, the 95 % interval, and the p-value of its absence. A
    mean has the value "mean" and no p-value.
    """

    value: Any
    estimate: float
    stderr: float
    low: float
    high: float
    p_value: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            name: getattr(self, name)
            for name in ("value", "estimate", "stderr", "low", "high", "p_value")
        }


def detect_values(
    metric: Metric,
    counters: Integers,
    *,
    names: Sequence[str] | None = None,
    control: str = "fdr",
    level: Number = 0.05,
) -> list[ValueEstimate]:
    """Return the detected values, most frequent first, under false discovery (``fdr``) or
    family-wise (``fwer``) control.

    ``names`` are the names of the codes in order; RAPPOR requires them, as the candidates to look
    for. A metric of a mean returns only the mean, which runs from 0 at the first grid point to 1 at
    the last.
    """
    scheme = metric.scheme
    if isinstance(scheme, Rappor):
        # A repeated candidate would share its clients with itself.
        names = None if names is None else list(dict.fromkeys(names))
        estimates = scheme.estimate(counters, names, metric.permanent_hash)
    else:
        estimates = scheme.estimate(counters)
        if len(estimates.counts) != scheme.domain:
            return [estimate_mean(estimates)] if estimates.n else []
        if names is not None and len(names) != scheme.domain:
            raise InvalidArgument(
                "names", f"must be as many as the metric has values, {scheme.domain:,}", len(names)
            )
    return list_values(estimates, estimates.rank_detected(control, level), names)


def estimate_mean(estimates: Estimates) -> ValueEstimate:
    """Return the mean from an estimated total of numbers between 0 and 1."""
    (low,), (high,) = estimates.intervals()
    total, error = estimates.counts[0], estimates.standard_errors[0]
    mean, stderr, start, end = (float(number) / estimates.n for number in (total, error, low, high))
    return ValueEstimate("mean", mean, stderr, start, end, None)


def list_values(
    estimates: Estimates, codes: Integers, names: Sequence[str] | None
) -> list[ValueEstimate]:
    """List the estimates of these codes, in this order."""
    lows, highs = estimates.intervals()
    columns = estimates.counts, estimates.standard_errors, lows, highs, estimates.p_values
    return [
        ValueEstimate(
            code if names is None else names[code], *(float(column[code]) for column in columns)
        )
        for code in codes.tolist()
    ]
