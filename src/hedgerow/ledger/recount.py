"""A second opinion: the ledger recomputed from its file alone, by a fold so plain that it can be checked by eye.

It follows the chain and adds up fractions, and knows nothing of budgets. Then it compares: with the rules (``Book``), which read the
same entries, and with the anchor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.book import Book
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.place import settle
from hedgerow.ledger.sqlite import entries_of
from hedgerow.privacy.account import decimals

__all__ = ["Report", "verify"]

_PARTS = ("epsilon", "delta", "rho")
_ROUNDED = Context(prec=30, rounding=ROUND_CEILING)


@dataclass(slots=True)
class Report:
    """What the entries add up to, as far as they can be believed; ``problem`` is empty when all is well."""

    ledger: str = ""
    entries: int = 0
    head: str = ""
    spent: dict[str, dict[str, Fraction | float]] = field(default_factory=dict)
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
            lines.append(f"{name}: spent " + ", ".join(f"{part} {_text(value, _decimals)}" for part, value in sums.items()))
        return "\n".join(lines)


def _decimals(value: Fraction | float) -> str:
    return decimals(value, up=True)


def _text(value: Fraction | float, write: Callable[[Fraction | float], str]) -> str:
    """A sum of fractions may have more digits than Python writes out; a report is made all the same."""
    try:
        return write(value)
    except ValueError:
        exact = Fraction(value)
        return str(_ROUNDED.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


def verify(path: str | Path) -> Report:
    """Recompute the ledger at ``path`` without writing to it, and say what is wrong with it, first entry first."""
    report, kept, file = Report(), list[Entry](), settle(path)
    try:
        for entry in entries_of(file):
            _count(report, entry)
            kept.append(entry)
        _agree(report, kept)
        _anchored(report, kept, Anchor.read(file), file)
    except LedgerError as problem:
        report.problem = str(problem)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        report.problem = f"Entry {report.entries + 1} of the ledger cannot be read."
    if report.problem and report.first_bad is None:
        report.first_bad = report.entries + 1
    return report


def _count(report: Report, entry: Entry) -> None:
    if not report.entries:
        report.ledger = str(entry.body.get("ledger"))
    if (entry.seq, entry.previous) != (report.entries + 1, report.head) or not entry.fits(report.ledger):
        raise LedgerError(f"Entry {report.entries + 1} of the ledger is missing or was changed.")
    if entry.kind == "exhausted":
        report.spent |= {name: {part: _number(loss[part]) for part in _PARTS} for name, loss in entry.body["spent"].items()}
    if entry.kind == "charge":
        for name, loss in entry.body["charges"].items():
            sums = report.spent.setdefault(name, dict.fromkeys(_PARTS, Fraction(0)))
            for part in _PARTS:
                sums[part] += _number(loss[part])
    report.entries, report.head = entry.seq, entry.hash


def _number(text: str) -> Fraction | float:
    return math.inf if text == "inf" else Fraction(text)


def _agree(report: Report, kept: list[Entry]) -> None:
    book = Book()
    for entry in kept:
        report.first_bad = entry.seq
        book.follow([entry])
    for name, sums in report.spent.items():
        charged = book.budget(name).charged
        if (sums["epsilon"], min(sums["delta"], 1), sums["rho"]) != (charged.epsilon, charged.delta, charged.rho):
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
