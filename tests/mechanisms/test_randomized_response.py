"""Randomised response: Warner's coin, k values, estimates with intervals, and refusals."""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import comb, exp, log

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import RandomizedResponse
from hedgerow.privacy.sensitivity import Sensitivity
from mechanisms import helpers_bad_input as bad

HALF = Fraction(1, 2)


def test_warners_coin_costs_the_logarithm_of_three() -> None:
    loss = RandomizedResponse(HALF).loss()
    assert float(loss.epsilon) == pytest.approx(log(3), abs=2e-12)
    assert loss.epsilon >= Fraction(log(3)) - Fraction(1, 10**15)
    assert float(loss.rho) == pytest.approx(log(3) / 2)  # eps tanh(eps/2), tanh(ln(3)/2) = 1/2


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 0.1, 1, 5, 20, 50], ids=str)
@pytest.mark.parametrize("values", [2, 3, 10, 2**31], ids=str)
def test_calibration_spends_nearly_all_and_never_more(epsilon: float, values: int) -> None:
    mechanism = RandomizedResponse.calibrate(epsilon=epsilon, values=values)
    found = mechanism.loss(1).epsilon
    assert found <= Fraction(str(epsilon))
    assert float(found) == pytest.approx(epsilon, abs=2e-12, rel=1e-8)


def test_truth_for_k_values() -> None:
    e = exp(1.5)
    assert float(RandomizedResponse.calibrate(epsilon=1.5, values=7).truth) == pytest.approx(
        (e - 1) / (e + 6)
    )


def test_several_answers_of_one_owner_add_up() -> None:
    mechanism = RandomizedResponse(HALF, 4)
    once = mechanism.loss(1)
    assert mechanism.loss(3) == mechanism.loss(Sensitivity.each(3, 1)) == 3 * once
    # Two answers that move "by a half" are two answers; a part of an answer is an answer.
    assert mechanism.loss(Sensitivity.each(2, HALF)) == 2 * once
    assert mechanism.loss(0.5) == once
    assert mechanism.loss(Fraction(5, 2)) == 3 * once


def test_log_prob_matches_the_closed_form() -> None:
    mechanism = RandomizedResponse(HALF, 4)
    assert np.exp(mechanism.log_prob([0, 1, 2, 3], [2, 2, 2, 2])) == pytest.approx(
        [1 / 8, 1 / 8, 5 / 8, 1 / 8]
    )
    assert float(np.exp(mechanism.log_prob(1, 1))) == pytest.approx(5 / 8)


@pytest.mark.parametrize("values", [np.int8(3), np.int64(3), np.uint8(3)], ids=bad.name)
def test_numpy_counts_of_values(values: int) -> None:
    mechanism = RandomizedResponse.calibrate(epsilon=1, values=values)
    assert mechanism == RandomizedResponse.calibrate(epsilon=1, values=3)
    assert set(mechanism.sample(np.zeros(200, dtype=np.int64)).tolist()) == {0, 1, 2}


def test_reports_keep_the_type_of_the_input() -> None:
    mechanism = RandomizedResponse(HALF)
    assert type(mechanism.sample(1)) is int
    assert type(mechanism.sample(True)) is bool
    assert type(mechanism.sample(np.True_)) is bool
    assert mechanism.sample([True, False]).dtype == np.bool_
    assert mechanism.sample([[1, 0, 1]]).shape == (1, 3)
    assert mechanism.sample(np.array([1, 0], dtype=np.uint8)).dtype == np.int64


def test_reports_follow_the_distribution() -> None:
    n = 100_000
    seen = np.bincount(RandomizedResponse(HALF, 4).sample(np.full(n, 2)), minlength=4)
    expected = n * np.array([1, 1, 5, 1]) / 8
    assert (np.abs(seen - expected) < 7 * np.sqrt(expected)).all()


def test_estimates_are_unbiased() -> None:
    mechanism = RandomizedResponse(HALF)
    # 0.25 + 0.5 * 0.3 of the reports say 1 when 30 % of the owners do
    found = mechanism.estimate([1] * 40 + [0] * 60)
    assert [e.value for e in found] == [0, 1]
    assert found[1].share == pytest.approx(0.3)
    assert found[0].share == pytest.approx(0.7)
    assert found[1].low < 0.3 < found[1].high
    # unbiased, so it may leave [0, 1]
    assert mechanism.estimate([1] * 100)[1].share == pytest.approx(1.5)
    assert mechanism.estimate([1] * 100)[1].high == 1
    assert mechanism.estimate([1] * 100)[0].low == 0


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_interval_covers_the_true_share(share: float) -> None:
    mechanism, n = RandomizedResponse(Fraction(2, 3), 3), 30
    chance = float(Fraction(2, 3)) * share + 1 / 9
    covered = 0.0
    for hits in range(n + 1):
        found = mechanism.estimate(np.repeat([0, 1], [hits, n - hits]), confidence=0.9)[0]
        covered += (
            (found.low <= share <= found.high)
            * comb(n, hits)
            * chance**hits
            * (1 - chance) ** (n - hits)
        )
    assert covered >= 0.9


def test_error_shrinks_with_the_root_of_the_reports() -> None:
    mechanism = RandomizedResponse(HALF)
    assert mechanism.error(0.05, 400) == pytest.approx((log(40) / 800) ** 0.5 * 2)
    assert mechanism.error(0.05, np.int64(1600)) == pytest.approx(mechanism.error(0.05, 400) / 2)


@pytest.mark.long
def test_error_covers_fresh_owners() -> None:
    n, runs, missed = 400, 150, 0
    mechanism = RandomizedResponse(HALF)
    truth = np.repeat([1, 0], [100, 300])
    radius = mechanism.error(0.05, n)
    for _ in range(runs):
        missed += abs(mechanism.estimate(mechanism.sample(truth))[1].share - 0.25) > radius
    assert missed <= 28  # binomial with at most 0.05: 28 or fewer but for 10^-9


@pytest.mark.parametrize(
    "truth", [*bad.NO_NUMBERS, *bad.NOT_POSITIVE, 1, 1.0, Fraction(1), 1.5], ids=bad.name
)
def test_bad_truth_and_certainty_are_refused(truth: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        RandomizedResponse(truth)  # type: ignore[arg-type]
    assert refusal.value.argument == "truth"
    assert bad.shown(truth) in str(refusal.value)


@pytest.mark.parametrize("epsilon", [*bad.EPSILONS, 60, 1000], ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        RandomizedResponse.calibrate(epsilon=epsilon)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"
    assert bad.shown(epsilon) in str(refusal.value)


@pytest.mark.parametrize(
    "values", [1, 0, -2, True, np.True_, 2.0, "2", None, 2**31 + 1, 10**400], ids=bad.name
)
def test_bad_values_are_refused(values: object) -> None:
    for use in (
        lambda v: RandomizedResponse(HALF, v),
        lambda v: RandomizedResponse.calibrate(epsilon=1, values=v),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(values)
        assert refusal.value.argument == "values"


@pytest.mark.parametrize("sensitivity", bad.SENSITIVITIES, ids=bad.name)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        RandomizedResponse(HALF).loss(sensitivity)  # type: ignore[arg-type]
    assert refusal.value.argument == "sensitivity"


DATA = {name: data for name, data in bad.ARRAYS.items() if name != "booleans"}
MORE = {
    "below": [-1, 0],
    "above": [0, 2],
    "real": 0.5,
    "reals": [0.0, 1.0],
    "None alone": None,
    "text alone": f"x{bad.SECRET}",
    "far": bad.SECRET,
}


@pytest.mark.parametrize("data", [*DATA.values(), *MORE.values()], ids=[*DATA, *MORE])
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(data: object) -> None:
    mechanism = RandomizedResponse(HALF)
    for use, name in (
        (mechanism.sample, "exact"),
        (mechanism.estimate, "reports"),
        (lambda v: mechanism.log_prob(v, 0), "noisy"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(data)
        assert refusal.value.argument == name
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.usefixtures("dry")
def test_booleans_are_for_two_values_only() -> None:
    with pytest.raises(InvalidArgument, match="0 to 2"):
        RandomizedResponse(HALF, 3).sample([True, False])


@pytest.mark.parametrize("beta", [*bad.LEVELS, Fraction(1, 10**400)], ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        RandomizedResponse(HALF).error(beta, 5)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


@pytest.mark.parametrize("reports", [0, -1, True, 2.0, "2", None, 10**400], ids=bad.name)
def test_bad_count_of_reports_are_refused(reports: object) -> None:
    with pytest.raises(InvalidArgument, match="reports"):
        RandomizedResponse(HALF).error(0.05, reports)  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", bad.LEVELS, ids=bad.name)
def test_bad_confidence_is_refused(confidence: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        RandomizedResponse(HALF).estimate([0, 1], confidence)  # type: ignore[arg-type]
    assert refusal.value.argument == "confidence"
