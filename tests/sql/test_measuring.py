"""Grids and clamps of sums."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.measures import Snap
from hedgerow.plan.values import Range, Type
from hedgerow.sql.measuring import MAX_AGGREGATES, result, snap
from sql.fixtures import ask


def numbers(type_: Type, low: int | Fraction, high: int | Fraction, step: Fraction | None = None) -> Range:
    return Range(type_, Fraction(low), Fraction(high), step)


@pytest.mark.parametrize(
    ("range_", "expected"),
    [
        (numbers("integer", -3, 7, Fraction(1)), Snap(Fraction(1), -3, 7)),
        (numbers("real", 0, 10, Fraction(1, 100)), Snap(Fraction(1, 100), 0, 1000)),
        (numbers("real", 0, 1), Snap(Fraction(1, 2**20), 0, 2**20)),
        (numbers("real", Fraction(-1, 3), 1, Fraction(1, 2)), Snap(Fraction(1, 2), -1, 2)),
        (numbers("real", 0, 2**41, Fraction(1)), Snap(Fraction(2**17), 0, 2**24)),  # no more than 2^24 steps
        (numbers("integer", 0, 2**24 + 1), Snap(Fraction(2), 0, 2**23 + 1)),
        (numbers("integer", 0, 2**62), Snap(Fraction(2**38), 0, 2**24)),
        (numbers("real", 2**60, 2**60 + 1), Snap(Fraction(2**37), 2**23, 2**23)),
        (numbers("real", Fraction(1, 2), Fraction(1, 2)), Snap(Fraction(1, 2), 1, 1)),
        (numbers("real", 0, 0), Snap(Fraction(1), 0, 0)),
    ],
)
def test_a_range_has_its_grid(range_: Range, expected: Snap) -> None:
    assert snap(range_) == expected


def test_what_has_no_grid() -> None:
    assert snap(Range("integer")) is None
    assert snap(numbers("real", 0, Fraction(1, 2**1000))) is None


def test_equal_aggregates_are_measured_once() -> None:
    question = ask("SELECT SUM(age), SUM( AGE ), SUM(visits.age + 0), AVG(age), COUNT(1), COUNT(*) FROM visits")
    assert [call.name for call in question.aggregates] == ["a0", "a1", "a2", "a3"]
    assert len(question.plan.measures) == 3  # age + 0 is age, once the plan is in its normal form


def test_too_many_aggregates_are_refused() -> None:
    most = ", ".join(f"SUM(age + {i})" for i in range(MAX_AGGREGATES))
    assert len(ask(f"SELECT {most} FROM visits").aggregates) == MAX_AGGREGATES
    with pytest.raises(Unsupported, match="more than 100 aggregates"):
        ask(f"SELECT {most}, AVG(age) FROM visits")


def test_a_result_has_a_name_that_no_column_has() -> None:
    assert result("a0").column == "\0a0"
