"""The rules: each one kept, each one tripped, and all of them against a naive model."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import pytest

from hedgerow.errors import BudgetExceeded, LedgerError, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.entry_bodies import compute_larger_loss
from hedgerow.ledger.rules import FORMAT, LedgerState
from hedgerow.privacy.loss import Loss
from ledger.helpers_rules_model import GAUSSIAN, Model, add, refused, state
from ledger.making import TENTH, TIME, cost, opened, rule


def test_to_read_a_budget_changes_nothing_while_another_thread_follows_entries() -> None:
    book = opened(("policy", rule()))
    elsewhere = copy.deepcopy(book)
    made = [add(elsewhere, "charge", cost()) for _ in range(3)]

    def stored() -> Iterator[Entry]:
        for entry in made:
            yield entry
            before = state(book)
            # as it was when all of it was added up last
            assert book.budget("patients").charged.epsilon == 0
            assert state(book) == before

    book.replay(stored())
    assert book.budget("patients") == elsewhere.budget("patients")


def test_a_charge_is_subtracted_to_the_last_unit() -> None:
    book = opened(("policy", rule()))
    for _ in range(10):
        add(book, "charge", cost())
    assert book.budget("patients").balance.left == 0
    assert book.budget("patients").charged.epsilon == 1
    assert book.asked_epsilon("ana") == 1
    refused(
        book, "charge", cost(), BudgetExceeded, "asks for epsilon 0.1.* with 0 left.*'patients'"
    )


def test_replaying_gives_the_same_state_as_writing() -> None:
    book, kept = LedgerState(), []
    for kind, body in [
        ("open", {"ledger": "b" * 32, "format": FORMAT}),
        ("policy", rule("2/1", "1/1000000")),
        ("charge", cost(request="r")),
        ("charge", cost(GAUSSIAN)),
        ("charge", cost(GAUSSIAN, version="2")),
        ("answer", {"charge": 3, "payload": "x"}),
        ("failure", {"charge": 4}),
        ("policy", rule("3/1", "1/1000000")),
        ("charge", cost()),
        ("adopt", {"note": "moved"}),
    ]:
        kept.append(add(book, kind, body))
    again = LedgerState()
    again.replay(kept)
    assert state(again) == state(book)
    assert book.questions.list_answers("q", "1") == [(3, 6)]
    assert book.questions.list_answers("q", "2") == []
    assert (
        book.questions.find_outcome(3),
        book.questions.find_outcome(4),
        book.questions.find_outcome(5),
    ) == (6, 7, None)
    assert (
        book.questions.find_request("ana", "r"),
        book.questions.find_request("ana", "s"),
        book.questions.find_request("ana", None),
    ) == (3, None, None)
    assert book.questions.find_request("ben", "r") is None
    assert book.populations == ("patients",)


def test_one_charge_may_touch_several_populations_all_or_none() -> None:
    budgets = {
        "patients": rule()["budgets"]["patients"],
        "staff": {**rule()["budgets"]["patients"], "epsilon": "1/20"},
    }  # type: ignore[index]
    book = opened(("policy", rule(budgets=budgets)))
    both = {"patients": TENTH.to_dict(), "staff": TENTH.to_dict()}
    refused(book, "charge", cost(charges=both), BudgetExceeded, "population 'staff'")
    assert book.budget("patients").charged.epsilon == 0
    both["staff"] = Loss(Fraction(1, 20)).to_dict()
    add(book, "charge", cost(charges=both))
    assert (book.budget("patients").charged.epsilon, book.budget("staff").charged.epsilon) == (
        Fraction(1, 10),
        Fraction(1, 20),
    )


def test_stored_charges_beyond_the_budget_are_named() -> None:
    book = opened(("policy", rule("1/1")))
    kept = [add(book, "charge", cost(Loss(Fraction(1, 3)))) for _ in range(3)]
    forged = LedgerState()
    forged.replay(
        [first := forged.build_entry("open", {"ledger": "a" * 32, "format": FORMAT}, TIME)]
    )
    small = forged.build_entry("policy", rule("2/3"), TIME)
    forged.replay([small])
    chain, head = [], small.hash
    for entry in kept:
        made = Entry.build("a" * 32, entry.seq, "charge", entry.body, head, TIME)
        chain.append(made)
        head = made.hash
    assert first.seq == 1
    with pytest.raises(
        LedgerError,
        match="Entry 5 of the ledger breaks its rules: the budget of 'patients' does not cover it",
    ):
        forged.replay(chain)


def test_a_custodian_may_declare_no_less_spent_than_the_entries_show() -> None:
    book = opened(
        ("policy", rule("3/1", "1/1000")),
        ("charge", cost(Loss(Fraction(1, 2)))),
        ("charge", cost(GAUSSIAN)),
    )
    half, twice = Loss(Fraction(1, 4), Fraction(1, 2500)), Loss(Fraction(2), Fraction(1, 2500))
    refused(
        book,
        "exhausted",
        {"spent": {"patients": half.to_dict()}, "declared": ["patients"]},
        Refused,
        "has spent more than is declared",
    )
    refused(
        book,
        "exhausted",
        {"spent": {"patients": twice.to_dict()}},
        LedgerError,
        "cannot be read as",
    )
    refused(
        book, "exhausted", {"spent": {}, "declared": ["patients"]}, LedgerError, "cannot be read as"
    )
    add(book, "exhausted", {"spent": {"patients": twice.to_dict()}, "declared": ["patients"]})
    assert book.unit_loss("patients") == book.budget("patients").charged == twice
    assert book.largest_totals == {"patients": Loss(Fraction(3), Fraction(1, 1000))}
    add(book, "charge", cost(Loss(Fraction(1))))
    refused(book, "charge", cost(), BudgetExceeded, "'patients'")


def test_a_declared_loss_counts_before_there_is_a_policy() -> None:
    book = opened(("exhausted", {"spent": {"patients": TENTH.to_dict()}, "declared": ["patients"]}))
    assert (book.unit_loss("patients"), book.unit_loss("staff"), book.sources) == (
        TENTH,
        Loss(0),
        {},
    )
    add(book, "policy", rule(sources={"visits.csv": "patients"}))
    assert (book.unit_loss("patients"), book.sources) == (TENTH, {"visits.csv": "patients"})


def test_a_raised_budget_keeps_the_spent_loss() -> None:
    book = opened(("policy", rule()))
    add(book, "charge", cost(Loss(Fraction(1))))
    add(book, "policy", rule("3/2"))
    assert book.budget("patients").charged.epsilon == 1
    add(book, "charge", cost(Loss(Fraction(1, 2))))
    add(book, "policy", rule("1/2"))  # lowering is allowed; nothing is left then
    refused(book, "charge", cost(), BudgetExceeded, "with 0 left")


def test_a_request_is_charged_once() -> None:
    book = opened(("policy", rule()), ("charge", cost(request="r")))
    refused(
        book,
        "charge",
        cost(request="r"),
        LedgerError,
        "request 'r' was charged already, by entry 3",
    )


def test_lost_entries_close_every_budget_until_it_is_raised() -> None:
    book = opened(("policy", rule("1/1", "1/1000000000")), ("charge", cost()))
    spent = Loss(Fraction(1), Fraction(1, 10**9))
    add(
        book,
        "exhausted",
        {"note": "", "spent": {"patients": spent.to_dict(), "staff": TENTH.to_dict()}},
    )
    assert book.budget("patients").charged == spent
    refused(book, "charge", cost(), BudgetExceeded, "'patients'")
    refused(
        book, "policy", rule("2/1"), Refused, "'staff' has been charged; a policy cannot drop it"
    )
    terms = {
        name: {**rule()["budgets"]["patients"], "epsilon": "2/1", "delta": "2/1000000000"}
        for name in ("patients", "staff")
    }  # type: ignore[index]
    add(book, "policy", rule(budgets=terms))
    assert book.budget("staff").charged == TENTH
    add(book, "charge", cost(Loss(Fraction(1))))  # what the raise added, and no more
    refused(book, "charge", cost(), BudgetExceeded, "'patients'")


def test_a_budget_closes_at_the_largest_total_it_ever_had() -> None:
    book = opened(("policy", rule("5/1")), ("policy", rule("1/1", "1/1000")))
    assert book.largest_totals == {"patients": Loss(Fraction(5), Fraction(1, 1000))}
    for spent in (Loss(Fraction(5)), Loss(Fraction(1), Fraction(1, 1000))):
        refused(
            book,
            "exhausted",
            {"spent": {"patients": spent.to_dict()}},
            LedgerError,
            "cannot be read as",
        )
    refused(book, "exhausted", {"spent": {}}, LedgerError, "cannot be read as")


def test_larger_bounds_both() -> None:
    assert compute_larger_loss(Loss(Fraction(1), Fraction(1, 2)), Loss(Fraction(2))) == Loss(
        Fraction(2), Fraction(1, 2)
    )


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("charge", {}),
        ("charge", cost(charges={})),
        ("charge", cost(epsilon="0/1")),
        ("charge", cost(epsilon="1/0")),
        ("charge", cost(epsilon="many")),
        ("charge", cost(analyst=["ana"])),
        ("charge", cost(question=3)),
        ("charge", cost(request={})),
        ("charge", cost(charges={"patients": {"epsilon": "1/10"}})),
        ("charge", cost(charges={"patients": {"epsilon": "1/10", "delta": "0/1", "rho": "0.1"}})),
        ("charge", cost(charges=["patients"])),
        ("answer", {"charge": 3}),
        ("answer", {"charge": 3, "payload": 7}),
        ("answer", {"charge": 3, "payload": "x", "question": 7}),
        ("answer", {"charge": 3, "payload": [1], "question": [2]}),
        ("failure", {}),
        ("failure", {"charge": [3]}),
        ("policy", rule(max_failures="many")),
        ("policy", rule(quotas={"ana": "-1/2"})),
        ("policy", rule(files={"visits": {"version": "1"}})),
        ("policy", rule(files=["visits"])),
        ("policy", rule(epsilon="-1/1")),
        ("policy", rule(epsilon="0.1x")),
        ("policy", {}),
        ("exhausted", {}),
        ("surprise", {}),
    ],
)
def test_entries_that_make_no_sense_are_named(kind: str, body: dict[str, object]) -> None:
    book = opened(("policy", rule()), ("charge", cost()))
    refused(
        book, kind, body, LedgerError, f"Entry 4 of the ledger cannot be read as a '{kind}' entry"
    )


def test_a_charge_needs_a_policy() -> None:
    refused(opened(), "charge", cost(), LedgerError, "no budget for the population 'patients'")


def test_the_first_entry_opens_and_no_other_does() -> None:
    book = LedgerState()
    refused(
        book, "policy", rule(), LedgerError, "Entry 1 of the ledger cannot be of the kind 'policy'"
    )
    refused(
        book,
        "open",
        {"ledger": "a", "format": 2},
        LedgerError,
        "format 2; this version of Hedgerow reads format 1",
    )
    refused(book, "open", {"format": FORMAT}, LedgerError, "Entry 1 of the ledger cannot be read")
    refused(
        opened(),
        "open",
        {"ledger": "a", "format": FORMAT},
        LedgerError,
        "Entry 2 of the ledger cannot be of the kind 'open'",
    )


def chain() -> list[Entry]:
    book, kept = LedgerState(), []
    for kind, body in [
        ("open", {"ledger": "c" * 32, "format": FORMAT}),
        ("policy", rule("2/1", quotas={"ana": "1/1"}, sources={"visits.csv": "patients"})),
        ("charge", cost(request="r")),
        ("answer", {"charge": 3, "payload": '{"rows":[1]}'}),
        ("charge", cost()),
        ("failure", {"charge": 5}),
    ]:
        kept.append(add(book, kind, body))
    return kept


def test_any_changed_byte_of_any_field_is_found_and_its_entry_named() -> None:
    kept, tried = chain(), 0
    for place, entry in enumerate(kept):
        for name in ("kind", "time", "text", "previous", "hash"):
            text = getattr(entry, name)
            for at in range(len(text)):
                forged = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
                with pytest.raises(LedgerError, match=f"^Entry {entry.seq} "):
                    LedgerState().replay(
                        [
                            *kept[:place],
                            dataclasses.replace(entry, **{name: forged}),
                            *kept[place + 1 :],
                        ]
                    )
                tried += 1
    assert tried > 1500


def test_removed_and_reordered_entries_are_found() -> None:
    kept = chain()
    for place in range(len(kept) - 1):
        with pytest.raises(LedgerError, match=f"Entry {place + 1} of the ledger is missing"):
            LedgerState().replay([*kept[:place], *kept[place + 1 :]])
        with pytest.raises(LedgerError, match=f"Entry {place + 1} of the ledger is missing"):
            LedgerState().replay([*kept[:place], kept[place + 1], kept[place], *kept[place + 2 :]])


def test_an_entry_that_does_not_follow_on_the_one_before_is_found() -> None:
    book = opened()
    stranger = Entry.build("a" * 32, 2, "policy", rule(), "0" * 64, TIME)
    with pytest.raises(LedgerError, match="Entry 2 of the ledger was changed"):
        book.apply(stranger)


TestModel = Model.TestCase
