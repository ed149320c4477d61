"""The monitor of clients' privacy loss, metric by metric, on the collector's page.

A collector cannot see the loss of one client, because it does not know clients. It knows the cost
of a report and the epochs and parameter sets of the counted reports. From these it computes the
largest loss of a client by its cap, and the loss so far of a client that always answered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.local.accounting import sum_lifetime_epsilon
from hedgerow.local.metric import Metric

__all__ = ["SHOWN_CAPS", "MetricLoss", "compute_joint_epsilon", "compute_losses"]

SHOWN_CAPS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class MetricLoss:
    """The loss of a client in a metric: the number of epochs and of parameter sets with counted
    reports under its id, and the largest epsilon paid by a client that answered once in each of
    these epochs with the same value.
    """

    metric: Metric
    epoch_count: int
    parameter_sets: int
    paid_epsilon: float

    def to_dict(self) -> dict[str, Any]:
        """Return the loss for JSON; infinity is null."""
        caps = [
            {"cap": cap, "epsilon": finite_or_none(self.metric.lifetime_epsilon(cap))}
            for cap in SHOWN_CAPS
        ]
        return {
            "epochs": self.epoch_count,
            "rules": self.parameter_sets,
            "so_far": finite_or_none(self.paid_epsilon),
            "caps": caps,
        }


def compute_losses(present: Sequence[Metric], counted: Sequence[Metric]) -> list[MetricLoss]:
    """Compute the loss of each present metric from all counted metrics."""
    return [
        _compute_loss(metric, [other for other in counted if other.id == metric.id])
        for metric in present
    ]


def compute_joint_epsilon(present: Sequence[Metric], cap: int) -> float:
    """Return the largest epsilon of a client that takes part in all of these metrics, each with
    this cap.
    """
    return sum_lifetime_epsilon((metric, cap) for metric in present)


def finite_or_none(number: float) -> float | None:
    """Return the number, or None for infinity, which JSON cannot express."""
    return number if math.isfinite(number) else None


def _compute_loss(metric: Metric, counted: list[Metric]) -> MetricLoss:
    """Compute the loss of one metric: a memoised answer is paid for once, any other in each epoch,
    and new parameters draw new answers.
    """
    rules = {other.permanent_hash: other for other in counted}
    paid = (
        (
            rule,
            (
                1
                if rule.scheme.memoised
                else sum(other.permanent_hash == lasting for other in counted)
            ),
        )
        for lasting, rule in rules.items()
    )
    return MetricLoss(
        metric, len({other.epoch for other in counted}), len(rules), sum_lifetime_epsilon(paid)
    )
