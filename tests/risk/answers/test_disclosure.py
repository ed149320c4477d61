"""The rules for totals, with numbers computed by hand, on lists and on microdata."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.answer_files import read_csv, read_json
from hedgerow.risk.answers.disclosure import (
    Cell,
    Rules,
    build_cells,
    check_published_sums,
    convert_p_to_ratio,
    deaggregate,
    list_unchecked_sums,
    list_violations,
    violates_dominance,
    violates_p_percent,
    violates_p_ratio,
)


def test_worst_case_of_de_aggregation() -> None:
    """S − sum of the others = x_1: 101 − (15 + 6) = 80."""
    found = deaggregate([80, 15, 6])
    assert (found.low, found.high, found.is_exact, found.relative_error) == (80, 80, True, 0)
    assert deaggregate([5]).high == 5


def test_a_coalition_of_the_largest_others() -> None:
    """The second largest knows 15: x_1 is at most 101 − 15 = 86, which is 6/80 = 7.5 % too much."""
    found = deaggregate([80, 15, 6], coalition=1)
    assert (found.coalition, found.low, found.high, found.is_exact, found.relative_error) == (
        1,
        0,
        86,
        False,
        Fraction(3, 40),
    )
    assert deaggregate([80, 15, 6], target=2, coalition=1).high == 21
    assert deaggregate([0, 3], coalition=0).relative_error is None


def test_p_percent_in_both_forms_by_hand() -> None:
    """80, 15, 6: what is left is 6, which is 7.5 % of 80. The ratio is 80 / (101 − 15) = 0.930;
    its threshold at 10 % is 1/1.1 = 0.909.
    """
    cell = Cell.of([6, 80, 15])
    assert cell == Cell((), 3, Fraction(101), Fraction(80), Fraction(15), Fraction(95))
    assert cell.remainder == 6
    assert violates_p_percent(cell, 10)
    assert not violates_p_percent(cell, 7)
    assert not violates_p_percent(cell, Fraction(15, 2))  # exactly 7.5 %: not less
    assert convert_p_to_ratio(10) == Fraction(10, 11)
    assert violates_p_ratio(cell, convert_p_to_ratio(10))
    assert not violates_p_ratio(cell, convert_p_to_ratio(7))
    assert not violates_p_ratio(cell, Fraction(80, 86))
    assert violates_p_ratio(cell, Decimal("0.93"))


@settings(max_examples=many(25))
@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(1, 200))
def test_both_forms_flag_the_same_cells(contributions: list[int], p: int) -> None:
    cell = Cell.of(contributions)
    assert violates_p_percent(cell, p) == violates_p_ratio(cell, convert_p_to_ratio(p))


def test_dominance_by_hand() -> None:
    """The two largest have 95 of 101, or 94.06 %."""
    cell = Cell.of([80, 15, 6])
    assert violates_dominance(cell, 94)
    assert not violates_dominance(cell, 95)
    assert violates_dominance(Cell.of([80, 15, 6], n=1), 79)  # 79.2 %
    assert not violates_dominance(Cell.of([1, 1, 1, 1]), 50)


def test_violations_are_worded() -> None:
    assert list_violations(Cell.of([80, 15, 6])) == (
        "the second largest contributor can compute the largest (to within 7.5 %)",
        "the largest 2 make 94.1 % of the total",
    )
    assert list_violations(Cell.of([5])) == (
        "one contributor, fewer than 3",
        "everybody can compute the only one exactly",
        "the largest one makes 100 % of the total",
    )
    assert list_violations(Cell.of([5, 5]))[0] == "2 contributors, fewer than 3"
    assert list_violations(Cell.of([1] * 9)) == ()
    assert list_violations(Cell.of([0] * 9)) == ("the total is 0, so every contribution is 0",)
    assert list_violations(Cell.of([5]), Rules(None, None, None)) == ()


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).to_arrow()]
)
@pytest.mark.parametrize("number", [int, float])
def test_microdata_give_the_same_cells(kind: Any, number: type) -> None:
    table = {
        "r": ["a", "a", "a", "a", "b", "b"],
        "who": [1, 1, 2, 3, 4, 5],
        "v": [number(v) for v in (50, 30, 15, 6, 3, 3)],
    }
    first, second = build_cells(kind(table), ["r"], "v", "who")
    assert (
        first.key,
        first.contributors,
        first.total,
        first.largest,
        first.second,
        first.top_total,
    ) == (("a",), 3, 101, 80, 15, 95)
    assert list_violations(first) == list_violations(Cell.of([80, 15, 6]))
    assert (second.key, second.total, second.is_float) == (("b",), 6, number is float)
    assert [cell.contributors for cell in build_cells(kind(table), ["r"], "v")] == [4, 2]


def test_a_sum_of_doubles_on_the_border_is_flagged() -> None:
    """8, 1 and 0.8 leave exactly ten percent, but not in doubles."""
    table = pd.DataFrame({"r": ["a"] * 3, "v": [8.0, 1.0, 0.8]})
    rules = Rules(p=Fraction(10), dominance=None, minimum=None)
    assert len(list_violations(build_cells(table, ["r"], "v")[0], rules)) == 1
    assert list_violations(Cell.of([Fraction(8), Fraction(1), Fraction(4, 5)]), rules) == ()


def test_missing_values_contribute_nothing() -> None:
    assert (
        build_cells(
            pd.DataFrame({"r": ["a", "a"], "v": pd.array([1, None], dtype="Int64")}), ["r"], "v"
        )[0].contributors
        == 1
    )


def test_published_sums_with_their_largest_contributions() -> None:
    text = (
        "question,answer,measure,contributors,largest,second\na = 1,101,sum(x),3,80,15\na ="
        " 2,90,sum(x),,10,10\na = 3,9,sum(x),,,\n"
    )
    found = check_published_sums(read_csv(text))
    assert [each.answers for each in found] == [("Q1",)]
    assert found[0].sentence.startswith(
        "Q1, the sum of x with a = 1, violates the rules for totals: the second largest"
    )
    listed = read_json(
        '[{"question": "a = 1", "answer": 5, "measure": "sum(x)", "contributions": [5]}]'
    )
    assert "one contributor, fewer than 3" in check_published_sums(listed)[0].sentence
    with pytest.raises(
        InvalidArgument, match=r"Q1 must have contributions .* add up to at most its answer"
    ):
        check_published_sums(
            read_csv("question,answer,measure,largest,second\na = 1,101,sum(x),80,75\n")
        )


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Cell.of([]), "contributions must (hold|be) at least one"),
        (lambda: Cell.of([1, -1]), "contributions must not be negative"),
        (lambda: Cell.of(["x"]), r"contribution must be a number\.$"),
        (lambda: Cell.of([float("nan")]), r"contribution must be a finite number\.$"),
        (lambda: Cell.of([True]), "contribution must be a number"),
        (lambda: deaggregate([]), "contributions must (hold|be) at least one"),
        (lambda: deaggregate([1, 2], target=2), "target must be an index from 0 to 1; got 2"),
        (lambda: deaggregate([1, 2], coalition=2), "coalition must be from 0 to 1"),
        (lambda: convert_p_to_ratio(0), "p must be a percentage above 0"),
        (lambda: convert_p_to_ratio(np.inf), "p must be a finite number; got inf"),
        (lambda: Rules(p=-1), "p must be a percentage above 0"),  # type: ignore[arg-type]
        (lambda: Rules(dominance=(0, Fraction(80))), "dominance must be"),
        (lambda: Rules(dominance=(2, Fraction(100))), "dominance must be"),
        (lambda: Rules(minimum=1), "minimum must be a whole number of at least 2"),
        (
            lambda: build_cells(pd.DataFrame({"a": [1]}), [], "a"),
            "by must name at least one column",
        ),
        (
            lambda: build_cells(pd.DataFrame({"a": [1]}), ["a"], "b"),
            "column must be one of a; got 'b'",
        ),
        (
            lambda: build_cells(pd.DataFrame({"a": [1], "b": ["x"]}), ["a"], "b"),
            "value column holds numbers",
        ),
        (
            lambda: build_cells(pd.DataFrame({"a": [1], "b": [-1]}), ["a"], "b"),
            "value must not be negative for any contributor",
        ),
    ],
)
def test_bad_rules_and_contributions_are_refused(make: Any, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        make()


def test_sums_without_a_rule_are_reported() -> None:
    head = "question,answer,measure,largest,second\n"
    assert list_unchecked_sums(read_csv(head + "a = 1,101,sum(x),80,15\nb = 1,7,,,\n")) == []
    assert (
        "not applied to 2 of 3 sums"
        in list_unchecked_sums(
            read_csv(head + "a = 1,101,sum(x),80,15\nb = 1,*,sum(x),80,15\nc = 1,9,sum(x),,\n")
        )[0]
    )
