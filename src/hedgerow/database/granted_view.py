"""The part of a database that an analyst was granted: for them, no other table exists."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from hedgerow.database.autobounds.resolver import BoundsResolver
from hedgerow.database.query.pricing import QueryContext
from hedgerow.engines.data_source import Source
from hedgerow.ledger.interface import LedgerBase
from hedgerow.policy import Policy
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.release.release import ReleaseLedger
from hedgerow.sql.catalog import Catalog

__all__ = ["GrantedView", "find_granted_tables", "restrict_context"]


@dataclass(frozen=True, slots=True)
class GrantedView:
    """A query context whose catalog holds the granted tables only."""

    whole: QueryContext
    catalog: Catalog
    resolver: BoundsResolver

    @property
    def policy(self) -> Policy:
        """The whole policy."""
        return self.whole.policy

    @property
    def policy_digest(self) -> str:
        """The digest of the policy."""
        return self.whole.policy_digest

    @property
    def ledger(self) -> LedgerBase:
        """The ledger."""
        return self.whole.ledger

    @property
    def budgets(self) -> Mapping[str, Balance | DualBalance]:
        """The budget of each population."""
        return self.whole.budgets

    @property
    def source(self) -> Source:
        """The engine."""
        return self.whole.source

    @property
    def release_ledger(self) -> ReleaseLedger:
        """The ledger as a release uses it."""
        return self.whole.release_ledger

    def enter_flight(self, *keys: str) -> AbstractContextManager[None]:
        """Hold the flights of questions."""
        return self.whole.enter_flight(*keys)


def find_granted_tables(policy: Policy, analyst: str) -> tuple[str, ...] | None:
    """Return the tables that the policy grants an analyst; None for all of them."""
    return next((rule.tables for rule in policy.analysts if rule.name == analyst), None)


def restrict_context(whole: QueryContext, analyst: str) -> QueryContext:
    """Return the context of an analyst's questions."""
    granted = find_granted_tables(whole.policy, analyst)
    if granted is None:
        return whole
    kept = {name: entry for name, entry in whole.catalog.tables.items() if name in granted}
    catalog = Catalog(kept, whole.catalog.database)
    return GrantedView(whole, catalog, BoundsResolver(whole.policy, catalog, whole.ledger))
