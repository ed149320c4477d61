"""Inputs that a precondition relates: all satisfy it, and corners are as far apart as it allows."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.judgement.symbolic import reduce_to_program
from hedgerow.verify.prove.related_inputs import RelatedInputs
from hedgerow.verify.refute.neighbours import are_neighbours
from verify.judgement.quadruples import judge


def make(before: str) -> RelatedInputs:
    judgement = judge(f"Laplace ~ Laplace : {before} ==> res<1> = res<2> [1]")
    return RelatedInputs(reduce_to_program(judgement).program)


def test_corners_satisfy_the_precondition_at_its_extremes() -> None:
    related = make("abs(x<1> - x<2>) <= 1/2 and x<1> <= x<2> and eps<1> = eps<2>")
    corners = list(related.iterate_corners())
    moves = {second - first for first, second in (one["x"] for one in corners)}
    assert Fraction(1, 2) in moves
    assert all(0 <= move <= Fraction(1, 2) for move in moves)
    for one in corners:
        first, second = ({name: pair[run] for name, pair in one.items()} for run in (0, 1))
        assert are_neighbours(related.program, first, second)
        assert first["eps_"] > 0  # the scale is 1 / eps


def test_picked_values_are_taken_where_they_fit() -> None:
    related = make("x<1> <= x<2> and eps<1> = eps<2>")
    found = related.find_pair(lambda: [Fraction(3), Fraction(-1)])
    assert found == {"x": (3, 3), "eps_": (3, 3)}


def test_a_precondition_without_inputs() -> None:
    related = make("x<1> <= x<2> and x<2> <= x<1> - 1 and eps<1> = eps<2>")
    assert related.find_pair(list) is None
    assert list(related.iterate_corners()) == []
