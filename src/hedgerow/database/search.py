"""A search for bounds or caps: what it asks of the data, what it costs, and what its answer means."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.database.bounds import PARTS, bounds_plan, ends_of, search_noise
from hedgerow.database.caps import caps_of, caps_plan
from hedgerow.errors import Unbounded
from hedgerow.plan.explain import text
from hedgerow.plan.expressions import Expression
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.normal import key as meaning_of
from hedgerow.plan.values import Type
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release import Charge, Noise
from hedgerow.sql.catalog import Catalog, Name

__all__ = ["Found", "Search", "bounds_search", "caps_search", "request_for"]

_MEANING: Final = "search 1"  # of what is chosen; another way to find it is another question


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """``what`` is sought, for people: the bounds of a column of some ``type``, or the caps that are ``wanted`` in questions with or without
    ``keys``. ``key`` is the name under which its answers are kept."""

    what: str
    table: TableRule
    rule: BudgetRule
    unit: Unit
    plan: Aggregate
    key: str
    type: Type | None = None
    wanted: tuple[str, ...] = ()
    keys: bool = False

    def noise(self, epsilon: Fraction) -> Noise:
        """The choices that cost so much."""
        parts = [Fraction(1, len(self.wanted))] * len(self.wanted) if self.type is None else PARTS
        return search_noise(self.plan, self.unit, epsilon, self.rule.noise, parts)

    def loss(self, epsilon: Fraction) -> Loss:
        """What they cost exactly."""
        return self.noise(epsilon).loss(self.plan.sensitivity(self.unit))

    def meant(self, numbers: Sequence[Sequence[int]]) -> tuple[Fraction, ...] | None:
        """Lower and upper bound, or the caps; None where there were too few units to find them."""
        if self.type is not None:
            return ends_of(self.type, numbers)
        caps = caps_of(numbers, keys=self.keys)
        return None if caps is None else tuple(map(Fraction, caps))

    def charge(self, analyst: str, epsilon: Fraction, request: str | None, policy: str) -> Charge:
        """Who pays, all parts of the table together; a request that is sent again is charged once for this as well."""
        about = {"table": self.table.name, "aggregates": [self.what]}
        key = None if request is None else request_for(request, self)
        return Charge(self.rule.population, self.unit, analyst, epsilon, self.key, self.table.version, key, about, policy)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and the entry that paid for it."""

    search: Search
    values: tuple[Fraction, ...]
    entry: int

    @property
    def note(self) -> str:
        """What a reader of an answer should know."""
        low, *rest = (f"{float(value):,g}" if value.denominator > 1 else f"{value.numerator:,}" for value in self.values)
        between = " to " if self.search.type is not None else " and "
        return f"Not declared but found privately: {self.search.what}, {between.join([low, *rest])} (entry {self.entry})."


def request_for(request: str, search: Search) -> str:
    """The idempotency key of what a question with such a key needs first."""
    return f"{request} / {search.what}"


def bounds_search(policy: Policy, catalog: Catalog, name: Name) -> Search:
    """After the bounds of a column."""
    schema = catalog.tables[name[0]].schema
    column = schema.column(name[1])
    assert column is not None
    return replace(_search(policy, name[0], f"bounds of {'.'.join(name)}", bounds_plan(schema, column)), type=column.type)


def caps_search(policy: Policy, catalog: Catalog, table: str, keys: tuple[Expression, ...] | None, wanted: tuple[str, ...]) -> Search:
    """After the caps of a table in questions with these keys; Unbounded where these are not of the table as the policy declares it."""
    if keys is None:
        raise Unbounded("These rows are not those of one table.")
    by = f" by {', '.join(map(text, keys))}" if keys else ""
    plan = caps_plan(catalog.tables[table].schema, keys, wanted)
    return replace(_search(policy, table, f"{' and '.join(wanted)} of {table}{by}", plan), wanted=wanted, keys=bool(keys))


def _search(policy: Policy, table: str, what: str, plan: Aggregate) -> Search:
    declared = policy.table(table)
    assert declared is not None
    assert declared.protects is not None
    assert declared.population is not None
    rule = policy.budget(declared.population)
    meaning = [_MEANING, meaning_of(plan), rule.population, declared.protects.relation, rule.noise]
    key = hashlib.sha256("\n".join(meaning).encode()).hexdigest()
    return Search(what, declared, rule, declared.protects, plan, key)
