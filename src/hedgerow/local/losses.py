"""What clients give away, metric by metric: the monitor of lifetime loss on the collector's page.

A collector cannot see what one client has paid: it knows no clients. It knows what a report costs, and in how many epochs and under how
many rules it has counted. So it can say what a client gives away at most by its cap, and what one that always answered has given away so
far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.local.account import lifetime_epsilon
from hedgerow.local.spec import Metric

__all__ = ["CAPS", "Loss", "losses", "together"]

CAPS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Loss:
    """What a metric costs a client. ``counted``: in how many epochs something was counted under its id; ``rules``: under how many sets of
    parameters; ``so_far``: what a client gave away at most that answered once in each of these epochs, always with the same value."""

    metric: Metric
    counted: int
    rules: int
    so_far: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON; infinity is null."""
        caps = [{"cap": cap, "epsilon": finite(self.metric.lifetime_epsilon(cap))} for cap in CAPS]
        return {"epochs": self.counted, "rules": self.rules, "so_far": finite(self.so_far), "caps": caps}


def losses(present: Sequence[Metric], counted: Sequence[Metric]) -> list[Loss]:
    """For each present metric, given everything that was counted."""
    return [_loss(metric, [other for other in counted if other.id == metric.id]) for metric in present]


def together(present: Sequence[Metric], cap: int) -> float:
    """What a client gives away at most that takes part in all of these metrics, each with this cap."""
    return lifetime_epsilon((metric, cap) for metric in present)


def finite(number: float) -> float | None:
    """The number, or None for infinity, which JSON has not."""
    return number if math.isfinite(number) else None


def _loss(metric: Metric, counted: list[Metric]) -> Loss:
    """An answer that is remembered is paid for once, whatever the epochs; any other in each of them. New rules draw new answers."""
    rules = {other.lasting: other for other in counted}
    paid = ((rule, 1 if rule.scheme.memoised else sum(other.lasting == lasting for other in counted)) for lasting, rule in rules.items())
    return Loss(metric, len({other.epoch for other in counted}), len(rules), lifetime_epsilon(paid))
