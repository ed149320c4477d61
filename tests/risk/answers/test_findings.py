"""Findings in words, in the order of danger."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.conditions import Comparison, parse_condition
from hedgerow.risk.answers.findings import (
    KINDS,
    DisclosureFinding,
    describe_group,
    describe_people,
    describe_remainder,
    format_amount,
    format_combination,
    shorten_combination,
    sort_findings,
)


def test_the_most_dangerous_first() -> None:
    given = [
        DisclosureFinding("published", "d", high=1),
        DisclosureFinding("isolated", "c", high=2),
        DisclosureFinding("isolated", "b", high=1, answers=("Q1", "Q2")),
        DisclosureFinding("isolated", "a", high=1, answers=("Q1",)),
        DisclosureFinding("possible", "e"),
        DisclosureFinding("inconsistent", "0"),
    ]
    assert "".join(each.sentence for each in sort_findings(given)) == "0abcde"


def test_a_finding_is_of_a_kind_and_goes_into_json() -> None:
    assert DisclosureFinding("value", "so", "who", 1, 1, ("Q1",), "Q1").to_dict()["answers"] == [
        "Q1"
    ]
    with pytest.raises(InvalidArgument, match="kind must be one of inconsistent"):
        DisclosureFinding("rumour", "so")
    assert next(iter(KINDS)) == "inconsistent"


def test_words() -> None:
    assert [describe_people(size) for size in (0, 1, 1200)] == [
        "nobody has",
        "exactly one person has",
        "exactly 1,200 people have",
    ]
    assert [format_amount(Fraction(text)) for text in ("-1200", "0.25")] == ["−1,200", "0.25"]
    terms = [
        ("Q2", Fraction(-1)),
        ("Q1", Fraction(1)),
        ("Q3", Fraction(2)),
        ("Q4", Fraction(-1, 2)),
    ]
    assert format_combination(terms) == "Q1 + 2·Q3 − Q2 − (1/2)·Q4"
    assert format_combination([]) == ""
    assert shorten_combination("Q1 − Q2") == "Q1 − Q2"
    long = format_combination([(f"Q{place}", Fraction(1)) for place in range(30)])
    assert shorten_combination(long) == "Q0 + Q1 + Q2 + Q3 + Q4 + Q5 + Q6 + Q7 + … Q29"


def test_the_people_of_a_finding_are_described_once() -> None:
    inside, outside = (
        [parse_condition("age = 21 AND sex = 'm'"), parse_condition("sex = 'm'")],
        [parse_condition("sex = 'm' AND age = 21 AND drugs = 'yes'")],
    )
    assert describe_group(inside, outside) == "age = 21 and sex = 'm', but not drugs = 'yes'"
    assert (
        describe_group([], [parse_condition("a = 1"), parse_condition("b = 1 AND c = 1")])
        == "neither a = 1 nor (b = 1 and c = 1)"
    )
    assert describe_group([parse_condition("")], [parse_condition("a = 1")]) == "not a = 1"
    assert describe_remainder(parse_condition("a = 1"), [parse_condition("a = 1")]) == "any values"


def test_a_group_of_a_value_is_said_like_the_value() -> None:
    group = Comparison("ward", "is", ("B4",))
    assert (
        describe_group(
            [group, parse_condition("ward = 'B4'")], [parse_condition("ward = 'B4' AND age < 80")]
        )
        == "ward = 'B4', but not age < 80"
    )
    assert describe_remainder(Comparison("ward", "is"), [group]) == "ward is missing"
