"""Charges to parts: each rule kept and tripped, and all of them against a model that tries every
choice of parts.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError, Refused
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.memory import MemoryLedger
from hedgerow.ledger.sqlite import Ledger
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts
from ledger.faults.helpers_choices import HALF, MONTHS, Choices, add, at, by_month
from ledger.making import TENTH, TIME, cost, opened, pay, policy, rule, terms


def test_a_unit_pays_for_the_parts_that_it_can_be_in() -> None:
    book = opened(("policy", rule(partitions=by_month(2))))
    for name in MONTHS:
        add(book, "charge", cost(HALF, parts=at(name)))
    assert book.budget("patients").unit_loss == 2 * HALF
    for names in (("jan",), ("feb", "mar")):
        with pytest.raises(BudgetExceeded, match="'patients'"):
            add(book, "charge", cost(parts=at(*names)))
    with pytest.raises(BudgetExceeded, match="with 0 left"):
        add(book, "charge", cost())


def test_charges_made_together_count_by_part() -> None:
    book = opened(("policy", rule(partitions=by_month(2))))
    halves = [cost(HALF, parts=at(name)) for name in MONTHS]
    book.check_charges_together(halves)
    with pytest.raises(BudgetExceeded, match="'patients'"):
        book.check_charges_together([*halves, cost(parts=at("jan"))])
    assert book.budget("patients").unit_loss == Loss(Fraction(0))


def test_under_change_one_twice_as_many_parts_count() -> None:
    budget = {
        "patients": rule()["budgets"]["patients"]  # type: ignore[index]
        | {"neighbours": "change-one"}
    }
    book = opened(("policy", rule(budgets=budget, partitions=by_month(1))))
    for name in MONTHS[:2]:
        add(book, "charge", cost(HALF, parts=at(name)))
    assert book.budget("patients").unit_loss == 2 * HALF
    with pytest.raises(BudgetExceeded):
        add(book, "charge", cost(HALF, parts=at("jan")))
    add(book, "charge", cost(HALF, parts=at("mar")))  # of three, still no more than two


def test_a_question_over_several_parts_is_charged_to_each() -> None:
    book = opened(("policy", rule(partitions=by_month(1))))
    add(book, "charge", cost(HALF, parts=at("jan", "feb")))
    left = {
        name: account.left
        for name, account in book.budget("patients").balance.parts["visits"].items()
    }  # type: ignore[union-attr]
    assert left == {"jan": Fraction(1, 2), "feb": Fraction(1, 2), "mar": 1}


def test_a_partition_that_changes_closes_its_parts() -> None:
    book = opened(("policy", rule("5/1", partitions=by_month(2))))
    for name in MONTHS:
        add(book, "charge", cost(HALF, parts=at(name)))
    add(book, "policy", rule("6/1", partitions=by_month(2)))  # another budget, the same parts
    assert (book.budget("patients").charged, book.budget("patients").unit_loss) == (
        Loss(0),
        2 * HALF,
    )
    add(book, "policy", rule("6/1", partitions=by_month(3)))
    assert (book.budget("patients").charged, book.budget("patients").unit_loss) == (
        2 * HALF,
        2 * HALF,
    )
    add(book, "charge", cost(HALF, parts=at("jan")))
    add(book, "policy", rule("6/1"))
    assert (book.budget("patients").charged, book.budget("patients").parts) == (3 * HALF, {})
    with pytest.raises(
        LedgerError, match="'visits' of the population 'patients' has no parts in the ruling policy"
    ):
        add(book, "charge", cost(HALF, parts=at("jan")))


@pytest.mark.parametrize("change", [{"column": "week"}, {"parts": [*MONTHS, "apr"]}, {"most": 2}])
def test_every_change_of_a_partition_closes_it(change: dict[str, object]) -> None:
    book = opened(
        ("policy", rule("5/1", partitions=by_month())), ("charge", cost(HALF, parts=at("jan")))
    )
    add(book, "policy", rule("5/1", partitions=by_month(**change)))
    assert book.budget("patients").charged == HALF
    assert book.budget("patients").parts["visits"].sums == {}


def test_before_a_charge_the_relation_may_change_and_the_parts_with_it() -> None:
    book = opened(("policy", rule(partitions=by_month())))
    budget = {
        "patients": rule()["budgets"]["patients"]  # type: ignore[index]
        | {"neighbours": "change-one"}
    }
    add(book, "policy", rule(budgets=budget, partitions=by_month()))
    assert book.budget("patients").parts["visits"].most == 2


def test_parts_belong_to_a_population_with_a_budget() -> None:
    book = opened()
    with pytest.raises(
        Refused, match="'visits' is about the population 'staff', which has no budget"
    ):
        add(book, "policy", rule(partitions=by_month(population="staff")))
    assert book.seq == 1


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (
            {"patients": ["stays", ["jan"]]},
            "The table 'stays' of the population 'patients' has no parts",
        ),
        ({"patients": ["visits", ["apr"]]}, "The table 'visits' has no part 'apr'"),
        ({"staff": ["visits", ["jan"]]}, "no budget for the population 'staff'"),
        ({"others": ["visits", ["jan"]]}, "has no parts"),
        ({"others": ["rooms", ["one"]]}, "cannot be read as a 'charge' entry"),
        ({"patients": ["visits", []]}, "cannot be read as a 'charge' entry"),
        ({"patients": ["visits", ["jan", "jan"]]}, "cannot be read as a 'charge' entry"),
        ({"patients": ["visits"]}, "cannot be read as a 'charge' entry"),
    ],
)
def test_parts_that_make_no_sense_are_named(parts: dict[str, object], told: str) -> None:
    budget = rule()["budgets"]["patients"]  # type: ignore[index]
    rooms = {"rooms": {"population": "others", "column": "room", "most": 1, "parts": ["one"]}}
    book = opened(
        (
            "policy",
            rule(budgets={"patients": budget, "others": budget}, partitions=by_month() | rooms),
        )
    )
    with pytest.raises(LedgerError, match=told):
        add(book, "charge", cost(parts=parts))
    assert book.seq == 2


@pytest.mark.parametrize(
    "change",
    [{"most": 0}, {"most": "2"}, {"parts": []}, {"parts": ["jan", "jan"]}, {"parts": None}],
)
def test_partitions_that_make_no_sense_are_named(change: dict[str, object]) -> None:
    with pytest.raises(LedgerError, match="cannot be read as a 'policy' entry"):
        add(opened(), "policy", rule(partitions=by_month(**change)))


# At the door, and in a file


def ledger_of(most: int = 1, **more: Any) -> MemoryLedger:
    made = MemoryLedger()
    made.accept_policy(**policy(partitions=by_month(most), **more))
    return made


def test_a_charge_with_parts_is_recorded_with_its_parts() -> None:
    ledger = ledger_of()
    first = pay(ledger, HALF, parts={"patients": TableParts("visits", ("jan", "feb"))}, request="r")
    assert first.body["parts"] == {"patients": ["visits", ["jan", "feb"]]}
    assert ledger.entries()[1].body["partitions"] == by_month()
    assert (
        pay(ledger, HALF, parts={"patients": TableParts("visits", ["jan", "feb"])}, request="r")
        == first
    )
    with pytest.raises(LedgerError, match="for another question"):
        pay(ledger, HALF, request="r")
    assert "parts" not in pay(ledger).body


@pytest.mark.parametrize(
    "parts",
    [
        {"staff": TableParts("visits", ["jan"])},
        {"patients": "visits"},
        {"patients": ("visits", ["jan"])},
        {"patients": TableParts("visits", "jan")},
        {"patients": TableParts("visits", [])},
        {"patients": TableParts("visits", ["jan", "jan"])},
    ],
)
def test_invalid_parts_are_refused(parts: Any) -> None:
    ledger = ledger_of()
    with pytest.raises(InvalidArgument, match="parts must be"):
        pay(ledger, parts=parts)
    assert len(ledger.entries()) == 2


@pytest.mark.parametrize(
    ("partition", "argument"),
    [
        (None, "partitions"),
        ({"population": "patients"}, "partitions"),
        (by_month(parts="jan")["visits"], "partitions"),
        (by_month(most=0)["visits"], "most"),
        (by_month(column="")["visits"], "column"),
        (by_month(population=3)["visits"], "population"),
        (by_month(parts=[3])["visits"], "part"),
    ],
)
def test_invalid_partitions_are_refused(partition: Any, argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        MemoryLedger().accept_policy(**policy(partitions={"visits": partition}))
    assert caught.value.argument == argument


def test_the_second_opinion_counts_parts_from_the_entries_alone(path: Path) -> None:
    with Ledger.open(path, create=True) as ledger:
        both = {"patients": terms(9, 1e-6), "staff": terms(9, neighbours="change-one")}
        rooms = {
            "rooms": {
                "population": "staff",
                "column": "room",
                "most": 1,
                "parts": ["one", "two", "three"],
            }
        }
        ledger.accept_policy(**policy(budgets=both, partitions=by_month(2) | rooms))
        for number, name in enumerate([*MONTHS, "jan"], 1):
            pay(
                ledger,
                Loss(Fraction(number, 7), Fraction(1, 10**9)),
                parts={"patients": TableParts("visits", [name])},
            )
        pay(
            ledger,
            Loss(math.inf, Fraction(0), Fraction(1, 1000)),
            parts={"patients": TableParts("visits", ["feb"])},
        )
        for name in ("one", "two", "three"):
            pay(ledger, also={"staff": HALF}, parts={"staff": TableParts("rooms", [name])})
        figures = {name: ledger.state.unit_loss(name) for name in both}
    report = verify(path)
    assert report.sound, report.problem
    assert report.spent["staff"]["epsilon"] == figures["staff"].epsilon == 1
    assert report.spent["patients"] == {
        "epsilon": math.inf,
        "delta": figures["patients"].delta,
        "rho": figures["patients"].rho,
    }
    with Ledger.open(path, create=False) as ledger:
        assert {name: ledger.state.unit_loss(name) for name in both} == figures
        ledger.accept_policy(**policy(budgets=both, partitions=by_month(3)))
        pay(ledger, HALF, parts={"patients": TableParts("visits", ["feb"])}, also={"staff": TENTH})
        figures = {name: ledger.state.unit_loss(name) for name in both}
    report = verify(path)
    assert report.sound, report.problem
    assert report.spent["staff"]["epsilon"] == figures["staff"].epsilon == Fraction(11, 10)
    Ledger.adopt(path, "lost", lost=True)
    assert verify(path).sound
    with Ledger.open(path, create=False) as ledger:
        assert ledger.state.budget("patients").parts["visits"].sums == {}


def test_a_stored_charge_that_overdraws_a_part_is_named() -> None:
    book = opened(("policy", rule(partitions=by_month(1))))
    kept = [add(book, "charge", cost(HALF, parts=at(name))) for name in ("jan", "feb", "jan")]
    forged = opened(("policy", rule("3/4", partitions=by_month(1))))
    head, chain = forged.head, []
    for entry in kept:
        chain.append(Entry.build("a" * 32, entry.seq, "charge", entry.body, head, TIME))
        head = chain[-1].hash
    with pytest.raises(
        LedgerError,
        match="Entry 5 of the ledger breaks its rules: the budget of 'patients' does not cover it",
    ):
        forged.replay(chain)


# Against every choice of parts


TestChoices = pytest.mark.long(Choices.TestCase)
