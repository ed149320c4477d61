from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.policy.mistake import Mistake, check_distinct, check_name, format_number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "none"),
        (Fraction(3), "3"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 10**9), "1e-09"),
        (Fraction(1, 3), "1/3"),
        (Fraction(10**400), "a very long number"),
        (Fraction(1, 7**6000), "a very long number"),
    ],
)
def test_numbers_are_shown_as_a_custodian_writes_them(number: Fraction | None, text: str) -> None:
    assert format_number(number) == text


@pytest.mark.parametrize("name", ["", " ", " a", "a ", "a\tb", "a\x00"])
def test_names_that_nobody_can_see_are_refused(name: str) -> None:
    (mistake,) = check_name(("here",), name, "a column")
    assert mistake.path == ("here",)
    assert "the name of a column must be visible text" in mistake.message


def test_a_name_may_have_spaces_and_accents() -> None:
    assert not list(check_name((), "coût par nuit", "a column"))


def test_names_that_differ_in_case_only_are_one() -> None:
    found = list(check_distinct(("tables",), ["a", "B", "A", "b", "a"], "table"))
    assert [mistake.path for mistake in found] == [
        ("tables", "A"),
        ("tables", "b"),
        ("tables", "a"),
    ]
    assert found[0] == Mistake(
        ("tables", "A"), "table 'A' appears twice (as 'a'), since case does not matter: rename one"
    )
