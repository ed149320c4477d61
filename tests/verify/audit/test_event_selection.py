"""The chosen event is the one with the largest bound, and its text says exactly what it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow.verify.audit.confidence import COIN_RULE, SPLIT_SHARES, HitCount, certify_epsilon
from hedgerow.verify.audit.event_selection import AuditEvent, choose_event
from hedgerow.verify.audit.features import Coordinate
from hedgerow.verify.audit.learned_scores import learn_scores
from hedgerow.verify.audit.outputs import read_outputs

OUTPUT = Coordinate(0, "output")


def test_best_half_line_against_brute_force() -> None:
    rng = np.random.default_rng(5)
    one, other = read_outputs(rng.integers(0, 30, 300)), read_outputs(rng.integers(5, 40, 300))
    event = choose_event((OUTPUT,), one, other, 0.05, 0.0)
    a, b = one.coordinate(0), other.coordinate(0)
    best = -math.inf
    for threshold in range(1, 40):
        for x, y in ((a >= threshold, b >= threshold), (a < threshold, b < threshold)):
            for likely, rare in ((x, y), (y, x)):
                counts = (likely.sum(), 300), (rare.sum(), 300)
                best = max(
                    best,
                    *(
                        float(certify_epsilon(*counts, 0.05, share=share))
                        for share in (COIN_RULE, *SPLIT_SHARES)
                    ),
                )
    counts = [HitCount(int(event.holds(outputs).sum()), 300) for outputs in (one, other)]
    assert event.bound(*counts, 0.05, 0.0) == pytest.approx(best)


@pytest.mark.parametrize(
    ("swap", "above"), [(False, True), (False, False), (True, True), (True, False)]
)
def test_direction_and_complement(swap: bool, above: bool) -> None:
    clear, mixed = (
        read_outputs([0 if above else 9] * 200),
        read_outputs([9 if above else 0] * 100 + [0 if above else 9] * 100),
    )
    one, other = (mixed, clear) if swap else (clear, mixed)
    event = choose_event((OUTPUT,), one, other, 0.05, 0.0)
    assert event.is_likelier_on_one == swap
    assert event.is_above == above
    assert event.description == ("output >= 9" if above else "output < 9")
    assert event.holds(mixed).sum() == 100
    assert not event.holds(clear).any()


def test_the_text_is_the_event() -> None:
    rng = np.random.default_rng(6)
    one, other = read_outputs(rng.laplace(size=2_000)), read_outputs(rng.laplace(size=2_000) + 1)
    event = choose_event((OUTPUT,), one, other, 1e-4, 0.0)
    _, sign, number = event.description.split()
    values = one.coordinate(0)
    assert np.array_equal(
        event.holds(one), values >= float(number) if sign == ">=" else values < float(number)
    )
    assert len(number) <= 9


def test_the_plainer_of_equal_events_is_chosen() -> None:
    one, other = read_outputs([0.5] * 100 + [1.5] * 300), read_outputs([0.5] * 300 + [1.5] * 100)
    assert choose_event(learn_scores(one, other), one, other, 0.05, 0.0).score == OUTPUT


def test_delta_leaves_the_coin_rule_out() -> None:
    one, other = read_outputs([0] * 500 + [1] * 500), read_outputs([0] * 900 + [1] * 100)
    assert choose_event((OUTPUT,), one, other, 0.05, 0.0).share == COIN_RULE
    with_delta = choose_event((OUTPUT,), one, other, 0.05, 0.01)
    assert with_delta.share in SPLIT_SHARES
    assert (
        0
        < with_delta.bound(HitCount(500, 1000), HitCount(100, 1000), 0.05, 0.01)
        < math.log(0.49 / 0.1)
    )


def test_nothing_to_find() -> None:
    one, other = read_outputs([3] * 50), read_outputs([3] * 50)
    event = choose_event((OUTPUT,), one, other, 0.05, 0.0)
    assert event.bound(HitCount(50, 50), HitCount(50, 50), 0.05, 0.0) <= 0


def test_bound_follows_the_direction() -> None:
    many, few = HitCount(90, 100), HitCount(10, 100)
    assert AuditEvent(OUTPUT, 1.0, True, True, COIN_RULE).bound(many, few, 0.05, 0.0) > 1
    assert AuditEvent(OUTPUT, 1.0, True, False, COIN_RULE).bound(many, few, 0.05, 0.0) < 0
