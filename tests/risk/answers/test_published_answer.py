"""Answers as values: their ends, their question in whatever words, and what they refuse."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.conditions import EVERYBODY, parse_condition
from hedgerow.risk.answers.published_answer import (
    PublishedAnswer,
    PublishedAnswers,
    parse_bounds,
    parse_fraction,
)


@pytest.mark.parametrize(
    ("text", "within", "wanted"),
    [
        ("12", None, (12, 12)),
        (12, "", (12, 12)),
        ("1,234.5", None, (Fraction(2469, 2), Fraction(2469, 2))),
        ("10", "2.5", (Fraction(15, 2), Fraction(25, 2))),
        ("<5", None, (0, 4)),
        ("< 2.5", None, (0, 2)),
        ("*", None, (None, None)),
        (" ", None, (None, None)),
        (None, None, (None, None)),
        ("Suppressed", None, (None, None)),
    ],
)
def test_between_what_a_number_lies(
    text: object, within: object, wanted: tuple[object, object]
) -> None:
    assert parse_bounds(text, within) == wanted


def test_less_than_says_nothing_of_a_sum() -> None:
    assert parse_bounds("<5", measure="sum") == (None, None)


@pytest.mark.parametrize("text", ["many", True, [1], "1e999", "--3"])
def test_non_numeric_text_is_refused(text: object) -> None:
    with pytest.raises(InvalidArgument, match="must be a number"):
        parse_fraction(text)


def test_a_margin_is_not_negative() -> None:
    with pytest.raises(InvalidArgument, match="within must not be negative"):
        parse_bounds("3", "-1")


def test_an_answer_says_what_was_asked() -> None:
    answer = PublishedAnswer("Q1", parse_condition("b = 2 AND a = 1"), Fraction(1), Fraction(1))
    assert answer.value == 1
    assert answer.description == "people with b = 2 and a = 1"
    assert (
        answer.question_key
        == PublishedAnswer("Q2", parse_condition("a = 1 AND b = 2")).question_key
    )
    assert PublishedAnswer("Q3", EVERYBODY, Fraction(1), Fraction(2)).value is None
    assert (
        PublishedAnswer("Q4", EVERYBODY, measure="sum", column="income").description
        == "sum of income with any values"
    )


def test_answers_refuse_what_makes_no_sense() -> None:
    with pytest.raises(InvalidArgument, match="measure must be count, sum or mean; got 'median'"):
        PublishedAnswer("Q1", EVERYBODY, measure="median")
    with pytest.raises(InvalidArgument, match="column must be given for a sum"):
        PublishedAnswer("Q1", EVERYBODY, measure="sum")
    with pytest.raises(InvalidArgument, match="column must be given for a sum"):
        PublishedAnswer("Q1", EVERYBODY, column="income")
    with pytest.raises(InvalidArgument, match="low must not be above high"):
        PublishedAnswer("Q1", EVERYBODY, Fraction(2), Fraction(1))
    with pytest.raises(InvalidArgument, match="different names"):
        PublishedAnswers((PublishedAnswer("Q1", EVERYBODY), PublishedAnswer("Q1", EVERYBODY)))
    with pytest.raises(InvalidArgument, match="at least one readable answer; line 3: why not"):
        PublishedAnswers((), skipped_lines=((3, "why not"),))
