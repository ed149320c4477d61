"""A model of the rules of a ledger, which random acts are compared with."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition
from hypothesis.stateful import rule as step

from depth import many
from hedgerow.errors import LedgerError, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.loss import Loss
from ledger.making import TIME, cost, opened, rule

GAUSSIAN = Loss(math.inf, Fraction(0), Fraction(1, 1000))


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


AMOUNTS = st.sampled_from([Fraction(1, 7), Fraction(1, 10), Fraction(1, 3), Fraction(3, 4)])


class Model(RuleBasedStateMachine):
    """A book beside lists of plain fractions. The model knows no Budget: it adds up and
    compares.
    """

    def __init__(self) -> None:
        super().__init__()
        self.book = opened()
        self.kept: list[Entry] = []
        self.total = Fraction(0)
        self.quota = Fraction(0)
        self.paid: list[tuple[str, Fraction]] = []
        self.waiting: set[int] = set()
        self.failed = 0

    def put(self, kind: str, body: dict[str, object], allowed: bool) -> None:
        entry = self.book.build_entry(kind, body, TIME)
        if allowed:
            self.book.apply(entry)
            self.kept.append(entry)
        else:
            with pytest.raises((Refused, LedgerError)):
                self.book.apply(entry)

    @step(total=st.sampled_from([1, 2, 3]), quota=st.sampled_from([1, 2]))
    def accept(self, total: int, quota: int) -> None:
        self.put(
            "policy", rule(f"{total}/1", quotas={"ana": f"{quota}/1"}, max_failures=3), allowed=True
        )
        self.total, self.quota, self.failed = Fraction(total), Fraction(quota), 0

    @step(amount=AMOUNTS, analyst=st.sampled_from(["ana", "ben"]))
    def charge(self, amount: Fraction, analyst: str) -> None:
        fits = sum((paid for _, paid in self.paid), amount) <= self.total
        mine = sum((paid for who, paid in self.paid if who == analyst), amount)
        within = analyst == "ben" or (mine <= self.quota and self.failed < 3)
        body = cost(
            Loss(amount), analyst=analyst, epsilon=f"{amount.numerator}/{amount.denominator}"
        )
        self.put("charge", body, allowed=fits and within)
        if fits and within:
            self.paid.append((analyst, amount))
            self.waiting.add(self.book.seq)

    @precondition(lambda self: self.waiting)
    @step(fail=st.booleans(), data=st.data())
    def end(self, fail: bool, data: st.DataObject) -> None:
        charge = data.draw(st.sampled_from(sorted(self.waiting)))
        analyst = next(entry.body["analyst"] for entry in self.kept if entry.seq == charge)
        kind = "failure" if fail else "answer"
        self.put(kind, {"charge": charge, "payload": json.dumps(charge)}, allowed=True)
        self.put(kind, {"charge": charge, "payload": "again"}, allowed=False)
        self.waiting.remove(charge)
        self.failed += fail and analyst == "ana"

    @invariant()
    def agree(self) -> None:
        assert self.book.asked_epsilon("ana") == sum(
            paid for who, paid in self.paid if who == "ana"
        )
        assert self.book.count_failures("ana", TIME) == self.failed
        if self.total:
            assert self.book.budget("patients").charged.epsilon == sum(
                paid for _, paid in self.paid
            )

    def teardown(self) -> None:
        again = opened()
        again.replay(self.kept)
        assert state(again) == state(self.book)


Model.TestCase.settings = settings(max_examples=many(15), stateful_step_count=25)
