from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.refute.counterexample import (
    Counterexample,
    compute_event_probability,
    evaluate_claim,
    evaluate_unit,
    find_epsilon_name,
    is_violation,
)
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.interval_arithmetic import RealInterval, compute_exp
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord
from verify.refute.programs import gallery, given, one

GALLERY = gallery()
BELOW = (OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), high=Fraction(0)),)),)


def bad_sum() -> Counterexample:
    program = GALLERY["bad_partial_sum"]
    first, second = given(q=[0], size=1, eps=1), given(q=[1], size=1, eps=1)
    return Counterexample(
        program,
        first,
        second,
        BELOW,
        compute_event_probability(program, first, BELOW),
        compute_event_probability(program, second, BELOW),
    )


def test_a_counterexample_reports_its_inputs_event_and_probabilities() -> None:
    witness = bad_sum()
    assert witness.likely == Fraction(1, 2)
    assert witness.rare == ExponentialSum(((Fraction(-2), Fraction(1, 2)),))
    assert witness.ratio == pytest.approx(math.exp(2))
    assert witness.loss == pytest.approx(2)
    assert witness.loss <= 2
    assert witness.event == "1 output: output 1 <= 0"
    assert "probability 0.5 against 0.0676676, ratio 7.38906" in str(witness)
    assert json.loads(json.dumps(witness.as_dict()))["exact"] == ["1/2", "1/2 e^(-2)"]
    assert witness.as_dict()["inputs"] == [
        {"eps": 1, "q": [0], "size": 1},
        {"eps": 1, "q": [1], "size": 1},
    ]


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
        {"second": given(q=[2], size=1, eps=1)},
        {"second": given(q=[1], size=1, eps=2)},
        {"second": given(q=[1, 1], size=1, eps=1)},
    ],
)
def test_a_counterexample_must_break_the_claim_on_neighbours(change: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument, match="counterexample must"):
        replace(bad_sum(), **change)  # type: ignore[arg-type]


def test_a_counterexample_needs_parameters_with_a_claim() -> None:
    program = one(
        "return x",
        "x: private[bool], a: public[float]",
        '@mechanism(epsilon="a", neighbours="secret")\n',
    )
    event = (OutputEvent(1, values=((0, True),)),)

    def build(a: str) -> Counterexample:
        return Counterexample(
            program,
            given(x=True, a=a),
            given(x=False, a=a),
            event,
            Fraction(1),
            Fraction(0),
            Fraction(0),
        )

    assert build("0").loss == math.inf
    with pytest.raises(InvalidArgument, match="for which the program claims privacy"):
        build("-1")


def test_equality_is_no_violation() -> None:
    e = compute_exp(Fraction(1))
    assert not is_violation(e, Fraction(1), Fraction(1), Fraction(0))
    assert is_violation(e, Fraction(1), Fraction(99, 100), Fraction(0))
    assert not is_violation(Fraction(1, 10), Fraction(0), Fraction(1), Fraction(1, 10))
    vague = RealInterval(Fraction(1, 10), Fraction(2, 10))
    assert not is_violation(vague, Fraction(0), Fraction(1), Fraction(15, 100)), (
        "bounds that do not decide"
    )
    assert is_violation(vague, Fraction(0), Fraction(1), Fraction(5, 100))


def test_infinite_losses() -> None:
    program = GALLERY["bad_sum_without_noise"]
    event = (OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), Fraction(0), Fraction(0)),)),)
    witness = Counterexample(
        program,
        given(q=[0], size=1, eps=1),
        given(q=[1], size=1, eps=1),
        event,
        Fraction(1),
        Fraction(0),
    )
    assert witness.ratio == witness.loss == math.inf
    assert json.loads(json.dumps(witness.as_dict()))["ratio"] == "infinite"
    assert witness.replay() == witness


def test_bounds_in_place_of_exact_probabilities() -> None:
    program = GALLERY["bad_geometric_mechanism"]
    first, second = given(x=0, eps=1), given(x=1, eps=1)
    witness = Counterexample(
        program,
        first,
        second,
        BELOW,
        compute_event_probability(program, first, BELOW),
        compute_event_probability(program, second, BELOW),
    )
    assert 1.999999 < witness.loss < 2
    assert isinstance(witness.as_dict()["exact"][0], list)


def test_a_lower_bound_need_not_break_the_claim() -> None:
    program = GALLERY["partial_sum"]
    first, second = given(q=[0], size=1, eps=1), given(q=[1], size=1, eps=1)
    sides = (
        compute_event_probability(program, first, BELOW),
        compute_event_probability(program, second, BELOW),
    )
    assert Counterexample(
        program, first, second, BELOW, *sides, multiple=Fraction(0)
    ).loss == pytest.approx(1)
    assert (
        Counterexample(program, second, first, BELOW, *reversed(sides), multiple=Fraction(0)).loss
        == 0
    )
    with pytest.raises(InvalidArgument, match="break the claim"):
        Counterexample(program, first, second, BELOW, *sides)


def test_words_of_any_width_and_numbers_beside_them() -> None:
    events = (OutputEvent(1, bits=((0, 300, True),)),)
    program = GALLERY["bad_pad_and"]
    first, second = given(m=BitWord(512, 2**512 - 1)), given(m=BitWord(512, 0))
    assert [compute_event_probability(program, side, events) for side in (first, second)] == [
        Fraction(1, 2),
        0,
    ]
    assert '"m": "1111' in json.dumps(
        Counterexample(program, first, second, events, Fraction(1, 2), Fraction(0)).as_dict()
    )
    counted = one(
        "k = uniform_bits(2)\nreturn 1 if bit(k, 0) else 0",
        "x: private[float]",
        '@mechanism(epsilon="0", neighbours="secret")\n',
    )
    assert compute_event_probability(counted, given(x=0), BELOW) == Fraction(1, 2), (
        "no circuit, and small enough to go through"
    )


def test_arguments_are_shown_as_people_write_them() -> None:
    shown = replace(
        bad_sum(), first=given(q=["1/2"], size=1, eps=1), second=given(q=["-1/2"], size=1, eps=1)
    ).as_dict()
    assert shown["inputs"][0]["q"] == [0.5]


def test_the_ratio_of_exact_probabilities_is_exact() -> None:
    assert bad_sum().exact_ratio is None
    program = GALLERY["bad_response_in_branches"]
    event = (OutputEvent(1, values=((0, True),)),)
    sides = [{"x": truth} for truth in (True, False)]
    found = Counterexample(
        program,
        sides[0],
        sides[1],
        event,
        *(compute_event_probability(program, side, event) for side in sides),
    )
    assert found.exact_ratio == 4
    assert replace(found, rare=Fraction(0)).exact_ratio is None


@pytest.mark.parametrize(
    ("a", "reason"),
    [("1/4", "may be negative"), ("1", "divides by 0"), ("3", "not positive")],
)
def test_parameters_without_a_claim_are_out_of_scope(a: str, reason: str) -> None:
    program = one(
        "return x",
        "x: private[bool], a: public[float]",
        '@mechanism(epsilon="ln(a / (1 - a))", neighbours="secret")\n',
    )
    assert evaluate_claim(program, given(a="1/2")) == (0, 0)
    with pytest.raises(OutOfScope, match=reason):
        evaluate_claim(program, given(a=a))


def test_claims_and_units_are_evaluated_at_the_public_parameters() -> None:
    arguments = given(q=[0, 0], size=2, eps="1/2")
    assert evaluate_claim(GALLERY["dummy_sum"], arguments) == (1, 0)
    assert evaluate_unit(GALLERY["dummy_sum"], arguments) == Fraction(1, 2)
    assert find_epsilon_name(GALLERY["dummy_sum"]) == "eps"
    assert find_epsilon_name(GALLERY["bad_classical_gaussian"]) is None
    assert evaluate_unit(GALLERY["bad_classical_gaussian"], given(x=0)) == 1
    # ln((1 - p) / p)
    assert evaluate_unit(
        GALLERY["response_that_lies_with"], given(p=Fraction(1, 4))
    ) == pytest.approx(math.log(3))
    assert evaluate_claim(GALLERY["bad_classical_gaussian"], given(x=0)) == (
        10,
        Fraction(1, 100_000),
    )
