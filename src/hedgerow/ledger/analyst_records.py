"""The records of analysts: the epsilon each has asked for, failed runs, and unfinished runs.

A failure may depend on the data, so failed runs are limited: a crash must not be a free answer. A
run that has no outcome an hour after its charge counts as failed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction

from hedgerow.errors import BudgetExceeded, LedgerError, Refused
from hedgerow.ledger.entry import TIME_FORMAT, format_now
from hedgerow.privacy.budget_view import format_decimals

__all__ = ["AnalystRecords", "OpenCharge"]

_RUN_TIMEOUT = timedelta(hours=1)
_DATE_LENGTH = 10  # of the time of an entry, in characters
_FAILURE_LIMIT_FACTOR = 10  # all analysts together may fail as often as this many analysts
_REVIEW_HINT = (
    "The custodian must look into the failures, then run 'hedgerow policy accept --anew'."
)


@dataclass(frozen=True, slots=True)
class OpenCharge:
    """A charge without an outcome: its analyst, its time, and the question it pays for."""

    analyst: str
    time: str
    question: str
    version: str


@dataclass(slots=True)
class AnalystRecords:
    """The sums and counts of all analysts."""

    _asked_epsilons: dict[str, Fraction] = field(default_factory=dict)
    _asked_today: dict[tuple[str, str], Fraction] = field(default_factory=dict)
    _failure_counts: Counter[str] = field(default_factory=Counter)
    _open_charges: dict[int, OpenCharge] = field(default_factory=dict)
    _forgiven_charges: frozenset[int] = frozenset()

    def asked_epsilon(self, analyst: str) -> Fraction:
        """Return the sum of the epsilons that an analyst asked for."""
        return self._asked_epsilons.get(analyst, Fraction(0))

    def count_failures(self, analyst: str, time: str | None = None) -> int:
        """Count the failed and overdue runs of an analyst that were not forgiven."""
        overdue = self._list_overdue_analysts(time)
        return self._failure_counts[analyst] + overdue.count(analyst)

    def open_charge(self, seq: int, charge: OpenCharge, asked: Fraction) -> None:
        """Record a charge that waits for its outcome."""
        self._asked_epsilons[charge.analyst] = self.asked_epsilon(charge.analyst) + asked
        self._open_charges[seq] = charge
        day = (charge.analyst, charge.time[:_DATE_LENGTH])
        self._asked_today[day] = self._asked_today.get(day, Fraction(0)) + asked

    def close_charge(self, seq: int, *, failed: bool) -> OpenCharge:
        """Record the outcome of a charge, and return the charge."""
        if seq not in self._open_charges:
            raise LedgerError(
                f"Entry {seq} of the ledger is not a charge that waits for its outcome. Answer each"
                " charge once."
            )
        charge = self._open_charges.pop(seq)
        self._failure_counts[charge.analyst] += failed
        return charge

    def forgive_failures(self) -> None:
        """Start to count failures anew; overdue runs of before are the custodian's affair."""
        self._failure_counts.clear()
        self._forgiven_charges = frozenset(self._open_charges)

    def check(
        self,
        analyst: str,
        asked: Fraction,
        time: str,
        *,
        quota: Fraction | None,
        daily_quota: Fraction | None,
        max_failures: int,
    ) -> None:
        """Refuse a charge of an analyst with too many failures, or beyond their quotas."""
        # Failures are at most those counted and all open charges; only near the limit times matter.
        if (
            self._failure_counts[analyst] + len(self._open_charges) >= max_failures
            and self.count_failures(analyst, time) >= max_failures
        ):
            raise Refused(
                f"Too many runs of analyst '{analyst}' failed or never ended"
                f" ({self.count_failures(analyst, time)}). {_REVIEW_HINT}"
            )
        # Names are free where no analysts are declared, so all of them together have a limit too.
        total, limit = self._failure_counts.total(), _FAILURE_LIMIT_FACTOR * max_failures
        if (
            total + len(self._open_charges) >= limit
            and total + len(self._list_overdue_analysts(time)) >= limit
        ):
            raise Refused(f"Too many runs failed or never ended. {_REVIEW_HINT}")
        today = self._asked_today.get((analyst, time[:_DATE_LENGTH]), Fraction(0))
        for noun, most, spent, wait in (
            ("quota", quota, self.asked_epsilon(analyst), "Ask"),
            ("quota for a day", daily_quota, today, "Wait until midnight UTC, ask"),
        ):
            left = None if most is None else most - spent
            if left is not None and asked > left:
                raise BudgetExceeded(
                    f"The {noun} of analyst '{analyst}' does not cover this question: it asks for"
                    f" epsilon {format_decimals(asked, up=True)} with"
                    f" {format_decimals(max(left, Fraction(0)))} left. {wait} with a smaller"
                    " epsilon, or ask the custodian for a larger quota."
                )

    def _list_overdue_analysts(self, time: str | None) -> list[str]:
        """Return the analyst of each run that is overdue and was not forgiven."""
        now = datetime.fromisoformat(time or format_now())
        since = (now - _RUN_TIMEOUT).strftime(TIME_FORMAT)
        return [
            charge.analyst
            for seq, charge in self._open_charges.items()
            if charge.time <= since and seq not in self._forgiven_charges
        ]
