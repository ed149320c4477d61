"""Unary encodings: symmetric, optimised, memoised."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log, prod

import numpy as np
import pytest

from goodness import ALARM, chi_square
from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import LongitudinalUnary, Unary
from local import channel, pooled


def laws(scheme: Unary | LongitudinalUnary, own: Fraction, other: Fraction) -> list[channel.Law]:
    def chance(bits: tuple[int, ...], value: int) -> Fraction:
        one = [own if place == value else other for place in range(scheme.domain)]
        return Fraction(prod((p if bit else 1 - p) for bit, p in zip(bits, one, strict=True)))

    every = list(product((0, 1), repeat=scheme.domain))
    return [
        {np.packbits(np.array(bits, dtype=np.uint8)).tobytes(): chance(bits, v) for bits in every}
        for v in range(scheme.domain)
    ]


@pytest.mark.parametrize(
    "scheme", [Unary(3, 32768, 17000), Unary(5, 40000, 25536), Unary(2, 20000, 60000)], ids=str
)
def test_reports_follow_a_law_whose_ratios_reach_epsilon(scheme: Unary) -> None:
    channel.holds(scheme, laws(scheme, Fraction(scheme.one, 65536), Fraction(scheme.zero, 65536)))


def test_reports_of_two_bytes_follow_the_law() -> None:
    scheme = Unary(9, 40000, 25536)
    both = laws(scheme, Fraction(40000, 65536), Fraction(25536, 65536))
    assert channel.fit(scheme, 8, both[8]) > ALARM
    assert channel.fit(scheme, 8, both[7]) < ALARM


def test_memoised_reports_follow_a_law_whose_ratios_reach_epsilon() -> None:
    scheme = LongitudinalUnary(3, 32768, 8000, 52000, 13536)
    first, second = (
        [Fraction(n, 65536) for n in (32768, 8000)],
        [Fraction(n, 65536) for n in (52000, 13536)],
    )
    own, other = (p * second[0] + (1 - p) * second[1] for p in first)
    channel.holds(scheme, laws(scheme, own, other))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 3, 5])
def test_calibrated_stays_within_epsilon(epsilon: float) -> None:
    wish = Fraction(str(epsilon))
    for scheme in (
        Unary.optimised(domain=10, epsilon=epsilon),
        Unary.symmetric(domain=10, epsilon=epsilon),
    ):
        assert wish * Fraction(98, 100) < scheme.epsilon <= wish
        assert scheme.lifetime_epsilon == scheme.epsilon
    memoised = LongitudinalUnary.calibrate(domain=10, epsilon=epsilon, lifetime=2 * epsilon)
    assert wish * Fraction(98, 100) < memoised.epsilon <= wish
    assert wish * Fraction(98, 100) < memoised.lifetime_epsilon / 2 <= wish


@pytest.mark.parametrize(
    ("epsilon", "symmetric", "optimised"),
    [(0.5, 15.9, 15.67), (1, 3.92, 3.68), (2, 0.92, 0.724), (3, 0.370, 0.2206)],
)
def test_variances_are_the_known_ones(epsilon: float, symmetric: float, optimised: float) -> None:
    assert 4 * exp(epsilon) / (exp(epsilon) - 1) ** 2 == pytest.approx(optimised, rel=0.002)
    assert exp(epsilon / 2) / (exp(epsilon / 2) - 1) ** 2 == pytest.approx(symmetric, rel=0.004)
    assert Unary.optimised(domain=10, epsilon=epsilon).variance(0, 1) == pytest.approx(
        4 * exp(epsilon) / (exp(epsilon) - 1) ** 2, rel=0.002
    )
    assert Unary.symmetric(domain=10, epsilon=epsilon).variance(0, 1) == pytest.approx(
        exp(epsilon / 2) / (exp(epsilon / 2) - 1) ** 2, rel=0.002
    )
    # Repeating costs no accuracy at the same epsilon of one report, whatever the lifetime.
    for lifetime in (1.2 * epsilon, 3 * epsilon):
        memoised = LongitudinalUnary.calibrate(domain=10, epsilon=epsilon, lifetime=lifetime)
        assert memoised.variance(0, 1) == pytest.approx(
            4 * exp(epsilon) / (exp(epsilon) - 1) ** 2, rel=0.002
        )


def test_lifetime_is_the_loss_of_the_permanent_answer() -> None:
    scheme = LongitudinalUnary(4, 32768, 6553, 50000, 15536)
    assert float(scheme.lifetime_epsilon) == pytest.approx(
        log((1 - 6553 / 65536) / (6553 / 65536)), abs=1e-11
    )
    assert scheme.epsilon < scheme.lifetime_epsilon
    assert scheme.memoised
    assert not Unary(4, 5, 6).memoised


def test_permanent_answers_link_reports_and_fresh_ones_do_not() -> None:
    scheme = LongitudinalUnary(2, 32768, 8192, 60000, 5536)
    kept = scheme.permanent_response(np.zeros(40_000, dtype=np.int64))
    first, second = (
        scheme.instantaneous_response(kept)[:, 0] >> 7,
        scheme.instantaneous_response(kept)[:, 0] >> 7,
    )
    p, q, half = Fraction(60000, 65536), Fraction(5536, 65536), Fraction(1, 2)
    both = [
        half * (1 - p) ** 2 + half * (1 - q) ** 2,
        half * 2 * p * (1 - p) + half * 2 * q * (1 - q),
        half * p**2 + half * q**2,
    ]
    assert chi_square(np.bincount(first + second, minlength=3), [float(x) for x in both]) > ALARM
    # own is 1/2: two independent reports would be two fair coins
    apart = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    again = scheme.encode(np.zeros(40_000, dtype=np.int64))[:, 0] >> 7
    assert chi_square(np.bincount(first + again, minlength=3), [float(x) for x in apart]) > ALARM
    assert chi_square(np.bincount(first + second, minlength=3), [float(x) for x in apart]) < ALARM


@pytest.mark.long
@pytest.mark.parametrize(
    "scheme",
    [
        Unary.optimised(domain=1000, epsilon=1),
        Unary.symmetric(domain=1000, epsilon=1),
        LongitudinalUnary.calibrate(domain=1000, epsilon=1, lifetime=2),
    ],
    ids=["optimised", "symmetric", "longitudinal"],
)
def test_squared_errors_are_the_variance(scheme: Unary | LongitudinalUnary) -> None:
    pooled.check(scheme, 25_000)


def test_bits_stand_in_order_from_the_highest() -> None:
    state = Unary(10, 5, 6).aggregate(
        np.array([[0b1000_0000, 0b0100_0000], [0b1000_0001, 0]], dtype=np.uint8)
    )
    assert state.tolist() == [2, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2]


def test_a_bit_after_the_last_value_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="zeros after the last bit; nothing was counted"):
        Unary(10, 5, 6).aggregate(np.array([[0, 0b0010_0000]], dtype=np.uint8))
    with pytest.raises(InvalidArgument, match="zeros after the last bit"):
        LongitudinalUnary(10, 5, 6, 7, 8).instantaneous_response(np.array([[0, 1]], dtype=np.uint8))


def test_where_a_zero_is_the_evidence_estimates_are_as_good() -> None:
    scheme = Unary(4, 17000, 48536)
    found = scheme.estimate(scheme.aggregate(scheme.encode(np.zeros(50_000, dtype=np.int64))))
    assert abs(found.counts[0] - 50_000) < 6.2 * scheme.variance(1, 50_000) ** 0.5
    assert found.detect("fwer", 1e-9).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    "parameters", [(1, 5, 6), (2, 5, 5), (2, 0, 5), (2, 5, 65536), (2, 5.0, 6)]
)
def test_bad_parameters(parameters: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidArgument):
        Unary(*parameters)


@pytest.mark.parametrize(
    "parameters", [(1, 5, 6, 7, 8), (2, 5, 5, 7, 8), (2, 5, 6, 7, 7), (2, 5, 6, 0, 8)]
)
def test_bad_longitudinal_parameters(parameters: tuple[int, int, int, int, int]) -> None:
    with pytest.raises(InvalidArgument):
        LongitudinalUnary(*parameters)


def test_one_report_must_cost_less_than_all() -> None:
    with pytest.raises(InvalidArgument, match="below the lifetime"):
        LongitudinalUnary.calibrate(domain=4, epsilon=1, lifetime=1)
