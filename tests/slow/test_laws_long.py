"""The laws with millions of draws, how often they accuse, and the precision attack with a
million releases a side.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import (
    Gaussian,
    Laplace,
    NoisyMax,
    ProposeTestRelease,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.verify.audit.confidence import certify_epsilon
from hedgerow.verify.laws import LawBroken, check_mechanism
from hedgerow.verify.laws.goodness_of_fit import measure_fit
from hedgerow.verify.laws.integer_distribution import IntegerDistribution, make_points
from mechanisms import helpers_precision_attack as attack
from verify.laws import planted, planted_worlds
from verify.laws.good import GOOD


@pytest.mark.parametrize(("mechanism", "sensitivity"), GOOD, ids=[str(m)[:60] for m, _ in GOOD])
def test_good_mechanisms_keep_all_laws_over_millions_of_draws(
    mechanism: Any, sensitivity: Any
) -> None:
    assert len(check_mechanism(mechanism, sensitivity, draws=1_000_000).findings) == 12


@pytest.mark.parametrize("grid", [2**-30, None], ids=["2^-30", "default"])
@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
def test_the_precision_attack_on_a_million_releases(epsilon: float, grid: float | None) -> None:
    laplace = Laplace.calibrate(sensitivity=1.5, epsilon=epsilon, grid=grid)
    gaussian = Gaussian.calibrate(sensitivity=1.5, epsilon=epsilon, delta=1e-6, grid=grid)
    assert attack.precision(laplace, 1_000_000) <= epsilon
    assert attack.precision(gaussian, 1_000_000, delta=1e-6) <= epsilon


def test_the_precision_attack_has_teeth() -> None:
    assert attack.precision(planted.FloatLaplace(Fraction(1), Fraction(1, 2**30)), 1_000_000) > 5


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(Fraction(3, 10)),
        Laplace(Fraction(3)),
        Gaussian(Fraction(1)),
        Laplace(Fraction(10**6)),
    ],
    ids=str,
)
def test_false_alarms_stay_below_their_rate(mechanism: Laplace | Gaussian) -> None:
    law = IntegerDistribution.from_logs(make_points(0), mechanism.log_prob(make_points(0), 0))
    runs, rate = 5_000, 1e-3
    alarms = sum(
        measure_fit(mechanism.sample(np.zeros(1000, dtype=np.int64)), law).p_value < rate
        for _ in range(runs)
    )
    assert alarms <= 23  # of at most 5 expected, but for 10^-9


def test_nobody_is_accused_in_sixty_runs() -> None:
    for _ in range(30):
        check_mechanism(Laplace(Fraction(1)), draws=20_000)
        check_mechanism(Gaussian(Fraction(3)), draws=20_000)


def test_no_correct_mechanism_fails_on_small_data_sets() -> None:
    for _ in range(30):
        check_mechanism(Stable.calibrate(epsilon=1, delta=1e-3), draws=20_000)
        check_mechanism(ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=1e-3), draws=20_000)
        check_mechanism(
            StabilityHistogram.calibrate(epsilon=1, delta=1e-3, neighbours="change-one"),
            draws=20_000,
        )
        check_mechanism(SparseVector.calibrate(sensitivity=1, epsilon=1, cutoff=2), draws=20_000)


@pytest.mark.parametrize(
    ("mechanism", "sensitivity", "law"),
    planted_worlds.BAD,
    ids=[f"{str(m)[:40]} {law}" for m, _, law in planted_worlds.BAD],
)
def test_planted_bugs_are_seen_in_every_run(mechanism: Any, sensitivity: Any, law: str) -> None:
    for _ in range(5):
        with pytest.raises(LawBroken) as broken:
            check_mechanism(mechanism, sensitivity, draws=50_000)
        assert broken.value.law in law.split(" or ")


def test_two_percent_are_seen_in_every_run() -> None:
    for _ in range(15):
        for mechanism in (
            planted.TwoPercentOff(Fraction(3)),
            planted.TwoPercentNarrow(Fraction(3)),
        ):
            with pytest.raises(LawBroken, match="sample follows log_prob"):
                check_mechanism(mechanism)


def test_the_lead_of_noisy_max_costs_nothing_more() -> None:
    mechanism = NoisyMax.calibrate(sensitivity=1, epsilon=1, grid=Fraction(1, 4))
    runs = 20_000
    one, other = (
        [mechanism.sample_with_gap(scores) for _ in range(runs)]
        for scores in ([3, 4, 3], [4, 3, 4])
    )
    events = [(place, lead) for place in range(3) for lead in (0, 0.25, 0.5, 1, 2, 4)]
    for place, lead in events:
        a, b = (sum(p == place and gap >= lead for p, gap in runs_of) for runs_of in (one, other))
        c, d = (sum(p == place and gap == lead for p, gap in runs_of) for runs_of in (one, other))
        for x, y in ((a, b), (b, a), (c, d), (d, c)):
            assert certify_epsilon((x, runs), (y, runs), 1e-9 / len(events) / 4, 0.0, 0.5) <= 1
