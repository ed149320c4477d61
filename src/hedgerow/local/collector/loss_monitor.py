"""What clients give away, metric by metric: the monitor of lifetime loss on the collector's page.

A collector cannot see what one client has paid: it knows no clients. It knows what a report costs,
and in how many epochs and under how many rules it has counted. So it can say what a client gives
away at most by its cap, and what one that always answered has given away so far.
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
    """What a metric costs a client. ``counted``: in how many epochs something was counted under its
    id; ``rules``: under how many sets of parameters; ``so_far``: what a client gave away at most
    that answered once in each of these epochs, always with the same value."""

    metric: Metric
    epoch_count: int
    parameter_sets: int
    paid_epsilon: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON; infinity is null."""
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
    """For each present metric, given everything that was counted."""
    return [
        _compute_loss(metric, [other for other in counted if other.id == metric.id])
        for metric in present
    ]


def compute_joint_epsilon(present: Sequence[Metric], cap: int) -> float:
    """What a client gives away at most that takes part in all of these metrics, each with this
    cap.
    """
    return sum_lifetime_epsilon((metric, cap) for metric in present)


def finite_or_none(number: float) -> float | None:
    """The number, or None for infinity, which JSON has not."""
    return number if math.isfinite(number) else None


def _compute_loss(metric: Metric, counted: list[Metric]) -> MetricLoss:
    """An answer that is remembered is paid for once, whatever the epochs; any other in each of
    them. New rules draw new answers.
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
