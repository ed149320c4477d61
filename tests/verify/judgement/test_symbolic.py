from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.verify.judgement import symbolic
from hedgerow.verify.judgement.finite import FiniteCounterexample, FiniteProof
from hedgerow.verify.judgement.symbolic import (
    SymbolicCounterexample,
    SymbolicProof,
    decide_judgement,
    reduce_to_program,
)
from hedgerow.verify.language.judgement import Judgement, Undecided
from hedgerow.verify.language.program import Neighbours, Number, Relation
from hedgerow.verify.language.pseudocode import parse_document
from hedgerow.verify.refute.refute import run_refuter
from hedgerow.verify.verdict import VerdictKind
from hedgerow.verify.verifier import verify_judgement
from verify.judgement.quadruples import judge
from verify.language.reading import PROGRAMS

SAME = "res<1> = res<2>"
SECRET = Neighbours(Relation.SECRET)
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


DOCUMENT = parse_document((PROGRAMS / "continuous.hr").read_text(encoding="utf-8"))
TRUE = 15


@pytest.mark.parametrize("number", range(len(DOCUMENT.judgements)))
def test_continuous_judgements_get_no_wrong_verdict(number: int) -> None:
    """One true judgement needs a shift that depends on the sign of the distance, which is not among
    those tried.
    """
    pytest.importorskip("z3")
    judgement = DOCUMENT.judgements[number]
    assert isinstance(judgement, Judgement)
    found = decide_judgement(judgement)
    expected = "REFUTED" if number >= TRUE else "UNKNOWN" if number == 13 else "PROVED"
    assert found.verdict == expected, found


def test_renamed_parameters_never_collide() -> None:
    """``eps`` gets a name that neither a parameter nor a variable of the program has."""
    text = """
Shift(d : private real, eps : public real, eps_ : public real) : public real
  eps__ := 2 * eps_;
  z :=$ Laplace(1);
  return d + eps + eps__ + z

judge Shift ~ Shift : d<1> = d<2> and eps<1> = 1 and eps<2> = 3/2 and eps_<1> = eps_<2> ==> SAME [B]
"""
    for budget, verdict in (("1/2", "PROVED"), ("2/5", "REFUTED")):
        written = text.replace("SAME", SAME).replace("[B]", f"[{budget}]")
        (judgement,) = parse_document(written).judgements
        assert isinstance(judgement, Judgement)
        assert reduce_to_program(judgement).renamed["eps"] == "eps___"
        found = decide_judgement(judgement)
        assert found.verdict == verdict
        if isinstance(found, SymbolicCounterexample):
            assert found.witness.first["eps___"] == 1


def test_a_witness_counts_only_if_the_judgement_as_written_confirms_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A refuter that forgets the precondition finds pairs that are none of the judgement's."""
    pytest.importorskip("z3")
    judgement = judge(f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1/2 and {EPS} ==> {SAME} [1/2]")
    reduction = reduce_to_program(judgement)
    careless = replace(reduction.program, claim=replace(reduction.program.claim, neighbours=SECRET))
    wrong = run_refuter(careless)
    assert wrong.counterexample is not None
    monkeypatch.setattr(symbolic, "run_refuter", lambda *_, **__: wrong)
    assert decide_judgement(judgement).verdict == "PROVED"


def test_a_budget_may_be_a_parameter_that_both_runs_share() -> None:
    pytest.importorskip("z3")
    equal = "abs(x<1> - x<2>) <= 1 and eps<1> = eps<2>"
    assert decide_judgement(judge(f"Laplace ~ Laplace : {equal} ==> {SAME} [eps<1>]"))
    assert isinstance(
        decide_judgement(judge(f"Laplace ~ Laplace : {equal} ==> {SAME} [eps<2> / 2]")),
        SymbolicCounterexample,
    )
    assert isinstance(
        decide_judgement(judge(f"Laplace ~ Laplace : x<1> = x<2> ==> {SAME} [eps<1>]")), Undecided
    )


@pytest.mark.parametrize(
    ("text", "relation", "names"),
    [
        (
            f"Laplace ~ Laplace : abs(x<1> - x<2>) <= 1 and {EPS} ==> {SAME} [1]",
            Relation.JUDGEMENT,
            ["x"],
        ),
        (f"Laplace ~ Laplace : eps<1> = eps<2> ==> {SAME}", Relation.SECRET, ["x", "eps_"]),
        (
            f"Laplace ~ Laplace : x<1> <= x<2> and eps<1> = eps<2> ==> {SAME}",
            Relation.JUDGEMENT,
            ["x", "eps_"],
        ),
    ],
)
def test_judgements_as_claims(text: str, relation: Relation, names: list[str]) -> None:
    program = reduce_to_program(judge(text)).program
    assert program.claim.neighbours.relation is relation
    assert [one.name for one in program.parameters] == names
    if "eps<1> = 1" in text:
        arguments = program.samples[0].parameters[0].arguments  # type: ignore[union-attr]
        assert Number(Fraction(1)) in arguments


@pytest.mark.parametrize(
    "text",
    [
        f"Laplace ~ Walk : true ==> {SAME}",
        "Laplace ~ Laplace : true ==> x<1> = x<2>",
        "Laplace ~ Laplace : true ==> res<1> = 1",
        f"Lists ~ Lists : true ==> {SAME}",
    ],
)
def test_other_judgements_are_no_claims(text: str) -> None:
    with pytest.raises(Undecided):
        reduce_to_program(judge(text))
    assert isinstance(decide_judgement(judge(text), seconds=5), Undecided)


def test_a_judgement_that_cannot_be_decided_says_so() -> None:
    text = (
        "Lap(x : private real) : public real\n  z :=$ Laplace(1)\n  return x * x + z\njudge Lap ~"
        " Lap : x<1> <= x<2> ==> res<1> <= res<2>"
    )
    (judgement,) = parse_document(text).judgements
    verdict = verify_judgement(judgement)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert verdict.reason
