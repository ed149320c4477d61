"""The rules of the ledger, as a fold over its entries; no files here.

``apply`` takes the next entry or refuses it, and a refused entry leaves the book as it was.
``follow`` reads stored entries by the same rules, so a file in which a rule was broken is refused
as well, however that came about. It adds up the charges of a population before it asks its budget
about them: sums only grow, so when the last sum fits, every earlier one did.

| kind | says |
|---|---|
| open | the ledger's id and format; always entry 1 |
| policy | budgets, partitions, quotas, sources, files; the latest one rules, and budgets come from nowhere else |
| charge | what a question costs each population, or parts of a table of it, before data are looked at |
| answer, failure | how a charge ended; at most one of them, at most once |
| adopt | the custodian vouched for a moved or restored file |
| exhausted | entries were lost: every budget counts as spent up to the largest total it ever had, or as the custodian declares |

Why an exhausted budget is written down as ``Loss(E, delta)``: whatever the lost entries were, the
filter had accepted them, so everything answered so far is (E, delta)-DP together, and that is what
such a Loss means. A later policy with larger totals opens what it adds; with delta, thresholds must
then be able to pay the whole old delta.

``files`` of a policy entry are the data versions that it accepts: table -> version, and by which
key, size and digest the file of that version is known. A version stays what it was accepted as. The
key is random: the hash of a later entry, which an analyst gets with each answer, would otherwise
tell whether a guess of the whole file is right.

A partition that changes (its column, its parts, how many of them a unit may be in) closes: what its
parts cost a unit at most is added to what everybody has paid, and the new parts start at nothing.
So every sum speaks of one way of cutting units to parts.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from hedgerow.errors import BudgetExceeded, LedgerError, Refused
from hedgerow.ledger.entry import Entry, format_now
from hedgerow.privacy.budget import Budget, TableParts
from hedgerow.privacy.budget_view import format_decimals
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses

__all__ = ["FORMAT", "LedgerState", "compute_larger_loss"]

FORMAT = 1
_RUN_TIMEOUT = timedelta(hours=1)
_RESTORE_HINT = "Put back a copy that nobody touched."
_NO_LOSS = Loss(Fraction(0))
_FAILURE_LIMIT_FACTOR = 10  # analysts' worth of failures, for all names together
_REVIEW_HINT = "The custodian looks into it, then runs 'hedgerow policy accept --anew'."


class LedgerState:
    """What the entries so far add up to."""

    def __init__(self) -> None:
        self.ledger = ""
        self.seq = 0
        self.head = ""
        self.policy: dict[str, Any] | None = None
        self.largest_totals: dict[str, Loss] = {}
        self._budgets: dict[str, Budget] = {}
        self._declared_losses: dict[str, Loss] = {}
        self._charged_populations: set[str] = set()
        self._pending: dict[str, list[tuple[int, Loss, TableParts | None]]] = {}
        self._sources: dict[str, str] = {}
        self._files: dict[tuple[str, str], dict[str, Any]] = {}
        self._asked_epsilons: dict[str, Fraction] = {}
        self._failure_counts: Counter[str] = Counter()
        self._open_charges: dict[int, tuple[str, str, str, str]] = {}
        self._requests: dict[tuple[str, str], int] = {}
        self._answers: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._outcomes: dict[int, int] = {}
        self._forgiven_charges: frozenset[int] = frozenset()

    def build_entry(self, kind: str, body: dict[str, object], time: str | None = None) -> Entry:
        """The entry that would follow; ``apply`` says whether it may."""
        return Entry.build(
            self.ledger or str(body.get("ledger")),
            self.seq + 1,
            kind,
            body,
            self.head,
            time or format_now(),
        )

    def apply(self, entry: Entry) -> None:
        """Take the next entry: LedgerError when it does not belong here, Refused when a rule
        forbids it.
        """
        self._take_entry(entry, stored=False)

    def replay(self, entries: Iterable[Entry]) -> None:
        """Take stored entries. One that breaks a rule was not written by these rules:
        LedgerError.
        """
        for entry in entries:
            try:
                self._take_entry(entry, stored=True)
            except Refused as problem:
                raise LedgerError(
                    f"Entry {entry.seq} of the ledger breaks its rules: {problem}"
                ) from None
        for name in tuple(self._pending):
            self._charge_pending(name)

    def _take_entry(self, entry: Entry, *, stored: bool) -> None:
        if entry.seq != self.seq + 1:
            raise LedgerError(
                f"Entry {self.seq + 1} of the ledger is missing; entry {entry.seq} stands in its"
                f" place. {_RESTORE_HINT}"
            )
        if (self.seq == 0) != (entry.kind == "open"):
            raise LedgerError(
                f"Entry {entry.seq} of the ledger cannot be of the kind '{entry.kind}'."
            )
        try:
            if entry.previous != self.head or not entry.has_valid_hash(
                self.ledger or entry.body["ledger"]
            ):
                raise LedgerError(
                    f"Entry {entry.seq} of the ledger was changed: its hash does not fit."
                    f" {_RESTORE_HINT}"
                )
            self._dispatch(entry, entry.body, stored)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise LedgerError(
                f"Entry {entry.seq} of the ledger cannot be read as a '{entry.kind}' entry."
            ) from None
        self.seq, self.head = entry.seq, entry.hash

    def _dispatch(self, entry: Entry, body: dict[str, Any], stored: bool) -> None:
        match entry.kind:
            case "charge":
                self._apply_charge(entry, body, stored)
            case "answer" | "failure":
                self._apply_outcome(entry, body)
            case "policy":
                self._apply_policy(body)
            case "exhausted":
                self._apply_exhausted(body)
            case "open":
                self._apply_open(body)
            case "adopt":
                pass  # it speaks about the file; the sums stay as they are
            case _:
                raise ValueError

    def budget(self, population: str) -> Budget:
        """What this population may lose in all, and has lost. It only reads: whoever asks has no
        lock, and another thread may be in the midst of ``follow``, whose charges would be lost if
        two were to add them up."""
        self._require_budget(population)
        return self._budgets[population]

    def unit_loss(self, population: str) -> Loss:
        """What one unit of this population has lost at most; also where a loss was declared and
        no policy has come since.
        """
        return (
            self.budget(population).unit_loss
            if population in self._budgets
            else self._declared_losses.get(population, _NO_LOSS)
        )

    @property
    def sources(self) -> dict[str, str]:
        """Every source that a policy ever named, and the population that it is about."""
        return dict(self._sources)

    @property
    def files(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every data version that was accepted, by table and version."""
        return dict(self._files)

    @property
    def populations(self) -> tuple[str, ...]:
        """Whose budgets the ruling policy names."""
        return tuple(self._budgets)

    def asked_epsilon(self, analyst: str) -> Fraction:
        """The sum of the epsilons this analyst asked for."""
        return self._asked_epsilons.get(analyst, Fraction(0))

    def quota(self, analyst: str) -> Fraction | None:
        """The most this analyst may ask for in all; None without a limit of their own."""
        text = self.policy["quotas"].get(analyst) if self.policy else None
        return None if text is None else _parse_fraction(text)

    def count_failures(self, analyst: str, time: str | None = None) -> int:
        """Runs that failed, or that an hour after their charge have no end, and were not
        forgiven: a crash must not be a free oracle.
        """
        return self._failure_counts[analyst] + sum(
            who == analyst for who in self._list_overdue_analysts(time)
        )

    def _list_overdue_analysts(self, time: str | None) -> list[str]:
        """Whose runs have no end although it is time; those that were forgiven are the
        custodian's affair.
        """
        since = (datetime.fromisoformat(time or format_now()) - _RUN_TIMEOUT).strftime(
            "%Y-%m-%dT%H:%M:%S.%fZ"
        )
        return [
            who
            for charge, (who, when, *_) in self._open_charges.items()
            if when <= since and charge not in self._forgiven_charges
        ]

    def find_request(self, analyst: str, request: str | None) -> int | None:
        """The charge that this analyst made under this key; the keys of two analysts never meet."""
        return None if request is None else self._requests.get((analyst, request))

    def find_outcome(self, charge: int) -> int | None:
        """The answer or failure with which a charge ended."""
        return self._outcomes.get(charge)

    def list_answers(self, question: str, version: str) -> list[tuple[int, int]]:
        """(charge, answer) for every answer to this question on this version of the data."""
        return list(self._answers.get((question, version), ()))

    def _apply_open(self, body: dict[str, Any]) -> None:
        if body["format"] != FORMAT:
            raise LedgerError(
                f"The ledger has format {body['format']}; this version of Hedgerow reads format"
                f" {FORMAT}. Update Hedgerow."
            )
        self.ledger = body["ledger"]

    def _apply_policy(self, body: dict[str, Any]) -> None:
        partitions = body.get("partitions", {})
        budgets = {
            name: self._build_budget(name, terms, partitions)
            for name, terms in body["budgets"].items()
        }
        for table, partition in partitions.items():
            if partition["population"] not in budgets:
                raise Refused(
                    f"The table '{table}' is about the population '{partition['population']}',"
                    " which has no budget."
                )
        old = self.policy["budgets"] if self.policy else {}
        for name in self._charged_populations:
            if name not in budgets:
                raise Refused(f"The population '{name}' has been charged; a policy cannot drop it.")
            if name in old and any(
                old[name][term] != body["budgets"][name][term] for term in ("unit", "neighbours")
            ):
                raise Refused(
                    f"The population '{name}' has been charged; its unit and neighbours cannot"
                    " change any more."
                )
        for source, name in body["sources"].items():
            if name not in budgets:
                raise Refused(
                    f"The source '{source}' belongs to the population '{name}', which has no"
                    " budget."
                )
            if self._sources.get(source, name) != name:
                raise Refused(
                    f"The source '{source}' belongs to the population '{self._sources[source]}' and"
                    f" cannot move to '{name}'."
                )
        if not isinstance(body["max_failures"], int) or any(
            Fraction(quota) < 0 for quota in body["quotas"].values()
        ):
            raise ValueError
        files = {
            (table, str(file["version"])): dict(file)
            for table, file in body.get("files", {}).items()
        }
        for (table, version), file in files.items():
            known = self._files.get((table, version), file)
            if any(known[part] != file[part] for part in ("key", "size", "digest")):
                raise Refused(
                    f"The version '{version}' of the table '{table}' was accepted with another"
                    " file. Declare a new version."
                )
        # An entry that does not say whether it forgives is from before there was a word for it,
        # when all of them did.
        if body.get("forgives", True) or body["max_failures"] > (
            self.policy["max_failures"] if self.policy else 0
        ):
            self._failure_counts.clear()
            self._forgiven_charges = frozenset(self._open_charges)
        self.policy, self._budgets = body, budgets
        self._sources.update(body["sources"])
        self._files |= files
        for name, budget in budgets.items():
            self.largest_totals[name] = compute_larger_loss(
                self.largest_totals.get(name, _NO_LOSS),
                Loss(budget.epsilon, budget.delta or Fraction(0)),
            )

    def _build_budget(self, name: str, terms: dict[str, Any], partitions: dict[str, Any]) -> Budget:
        delta = None if terms["delta"] is None else Fraction(terms["delta"])
        # a unit leaves its parts, and its successor enters others
        both = 2 if terms["neighbours"] == "change-one" else 1
        fresh = {
            table: PartLosses(both * partition["most"], tuple(partition["parts"]))
            for table, partition in partitions.items()
            if partition["population"] == name
        }
        self._charge_pending(name)
        old = self._budgets.get(name)
        charged = self._declared_losses.get(name, _NO_LOSS) if old is None else old.charged
        known = self.policy.get("partitions", {}) if self.policy else {}
        for table, held in old.parts.items() if old else ():
            if known[table] == partitions.get(table) and held.most == fresh[table].most:
                fresh[table] = held
            else:
                charged = charged + held.unit_loss
        return Budget(
            Fraction(terms["epsilon"]), delta, Fraction(terms["conversion"]), charged, fresh
        )

    def _apply_charge(self, entry: Entry, body: dict[str, Any], stored: bool) -> None:
        analyst, request, asked = body["analyst"], body["request"], _parse_fraction(body["epsilon"])
        run = (analyst, entry.time, body["question"], body["version"])
        if (analyst, request) in self._requests:
            raise LedgerError(
                f"The request '{request}' was charged already, by entry"
                f" {self._requests[analyst, request]}."
            )
        if asked <= 0 or not body["charges"] or not all(isinstance(item, str) for item in run):
            raise ValueError
        losses = {name: _parse_loss(**loss) for name, loss in body["charges"].items()}
        for name in losses:
            self._require_budget(name)
        parts = {
            name: self._read_parts(name, table, names)
            for name, (table, names) in body.get("parts", {}).items()
        }
        if not parts.keys() <= losses.keys():
            raise ValueError
        self._check_analyst(analyst, asked, entry.time)
        if not stored:
            self._budgets.update(
                {
                    name: self._charge_budget(name, loss, parts.get(name))
                    for name, loss in losses.items()
                }
            )
        else:
            for name, loss in losses.items():
                self._pending.setdefault(name, []).append((entry.seq, loss, parts.get(name)))
        self._charged_populations.update(losses)
        self._asked_epsilons[analyst] = self.asked_epsilon(analyst) + asked
        self._open_charges[entry.seq] = run
        if request is not None:
            self._requests[analyst, request] = entry.seq

    def _require_budget(self, population: str) -> None:
        if population not in self._budgets:
            raise LedgerError(
                f"The ledger has no budget for the population '{population}'. Accept a policy that"
                " has one."
            )

    def _read_parts(self, population: str, table: str, names: list[str]) -> TableParts:
        """The parts that a charge names, as the ruling policy declares them."""
        self._require_budget(population)
        known = self._budgets[population].parts.get(table)
        if known is None:
            raise LedgerError(
                f"The table '{table}' of the population '{population}' has no parts in the ruling"
                " policy."
            )
        if not names or len(set(names)) != len(names):
            raise ValueError
        for name in names:
            if name not in known.names:
                raise LedgerError(f"The table '{table}' has no part '{name}' in the ruling policy.")
        return table, tuple(names)

    def _charge_pending(self, population: str) -> None:
        """Charge what ``follow`` has read to the budget."""
        pending = self._pending.pop(population, [])
        if not pending:
            return
        budget = start = self._budgets[population]
        for (loss, at), count in Counter((loss, at) for _, loss, at in pending).items():
            budget = budget.add_charge(count * loss, at)
        if not budget.is_within:
            budgets = itertools.accumulate(
                pending,
                lambda so_far, charge: so_far.add_charge(charge[1], charge[2]),
                initial=start,
            )
            first = min(
                seq
                for (seq, _, _), after in zip(
                    pending, itertools.islice(budgets, 1, None), strict=True
                )
                if not after.is_within
            )
            raise LedgerError(
                f"Entry {first} of the ledger breaks its rules: the budget of '{population}' does"
                " not cover it."
            )
        self._budgets[population] = budget

    def _check_analyst(self, analyst: str, asked: Fraction, time: str) -> None:
        """Whether this analyst may ask, whatever the budget says."""
        most = self.policy["max_failures"] if self.policy else 0
        # No more runs can have failed than failed or are open; only near the limit do times matter.
        if (
            self._failure_counts[analyst] + len(self._open_charges) >= most
            and self.count_failures(analyst, time) >= most
        ):
            raise Refused(
                f"Too many runs of analyst '{analyst}' failed or never ended"
                f" ({self.count_failures(analyst, time)}). {_REVIEW_HINT}"
            )
        # A name costs nothing where none are declared, so there is a limit for all of them
        # together.
        if (
            self._failure_counts.total() + len(self._open_charges) >= _FAILURE_LIMIT_FACTOR * most
            and self._failure_counts.total() + len(self._list_overdue_analysts(time))
            >= _FAILURE_LIMIT_FACTOR * most
        ):
            raise Refused(f"Too many runs failed or never ended. {_REVIEW_HINT}")
        quota, spent = self.quota(analyst), self.asked_epsilon(analyst)
        if quota is not None and spent + asked > quota:
            raise BudgetExceeded(
                f"The quota of analyst '{analyst}' does not cover this question: it asks for"
                f" epsilon {format_decimals(asked, up=True)} with"
                f" {format_decimals(max(quota - spent, Fraction(0)))} left."
            )

    def _charge_budget(self, population: str, loss: Loss, at: TableParts | None) -> Budget:
        try:
            return self.budget(population).charge(loss, at)
        except BudgetExceeded as problem:
            raise BudgetExceeded(
                f"{problem} This is the budget of the population '{population}'."
            ) from None

    def _apply_outcome(self, entry: Entry, body: dict[str, Any]) -> None:
        charge = body["charge"]
        if charge not in self._open_charges:
            raise LedgerError(
                f"Entry {charge} of the ledger is not a charge that waits for its answer."
            )
        if entry.kind == "answer" and not isinstance(body["payload"], str):
            raise ValueError
        analyst, _, question, version = self._open_charges.pop(charge)
        self._outcomes[charge] = entry.seq
        if entry.kind == "failure":
            self._failure_counts[analyst] += 1
        else:
            self._answers.setdefault((question, version), []).append((charge, entry.seq))

    def _apply_exhausted(self, body: dict[str, Any]) -> None:
        spent = {name: _parse_loss(**loss) for name, loss in body["spent"].items()}
        declared, sources = body.get("declared", []), dict(body.get("sources", {}))
        for name in self._budgets:
            self._charge_pending(name)
        for name, peak in self.largest_totals.items():
            if name not in declared and compute_larger_loss(spent[name], peak) != spent[name]:
                raise ValueError
        for name in set(declared) & self._budgets.keys():
            if spent[name].epsilon < self.budget(name).unit_loss.epsilon_at(spent[name].delta):
                raise Refused(
                    f"The entries that are left show that the population '{name}' has spent more"
                    " than is declared."
                )
        self._budgets = {name: self._close_budget(name, spent[name]) for name in self._budgets}
        self._declared_losses = spent
        self._sources |= sources  # of policies that were lost; they still may not move
        self._charged_populations.update(spent)
        self.largest_totals |= {
            name: compute_larger_loss(self.largest_totals.get(name, _NO_LOSS), loss)
            for name, loss in spent.items()
        }

    def _close_budget(self, name: str, spent: Loss) -> Budget:
        old = self.budget(name)
        return replace(
            old,
            charged=spent,
            parts={table: parts.without_charges for table, parts in old.parts.items()},
        )


def compute_larger_loss(a: Loss, b: Loss) -> Loss:
    """The smallest (epsilon, delta) that bounds both."""
    return Loss(max(a.epsilon, b.epsilon), max(a.delta, b.delta))


@functools.lru_cache(maxsize=4096)
def _parse_loss(epsilon: str, delta: str, rho: str) -> Loss:
    return Loss.from_dict({"epsilon": epsilon, "delta": delta, "rho": rho})


@functools.lru_cache(maxsize=4096)
def _parse_fraction(text: str) -> Fraction:
    return Fraction(text)
