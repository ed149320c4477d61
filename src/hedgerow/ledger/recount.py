"""A second opinion: the ledger recomputed from its file alone, by a fold so plain that it can be checked by eye.

It follows the chain and adds up fractions, and knows nothing of budgets: what was charged to everybody, and for each partitioned table
the dearest parts, as many as its policy entry says a unit may be in (twice as many under change-one). Then it compares: with the rules
(``Book``), which read the same entries, and with the anchor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.book import Book
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.place import settle
from hedgerow.ledger.sqlite import entries_of
from hedgerow.privacy.account import decimals

__all__ = ["Report", "verify"]

Sums = dict[str, Fraction | float]
_NUMBERS = ("epsilon", "delta", "rho")
_ROUNDED = Context(prec=30, rounding=ROUND_CEILING)


@dataclass(slots=True)
class Report:
    """What the entries add up to, as far as they can be believed; ``problem`` is empty when all is well."""

    ledger: str = ""
    entries: int = 0
    head: str = ""
    spent: dict[str, Sums] = field(default_factory=dict)
    problem: str = ""
    first_bad: int | None = None

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem

    def to_dict(self) -> dict[str, object]:
        """Plain JSON, with exact numbers as text; those of thousands of digits are rounded up."""
        spent = {name: {part: _text(value, str) for part, value in sums.items()} for name, sums in self.spent.items()}
        return {name: getattr(self, name) for name in ("sound", "ledger", "entries", "head", "problem", "first_bad")} | {"spent": spent}

    def __str__(self) -> str:
        lines = [f"Ledger {self.ledger}: {self.entries} entries, {'nothing is wrong' if self.sound else self.problem}"]
        for name, sums in self.spent.items():
            lines.append(f"{name}: spent " + ", ".join(_line(part, value) for part, value in sums.items()))
        return "\n".join(lines)


def _line(part: str, value: Fraction | float) -> str:
    return f"{part} {_text(value, _decimals)}" if isinstance(value, Fraction) else f"no pure {part}"  # as Gaussian noise has none


def _decimals(value: Fraction | float) -> str:
    return decimals(value, up=True)


def _text(value: Fraction | float, write: Callable[[Fraction | float], str]) -> str:
    """A sum of fractions may have more digits than Python writes out; a report is made all the same."""
    try:
        return write(value)
    except ValueError:
        exact = Fraction(value)
        return str(_ROUNDED.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


@dataclass(slots=True)
class _Tally:
    """Of one population: what was charged to everybody; of each partitioned table the policy's words, how many parts count, and theirs."""

    whole: Sums = field(default_factory=lambda: dict.fromkeys(_NUMBERS, Fraction(0)))
    tables: dict[str, tuple[object, int]] = field(default_factory=dict)
    parts: dict[str, dict[str, Sums]] = field(default_factory=dict)
    touched: bool = False

    def dearest(self, table: str) -> Sums:
        """The most expensive parts, number by number."""
        _, most = self.tables[table]
        every = self.parts.get(table, {}).values()
        return {number: sum(sorted((part[number] for part in every), reverse=True)[:most], Fraction(0)) for number in _NUMBERS}

    def total(self) -> Sums:
        """What a unit has paid at most."""
        sums = [self.whole, *(self.dearest(table) for table in self.tables)]
        return {number: sum((one[number] for one in sums), Fraction(0)) for number in _NUMBERS}

    def rule(self, tables: dict[str, tuple[object, int]]) -> None:
        """A table whose partition goes or changes has its dearest parts added to the whole, and starts again."""
        for table in [table for table in self.tables if self.tables[table] != tables.get(table)]:
            _add(self.whole, self.dearest(table))
            self.parts.pop(table, None)
        self.tables = tables


def verify(path: str | Path) -> Report:
    """Recompute the ledger at ``path`` without writing to it, and say what is wrong with it, first entry first."""
    report, kept, file, tallies = Report(), list[Entry](), settle(path), dict[str, _Tally]()
    try:
        for entry in entries_of(file):
            _count(report, entry, tallies)
            kept.append(entry)
        report.spent = {name: tally.total() for name, tally in tallies.items() if tally.touched}
        _agree(report, kept)
        _anchored(report, kept, Anchor.read(file), file)
    except LedgerError as problem:
        report.problem = str(problem)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        report.problem = f"Entry {report.entries + 1} of the ledger cannot be read."
    if report.problem and report.first_bad is None:
        report.first_bad = report.entries + 1
    return report


def _count(report: Report, entry: Entry, tallies: dict[str, _Tally]) -> None:
    if not report.entries:
        report.ledger = str(entry.body.get("ledger"))
    if (entry.seq, entry.previous) != (report.entries + 1, report.head) or not entry.fits(report.ledger):
        raise LedgerError(f"Entry {report.entries + 1} of the ledger is missing or was changed.")
    match entry.kind:
        case "policy":
            _rule(entry.body, tallies)
        case "charge":
            for name, loss in entry.body["charges"].items():
                _charge(tallies[name], loss, entry.body.get("parts", {}).get(name))
        case "exhausted":
            for name, loss in entry.body["spent"].items():
                tally = tallies.setdefault(name, _Tally())
                tally.whole, tally.parts, tally.touched = _sums(loss), {}, True
    report.entries, report.head = entry.seq, entry.hash


def _rule(body: dict[str, Any], tallies: dict[str, _Tally]) -> None:
    for name, terms in body["budgets"].items():
        both = 2 if terms["neighbours"] == "change-one" else 1
        mine = {table: words for table, words in body.get("partitions", {}).items() if words["population"] == name}
        tallies.setdefault(name, _Tally()).rule({table: (words, both * words["most"]) for table, words in mine.items()})


def _charge(tally: _Tally, loss: dict[str, str], parts: list[Any] | None) -> None:
    tally.touched = True
    if parts is None:
        _add(tally.whole, _sums(loss))
        return
    table, names = parts
    for name in names:
        of_table = tally.parts.setdefault(table, {})
        _add(of_table.setdefault(name, dict.fromkeys(_NUMBERS, Fraction(0))), _sums(loss))


def _add(to: Sums, more: Sums) -> None:
    for number in _NUMBERS:
        to[number] += more[number]


def _sums(loss: dict[str, str]) -> Sums:
    return {number: _number(loss[number]) for number in _NUMBERS}


def _number(text: str) -> Fraction | float:
    return math.inf if text == "inf" else Fraction(text)


def _agree(report: Report, kept: list[Entry]) -> None:
    book = Book()
    for entry in kept:
        report.first_bad = entry.seq
        book.follow([entry])
    for name, sums in report.spent.items():
        paid = book.paid(name)
        if (sums["epsilon"], min(sums["delta"], 1), sums["rho"]) != (paid.epsilon, paid.delta, paid.rho):
            raise LedgerError(f"The charges to '{name}' do not add up to what the rules made of them.")
    report.first_bad = None


def _anchored(report: Report, kept: list[Entry], anchor: Anchor | None, file: Path) -> None:
    if anchor is None:
        raise LedgerError("The anchor of the ledger is missing.")
    if anchor.ledger != report.ledger:
        report.first_bad = 1
        raise LedgerError("Entry 1 opens another ledger than the anchor knows.")
    if anchor.seq > report.entries:
        raise LedgerError(f"Entry {report.entries + 1} of the ledger is missing: the anchor knows entry {anchor.seq}.")
    if kept[anchor.seq - 1].hash != anchor.hash:
        report.first_bad = anchor.seq
        raise LedgerError(f"Entry {anchor.seq} of the ledger is another than the anchor knows.")
    if not anchor.lies_at(file):
        raise LedgerError("The file is a copy: the anchor knows another one.")
