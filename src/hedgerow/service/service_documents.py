"""The documents of the service: budgets, tables, history, policy, accounts and ledger, each for a
caller who may see it. They touch no data and cost nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from hedgerow.answers.clipping_bounds import ClippingHistogram
from hedgerow.database.database import Database
from hedgerow.database.measured_clipping import find_measured_clipping, list_measurements
from hedgerow.database.query.run import CUSTODIAN
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.system_query import SYSTEM_SCHEMA
from hedgerow.ledger.chain_verification import verify
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Caller, Role
from hedgerow.service.policy_changes import PolicyChange, compare_policy_file
from hedgerow.service.problems import NotAllowed
from hedgerow.service.settings import ServiceSettings

__all__ = ["ServiceDocuments"]


class ServiceDocuments(ABC):
    """The documents over the database of the accepted policy."""

    settings: ServiceSettings
    accounts: AccountFile

    @abstractmethod
    def _current(self) -> AbstractContextManager[Database]:
        """Hold the database of the accepted policy."""

    @property
    def policy_digest(self) -> str:
        """The digest of the policy that rules."""
        with self._current() as database:
            return database.policy_digest

    def read_budgets(self, caller: Caller) -> dict[str, Any]:
        """Return what is left of each population, and of the caller's own quota."""
        with self._current() as database:
            quotas = self._list_rows(database, "quotas", caller)
        return {"budgets": self.list_budgets(), "quotas": quotas}

    def list_budgets(self) -> dict[str, dict[str, Any]]:
        """Return what is left of each population."""
        with self._current() as database:
            return {name: one.to_dict() for name, one in database.budgets.items()}

    def list_tables(self, caller: Caller) -> dict[str, Any]:
        """Return the tables that the caller may ask about, with their columns."""
        with self._current() as database:
            tables = self._list_rows(database, "tables", caller)
            columns = self._list_rows(database, "columns", caller)
        return {
            "tables": [
                {**table, "columns": [row for row in columns if row["table"] == table["name"]]}
                for table in tables
            ]
        }

    def list_history(self, caller: Caller) -> dict[str, Any]:
        """Return the ledger entries of the caller, with the texts of questions that were asked
        here; custodian and auditor see all of them."""
        with self._current() as database:
            entries = self._list_rows(database, "ledger", caller)
        texts = self.accounts.list_asked_questions()
        return {"entries": [one | {"sql": texts.get(one["entry"])} for one in entries]}

    def list_clipping(self, caller: Caller) -> dict[str, ClippingHistogram | None]:
        """Return what was measured of each table that the caps can cut."""
        self.require_overview(caller)
        with self._current() as database:
            names = [one.table.name for one in list_measurements(database)]
            return {name: find_measured_clipping(database, name) for name in names}

    def read_policy_text(self, caller: Caller) -> dict[str, Any]:
        """Return the policy file as it is, and the digest of the accepted one."""
        self.require_overview(caller)
        with self._current() as database:
            text = self.settings.policy.read_text(encoding="utf-8")
            return {"policy": text, "accepted_digest": database.ledger.policy_digest}

    def list_accounts(self, caller: Caller) -> dict[str, Any]:
        """Return all accounts and their tokens, without secrets."""
        self.require_overview(caller)
        return {
            "accounts": [account.to_dict() for account in self.accounts.list_accounts()],
            "tokens": [token.to_dict() for token in self.accounts.list_tokens()],
        }

    def list_quotas(self, caller: Caller) -> dict[str, Any]:
        """Return the quota of every analyst."""
        self.require_overview(caller)
        with self._current() as database:
            return {"quotas": self._list_rows(database, "quotas", caller)}

    def list_publications(self, caller: Caller) -> dict[str, Any]:
        """Return what was published of the tables that the caller may ask about; the custodian
        gives out the files."""
        with self._current() as database:
            known = {row["name"] for row in self._list_rows(database, "tables", caller)}
            charges = [one for one in database.ledger.entries() if one.kind == "charge"]
        return {
            "publications": [
                {
                    "entry": charge.seq,
                    "time": charge.time[:19],
                    "population": ", ".join(charge.body["charges"]),
                    "epsilon": float(Fraction(charge.body["epsilon"])),
                    "publication": charge.body["about"]["publication"],
                    "table": charge.body["about"].get("table", ""),
                }
                for charge in charges
                if "publication" in charge.body["about"]
                and set(str(charge.body["about"].get("table", "")).split(", ")) <= known
            ]
        }

    def list_ledger(self, caller: Caller) -> dict[str, Any]:
        """Return all ledger entries, and the result of verifying their chain."""
        self.require_overview(caller)
        with self._current() as database:
            entries = self._list_rows(database, "ledger", caller)
        return {"entries": entries, "verification": self.verify_ledger(caller)}

    def verify_ledger(self, caller: Caller) -> str:
        """Recompute the chain of the ledger and what was spent, and return the result."""
        self.require_overview(caller)
        with self._current() as database:
            place = database.policy.ledger_place
            assert place is not None
            return str(verify(place))

    @property
    def largest_epsilon(self) -> float:
        """The largest epsilon that one question may name."""
        with self._current() as database:
            return float(max(rule.max_epsilon_per_query for rule in database.policy.budgets))

    def compare_policy(self) -> PolicyChange:
        """Compare the policy file with the policy that rules."""
        with self._current() as database:
            return compare_policy_file(self.settings.policy, database.ledger)

    def require_overview(self, caller: Caller) -> None:
        """Refuse everybody but custodians and auditors."""
        if not caller.role.sees_everything:
            raise NotAllowed("Only a custodian or an auditor may see this.")

    def _name_analyst(self, database: Database, caller: Caller) -> str | None:
        """Return the analyst in whose name a caller asks; None is the custodian."""
        if caller.role is not Role.analyst:
            return None
        names = [rule.name for rule in database.policy.analysts]
        if caller.name == CUSTODIAN:  # such an account is refused when it is added
            raise NotAllowed("The ledger has this name for custodians. Ask for another account.")
        if names and caller.name not in names:
            raise NotAllowed(
                f"The policy declares its analysts, and {caller.name} is not one of them. Ask the"
                f" custodian to add [analysts.{caller.name}]."
            )
        return caller.name

    def _list_rows(self, database: Database, table: str, caller: Caller) -> list[dict[str, Any]]:
        analyst = self._name_analyst(database, caller)
        answer = database.query(f"SELECT * FROM {SYSTEM_SCHEMA}.{table}", analyst=analyst)
        assert isinstance(answer, ExactTable)
        return list(answer.to_dict()["rows"])
