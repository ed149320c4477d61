"""The rules of the ledger, applied to its entries one after the other; no files here.

``apply`` takes the next entry or refuses it, and a refused entry leaves the state as it was.
``replay`` reads stored entries by the same rules, so a file in which a rule was broken is refused
as well, however that came about. It adds up the charges of a population before it asks its budget
about them: sums only grow, so if the last sum fits, every earlier one did.

| kind | content |
|---|---|
| open | the ledger's id and format; always entry 1 |
| policy | budgets, partitions, quotas, sources, files; the latest one rules, alone |
| charge | the loss of a question for each population, or for parts of a table |
| answer, failure | the outcome of a charge, once; an answer may name its ``question`` |
| adopt, exact | the custodian vouched for a moved or restored file; looked at exact data |
| act | an administrative act, by whom, and its id, which is never used twice |
| exhausted | entries were lost: every budget counts as spent (see below) |
| moved, arrived | the ledger goes on in another store; the end of the old one, then in the new |

An exhausted budget counts as spent up to the largest total it ever had, or as the custodian
declares. It is written as ``Loss(E, delta)``: whatever the lost entries were, the filter had
accepted them, so everything answered so far is (E, delta)-DP together, and that is what such a Loss
means. A later policy with larger totals opens what it adds; with delta, its threshold share must
then cover the whole old delta.

``files`` of a policy entry are the data versions that it accepts: table -> version, and the key,
size and digest of the file of that version. A version stays what it was accepted as. The key is
random: otherwise the hash of a later entry, which an analyst gets with each answer, would confirm a
guess of the whole file.

A partition that changes (its column, its parts, how many of them a unit may be in) is closed: the
most that its parts cost a unit is added to what everybody has paid, and the new parts start at
zero. So every sum is about one partition.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hedgerow.errors import LedgerError, Refused
from hedgerow.ledger.analyst_records import AnalystRecords, OpenCharge
from hedgerow.ledger.entry import RESTORE_HINT, Entry, format_now
from hedgerow.ledger.entry_bodies import compute_larger_loss, read_fraction, read_loss
from hedgerow.ledger.policy_rules import (
    charge_budget,
    check_charged_populations,
    check_files,
    check_parts,
    check_populations,
)
from hedgerow.ledger.question_records import QuestionRecords
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses, TableParts

__all__ = ["FORMAT", "LedgerState"]

FORMAT = 1
_NO_LOSS = Loss(Fraction(0))


class LedgerState:
    """The state of a ledger after its entries so far."""

    def __init__(self) -> None:
        self.ledger, self.seq, self.head = "", 0, ""
        self.policy: dict[str, Any] | None = None
        self.largest_totals: dict[str, Loss] = {}
        self._budgets: dict[str, Budget] = {}
        self._declared_losses: dict[str, Loss] = {}
        self._charged_populations: set[str] = set()
        self._pending: dict[str, list[tuple[int, Loss, TableParts | None]]] = {}
        self._sources: dict[str, str] = {}
        self._files: dict[tuple[str, str], dict[str, Any]] = {}
        self._analysts = AnalystRecords()
        self.questions = QuestionRecords()
        self._acts: set[str] = set()
        self.successor, self.place = "", ""  # where it goes on, and the name of where it arrived

    def build_entry(self, kind: str, body: dict[str, object], time: str | None = None) -> Entry:
        """Build the next entry; ``apply`` decides whether it is accepted."""
        ledger = self.ledger or str(body.get("ledger"))
        return Entry.build(ledger, self.seq + 1, kind, body, self.head, time or format_now())

    def apply(self, entry: Entry) -> None:
        """Apply the next entry, or raise LedgerError (it does not belong here) or Refused."""
        self._take_entry(entry, stored=False)

    def replay(self, entries: Iterable[Entry]) -> None:
        """Apply stored entries; raise LedgerError for one that breaks a rule."""
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
                f"Entry {self.seq + 1} of the ledger is missing; entry {entry.seq} is in its place."
                f" {RESTORE_HINT}"
            )
        if (self.seq == 0) != (entry.kind == "open"):
            raise LedgerError(
                f"Entry {entry.seq} of the ledger cannot be of the kind '{entry.kind}'."
                f" {RESTORE_HINT}"
            )
        try:
            if entry.previous != self.head or not entry.has_valid_hash(
                self.ledger or entry.body["ledger"]
            ):
                raise LedgerError(
                    f"Entry {entry.seq} of the ledger was changed: its hash does not fit."
                    f" {RESTORE_HINT}"
                )
            self._dispatch(entry, entry.body, stored)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise LedgerError(
                f"Entry {entry.seq} of the ledger cannot be read as a '{entry.kind}' entry."
                f" {RESTORE_HINT}"
            ) from None
        self.seq, self.head = entry.seq, entry.hash

    def _dispatch(self, entry: Entry, body: dict[str, Any], stored: bool) -> None:
        if self.successor and entry.kind not in ("arrived", "exhausted"):
            raise LedgerError(
                f"The ledger is closed: it was moved to {self.successor}. Name that in the policy."
            )
        match entry.kind:
            case "charge":
                self._apply_charge(entry, body, stored)
            case "answer" | "failure":
                self._apply_outcome(entry, body)
            case "policy":
                self._apply_policy(body)
            case "act":
                self._apply_act(body)
            case "exhausted":
                self._apply_exhausted(body)
            case "open":
                self._apply_open(body)
            case "moved" if body["to"]:
                self.successor = body["to"]
            case "arrived":
                if body["at"] != self.successor:
                    raise ValueError
                self.successor, self.place = "", body["at"]
            case "adopt" | "exact":
                pass  # about the file, or about an exact look: the sums stay as they are
            case _:
                raise ValueError

    def budget(self, population: str) -> Budget:
        """Return the budget of a population, with its charges.

        It only reads: the caller has no lock, and another thread may be in the middle of
        ``replay``, whose charges would be lost if two threads added them up.
        """
        self._require_budget(population)
        return self._budgets[population]

    def unit_loss(self, population: str) -> Loss:
        """Return the most that one unit of a population has lost, declared losses included."""
        if population in self._budgets:
            return self._budgets[population].unit_loss
        return self._declared_losses.get(population, _NO_LOSS)

    @property
    def sources(self) -> dict[str, str]:
        """Every source that a policy ever named, and its population."""
        return dict(self._sources)

    @property
    def files(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every data version that was accepted, by table and version."""
        return dict(self._files)

    @property
    def populations(self) -> tuple[str, ...]:
        """The populations with a budget in the ruling policy."""
        return tuple(self._budgets)

    def asked_epsilon(self, analyst: str) -> Fraction:
        """Return the sum of the epsilons that an analyst asked for."""
        return self._analysts.asked_epsilon(analyst)

    def quota(self, analyst: str) -> Fraction | None:
        """Return the largest sum of epsilons that an analyst may ask for, or None if unlimited."""
        text = self.policy["quotas"].get(analyst) if self.policy else None
        return None if text is None else read_fraction(text)

    def daily_quota(self, analyst: str) -> Fraction | None:
        """Return the largest sum for one day (UTC), or None if unlimited."""
        text = self.policy.get("daily_quotas", {}).get(analyst) if self.policy else None
        return None if text is None else read_fraction(text)

    def count_failures(self, analyst: str, time: str | None = None) -> int:
        """Count the failed and overdue runs of an analyst that were not forgiven."""
        return self._analysts.count_failures(analyst, time)

    def has_act(self, act: str) -> bool:
        """Return whether an administrative act of this id was recorded."""
        return act in self._acts

    def _apply_open(self, body: dict[str, Any]) -> None:
        if body["format"] != FORMAT:
            raise LedgerError(
                f"The ledger has format {body['format']}; this version of Hedgerow reads format"
                f" {FORMAT}. Update Hedgerow."
            )
        self.ledger = body["ledger"]

    def _apply_act(self, body: dict[str, Any]) -> None:
        if body["act"] in self._acts or not all(body[name] for name in ("act", "words", "by")):
            raise ValueError
        self._acts.add(body["act"])

    def _apply_policy(self, body: dict[str, Any]) -> None:
        budgets = {
            name: self._build_budget(name, terms, body.get("partitions", {}))
            for name, terms in body["budgets"].items()
        }
        ruling = self.policy or {"budgets": {}, "max_failures": 0}
        check_populations(body, self._sources)
        check_charged_populations(body["budgets"], ruling["budgets"], self._charged_populations)
        if not isinstance(body["max_failures"], int) or any(
            Fraction(quota) < 0
            for quota in (*body["quotas"].values(), *body.get("daily_quotas", {}).values())
        ):
            raise ValueError
        files = check_files(body, self._files)
        # Entries without this field were written when every policy entry forgave failures.
        if body.get("forgives", True) or body["max_failures"] > ruling["max_failures"]:
            self._analysts.forgive_failures()
        self.policy, self._budgets = body, budgets
        self._sources.update(body["sources"])
        self._files |= files
        for name, budget in budgets.items():
            self._raise_largest_total(name, Loss(budget.epsilon, budget.delta or Fraction(0)))

    def _raise_largest_total(self, name: str, total: Loss) -> None:
        known = self.largest_totals.get(name, _NO_LOSS)
        self.largest_totals[name] = compute_larger_loss(known, total)

    def _build_budget(self, name: str, terms: dict[str, Any], partitions: dict[str, Any]) -> Budget:
        delta = None if terms["delta"] is None else Fraction(terms["delta"])
        # A replaced unit leaves its parts, and its successor enters others.
        sides = 2 if terms["neighbours"] == "change-one" else 1
        fresh = {
            table: PartLosses(sides * partition["most"], tuple(partition["parts"]))
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
        analyst, request, asked = body["analyst"], body["request"], read_fraction(body["epsilon"])
        run = OpenCharge(analyst, entry.time, body["question"], body["version"])
        made = self.questions.find_request(analyst, request)
        if made is not None:
            raise LedgerError(
                f"The request '{request}' was charged already, by entry {made}. Use a new request"
                " key."
            )
        texts = (run.analyst, run.question, run.version)
        if asked <= 0 or not body["charges"] or not all(isinstance(text, str) for text in texts):
            raise ValueError
        losses = {name: read_loss(**loss) for name, loss in body["charges"].items()}
        for name in losses:
            self._require_budget(name)
        parts = {
            name: self._read_parts(name, table, names)
            for name, (table, names) in body.get("parts", {}).items()
        }
        if not parts.keys() <= losses.keys():
            raise ValueError
        self._check_analyst(analyst, asked, entry.time)
        if stored:
            for name, loss in losses.items():
                self._pending.setdefault(name, []).append((entry.seq, loss, parts.get(name)))
        else:  # all budgets, or none
            self._budgets |= {
                name: charge_budget(name, self._budgets[name], loss, parts.get(name))
                for name, loss in losses.items()
            }
        self._charged_populations.update(losses)
        self._analysts.open_charge(entry.seq, run, asked)
        self.questions.add_request(analyst, request, entry.seq)

    def check_charges_together(self, bodies: Sequence[dict[str, Any]]) -> None:
        """Refuse charges that budgets or quotas do not cover together; the state stays as it is."""
        budgets, asked = dict(self._budgets), dict[str, Fraction]()
        for body in bodies:
            epsilon = read_fraction(body["epsilon"])
            asked[body["analyst"]] = asked.get(body["analyst"], Fraction(0)) + epsilon
            for name, loss in body["charges"].items():
                self._require_budget(name)
                at = body.get("parts", {}).get(name)
                parts = None if at is None else self._read_parts(name, *at)
                budgets[name] = charge_budget(name, budgets[name], read_loss(**loss), parts)
        for analyst, epsilon in asked.items():
            self._check_analyst(analyst, epsilon, format_now())

    def _check_analyst(self, analyst: str, asked: Fraction, time: str) -> None:
        max_failures = self.policy["max_failures"] if self.policy else 0
        self._analysts.check(
            analyst,
            asked,
            time,
            quota=self.quota(analyst),
            daily_quota=self.daily_quota(analyst),
            max_failures=max_failures,
        )

    def _require_budget(self, population: str) -> None:
        if population not in self._budgets:
            raise LedgerError(
                f"The ledger has no budget for the population '{population}'. Accept a policy that"
                " has one."
            )

    def _read_parts(self, population: str, table: str, names: list[str]) -> TableParts:
        self._require_budget(population)
        return check_parts(population, table, names, self._budgets[population].parts.get(table))

    def _charge_pending(self, population: str) -> None:
        """Charge the stored charges that were read to their budget."""
        pending = self._pending.pop(population, [])
        if not pending:
            return
        budget = start = self._budgets[population]
        for (loss, at), count in Counter((loss, at) for _, loss, at in pending).items():
            budget = budget.add_charge(count * loss, at)
        if not budget.is_within:
            sums = itertools.accumulate(
                pending, lambda sum_, charge: sum_.add_charge(*charge[1:]), initial=start
            )
            after = zip(pending, itertools.islice(sums, 1, None), strict=True)
            seq = min(charge[0] for charge, budget in after if not budget.is_within)
            raise LedgerError(
                f"Entry {seq} of the ledger breaks its rules: the budget of '{population}' does not"
                f" cover it. {RESTORE_HINT}"
            )
        self._budgets[population] = budget

    def _apply_outcome(self, entry: Entry, body: dict[str, Any]) -> None:
        charge, failed = body["charge"], entry.kind == "failure"
        if not failed and {type(body["payload"]), type(body.get("question", ""))} != {str}:
            raise ValueError
        paid = self._analysts.close_charge(charge, failed=failed)
        question = body.get("question", paid.question)
        self.questions.add_outcome(question, paid.version, charge, entry.seq, failed=failed)

    def _apply_exhausted(self, body: dict[str, Any]) -> None:
        spent = {name: read_loss(**loss) for name, loss in body["spent"].items()}
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
                    " than is declared. Declare at least that."
                )
        self.successor = ""  # what was lost may be all that came after a move
        self._budgets = {
            name: replace(
                budget,
                charged=spent[name],
                parts={table: held.without_charges for table, held in budget.parts.items()},
            )
            for name, budget in self._budgets.items()
        }
        self._declared_losses = spent
        self._sources |= sources  # of policies that were lost; they still may not move
        self._charged_populations.update(spent)
        for name, loss in spent.items():
            self._raise_largest_total(name, loss)
