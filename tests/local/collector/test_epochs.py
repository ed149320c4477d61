"""Epochs of batches: open, future, closed or unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.metric import LAST_EPOCH, Metric
from hedgerow.local.protocols import KAry

METRIC = Metric.of("colour", KAry(3, 40_000), epoch=5)
OTHER = Metric.of("shape", KAry(2, 40_000), epoch=20_000)


@pytest.mark.parametrize(
    ("ahead", "late", "opened"),
    [(0, 0, True), (-1, 0, False), (-1, 1, True), (-2, 1, False), (1, 1, False)],
)
def test_epochs_around_the_present_one(ahead: int, late: int, opened: bool) -> None:
    calendar = EpochCalendar([METRIC, OTHER], late=late)
    for metric in (METRIC, OTHER):
        then = replace(metric, epoch=metric.epoch + ahead)
        assert calendar.find(then.hash) == (then, ahead)
    assert calendar.is_open(ahead) is opened


def test_the_last_epoch_has_none_after_it() -> None:
    last = replace(METRIC, epoch=LAST_EPOCH)
    calendar = EpochCalendar([last])
    assert calendar.find(last.hash) == (last, 0)
    assert calendar.find(replace(last, epoch=LAST_EPOCH - 1_000).hash) == (
        replace(last, epoch=LAST_EPOCH - 1_000),
        -1_000,
    )


@pytest.mark.parametrize("epoch", [0, 1_005])
def test_epochs_within_the_search_distance_are_found(epoch: int) -> None:
    assert EpochCalendar([METRIC]).find(replace(METRIC, epoch=epoch).hash) == (
        replace(METRIC, epoch=epoch),
        epoch - 5,
    )


@pytest.mark.parametrize(
    "stranger",
    [
        replace(METRIC, epoch=1_006),
        replace(METRIC, id="color"),
        Metric.of("colour", KAry(3, 40_001), epoch=5),
        OTHER,
    ],
)
def test_other_metrics_are_unknown(stranger: Metric) -> None:
    assert EpochCalendar([METRIC]).find(stranger.hash) is None


def test_one_epoch_of_a_metric_is_the_present_one() -> None:
    for metrics in ([], [METRIC, METRIC], [METRIC, replace(METRIC, epoch=6)]):
        with pytest.raises(InvalidArgument, match="with distinct names"):
            EpochCalendar(metrics)
    for late in (-1, 1_001):
        with pytest.raises(InvalidArgument, match="late must be from 0 to 1,000"):
            EpochCalendar([METRIC], late=late)
