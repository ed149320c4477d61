"""The format of numbers, lists and plurals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.charts.number_text import (
    count_items,
    format_percent,
    format_rounded_up,
    format_share,
    format_size,
    join_words,
    list_first,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(5.0331, "5.033"), (600000.0, "600,000"), (2213328.0, "2,213,000"), (1e20, "1e+20")],
)
def test_sizes_have_four_digits(value: float, text: str) -> None:
    assert format_size(value) == text


def test_counts_take_the_plural_unless_there_is_one() -> None:
    assert (count_items(1, "row"), count_items(0, "row"), count_items(1200, "row")) == (
        "1 row",
        "0 rows",
        "1,200 rows",
    )
    assert count_items(2, "person", "people") == "2 people"


def test_words_are_joined_by_commas_and_one_conjunction() -> None:
    assert (join_words(["a"]), join_words(["a", "b"]), join_words(["a", "b", "c"], "or")) == (
        "a",
        "a and b",
        "a, b or c",
    )


def test_long_lists_state_how_many_are_left_out() -> None:
    assert (list_first(["a", "b"], 2), list_first(["a", "b", "c"], 2)) == (
        "a, b",
        "a, b and 1 more",
    )


def test_shares_are_percentages() -> None:
    assert (format_share(0.5), format_share(0.1234, 1)) == ("50 %", "12.3 %")


def test_percentages_have_significant_digits() -> None:
    assert (format_percent(Fraction(1, 3), 3), format_percent(0.00123, 2)) == ("33.3 %", "0.12 %")
    assert (format_percent(0, 2), format_percent(1, 2), format_percent(12.3456, 2)) == (
        "0 %",
        "100 %",
        "1200 %",
    )


def test_bounds_are_rounded_up_and_have_no_exponent() -> None:
    assert (format_rounded_up(1.00001, 4), format_rounded_up(2.5, 4)) == ("1.001", "2.5")
    assert (format_rounded_up(123456.0, 3), format_rounded_up(1.5e-7, 4)) == (
        "124000",
        "0.00000015",
    )
