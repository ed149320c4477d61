"""The interface of every ledger, wherever it stores its entries.

A store adds four methods: ``_transaction`` (alone, caught up, and durable at the end),
``_store_entry``, ``_read_entry`` and ``entries``.

The order that protects people: ``charge`` returns, then data are read; ``answer`` returns, then the
answer is sent. A crash before ``charge`` returns costs at most budget; after it, the answer is lost
and stays paid for. Only the result of ``answer`` is sent, and it is the same for all runs that race
for one charge, so a retried request cannot get two answers for one price.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from hedgerow.errors import LedgerError, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.entry_bodies import (
    build_act_body,
    build_charge_body,
    build_policy_body,
    parse_text,
)
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts

__all__ = ["LedgerBase"]


class LedgerBase(ABC):
    """A ledger: charges first, answers after, and nothing is ever taken back."""

    _state: LedgerState

    def accept_policy(
        self,
        *,
        digest: str,
        text: str,
        budgets: Mapping[str, Mapping[str, object]],
        quotas: Mapping[str, object] | None = None,
        daily_quotas: Mapping[str, object] | None = None,
        sources: Mapping[str, str] | None = None,
        note: str = "",
        max_failures: int = 20,
        partitions: Mapping[str, Mapping[str, object]] | None = None,
        files: Mapping[str, Mapping[str, object]] | None = None,
        forgive: bool = False,
        over: str | None = None,
    ) -> Entry:
        """Store a policy that the custodian accepted; it rules from then on.

        ``budgets``: population -> epsilon, delta (or None), unit, neighbours, and conversion if not
        a half. ``quotas``: analyst -> the largest sum of epsilons they may ask for, and
        ``daily_quotas`` on a day (UTC). ``sources``: declared path or server table, never content
        -> population. ``partitions``: table -> population, column, the names of its parts, and in
        how many of them a unit may be (most). ``files``: table -> the data version that is accepted
        with this entry, and the key, size and digest of its file.

        ``over`` is the digest of the policy that it was compared with, "" for none; it is refused
        if another one rules by then.

        Failed runs are forgiven with ``forgive``, by a higher ``max_failures``, and by accepting
        the ruling policy again without any files, which means nothing else.
        """
        body = build_policy_body(
            digest,
            text,
            budgets,
            quotas or {},
            daily_quotas or {},
            sources or {},
            note,
            max_failures,
            partitions or {},
            files or {},
        )
        with self._transaction():
            ruling = _get_policy_digest(self._state)
            if over not in (None, ruling):
                raise Refused("Another policy was accepted in the meantime. Try again.")
            return self._append(
                "policy", body | {"forgives": bool(forgive) or (ruling == digest and not files)}
            )

    @property
    def policy_digest(self) -> str:
        """The digest of the ruling policy; "" if there is none yet."""
        return _get_policy_digest(self.state)

    def charge(
        self,
        charges: Mapping[str, Loss],
        *,
        analyst: str,
        epsilon: object,
        question: str,
        version: str,
        request: str | None = None,
        about: Mapping[str, object] | None = None,
        policy: str | None = None,
        parts: Mapping[str, TableParts] | None = None,
    ) -> Entry:
        """Charge a question to all of its populations or to none; durable before it returns. Raise
        BudgetExceeded if it does not fit.

        ``policy`` is the digest of the policy under which the question was priced; it must still
        rule. The same ``request`` again returns the first entry and costs nothing; with another
        question or price it is an error.

        ``parts``: population -> the parts of a partitioned table that the question reads; its loss
        is charged to each of them. A population without parts is charged as a whole. The caller
        guarantees that the question reads no other rows of this population.
        """
        body = build_charge_body(
            charges, analyst, epsilon, question, version, request, about or {}, parts or {}
        )
        return self._append_charges([body], policy)[0]

    def charge_together(
        self, charges: Sequence[Mapping[str, Any]], *, policy: str | None = None
    ) -> list[Entry]:
        """Charge several questions or none of them, each given by the arguments of ``charge``."""
        bodies = [
            build_charge_body(**{"request": None, "about": {}, "parts": {}, **terms})
            for terms in charges
        ]
        return self._append_charges(bodies, policy)

    def _append_charges(self, bodies: Sequence[dict[str, Any]], policy: str | None) -> list[Entry]:
        with self._transaction():
            _check_policy(self._state, policy)
            made = [
                self._state.questions.find_request(body["analyst"], body["request"])
                for body in bodies
            ]
            new = [body for body, seq in zip(bodies, made, strict=True) if seq is None]
            if len(new) > 1:
                # A charge that is refused after others were appended would leave these behind.
                self._state.check_charges_together(new)
            return [
                self._append("charge", body)
                if seq is None
                else _check_same_charge(self._read_entry(seq), body)
                for body, seq in zip(bodies, made, strict=True)
            ]

    def check_policy(self, policy: str) -> None:
        """Refuse unless the policy of this digest rules."""
        _check_policy(self.state, policy)

    def answer(self, entry: Entry, payload: str, *, question: str | None = None) -> Entry:
        """Store the answer to a charge, and return its outcome: the first answer or failure, if
        there was one. Send only that.

        ``question`` is what was asked, where that was not known when it was charged.
        """
        about = {} if question is None else {"question": parse_text(question, "question")}
        stored = {"payload": parse_text(payload, "payload")}
        return self._record_outcome("answer", entry, {**stored, **about})

    def fail(self, entry: Entry) -> Entry:
        """Record that a charge got no answer, and return its outcome. It stays paid for."""
        return self._record_outcome("failure", entry, {})

    def record_act(self, words: str, by: str, about: Mapping[str, object], act: str) -> Entry:
        """Record an administrative act and who did it. ``act`` is its id: what it grants elsewhere
        counts only once this entry is durable."""
        body = build_act_body(words, by, about, act)
        with self._transaction():
            return self._append("act", body)

    def outcome(self, entry: Entry) -> Entry | None:
        """Return the answer or failure of a charge; None while it has neither."""
        end = self.state.questions.find_outcome(entry.seq)
        return None if end is None else self._read_entry(end)

    def find_request(self, analyst: str, request: str | None) -> Entry | None:
        """Return the charge of a request of an analyst, if there is one."""
        made = self.state.questions.find_request(analyst, request)
        return None if made is None else self._read_entry(made)

    def answers(self, question: str, version: str) -> list[tuple[Entry, str]]:
        """Return each charge for this question on this data version, with its answer."""
        return [
            (self._read_entry(charge), str(self._read_entry(answer).body["payload"]))
            for charge, answer in self.state.questions.list_answers(question, version)
        ]

    @property
    def state(self) -> LedgerState:
        """The state after all entries, including those of other processes."""
        return self._state

    @abstractmethod
    def entries(self) -> list[Entry]:
        """Return all entries in order."""

    @abstractmethod
    def close(self) -> None:
        """Close the store."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """Hold the store alone, with the newest state; added entries are durable if it ends well,
        and gone otherwise.
        """

    @abstractmethod
    def _store_entry(self, entry: Entry) -> None:
        """Write an entry that the state has accepted."""

    @abstractmethod
    def _read_entry(self, seq: int) -> Entry:
        """Return the entry of a number that the state knows."""

    def _append(self, kind: str, body: dict[str, object]) -> Entry:
        entry = self._state.build_entry(kind, body)
        self._state.apply(entry)
        self._store_entry(entry)
        return entry

    def _record_outcome(self, kind: str, charge: Entry, body: dict[str, object]) -> Entry:
        with self._transaction():
            if (
                not isinstance(charge, Entry)
                or not 1 <= charge.seq <= self._state.seq
                or self._read_entry(charge.seq) != charge
            ):
                raise LedgerError(
                    "This is not an entry of this ledger. Answer the entry that charge returned."
                )
            end = self._state.questions.find_outcome(charge.seq)
            return (
                self._append(kind, {"charge": charge.seq} | body)
                if end is None
                else self._read_entry(end)
            )


def _get_policy_digest(state: LedgerState) -> str:
    return "" if state.policy is None else str(state.policy["digest"])


def _check_policy(state: LedgerState, policy: str | None) -> None:
    if policy not in (None, _get_policy_digest(state)):
        raise Refused("The policy has changed since this database was opened. Open it again.")


def _check_same_charge(entry: Entry, body: dict[str, object]) -> Entry:
    if {**entry.body, "about": None} != {**body, "about": None}:
        raise LedgerError(
            f"The request '{body['request']}' was charged already, for another question (entry"
            f" {entry.seq}). Use a new request key."
        )
    return entry
