from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.curve import (
    CurvePiece,
    loss_distribution,
    max_divergence,
    privacy_curve,
)
from hedgerow.verify.divergence.distance import epsilon_distance, one_sided_distance
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from verify.divergence.distributions import clamped_laplace, deltas, epsilons, few, laws, response

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
TRUE, FALSE = response(HALF, 0), response(HALF, 1)


def test_the_curve_of_randomised_response() -> None:
    curve = privacy_curve(TRUE, FALSE)
    line = CurvePiece(Epsilon(), ln(3), Fraction(3, 4), QUARTER)
    assert (
        curve.pieces["one"]
        == curve.pieces["other"]
        == (line, CurvePiece(ln(3), math.inf, Fraction(0), Fraction(0)))
    )
    assert curve.breakpoints == (ln(3),)
    assert curve.epsilon_at(0) == ln(3)
    assert curve.epsilon_at(QUARTER) == ln(2)
    assert curve.epsilon_at(HALF) == 0
    assert curve.delta_at(ln(2)).value == QUARTER


def test_the_curve_of_laplace_noise_has_a_corner_at_every_other_step() -> None:
    q = Fraction(1, 3)
    curve = privacy_curve(clamped_laplace(q, 0, -5, 9), clamped_laplace(q, 4, -5, 9))
    assert curve.breakpoints == (2 * ln(3), 4 * ln(3))
    assert curve.epsilon_at(0) == 4 * ln(3)
    # Between 0 and 2 steps the event is {z <= 1}: P = 1 - q^2/(1+q), Q = q^3/(1+q).
    assert curve.pieces["one"][0] == CurvePiece(
        Epsilon(), 2 * ln(3), 1 - q**2 / (1 + q), q**3 / (1 + q)
    )


def test_outputs_of_one_side_only_cost_delta_at_every_epsilon() -> None:
    curve = privacy_curve({"a": 0.1, "b": 0.9}, {"b": 1})
    assert curve.epsilon_at(0) == math.inf
    assert curve.epsilon_at(0.0999) == math.inf
    assert curve.epsilon_at(0.1) == 0
    assert curve.epsilon_at(0.05, side="other") == ln(Fraction(19, 18))  # 1 - e^eps 0.9 = 0.05
    assert max_divergence({"a": 0.1, "b": 0.9}, {"b": 1}) == math.inf
    assert max_divergence({"b": 1}, {"a": 0.1, "b": 0.9}) == ln(Fraction(10, 9))


def test_equal_laws_lose_nothing() -> None:
    curve = privacy_curve(TRUE, TRUE)
    assert curve.epsilon_at(0) == 0
    assert curve.breakpoints == ()
    assert curve.pieces["one"] == (CurvePiece(Epsilon(), math.inf, Fraction(0), Fraction(0)),)


@few
@given(laws(), laws(), epsilons())
def test_the_pieces_are_the_distance(
    one: Distribution, other: Distribution, epsilon: Epsilon
) -> None:
    curve = privacy_curve(one, other)
    assert curve.delta_at(epsilon) == epsilon_distance(one, other, epsilon)
    for side, (here, there) in {"one": (one, other), "other": (other, one)}.items():
        pieces = curve.pieces[side]  # type: ignore[index]
        assert pieces[0].start == 0
        assert pieces[-1].stop == math.inf
        assert [piece.stop for piece in pieces[:-1]] == [piece.start for piece in pieces[1:]]
        held = [piece for piece in pieces if piece.start <= epsilon <= piece.stop]
        value = one_sided_distance(here, there, epsilon).value
        assert held
        assert all(piece.likely - epsilon.exp * piece.rare == value for piece in held)


@few
@given(laws(), laws(), deltas())
def test_the_smallest_epsilon_is_enough_and_nothing_below_is(
    one: Distribution, other: Distribution, delta: Fraction
) -> None:
    least = privacy_curve(one, other).epsilon_at(delta)
    if isinstance(least, float):
        assert least == math.inf
        assert epsilon_distance(one, other, 10_000).value > delta
        return
    assert epsilon_distance(one, other, least).value <= delta
    if least > 0:
        assert epsilon_distance(one, other, least).value == delta
        smaller = ln(1 + (least.ratio - 1) * Fraction(10**9 - 1, 10**9))
        assert epsilon_distance(one, other, smaller).value > delta


@few
@given(laws(), laws(), epsilons())
def test_delta_is_an_expectation_over_the_loss(
    one: Distribution, other: Distribution, epsilon: Epsilon
) -> None:
    """delta(eps) = E (1 - e^(eps - L))_+ , L drawn from the loss distribution; every loss is the
    logarithm of a rational.
    """
    losses = loss_distribution(one, other)
    assert sum(losses.values()) == 1
    assert list(losses) == sorted(losses)
    expected = ExponentialSum()
    for loss, weight in losses.items():
        if loss > epsilon:
            kept = 0 if isinstance(loss, float) else 1 / loss.ratio
            expected += weight * (1 - epsilon.exp * kept)
    assert expected == one_sided_distance(one, other, epsilon).value
    assert max_divergence(one, other) == max(losses)


def test_loss_distribution_of_randomised_response() -> None:
    assert loss_distribution(TRUE, FALSE) == {ln(Fraction(1, 3)): QUARTER, ln(3): Fraction(3, 4)}
    assert loss_distribution({"a": 0.1, "b": 0.9}, {"b": 1}) == {
        ln(0.9): Fraction(9, 10),
        math.inf: Fraction(1, 10),
    }


@pytest.mark.parametrize("wrong", [-0.1, 1.5, math.nan, "0"])
def test_bad_delta(wrong: float) -> None:
    with pytest.raises(InvalidArgument, match="delta"):
        privacy_curve(TRUE, FALSE).epsilon_at(wrong)
