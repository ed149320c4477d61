"""What the counters of a metric tell: which values are there, how many clients hold each, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.estimates import Estimates
from hedgerow.local.protocols import Rappor
from hedgerow.local.spec import Metric
from hedgerow.numeric.chunk import Integers
from hedgerow.numeric.number import Number

__all__ = ["Finding", "findings", "mean_finding", "reports"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A value that is there: its estimated count, the ends of the 95 % interval, and how likely chance alone would look like this. A mean
    has the value "mean", and no chance to be absent."""

    value: Any
    estimate: float
    stderr: float
    low: float
    high: float
    p_value: float | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in ("value", "estimate", "stderr", "low", "high", "p_value")}


def reports(counters: Integers) -> int:
    """How many reports were counted: the last counter of every protocol."""
    return int(counters[-1])


def findings(
    metric: Metric, counters: Integers, *, names: Sequence[str] | None = None, control: str = "fdr", level: Number = 0.05
) -> list[Finding]:
    """The values that are there, the most frequent first; with false discovery (``fdr``) or family-wise (``fwer``) control.

    ``names`` are those of the codes in order; for RAPPOR they are the candidates, and must be given. Of a metric that estimates a mean
    there is that mean alone, from 0 at the first grid point to 1 at the last.
    """
    scheme = metric.scheme
    if isinstance(scheme, Rappor):
        names = None if names is None else list(dict.fromkeys(names))  # twice the same candidate would share its clients with itself
        estimates = scheme.estimate(counters, names, metric.lasting)
    else:
        estimates = scheme.estimate(counters)
        if len(estimates.counts) != scheme.domain:
            return [mean_finding(estimates)] if estimates.n else []
        if names is not None and len(names) != scheme.domain:
            raise InvalidArgument("names", f"must be as many as the metric has values, {scheme.domain:,}", len(names))
    return _listed(estimates, np.flatnonzero(estimates.detected(control, level)), names)


def mean_finding(estimates: Estimates) -> Finding:
    """The mean, where an estimate is the total of numbers from 0 to 1."""
    (low,), (high,) = estimates.intervals()
    total, error = estimates.counts[0], estimates.standard_errors[0]
    mean, stderr, start, end = (float(number) / estimates.n for number in (total, error, low, high))
    return Finding("mean", mean, stderr, start, end, None)


def _listed(estimates: Estimates, codes: Integers, names: Sequence[str] | None) -> list[Finding]:
    lows, highs = estimates.intervals()
    columns = estimates.counts, estimates.standard_errors, lows, highs, estimates.p_values
    ordered = codes[np.argsort(-estimates.counts[codes], kind="stable")].tolist()
    return [Finding(code if names is None else names[code], *(float(column[code]) for column in columns)) for code in ordered]
