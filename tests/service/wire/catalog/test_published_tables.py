from __future__ import annotations

from hedgerow.service.accounts.records import Account, Caller, Role
from hedgerow.service.wire.catalog.published_tables import list_published_tables
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
    assert {one.name: (one.type, one.description) for one in visits.columns} == {
        "patient": ("int8", "privacy id"),
        "age": ("int8", "from 0 to 110"),
        "region": ("text", "one of 'north', 'south'"),
    }
