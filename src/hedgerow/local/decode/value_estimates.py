"""What the counters of a metric tell: which values are there, how many clients hold each, and
how sure that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Rappor
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers

__all__ = ["ValueEstimate", "count_reports", "detect_values", "estimate_mean"]


@dataclass(frozen=True, slots=True)
class ValueEstimate:
    """A value that is there: its estimated count, the ends of the 95 % interval, and how likely
    chance alone would look like this. A mean has the value "mean", and no chance to be absent."""

    value: Any
    estimate: float
    stderr: float
    low: float
    high: float
    p_value: float | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            name: getattr(self, name)
            for name in ("value", "estimate", "stderr", "low", "high", "p_value")
        }


def count_reports(counters: Integers) -> int:
    """How many reports were counted: the last counter of every protocol."""
    return int(counters[-1])


def detect_values(
    metric: Metric,
    counters: Integers,
    *,
    names: Sequence[str] | None = None,
    control: str = "fdr",
    level: Number = 0.05,
) -> list[ValueEstimate]:
    """The values that are there, the most frequent first; with false discovery (``fdr``) or
    family-wise (``fwer``) control.

    ``names`` are those of the codes in order; for RAPPOR they are the candidates, and must be
    given. Of a metric that estimates a mean there is that mean alone, from 0 at the first grid
    point to 1 at the last.
    """
    scheme = metric.scheme
    if isinstance(scheme, Rappor):
        # twice the same candidate would share its clients with itself
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
    return _list_values(estimates, np.flatnonzero(estimates.detect(control, level)), names)


def estimate_mean(estimates: Estimates) -> ValueEstimate:
    """The mean, where an estimate is the total of numbers from 0 to 1."""
    (low,), (high,) = estimates.intervals()
    total, error = estimates.counts[0], estimates.standard_errors[0]
    mean, stderr, start, end = (float(number) / estimates.n for number in (total, error, low, high))
    return ValueEstimate("mean", mean, stderr, start, end, None)


def _list_values(
    estimates: Estimates, codes: Integers, names: Sequence[str] | None
) -> list[ValueEstimate]:
    lows, highs = estimates.intervals()
    columns = estimates.counts, estimates.standard_errors, lows, highs, estimates.p_values
    ordered = codes[np.argsort(-estimates.counts[codes], kind="stable")].tolist()
    return [
        ValueEstimate(
            code if names is None else names[code], *(float(column[code]) for column in columns)
        )
        for code in ordered
    ]
