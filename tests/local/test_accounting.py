"""Shuffled batches and lifetimes, against slow sums over everything that can happen."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, exp, inf, log

import numpy as np
import pytest
from scipy.special import ndtr

from hedgerow.errors import InvalidArgument
from hedgerow.local import Metric
from hedgerow.local.accounting import (
    EQUIDISTANT_PROTOCOLS,
    SHOWN_CAPS,
    SHUFFLING_CONDITIONS,
    compute_joint_epsilon,
    compute_losses,
    compute_shuffled_delta,
    compute_shuffled_epsilon,
    sum_lifetime_epsilon,
)
from hedgerow.local.protocols import (
    Hadamard,
    KAry,
    LocalProtocol,
    LongitudinalUnary,
    Piecewise,
    Projective,
    Rappor,
    Unary,
)


def reference(p: float, c: float, r: float, n: int, epsilon: float) -> float:
    """The expectation of the statement, summed over everything."""
    total = 0.0
    for m in range(n):
        size = m + 1
        for x in range(size + 1):
            for y in range(size + 1 - x):
                z = size - x - y
                gain = (p * x + y + p * z) - exp(epsilon) * (x + p * y + p * z)
                if gain > 0:
                    among = comb(size, x) * comb(size - x, y) * r ** (x + y) * (1 - 2 * r) ** z
                    chance = comb(n - 1, m) * c**m * (1 - c) ** (n - 1 - m)
                    total += chance * among * gain / (size * (p - (p - 1) * r))
    return total


def parameters(scheme: LocalProtocol) -> tuple[float, float, float]:
    p, b = exp(float(scheme.epsilon)), float(scheme.total_variation)
    return (
        (p, (1 + b) / p, b * p / ((p - 1) * (1 + b)))
        if isinstance(scheme, EQUIDISTANT_PROTOCOLS)
        else (p, 1 / p, 0.5)
    )


def batch(scheme: KAry, values: list[int]) -> dict[tuple[int, ...], Fraction]:
    """The exact law of the shuffled reports: how often each value was reported."""
    r, k = Fraction(scheme.truth, 65536), scheme.domain
    law = {(0,) * k: Fraction(1)}
    for value in values:
        following: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for counts, mass in law.items():
            for y in range(k):
                more = tuple(count + (place == y) for place, count in enumerate(counts))
                following[more] += mass * ((1 - r) / k + (r if y == value else 0))
        law = dict(following)
    return law


SCHEMES: list[LocalProtocol] = [
    KAry(2, 32768),
    KAry(50, 8000),
    Unary.optimised(domain=5, epsilon=1),
    Unary.symmetric(domain=5, epsilon=3),
    Projective.calibrate(domain=50, epsilon=2),
    Hadamard.calibrate(domain=5, epsilon=0.5),
    Piecewise.calibrate(domain=20, epsilon=1),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_delta_is_the_divergence_of_the_statement(scheme: LocalProtocol) -> None:
    for n in (1, 2, 7, 25):
        for epsilon in (0.0, 0.1, 0.4, float(scheme.epsilon) * 0.95):
            slow, found = (
                reference(*parameters(scheme), n, epsilon),
                compute_shuffled_delta(scheme, n, epsilon, 1e-15),
            )
            assert slow <= found * (1 + 1e-12) + 1e-16
            assert found == pytest.approx(slow, rel=0.0011, abs=2e-15)


@pytest.mark.parametrize(
    ("scheme", "n"),
    [(KAry(2, 32768), 7), (KAry(3, 40000), 6), (KAry(3, 15000), 6), (KAry(4, 30000), 4)],
)
def test_no_batch_gives_away_more(scheme: KAry, n: int) -> None:
    for epsilon in (0.05, 0.3, 0.8):
        bound = compute_shuffled_delta(scheme, n, epsilon)
        for others in combinations_with_replacement(range(scheme.domain), n - 1):
            one, two = batch(scheme, [0, *others]), batch(scheme, [1, *others])
            assert (
                float(sum(max(Fraction(0), one[y] - Fraction(exp(epsilon)) * two[y]) for y in one))
                <= bound
            )


@pytest.mark.long
def test_epsilon_is_where_delta_is_met() -> None:
    for scheme in SCHEMES:
        for n, delta in ((1000, 1e-6), (100_000, 1e-9)):
            epsilon = compute_shuffled_epsilon(scheme, n, delta)
            assert compute_shuffled_delta(scheme, n, epsilon, delta * 1e-3) <= delta
            assert compute_shuffled_delta(scheme, n, epsilon * 0.995, 1e-18) > delta


def test_many_clients_approach_the_normal_law() -> None:
    # With r = 1/2 and two values half the others draw a fair coin: a shift of 1/2 against a
    # deviation of sqrt(n/8).
    n, delta = 10**7, 1e-8
    mu, grid = 0.5 / (n / 8) ** 0.5, np.linspace(2, 6, 400_001)
    epsilon = grid * mu
    curve = ndtr(-epsilon / mu + mu / 2) - np.exp(epsilon) * ndtr(-epsilon / mu - mu / 2)
    expected = epsilon[np.flatnonzero(curve <= delta)[0]]
    assert compute_shuffled_epsilon(KAry(2, 32768), n, delta) == pytest.approx(expected, rel=0.003)


@pytest.mark.long
def test_alone_nobody_hides_and_in_company_better_and_better() -> None:
    scheme = KAry(10, 30000)
    found = [compute_shuffled_epsilon(scheme, n, 1e-6) for n in (1, 100, 10_000, 1_000_000)]
    assert found[0] == Metric.of("a", scheme).epsilon
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0] / 100
    assert compute_shuffled_epsilon(scheme, 10**9, 1e-6) == compute_shuffled_epsilon(
        scheme, 10**8, 1e-6
    )


@pytest.mark.parametrize(("domain", "truth"), [(10, 20_000), (10, 30_000), (2, 32_768), (3, 8_000)])
def test_a_single_client_loses_no_less_than_one_report(domain: int, truth: int) -> None:
    """Of all these the float nearest to epsilon is below it."""
    scheme = KAry(domain, truth)
    assert float(scheme.epsilon) < scheme.epsilon
    assert (
        scheme.epsilon
        <= compute_shuffled_epsilon(scheme, 1, 1e-6)
        == pytest.approx(float(scheme.epsilon), rel=1e-5)
    )


def test_many_values_hide_better_than_two_at_the_same_epsilon() -> None:
    few, many = (KAry.calibrate(domain=domain, epsilon=2) for domain in (2, 100))
    assert (
        compute_shuffled_epsilon(many, 10_000, 1e-8)
        < compute_shuffled_epsilon(few, 10_000, 1e-8) / 1.5
    )


def test_lifetimes_add() -> None:
    plain, memoised = (
        Metric.of("a", KAry(2, 32768)),
        Metric.of("b", LongitudinalUnary(4, 32768, 6553, 50000, 15536)),
    )
    assert sum_lifetime_epsilon([(plain, 3), (memoised, 2)]) == pytest.approx(
        3 * log(3) + 2 * log((65536 - 6553) / 6553)
    )
    assert sum_lifetime_epsilon([]) == 0
    odd = Metric.of("c", KAry(2, 20000))
    # added up as floats it would be too little
    assert sum(odd.lifetime_epsilon(1) for _ in range(3)) < 3 * Fraction(odd.epsilon)
    assert sum_lifetime_epsilon([(odd, 1)] * 3) >= 3 * Fraction(odd.epsilon)
    assert (
        sum_lifetime_epsilon(
            [(plain, 1), (Metric.of("home", Rappor(8, 1, 1, 0, 10_000, 50_000)), 1)]
        )
        == inf
    )


def test_conditions_are_stated() -> None:
    assert any("one report" in condition for condition in SHUFFLING_CONDITIONS)
    assert any("cohort" in condition for condition in SHUFFLING_CONDITIONS)


@pytest.mark.parametrize(("n", "delta"), [(0, 1e-6), (1.5, 1e-6), (10, 0), (10, 1), (10, 1e-250)])
def test_bad_input(n: int, delta: float) -> None:
    with pytest.raises(InvalidArgument):
        compute_shuffled_epsilon(KAry(2, 5), n, delta)


def test_a_negative_epsilon_is_refused() -> None:
    for epsilon in (-0.1, float("nan")):
        with pytest.raises(InvalidArgument, match="epsilon"):
            compute_shuffled_delta(KAry(2, 5), 5, epsilon)


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
    assert compute_joint_epsilon([COIN, NEVER], 1) == inf
