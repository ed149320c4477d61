"""Grids and clamps of values with bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.values import Range, Type
from hedgerow.sql.aggregates.grids import build_grid


def numbers(
    type_: Type, low: int | Fraction, high: int | Fraction, step: Fraction | None = None
) -> Range:
    return Range(type_, Fraction(low), Fraction(high), step)


@pytest.mark.parametrize(
    ("range_", "expected"),
    [
        (numbers("integer", -3, 7, Fraction(1)), ClampedGrid(Fraction(1), -3, 7)),
        (numbers("real", 0, 10, Fraction(1, 100)), ClampedGrid(Fraction(1, 100), 0, 1000)),
        (numbers("real", 0, 1), ClampedGrid(Fraction(1, 2**20), 0, 2**20)),
        (numbers("real", Fraction(-1, 3), 1, Fraction(1, 2)), ClampedGrid(Fraction(1, 2), -1, 2)),
        # no more than 2^24 steps
        (numbers("real", 0, 2**41, Fraction(1)), ClampedGrid(Fraction(2**17), 0, 2**24)),
        (numbers("integer", 0, 2**24 + 1), ClampedGrid(Fraction(2), 0, 2**23 + 1)),
        (numbers("integer", 0, 2**62), ClampedGrid(Fraction(2**38), 0, 2**24)),
        (numbers("real", 2**60, 2**60 + 1), ClampedGrid(Fraction(2**37), 2**23, 2**23)),
        (numbers("real", Fraction(1, 2), Fraction(1, 2)), ClampedGrid(Fraction(1, 2), 1, 1)),
        (numbers("real", 0, 0), ClampedGrid(Fraction(1), 0, 0)),
        (numbers("date", 700_000, 700_010), ClampedGrid(Fraction(1), 700_000, 700_010)),
    ],
)
def test_a_range_has_its_grid(range_: Range, expected: ClampedGrid) -> None:
    assert build_grid(range_) == expected


def test_ranges_without_bounds_have_no_grid() -> None:
    assert build_grid(Range("integer")) is None
    assert build_grid(numbers("real", 0, Fraction(1, 2**1000))) is None


def test_a_width_that_is_asked_for_is_kept() -> None:
    assert build_grid(numbers("integer", 0, 2**13), 2**13) == ClampedGrid(Fraction(1), 0, 2**13)
    assert build_grid(numbers("integer", 0, 2**13 + 1), 2**13) == ClampedGrid(
        Fraction(2), 0, 2**12 + 1
    )
    assert build_grid(numbers("integer", 10**6, 10**6 + 100), 2**12) == ClampedGrid(
        Fraction(1), 10**6, 10**6 + 100
    )
    for low, high, step in ((-1000, 7000, 1), (0, 3 * 2**30, 3), (-5, 2**53, Fraction(1, 7))):
        found = build_grid(numbers("real", low, high, Fraction(step)), 2**12)
        assert found is not None
        assert 2**11 - 2 <= found.high - found.low <= 2**12
