"""Random charges to parts, compared with a sum over the entries."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant
from hypothesis.stateful import rule as step

from depth import many
from hedgerow.errors import BudgetExceeded
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from ledger.making import TIME, cost, opened, rule

MONTHS = ["jan", "feb", "mar"]


HALF = Loss(Fraction(1, 2))


def by_month(most: int = 1, **more: object) -> dict[str, Any]:
    return {
        "visits": (
            {"population": "patients", "column": "month", "most": most, "parts": MONTHS} | more
        )
    }


def at(*names: str, table: str = "visits") -> dict[str, object]:
    return {"patients": [table, list(names)]}


def add(book: LedgerState, kind: str, body: dict[str, object]) -> Entry:
    entry = book.build_entry(kind, body, TIME)
    book.apply(entry)
    return entry


NAMES = ("a", "b", "c", "d")


PRICES = st.sampled_from(
    [
        Loss(Fraction(1, 3)),
        Loss(Fraction(1, 4), Fraction(1, 10**8)),
        Loss(math.inf, Fraction(0), Fraction(1, 200)),
    ]
)


class Choices(RuleBasedStateMachine):
    """A book beside lists of charges. The model knows no sums of parts: it tries every set of
    parts that a unit could be in.
    """

    def __init__(self) -> None:
        super().__init__()
        self.book = opened()
        self.kept: list[Entry] = []
        self.whole: list[Loss] = []
        self.epochs: list[tuple[int, list[tuple[frozenset[str], Loss]]]] = []
        self.limit = Budget(Fraction(2), Fraction(1, 10**6))
        self.accept(1, "add-remove")

    @step(most=st.integers(1, 3), neighbours=st.just("add-remove"))
    def accept(self, most: int, neighbours: str) -> None:
        budget = {
            "epsilon": "2/1",
            "delta": "1/1000000",
            "conversion": "1/2",
            "unit": "patient",
            "neighbours": neighbours,
        }
        partition = {
            "visits": {
                "population": "patients",
                "column": "month",
                "most": most,
                "parts": list(NAMES),
            }
        }
        self.kept.append(
            add(
                self.book,
                "policy",
                rule(budgets={"patients": budget}, partitions=partition, forgives=False),
            )
        )
        if not self.epochs or self.epochs[-1][0] != most:
            self.epochs.append((most, []))

    @step(loss=PRICES, names=st.frozensets(st.sampled_from(NAMES)))
    def charge(self, loss: Loss, names: frozenset[str]) -> None:
        (self.epochs[-1][1].append((names, loss)) if names else self.whole.append(loss))
        body = cost(
            loss, analyst=f"{self.book.seq}", **({"parts": at(*sorted(names))} if names else {})
        )
        worst = self.worst()
        fits = worst[1] <= self.limit.threshold_delta and (
            worst[0] <= self.limit.epsilon or worst[2] <= self.limit.rho
        )
        if fits:
            self.kept.append(add(self.book, "charge", body))
        else:
            with pytest.raises(BudgetExceeded):
                add(self.book, "charge", body)
            (self.epochs[-1][1] if names else self.whole).pop()

    def worst(self) -> tuple[Any, Any, Any]:
        """The most that any unit pays, in each number."""
        numbers = []
        for number in ("epsilon", "delta", "rho"):
            total = sum((getattr(loss, number) for loss in self.whole), Fraction(0))
            for most, charges in self.epochs:
                places = [set(place) for place in itertools.combinations(NAMES, most)]
                total += max(
                    sum(
                        (getattr(x, number) for names, x in charges for _ in names & place),
                        Fraction(0),
                    )
                    for place in places
                )
            numbers.append(total)
        return tuple(numbers)  # type: ignore[return-value]

    @invariant()
    def agree(self) -> None:
        paid = self.book.unit_loss("patients")
        assert (paid.epsilon, paid.delta, paid.rho) == self.worst()
        assert self.book.budget("patients").is_within

    def teardown(self) -> None:
        again = opened()
        again.replay(self.kept)
        assert again.budget("patients") == self.book.budget("patients")


Choices.TestCase.settings = settings(
    max_examples=many(12), stateful_step_count=30, derandomize=True, deadline=None
)
