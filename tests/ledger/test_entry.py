"""Entries: canonical text, one hash for one content."""

from __future__ import annotations

import dataclasses
import re

import pytest

from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger.entry import Entry, encode_canonical, format_now
from ledger.making import TIME


def entry(**changes: object) -> Entry:
    made = Entry.build("a" * 32, 7, "charge", {"z": 1, "a": ["é", None]}, "b" * 64, TIME)
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def test_the_stored_form_never_changes() -> None:
    made = entry()
    assert made.text == '{"a":["\\u00e9",null],"z":1}'
    # Written down once. A ledger of today must be readable in ten years: do not adapt this line to
    # new code.
    assert made.hash == "f854a432786265ef69bc6775404bf6394021a945948bfcc11bbaa36d3818971e"
    assert made.has_valid_hash("a" * 32)
    assert made.body == {"z": 1, "a": ["é", None]}


def test_the_body_is_a_new_dict_each_time() -> None:
    made = entry()
    made.body["z"] = 2
    assert made.body["z"] == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": 8},
        {"kind": "answer"},
        {"time": TIME.replace("12", "13")},
        {"text": "{}"},
        {"previous": "c" * 64},
        {"hash": "0" * 64},
        # The same characters, cut elsewhere: lengths are part of what is hashed.
        {"kind": "charg", "time": "e" + TIME},
        {"text": '{"a":["\\u00e9",null],"z":1}b', "previous": "b" * 63},
    ],
)
def test_every_field_is_hashed(changes: dict[str, object]) -> None:
    assert not entry(**changes).has_valid_hash("a" * 32)


def test_the_ledger_is_hashed() -> None:
    assert not entry().has_valid_hash("b" * 32)


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": "7"},
        {"seq": True},
        {"kind": None},
        {"time": 3},
        {"text": b"{}"},
        {"previous": 1},
        {"hash": 1.0},
    ],
)
def test_fields_that_are_not_text_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(LedgerError, match="holds something other than text"):
        entry(**changes)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), b"x", {1, 2}])
def test_a_body_must_be_plain_json(value: object) -> None:
    with pytest.raises(InvalidArgument, match="must be plain JSON"):
        encode_canonical({"x": value})


def test_canonical_text_does_not_depend_on_order() -> None:
    assert (
        encode_canonical({"b": 1, "a": 2}) == encode_canonical({"a": 2, "b": 1}) == '{"a":2,"b":1}'
    )


def test_time_sorts_as_text() -> None:
    first, second = format_now(), format_now()
    assert first <= second
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", first)
