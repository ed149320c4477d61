"""Typed answers: read as they were meant, or asked again."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from hedgerow.cli import policy_questions as blanks
from hedgerow.cli.policy_questions import PolicyQuestion
from hedgerow.errors import InvalidArgument

PLACE = ("tables", "visits")
UNIT = blanks.ask_unit(PLACE, ["Patient_ID", "age"])
DELTA = blanks.ask_delta(("budget",), 1000)


@pytest.mark.parametrize(
    ("blank", "typed", "lines"),
    [
        (UNIT, "patient_id", {"unit": "Patient_ID"}),
        (UNIT, '"row"', {"unit": "row"}),
        (UNIT, " public ", {"public": True}),
        (UNIT, '["age", patient_id]', {"unit": ["age", "Patient_ID"]}),
        (blanks.ask_neighbours(PLACE), "add", {"neighbours": "add-remove"}),
        (blanks.ask_neighbours(PLACE), "change-one", {"neighbours": "change-one"}),
        (blanks.ask_max_units(PLACE), "2_000_000", {"max_units": 2_000_000}),
        (blanks.ask_max_rows(PLACE), "", {}),
        (blanks.ask_max_rows(PLACE), "7", {"max_rows": 7}),
        (blanks.ask_type(PLACE, "text"), "", {"type": "text"}),
        (blanks.ask_type(PLACE, "text"), "a", {"type": "text"}),
        (blanks.ask_type(PLACE, "text"), "-", {}),
        (blanks.ask_type(PLACE, None), "", {}),
        (blanks.ask_type(PLACE, "text"), "Hide", {"hidden": True}),
        (blanks.ask_type(PLACE, None), "real", {"type": "real"}),
        (blanks.ask_min(PLACE, "integer"), "", {}),
        (blanks.ask_min(PLACE, "integer"), "-5", {"min": -5}),
        (blanks.ask_max(PLACE, "real", 0), "0.1", {"max": Decimal("0.1")}),
        (blanks.ask_values(PLACE, "text"), "", {}),
        (blanks.ask_values(PLACE, "text"), "north, 'south'", {"values": ["north", "south"]}),
        (blanks.ask_values(PLACE, "date"), "2026-01 … 2026-12", {"values": "2026-01 … 2026-12"}),
        (blanks.ask_epsilon(("budget",)), "0.1", {"epsilon": Decimal("0.1")}),
        (DELTA, "", {}),
        (DELTA, "1e-9", {"delta": Decimal("1e-9")}),
    ],
)
def test_answers(blank: PolicyQuestion, typed: str, lines: Mapping[str, Any]) -> None:
    assert blank.parse(typed) == lines


@pytest.mark.parametrize(
    ("blank", "typed", "told"),
    [
        (UNIT, "", "has no default"),
        (UNIT, "patientid", "did you mean Patient_ID"),
        (UNIT, "age, zzz", "the columns are Patient_ID, age"),
        (UNIT, "zzz", "the columns are Patient_ID, age"),
        (blanks.ask_neighbours(PLACE), "both", "add-remove or change-one"),
        (blanks.ask_max_groups(PLACE), "", "has no default"),
        (blanks.ask_max_groups(PLACE), "0", "max_groups"),
        (blanks.ask_max_rows_per_group(PLACE), "few", "must be a number"),
        (blanks.ask_type(PLACE, "text"), "colour", "must be integer, real"),
        (blanks.ask_min(PLACE, "integer"), "0.5", "whole number"),
        (blanks.ask_max(PLACE, "integer", 0), "", "has no default"),
        (blanks.ask_max(PLACE, "integer", 0), "0", r"above min \(0\)"),
        (blanks.ask_max(PLACE, "real", 0), "nan", "max"),
        (blanks.ask_values(PLACE, "date"), "2026-13", "dates that exist"),
        (blanks.ask_epsilon(("budget",)), "-1", "epsilon"),
        (blanks.ask_epsilon(("budget",)), "0." + "3" * 121, "epsilon"),
        (DELTA, "0.001", "below 1/max_units"),
        (DELTA, "0", "delta"),
        (DELTA, "0.0" + "3" * 121, "delta"),
    ],
)
def test_unreadable_answers_are_refused(blank: PolicyQuestion, typed: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        blank.parse(typed)


def test_caps_may_be_left_to_be_found() -> None:
    for ask in (blanks.ask_max_groups, blanks.ask_max_rows_per_group):
        blank = ask(PLACE)
        assert blank.parse(" Auto ") == {blank.key: "auto"}
        assert blank.parse("12") == {blank.key: 12}
        assert "auto has it found privately" in blank.prompt


def test_the_prompt_names_the_type_of_a_column() -> None:
    assert "stored as real" in blanks.ask_type(PLACE, "real").prompt
    assert "no question can read" in blanks.ask_type(PLACE, None).prompt
    assert blanks.ask_type(PLACE, "real").key == "type"
