"""Verification of a ledger from its entries alone, by sums so plain that an eye can check them.

It follows the hash chain and adds up fractions, and knows nothing of budgets: the charges to
everybody, and for each partitioned table the most expensive parts, as many as its policy entry
allows a unit (twice as many under change-one). It compares the sums with the rules
(``LedgerState``), which read the same entries, and with the anchor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.entry import RESTORE_HINT, Entry
from hedgerow.ledger.location import Location, resolve_ledger_path
from hedgerow.ledger.recovery import find_store
from hedgerow.ledger.rules import LedgerState
from hedgerow.privacy.budget_view import format_decimals

__all__ = ["VerificationReport", "verify"]

Sums = dict[str, Fraction | float]
_LOSS_FIELDS = ("epsilon", "delta", "rho")
_ROUNDED_UP = Context(prec=30, rounding=ROUND_CEILING)


@dataclass(slots=True)
class VerificationReport:
    """The sums of the entries, as far as they can be trusted; ``problem`` is empty if nothing is
    wrong.
    """

    ledger: str = ""
    entries: int = 0
    head: str = ""
    spent: dict[str, Sums] = field(default_factory=dict)
    problem: str = ""
    first_bad: int | None = None

    @property
    def sound(self) -> bool:
        """True if nothing is wrong."""
        return not self.problem

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON, with exact numbers as text; those of thousands of digits are rounded
        up.
        """
        spent = {
            name: {part: _format_sum_text(value, str) for part, value in sums.items()}
            for name, sums in self.spent.items()
        }
        return {
            "sound": self.sound,
            "ledger": self.ledger,
            "entries": self.entries,
            "head": self.head,
            "problem": self.problem,
            "first_bad": self.first_bad,
            "spent": spent,
        }

    def __str__(self) -> str:
        lines = [
            f"Ledger {self.ledger}: {self.entries} entries,"
            f" {'nothing is wrong' if self.sound else self.problem}"
        ]
        for name, sums in self.spent.items():
            lines.append(
                f"{name}: spent "
                + ", ".join(_format_sum(part, value) for part, value in sums.items())
            )
        return "\n".join(lines)


def _format_sum(part: str, value: Fraction | float) -> str:
    if not isinstance(value, Fraction):  # Gaussian noise has no pure epsilon
        return f"no pure {part}"
    return f"{part} {_format_sum_text(value, _format_rounded_up)}"


def _format_rounded_up(value: Fraction | float) -> str:
    return format_decimals(value, up=True)


def _format_sum_text(value: Fraction | float, write: Callable[[Fraction | float], str]) -> str:
    """Write a sum; one with more digits than Python writes out is rounded up, so that a report is
    always made.
    """
    try:
        return write(value)
    except ValueError:
        exact = Fraction(value)
        return str(_ROUNDED_UP.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


@dataclass(slots=True)
class _PopulationSums:
    """The sums of one population: charges to everybody; and of each partitioned table its policy
    entry, how many parts count, and the charges to each part.
    """

    everybody: Sums = field(default_factory=lambda: dict.fromkeys(_LOSS_FIELDS, Fraction(0)))
    tables: dict[str, tuple[object, int]] = field(default_factory=dict)
    parts: dict[str, dict[str, Sums]] = field(default_factory=dict)
    is_charged: bool = False

    def sum_largest_parts(self, table: str) -> Sums:
        """Add up the most expensive parts of a table, separately in epsilon, delta and rho."""
        _, most = self.tables[table]
        every = self.parts.get(table, {}).values()
        return {
            number: sum(sorted((part[number] for part in every), reverse=True)[:most], Fraction(0))
            for number in _LOSS_FIELDS
        }

    def total(self) -> Sums:
        """Return the most that one unit has paid."""
        sums = [self.everybody, *(self.sum_largest_parts(table) for table in self.tables)]
        return {number: sum((one[number] for one in sums), Fraction(0)) for number in _LOSS_FIELDS}

    def apply_partitions(self, tables: dict[str, tuple[object, int]]) -> None:
        """Close each partition that goes or changes: add its most expensive parts to the charges to
        everybody.
        """
        for table in [table for table in self.tables if self.tables[table] != tables.get(table)]:
            _add_sums(self.everybody, self.sum_largest_parts(table))
            self.parts.pop(table, None)
        self.tables = tables


def verify(place: Location) -> VerificationReport:
    """Verify a ledger without writing to it, and report the first bad entry."""
    report, path = VerificationReport(), resolve_ledger_path(place)
    kept, tallies = list[Entry](), dict[str, _PopulationSums]()
    try:
        stored, identity = find_store(place).inspect(place)
        for entry in stored:
            _check_entry(report, entry, tallies)
            kept.append(entry)
        report.spent = {name: tally.total() for name, tally in tallies.items() if tally.is_charged}
        _compare_with_state(report, kept)
        _compare_with_anchor(report, kept, Anchor.read(path), identity)
    except LedgerError as problem:
        report.problem = str(problem)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        report.problem = f"Entry {report.entries + 1} of the ledger cannot be read. {RESTORE_HINT}"
    if report.problem and report.first_bad is None:
        report.first_bad = report.entries + 1
    return report


def _check_entry(
    report: VerificationReport, entry: Entry, tallies: dict[str, _PopulationSums]
) -> None:
    if not report.entries:
        report.ledger = str(entry.body.get("ledger"))
    if (entry.seq, entry.previous) != (report.entries + 1, report.head) or not entry.has_valid_hash(
        report.ledger
    ):
        raise LedgerError(
            f"Entry {report.entries + 1} of the ledger is missing or was changed. {RESTORE_HINT}"
        )
    match entry.kind:
        case "policy":
            _apply_policy(entry.body, tallies)
        case "charge":
            for name, loss in entry.body["charges"].items():
                _apply_charge(tallies[name], loss, entry.body.get("parts", {}).get(name))
        case "exhausted":
            for name, loss in entry.body["spent"].items():
                tally = tallies.setdefault(name, _PopulationSums())
                tally.everybody, tally.parts, tally.is_charged = _parse_sums(loss), {}, True
    report.entries, report.head = entry.seq, entry.hash


def _apply_policy(body: dict[str, Any], tallies: dict[str, _PopulationSums]) -> None:
    for name, terms in body["budgets"].items():
        sides = 2 if terms["neighbours"] == "change-one" else 1
        partitions = {
            table: (partition, sides * partition["most"])
            for table, partition in body.get("partitions", {}).items()
            if partition["population"] == name
        }
        tallies.setdefault(name, _PopulationSums()).apply_partitions(partitions)


def _apply_charge(tally: _PopulationSums, loss: dict[str, str], parts: list[Any] | None) -> None:
    tally.is_charged = True
    if parts is None:
        _add_sums(tally.everybody, _parse_sums(loss))
        return
    table, names = parts
    for name in names:
        of_table = tally.parts.setdefault(table, {})
        _add_sums(
            of_table.setdefault(name, dict.fromkeys(_LOSS_FIELDS, Fraction(0))), _parse_sums(loss)
        )


def _add_sums(to: Sums, more: Sums) -> None:
    for number in _LOSS_FIELDS:
        to[number] += more[number]


def _parse_sums(loss: dict[str, str]) -> Sums:
    return {number: _parse_number(loss[number]) for number in _LOSS_FIELDS}


def _parse_number(text: str) -> Fraction | float:
    return math.inf if text == "inf" else Fraction(text)


def _compare_with_state(report: VerificationReport, kept: list[Entry]) -> None:
    state = LedgerState()
    for entry in kept:
        report.first_bad = entry.seq
        state.replay([entry])
    for name, sums in report.spent.items():
        paid = state.unit_loss(name)
        if (sums["epsilon"], min(sums["delta"], 1), sums["rho"]) != (
            paid.epsilon,
            paid.delta,
            paid.rho,
        ):
            raise LedgerError(
                f"The charges to '{name}' do not add up to the sums of the rules. {RESTORE_HINT}"
            )
    report.first_bad = None


def _compare_with_anchor(
    report: VerificationReport,
    kept: list[Entry],
    anchor: Anchor | None,
    identity: Mapping[str, object],
) -> None:
    if anchor is None:
        raise LedgerError(f"The anchor of the ledger is missing. {RESTORE_HINT}")
    if anchor.ledger != report.ledger:
        report.first_bad = 1
        raise LedgerError(
            "Entry 1 opens another ledger than the anchor's. Put the right file back."
        )
    if anchor.seq > report.entries:
        raise LedgerError(
            f"Entry {report.entries + 1} of the ledger is missing: the anchor knows entry"
            f" {anchor.seq}. {RESTORE_HINT}"
        )
    if kept[anchor.seq - 1].hash != anchor.hash:
        report.first_bad = anchor.seq
        raise LedgerError(
            f"Entry {anchor.seq} of the ledger differs from the one that the anchor knows."
            f" {RESTORE_HINT}"
        )
    if not anchor.is_same_store(identity):
        raise LedgerError(
            "The ledger is a copy: the anchor knows another one. If no other copy is in use, the"
            " custodian runs 'hedgerow ledger adopt'."
        )
