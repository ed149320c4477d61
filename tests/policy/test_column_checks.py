from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from hedgerow.policy.column_checks import MAX_STEPS, check_column
from hedgerow.policy.records import ColumnRule

F = Fraction


@pytest.mark.parametrize(
    "rule",
    [
        ColumnRule("a", "text"),
        ColumnRule("a", "text", max_length=2**31 - 1),
        ColumnRule("a", "integer", F(0), F(1)),
        ColumnRule("a", "integer", F(0), F(MAX_STEPS), F(1)),
        ColumnRule("a", "real", F(-1), F(1), F(1, 100)),
        ColumnRule("a", "real", F(0), F(1), F(1)),
        ColumnRule("a", "integer", F(1), F(5), F(1), (1, 5)),
        ColumnRule("a", "date", values=(date(2026, 1, 1),)),
        ColumnRule("a", "date", values=(date(2026, 3, 1),), grain="month"),
        ColumnRule("a", "date", values=(date(2026, 1, 1),), grain="year"),
        ColumnRule("a", "boolean", values=(False, True)),
        ColumnRule("a", hidden=True),
        ColumnRule("row", "integer", F(0), F(1)),
    ],
)
def test_sound_columns_pass(rule: ColumnRule) -> None:
    assert not list(check_column(rule, ("c",), "row"))
    assert not list(check_column(rule, ("c",), None))


@pytest.mark.parametrize(
    ("rule", "key", "told"),
    [
        (ColumnRule(" a", "text"), None, "the name of a column"),
        (ColumnRule("a"), "type", "type is missing"),
        (ColumnRule("a", "number"), "type", "type must be one of"),
        (ColumnRule("a", "integer", F(0)), "min", "max is missing"),
        (ColumnRule("a", "integer", high=F(0)), "max", "min is missing"),
        (ColumnRule("a", "real", F(1), F(1)), "max", "max must be above min"),
        (ColumnRule("a", "real", step=F(1)), "step", "step needs min and max"),
        (ColumnRule("a", "integer", max_length=5), "max_length", "only allowed for text columns"),
        (ColumnRule("a", "text", values=("x",), max_length=5), "max_length", "without values"),
        (ColumnRule("a", "text", max_length=2**31), "max_length", "at most 2147483647"),
        (ColumnRule("a", "real", F(0), F(1), F(0)), "step", "step must be above 0; got 0"),
        (ColumnRule("a", "real", F(0), F(1), F(2)), "step", "at most max - min"),
        (ColumnRule("a", "integer", F(0), F(MAX_STEPS + 1), F(1)), "step", "at most 2^40 steps"),
        (ColumnRule("a", "real", F(2**61), F(2**61 + 4), F(1)), "step", "at most 2^40 steps"),
        (ColumnRule("a", "real", F(-(2**61)), F(4 - 2**61), F(1)), "step", "at most 2^40 steps"),
        (
            ColumnRule("a", "integer", F(1, 2), F(2)),
            "min",
            "min of an integer column must be a whole number; got 0.5",
        ),
        (ColumnRule("a", "integer", F(0), F(5, 2)), "max", "max of an integer column"),
        (ColumnRule("a", "integer", F(0), F(2), F(1, 2)), "step", "step of an integer column"),
        (
            ColumnRule("a", "text", F(0), F(1)),
            None,
            "allowed for integer, real and timestamp columns: remove them",
        ),
        (ColumnRule("a", "date", F(0), F(1)), None, "write a range of values"),
        (
            ColumnRule("a", "boolean", step=F(1)),
            None,
            "are only allowed for integer, real and timestamp columns",
        ),
        (ColumnRule("a", "text", values=()), "values", "must not be empty"),
        (ColumnRule("a", "text", values=("x", "y", "x")), "values", "remove the second 'x'"),
        (
            ColumnRule("a", "date", values=(date(2026, 1, 1),) * 2),
            "values",
            "remove the second '2026-01-01'",
        ),
        (
            ColumnRule("a", "integer", F(1), F(5), F(1), (0, 6)),
            "values",
            "must lie between min and max; got 0",
        ),
        (
            ColumnRule("a", "date", values=(date(2026, 1, 2),), grain="month"),
            "values",
            "on the first day of their month",
        ),
        (
            ColumnRule("a", "date", values=(date(2026, 2, 1),), grain="year"),
            "values",
            "on the first day of their year",
        ),
        (
            ColumnRule("a", "text", values=("x",), grain="month"),
            "values",
            "on the first day of their month",
        ),
        (
            ColumnRule("a", "date", values=(date(2026, 2, 1),), grain="week"),
            "values",
            "on the first day of their week",
        ),  # type: ignore[arg-type]
        (
            ColumnRule("a", "text", hidden=True),
            None,
            "a hidden column has no other keys: remove type",
        ),
        (ColumnRule("a", None, F(0), F(1), hidden=True), None, "remove min, max"),
    ],
)
def test_every_fault_is_reported_with_its_place(
    rule: ColumnRule, key: str | None, told: str
) -> None:
    (mistake,) = check_column(rule, ("c",), "patient_id")
    assert mistake.path == (("c",) if key is None else ("c", key))
    assert told in mistake.message


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        (ColumnRule("Id", hidden=True), "hidden"),
        (ColumnRule("Id", "integer", F(0), F(9), F(1)), "min"),
        (ColumnRule("Id", "text", values=("a",)), "values"),
    ],
)
def test_the_unit_column_is_neither_hidden_nor_bounded(rule: ColumnRule, key: str) -> None:
    (mistake,) = check_column(rule, ("c",), "iD")
    assert mistake.path == ("c", key)
    assert "the unit column 'Id'" in mistake.message
    assert not list(check_column(ColumnRule("Id", "text"), ("c",), "id"))
