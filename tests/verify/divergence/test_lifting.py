from __future__ import annotations

import operator
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import example, given

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.rounding import exp_down, exp_up
from hedgerow.verify.divergence.coupling import Coupling, Violation, coupling
from hedgerow.verify.divergence.distance import epsilon_distance, one_sided_distance
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.lifting import STAR, Lifting, lifting
from verify.divergence.distributions import (
    clamped_laplace,
    deltas,
    epsilons,
    events,
    few,
    image,
    laws,
    ratios,
    relations,
    response,
)

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def check(
    found: Lifting | Violation,
    one: Distribution,
    other: Distribution,
    relation: frozenset[tuple[int, int]],
    e: Epsilon,
) -> None:
    """The definition, from the witnesses alone."""
    if isinstance(found, Violation):
        assert (
            one.probability(found.event)
            > e.exp * other.probability(image(relation, found.event)) + found.delta
        )
        return
    left, right = found.left, found.right
    assert left.push(lambda pair: pair[0]) == one.atoms
    assert right.push(lambda pair: pair[1]) == other.atoms
    assert all(
        pair in relation for witness in (left, right) for pair in witness.atoms if STAR not in pair
    )
    assert one_sided_distance(left, right, e).value <= found.delta


@given(laws(), laws(), relations(), epsilons(), deltas())
def test_two_witnesses_or_the_set_that_rules_them_out(
    one: Distribution,
    other: Distribution,
    relation: frozenset[tuple[int, int]],
    e: Epsilon,
    delta: Fraction,
) -> None:
    found = lifting(one, other, relation, e, delta)
    check(found, one, other, relation, e)
    allowed = all(
        one.probability(event) <= e.exp * other.probability(image(relation, event)) + delta
        for event in events(one)
    )
    assert isinstance(found, Lifting) == bool(found) == allowed


@few
@given(laws(), laws(), epsilons(), deltas())
def test_over_equality_it_is_the_distance_in_each_direction(
    one: Distribution, other: Distribution, e: Epsilon, delta: Fraction
) -> None:
    there, back = (
        bool(lifting(*pair, operator.eq, e, delta)) for pair in ((one, other), (other, one))
    )
    assert there == (one_sided_distance(one, other, e).value <= delta)
    assert back == (one_sided_distance(other, one, e).value <= delta)
    assert (there and back) == (epsilon_distance(one, other, e).value <= delta)


@given(laws(), laws(), ratios())
def test_the_distance_is_the_smallest_delta_that_lifts(
    one: Distribution, other: Distribution, e: Epsilon
) -> None:
    least = one_sided_distance(one, other, e).value.rational
    assert least is not None
    found = lifting(one, other, operator.eq, e, least)
    assert isinstance(found, Lifting)
    assert found.distance == least
    if least:
        broken = lifting(one, other, operator.eq, e, least * Fraction(10**12 - 1, 10**12))
        assert isinstance(broken, Violation)
        assert broken.likely - e.exp * broken.rare == least


@given(laws(), laws(), relations())
@example(Distribution({0: 1}), Distribution({0: 1}), frozenset({(0, 0)}))
def test_at_epsilon_and_delta_zero_it_is_a_coupling(
    one: Distribution, other: Distribution, relation: frozenset[tuple[int, int]]
) -> None:
    lifted, coupled = lifting(one, other, relation, 0), coupling(one, other, relation)
    assert bool(lifted) == bool(coupled)
    if isinstance(lifted, Lifting):
        assert isinstance(coupled, Coupling)
        assert lifted.left == lifted.right == coupled.joint


def test_randomised_response_at_its_epsilon() -> None:
    one, other = response(HALF, 0), response(HALF, 1)
    found = lifting(one, other, operator.eq, ln(3))
    assert isinstance(found, Lifting)
    assert found.left == {(0, 0): Fraction(3, 4), (1, 1): Fraction(1, 4)}
    assert found.right == {
        (0, 0): Fraction(1, 4),
        (1, 1): Fraction(1, 12),
        (STAR, 1): Fraction(2, 3),
    }
    assert (found.distance, found.ratio) == (0, 3)
    assert not coupling(one, other, operator.eq), (
        "one joint law cannot say it: the marginals differ"
    )
    assert lifting(one, other, operator.eq, 0, HALF)
    assert repr(STAR) == "STAR"


def test_laplace_noise_costs_the_distance_it_is_moved_beyond_its_shift() -> None:
    """x and x + 1: noise aligned with output b = a + k costs |k - 1| ln 3 (the rule for Laplace
    noise in relational logics).
    """
    q = Fraction(1, 3)
    one, other = clamped_laplace(q, 0, -8, 8), clamped_laplace(q, 1, -8, 8)
    wide = clamped_laplace(q, 1, -30, 30)
    assert lifting(one, other, operator.eq, ln(3))
    assert not lifting(one, other, operator.eq, ln(Fraction(29, 10)))
    inner = {(a, a + 1) for a in one if a + 1 in wide}
    assert not lifting(one, wide, inner, 0), "the lumped tails differ"
    assert lifting(one, wide, inner, 0, one[-8] + one[8])


@pytest.mark.parametrize("digits", [8, 12, 30, 60])
def test_a_ratio_just_below_or_above_an_irrational_one(digits: int) -> None:
    below, above = TENTH * exp_down(Fraction(1), digits), TENTH * exp_up(Fraction(1), digits)
    other = {0: TENTH, 1: 1 - TENTH}
    found = lifting({0: below, 1: 1 - below}, other, operator.eq, 1)
    assert isinstance(found, Lifting)
    assert found.ratio * TENTH >= below
    assert found.ratio < Epsilon(Fraction(1)).exp
    broken = lifting({0: above, 1: 1 - above}, other, operator.eq, 1)
    assert isinstance(broken, Violation)
    assert broken.event == frozenset({0})


@pytest.mark.parametrize("epsilon", [0, HALF, ln(2), 5])
def test_publishing_everything_with_probability_delta(epsilon: Epsilon | float) -> None:
    one, other = ({table: TENTH, "nothing": 1 - TENTH} for table in ("ill", "well"))
    found = lifting(one, other, operator.eq, epsilon, TENTH)
    assert isinstance(found, Lifting)
    assert found.left["ill", STAR] == TENTH
    broken = lifting(one, other, operator.eq, epsilon, TENTH - Fraction(1, 10**30))
    assert isinstance(broken, Violation)
    assert broken.event == frozenset({"ill"})


def test_false_witnesses_cannot_be_made() -> None:
    found = lifting(response(HALF, 0), response(HALF, 1), operator.eq, ln(3))
    assert isinstance(found, Lifting)
    for wrong, message in (
        ({"left": found.right}, "first marginal"),
        ({"right": found.left}, "second of right"),
        ({"relation": frozenset({(0, 0)})}, "inside the relation"),
        ({"ratio": Fraction(2)}, r"within \(epsilon, delta\)"),
        ({"epsilon": ln(2)}, r"within \(epsilon, delta\)"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            replace(found, **wrong)  # type: ignore[arg-type]


def test_bad_input() -> None:
    law = {0: 1}
    for wrong, message in (
        ((-1, 0), "epsilon"),
        ((1, 2), "delta"),
        ((1, -0.1), "delta"),
        ((1, "0"), "delta"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            lifting(law, law, operator.eq, *wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="must not be STAR"):
        lifting({STAR: 1}, law, operator.eq, 1)
    with pytest.raises(InvalidArgument, match="one must sum to exactly 1"):
        lifting({0: 0.5}, law, operator.eq, 1)
