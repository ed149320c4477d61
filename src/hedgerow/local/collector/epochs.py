"""The calendar of epochs: the collected metrics, and the epochs in which reports are accepted.

A batch names its metric by a hash that covers the epoch. The collector therefore knows the hashes
of the epochs around the present one, so that it can distinguish a client with a fast clock or a
long time offline from an unknown metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hedgerow.errors import InvalidArgument
from hedgerow.local.metric import LAST_EPOCH, Metric

__all__ = ["EpochCalendar"]

_RECOGNISED_EPOCHS = 1_000  # epochs before and after the present one that are recognised


class EpochCalendar:
    """Metrics, each in its present epoch; the ``late`` epochs before it are still open."""

    def __init__(self, metrics: Sequence[Metric], *, late: int = 1) -> None:
        names = [metric.id for metric in metrics]
        if not names or len(set(names)) < len(names):
            raise InvalidArgument(
                "metrics",
                "must be at least one, with distinct names and each in its present epoch only",
                names,
            )
        if not 0 <= late <= _RECOGNISED_EPOCHS:
            raise InvalidArgument("late", f"must be from 0 to {_RECOGNISED_EPOCHS:,} epochs", late)
        self.metrics, self.late = tuple(metrics), late
        self._epochs_by_hash: dict[bytes, tuple[Metric, int]] = {}
        for metric in metrics:
            for epoch in range(
                max(0, metric.epoch - _RECOGNISED_EPOCHS),
                min(metric.epoch + _RECOGNISED_EPOCHS, LAST_EPOCH) + 1,
            ):
                self._epochs_by_hash[replace(metric, epoch=epoch).hash] = (
                    metric,
                    epoch - metric.epoch,
                )

    def find(self, hash: bytes) -> tuple[Metric, int] | None:
        """Return the metric in the epoch that this hash names and its distance from the present
        epoch, or None if unknown.
        """
        found = self._epochs_by_hash.get(hash)
        if found is None:
            return None
        metric, ahead = found
        return replace(metric, epoch=metric.epoch + ahead), ahead

    def is_open(self, ahead: int) -> bool:
        """Return True if reports that are ``ahead`` epochs after the present one are counted."""
        return -self.late <= ahead <= 0
