"""Projective geometry response."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import Projective
from local import channel, pooled


def vectors(field: int, dimension: int) -> list[tuple[int, ...]]:
    """Those whose first entry other than 0 is 1, in the order of the numbers that they write."""
    return [v for v in product(range(field), repeat=dimension) if next((x for x in v if x), 0) == 1]


def orthogonal(u: tuple[int, ...], v: tuple[int, ...], field: int) -> bool:
    return sum(a * b for a, b in zip(u, v, strict=True)) % field == 0


def laws(scheme: Projective) -> list[channel.Law]:
    points, a = vectors(scheme.field, scheme.dimension), Fraction(scheme.truth, 65536)
    inside = sum(orthogonal(u, points[0], scheme.field) for u in points)
    near, far = a / inside, (1 - a) / (len(points) - inside)
    return [
        {
            bytes([place]): near if orthogonal(u, v, scheme.field) else far
            for place, u in enumerate(points)
        }
        for v in points[: scheme.domain]
    ]


SMALL = [
    Projective(7, 2, 3, 40000),
    Projective(13, 3, 3, 36000),
    Projective(11, 3, 3, 65000),
    Projective(4, 3, 2, 30000),
    Projective(31, 5, 3, 30000),
]


@pytest.mark.parametrize("scheme", SMALL, ids=str)
def test_ratios_stay_within_epsilon_and_reach_it(scheme: Projective) -> None:
    channel.check(scheme, laws(scheme))


@pytest.mark.parametrize("scheme", [*SMALL[:4], Projective(40, 3, 4, 38000)], ids=str)
def test_every_value_reports_by_its_law(scheme: Projective) -> None:
    assert min(channel.drawn(scheme, laws(scheme), 20_000)) > 1e-9
    assert channel.fit(scheme, 0, laws(scheme)[-1]) < 1e-9


@pytest.mark.parametrize(
    "scheme", [*SMALL, Projective(100, 2, 7, 40000), Projective(150, 7, 4, 30000)], ids=str
)
def test_support_is_counted_one_by_one(scheme: Projective) -> None:
    points = vectors(scheme.field, scheme.dimension)
    counts = (np.arange(len(points)) * 7919) % 13
    state = np.append(counts, counts.sum())
    naive = [
        sum(
            int(count)
            for u, count in zip(points, counts, strict=True)
            if orthogonal(u, v, scheme.field)
        )
        for v in points[: scheme.domain]
    ]
    assert scheme.count_support(state).tolist() == naive


@pytest.mark.parametrize(("epsilon", "loss"), [(0.5, 1.02), (1, 1.03), (2, 1.012), (3, 1.005)])
def test_variance_is_close_to_the_best(epsilon: float, loss: float) -> None:
    best = 4 * exp(epsilon) / (exp(epsilon) - 1) ** 2
    for domain in (1000, 100_000):
        scheme = Projective.calibrate(domain=domain, epsilon=epsilon)
        assert scheme.epsilon <= Fraction(str(epsilon))
        assert 0.97 * best < scheme.variance(0, 1) < loss * best
        assert scheme.record_size <= 3


def test_the_variance_at_a_hundred_thousand_values_is_2_4_percent_above_the_best() -> None:
    ratio = Projective.calibrate(domain=100_000, epsilon=1).variance(0, 1) / (
        4 * exp(1) / (exp(1) - 1) ** 2
    )
    assert ratio == pytest.approx(1.024, abs=0.001)


@pytest.mark.long
def test_squared_errors_are_the_variance() -> None:
    pooled.check(Projective.calibrate(domain=1000, epsilon=1), 100_000)


def test_a_hundred_thousand_values_are_decoded() -> None:
    scheme = Projective.calibrate(domain=100_000, epsilon=1)
    n = 200_000
    held = np.array([0, 1, 2, 777, 50_000, 99_999])
    found = scheme.estimate(scheme.aggregate(scheme.encode(held[np.arange(n) % 6])))
    assert np.flatnonzero(found.detect("fwer", 1e-9)).tolist() == held.tolist()
    assert np.abs(found.counts[held] - n / 6).max() < 6.5 * scheme.variance(1 / 6, n) ** 0.5
    rare = np.delete(found.counts, held)
    # 100,000 squared errors: 4 % is more than six standard deviations of their mean.
    assert (rare**2).mean() == pytest.approx(scheme.variance(0, n), rel=0.04)


def test_a_part_of_the_values_can_be_asked_for() -> None:
    scheme = Projective(100, 3, 5, 36000)
    state = scheme.aggregate(scheme.encode(np.arange(500) % 100))
    assert (
        scheme.estimate(state, [7, 3]).counts.tolist()
        == scheme.estimate(state).counts[[7, 3]].tolist()
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((5, 4, 3, 40000), "field must be a prime"),
        ((8, 2, 3, 40000), "8 values do not fit into 7 points"),
        ((5, 4093, 3, 40000), "within 16777216"),
        ((5, 3, 3, 100), "truth must be larger"),
        ((5, 3, 1, 40000), "dimension"),
        ((5, 1, 3, 40000), "field"),
        ((1, 3, 3, 40000), "domain"),
        ((5, 3, 3, 65536), "truth"),
    ],
)
def test_bad_parameters(parameters: tuple[int, int, int, int], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Projective(*parameters)


def test_a_domain_beyond_all_tables_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="use hadamard instead"):
        Projective.calibrate(domain=2**24, epsilon=1)


def test_a_report_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="not below 13; nothing was counted"):
        Projective(13, 3, 3, 40000).aggregate(np.array([[13]], dtype=np.uint8))
