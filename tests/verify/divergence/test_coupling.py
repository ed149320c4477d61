from __future__ import annotations

import operator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.coupling import Coupling, Violation, coupling
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon
from verify.divergence.distributions import events, image, laws, relations

HALF = Fraction(1, 2)


@given(laws(), laws(), relations())
def test_a_coupling_or_the_set_that_rules_it_out(
    one: Distribution, other: Distribution, relation: frozenset[tuple[int, int]]
) -> None:
    found = coupling(one, other, relation)
    violated = [
        event
        for event in events(one)
        if one.probability(event) > other.probability(image(relation, event))
    ]
    if isinstance(found, Coupling):
        assert not violated
        assert all(pair in relation for pair in found.joint.atoms)
        for z in {*one, *other}:
            assert sum(weight for (a, _), weight in found.joint.items() if a == z) == one.at(z)
            assert sum(weight for (_, b), weight in found.joint.items() if b == z) == other.at(z)
    else:
        assert found.event in violated
        assert found.image == image(relation, found.event)
        assert (
            found.likely
            == one.probability(found.event)
            > found.rare
            == other.probability(found.image)
        )
        assert not found


@given(laws(), laws())
def test_everything_couples_over_everything_and_only_equals_over_equality(
    one: Distribution, other: Distribution
) -> None:
    assert coupling(one, other, lambda _, __: True)
    found = coupling(one, other, operator.eq)
    assert bool(found) == (one.atoms == other.atoms)
    if isinstance(found, Coupling):
        assert found.joint == {(z, z): weight for z, weight in one.atoms.items()}


@given(laws(), laws())
def test_coupling_over_the_order_is_stochastic_dominance(
    one: Distribution, other: Distribution
) -> None:
    dominated = all(
        one.probability(lambda z, t=t: z >= t) <= other.probability(lambda z, t=t: z >= t)
        for t in one
    )
    assert bool(coupling(one, other, operator.le)) == dominated


def test_a_shifted_die() -> None:
    die = {face: Fraction(1, 6) for face in range(1, 7)}
    shifted = {face + 1: weight for face, weight in die.items()}
    found = coupling(die, shifted, lambda a, b: b == a + 1)
    assert isinstance(found, Coupling)
    assert found.joint == {(face, face + 1): Fraction(1, 6) for face in range(1, 7)}
    broken = coupling(die, shifted, lambda a, b: a == b)
    assert isinstance(broken, Violation)
    assert broken.event == frozenset({1})
    assert (broken.likely, broken.rare) == (Fraction(1, 6), 0)
    assert (
        str(broken)
        == "{1} has probability 0.166667 on one, and all it is related to, {}, has 0 on other"
    )


def test_denominators_that_fit_no_machine_word() -> None:
    tiny = Fraction(1, 3**100)
    one, other = {0: HALF + tiny, 1: HALF - tiny}, {0: HALF, 1: HALF}
    down = coupling(one, other, operator.ge)
    up = coupling(one, other, operator.le)
    assert isinstance(down, Violation)
    assert down.likely - down.rare == tiny
    assert isinstance(up, Coupling)
    assert up.joint == {(0, 0): HALF, (0, 1): tiny, (1, 1): HALF - tiny}


def test_partial_laws_of_equal_mass() -> None:
    one, other = (Distribution(law, partial=True) for law in ({0: HALF}, {1: HALF}))
    assert coupling(one, other, operator.le)
    with pytest.raises(
        InvalidArgument, match=r"other must have the same mass as one, 1/2; got 1\."
    ):
        coupling(one, {1: 1}, operator.le)


def test_outcomes_of_probability_zero_may_be_named() -> None:
    found = coupling({0: 1, 1: 0}, {0: 0, 1: 1}, [(0, 1), (1, 0)])
    assert isinstance(found, Coupling)
    assert found.joint == {(0, 1): 1}


def test_a_false_coupling_cannot_be_made() -> None:
    found = coupling({0: HALF, 1: HALF}, {0: HALF, 1: HALF}, operator.eq)
    assert isinstance(found, Coupling)
    with pytest.raises(InvalidArgument, match="one as its marginal"):
        replace(found, one=Distribution({0: 1}))
    with pytest.raises(InvalidArgument, match="other as its marginal"):
        replace(found, other=Distribution({0: 1}))
    with pytest.raises(InvalidArgument, match="inside the relation"):
        replace(found, joint=Distribution({(0, 1): HALF, (1, 0): HALF}))


def test_a_false_violation_cannot_be_made() -> None:
    found = coupling({0: 1}, {1: 1}, operator.eq) or coupling(
        {0: 1}, {0: 0.75, 1: 0.25}, operator.eq
    )
    assert isinstance(found, Violation)
    assert found.image == frozenset({0})
    for weaker in (
        {"event": frozenset()},
        {"delta": Fraction(1, 4)},
        {"epsilon": Epsilon(Fraction(1))},
        {"other": found.one},
    ):
        with pytest.raises(InvalidArgument, match="likelier than its image allows"):
            replace(found, **weaker)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ([(0, 7)], "must pair an outcome of one with an outcome of other; got"),
        ([(7, 0)], "must pair an outcome"),
        ([(0, 0, 0)], "must be pairs"),
        ([[0, 0]], "must be pairs"),
        (None, "must be a function of two outcomes"),
    ],
)
def test_bad_relations(relation: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"relation {message}"):
        coupling({0: 1}, {0: 1}, relation)


@pytest.mark.parametrize(
    ("one", "other", "argument"), [({}, {0: 1}, "one"), ({0: 1}, {0: -1, 1: 2}, "other")]
)
def test_bad_laws(one: dict[int, int], other: dict[int, int], argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        coupling(one, other, operator.eq)
    assert caught.value.argument == argument
