"""Permute-and-flip: its distribution by brute force, its rho, error and refusals."""

from __future__ import annotations

import traceback
from fractions import Fraction
from itertools import permutations
from math import exp, factorial, log, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Exponential, PermuteAndFlip
from mechanisms import helpers_bad_input as bad


def by_definition(scores: list[float]) -> np.ndarray:
    """Return the distribution by definition: every order, with factor 1.

    A candidate is accepted with probability e^(score - best).
    """
    kept = np.exp(np.array(scores) - max(scores))
    law = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        left = 1 / factorial(len(scores))
        for candidate in order:
            law[candidate] += left * kept[candidate]
            left *= 1 - kept[candidate]
    return law


@pytest.mark.parametrize(
    "scores",
    [[0.0, 0.0], [4.0, 0.0], [1.0, 2.0, 2.0, 0.5], [0.0, -1.0, -2.0, -3.0, -0.1], [3.0], [0.0] * 6],
    ids=str,
)
def test_log_prob_matches_the_procedure(scores: list[float]) -> None:
    found = [
        exp(PermuteAndFlip(Fraction(1)).log_prob(index, scores)) for index in range(len(scores))
    ]
    assert found == pytest.approx(by_definition(scores), rel=1e-12)


def test_a_score_four_factors_behind_has_the_known_probability() -> None:
    assert exp(PermuteAndFlip(Fraction(1)).log_prob(1, [4, 0])) == pytest.approx(0.0092, abs=5e-5)


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=8))
def test_the_expected_score_is_never_below_the_exponential_mechanisms(scores: list[float]) -> None:
    ours, theirs = (
        sum(s * exp(m.log_prob(i, scores)) for i, s in enumerate(scores))
        for m in (PermuteAndFlip(Fraction(1)), Exponential(Fraction(1)))
    )
    assert ours >= theirs - 1e-9


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40))
def test_probabilities_sum_to_one(scores: list[int]) -> None:
    assert sum(
        exp(PermuteAndFlip(Fraction(1, 3)).log_prob(i, scores)) for i in range(len(scores))
    ) == pytest.approx(1, abs=1e-11)


def test_hundreds_of_candidates_match_the_closed_form() -> None:
    mechanism = PermuteAndFlip(Fraction(1))
    assert mechanism.log_prob(5, np.zeros(300)) == pytest.approx(-log(300), rel=1e-12)
    with pytest.raises(InvalidArgument, match="4000"):
        mechanism.log_prob(0, np.zeros(4001))


@pytest.mark.parametrize(
    ("epsilon", "divergence", "bounded_range"), [(1, 0.327, 0.125), (0.5, 0.0995, 0.031)]
)
def test_rho_is_not_that_of_bounded_range(
    epsilon: float, divergence: float, bounded_range: float
) -> None:
    mechanism = PermuteAndFlip.calibrate(sensitivity=1, epsilon=epsilon)
    p, q = ([exp(mechanism.log_prob(i, scores)) for i in (0, 1)] for scores in ([1, 0], [0, 1]))
    found = sum(a * log(a / b) for a, b in zip(p, q, strict=True))
    assert found == pytest.approx(divergence, abs=1e-3)
    assert epsilon**2 / 8 == pytest.approx(bounded_range, abs=5e-4)
    assert found <= mechanism.loss(1).rho
    assert float(mechanism.loss(1).rho) == pytest.approx(epsilon * tanh(epsilon / 2))


def test_calibration_meets_its_target_and_no_more() -> None:
    assert PermuteAndFlip.calibrate(sensitivity=2, epsilon=1) == PermuteAndFlip(Fraction(1, 4))
    assert PermuteAndFlip.calibrate(sensitivity=2, epsilon=1, monotone=True) == PermuteAndFlip(
        Fraction(1, 2), True
    )
    for monotone in (False, True):
        assert (
            PermuteAndFlip.calibrate(sensitivity=2, epsilon=1, monotone=monotone).loss(2).epsilon
            == 1
        )


@pytest.mark.parametrize(
    "scores", [[1.7e308, -1.7e308], [2**63 - 1, -(2**63)], [2**62, 2**62 - 100], (7,)], ids=str
)
def test_a_clear_winner_is_chosen(scores: object) -> None:
    assert PermuteAndFlip(Fraction(10)).sample(scores) == 0


def missed(below: float, n: int) -> float:
    """Return 1 - int_0^1 (1 - p t)^(n-1) dt by a plain sum."""
    t = (np.arange(200_000) + 0.5) / 200_000
    return float(1 - np.mean((1 - exp(-below) * t) ** (n - 1)))


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-3])
@pytest.mark.parametrize("n", [2, 10, 1000])
def test_error_is_the_smallest_for_all_scores(beta: float, n: int) -> None:
    radius = PermuteAndFlip(Fraction(1)).error(beta, n)
    assert missed(radius, n) <= beta * (1 + 1e-7)
    assert radius == 0 or missed(radius * (1 - 1e-5), n) > beta


def test_the_error_at_tiny_beta_is_accurate() -> None:
    mechanism = PermuteAndFlip(Fraction(1))
    # (n - 1) p/2 for small p
    assert mechanism.error(1e-12, 2) == pytest.approx(log(1e12 / 2), rel=1e-6)
    assert mechanism.error(1e-300, 10**6) == pytest.approx(log(1e6 / 2) + 300 * log(10), rel=1e-6)
    assert mechanism.error(0.05, 1) == 0
    assert mechanism.error(0.05, 10) < Exponential(Fraction(1)).error(0.05, 10)


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        PermuteAndFlip.calibrate(sensitivity=1, epsilon=epsilon)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"
    assert bad.shown(epsilon) in str(refusal.value)


@pytest.mark.parametrize("sensitivity", bad.SENSITIVITIES, ids=bad.name)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    for use in (
        lambda s: PermuteAndFlip.calibrate(sensitivity=s, epsilon=1),
        PermuteAndFlip(Fraction(1)).loss,
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity)
        assert refusal.value.argument == "sensitivity"


def test_missing_sensitivity_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be given"):
        PermuteAndFlip.calibrate(epsilon=1)  # type: ignore[call-arg]


def test_calibration_to_rho_is_refused() -> None:
    with pytest.raises(
        InvalidArgument,
        match=(
            r"^rho is not supported here, as zCDP does not make this mechanism cheaper; give"
            r" epsilon, or use Exponential"
        ),
    ):
        PermuteAndFlip.calibrate(sensitivity=1, rho=0.1)
    with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
        PermuteAndFlip.calibrate(sensitivity=1)


@pytest.mark.parametrize("monotone", [1, "yes", None], ids=bad.name)
def test_bad_monotone_is_refused(monotone: object) -> None:
    with pytest.raises(InvalidArgument, match="monotone"):
        PermuteAndFlip(Fraction(1), monotone)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "scores",
    [*bad.ARRAYS.values(), bad.SECRET, [[1, bad.SECRET]], None, f"x{bad.SECRET}"],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_scores_are_refused_before_anything_is_drawn(scores: object) -> None:
    for use in (
        PermuteAndFlip(Fraction(1)).sample,
        lambda s: PermuteAndFlip(Fraction(1)).log_prob(0, s),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(scores)
        assert refusal.value.argument == "scores"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("beta", [*bad.LEVELS, Fraction(1, 10**400)], ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        PermuteAndFlip(Fraction(1)).error(beta, 5)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"
