"""k-ary randomised response."""

from __future__ import annotations

from fractions import Fraction
from math import e, exp, log

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import KAry
from local import channel, pooled


def laws(scheme: KAry) -> list[channel.Law]:
    r, k = Fraction(scheme.truth, 65536), scheme.domain
    return [{bytes([y]): (1 - r) / k + (r if y == v else 0) for y in range(k)} for v in range(k)]


def test_a_fair_coin_for_two_values_costs_the_logarithm_of_three() -> None:
    epsilon = KAry(2, 32768).epsilon
    assert log(3) <= epsilon < log(3) + 1e-12
    assert KAry(2, 32768).lifetime_epsilon == epsilon


@pytest.mark.parametrize(
    "scheme", [KAry(2, 32768), KAry(3, 1), KAry(5, 20000), KAry(7, 65535)], ids=str
)
def test_ratios_stay_within_epsilon_and_reach_it(scheme: KAry) -> None:
    channel.check(scheme, laws(scheme))


def test_reports_follow_the_law() -> None:
    channel.holds(KAry(5, 20000), laws(KAry(5, 20000)))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 5, 11])
@pytest.mark.parametrize("domain", [2, 10, 300])
def test_calibrated_is_within_epsilon_and_the_most_there_is(domain: int, epsilon: float) -> None:
    scheme = KAry.calibrate(domain=domain, epsilon=epsilon)
    assert scheme.epsilon <= Fraction(str(epsilon))
    assert scheme.truth == 65535 or KAry(domain, scheme.truth + 1).epsilon > Fraction(str(epsilon))


@pytest.mark.parametrize(
    ("domain", "epsilon", "expected"),
    [(10, 1, 3.63), (1000, 2, 24.6), (10, 0.5, 22.9), (10, 3, 0.0771)],
)
def test_variance_is_the_known_one(domain: int, epsilon: float, expected: float) -> None:
    exact = (exp(epsilon) + domain - 2) / (exp(epsilon) - 1) ** 2
    assert exact == pytest.approx(expected, rel=0.002)
    # A truth of so few 1/65536 is a little less than epsilon allows.
    assert KAry.calibrate(domain=domain, epsilon=epsilon).variance(0, 1) == pytest.approx(
        exact, rel=0.02
    )


def test_variance_of_a_frequent_value_counts_its_holders() -> None:
    scheme, n, f = KAry(4, 30000), 1000, 0.3
    p, q = float(scheme.own_support), float(scheme.other_support)
    assert scheme.variance(f, n) == pytest.approx(
        n * q * (1 - q) / (p - q) ** 2 + n * f * (1 - p - q) / (p - q)
    )


@pytest.mark.long
def test_squared_errors_are_the_variance() -> None:
    pooled.check(KAry.calibrate(domain=1000, epsilon=1), 100_000)


@pytest.mark.parametrize(
    ("domain", "record"), [(2, 1), (256, 1), (257, 2), (65536, 2), (65537, 3), (1 << 24, 3)]
)
def test_a_report_has_as_many_bytes_as_the_domain_needs(domain: int, record: int) -> None:
    scheme = KAry(domain, 65535)
    assert scheme.record_size == record
    assert scheme.encode([domain - 1, 0]).shape == (2, record)


def test_codes_come_back_through_the_bytes() -> None:
    scheme = KAry(70000, 65535)
    state = scheme.aggregate(np.array([[0, 0, 5], [1, 0x11, 0x6F], [0, 1, 0]], dtype=np.uint8))
    assert [int(code) for code in np.flatnonzero(state[:-1])] == [5, 256, 69999]
    assert state[-1] == 3
    assert state.dtype == np.int64


def test_states_add_up() -> None:
    scheme = KAry(3, 40000)
    records = scheme.encode([0, 1, 2, 0, 1])
    assert (
        scheme.aggregate(records[:2]) + scheme.aggregate(records[2:]) == scheme.aggregate(records)
    ).all()


@pytest.mark.parametrize(
    ("domain", "truth"), [(1, 5), (2**24 + 1, 5), (2, 0), (2, 65536), (2, True), (2.0, 5), (2, 0.5)]
)
def test_bad_parameters(domain: object, truth: object) -> None:
    with pytest.raises(InvalidArgument):
        KAry(domain, truth)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0, -1, e**3, 1e-6])
def test_bad_epsilon(epsilon: float) -> None:
    with pytest.raises(InvalidArgument, match="epsilon"):
        KAry.calibrate(domain=2, epsilon=epsilon)


def test_a_report_out_of_range_is_refused_and_not_quoted() -> None:
    with pytest.raises(InvalidArgument, match="nothing was counted") as told:
        KAry(5, 100).aggregate(np.array([[1], [201]], dtype=np.uint8))
    assert "201" not in str(told.value)


@pytest.mark.parametrize("values", [[5], [-1], [0.5], [[1]], ["a"]])
def test_values_out_of_range_are_refused(values: object) -> None:
    with pytest.raises(InvalidArgument, match="values must be a list"):
        KAry(5, 100).encode(values)
