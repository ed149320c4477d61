"""What can be asked of every ledger, wherever it keeps its entries.

A store adds four things: ``_turn`` (alone, caught up, and durable at the end), ``_keep``, ``_read`` and ``entries``.

The order that keeps people safe: ``charge`` returns, then data are read; ``answer`` returns, then the answer is sent. A crash
before ``charge`` returns costs at most budget; after it, the answer is lost and stays paid for. Only what ``answer`` gives back is
sent, and that is the same for all who race for one charge, so a retried request cannot get two answers for one price.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from types import TracebackType
from typing import Self

from hedgerow.errors import InvalidArgument, LedgerError, Refused
from hedgerow.ledger.book import Book
from hedgerow.ledger.entry import Entry
from hedgerow.numeric.number import exact, positive, short, whole
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parts import Parts
from hedgerow.privacy.unit import RELATIONS

__all__ = ["Store"]

_TERMS = {"epsilon", "delta", "conversion", "unit", "neighbours"}


class Store(ABC):
    """A ledger: charges first, answers after, and nothing is ever taken back."""

    _book: Book

    def accept(
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
        """A policy that the custodian accepted; it rules from here on.

        ``budgets``: population -> epsilon, delta (or None), unit, neighbours, and conversion if not a half. ``quotas``: analyst -> the
        most they may ask for in all. ``sources``: declared path or server table, never content -> population. ``partitions``: table ->
        population, column, the names of its parts, and in how many of them a unit may be at most (most). ``files``: table -> the data
        version that is accepted with this entry, and the key, size and digest of its file.

        ``over`` is the digest of the policy that it was compared with, "" for none: refused where another one has come to rule since.

        Failed runs are forgiven with ``forgive``, by a higher ``max_failures``, and by accepting the policy that rules already without
        any files, which says nothing else.
        """
        body: dict[str, object] = {
            "digest": _text(digest, "digest"),
            "text": _text(text, "text"),
            "budgets": {_text(name, "population"): _terms(terms) for name, terms in budgets.items()},
            "quotas": {_text(name, "analyst"): _ratio(short(positive(quota, "quota"), "quota")) for name, quota in (quotas or {}).items()},
            "sources": {_text(source, "source"): _text(name, "population") for source, name in (sources or {}).items()},
            "max_failures": whole(max_failures, "max_failures"),
            "note": note,
        }
        if partitions:
            body["partitions"] = {_text(table, "table"): _partition(partition) for table, partition in partitions.items()}
        if files:
            body["files"] = {_text(table, "table"): dict(file) for table, file in files.items()}
        with self._turn():
            ruling = _digest(self._book)
            if over not in (None, ruling):
                raise Refused("Another policy has come to rule in the meantime. Try again.")
            return self._add("policy", body | {"forgives": bool(forgive) or (ruling == digest and not files)})

    @property
    def ruling(self) -> str:
        """The digest of the policy that rules; "" where none does yet."""
        return _digest(self.book)

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
        parts: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    ) -> Entry:
        """Pay for a question, all populations or none; durable before it returns. BudgetExceeded when it does not fit.

        ``policy`` is the digest of the one under which the question was understood; it must still rule. The same ``request`` again gives
        the first entry and costs nothing; with any other question or price it is an error.

        ``parts``: population -> a partitioned table and the names of its parts that the question reads; its loss is charged to each of
        them. A population without parts is charged as a whole. That the question reads no other rows of this population is the
        caller's promise.
        """
        if not charges or not all(isinstance(loss, Loss) for loss in charges.values()):
            raise InvalidArgument("charges", "must be a Loss for at least one population")
        body: dict[str, object] = {
            "charges": {_text(name, "population"): loss.to_dict() for name, loss in charges.items()},
            "analyst": _text(analyst, "analyst"),
            "epsilon": _ratio(short(positive(epsilon, "epsilon"), "epsilon")),
            "question": _text(question, "question"),
            "version": _text(version, "version"),
            "request": request if request is None else _text(request, "request"),
            "about": dict(about or {}),
        }
        if parts:
            body["parts"] = {_text(name, "population"): _part_names(name, named, charges) for name, named in parts.items()}
        with self._turn():
            _check_rules(self._book, policy)
            made = self._book.requested(analyst, request)
            return self._add("charge", body) if made is None else _same(self._read(made), body)

    def check_rules(self, policy: str) -> None:
        """Refused unless the policy of this digest is the one that rules."""
        _check_rules(self.book, policy)

    def answer(self, entry: Entry, payload: str) -> Entry:
        """Keep the answer to a charge, and give back what is kept: the first answer, or failure, if there was one. Send only that."""
        return self._end("answer", entry, {"payload": _text(payload, "payload")})

    def fail(self, entry: Entry) -> Entry:
        """Say that a charge got no answer, and give back how it ended. It stays paid for."""
        return self._end("failure", entry, {})

    def outcome(self, entry: Entry) -> Entry | None:
        """The answer or failure of a charge; None while it has neither."""
        end = self.book.ended(entry.seq)
        return None if end is None else self._read(end)

    def requested(self, analyst: str, request: str | None) -> Entry | None:
        """The charge that was made for this request of this analyst, if one was."""
        made = self.book.requested(analyst, request)
        return None if made is None else self._read(made)

    def answers(self, question: str, version: str) -> list[tuple[Entry, str]]:
        """Each charge for this question on this version of the data, with the answer it got."""
        return [(self._read(charge), str(self._read(answer).body["payload"])) for charge, answer in self.book.answered(question, version)]

    @property
    def book(self) -> Book:
        """What the entries add up to, those of other processes included."""
        return self._book

    @abstractmethod
    def entries(self) -> list[Entry]:
        """All entries in order."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the store."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @abstractmethod
    def _turn(self) -> AbstractContextManager[None]:
        """Alone with the newest book; what was added is durable when it ends well, and gone when it does not."""

    @abstractmethod
    def _keep(self, entry: Entry) -> None:
        """Write down an entry that the book has taken."""

    @abstractmethod
    def _read(self, seq: int) -> Entry:
        """The entry of this number, which the book knows."""

    def _add(self, kind: str, body: dict[str, object]) -> Entry:
        entry = self._book.next(kind, body)
        self._book.apply(entry)
        self._keep(entry)
        return entry

    def _end(self, kind: str, charge: Entry, body: dict[str, object]) -> Entry:
        with self._turn():
            if not isinstance(charge, Entry) or not 1 <= charge.seq <= self._book.seq or self._read(charge.seq) != charge:
                raise LedgerError("This is not an entry of this ledger.")
            end = self._book.ended(charge.seq)
            return self._add(kind, {"charge": charge.seq} | body) if end is None else self._read(end)


def _digest(book: Book) -> str:
    return "" if book.policy is None else str(book.policy["digest"])


def _check_rules(book: Book, policy: str | None) -> None:
    if policy not in (None, _digest(book)):
        raise Refused("The policy was changed since this database was opened. Open it again.")


def _same(entry: Entry, body: dict[str, object]) -> Entry:
    if {**entry.body, "about": None} != {**body, "about": None}:
        raise LedgerError(f"The request '{body['request']}' was charged already, for another question (entry {entry.seq}).")
    return entry


def _partition(partition: Mapping[str, object]) -> dict[str, object]:
    if not isinstance(partition, Mapping) or set(partition) != {"population", "column", "most", "parts"}:
        raise InvalidArgument("partitions", "must give population, column, most and parts for each table")
    names = [_text(name, "part") for name in _list(partition["parts"], "partitions")]
    most = Parts(whole(partition["most"], "most"), tuple(names)).most
    column, population = _text(partition["column"], "column"), _text(partition["population"], "population")
    return {"population": population, "column": column, "most": most, "parts": names}


def _part_names(population: str, named: object, charges: Mapping[str, Loss]) -> list[object]:
    if population not in charges or not isinstance(named, tuple) or len(named) != 2:
        raise InvalidArgument("parts", "must be a table and a list of its parts, for a population that is charged", population)
    return [_text(named[0], "table"), [_text(name, "part") for name in _list(named[1], "parts")]]


def _list(value: object, argument: str) -> list[object]:
    """A list that is not empty and names nothing twice."""
    if not isinstance(value, (list, tuple)) or not value or len(set(map(str, value))) != len(value):
        raise InvalidArgument(argument, "must be a list of parts, at least one, and each once", value)
    return list(value)


def _terms(terms: Mapping[str, object]) -> dict[str, object]:
    if not isinstance(terms, Mapping) or not _TERMS - {"conversion"} <= set(terms) <= _TERMS:
        raise InvalidArgument("budgets", "must give epsilon, delta, unit and neighbours for each population")
    if terms["neighbours"] not in RELATIONS:
        raise InvalidArgument("neighbours", "must be 'add-remove' or 'change-one'", terms["neighbours"])
    delta = None if terms["delta"] is None else short(exact(terms["delta"], "delta"), "delta")
    budget = Budget(
        short(exact(terms["epsilon"], "epsilon"), "epsilon"), delta, exact(terms.get("conversion", Fraction(1, 2)), "conversion")
    )
    return {
        "epsilon": _ratio(budget.epsilon),
        "delta": None if budget.delta is None else _ratio(budget.delta),
        "conversion": _ratio(budget.conversion),
        "unit": _text(terms["unit"], "unit"),
        "neighbours": terms["neighbours"],
    }


def _ratio(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _text(value: object, argument: str) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidArgument(argument, "must be text", value)
    return value
