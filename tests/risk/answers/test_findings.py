"""Findings in words, in the order of danger."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.conditions import Comparison, parse
from hedgerow.risk.answers.findings import KINDS, Finding, amount, beyond, brief, described, listed, ordered, people, sum_of


def test_the_most_dangerous_first() -> None:
    given = [
        Finding("published", "d", high=1),
        Finding("isolated", "c", high=2),
        Finding("isolated", "b", high=1, answers=("Q1", "Q2")),
        Finding("isolated", "a", high=1, answers=("Q1",)),
        Finding("possible", "e"),
        Finding("inconsistent", "0"),
    ]
    assert "".join(each.sentence for each in ordered(given)) == "0abcde"


def test_a_finding_is_of_a_kind_and_goes_into_json() -> None:
    assert Finding("value", "so", "who", 1, 1, ("Q1",), "Q1").to_dict()["answers"] == ["Q1"]
    with pytest.raises(InvalidArgument, match="kind must be one of inconsistent"):
        Finding("rumour", "so")
    assert next(iter(KINDS)) == "inconsistent"


def test_words() -> None:
    assert [people(size) for size in (0, 1, 1200)] == ["nobody has", "exactly one person has", "exactly 1,200 people have"]
    assert [amount(Fraction(text)) for text in ("-1200", "0.25")] == ["−1,200", "0.25"]
    terms = [("Q2", Fraction(-1)), ("Q1", Fraction(1)), ("Q3", Fraction(2)), ("Q4", Fraction(-1, 2))]
    assert sum_of(terms) == "Q1 + 2·Q3 − Q2 − (1/2)·Q4"
    assert sum_of([]) == ""
    assert brief("Q1 − Q2") == "Q1 − Q2"
    long = sum_of([(f"Q{place}", Fraction(1)) for place in range(30)])
    assert brief(long) == "Q0 + Q1 + Q2 + Q3 + Q4 + Q5 + Q6 + Q7 + … Q29"
    assert listed(["Q1"]) == "Q1"
    assert listed(["Q1", "Q2", "Q3"]) == "Q1, Q2 and Q3"


def test_who_is_meant_is_said_once() -> None:
    inside, outside = [parse("age = 21 AND sex = 'm'"), parse("sex = 'm'")], [parse("sex = 'm' AND age = 21 AND drugs = 'yes'")]
    assert described(inside, outside) == "age = 21 and sex = 'm', but not drugs = 'yes'"
    assert described([], [parse("a = 1"), parse("b = 1 AND c = 1")]) == "neither a = 1 nor (b = 1 and c = 1)"
    assert described([parse("")], [parse("a = 1")]) == "not a = 1"
    assert beyond(parse("a = 1"), [parse("a = 1")]) == "any values"


def test_a_group_of_a_value_is_said_like_the_value() -> None:
    group = Comparison("ward", "is", ("B4",))
    assert described([group, parse("ward = 'B4'")], [parse("ward = 'B4' AND age < 80")]) == "ward = 'B4', but not age < 80"
    assert beyond(Comparison("ward", "is"), [group]) == "ward is missing"
