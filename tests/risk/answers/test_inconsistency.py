"""Answers that no table can have are named, and no more of them than are needed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.risk.answers.inconsistency import find_inconsistency
from hedgerow.risk.answers.lp_bounds import AnswerSystem


def found(atoms: int, *answers: tuple[int, object]) -> tuple[str, ...] | None:
    system = AnswerSystem.from_exact_answers(
        atoms, [(bits, Fraction(str(value))) for bits, value in answers]
    )
    broken = find_inconsistency(system, [f"Q{place}" for place in range(1, len(answers) + 1)])
    return None if broken is None else broken.answers


def test_consistent_answers_have_no_finding() -> None:
    assert found(2, (0b01, 3), (0b10, 1), (0b11, 4)) is None


def test_an_irreducible_set_is_named() -> None:
    assert sorted(
        found(4, (0b0001, 3), (0b1000, 7), (0b0010, 2), (0b0011, 4), (0b1111, 40)) or ()
    ) == ["Q1", "Q3", "Q4"]


@pytest.mark.parametrize("leave", [0, 2, 3])
def test_without_any_of_them_the_rest_fits(leave: int) -> None:
    answers = [(0b0001, 3), (0b1000, 7), (0b0010, 2), (0b0011, 4), (0b1111, 40)]
    del answers[leave]
    assert found(4, *answers) is None


def test_a_negative_count_stands_alone() -> None:
    system = AnswerSystem.from_exact_answers(2, [(0b01, Fraction(3)), (0b10, Fraction(-6))])
    broken = find_inconsistency(system, ["Q1", "Q2"])
    assert broken is not None
    assert broken.sentence.startswith("Q2 cannot be exact: it is −6, below 0.")


def test_a_sum_is_shown() -> None:
    broken = find_inconsistency(
        AnswerSystem.from_exact_answers(2, [(0b01, Fraction(3)), (0b11, Fraction(2))]), ["Q1", "Q2"]
    )
    assert broken is not None
    assert broken.combination == "Q2 − Q1"
    assert "so it is at least 0, but the answers make it −1" in broken.sentence


def test_half_a_person_is_no_count() -> None:
    system = AnswerSystem(1, (1,), (Fraction(3),), (Fraction(2),))  # 2.5, both ends made whole
    broken = find_inconsistency(system, ["Q1"])
    assert broken is not None
    assert broken.sentence.startswith("Q1 is not a whole number")


def test_whole_people_that_do_not_fit() -> None:
    assert found(4, (0b0011, 1), (0b0110, 1), (0b0101, 1), (0b1000, 1)) == ("Q1", "Q2", "Q3")
