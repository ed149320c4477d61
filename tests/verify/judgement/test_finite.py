from __future__ import annotations

import re
from fractions import Fraction

import pytest

from hedgerow.verify.divergence.coupling import Coupling, compute_marginal
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.lifting import STAR, Lifting
from hedgerow.verify.judgement.finite import (
    FiniteCounterexample,
    FiniteProof,
    decide_finite,
    parse_epsilon,
)
from hedgerow.verify.language.judgement import Undecided
from hedgerow.verify.language.program import Apply, Expression, Number
from verify.judgement.quadruples import judge

SAME = "res<1> = res<2>"
TWO_BITS = "n<1> = 2 and n<2> = 2"
VALID = {
    f"Pad ~ Pad : {TWO_BITS} ==> {SAME}": 16,
    f"Pad ~ Fair : {TWO_BITS} ==> {SAME}": 4,
    f"Pad ~ Pad : {TWO_BITS} ==> m<1> xor key<1> = m<2> xor key<2>": 16,
    f"Pad ~ Pad : {TWO_BITS} and m<1> = m<2> ==> key<1> = key<2>": 4,
    f"Leak ~ Leak : m<1> = m<2> ==> {SAME}": 4,
    f"Twice ~ Twice : m<1> xor k<1> = m<2> xor k<2> ==> {SAME}": 8,
    f"Respond ~ Respond : true ==> {SAME} [ln(3)]": 4,
    f"Respond ~ Respond : true ==> {SAME} [0, 1/2]": 4,
    f"Respond ~ Respond : true ==> {SAME} [1, 1/10]": 4,
    "Respond ~ Respond : x<1> != x<2> ==> res<1> != res<2>": 2,
    "Walk ~ Walk : 0 <= x<1> and x<1> <= 3 and x<2> = x<1> + 1 ==> res<2> = res<1> + 1": 4,
    "Walk ~ Walk : 0 <= x<1> and x<1> <= 3 and abs(x<1> - x<2>) <= 2 ==> res<1> <= res<2> + 2": 20,
    "Walk ~ Walk : x<1> = 0 and x<2> = 2 ==> res<1> <= res<2>": 1,
    f"Walk ~ Walk : x<1> = 0 and x<2> = 2 ==> {SAME} [0, 1/2]": 1,
    "Lazy ~ Lazy : x<1> = 0 and x<2> = 0 and p<1> = 1/4 and p<2> = 1/2 ==> res<1> <= res<2>": 1,
    f"Leak ~ Leak : false ==> {SAME}": 0,
}
INVALID = {
    f"Leak ~ Leak : true ==> {SAME}": (Fraction(1), Fraction(1, 2)),
    f"Leak ~ Pad : n<2> = 2 ==> {SAME}": (Fraction(1), Fraction(1, 4)),
    f"Twice ~ Twice : true ==> {SAME}": (Fraction(1), Fraction(0)),
    f"Pad ~ Pad : {TWO_BITS} ==> key<1> = key<2> and {SAME}": (Fraction(1), Fraction(0)),
    f"Respond ~ Respond : true ==> {SAME}": (Fraction(3, 4), Fraction(1, 4)),
    f"Respond ~ Respond : true ==> {SAME} [1]": (Fraction(3, 4), Fraction(1, 4)),
    f"Respond ~ Respond : true ==> {SAME} [0, 49/100]": (Fraction(3, 4), Fraction(1, 4)),
    "Respond ~ Respond : x<1> = x<2> ==> res<1> != res<2>": (Fraction(3, 4), Fraction(1, 4)),
    "Walk ~ Walk : x<1> = 0 and x<2> = 1 ==> res<1> = res<2>": (Fraction(1), Fraction(0)),
    "Lazy ~ Lazy : x<1> = 0 and x<2> = 0 and p<1> = 1/2 and p<2> = 1/4 ==> res<1> <= res<2>": (
        Fraction(1, 2),
        Fraction(1, 4),
    ),
    "Lazy ~ Lazy : x<1> = 0 and x<2> = 0 and p<1> = 1/2 and p<2> = 1/4 ==>"
    " res<1> <= res<2> [2/3]": (
        Fraction(1, 2),
        Fraction(1, 4),
    ),
}


@pytest.mark.parametrize("text", VALID)
def test_valid_quadruples_come_with_a_coupling_for_every_pair_of_inputs(text: str) -> None:
    found = decide_finite(judge(text))
    assert isinstance(found, FiniteProof), found
    assert found.verdict == "PROVED"
    assert len(found.cases) == VALID[text]
    for case in found.cases:
        shown = case.coupling
        if isinstance(shown, Coupling):  # checked here once more, by hand
            assert compute_marginal(shown.joint, 0) == shown.one.atoms
            assert compute_marginal(shown.joint, 1) == shown.other.atoms
            assert all(pair in shown.relation for pair in shown.joint.atoms)
        else:
            assert compute_marginal(shown.left, 0) == shown.one.atoms
            assert compute_marginal(shown.right, 1) == shown.other.atoms
            assert all(pair in shown.relation for pair in shown.left.atoms if STAR not in pair)
            assert shown.distance <= shown.delta
        assert isinstance(shown, Lifting) is ("[" in text)


@pytest.mark.parametrize("text", INVALID)
def test_invalid_quadruples_come_with_an_event(text: str) -> None:
    found = decide_finite(judge(text))
    assert isinstance(found, FiniteCounterexample), found
    assert not found
    assert found.verdict == "REFUTED"
    violation = found.violation
    assert (violation.likely, violation.rare) == INVALID[text]
    assert violation.likely == sum(violation.one[outcome] for outcome in violation.event)
    assert violation.rare == sum(violation.other[outcome] for outcome in violation.image)


def test_the_relation_of_a_coupling_is_the_postcondition() -> None:
    found = decide_finite(judge("Walk ~ Walk : x<1> = 0 and x<2> = 2 ==> res<1> <= res<2>"))
    assert isinstance(found, FiniteProof)
    relation = found.cases[0].coupling.relation
    assert {(dict(a)["res"], dict(b)["res"]) for a, b in relation} == {
        (-1, 1),
        (-1, 3),
        (1, 1),
        (1, 3),
    }


def test_results_as_text() -> None:
    assert (
        str(decide_finite(judge(f"Leak ~ Leak : false ==> {SAME}")))
        == "holds: no two inputs satisfy the precondition"
    )
    assert (
        str(decide_finite(judge(f"Pad ~ Fair : {TWO_BITS} ==> {SAME}")))
        == "holds: a coupling for each of 4 pairs of inputs"
    )
    leak = (
        "fails for m = 00 and m = 01: res = 00 has probability 1 in run 1, and the outcomes"
        " related to it have 1/2 in run 2"
    )
    assert str(decide_finite(judge(f"Leak ~ Leak : true ==> {SAME}"))) == leak


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"Walk ~ Walk : true ==> {SAME}", "x<1> is unbounded; bound it"),
        (
            (
                "Laplace ~ Laplace : x<1> = 0 and x<2> = 1 and eps<1> = 1 and eps<2> = 1 ==>"
                f" {SAME} [1]"
            ),
            "infinite set",
        ),
        (f"Wide ~ Wide : true ==> {SAME}", "too many values"),
        (f"Lists ~ Lists : true ==> {SAME}", "is a list"),
        (f"Endless ~ Endless : true ==> {SAME}", "more paths than the limits allow"),
        (f"Irrational ~ Irrational : true ==> {SAME}", "irrational probability"),
        (
            f"Respond ~ Respond : true ==> {SAME} [sqrt(2)]",
            "must be a rational number, a logarithm of one",
        ),
        (f"Respond ~ Respond : true ==> {SAME} [0 - 1]", "at least 0"),
        (f"Respond ~ Respond : true ==> {SAME} [0, 2]", "from 0 to 1"),
        ("Twice ~ Twice : true ==> res<1> = m<1>", "compare res<1> with res<2> as a whole"),
    ],
)
def test_infinite_judgements_are_undecided_with_a_reason(text: str, reason: str) -> None:
    found = decide_finite(judge(text))
    assert isinstance(found, Undecided)
    assert re.search(reason, found.reason), found.reason


def test_time_that_is_over_decides_nothing() -> None:
    assert isinstance(
        decide_finite(judge(f"Pad ~ Pad : {TWO_BITS} ==> {SAME}"), seconds=-1), Undecided
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (Number(Fraction(1, 2)), Epsilon(Fraction(1, 2))),
        (Apply("ln", (Number(Fraction(3)),)), ln(3)),
        (Apply("+", (Number(Fraction(1)), Apply("ln", (Number(Fraction(3)),)))), 1 + ln(3)),
        (Apply("*", (Number(Fraction(2)), Apply("ln", (Number(Fraction(3)),)))), 2 * ln(3)),
        (Apply("/", (Number(Fraction(1)), Number(Fraction(3)))), Epsilon(Fraction(1, 3))),
        (Apply("ln", (Apply("exp", (Number(Fraction(2)),)),)), Epsilon(Fraction(2))),
    ],
)
def test_epsilons_are_exact(expression: Expression, expected: Epsilon) -> None:
    assert parse_epsilon(expression) == expected
