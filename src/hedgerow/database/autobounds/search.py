"""A search for bounds or caps: what it asks of the data, what it costs, and what its answer
means.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.database.autobounds.column_bounds import (
    BOUNDS_SHARES,
    build_bounds_plan,
    calibrate_search_noise,
    decode_bounds,
)
from hedgerow.database.autobounds.contribution_caps import build_caps_plan, decode_caps
from hedgerow.errors import Unbounded
from hedgerow.plan.canonical_plans import compute_plan_key as meaning_of
from hedgerow.plan.expression_text import format_expression
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

_SEARCH_FORM: Final = "search 1"  # of what is chosen; another way to find it is another question


@dataclass(frozen=True, slots=True, eq=False)
class BoundsSearch:
    """``what`` is sought, for people: the bounds of a column of some ``type``, or the caps that are
    ``wanted`` in questions with or without ``keys``. ``key`` is the name under which its answers
    are kept."""

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
        """The choices that cost so much."""
        parts = (
            [Fraction(1, len(self.caps))] * len(self.caps) if self.type is None else BOUNDS_SHARES
        )
        return calibrate_search_noise(self.plan, self.unit, epsilon, self.budget_rule.noise, parts)

    def loss(self, epsilon: Fraction) -> Loss:
        """What they cost exactly."""
        return self.noise(epsilon).loss(self.plan.sensitivity(self.unit))

    def decode_result(self, numbers: Sequence[Sequence[int]]) -> tuple[Fraction, ...] | None:
        """Lower and upper bound, or the caps; None where there were too few units to find them."""
        if self.type is not None:
            return decode_bounds(self.type, numbers)
        caps = decode_caps(numbers, keys=self.has_keys)
        return None if caps is None else tuple(map(Fraction, caps))

    def charge(self, analyst: str, epsilon: Fraction, request: str | None, policy: str) -> Charge:
        """Who pays, all parts of the table together; a request that is sent again is charged
        once for this as well.
        """
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
    """What a search found, and the entry that paid for it."""

    search: BoundsSearch
    values: tuple[Fraction, ...]
    entry: int

    @property
    def note(self) -> str:
        """What a reader of an answer should know."""
        low, *rest = (
            f"{float(value):,g}" if value.denominator > 1 else f"{value.numerator:,}"
            for value in self.values
        )
        between = " to " if self.search.type is not None else " and "
        return (
            f"Not declared but found privately: {self.search.label}, {between.join([low, *rest])}"
            f" (entry {self.entry})."
        )


def build_request_key(request: str, search: BoundsSearch) -> str:
    """The idempotency key of what a question with such a key needs first."""
    return f"{request} / {search.label}"


def build_bounds_search(policy: Policy, catalog: Catalog, name: ColumnName) -> BoundsSearch:
    """After the bounds of a column."""
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
    """After the caps of a table in questions with these keys; Unbounded where these are not of
    the table as the policy declares it.
    """
    if keys is None:
        raise Unbounded("These rows are not those of one table.")
    by = f" by {', '.join(map(format_expression, keys))}" if keys else ""
    plan = build_caps_plan(catalog.tables[table].schema, keys, wanted)
    return replace(
        _build_search(policy, table, f"{' and '.join(wanted)} of {table}{by}", plan),
        caps=wanted,
        has_keys=bool(keys),
    )


def _build_search(policy: Policy, table: str, what: str, plan: Aggregate) -> BoundsSearch:
    declared = policy.table(table)
    assert declared is not None
    assert declared.privacy_unit is not None
    assert declared.population is not None
    rule = policy.budget(declared.population)
    meaning = [
        _SEARCH_FORM,
        meaning_of(plan),
        rule.population,
        declared.privacy_unit.relation,
        rule.noise,
    ]
    key = hashlib.sha256("\n".join(meaning).encode()).hexdigest()
    return BoundsSearch(what, declared, rule, declared.privacy_unit, plan, key)
