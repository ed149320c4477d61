from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.refuter.events import Event, Range
from hedgerow.verify.refuter.quantity import Interval, exponential
from hedgerow.verify.refuter.values import Word
from hedgerow.verify.refuter.witness import Witness, measured, violates
from verify.refuter.programs import gallery, given, one

GALLERY = gallery()
BELOW = (Event(1, ranges=(Range(((0, Fraction(1)),), high=Fraction(0)),)),)


def bad_sum() -> Witness:
    program = GALLERY["bad_partial_sum"]
    first, second = given(q=[0], size=1, eps=1), given(q=[1], size=1, eps=1)
    return Witness(program, first, second, BELOW, measured(program, first, BELOW), measured(program, second, BELOW))


def test_what_a_witness_says() -> None:
    witness = bad_sum()
    assert witness.likely == Fraction(1, 2)
    assert witness.rare == Amount(((Fraction(-2), Fraction(1, 2)),))
    assert witness.ratio == pytest.approx(math.exp(2))
    assert witness.loss == pytest.approx(2)
    assert witness.loss <= 2
    assert witness.event == "1 output: output 1 <= 0"
    assert "probability 0.5 against 0.0676676, ratio 7.38906" in str(witness)
    assert json.loads(json.dumps(witness.as_dict()))["exact"] == ["1/2", "1/2 e^(-2)"]
    assert witness.as_dict()["inputs"] == [{"eps": 1, "q": [0], "size": 1}, {"eps": 1, "q": [1], "size": 1}]


def test_it_is_computed_again_from_the_program_alone() -> None:
    witness = bad_sum()
    assert witness.replay() == witness
    forged = replace(witness, program=GALLERY["partial_sum"], rare=Fraction(0))
    with pytest.raises(InvalidArgument, match="break the claim"):
        forged.replay()


@pytest.mark.parametrize(
    "change",
    [
        {"rare": Fraction(1, 2)},
        {"likely": Fraction(0)},
        {"multiple": Fraction(2)},
        {"other": given(q=[2], size=1, eps=1)},
        {"other": given(q=[1], size=1, eps=2)},
        {"other": given(q=[1, 1], size=1, eps=1)},
    ],
)
def test_what_is_no_witness_cannot_be_made(change: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument, match="witness must"):
        replace(bad_sum(), **change)  # type: ignore[arg-type]


def test_there_is_no_witness_where_nothing_is_claimed() -> None:
    program = one("return x", "x: private[bool], a: public[float]", '@mechanism(epsilon="a", neighbours="secret")\n')
    event = (Event(1, values=((0, True),)),)

    def told(a: str) -> Witness:
        return Witness(program, given(x=True, a=a), given(x=False, a=a), event, Fraction(1), Fraction(0), Fraction(0))

    assert told("0").loss == math.inf
    with pytest.raises(InvalidArgument, match="for which something is claimed"):
        told("-1")


def test_equality_is_no_violation() -> None:
    e = exponential(Fraction(1))
    assert not violates(e, Fraction(1), Fraction(1), Fraction(0))
    assert violates(e, Fraction(1), Fraction(99, 100), Fraction(0))
    assert not violates(Fraction(1, 10), Fraction(0), Fraction(1), Fraction(1, 10))
    vague = Interval(Fraction(1, 10), Fraction(2, 10))
    assert not violates(vague, Fraction(0), Fraction(1), Fraction(15, 100)), "bounds that do not decide"
    assert violates(vague, Fraction(0), Fraction(1), Fraction(5, 100))


def test_infinite_losses() -> None:
    program = GALLERY["bad_sum_without_noise"]
    event = (Event(1, ranges=(Range(((0, Fraction(1)),), Fraction(0), Fraction(0)),)),)
    witness = Witness(program, given(q=[0], size=1, eps=1), given(q=[1], size=1, eps=1), event, Fraction(1), Fraction(0))
    assert witness.ratio == witness.loss == math.inf
    assert json.loads(json.dumps(witness.as_dict()))["ratio"] == "infinite"
    assert witness.replay() == witness


def test_bounds_in_place_of_exact_probabilities() -> None:
    program = GALLERY["bad_geometric_mechanism"]
    first, second = given(x=0, eps=1), given(x=1, eps=1)
    witness = Witness(program, first, second, BELOW, measured(program, first, BELOW), measured(program, second, BELOW))
    assert 1.999999 < witness.loss < 2
    assert isinstance(witness.as_dict()["exact"][0], list)


def test_a_lower_bound_need_not_break_the_claim() -> None:
    program = GALLERY["partial_sum"]
    first, second = given(q=[0], size=1, eps=1), given(q=[1], size=1, eps=1)
    sides = measured(program, first, BELOW), measured(program, second, BELOW)
    assert Witness(program, first, second, BELOW, *sides, multiple=Fraction(0)).loss == pytest.approx(1)
    assert Witness(program, second, first, BELOW, *reversed(sides), multiple=Fraction(0)).loss == 0
    with pytest.raises(InvalidArgument, match="break the claim"):
        Witness(program, first, second, BELOW, *sides)


def test_words_of_any_width_and_numbers_beside_them() -> None:
    told = (Event(1, bits=((0, 300, True),)),)
    program = GALLERY["bad_pad_and"]
    first, second = given(m=Word(512, 2**512 - 1)), given(m=Word(512, 0))
    assert [measured(program, side, told) for side in (first, second)] == [Fraction(1, 2), 0]
    assert '"m": "1111' in json.dumps(Witness(program, first, second, told, Fraction(1, 2), Fraction(0)).as_dict())
    counted = one(
        "k = uniform_bits(2)\nreturn 1 if bit(k, 0) else 0", "x: private[float]", '@mechanism(epsilon="0", neighbours="secret")\n'
    )
    assert measured(counted, given(x=0), BELOW) == Fraction(1, 2), "no circuit, and small enough to go through"


def test_arguments_are_shown_as_people_write_them() -> None:
    shown = replace(bad_sum(), one=given(q=["1/2"], size=1, eps=1), other=given(q=["-1/2"], size=1, eps=1)).as_dict()
    assert shown["inputs"][0]["q"] == [0.5]


def test_the_ratio_is_exact_where_both_chances_are() -> None:
    assert bad_sum().exact_ratio is None
    program = GALLERY["bad_response_in_branches"]
    event = (Event(1, values=((0, True),)),)
    sides = [{"x": truth} for truth in (True, False)]
    found = Witness(program, sides[0], sides[1], event, *(measured(program, side, event) for side in sides))
    assert found.exact_ratio == 4
    assert replace(found, rare=Fraction(0)).exact_ratio is None
