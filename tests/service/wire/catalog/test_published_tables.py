from __future__ import annotations

import pytest

from hedgerow.service.accounts.records import Account, Caller, Role
from hedgerow.service.wire.catalog.published_tables import find_example, list_published_tables
from service.helpers_service import RunningService


def test_each_caller_sees_the_tables_of_their_grants(running: RunningService) -> None:
    def names(who: str) -> set[str]:
        caller = running.service.find_caller(running.tokens[who])
        tables = list_published_tables(running.service, caller)
        return {one.name for one in tables if one.schema == "public"}

    assert names("ana") == names("carl") == {"visits", "shifts"}
    assert names("ben") == {"visits"}


def test_an_analyst_whom_the_policy_does_not_know_sees_system_tables_only(
    running: RunningService,
) -> None:
    stranger = Caller(Account("stranger", Role.analyst, False, "2026-01-01"))
    tables = list_published_tables(running.service, stranger)
    assert {one.schema for one in tables} == {"hedgerow"}


def test_descriptions_show_declared_bounds_and_values(running: RunningService) -> None:
    caller = running.service.find_caller(running.tokens["ana"])
    visits = next(
        one for one in list_published_tables(running.service, caller) if one.name == "visits"
    )
    assert (
        visits.description == "Protected by patient: answers are noisy, and rows are never shown."
    )
    assert {one.name: (one.type, one.description, one.example) for one in visits.columns} == {
        "patient": ("int8", "privacy id", None),
        "age": ("int8", "from 0 to 110", "55"),
        "region": ("text", "one of 'north', 'south'", "'north'"),
    }


@pytest.mark.parametrize(
    ("type_", "low", "high", "step", "values", "example"),
    [
        ("real", "0.5", "2.5", "0.25", None, "1.50"),
        ("real", "0", "1e3", None, None, "500"),
        ("date", "2026-01-01", "2026-01-31", None, None, "'2026-01-16'"),
        (
            "timestamp",
            "2026-01-01 00:00:00",
            "2026-01-03 00:00:00",
            None,
            None,
            "'2026-01-02 00:00:00'",
        ),
        ("text", None, None, None, "'a, b', 'it''s', 'c', …", "'it''s'"),
        ("integer", None, None, None, "3, 5, 8", "5"),
        ("text", None, None, None, None, None),
    ],
)
def test_an_example_lies_in_the_middle_of_a_column(
    type_: str,
    low: str | None,
    high: str | None,
    step: str | None,
    values: str | None,
    example: str | None,
) -> None:
    column = {"type": type_, "min": low, "max": high, "step": step, "value_list": values}
    assert find_example(column) == example
