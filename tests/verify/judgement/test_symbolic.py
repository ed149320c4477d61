from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.judgement.finite import FiniteCounterexample, FiniteProof
from hedgerow.verify.judgement.symbolic import (
    SymbolicCounterexample,
    SymbolicProof,
    decide_judgement,
    reduce_to_program,
)
from hedgerow.verify.language.judgement import Undecided
from hedgerow.verify.language.program import Number, Relation
from verify.judgement.quadruples import judge

SAME = "res<1> = res<2>"
EPS = "eps<1> = 1 and eps<2> = 1"


def test_finite_judgements_are_decided_as_such() -> None:
    assert isinstance(
        decide_judgement(judge(f"Respond ~ Respond : true ==> {SAME} [ln(3)]")), FiniteProof
    )
    assert isinstance(
        decide_judgement(judge(f"Respond ~ Respond : true ==> {SAME} [1]")), FiniteCounterexample
    )


@pytest.mark.parametrize(
    "text",
    [
        f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and {EPS} ==> {SAME} [1]",
        (
            "Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and eps<1> = 1 and eps<1> = eps<2> ==>"
            " res<2> = res<1> [1]"
        ),
        f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1/2 and {EPS} ==> {SAME} [1]",
        f"Laplace ~ Laplace : x<1> = x<2> and eps<1> = eps<2> ==> {SAME}",
        f"Pad ~ Pad : n<1> = n<2> ==> {SAME}",
        f"Wide ~ Wide : true ==> {SAME}",
    ],
)
def test_right_programs_are_proved(text: str) -> None:
    pytest.importorskip("z3")
    found = decide_judgement(judge(text))
    assert isinstance(found, SymbolicProof), found
    assert found.verdict == "PROVED"
    assert (
        str(found)
        == "holds: proved for all inputs that the precondition allows, where every scale is"
        " positive"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and {EPS} ==> {SAME} [9/10]",
        f"Laplace ~ Laplace : {EPS} ==> {SAME} [1]",
        f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and {EPS} ==> {SAME}",
    ],
)
def test_wrong_programs_are_refuted(text: str) -> None:
    pytest.importorskip("z3")
    found = decide_judgement(judge(text))
    assert isinstance(found, SymbolicCounterexample), found
    assert not found
    assert found.verdict == "REFUTED"
    assert found.witness.replay() == found.witness
    assert "probability" in str(found)


def test_a_witness_must_be_as_the_precondition_says() -> None:
    """True for inputs half as far apart; a witness for inputs 1 apart is no counterexample."""
    pytest.importorskip("z3")
    found = decide_judgement(
        judge(f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1/2 and {EPS} ==> {SAME} [1/2]")
    )
    assert isinstance(found, Undecided)


@pytest.mark.parametrize(
    ("text", "relation", "names"),
    [
        (
            f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and {EPS} ==> {SAME} [1]",
            Relation.ONE,
            ["x"],
        ),
        (
            (
                "Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and abs(eps<2> - eps<1>) <= 1 ==>"
                f" {SAME} [1]"
            ),
            Relation.ALL,
            ["x", "eps_"],
        ),
        (f"Laplace ~ Laplace : eps<1> = eps<2> ==> {SAME}", Relation.SECRET, ["x", "eps_"]),
        (
            f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 2 and eps<1> = eps<2> ==> {SAME}",
            Relation.SECRET,
            ["x", "eps_"],
        ),
    ],
)
def test_judgements_as_claims(text: str, relation: Relation, names: list[str]) -> None:
    program = reduce_to_program(judge(text))
    assert program.claim.neighbours.relation is relation
    assert [one.name for one in program.parameters] == names
    if "eps<1> = 1" in text:
        arguments = program.samples[0].parameters[0].arguments  # type: ignore[union-attr]
        assert Number(Fraction(1)) in arguments


@pytest.mark.parametrize(
    "text",
    [
        f"Laplace ~ Walk : true ==> {SAME}",
        "Laplace ~ Laplace : true ==> res<1> <= res<2>",
        "Laplace ~ Laplace : true ==> x<1> = x<2>",
        "Laplace ~ Laplace : true ==> res<1> = 1",
        f"Lists ~ Lists : true ==> {SAME}",
    ],
)
def test_other_judgements_are_no_claims(text: str) -> None:
    with pytest.raises(Undecided):
        reduce_to_program(judge(text))
    assert isinstance(decide_judgement(judge(text), seconds=5), Undecided)
