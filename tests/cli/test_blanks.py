"""Typed answers: read as they were meant, or asked again."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from hedgerow.cli import blanks
from hedgerow.cli.blanks import Blank
from hedgerow.errors import InvalidArgument

PLACE = ("tables", "visits")
UNIT = blanks.unit(PLACE, ["Patient_ID", "age"])
DELTA = blanks.delta(("budget",), 1000)


@pytest.mark.parametrize(
    ("blank", "typed", "lines"),
    [
        (UNIT, "patient_id", {"unit": "Patient_ID"}),
        (UNIT, '"row"', {"unit": "row"}),
        (UNIT, " public ", {"public": True}),
        (blanks.neighbours(PLACE), "add", {"neighbours": "add-remove"}),
        (blanks.neighbours(PLACE), "change-one", {"neighbours": "change-one"}),
        (blanks.max_units(PLACE), "2_000_000", {"max_units": 2_000_000}),
        (blanks.max_rows(PLACE), "", {}),
        (blanks.max_rows(PLACE), "7", {"max_rows": 7}),
        (blanks.kind(PLACE, "text"), "", {}),
        (blanks.kind(PLACE, "text"), "Hide", {"hidden": True}),
        (blanks.kind(PLACE, None), "real", {"type": "real"}),
        (blanks.low(PLACE, "integer"), "", {}),
        (blanks.low(PLACE, "integer"), "-5", {"min": -5}),
        (blanks.high(PLACE, "real", 0), "0.1", {"max": Decimal("0.1")}),
        (blanks.values(PLACE, "text"), "", {}),
        (blanks.values(PLACE, "text"), "north, 'south'", {"values": ["north", "south"]}),
        (blanks.values(PLACE, "date"), "2026-01 … 2026-12", {"values": "2026-01 … 2026-12"}),
        (blanks.epsilon(("budget",)), "0.1", {"epsilon": Decimal("0.1")}),
        (DELTA, "", {}),
        (DELTA, "1e-9", {"delta": Decimal("1e-9")}),
    ],
)
def test_answers(blank: Blank, typed: str, lines: Mapping[str, Any]) -> None:
    assert blank.read(typed) == lines


@pytest.mark.parametrize(
    ("blank", "typed", "told"),
    [
        (UNIT, "", "has no default"),
        (UNIT, "patientid", "did you mean Patient_ID"),
        (UNIT, "zzz", "the columns are Patient_ID, age"),
        (blanks.neighbours(PLACE), "both", "add-remove or change-one"),
        (blanks.max_groups(PLACE), "", "has no default"),
        (blanks.max_groups(PLACE), "0", "max_groups"),
        (blanks.max_rows_per_group(PLACE), "few", "must be a number"),
        (blanks.kind(PLACE, "text"), "colour", "must be integer, real"),
        (blanks.low(PLACE, "integer"), "0.5", "whole number"),
        (blanks.high(PLACE, "integer", 0), "", "has no default"),
        (blanks.high(PLACE, "integer", 0), "0", r"above min \(0\)"),
        (blanks.high(PLACE, "real", 0), "nan", "max"),
        (blanks.values(PLACE, "date"), "2026-13", "calendar"),
        (blanks.epsilon(("budget",)), "-1", "epsilon"),
        (blanks.epsilon(("budget",)), "0." + "3" * 121, "epsilon"),
        (DELTA, "0.001", "below 1/max_units"),
        (DELTA, "0", "delta"),
        (DELTA, "0.0" + "3" * 121, "delta"),
    ],
)
def test_mistakes(blank: Blank, typed: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        blank.read(typed)


def test_what_a_column_holds_is_said_and_nothing_of_its_rows() -> None:
    assert "stored as real" in blanks.kind(PLACE, "real").asks
    assert "no question can read" in blanks.kind(PLACE, None).asks
    assert blanks.kind(PLACE, "real").key == "type"
