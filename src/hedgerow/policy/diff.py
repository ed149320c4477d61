"""The difference between the accepted policy and a new one.

Once a ledger is open, a changed file cannot loosen protection by itself: every change of
``list_loosenings`` needs the custodian's explicit approval. Changes of ``list_tightenings``
(stricter, or new) take effect at once and are recorded.

In doubt a change is a loosening. Narrower bounds are one too: they may have been read off the data.
So is the removal of a table, which could come back as a new one without its old rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from hedgerow.plan.values import build_date
from hedgerow.policy.checks import identify_file
from hedgerow.policy.join_caps import JOIN_CAPS
from hedgerow.policy.mistake import format_number
from hedgerow.policy.policy import Policy
from hedgerow.policy.records import (
    CAPS,
    AnalystRule,
    BudgetRule,
    Cap,
    ColumnRule,
    PartitionRule,
    TableRule,
)

__all__ = ["list_loosenings", "list_tightenings", "restore_dropped_caps"]


@dataclass(frozen=True, slots=True)
class _Change:
    is_loosening: bool
    message: str


def list_loosenings(old: Policy, new: Policy) -> tuple[str, ...]:
    """List the changes that need the custodian's approval, each as "subject: change".

    Only changes that begin with "budget of" raise an epsilon or delta.
    """
    return tuple(change.message for change in _compare_policies(old, new) if change.is_loosening)


def list_tightenings(old: Policy, new: Policy) -> tuple[str, ...]:
    """List all other changes, which are stricter or new, and are recorded without approval."""
    return tuple(
        change.message for change in _compare_policies(old, new) if not change.is_loosening
    )


def _compare_policies(old: Policy, new: Policy) -> Iterator[_Change]:
    for key in ("name", "engine", "ledger"):
        if getattr(old, key) != getattr(new, key):
            yield _Change(
                key == "ledger",
                f"database: {key} changes from {getattr(old, key)!r} to {getattr(new, key)!r}.",
            )
    yield from _compare_numbers("database: max_failures", old.max_failures, new.max_failures)
    yield from _compare_budgets(old, new)
    yield from _compare_tables(old, new)
    yield from _compare_analysts(old, new)


def _compare_numbers(
    what: str,
    before: Fraction | int | None,
    after: Fraction | int | None,
    *,
    without_is_strict: bool = False,
) -> Iterator[_Change]:
    """Compare a number that was raised, lowered, added or removed.

    ``without_is_strict``: having none is the strictest (a delta), not the loosest (a cap).
    """
    if before == after:
        return
    if before is None or after is None:
        loose = (before is None) == without_is_strict
        message = (
            f"{what} of {format_number(after)} is added."
            if before is None
            else f"{what} of {format_number(before)} is dropped."
        )
    else:
        loose = after > before
        message = (
            f"{what} is {'raised' if loose else 'lowered'} from"
            f" {format_number(before)} to {format_number(after)}."
        )
    yield _Change(loose, message)


def _compare_caps(what: str, before: Cap, after: Cap) -> Iterator[_Change]:
    """Compare a cap that is declared, found privately or missing. A missing one is the strictest:
    it refuses the questions that need it."""
    if isinstance(before, int) and isinstance(after, int):
        yield from _compare_numbers(what, before, after)
    elif after is None and before is not None:
        yield _Change(False, f"{what} is dropped; questions that need it are refused.")
    elif before != after:
        found = "is found in the data, privately" if after == "auto" else f"is now {after}"
        yield _Change(after == "auto", f"{what} {found}.")


def restore_dropped_caps(held: Policy, earlier: Iterable[Policy]) -> Policy:
    """Return the accepted policy with the caps that ``earlier`` ones, latest first, declared, where
    it has none: a cap that is dropped and declared again is compared with what it was."""
    for policy in earlier:
        tables = []
        for table in held.tables:
            known = policy.table(table.name)
            caps = {
                key: known.cap(key)
                for key in CAPS
                if known is not None and table.cap(key) is None and known.cap(key) is not None
            }
            tables.append(replace(table, **caps))  # type: ignore[arg-type]
        held = replace(held, tables=tuple(tables))
    return held


def _compare_budgets(old: Policy, new: Policy) -> Iterator[_Change]:
    before, after = ({rule.population: rule for rule in policy.budgets} for policy in (old, new))
    for population in before.keys() - after.keys():
        yield _Change(True, f"population {population!r}: its budget is removed.")
    for population, rule in after.items():
        if population in before:
            yield from _compare_budget(before[population], rule)
        else:
            yield _Change(
                False,
                f"population {population!r}: is new, with epsilon {format_number(rule.epsilon)}.",
            )


def _compare_budget(before: BudgetRule, after: BudgetRule) -> Iterator[_Change]:
    subject = f"population {before.population!r}"
    # Two kinds of changes: of the budget itself, and of what one query may spend.
    yield from _compare_numbers(f"budget of {subject}: epsilon", before.epsilon, after.epsilon)
    yield from _compare_numbers(
        f"budget of {subject}: delta", before.delta, after.delta, without_is_strict=True
    )
    # a limit as large as the budget is no limit
    if (before.max_epsilon_per_query, after.max_epsilon_per_query) != (
        before.epsilon,
        after.epsilon,
    ):
        yield from _compare_numbers(
            f"{subject}: max_epsilon_per_query",
            before.max_epsilon_per_query,
            after.max_epsilon_per_query,
        )
    if before.noise != after.noise:
        yield _Change(
            after.noise != "laplace",
            f"{subject}: noise changes from {before.noise!r} to {after.noise!r}.",
        )
    # The default epsilon decides nothing: an analyst may name any epsilon up to the limit.
    # What the measurement of clipping spends, it spends within the budget.
    for key in ("default_epsilon", "default_delta", "clipping_epsilon"):
        if getattr(before, key) != getattr(after, key):
            yield _Change(
                False,
                f"{subject}: {key} changes from {format_number(getattr(before, key))} to"
                f" {format_number(getattr(after, key))}.",
            )


def _compare_tables(old: Policy, new: Policy) -> Iterator[_Change]:
    before, after = (
        {rule.name.casefold(): rule for rule in policy.tables} for policy in (old, new)
    )
    for name in [name for name in before if name not in after]:
        yield _Change(
            True,
            f"table {before[name].name!r}: is removed with its rules; if it comes back, it is new.",
        )
    for name, rule in after.items():
        if name in before:
            yield from _compare_table(before[name], rule)
        else:
            yield _Change(False, f"table {rule.name!r}: is new.")
        if name not in before or before[name].source != rule.source:
            yield from _find_reused_source(
                rule, [other for known, other in before.items() if known != name], new.folder
            )


def _find_reused_source(
    rule: TableRule, others: Sequence[TableRule], folder: Path
) -> Iterator[_Change]:
    """Report a table whose source another table had before, under any name of the file."""
    file = identify_file(folder / rule.source)
    known = next((other for other in others if identify_file(folder / other.source) == file), None)
    if known is not None and (known.public, known.population) != (rule.public, rule.population):
        yield _Change(
            True,
            f"table {rule.name!r}: moves the source of {known.name!r} to another population, or"
            " makes it public.",
        )
    # what is hidden or bounded there need not be so here
    elif known is not None and not rule.public:
        yield _Change(
            True, f"table {rule.name!r}: opens the source of {known.name!r} under rules of its own."
        )


def _compare_table(before: TableRule, after: TableRule) -> Iterator[_Change]:
    table = f"table {after.name!r}"
    if before.public != after.public:
        yield _Change(
            after.public,
            f"{table}: becomes"
            f" {'public: nobody in it is protected from now on' if after.public else 'protected'}.",
        )
    else:
        for key, name in (
            ("unit_text", "unit"),
            ("neighbours", "neighbours"),
            ("population", "population"),
        ):
            if getattr(before, key) != getattr(after, key):
                yield _Change(
                    True,
                    f"{table}: {name} changes from {getattr(before, key)!r} to"
                    f" {getattr(after, key)!r}.",
                )
        for key in ("max_units", "max_rows", *JOIN_CAPS):  # without join caps there are no joins
            old, new, is_join = getattr(before, key), getattr(after, key), key in JOIN_CAPS
            yield from _compare_numbers(f"{table}: {key}", old, new, without_is_strict=is_join)
        for key in CAPS:
            yield from _compare_caps(f"{table}: {key}", before.cap(key), after.cap(key))
    if before.source != after.source:
        same = before.version == after.version
        advice = " under the same version; declare a new one" if same else ""
        yield _Change(
            same, f"{table}: source changes from {before.source!r} to {after.source!r}{advice}."
        )
    if before.version != after.version:
        yield _Change(
            False, f"{table}: version changes from {before.version!r} to {after.version!r}."
        )
    if before.auto_bounds != after.auto_bounds:
        found = (
            "undeclared bounds are found in the data, privately"
            if after.auto_bounds
            else "undeclared bounds are no longer found in the data"
        )
        yield _Change(after.auto_bounds, f"{table}: {found}.")
    if before.as_of != after.as_of:
        yield _Change(
            False,
            f"{table}: as_of changes from {before.as_of or 'none'} to {after.as_of or 'none'}.",
        )
    if before.multiline != after.multiline:
        lines = (
            "may contain line breaks" if after.multiline else "may no longer contain line breaks"
        )
        yield _Change(after.multiline, f"{table}: quoted values {lines}.")
    yield from _compare_partition(before.partition, after.partition, table)
    for names in [names for names in after.unique if names not in before.unique]:
        yield _Change(True, f"{table}: {', '.join(names)} is declared unique.")
    for names in [names for names in before.unique if names not in after.unique]:
        yield _Change(False, f"{table}: {', '.join(names)} is no longer declared unique.")
    yield from _compare_columns(before, after, table)


def _compare_partition(
    before: PartitionRule | None, after: PartitionRule | None, table: str
) -> Iterator[_Change]:
    """Compare partitions; every change needs approval, since queries are charged differently
    afterwards.
    """
    if before is None or after is None:
        if before != after:
            yield _Change(
                True,
                f"{table}: partition is {'added' if before is None else 'dropped'}, which changes"
                " how queries are charged.",
            )
    elif before.column != after.column:
        yield _Change(
            True,
            f"{table}: partition changes its column from {before.column!r} to {after.column!r}.",
        )
    else:
        for change in _compare_numbers(
            f"{table}: max_parts_per_unit", before.max_parts_per_unit, after.max_parts_per_unit
        ):
            yield _Change(True, change.message)


def _compare_columns(old: TableRule, new: TableRule, table: str) -> Iterator[_Change]:
    before, after = ({rule.name.casefold(): rule for rule in rules.columns} for rules in (old, new))
    for name in [name for name in before if name not in after]:
        rule = before[name]
        yield _Change(
            rule.hidden,
            f"column {rule.name!r} of {table}: is no longer"
            f" {'hidden' if rule.hidden else 'declared'}.",
        )
    for name, rule in after.items():
        if name in before:
            yield from _compare_column(before[name], rule, table)
        else:
            yield _Change(
                not rule.hidden,
                f"column {rule.name!r} of {table}: is newly"
                f" {'hidden' if rule.hidden else 'declared'}.",
            )


def _compare_column(before: ColumnRule, after: ColumnRule, table: str) -> Iterator[_Change]:
    column = f"column {after.name!r} of {table}"
    if before.hidden != after.hidden:
        yield _Change(
            before.hidden, f"{column}: is {'no longer hidden' if before.hidden else 'hidden'}."
        )
        return
    for key, name in (("type", "type"), ("low", "min"), ("high", "max"), ("step", "step")):
        old, new = getattr(before, key), getattr(after, key)
        if old != new:
            if key != "type":
                old, new = (_format_bound(rule, getattr(rule, key)) for rule in (before, after))
            yield _Change(True, f"{column}: {name} changes from {old} to {new}.")
    for key in ("max_length", "max_pieces"):
        old, new = (getattr(rule, key) or "none" for rule in (before, after))
        if old != new:
            yield _Change(True, f"{column}: {key} changes from {old} to {new}.")
    if (before.values, before.grain) != (after.values, after.grain):
        yield _Change(True, f"{column}: values change.")


def _format_bound(rule: ColumnRule, bound: Fraction | None) -> str:
    if rule.type == "timestamp" and bound is not None:
        return str(build_date(int(bound), "timestamp"))
    return format_number(bound)


def _compare_analysts(old: Policy, new: Policy) -> Iterator[_Change]:
    before, after = ({rule.name: rule for rule in policy.analysts} for policy in (old, new))
    for name in [*before, *(name for name in after if name not in before)]:
        if name not in before:
            yield _Change(False, f"analyst {name!r}: is new.")
        old_rule, new_rule = (rules.get(name, AnalystRule(name)) for rules in (before, after))
        quotas = [old_rule.max_epsilon, new_rule.max_epsilon]
        yield from _compare_numbers(f"analyst {name!r}: quota", quotas[0], quotas[1])
        yield from _compare_numbers(
            f"analyst {name!r}: quota for a day",
            old_rule.max_epsilon_per_day,
            new_rule.max_epsilon_per_day,
        )
        yield from _compare_grants(old_rule, new_rule)
        if name not in after and quotas[0] is None:
            yield _Change(False, f"analyst {name!r}: is removed.")


def _compare_grants(old: AnalystRule, new: AnalystRule) -> Iterator[_Change]:
    """Compare the tables that an analyst may ask about; None means all of them."""
    if old.tables == new.tables:
        return
    loosens = old.tables is not None and (
        new.tables is None or not set(new.tables) <= set(old.tables)
    )
    may = "all tables" if new.tables is None else ", ".join(new.tables)
    yield _Change(loosens, f"analyst {new.name!r}: may ask about {may}.")
