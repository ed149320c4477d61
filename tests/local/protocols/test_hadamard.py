"""Hadamard response."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import Hadamard
from hedgerow.local.protocols.hadamard import hadamard_transform
from local import channel, pooled


def laws(scheme: Hadamard) -> list[channel.Law]:
    p, order = Fraction(scheme.keep, 65536), scheme.order
    return [
        {
            bytes([2 * j + bit]): (p if bit == (j & v).bit_count() % 2 else 1 - p) / order
            for j in range(order)
            for bit in (0, 1)
        }
        for v in range(scheme.domain)
    ]


@pytest.mark.parametrize(
    "scheme", [Hadamard(2, 40000), Hadamard(5, 50000), Hadamard(8, 65535)], ids=str
)
def test_reports_follow_a_law_whose_ratios_reach_epsilon(scheme: Hadamard) -> None:
    channel.check(scheme, laws(scheme))
    assert min(channel.drawn(scheme, laws(scheme), 20_000)) > 1e-9


def test_another_law_is_refused() -> None:
    channel.holds(Hadamard(4, 50000), laws(Hadamard(4, 50000)))


def test_three_quarters_cost_the_logarithm_of_three() -> None:
    assert log(3) <= Hadamard(2, 49152).epsilon < log(3) + 1e-12


@pytest.mark.parametrize(("epsilon", "known"), [(0.5, 16.7), (1, 4.68), (2, 1.72), (3, 1.22)])
def test_variance_is_the_known_one(epsilon: float, known: float) -> None:
    exact = ((exp(epsilon) + 1) / (exp(epsilon) - 1)) ** 2
    assert exact == pytest.approx(known, rel=0.005)
    scheme = Hadamard.calibrate(domain=100, epsilon=epsilon)
    assert scheme.epsilon <= Fraction(str(epsilon))
    assert scheme.variance(0, 1) == pytest.approx(exact, rel=0.001)
    assert scheme.variance(0.25, 8) == pytest.approx(8 * scheme.variance(0, 1) - 2)


def test_transform_is_its_definition() -> None:
    numbers = np.array([3, -1, 4, 1, -5, 9, 2, 6])
    naive = [
        sum(int(x) * (-1) ** (j & v).bit_count() for j, x in enumerate(numbers)) for v in range(8)
    ]
    assert hadamard_transform(numbers).tolist() == naive
    assert numbers.tolist() == [3, -1, 4, 1, -5, 9, 2, 6]


def test_support_is_counted_one_by_one() -> None:
    scheme = Hadamard(6, 50000)
    records = scheme.encode(np.arange(600) % 6)
    agreeing = [
        sum(int(report) % 2 == (int(report) // 2 & v).bit_count() % 2 for report in records[:, 0])
        for v in range(6)
    ]
    assert scheme.count_support(scheme.aggregate(records)).tolist() == agreeing


@pytest.mark.long
def test_squared_errors_are_the_variance() -> None:
    pooled.check(Hadamard.calibrate(domain=1000, epsilon=1), 100_000)


def test_sizes() -> None:
    assert [
        (Hadamard(d, 40000).order, Hadamard(d, 40000).record_size) for d in (2, 128, 129, 100_000)
    ] == [
        (2, 1),
        (128, 1),
        (256, 2),
        (131072, 3),
    ]
    assert Hadamard(129, 40000).counter_count == 257


@pytest.mark.parametrize(("domain", "keep"), [(1, 40000), (2, 32768), (2, 65536), (2, 0.7)])
def test_bad_parameters(domain: int, keep: int) -> None:
    with pytest.raises(InvalidArgument):
        Hadamard(domain, keep)


def test_a_report_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="nothing was counted"):
        Hadamard(4, 40000).aggregate(np.array([[8]], dtype=np.uint8))
