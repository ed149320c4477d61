from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.judgement.input_pairs import evaluate, iterate_related_inputs, split_conjuncts
from hedgerow.verify.language.judgement import Undecided
from hedgerow.verify.language.program import Name, Truth
from hedgerow.verify.refute.path_values import BitWord
from verify.judgement.quadruples import judge


def states(before: str, left: str = "Walk", right: str = "Walk") -> list[dict[str, object]]:
    return [
        dict(state)
        for state in iterate_related_inputs(
            judge(f"{left} ~ {right} : {before} ==> res<1> = res<2>")
        )
    ]


def numbers(before: str) -> set[tuple[object, object]]:
    return {(state["x<1>"], state["x<2>"]) for state in states(before)}


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("x<1> = 1 and x<2> = 2", {(1, 2)}),
        ("x<1> = 1 and x<1> = x<2>", {(1, 1)}),
        ("0 <= x<1> and x<1> <= 1 and x<2> = x<1> + 3", {(0, 3), (1, 4)}),
        ("0 < x<1> and x<1> < 3 and x<2> = 0", {(1, 0), (2, 0)}),
        ("x<1> = 5 and abs(x<2> - x<1>) <= 1", {(5, 4), (5, 5), (5, 6)}),
        ("x<1> = 5 and abs(x<1> - x<2>) < 1", {(5, 5)}),
        ("x<1> = 5 and x<2> = 5 and x<1> < x<2>", set()),
        ("x<1> = 1 and 2 * x<2> = 4 and 0 <= x<2> and x<2> <= 9", {(1, 2)}),
        ("x<1> = 1/2 and x<2> = 1", set()),
        ("x<1> = 1 and x<2> <= 0 and 3 <= x<2>", set()),
    ],
)
def test_numbers_that_the_precondition_bounds(before: str, expected: set[tuple[int, int]]) -> None:
    assert numbers(before) == {(Fraction(a), Fraction(b)) for a, b in expected}


def test_booleans_and_bit_strings_are_finite() -> None:
    assert len(states("true", "Respond", "Respond")) == 4
    assert len(states("x<1> != x<2>", "Respond", "Respond")) == 2
    words = states("n<1> = 1 and n<2> = 2", "Pad", "Pad")
    assert len(words) == 8
    assert {state["m<1>"] for state in words} == {BitWord(1, 0), BitWord(1, 1)}


@pytest.mark.parametrize(
    ("before", "program", "reason"),
    [
        ("true", "Walk", "is unbounded"),
        ("0 <= x<1> and x<1> <= 1", "Walk", "x<2> is unbounded"),
        ("0 <= x<1> and x<1> <= 100000 and x<2> = 0", "Walk", "too many values"),
        ("n<1> = 100 and n<2> = 1", "Pad", "too many values"),
        ("true", "Lists", "is a list"),
        ("0 <= eps<1> and eps<1> <= 1", "Laplace", "is unbounded"),
        ("x<1> = 1 / x<2> and x<2> = 0", "Walk", "division by 0"),
    ],
)
def test_unbounded_inputs_are_undecided(before: str, program: str, reason: str) -> None:
    with pytest.raises(Undecided, match=reason):
        states(before, program, program)


def test_expressions() -> None:
    assert split_conjuncts(
        judge("Walk ~ Walk : x<1> = 1 and x<2> = 2 and true ==> true").precondition
    )[2] == Truth(True)
    with pytest.raises(Undecided, match="before it has a value"):
        evaluate(Name("nowhere"), {})
