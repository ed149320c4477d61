"""A private search for the bounds of a column or the contribution bounds ("caps") of a table: its
plan, its noise and cost, and the reading of its result."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.answers.expression_text import format_expression
from hedgerow.answers.unit_noun import UnitNoun, name_unit
from hedgerow.database.autobounds.column_bounds import (
    BOUNDS_SHARES,
    build_bounds_plan,
    calibrate_search_noise,
    decode_bounds,
)
from hedgerow.database.autobounds.contribution_caps import build_caps_plan, decode_caps
from hedgerow.errors import Unbounded
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.scalar.expressions import Expression
from hedgerow.plan.values import Type
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.release import Charge
from hedgerow.sql.catalog import Catalog, ColumnName

__all__ = [
    "BoundsSearch",
    "FoundBounds",
    "build_bounds_search",
    "build_caps_search",
    "build_request_key",
]

_SEARCH_FORM: Final = "search 1"  # part of the key: another way of searching is another question


@dataclass(frozen=True, slots=True, eq=False)
class BoundsSearch:
    """A search for the bounds of a column of some ``type``, or for the ``caps`` of questions with
    or without keys. ``label`` describes it, and ``key`` is the key of its stored answers."""

    label: str
    table: TableRule
    budget_rule: BudgetRule
    unit: Unit
    plan: Aggregate
    key: str
    type: Type | None = None
    caps: tuple[str, ...] = ()
    has_keys: bool = False

    def noise(self, epsilon: Fraction) -> ReleaseNoise:
        """Calibrate the selections of the search to cost ``epsilon``."""
        parts: Sequence[Fraction] = BOUNDS_SHARES
        if self.type is None:
            parts = [Fraction(1, len(self.caps))] * len(self.caps)
        return calibrate_search_noise(self.plan, self.unit, epsilon, self.budget_rule.noise, parts)

    @property
    def noun(self) -> UnitNoun:
        """The noun for the units of the table."""
        return name_unit(self.budget_rule.population, self.unit)

    def loss(self, epsilon: Fraction) -> Loss:
        """Return the exact cost of the search."""
        return self.noise(epsilon).loss(self.plan.sensitivity(self.unit))

    def decode_result(self, numbers: Sequence[Sequence[int]]) -> tuple[Fraction, ...] | None:
        """Return the lower and upper bound, or the caps; None where there were too few units."""
        if self.type is not None:
            return decode_bounds(self.type, numbers)
        caps = decode_caps(numbers, keys=self.has_keys)
        return None if caps is None else tuple(map(Fraction, caps))

    def charge(self, analyst: str, epsilon: Fraction, request: str | None, policy: str) -> Charge:
        """Build the charge of the search, to the whole table; a request that is sent again is
        charged once."""
        about = {"table": self.table.name, "aggregates": [self.label]}
        key = None if request is None else build_request_key(request, self)
        return Charge(
            self.budget_rule.population,
            self.unit,
            analyst,
            epsilon,
            self.key,
            self.table.version,
            key,
            about,
            policy,
        )


@dataclass(frozen=True, slots=True)
class FoundBounds:
    """The result of a search, and the ledger entry that paid for it."""

    search: BoundsSearch
    values: tuple[Fraction, ...]
    entry: int

    @property
    def note(self) -> str:
        """The note about these bounds in an answer."""
        values = (
            f"{float(value):,g}" if value.denominator > 1 else f"{value.numerator:,}"
            for value in self.values
        )
        between = " to " if self.search.type is not None else " and "
        return (
            f"Found privately, not declared: {self.search.label}, {between.join(values)} (ledger"
            f" entry {self.entry})."
        )


def build_request_key(request: str, search: BoundsSearch) -> str:
    """Return the idempotency key of a search, from that of its question."""
    return f"{request} / {search.label}"


def build_bounds_search(policy: Policy, catalog: Catalog, name: ColumnName) -> BoundsSearch:
    """Build the search for the bounds of a column."""
    schema = catalog.tables[name[0]].schema
    column = schema.column(name[1])
    assert column is not None
    return replace(
        _build_search(
            policy, name[0], f"bounds of {'.'.join(name)}", build_bounds_plan(schema, column)
        ),
        type=column.type,
    )


def build_caps_search(
    policy: Policy,
    catalog: Catalog,
    table: str,
    keys: tuple[Expression, ...] | None,
    wanted: tuple[str, ...],
) -> BoundsSearch:
    """Build the search for the caps of a table in questions with these keys; raise Unbounded if the
    keys are not columns of that table alone."""
    if keys is None:
        raise Unbounded("The rows of this question are not those of one table. Declare the caps.")
    by = f" by {', '.join(map(format_expression, keys))}" if keys else ""
    plan = build_caps_plan(catalog.tables[table].schema, keys, wanted)
    return replace(
        _build_search(policy, table, f"{' and '.join(wanted)} of {table}{by}", plan),
        caps=wanted,
        has_keys=bool(keys),
    )


def _build_search(policy: Policy, table: str, label: str, plan: Aggregate) -> BoundsSearch:
    declared = policy.table(table)
    assert declared is not None
    assert declared.privacy_unit is not None
    assert declared.population is not None
    rule = policy.budget(declared.population)
    meaning = [
        _SEARCH_FORM,
        compute_plan_key(plan),
        rule.population,
        declared.privacy_unit.relation,
        rule.noise,
    ]
    key = hashlib.sha256("\n".join(meaning).encode()).hexdigest()
    return BoundsSearch(label, declared, rule, declared.privacy_unit, plan, key)
