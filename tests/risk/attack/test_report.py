"""The report is marked, says what came out and what each epsilon means, and escapes what it
shows.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
from hedgerow.risk.attack.report import (
    build_attack_page,
    choose_failure_probability,
    describe_comparison,
    list_notes,
)
from hedgerow.risk.report_page import SENSITIVE_WARNING
from risk.helpers_attack import comparison, target

TINY = Fraction(1, 10**9)


def test_sentences() -> None:
    words = describe_comparison(comparison())
    assert words[0].endswith("exact, rounded to 5, rounded to 10, below 5 left out.")
    assert (
        "total epsilon 1: the best attack guesses 80.0 % right. No attack exceeds 81.61 % on"
        " average" in words[1]
    )
    assert words[1].endswith("A belief of 50 % can rise to 88.1 % at most.")
    assert len(words) == 3
    assert describe_comparison(comparison(delta=TINY))[1].endswith(
        "at most, except with a probability of 1 in 1,000,000."
    )


def test_an_alarm() -> None:
    assert describe_comparison(comparison(rate=0.9))[-1].startswith(
        "ALARM: above the ceiling, which should be impossible: epsilon 1 (one by one)."
    )


def test_success_above_the_ceiling_is_called_luck_and_few_people_are_reported() -> None:
    assert (
        "81.61 % on average (more than that is luck; use more runs)."
        in describe_comparison(comparison(rate=0.82))[1]
    )
    assert "luck" not in describe_comparison(comparison(rate=0.81))[1]
    assert list_notes(target()) == []
    fewer = replace(target(), requested_people=500)
    assert list_notes(fewer) == [
        "200 people were attacked instead of 500: the table has no more with the secret, or no"
        " more without it."
    ]
    assert list_notes(fewer)[0] in build_attack_page(fewer, comparison())


def test_nothing_was_rebuilt() -> None:
    safe = tuple(line for line in comparison().baseline_results if line.attack == "one by one")
    assert describe_comparison(replace(comparison(), baseline_results=safe))[0].startswith(
        "Hedgerow"
    )


@pytest.mark.parametrize(
    ("delta", "chance"),
    [
        (None, 0),
        (TINY, Fraction(1, 10**6)),
        (Fraction(1, 10**5), Fraction(1, 100)),
        (Fraction(1, 10), Fraction(1, 2)),
    ],
)
def test_a_bound_may_fail_with_a_chance_well_above_delta(
    delta: Fraction | None, chance: Fraction
) -> None:
    assert choose_failure_probability(HedgerowPublisher("change-one", Fraction(1), delta)) == chance


@pytest.mark.parametrize(("relation", "delta"), [("add-remove", None), ("change-one", TINY)])
def test_the_page(relation: str, delta: Fraction | None) -> None:
    text = build_attack_page(target(relation, delta), comparison(relation, delta))
    assert text.count(SENSITIVE_WARNING) == 2
    assert "Attack on smoker of visits" in text
    assert "<yes>" not in text
    assert "<7>" not in text
    assert text.count("<svg ") == 2
    assert "Choosing epsilon" in text
    assert ("in the data at all" in text) == (relation == "add-remove")
    assert ("delta 1e-09" in text) == (delta is not None)
    assert "Charged" in text
    assert "everybody is divided into random halves 700 times" in text
    assert "everybody is divided 12 times into groups of 4" in text
    assert "Only two numbers are taken from the table" in text
    bare = build_attack_page(
        target(), replace(comparison(), hedgerow_results=(), hedgerow_publishers=())
    )
    assert "Choosing epsilon" not in bare
