"""Policy entries: what was charged or accepted stays."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest

from hedgerow.errors import LedgerError, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.rules import LedgerState
from ledger.making import TIME, cost, opened, rule


def add(book: LedgerState, kind: str, body: dict[str, object], time: str = TIME) -> Entry:
    entry = book.build_entry(kind, body, time)
    book.apply(entry)
    return entry


def refused(
    book: LedgerState,
    kind: str,
    body: dict[str, object],
    error: type[Exception],
    told: str,
    time: str = TIME,
) -> None:
    """It is refused with these words, and the book is as it was; stored in a file it is a
    LedgerError that names it.
    """
    entry, before = book.build_entry(kind, body, time), state(book)
    with pytest.raises(error, match=told):
        book.apply(entry)
    assert state(book) == before
    with pytest.raises(LedgerError, match=f"Entry {entry.seq} |{told}"):
        copy.deepcopy(book).replay([entry])


def state(book: LedgerState) -> object:
    return {
        name: value.copy() if hasattr(value, "copy") else value
        for name, value in vars(book).items()
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda old: {"budgets": {"others": old}},
            "'patients' has been charged; a policy cannot drop it",
        ),
        (
            lambda old: {"budgets": {"patients": {**old, "unit": "row"}}},
            "its unit and neighbours cannot change",
        ),
        (
            lambda old: {"budgets": {"patients": {**old, "neighbours": "change-one"}}},
            "its unit and neighbours cannot change",
        ),
        (
            lambda old: {
                "budgets": {"patients": old, "fresh": old},
                "sources": {"visits.csv": "fresh"},
            },
            "cannot move to 'fresh'",
        ),
        (lambda old: {"sources": {"more.csv": "fresh"}}, "'fresh', which has no budget"),
    ],
)
def test_a_policy_cannot_change_past_charges(
    change: Callable[[object], dict[str, object]], told: str
) -> None:
    book = opened(("policy", rule("9/1", sources={"visits.csv": "patients"})), ("charge", cost()))
    refused(
        book,
        "policy",
        rule("9/1") | change(rule("9/1")["budgets"]["patients"]),  # type: ignore[index]
        Refused,
        told,
    )


def test_an_accepted_version_keeps_its_file() -> None:
    def files(version: str, **change: object) -> dict[str, object]:
        file = {
            "version": version,
            "key": "00",
            "size": 3,
            "digest": "ab",
            "multiline": False,
            "stamp": [1],
        }
        return rule(files={"visits": file | change})

    book = opened(("policy", files("1")), ("policy", rule()), ("policy", files("2", digest="cd")))
    for change in ({"digest": "ac"}, {"size": 4}, {"key": "01"}):
        refused(
            book,
            "policy",
            files("1", **change),
            Refused,
            "The version '1' of the table 'visits' was accepted with another file",
        )
    add(book, "policy", files("1", multiline=True, stamp=[2]))
    assert {place: file["digest"] for place, file in book.files.items()} == {
        ("visits", "1"): "ab",
        ("visits", "2"): "cd",
    }
    assert (book.files["visits", "1"]["multiline"], book.files["visits", "1"]["stamp"]) == (
        True,
        [2],
    )


def test_a_source_that_was_dropped_still_belongs_to_its_population() -> None:
    book = opened(("policy", rule(sources={"visits.csv": "patients"})), ("policy", rule()))
    budget = rule()["budgets"]["patients"]  # type: ignore[index]
    refused(
        book,
        "policy",
        rule(budgets={"patients": budget, "fresh": budget}, sources={"visits.csv": "fresh"}),
        Refused,
        "cannot move",
    )


def test_before_a_charge_units_may_change_and_populations_go() -> None:
    book = opened(("policy", rule()))
    add(
        book, "policy", rule(budgets={"patients": {**rule()["budgets"]["patients"], "unit": "row"}})
    )  # type: ignore[index]
    add(
        book,
        "policy",
        rule(budgets={"others": rule()["budgets"]["patients"]}),  # type: ignore[index]
    )
    with pytest.raises(LedgerError, match="no budget for the population 'patients'"):
        book.budget("patients")
