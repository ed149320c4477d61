"""Quotas and failed runs of analysts."""

from __future__ import annotations

import copy
from datetime import datetime, timedelta
from fractions import Fraction

import pytest

from hedgerow.errors import BudgetExceeded, LedgerError, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.rules import LedgerState
from ledger.making import TIME, cost, opened, rule


def add(book: LedgerState, kind: str, body: dict[str, object], time: str = TIME) -> Entry:
    entry = book.build_entry(kind, body, time)
    book.apply(entry)
    return entry


def later(minutes: int) -> str:
    return (datetime.fromisoformat(TIME) + timedelta(minutes=minutes)).strftime(
        "%Y-%m-%dT%H:%M:%S.%fZ"
    )


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


def test_the_quota_of_a_day_begins_anew_at_midnight() -> None:
    book = opened(("policy", rule("5/1") | {"daily_quotas": {"ana": "1/4"}}))
    assert (book.daily_quota("ana"), book.daily_quota("ben")) == (Fraction(1, 4), None)
    assert LedgerState().daily_quota("ana") is None
    add(book, "charge", cost(epsilon="1/4"))
    words = "quota for a day of analyst 'ana' .* with 0 left. Wait until midnight UTC"
    refused(book, "charge", cost(epsilon="1/8"), BudgetExceeded, words)
    add(book, "charge", cost(epsilon="1/4"), later(24 * 60))
    refused(book, "charge", cost(epsilon="1/8"), BudgetExceeded, words, later(24 * 60))


def test_the_quota_of_an_analyst() -> None:
    book = opened(("policy", rule("5/1", quotas={"ana": "1/4"})))
    add(book, "charge", cost(epsilon="1/8"))
    add(book, "charge", cost(epsilon="1/8"))
    refused(
        book,
        "charge",
        cost(epsilon="1/8"),
        BudgetExceeded,
        "quota of analyst 'ana' .* asks for epsilon 0.125.* with 0 left",
    )
    add(book, "charge", cost(analyst="ben"))
    assert (book.quota("ana"), book.quota("ben"), LedgerState().quota("ana")) == (
        Fraction(1, 4),
        None,
        None,
    )
    add(book, "policy", rule("5/1", quotas={"ana": "1/100"}))
    refused(book, "charge", cost(epsilon="1/1000"), BudgetExceeded, "with 0 left")


def test_failed_and_unfinished_runs_are_counted_against_their_analyst() -> None:
    book = opened(("policy", rule("9/1", max_failures=2)))
    first, _second, third = (add(book, "charge", cost()) for _ in range(3))
    add(book, "failure", {"charge": first.seq})
    add(book, "answer", {"charge": third.seq, "payload": "x"})
    assert (
        book.count_failures("ana", later(59)),
        book.count_failures("ana", later(60)),
        book.count_failures("ben", later(60)),
    ) == (1, 2, 0)
    assert book.count_failures("ana") == 2  # by now the hour is over
    refused(
        book,
        "charge",
        cost(),
        Refused,
        r"Too many runs of analyst 'ana' failed or never ended \(2\)",
        later(60),
    )
    add(book, "charge", cost(analyst="ben"), later(60))
    add(book, "charge", cost(), later(59))
    add(book, "policy", rule("9/1", max_failures=9))
    add(book, "charge", cost(), later(60))


def test_a_policy_can_forgive_earlier_failures() -> None:
    book = opened(("policy", rule("9/1", max_failures=2)))
    first, _second = add(book, "charge", cost()), add(book, "charge", cost())
    add(book, "failure", {"charge": first.seq})
    assert book.count_failures("ana", later(60)) == 2
    add(book, "policy", rule("9/1", max_failures=2))
    assert book.count_failures("ana", later(60)) == 0
    add(book, "charge", cost(), later(60))


def test_a_policy_forgives_no_failures_by_default() -> None:
    book = opened(("policy", rule("9/1", max_failures=2, forgives=False)))
    first, _second = add(book, "charge", cost()), add(book, "charge", cost())
    add(book, "failure", {"charge": first.seq})
    add(book, "policy", rule("10/1", max_failures=2, forgives=False))
    assert book.count_failures("ana", later(60)) == 2
    refused(book, "charge", cost(), Refused, "Too many runs", later(60))
    # a higher cap is the custodian's word
    add(book, "policy", rule("10/1", max_failures=3, forgives=False))
    assert book.count_failures("ana", later(60)) == 0
    add(book, "policy", rule("10/1", max_failures=3, forgives=True))


def test_all_analysts_together_have_a_failure_limit() -> None:
    book = opened(("policy", rule("99/1", max_failures=1)))
    for number in range(10):
        run = add(book, "charge", cost(analyst=f"name {number}"))
        add(book, "failure", {"charge": run.seq})
    refused(
        book,
        "charge",
        cost(analyst="a fresh name"),
        Refused,
        "Too many runs failed or never ended. The custodian",
    )


def test_a_run_that_ends_late_does_not_count_as_a_failure() -> None:
    book = opened(("policy", rule("9/1", max_failures=1)))
    run = add(book, "charge", cost())
    refused(book, "charge", cost(), Refused, "Too many runs", later(61))
    add(book, "answer", {"charge": run.seq, "payload": "x"}, later(61))
    add(book, "charge", cost(), later(61))


def test_a_charge_ends_once() -> None:
    book = opened(("policy", rule()), ("charge", cost()))
    add(book, "answer", {"charge": 3, "payload": "x"})
    for kind in ("answer", "failure"):
        refused(
            book,
            kind,
            {"charge": 3, "payload": "y"},
            LedgerError,
            "Entry 3 of the ledger is not a charge that waits",
        )
    refused(
        book,
        "answer",
        {"charge": 2, "payload": "y"},
        LedgerError,
        "Entry 2 of the ledger is not a charge",
    )
