"""Report noisy max: its distribution in closed form, the free gap, error and refusals."""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import exp, log, tanh

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from mechanisms import helpers_bad_input as bad


def overtakes(distance: float) -> float:
    """Return ln Pr[one Laplace variable exceeds another by d] = ln((2 + d)/4) - d."""
    return log((2 + distance) / 4) - distance


@pytest.mark.parametrize(
    "distance", [0, 0.3, 1, 4, 20, 59.5, 90, 119, 121, 200, 800, 5000, 1e6, 1e150]
)
def test_two_candidates_match_the_closed_form(distance: float) -> None:
    mechanism = NoisyMax(Fraction(1))
    assert mechanism.log_prob(1, [distance, 0.0]) == pytest.approx(
        overtakes(distance), rel=1e-12, abs=1e-12
    )
    assert mechanism.log_prob(0, [distance, 0.0]) == pytest.approx(
        np.log1p(-exp(overtakes(distance))), rel=1e-12, abs=1e-12
    )


def test_a_score_four_factors_behind_wins_more_often_than_in_other_mechanisms() -> None:
    chances = [
        exp(m(Fraction(1)).log_prob(1, [4, 0])) for m in (NoisyMax, Exponential, PermuteAndFlip)
    ]
    assert chances == pytest.approx([0.0275, 0.0180, 0.0092], abs=5e-5)


SPREADS = {
    "equal": np.zeros(40),
    "close": np.linspace(0, 3, 50),
    "wide": np.linspace(0, 5000, 30),
    "two clusters": np.array([0.0] * 30 + [1000.3] * 2),
    "one leads a crowd": np.array([30.25] + [0.0] * 40),
    "integers": np.array([2**60 + 2, 2**60, 2**60 + 1]),
}


@pytest.mark.parametrize("scores", SPREADS.values(), ids=SPREADS)
def test_probabilities_sum_to_one(scores: np.ndarray) -> None:
    assert sum(
        exp(NoisyMax(Fraction(1)).log_prob(i, scores)) for i in range(scores.size)
    ) == pytest.approx(1, rel=1e-11)


def test_two_hundred_equal_candidates_are_equally_likely() -> None:
    assert NoisyMax(Fraction(1)).log_prob(77, np.zeros(200)) == pytest.approx(-log(200), rel=1e-12)


def test_a_crowd_far_behind_matches_the_asymptotic_probability() -> None:
    # Each of n candidates at distance d overtakes with probability (2 + d)/4 e^-d, but for events
    # far rarer.
    scores = np.array([1000.0] + [0.0] * 100)
    assert NoisyMax(Fraction(1)).log_prob(7, scores) == pytest.approx(overtakes(1000), abs=0.02)


def test_draws_against_log_prob_for_many_candidates() -> None:
    scores, n = np.array([0.0, 1.0, 1.5, 0.5, -2.0]), 4000
    seen = np.bincount([NoisyMax(Fraction(1)).sample(scores) for _ in range(n)], minlength=5)
    expected = n * np.exp([NoisyMax(Fraction(1)).log_prob(i, scores) for i in range(5)])
    assert (np.abs(seen - expected) < 7 * np.sqrt(expected)).all()


def test_calibration_meets_its_target_and_no_more() -> None:
    assert NoisyMax.calibrate(sensitivity=2, epsilon=1) == NoisyMax(Fraction(1, 4))
    assert NoisyMax.calibrate(sensitivity=2, epsilon=1, monotone=True) == NoisyMax(
        Fraction(1, 2), True
    )
    assert NoisyMax.calibrate(sensitivity=2, epsilon=1, grid=2**-30).grid == Fraction(1, 2**30)
    assert NoisyMax.calibrate(sensitivity=0.3, epsilon=1).grid == Fraction(1, 2**22)
    for monotone in (False, True):
        loss = NoisyMax.calibrate(sensitivity=2, epsilon=1, monotone=monotone).loss(2)
        assert loss.epsilon == 1
        assert float(loss.rho) == pytest.approx(tanh(0.5))


def test_calibration_to_rho_is_refused() -> None:
    with pytest.raises(
        InvalidArgument,
        match=r"^rho is not supported here.*; give epsilon, or use Exponential; got 0\.1\.$",
    ):
        NoisyMax.calibrate(sensitivity=1, rho=0.1)
    with pytest.raises(InvalidArgument, match=r"^epsilon must"):
        NoisyMax.calibrate(sensitivity=1)


@pytest.mark.long
@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 4)])
def test_the_lead_of_equals_is_distributed_as_the_difference(grid: Fraction) -> None:
    n, factor = 1500, 0.5
    mechanism = NoisyMax(Fraction(1, 2), grid=grid)
    drawn = [mechanism.sample_with_gap([3, 3]) for _ in range(n)]
    leads = np.array([lead for _, lead in drawn])
    assert type(drawn[0][1]) is (int if grid == 1 else float)
    assert (leads >= 0).all()
    assert (leads % float(grid) == 0).all()
    for at_least in (1, 2, 4, 8):  # Pr[lead >= g] = (1 + f g/2) e^(-f g)
        chance = (1 + factor * at_least / 2) * exp(-factor * at_least)
        assert np.sum(leads >= at_least) == pytest.approx(n * chance, abs=7 * (n * chance) ** 0.5)
    assert np.mean([place for place, _ in drawn]) == pytest.approx(0.5, abs=7 * 0.5 / n**0.5)


def test_the_lead_of_a_clear_winner() -> None:
    place, lead = NoisyMax(Fraction(1)).sample_with_gap([0, 1000, 10])
    assert place == 1
    assert abs(lead - 990) < 120
    assert NoisyMax(Fraction(1), grid=Fraction(1, 4)).sample_with_gap([1.7e308, -1.7e308])[0] == 0


@pytest.mark.usefixtures("dry")
def test_one_candidate_has_no_lead() -> None:
    assert NoisyMax(Fraction(1)).log_prob(0, [5]) == pytest.approx(0, abs=1e-12)
    with pytest.raises(InvalidArgument, match="at least two"):
        NoisyMax(Fraction(1)).sample_with_gap([5])


def test_one_candidate_is_chosen() -> None:
    assert NoisyMax(Fraction(1)).sample([5]) == 0


def test_too_many_candidates_for_log_prob() -> None:
    with pytest.raises(InvalidArgument, match="200"):
        NoisyMax(Fraction(1)).log_prob(0, np.zeros(201))


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6, 1e-30, 1e-100, 1e-290])
def test_the_error_between_two_candidates_is_exact(beta: float) -> None:
    radius = NoisyMax(Fraction(1)).error(beta, 2)
    assert overtakes(radius) <= log(beta) + 1e-9
    assert radius == 0 or overtakes(radius * (1 - 1e-9)) > log(beta) - 1e-9


@pytest.mark.parametrize("n", [10, 150])
def test_the_error_among_many_candidates_is_rarely_exceeded(n: int) -> None:
    mechanism = NoisyMax(Fraction(1, 2))
    for beta in (0.5, 0.05, 1e-6):
        radius = mechanism.error(beta, n)

        def missed(below: float) -> float:
            return float(-np.expm1(mechanism.log_prob(0, [0.0] + [-below] * (n - 1))))

        assert missed(radius) <= beta * (1 + 1e-6)
        assert missed(radius * 0.9999) > beta


def test_one_candidate_has_no_error_and_millions_have_a_moderate_one() -> None:
    assert NoisyMax(Fraction(1)).error(0.05, 1) == 0
    assert (
        PermuteAndFlip(Fraction(1)).error(0.05, 10**6)
        < NoisyMax(Fraction(1)).error(0.05, 10**6)
        < 18
    )


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        NoisyMax.calibrate(sensitivity=1, epsilon=epsilon)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"
    assert bad.shown(epsilon) in str(refusal.value)


@pytest.mark.parametrize("sensitivity", bad.SENSITIVITIES, ids=bad.name)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    for use in (lambda s: NoisyMax.calibrate(sensitivity=s, epsilon=1), NoisyMax(Fraction(1)).loss):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity)
        assert refusal.value.argument == "sensitivity"


def test_missing_sensitivity_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be given"):
        NoisyMax.calibrate(epsilon=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("monotone", [1, "yes", None], ids=bad.name)
def test_bad_monotone_is_refused(monotone: object) -> None:
    with pytest.raises(InvalidArgument, match="monotone"):
        NoisyMax(Fraction(1), monotone)  # type: ignore[arg-type]


def test_bad_grid_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="grid"):
        NoisyMax.calibrate(sensitivity=1, epsilon=1, grid=0.1)


@pytest.mark.parametrize(
    "scores",
    [*bad.ARRAYS.values(), bad.SECRET, [[1, bad.SECRET]], None, f"x{bad.SECRET}"],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_scores_are_refused_before_anything_is_drawn(scores: object) -> None:
    mechanism = NoisyMax(Fraction(1))
    for use in (mechanism.sample, mechanism.sample_with_gap, lambda s: mechanism.log_prob(0, s)):
        with pytest.raises(InvalidArgument) as refusal:
            use(scores)
        assert refusal.value.argument == "scores"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("beta", [*bad.LEVELS, Fraction(1, 10**400)], ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        NoisyMax(Fraction(1)).error(beta, 5)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"
