"""Heads: noises, neighbours, claims, and how large a text may be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.program import (
    ARITY,
    NOWHERE,
    Claim,
    Kind,
    Name,
    Neighbours,
    Noise,
    Number,
    Parameter,
    Place,
    Relation,
)
from hedgerow.verify.language.signature import (
    CENTRED_NOISES,
    FUNCTIONS,
    MAX_TEXT_LENGTH,
    NOISE_NAMES,
    build_default_claim,
    build_number,
    check_text_size,
    normalise_claim,
    parse_neighbours,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

EPS = Parameter("eps", Kind.REAL, private=False)
X = Parameter("x", Kind.REAL, private=True)


def test_every_noise_and_every_function_has_its_word() -> None:
    assert set(NOISE_NAMES.values()) == set(Noise)
    assert all(ARITY[operator] == count for operator, count in FUNCTIONS.values())
    assert Noise.EXPONENTIAL not in CENTRED_NOISES


def test_a_text_has_a_size() -> None:
    assert check_text_size("x" * MAX_TEXT_LENGTH)
    with pytest.raises(UnsupportedProgram, match="characters"):
        check_text_size("x" * (MAX_TEXT_LENGTH + 1))


@pytest.mark.parametrize("value", [Fraction(10**101), Fraction(1, 10**101), Fraction(-(10**101))])
def test_a_number_has_a_size(value: Fraction) -> None:
    with pytest.raises(UnsupportedProgram, match="hundred digits"):
        build_number(value, NOWHERE)


def test_neighbours_are_words_and_two_of_them_are_counted() -> None:
    assert parse_neighbours("all", None, NOWHERE) == Neighbours(Relation.ALL)
    assert parse_neighbours("l1", 3, NOWHERE) == Neighbours(Relation.L1, 3)


@pytest.mark.parametrize(
    ("relation", "k", "told"),
    [
        ("any", None, "must be one of"),
        (["one"], None, "must be one of"),
        ("one", 2, "the others take none"),
        ("l1", None, "take a number"),
        ("group", 1.5, "integer"),
        ("group", True, "integer"),
        ("group", 0, "at least 1"),
    ],
)
def test_other_neighbours_are_refused(relation: object, k: object, told: str) -> None:
    with pytest.raises(UnsupportedProgram, match=told):
        parse_neighbours(relation, k, Place(2))


def test_a_claim_speaks_of_public_numbers() -> None:
    claim = Claim(Name("eps"), Neighbours(Relation.ONE))
    assert normalise_claim(claim, (EPS, X), NOWHERE) == claim
    for parameters in [
        (X,),
        (Parameter("eps", Kind.REAL, private=True),),
        (Parameter("eps", Kind.BOOL, private=False),),
    ]:
        with pytest.raises(UnsupportedProgram, match="mentions eps"):
            normalise_claim(claim, parameters, NOWHERE)
    with pytest.raises(UnsupportedProgram, match="mentions delta"):
        normalise_claim(
            Claim(Name("eps"), Neighbours(Relation.ONE), Name("delta")), (EPS,), NOWHERE
        )


def test_what_a_program_claims_that_does_not_say() -> None:
    assert build_default_claim((X, EPS)) == Claim(Name("eps"), Neighbours(Relation.ONE))
    assert build_default_claim((X,)) == Claim(Number(Fraction(0)), Neighbours(Relation.SECRET))
    assert (
        build_default_claim((Parameter("eps", Kind.REAL, private=True),)).neighbours.relation
        is Relation.SECRET
    )


BIT, WORD = Parameter("b", Kind.BOOL, private=True), Parameter("m", Kind.BITS, private=True)


@pytest.mark.parametrize(
    ("relation", "parameters", "meant"),
    [
        (Relation.ONE, (BIT, EPS), Relation.SECRET),
        (Relation.ONE, (WORD,), Relation.SECRET),
        (Relation.ALL, (BIT, WORD), Relation.SECRET),
        (Relation.L1, (BIT,), Relation.SECRET),
        (Relation.GROUP, (BIT,), Relation.SECRET),
        # one of two differs, which is less than both; a direction is less than any way; numbers and
        # lists have their measure
        (Relation.ONE, (BIT, WORD), Relation.ONE),
        (Relation.INCREASING, (BIT,), Relation.INCREASING),
        (Relation.ROW, (BIT,), Relation.ROW),
        (Relation.ALL, (BIT, X), Relation.ALL),
        (Relation.ONE, (Parameter("b", Kind.BOOL, private=True, list=True),), Relation.ONE),
        (Relation.ONE, (EPS,), Relation.ONE),
    ],
)
def test_data_that_are_no_numbers_differ_in_any_way(
    relation: Relation, parameters: tuple[Parameter, ...], meant: Relation
) -> None:
    claim = normalise_claim(Claim(Number(Fraction(1)), Neighbours(relation)), parameters, NOWHERE)
    assert claim.neighbours.relation is meant
    if relation is Relation.ONE and EPS in parameters:
        assert build_default_claim(parameters).neighbours.relation is meant
