from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.randomized_response import RandomizedResponse
from hedgerow.numeric.rounding import exp_down, exp_up
from hedgerow.verify.divergence.distance import (
    Distance,
    cumulative_losses,
    epsilon_distance,
    one_sided_distance,
)
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from verify.divergence.distributions import clamped_laplace, epsilons, events, few, laws, response

THIRD = Fraction(1, 3)


@few
@given(laws(), laws(), epsilons())
def test_no_event_does_better(one: Distribution, other: Distribution, epsilon: Epsilon) -> None:
    found = epsilon_distance(one, other, epsilon)
    ratio = epsilon.exp
    for event in events({*one, *other}):
        p, q = one.probability(event), other.probability(event)
        assert p - ratio * q <= found.value
        assert q - ratio * p <= found.value
    sides = (one, other) if found.direction == "one" else (other, one)
    assert (found.likely, found.rare) == tuple(side.probability(found.event) for side in sides)
    assert found.value == found.likely - ratio * found.rare
    assert found.value >= 0


@given(laws(), laws())
def test_at_epsilon_zero_it_is_total_variation(one: Distribution, other: Distribution) -> None:
    half = sum(abs(one.at(z) - other.at(z)) for z in {*one, *other}) / 2
    assert epsilon_distance(one, other, 0).value.rational == half
    assert (epsilon_distance(one, other, 0).value == 0) == (one == other)


@few
@given(laws(), laws(), laws(), epsilons(), epsilons())
def test_symmetry_growth_and_triangle(
    one: Distribution, other: Distribution, third: Distribution, e: Epsilon, f: Epsilon
) -> None:
    here = epsilon_distance(one, other, e).value
    assert here == epsilon_distance(other, one, e).value
    assert epsilon_distance(one, other, e + f).value <= here
    # one(E) <= e^e other(E) + here and other(E) <= e^f third(E) + there.
    there = epsilon_distance(other, third, f).value
    assert one_sided_distance(one, third, e + f).value <= here + e.exp * there


def test_randomised_response_is_at_distance_zero_at_its_epsilon_and_nowhere_before() -> None:
    one, other = response(Fraction(1, 2), 0), response(Fraction(1, 2), 1)
    assert one == {0: Fraction(3, 4), 1: Fraction(1, 4)}
    assert epsilon_distance(one, other, ln(3)).value == 0
    assert epsilon_distance(one, other, ln(3)).event == frozenset()
    assert epsilon_distance(one, other, ln(2)) == Distance(
        ln(2), "one", frozenset({0}), Fraction(3, 4), Fraction(1, 4)
    )
    assert epsilon_distance(one, other, ln(2)).value == Fraction(1, 4)
    assert epsilon_distance(one, other, 0).value == Fraction(1, 2)
    low, high = ln(3).bounds()
    assert epsilon_distance(one, other, low).value > 0
    assert epsilon_distance(one, other, high).value == 0


@pytest.mark.parametrize("values", [2, 3, 10])
@pytest.mark.parametrize("truth", [Fraction(1, 2), Fraction(1, 10), Fraction(99, 100)])
def test_randomised_response_over_many_values(truth: Fraction, values: int) -> None:
    one, other = response(truth, 0, values), response(truth, 1, values)
    epsilon = ln(1 + values * truth / (1 - truth))
    assert epsilon_distance(one, other, epsilon).value == 0
    assert epsilon_distance(one, other, 0).value == truth
    charged = RandomizedResponse(truth, values).loss().epsilon
    assert epsilon <= charged < epsilon + Fraction(1, 10**11)
    assert epsilon_distance(one, other, charged).value == 0


@pytest.mark.parametrize("shift", [1, 2, 3])
def test_laplace_noise(shift: int) -> None:
    one, other = clamped_laplace(THIRD, 0, -6, 8), clamped_laplace(THIRD, shift, -6, 8)
    assert epsilon_distance(one, other, shift * ln(3)).value == 0
    assert epsilon_distance(one, other, shift * ln(3)).event == frozenset()
    # One step short the event is {z <= 0}, where the ratio is q^-shift: (1 - e^eps q^shift)/(1 +
    # q).
    short = epsilon_distance(one, other, (shift - 1) * ln(3))
    assert (
        short.value
        == (1 - Fraction(3) ** (shift - 1) * THIRD**shift) / (1 + THIRD)
        == Fraction(1, 2)
    )
    assert short.event == frozenset(range(-6, 1))


def test_laplace_noise_cut_off_instead_of_lumped_is_not_private() -> None:
    """Truncation drops the tails, and what only one side can say gives it away."""
    one, other = ({z + at: THIRD ** abs(z) for z in range(-5, 6)} for at in (0, 1))
    cut = [Distribution.proportional(side) for side in (one, other)]
    left = epsilon_distance(*cut, ln(3))
    assert left.event == frozenset({-5})
    assert left.rare == 0
    assert left.value == THIRD**5 / sum(THIRD ** abs(z) for z in range(-5, 6))
    assert epsilon_distance(*cut, 10_000).value == left.value


@pytest.mark.parametrize("epsilon", [0, Fraction(1, 100), 0.5, 1, ln(3), 100, 10_000])
def test_publishing_everything_with_probability_delta_is_delta_away_at_every_epsilon(
    epsilon: Epsilon | float,
) -> None:
    delta = Fraction(1, 1000)
    one, other = ({table: delta, "nothing": 1 - delta} for table in ("Ann: ill", "Ann: well"))
    found = epsilon_distance(one, other, epsilon)
    assert found.value == delta
    assert found.event == frozenset({"Ann: ill"})
    assert (found.likely, found.rare) == (delta, 0)


def test_the_excess_at_a_plain_epsilon_is_an_exact_number_too() -> None:
    found = epsilon_distance({0: 0.75, 1: 0.25}, {0: 0.25, 1: 0.75}, 0.5)
    assert found.value.rational is None
    assert repr(found.value) == "3/4 - 1/4 e^(1/2)"
    assert math.isclose(float(found), 0.75 - 0.25 * math.exp(0.5), rel_tol=1e-15)


@pytest.mark.parametrize("digits", [10, 60, 200])
def test_a_ratio_as_close_to_e_as_one_likes_falls_on_the_right_side(digits: int) -> None:
    tenth = Fraction(1, 10)
    below, above = tenth * exp_down(Fraction(1), digits), tenth * exp_up(Fraction(1), digits)
    other = {0: tenth, 1: 1 - tenth}
    assert one_sided_distance({0: below, 1: 1 - below}, other, 1).value == 0
    found = one_sided_distance({0: above, 1: 1 - above}, other, 1)
    assert found.event == frozenset({0})
    assert 0 < found.value < Fraction(1, 10 ** (digits - 2))


def test_one_side_may_be_far_and_the_other_near() -> None:
    one, other = {"a": 0.1, "b": 0.9}, {"b": 1}
    assert one_sided_distance(one, other, 1).value == Fraction(1, 10)
    assert one_sided_distance(other, one, 1).value == 0
    found = epsilon_distance(other, one, 1)
    assert (found.direction, found.event) == ("other", frozenset({"a"}))


def test_cumulative_ratios_stay_within_epsilon() -> None:
    one, other = clamped_laplace(THIRD, 0, -4, 5), clamped_laplace(THIRD, 1, -4, 5)
    losses = cumulative_losses(one, other)
    assert [t for t, _ in losses] == list(range(-4, 6))
    assert all(loss <= ln(3) for _, loss in losses)
    assert all(loss == ln(3) for t, loss in losses if t <= 0)
    # F_x(1) = 1 - q^2/(1+q) = 11/12 and F_x'(1) = 1 - q/(1+q) = 3/4.
    assert dict(losses)[1] == ln(Fraction(11, 9))
    assert dict(losses)[5] == 0
    assert cumulative_losses(other, one)[0][1] == ln(THIRD)


def test_cumulative_ratios_without_a_common_start() -> None:
    assert cumulative_losses({1: 1}, {0: 0, 2: 1}) == [(1, math.inf), (2, 0)]
    assert cumulative_losses({2: 1}, {1: 1}) == [(1, -math.inf), (2, 0)]
    with pytest.raises(InvalidArgument, match="in some order"):
        cumulative_losses({"a": 1}, {1: 1})


def test_words() -> None:
    far = epsilon_distance({z: Fraction(1, 10) for z in range(10)}, {"other": 1}, 0)
    assert (
        str(far)
        == "distance 1 at epsilon 0: {0, 1, 2, 3, 4, 5, 6, 7, … 2 more} has probability 1 on one,"
        " else 0"
    )
    assert "no event" in str(epsilon_distance({0: 1}, {0: 1}, ln(2)))


@pytest.mark.parametrize(
    ("one", "other", "epsilon", "argument"),
    [
        ({}, {0: 1}, 1, "one"),
        ({0: 1}, {0: 0.5}, 1, "other"),
        ({0: 1}, {0: math.nan}, 1, "other"),
        ({0: 1}, {0: 1}, -1, "epsilon"),
        ({0: 1}, {0: 1}, math.inf, "epsilon"),
        ({0: 1}, {0: 1}, "ln 3", "epsilon"),
    ],
)
def test_bad_input_names_the_argument(
    one: dict[int, float], other: dict[int, float], epsilon: float, argument: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        epsilon_distance(one, other, epsilon)
    assert caught.value.argument == argument
