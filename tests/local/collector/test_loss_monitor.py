"""The loss of clients, metric by metric."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from hedgerow.local.collector.loss_monitor import SHOWN_CAPS, compute_joint_epsilon, compute_losses
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, LongitudinalUnary, Rappor

COIN = Metric.of("coin", KAry.calibrate(domain=2, epsilon=1), epoch=5)
AGAIN = Metric.of("page", LongitudinalUnary.calibrate(domain=9, epsilon=1, lifetime=3))
NEVER = Metric.of("home", Rappor(k=32, h=2, m=4, f=0, p=16_384, q=49_152))


def test_a_report_in_each_epoch_is_paid_for_each_time_and_a_remembered_answer_once() -> None:
    counted = [replace(COIN, epoch=epoch) for epoch in (3, 4, 5)] + [
        replace(AGAIN, epoch=epoch) for epoch in range(10)
    ]
    coin, again = compute_losses([COIN, AGAIN], counted)
    assert (coin.epoch_count, coin.parameter_sets, again.epoch_count, again.parameter_sets) == (
        3,
        1,
        10,
        1,
    )
    assert coin.paid_epsilon == pytest.approx(3 * COIN.epsilon)
    assert coin.paid_epsilon >= 3 * COIN.scheme.epsilon
    assert again.paid_epsilon == AGAIN.lifetime_epsilon(1)


def test_new_rules_under_one_name_are_paid_for_anew() -> None:
    changed = Metric.of("page", LongitudinalUnary.calibrate(domain=9, epsilon=0.5, lifetime=2))
    (loss,) = compute_losses([changed], [AGAIN, changed, replace(changed, epoch=1), COIN])
    assert (loss.epoch_count, loss.parameter_sets) == (2, 2)
    assert loss.paid_epsilon == pytest.approx(
        AGAIN.lifetime_epsilon(1) + changed.lifetime_epsilon(1)
    )


def test_nothing_counted_is_nothing_given_away() -> None:
    (loss,) = compute_losses([COIN], [AGAIN])
    assert (loss.epoch_count, loss.parameter_sets, loss.paid_epsilon) == (0, 0, 0)


def test_for_programs() -> None:
    (loss,) = compute_losses([COIN], [COIN])
    told = loss.to_dict()
    assert told["caps"] == [
        {"cap": cap, "epsilon": COIN.lifetime_epsilon(cap)} for cap in SHOWN_CAPS
    ]
    assert (told["epochs"], told["rules"], told["so_far"]) == (1, 1, COIN.epsilon)
    (unbounded,) = compute_losses([NEVER], [NEVER])
    assert unbounded.to_dict()["so_far"] is None
    assert unbounded.to_dict()["caps"][0] == {"cap": 1, "epsilon": None}


def test_metrics_add_up() -> None:
    assert compute_joint_epsilon([COIN, AGAIN], 2) == pytest.approx(
        COIN.lifetime_epsilon(2) + AGAIN.lifetime_epsilon(2)
    )
    assert compute_joint_epsilon([COIN, NEVER], 1) == math.inf
