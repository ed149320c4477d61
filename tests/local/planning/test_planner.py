"""Choosing a protocol and a number of clients."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.planning.planner import (
    choose_mean_protocol,
    choose_protocol,
    clients_needed,
    detectable_frequency,
)
from hedgerow.local.protocols import (
    Duchi,
    Hadamard,
    Hybrid,
    KAry,
    LongitudinalUnary,
    Piecewise,
    Projective,
    Unary,
)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 3, 4])
def test_randomised_response_beats_a_bit_for_each_value_below_3_e_epsilon_plus_2(
    epsilon: float,
) -> None:
    edge = 3 * exp(epsilon) + 2
    bits = Unary.optimised(domain=2, epsilon=epsilon).variance(0, 1)
    for domain in (2, int(edge * 0.9), int(edge * 1.1) + 1, int(3 * edge)):
        wins = KAry.calibrate(domain=domain, epsilon=epsilon).variance(0, 1) < bits
        assert wins == (domain < edge)
        assert isinstance(choose_protocol(domain=domain, epsilon=epsilon).scheme, KAry) == wins


def test_the_edge_at_epsilon_1_lies_between_10_and_11() -> None:
    assert isinstance(choose_protocol(domain=10, epsilon=1).scheme, KAry)
    assert not isinstance(choose_protocol(domain=11, epsilon=1).scheme, KAry)


def test_many_values() -> None:
    assert isinstance(choose_protocol(domain=100_000, epsilon=1).scheme, Projective)
    # beyond the tables, and a bit for each is too long
    assert isinstance(choose_protocol(domain=10**7, epsilon=1).scheme, Hadamard)
    assert isinstance(choose_protocol(domain=2**24, epsilon=1, report_bytes=10**7).scheme, Unary)
    assert isinstance(choose_protocol(domain=1000, epsilon=0.2).scheme, Hadamard)
    assert isinstance(choose_protocol(domain=255, epsilon=0.2, report_bytes=1).scheme, Projective)
    for domain in (50, 1000, 100_000):
        choice = choose_protocol(domain=domain, epsilon=0.7)
        assert choice.scheme.domain == domain
        assert choice.scheme.epsilon <= 0.7
        assert choice.scheme.variance(0, 1) < 1.1 * Unary.optimised(
            domain=domain, epsilon=0.7
        ).variance(0, 1)
        assert choice.reason


def test_repeated_reports_are_memoised() -> None:
    scheme = choose_protocol(domain=100, epsilon=1, repeats=True, lifetime=3).scheme
    assert isinstance(scheme, LongitudinalUnary)
    assert 2.9 < scheme.lifetime_epsilon <= 3
    assert 1.9 < choose_protocol(domain=100, epsilon=1, repeats=True).scheme.lifetime_epsilon <= 2


def test_reports_that_are_too_small() -> None:
    with pytest.raises(Unsupported, match=r"No protocol fits reports of 2 bytes\. Allow 3 bytes"):
        choose_protocol(domain=100_000, epsilon=1, report_bytes=2)
    with pytest.raises(Unsupported, match="Allow 13"):
        choose_protocol(domain=100, epsilon=1, repeats=True, report_bytes=3)
    with pytest.raises(InvalidArgument, match="report_bytes"):
        choose_protocol(domain=100, epsilon=1, report_bytes=0)


def test_a_lifetime_without_repeats_is_a_mistake() -> None:
    with pytest.raises(InvalidArgument, match="repeats=True"):
        choose_protocol(domain=100, epsilon=1, lifetime=3)


@pytest.mark.parametrize(("epsilon", "kind"), [(0.5, Duchi), (1, Hybrid), (4, Hybrid)])
def test_means(epsilon: float, kind: type) -> None:
    assert type(choose_mean_protocol(domain=1001, epsilon=epsilon).scheme) is kind


@pytest.mark.parametrize("frequency", [0.001, 0.01, 0.2])
@pytest.mark.parametrize(
    "scheme",
    [KAry(5, 20000), Projective.calibrate(domain=1000, epsilon=1)],
    ids=["k_ary", "projective"],
)
def test_clients_and_frequency_are_each_others_inverse(
    scheme: KAry | Projective, frequency: float
) -> None:
    clients = clients_needed(scheme, frequency)
    assert detectable_frequency(scheme, clients) == pytest.approx(frequency, rel=1e-3)
    assert detectable_frequency(scheme, clients - 1) > detectable_frequency(scheme, clients) * (
        1 - 1e-6
    )
    assert clients_needed(scheme, frequency, power=0.99) > clients
    assert clients_needed(scheme, frequency, level=0.001) > clients


def test_the_planned_number_of_clients_reaches_the_stated_power() -> None:
    scheme, frequency, rounds = Projective.calibrate(domain=100, epsilon=2), 0.1, 400
    n = clients_needed(scheme, frequency, power=0.8)
    values = np.where(np.arange(n) < frequency * n, 7, np.arange(n) % 50 + 50)
    seen = sum(
        bool(scheme.estimate(scheme.aggregate(scheme.encode(values))).detect("fwer", 0.05)[7])
        for _ in range(rounds)
    )
    assert abs(seen / rounds - 0.8) < 0.02 + 6.2 * (0.16 / rounds) ** 0.5


def test_too_few_clients_see_nothing() -> None:
    assert detectable_frequency(KAry(2, 100), 1) == float("inf")


@pytest.mark.parametrize(
    "scheme",
    [Duchi(5, 30000), Piecewise(5, 2, 40000), Hybrid(5, 2, 40000, 30000, 5)],
    ids=lambda scheme: scheme.name,
)
def test_a_mean_has_no_values_to_see(scheme: Duchi) -> None:
    for ask in (lambda: clients_needed(scheme, 0.1), lambda: detectable_frequency(scheme, 100)):
        with pytest.raises(InvalidArgument, match="must count values"):
            ask()


def test_bad_input() -> None:
    for frequency in (0, 1, -1):
        with pytest.raises(InvalidArgument, match="frequency"):
            clients_needed(KAry(2, 100), frequency)
    with pytest.raises(InvalidArgument, match="too small"):
        clients_needed(KAry(2, 1), 1e-9)
    with pytest.raises(InvalidArgument, match="clients"):
        detectable_frequency(KAry(2, 100), 0)
    with pytest.raises(InvalidArgument, match="power"):
        clients_needed(KAry(2, 100), 0.5, power=1)
