"""The verbs that every ledger has: what they write, what they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError, Refused
from hedgerow.ledger.memory import MemoryLedger
from hedgerow.privacy.loss import Loss
from ledger.making import TENTH, pay, policy, terms

LONG = Fraction(3**299 + 1, 3**300)  # about a third, with 144 digits below the line


@pytest.fixture
def ledger() -> MemoryLedger:
    made = MemoryLedger()
    made.accept_policy(**policy())
    return made


def test_a_question_from_charge_to_answer(ledger: MemoryLedger) -> None:
    with ledger:
        charge = pay(ledger, question="how many")
        assert ledger.outcome(charge) is None
        assert ledger.answers("how many", "1") == []
        answer = ledger.answer(charge, '{"n":3}')
        assert ledger.outcome(charge) == answer
        assert ledger.answers("how many", "1") == [(charge, '{"n":3}')]
        assert ledger.answers("how many", "2") == []
    assert [entry.kind for entry in ledger.entries()] == ["open", "policy", "charge", "answer"]
    assert ledger.entries()[2].body["charges"] == {"patients": TENTH.to_dict()}
    assert ledger.entries()[2].body["epsilon"] == "1/10"


def test_a_question_is_paid_for_under_the_policy_that_rules(ledger: MemoryLedger) -> None:
    pay(ledger, policy="d1")
    ledger.check_policy("d1")
    for refused in (
        lambda: pay(ledger, policy="d0"),
        lambda: ledger.check_policy("d0"),
        lambda: MemoryLedger().check_policy("d1"),
    ):
        with pytest.raises(Refused, match="Open it again"):
            refused()
    assert [entry.kind for entry in ledger.entries()] == ["open", "policy", "charge"]


def test_a_policy_follows_the_one_that_it_was_compared_with(ledger: MemoryLedger) -> None:
    assert (MemoryLedger().policy_digest, ledger.policy_digest) == ("", "d1")
    for stale in ("", "d0"):
        with pytest.raises(Refused, match="in the meantime"):
            ledger.accept_policy(**policy(), over=stale)
    ledger.accept_policy(**policy(), over="d1")
    assert [entry.kind for entry in ledger.entries()] == ["open", "policy", "policy"]


def test_the_content_of_a_policy_entry(ledger: MemoryLedger) -> None:
    body = ledger.accept_policy(
        **policy(
            0.1, 1e-9, quotas={"ana": 0.5}, note="raised", max_failures=np.int64(3), digest="d2"
        )
    ).body
    assert body == {
        "digest": "d2",
        "text": "{}",
        "budgets": {
            "patients": {
                "epsilon": "1/10",
                "delta": "1/1000000000",
                "conversion": "1/2",
                "unit": "patient",
                "neighbours": "add-remove",
            }
        },
        "quotas": {"ana": "1/2"},
        "sources": {"visits.csv": "patients"},
        "max_failures": 3,
        "note": "raised",
        "forgives": False,
    }
    assert ledger.state.policy == body


def test_failed_runs_are_forgiven_by_an_act_of_the_custodian_only(ledger: MemoryLedger) -> None:
    def fail() -> int:
        ledger.fail(pay(ledger, Loss(Fraction(1, 100))))
        return ledger.state.count_failures("ana")

    assert fail() == 1
    ledger.accept_policy(**policy(digest="d2"))
    assert ledger.state.count_failures("ana") == 1  # another policy is about something else
    ledger.accept_policy(**policy(digest="d3", max_failures=19))
    assert ledger.state.count_failures("ana") == 1
    ledger.accept_policy(**policy(digest="d3", max_failures=19))  # the one that rules, again
    assert ledger.state.count_failures("ana") == 0
    assert fail() == 1
    ledger.accept_policy(**policy(digest="d4", max_failures=19), forgive=True)
    assert ledger.state.count_failures("ana") == 0
    assert fail() == 1
    ledger.accept_policy(**policy(digest="d5", max_failures=20))
    assert ledger.state.count_failures("ana") == 0


def test_a_policy_entry_may_accept_files_and_then_forgives_nothing(ledger: MemoryLedger) -> None:
    file = {
        "version": "1",
        "key": "00",
        "size": 3,
        "digest": "ab",
        "multiline": False,
        "stamp": [1, 2, 3, 4],
    }
    ledger.fail(pay(ledger, Loss(Fraction(1, 100))))
    # the policy that rules, again, but not without a word
    body = ledger.accept_policy(**policy(), files={"visits": file}).body
    assert (body["files"], body["forgives"]) == ({"visits": file}, False)
    assert ledger.state.files == {("visits", "1"): file}
    assert ledger.state.count_failures("ana") == 1
    assert "files" not in ledger.accept_policy(**policy(), files={}).body
    assert ledger.state.count_failures("ana") == 0
    with pytest.raises(InvalidArgument, match="table"):
        ledger.accept_policy(**policy(), files={"": file})


def test_the_same_request_is_charged_once(ledger: MemoryLedger) -> None:
    first = pay(ledger, request="r")
    assert pay(ledger, request="r") == first == ledger.find_request("ana", "r")
    assert ledger.find_request("ana", "s") is None
    assert ledger.state.budget("patients").charged == TENTH
    for other in ({"question": "another"}, {"loss": Loss(Fraction(1, 5))}):
        with pytest.raises(
            LedgerError, match=r"request 'r' was charged already, for another question \(entry 3\)"
        ):
            pay(ledger, request="r", **other)  # type: ignore[arg-type]
    assert pay(ledger) != pay(ledger)


def test_the_requests_of_two_analysts_never_meet(ledger: MemoryLedger) -> None:
    first, other = (
        pay(ledger, request="r"),
        pay(ledger, request="r", analyst="ben", question="another"),
    )
    assert other != first
    assert (
        pay(ledger, request="r"),
        pay(ledger, request="r", analyst="ben", question="another"),
    ) == (first, other)
    assert ledger.state.budget("patients").charged == 2 * TENTH


def test_a_charge_that_ended_keeps_its_end(ledger: MemoryLedger) -> None:
    charge = pay(ledger)
    first = ledger.answer(charge, "one")
    assert ledger.answer(charge, "two") == ledger.fail(charge) == first
    failed = pay(ledger)
    end = ledger.fail(failed)
    assert end.kind == "failure"
    assert ledger.answer(failed, "late") == ledger.outcome(failed) == end
    assert ledger.answers("q", "1") == [(charge, "one")]


def test_nothing_is_given_back(ledger: MemoryLedger) -> None:
    ledger.fail(pay(ledger, Loss(Fraction(1))))
    with pytest.raises(BudgetExceeded):
        pay(ledger)


def test_entries_of_other_ledgers_are_refused(ledger: MemoryLedger) -> None:
    other = MemoryLedger()
    other.accept_policy(**policy())
    pay(ledger)
    stranger = pay(other)
    for entry in (stranger, pay(other), "3"):
        with pytest.raises(LedgerError, match="not an entry of this ledger"):
            ledger.answer(entry, "x")  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="Entry 2 of the ledger is not a charge"):
        ledger.answer(ledger.entries()[1], "x")


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"digest": ""}, "digest"),
        ({"text": None}, "text"),
        ({"budgets": {"": terms()}}, "population"),
        ({"budgets": {"patients": None}}, "budgets"),
        ({"budgets": {"patients": {"epsilon": 1}}}, "budgets"),
        ({"budgets": {"patients": terms(surprise=1)}}, "budgets"),
        ({"budgets": {"patients": terms(neighbours="any")}}, "neighbours"),
        ({"budgets": {"patients": terms(unit="")}}, "unit"),
        ({"budgets": {"patients": terms(-1)}}, "epsilon"),
        ({"budgets": {"patients": terms(True)}}, "epsilon"),
        ({"budgets": {"patients": terms(1, 2)}}, "delta"),
        ({"budgets": {"patients": terms(conversion=2)}}, "conversion"),
        ({"quotas": {"ana": 0}}, "quota"),
        ({"quotas": {"": 1}}, "analyst"),
        ({"sources": {"": "patients"}}, "source"),
        ({"sources": {"a.csv": None}}, "population"),
        ({"max_failures": 0}, "max_failures"),
        ({"budgets": {"patients": terms(LONG)}}, "epsilon"),
        ({"budgets": {"patients": terms(1, LONG)}}, "delta"),
        ({"quotas": {"ana": LONG}}, "quota"),
        ({"note": object()}, "body"),
    ],
)
def test_an_invalid_policy_is_refused(
    ledger: MemoryLedger, change: dict[str, object], argument: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        ledger.accept_policy(**{**policy(), **change})
    assert caught.value.argument == argument
    assert len(ledger.entries()) == 2


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"charges": {}}, "charges"),
        ({"charges": {"patients": 0.1}}, "charges"),
        ({"charges": {"": TENTH}}, "population"),
        ({"analyst": ""}, "analyst"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": LONG}, "epsilon"),
        ({"question": ""}, "question"),
        ({"version": 3}, "version"),
        ({"request": ""}, "request"),
        ({"about": {"x": object()}}, "body"),
    ],
)
def test_an_invalid_charge_is_refused(
    ledger: MemoryLedger, change: dict[str, object], argument: str
) -> None:
    whole = {
        "charges": {"patients": TENTH},
        "analyst": "ana",
        "epsilon": 0.1,
        "question": "q",
        "version": "1",
        "about": {},
    } | change
    with pytest.raises(InvalidArgument) as caught:
        ledger.charge(**whole)  # type: ignore[arg-type]
    assert caught.value.argument == argument
    assert len(ledger.entries()) == 2


def test_an_answer_must_be_text(ledger: MemoryLedger) -> None:
    with pytest.raises(InvalidArgument, match="payload must be text"):
        ledger.answer(pay(ledger), b"x")  # type: ignore[arg-type]


def charge_terms(loss: Loss = TENTH, **more: Any) -> dict[str, Any]:
    about = {"analyst": "ana", "epsilon": loss.epsilon, "question": "q", "version": "1"}
    return {"charges": {"patients": loss}, **about, **more}


def test_charges_are_made_together_or_not_at_all(ledger: MemoryLedger) -> None:
    half = Loss(Fraction(1, 2))
    made = ledger.charge_together([charge_terms(question="a"), charge_terms(half, question="b")])
    assert [entry.body["question"] for entry in made] == ["a", "b"]
    assert ledger.state.budget("patients").charged == TENTH + half
    before = ledger.entries()
    for bodies in (
        [charge_terms(), charge_terms(half)],  # the first would fit alone
        [charge_terms(), charge_terms() | {"charges": {"doctors": TENTH}}],
    ):
        with pytest.raises((BudgetExceeded, LedgerError), match=r"patients|doctors"):
            ledger.charge_together(bodies)
        assert ledger.entries() == before
        assert ledger.state.budget("patients").charged == TENTH + half


def test_charges_made_together_count_together_against_a_quota() -> None:
    with MemoryLedger() as ledger:
        ledger.accept_policy(**policy(epsilon=5, quotas={"ana": 1}))
        third = Loss(Fraction(2, 5))
        with pytest.raises(BudgetExceeded, match="ana"):
            ledger.charge_together([charge_terms(third)] * 3)
        assert ledger.state.budget("patients").charged == Loss(Fraction(0))
        ledger.charge_together([charge_terms(third)] * 2)
        assert ledger.state.asked_epsilon("ana") == Fraction(4, 5)


def test_an_answer_is_found_under_the_question_that_it_names(ledger: MemoryLedger) -> None:
    entry = pay(ledger)
    with pytest.raises(InvalidArgument, match="question must be text"):
        ledger.answer(entry, "noisy", question="")
    ledger.answer(entry, "noisy", question="known later")
    assert ledger.answers("known later", str(entry.body["version"])) == [(entry, "noisy")]
    assert ledger.answers(str(entry.body["question"]), str(entry.body["version"])) == []


def test_a_repeated_request_among_several_is_not_charged_again(ledger: MemoryLedger) -> None:
    first, second = charge_terms(request="r1"), charge_terms(request="r2")
    (paid,) = ledger.charge_together([first])
    assert ledger.charge_together([first, second])[0] == paid
    assert ledger.state.budget("patients").charged == TENTH + TENTH
    with pytest.raises(LedgerError, match="r1"):
        ledger.charge_together([charge_terms(request="r1", question="another")])


def test_daily_quotas_are_kept_with_the_policy() -> None:
    with MemoryLedger() as ledger:
        entry = ledger.accept_policy(**policy(daily_quotas={"ana": 0.5}))
        assert entry.body["daily_quotas"] == {"ana": "1/2"}
        with pytest.raises(InvalidArgument, match="quota"):
            ledger.accept_policy(**policy(daily_quotas={"ana": 0}))
