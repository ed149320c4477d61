from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.judgement.final_states import OutputSequence, compute_final_states
from hedgerow.verify.language.judgement import Undecided
from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.path_values import BitWord, PathValue
from hedgerow.verify.refute.paths import PathLimits
from verify.judgement.quadruples import judge


def program(name: str) -> Program:
    return judge(f"{name} ~ {name} : true ==> true").left


def ends(name: str, wanted: str, **arguments: PathValue) -> dict[object, Fraction]:
    found = compute_final_states(program(name), arguments, frozenset(wanted.split()), PathLimits())
    return dict(found.items())


def test_the_distribution_of_variables_and_outputs() -> None:
    half = Fraction(1, 2)
    assert ends("Walk", "res", x=Fraction(3)) == {(("res", 2),): half, (("res", 4),): half}
    assert ends("Walk", "up x", x=Fraction(3)) == {
        (("up", True), ("x", 3)): half,
        (("up", False), ("x", 3)): half,
    }
    assert ends("Walk", "", x=Fraction(3)) == {(): 1}


def test_several_outputs_form_one_sequence() -> None:
    told = ends("Twice", "res", m=BitWord(1, 0), k=BitWord(1, 1))
    assert told == {
        (("res", OutputSequence((BitWord(1, a), BitWord(1, 1 - a)))),): Fraction(1, 2)
        for a in (0, 1)
    }
    assert str(OutputSequence((BitWord(2, 1), True))) == "[01, True]"


@pytest.mark.parametrize(
    ("name", "wanted", "reason"),
    [
        ("Irrational", "res", "irrational probability"),
        ("Sometimes", "w", "w may be unassigned at the end"),
    ],
)
def test_infinite_or_irrational_programs_are_undecided(name: str, wanted: str, reason: str) -> None:
    with pytest.raises(Undecided, match=reason):
        ends(name, wanted, b=False)


def test_noise_of_infinitely_many_values() -> None:
    with pytest.raises(Undecided, match="infinite set"):
        ends("Laplace", "res", x=Fraction(0), eps=Fraction(1))
