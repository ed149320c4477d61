"""The tests of fit see what they should, and do not see what is not there."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.verify.laws.goodness_of_fit import (
    bound_spread_probability,
    compute_agreement_p_value,
    compute_power,
    measure_fit,
)
from hedgerow.verify.laws.integer_distribution import IntegerDistribution, make_points

ALARM = 1e-9
Additive = type[Laplace] | type[Gaussian]


def law_of(mechanism: Laplace | Gaussian) -> IntegerDistribution:
    return IntegerDistribution.from_logs(make_points(0), mechanism.log_prob(make_points(0), 0))


def drawn(mechanism: Laplace | Gaussian, count: int) -> np.ndarray:
    noise: np.ndarray = mechanism.sample(np.zeros(count, dtype=np.int64))
    return noise


@pytest.mark.parametrize("scale", [0.3, 1, 7.5, 1000, 10**9], ids=str)
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_good_draws_fit(kind: Additive, scale: float) -> None:
    assert measure_fit(drawn(kind(scale), 100_000), law_of(kind(scale))).p_value > ALARM


@pytest.mark.parametrize("scale", [0.3, 1, 7.5, 1000, 10**9], ids=str)
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@pytest.mark.parametrize("off", [Fraction(49, 50), Fraction(51, 50)], ids=["narrow", "wide"])
def test_a_scale_two_percent_off_does_not(kind: Additive, scale: float, off: Fraction) -> None:
    law, truth = law_of(kind(scale)), kind(Fraction(str(scale)) * off)
    count = 500_000
    assert compute_power(law, law_of(truth), count, ALARM) > 0.9999
    assert measure_fit(drawn(truth, count), law).p_value < ALARM


def test_power_is_the_frequency_of_alarms() -> None:
    law, truth = law_of(Laplace(Fraction(2))), Laplace(Fraction(21, 10))
    count, runs, alarm = 5000, 300, 1e-3
    caught = sum(
        bound_spread_probability(
            law, float(np.mean(Laplace(Fraction(2)).log_prob(drawn(truth, count), 0))), count
        )
        <= alarm / 3
        for _ in range(runs)
    )
    expected = compute_power(law, law_of(truth), count, alarm)
    assert 0.2 < expected < 0.8
    assert abs(caught / runs - expected) < 0.2  # seven standard deviations


def test_false_alarms_stay_below_their_rate() -> None:
    law, runs = law_of(Laplace(Fraction(3))), 400
    # of 4: but for 10^-7
    assert (
        sum(measure_fit(drawn(Laplace(Fraction(3)), 2000), law).p_value < 0.01 for _ in range(runs))
        <= 18
    )


def test_the_impossible_is_seen_once() -> None:
    law = law_of(Laplace(Fraction(1)))
    draws = drawn(Laplace(Fraction(1)), 10_000)
    draws[17] = 10**6
    assert measure_fit(draws, law).p_value == 0
    holes = IntegerDistribution(np.array([0, 1, 2]), np.log([0.5, 1e-300, 0.5]))
    assert measure_fit(np.repeat([0, 2], 500), holes).p_value > ALARM
    assert measure_fit(np.append(np.repeat([0, 2], 500), 1), holes).p_value < ALARM


def test_even_noise_on_a_fine_grid_is_seen() -> None:
    law = law_of(Laplace(Fraction(10**6)))
    assert measure_fit(2 * drawn(Laplace(Fraction(5 * 10**5)), 20_000), law).p_value < ALARM


def test_nothing_can_be_said_of_noise_that_hardly_is() -> None:
    law = law_of(Laplace(Fraction(1, 20)))
    found = measure_fit(drawn(Laplace(Fraction(1, 20)), 10_000), law)
    assert found.degrees_of_freedom == 0
    assert found.p_value > ALARM
    assert str(found) == "chi-square 0.0 on 0 degrees of freedom"


@pytest.mark.parametrize("chance", [0.0, 0.01, 0.3, 1.0])
def test_agreement_is_exact(chance: float) -> None:
    n = 30
    law = [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]
    for hits in range(n + 1):
        assert compute_agreement_p_value(hits, n, chance) == pytest.approx(
            min(1, 2 * min(sum(law[: hits + 1]), sum(law[hits:]))), abs=1e-12
        )
