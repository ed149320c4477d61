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
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

from hedgerow.errors import InvalidArgument, LedgerError, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.rules import LedgerState
from hedgerow.numeric.exact_number import (
    check_stored_digits,
    parse_exact,
    parse_positive,
    parse_whole,
)
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses, TableParts
from hedgerow.privacy.unit import RELATIONS

__all__ = ["LedgerBase"]

_BUDGET_KEYS = {"epsilon", "delta", "conversion", "unit", "neighbours"}


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
        a half. ``quotas``: analyst -> the largest sum of epsilons they may ask for. ``sources``:
        declared path or server table, never content -> population. ``partitions``: table ->
        population, column, the names of its parts, and in how many of them a unit may be (most).
        ``files``: table -> the data version that is accepted with this entry, and the key, size and
        digest of its file.

        ``over`` is the digest of the policy that it was compared with, "" for none; it is refused
        if another one rules by then.

        Failed runs are forgiven with ``forgive``, by a higher ``max_failures``, and by accepting
        the ruling policy again without any files, which means nothing else.
        """
        body: dict[str, object] = {
            "digest": _parse_text(digest, "digest"),
            "text": _parse_text(text, "text"),
            "budgets": {
                _parse_text(name, "population"): _parse_budget(terms)
                for name, terms in budgets.items()
            },
            "quotas": _parse_quotas(quotas or {}),
            "sources": _parse_sources(sources or {}),
            "max_failures": parse_whole(max_failures, "max_failures"),
            "note": note,
        }
        if partitions:
            body["partitions"] = {
                _parse_text(table, "table"): _parse_partition(partition)
                for table, partition in partitions.items()
            }
        if files:
            body["files"] = {
                _parse_text(table, "table"): dict(file) for table, file in files.items()
            }
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
        body = _build_charge_body(
            charges, analyst, epsilon, question, version, request, about or {}, parts or {}
        )
        return self._append_charges([body], policy)[0]

    def charge_together(
        self, charges: Sequence[Mapping[str, Any]], *, policy: str | None = None
    ) -> list[Entry]:
        """Charge several questions or none of them, each given by the arguments of ``charge``."""
        bodies = [
            _build_charge_body(**{"request": None, "about": {}, "parts": {}, **terms})
            for terms in charges
        ]
        return self._append_charges(bodies, policy)

    def _append_charges(self, bodies: Sequence[dict[str, Any]], policy: str | None) -> list[Entry]:
        with self._transaction():
            _check_policy(self._state, policy)
            made = [self._state.find_request(body["analyst"], body["request"]) for body in bodies]
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
        about = {} if question is None else {"question": _parse_text(question, "question")}
        stored = {"payload": _parse_text(payload, "payload")}
        return self._record_outcome("answer", entry, {**stored, **about})

    def fail(self, entry: Entry) -> Entry:
        """Record that a charge got no answer, and return its outcome. It stays paid for."""
        return self._record_outcome("failure", entry, {})

    def outcome(self, entry: Entry) -> Entry | None:
        """Return the answer or failure of a charge; None while it has neither."""
        end = self.state.find_outcome(entry.seq)
        return None if end is None else self._read_entry(end)

    def find_request(self, analyst: str, request: str | None) -> Entry | None:
        """Return the charge of a request of an analyst, if there is one."""
        made = self.state.find_request(analyst, request)
        return None if made is None else self._read_entry(made)

    def answers(self, question: str, version: str) -> list[tuple[Entry, str]]:
        """Return each charge for this question on this data version, with its answer."""
        return [
            (self._read_entry(charge), str(self._read_entry(answer).body["payload"]))
            for charge, answer in self.state.list_answers(question, version)
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
            end = self._state.find_outcome(charge.seq)
            return (
                self._append(kind, {"charge": charge.seq} | body)
                if end is None
                else self._read_entry(end)
            )


def _build_charge_body(
    charges: Mapping[str, Loss],
    analyst: str,
    epsilon: object,
    question: str,
    version: str,
    request: str | None,
    about: Mapping[str, object],
    parts: Mapping[str, TableParts],
) -> dict[str, Any]:
    if not charges or not all(isinstance(loss, Loss) for loss in charges.values()):
        raise InvalidArgument("charges", "must be a Loss for at least one population")
    body: dict[str, Any] = {
        "charges": {
            _parse_text(name, "population"): loss.to_dict() for name, loss in charges.items()
        },
        "analyst": _parse_text(analyst, "analyst"),
        "epsilon": _format_fraction(
            check_stored_digits(parse_positive(epsilon, "epsilon"), "epsilon")
        ),
        "question": _parse_text(question, "question"),
        "version": _parse_text(version, "version"),
        "request": request if request is None else _parse_text(request, "request"),
        "about": dict(about),
    }
    if parts:
        body["parts"] = {
            _parse_text(name, "population"): _parse_parts(name, named, charges)
            for name, named in parts.items()
        }
    return body


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


def _parse_partition(partition: Mapping[str, object]) -> dict[str, object]:
    if not isinstance(partition, Mapping) or set(partition) != {
        "population",
        "column",
        "most",
        "parts",
    }:
        raise InvalidArgument(
            "partitions", "must give population, column, most and parts for each table"
        )
    names = [_parse_text(name, "part") for name in _parse_names(partition["parts"], "partitions")]
    most = PartLosses(parse_whole(partition["most"], "most"), tuple(names)).most
    column, population = (
        _parse_text(partition["column"], "column"),
        _parse_text(partition["population"], "population"),
    )
    return {"population": population, "column": column, "most": most, "parts": names}


def _parse_parts(population: str, at: object, charges: Mapping[str, Loss]) -> list[object]:
    if population not in charges or not isinstance(at, TableParts):
        raise InvalidArgument(
            "parts", "must be TableParts of a population that is charged", population
        )
    names = [_parse_text(name, "part") for name in _parse_names(at.names, "parts")]
    return [_parse_text(at.table, "table"), names]


def _parse_names(value: object, argument: str) -> list[object]:
    """Return a list that is not empty and has no duplicates."""
    if not isinstance(value, (list, tuple)) or not value or len(set(map(str, value))) != len(value):
        raise InvalidArgument(argument, "must be a list of different parts, and not empty", value)
    return list(value)


def _parse_quotas(quotas: Mapping[str, object]) -> dict[str, object]:
    return {
        _parse_text(name, "analyst"): _format_fraction(
            check_stored_digits(parse_positive(quota, "quota"), "quota")
        )
        for name, quota in quotas.items()
    }


def _parse_sources(sources: Mapping[str, str]) -> dict[str, object]:
    return {
        _parse_text(source, "source"): _parse_text(name, "population")
        for source, name in sources.items()
    }


def _parse_budget(terms: Mapping[str, object]) -> dict[str, object]:
    if (
        not isinstance(terms, Mapping)
        or not _BUDGET_KEYS - {"conversion"} <= set(terms) <= _BUDGET_KEYS
    ):
        raise InvalidArgument(
            "budgets", "must give epsilon, delta, unit and neighbours for each population"
        )
    if terms["neighbours"] not in RELATIONS:
        raise InvalidArgument(
            "neighbours", "must be 'add-remove' or 'change-one'", terms["neighbours"]
        )
    delta = (
        None
        if terms["delta"] is None
        else check_stored_digits(parse_exact(terms["delta"], "delta"), "delta")
    )
    budget = Budget(
        check_stored_digits(parse_exact(terms["epsilon"], "epsilon"), "epsilon"),
        delta,
        parse_exact(terms.get("conversion", Fraction(1, 2)), "conversion"),
    )
    return {
        "epsilon": _format_fraction(budget.epsilon),
        "delta": None if budget.delta is None else _format_fraction(budget.delta),
        "conversion": _format_fraction(budget.conversion),
        "unit": _parse_text(terms["unit"], "unit"),
        "neighbours": terms["neighbours"],
    }


def _format_fraction(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _parse_text(value: object, argument: str) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidArgument(argument, "must be text", value)
    return value
