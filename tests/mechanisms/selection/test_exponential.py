"""The exponential mechanism: probabilities, epsilon and rho, error and refusals."""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import exp, log, tanh

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Exponential
from hedgerow.privacy.sensitivity import Sensitivity
from mechanisms import helpers_bad_input as bad


def test_probabilities_match_the_softmax() -> None:
    scores = [1.0, 4.0, 2.5]
    weights = np.exp(0.5 * np.array(scores))
    for index in range(3):
        assert Exponential(Fraction(1, 2)).log_prob(index, scores) == pytest.approx(
            log(weights[index] / weights.sum())
        )


def test_a_score_four_factors_behind_has_the_known_probability() -> None:
    assert exp(Exponential(Fraction(1)).log_prob(1, [4, 0])) == pytest.approx(0.0180, abs=5e-5)


def test_calibration_meets_its_target_and_no_more() -> None:
    assert Exponential.calibrate(sensitivity=2, epsilon=1) == Exponential(Fraction(1, 4))
    assert Exponential.calibrate(sensitivity=2, epsilon=1, monotone=True) == Exponential(
        Fraction(1, 2), True
    )
    for monotone in (False, True):
        loss = Exponential.calibrate(sensitivity=2, epsilon=1, monotone=monotone).loss(2)
        assert loss.epsilon == 1
        assert loss.rho == Fraction(1, 8)


@pytest.mark.parametrize("rho", [1e-6, 0.1, 1, 7, 9, 40, 10_000], ids=str)
def test_calibration_to_rho_comes_close_and_never_over(rho: float) -> None:
    loss = Exponential.calibrate(sensitivity=1, rho=rho).loss(1)
    assert loss.rho <= Fraction(str(rho))
    assert float(loss.rho) == pytest.approx(rho, rel=1e-3)


def test_the_smaller_of_two_bounds_on_rho() -> None:
    assert float(Exponential(Fraction(5)).loss(1).rho) == pytest.approx(10 * tanh(5))
    assert Exponential(Fraction(3)).loss(1).rho == Fraction(36, 8)


def test_only_the_largest_move_of_a_score_counts() -> None:
    assert Exponential(Fraction(1)).loss(Sensitivity.each(100, 2)) == Exponential(Fraction(1)).loss(
        2
    )


def test_large_scores_keep_their_differences() -> None:
    assert Exponential(Fraction(1)).log_prob(0, [2**60 + 1, 2**60]) == pytest.approx(
        -log(1 + exp(-1))
    )
    assert Exponential(Fraction(1)).log_prob(1, [2**63 - 1, -(2**63)]) == pytest.approx(-(2.0**64))
    assert Exponential(Fraction(10)).log_prob(0, [1.7e308, -1.7e308]) == 0


@pytest.mark.parametrize(
    "scores",
    [[1.7e308, -1.7e308], [2**63 - 1, -(2**63)], np.array([5, -90], dtype=np.int8), (7,)],
    ids=str,
)
def test_a_clear_winner_is_chosen(scores: object) -> None:
    chosen = Exponential(Fraction(10)).sample(scores)
    assert type(chosen) is int
    assert chosen == 0


def test_every_candidate_is_chosen_with_its_probability() -> None:
    scores, n = [0, 1, 2], 4000
    seen = np.bincount([Exponential(Fraction(1)).sample(scores) for _ in range(n)], minlength=3)
    weights = np.exp(scores)
    expected = n * weights / weights.sum()
    assert (np.abs(seen - expected) < 7 * np.sqrt(expected)).all()


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("n", [2, 10, 1000])
def test_error_is_the_smallest_for_all_scores(beta: float, n: int) -> None:
    mechanism = Exponential(Fraction(1, 3))
    radius = mechanism.error(beta, n)

    def missed(below: float) -> float:
        others = (n - 1) * exp(-below / 3)
        return others / (1 + others)

    assert missed(radius) <= beta
    assert radius == 0 or missed(radius * (1 - 1e-9)) > beta


def test_one_candidate_has_no_error() -> None:
    assert Exponential(Fraction(1)).error(0.05, 1) == 0
    assert Exponential(Fraction(1)).error(0.9, 2) == 0


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
@pytest.mark.parametrize("name", ["epsilon", "rho"])
@pytest.mark.usefixtures("dry")
def test_bad_epsilon_is_refused(epsilon: object, name: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Exponential.calibrate(sensitivity=1, **{name: epsilon})  # type: ignore[arg-type]
    assert refusal.value.argument == (name if epsilon is not None else "epsilon")
    assert bad.shown(epsilon) in str(refusal.value)


def test_exactly_one_of_epsilon_and_rho_is_required() -> None:
    for both in ({}, {"epsilon": 1, "rho": 1}):
        with pytest.raises(InvalidArgument, match="epsilon or rho"):
            Exponential.calibrate(sensitivity=1, **both)


@pytest.mark.parametrize("sensitivity", bad.SENSITIVITIES, ids=bad.name)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    for use in (
        lambda s: Exponential.calibrate(sensitivity=s, epsilon=1),
        Exponential(Fraction(1)).loss,
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity)
        assert refusal.value.argument == "sensitivity"


def test_missing_sensitivity_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be given"):
        Exponential.calibrate(epsilon=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("monotone", [1, "yes", None, np.True_], ids=bad.name)
def test_bad_monotone_is_refused(monotone: object) -> None:
    with pytest.raises(InvalidArgument, match="monotone"):
        Exponential.calibrate(sensitivity=1, epsilon=1, monotone=monotone)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "scores",
    [*bad.ARRAYS.values(), bad.SECRET, [[1, bad.SECRET]], None, f"x{bad.SECRET}"],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_scores_are_refused_before_anything_is_drawn(scores: object) -> None:
    for use in (Exponential(Fraction(1)).sample, lambda s: Exponential(Fraction(1)).log_prob(0, s)):
        with pytest.raises(InvalidArgument) as refusal:
            use(scores)
        assert refusal.value.argument == "scores"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("beta", bad.LEVELS, ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Exponential(Fraction(1)).error(beta, 5)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


@pytest.mark.usefixtures("dry")
def test_the_dry_fixture_fails_on_any_draw() -> None:
    with pytest.raises(AssertionError, match="drawn"):
        Exponential(Fraction(1)).sample([1, 2])
