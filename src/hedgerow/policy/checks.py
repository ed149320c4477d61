"""The checks of policy records: each yields mistakes with their place and fix.

The reader of a file runs them on each piece and adds line numbers. ``Policy`` runs them all again,
so that no invalid policy exists, however it was made.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Set
from fractions import Fraction
from pathlib import Path

from hedgerow.policy.column_checks import check_column
from hedgerow.policy.join_caps import check_join_caps
from hedgerow.policy.mistake import KeyPath, Mistake, check_distinct, check_name, format_number
from hedgerow.policy.records import CAPS, AnalystRule, BudgetRule, TableRule
from hedgerow.policy.server_sources import check_engine
from hedgerow.privacy.unit import RELATIONS

__all__ = [
    "check_analyst",
    "check_budget",
    "check_consistency",
    "check_database",
    "check_shared_source",
    "check_table",
    "identify_file",
    "list_warnings",
]


def check_database(name: str, engine: str, max_failures: int = 1) -> Iterator[Mistake]:
    """Check the database section: its name is used as a file name."""
    if type(max_failures) is not int or max_failures < 1:
        yield Mistake(
            ("database", "max_failures"),
            f"max_failures must be a whole number of at least 1; got {max_failures!r}",
        )
    if not re.fullmatch(r"\w[\w.-]*", name):
        yield Mistake(
            ("database", "name"),
            f"name may only contain letters, digits, '_', '-' and '.', since it names a file; got"
            f" {name!r}",
        )
    yield from check_engine(engine)


def check_budget(rule: BudgetRule, place: KeyPath) -> Iterator[Mistake]:
    """Check one budget."""
    yield from check_name(place, rule.population, "a population")
    for key in ("epsilon", "default_epsilon", "max_epsilon_per_query"):
        if getattr(rule, key) <= 0:
            yield Mistake(
                (*place, key), f"{key} must be above 0; got {format_number(getattr(rule, key))}"
            )
    if rule.clipping_epsilon is not None and not 0 < rule.clipping_epsilon <= rule.epsilon:
        limit = f"at most epsilon ({format_number(rule.epsilon)})"
        message = f"clipping_epsilon must be above 0, and {limit}"
        yield Mistake((*place, "clipping_epsilon"), message)
    for key in ("delta", "default_delta"):
        if (part := getattr(rule, key)) is not None and not 0 < part < 1:
            yield Mistake(
                (*place, key), f"{key} must be above 0 and below 1; got {format_number(part)}"
            )
    if rule.max_epsilon_per_query > rule.epsilon:
        yield Mistake(
            (*place, "max_epsilon_per_query"),
            f"max_epsilon_per_query must be at most epsilon ({format_number(rule.epsilon)})",
        )
    if rule.default_epsilon > rule.max_epsilon_per_query:
        cap = format_number(rule.max_epsilon_per_query)
        yield Mistake(
            (*place, "default_epsilon"),
            f"default_epsilon must be at most max_epsilon_per_query ({cap})",
        )
    if rule.default_delta is not None and rule.delta is None:
        yield Mistake(
            (*place, "default_delta"),
            "default_delta needs a delta in the budget: add delta, or remove default_delta",
        )
    elif rule.delta is not None and rule.default_delta is None:
        yield Mistake((*place, "delta"), "delta needs a default_delta: add one below delta")
    elif (
        rule.delta is not None
        and rule.default_delta is not None
        and rule.default_delta >= rule.delta
    ):
        yield Mistake(
            (*place, "default_delta"),
            f"default_delta must be below delta ({format_number(rule.delta)})",
        )
    if rule.noise not in {"laplace", "gaussian", "best"}:
        yield Mistake(
            (*place, "noise"), f"noise must be 'laplace', 'gaussian' or 'best'; got {rule.noise!r}"
        )
    elif rule.noise == "gaussian" and rule.delta is None:
        yield Mistake(
            (*place, "noise"),
            "noise = 'gaussian' needs a delta: add delta = 1e-9, or write noise = 'laplace'",
        )


def check_analyst(rule: AnalystRule, place: KeyPath) -> Iterator[Mistake]:
    yield from check_name(place, rule.name, "an analyst")
    for key in ("max_epsilon", "max_epsilon_per_day"):
        quota = getattr(rule, key)
        if quota is not None and quota <= 0:
            yield Mistake((*place, key), f"{key} must be above 0; got {format_number(quota)}")


def check_table(rule: TableRule, place: KeyPath) -> Iterator[Mistake]:
    """Check one table with its columns."""
    if not rule.name.isidentifier():
        yield Mistake(
            place,
            "a table name may only contain letters, digits and _, and must not start with a digit;"
            f" got {rule.name!r}",
        )
    elif rule.name.casefold() == "hedgerow":
        yield Mistake(
            place, "the name 'hedgerow' is reserved for the system tables: choose another one"
        )
    yield from check_name((*place, "version"), rule.version, "a version")
    for key in ("max_units", "max_rows", "max_groups", "max_rows_per_group"):
        count = getattr(rule, key)
        may_be_found = count == "auto" and key in CAPS
        if not (count is None or may_be_found or (type(count) is int and count > 0)):
            yield Mistake(
                (*place, key), f"{key} must be a whole number of at least 1; got {count!r}"
            )
    if rule.multiline and rule.source and not rule.source.lower().endswith(".csv"):
        yield Mistake((*place, "multiline"), "multiline is only allowed for .csv files: remove it")
    yield from check_distinct(
        (*place, "columns"), (column.name for column in rule.columns), "column"
    )
    for column in rule.columns:
        yield from check_column(
            column, (*place, "columns", column.name), None if rule.links else rule.unit
        )
    yield from _check_public_table(rule, place) if rule.public else _check_unit(rule, place)
    yield from check_join_caps(rule, place)


def _check_public_table(rule: TableRule, place: KeyPath) -> Iterator[Mistake]:
    keys = "unit neighbours population max_units max_groups max_rows_per_group partition"
    for key in keys.split():
        if getattr(rule, key) is not None:
            yield Mistake(
                (*place, key), f"a public table protects nobody: remove {key}, or remove public"
            )
    if rule.auto_bounds:
        yield Mistake(
            (*place, "auto_bounds"),
            "the bounds of public columns are known: remove auto_bounds, or remove public",
        )
    for names in rule.unique:
        if len({name.casefold() for name in names}) != len(names):
            yield Mistake(
                (*place, "unique"),
                f"unique must name each column of a key once; got {', '.join(names)}",
            )
        hidden = [
            name for name in names if (column := rule.column(name)) is not None and column.hidden
        ]
        if hidden:
            yield Mistake(
                (*place, "unique"),
                f"the column {hidden[0]!r} is hidden and cannot be in a key: remove it from unique",
            )


def _check_unit(rule: TableRule, place: KeyPath) -> Iterator[Mistake]:
    if rule.unit is None:
        yield Mistake(
            (*place, "unit"),
            'unit is missing: name the id column of the people to protect, or write unit = "row"',
        )
    if rule.neighbours is None:
        yield Mistake(
            (*place, "neighbours"),
            'neighbours is missing: write neighbours = "add-remove" or "change-one"',
        )
    elif rule.neighbours not in RELATIONS:
        yield Mistake(
            (*place, "neighbours"),
            f"neighbours must be 'add-remove' or 'change-one'; got {rule.neighbours!r}",
        )
    if rule.population is None:
        yield Mistake(
            (*place, "population"), "population is missing: name the people that the table is about"
        )
    else:
        yield from check_name((*place, "population"), rule.population, "a population")
    if rule.unique:
        yield Mistake((*place, "unique"), "unique is only allowed for public tables: remove it")
    if rule.unit == "row":
        for key, cap in (
            ("max_groups", rule.max_groups),
            ("max_rows_per_group", rule.max_rows_per_group),
        ):
            if cap != 1:
                yield Mistake(
                    (*place, key), f'with unit = "row" a row is in one group, once: remove {key}'
                )
    # A missing cap refuses the questions that need it, and no others.
    elif rule.unit is not None and rule.max_units is None:
        yield Mistake(
            (*place, "max_units"),
            "max_units is missing: write a public upper bound on the number of units",
        )
    yield from _check_partition(rule, (*place, "partition"))


def _check_partition(rule: TableRule, place: KeyPath) -> Iterator[Mistake]:
    if rule.partition is None:
        return
    column = rule.column(rule.partition.column)
    parts = rule.partition.max_parts_per_unit
    if type(parts) is not int or parts < 1:
        yield Mistake(
            (*place, "max_parts_per_unit"),
            f"max_parts_per_unit must be a whole number of at least 1; got {parts!r}",
        )
    elif column is None or column.values is None:
        yield Mistake(
            (*place, "column"),
            f"a partition needs a column with declared values: declare those of"
            f" {rule.partition.column!r}, or choose another column",
        )
    elif column.type == "real":
        yield Mistake(
            (*place, "column"),
            "the parts must be whole numbers, text, dates or booleans, and"
            f" {rule.partition.column!r} is real: choose another column",
        )
    elif parts > len(column.values):
        yield Mistake(
            (*place, "max_parts_per_unit"),
            f"max_parts_per_unit must be at most the number of parts ({len(column.values)})",
        )
    elif rule.unit == "row" and parts != 1:
        yield Mistake(
            (*place, "max_parts_per_unit"),
            'a row is in one part: with unit = "row" write max_parts_per_unit = 1',
        )


def check_consistency(
    budgets: tuple[BudgetRule, ...],
    tables: tuple[TableRule, ...],
    analysts: tuple[AnalystRule, ...],
    unsure: Set[str] = frozenset(),
) -> Iterator[Mistake]:
    """Check names, populations, sources and deltas across all sections.

    ``unsure`` are populations whose budget is written but has mistakes, so it is not reported as
    missing.
    """
    yield from check_distinct(("budgets",), (rule.population for rule in budgets), "population")
    yield from check_distinct(("tables",), (table.name for table in tables), "table")
    yield from check_distinct(("analysts",), (analyst.name for analyst in analysts), "analyst")
    first: dict[str, TableRule] = {}
    for table in tables:
        if not table.public:
            yield from _check_population(first.setdefault(table.population or "", table), table)
    yield from _check_sources(tables)
    names = {table.name for table in tables}
    for analyst in analysts:
        for name in set(analyst.tables or ()) - names:
            place, known_names = ("analysts", analyst.name, "tables"), ", ".join(sorted(names))
            yield Mistake(place, f"there is no table {name!r}; use one of {known_names}")
    known = {rule.population for rule in budgets} | unsure
    for population in [name for name in first if name not in known]:
        place = ("tables", first[population].name, "population")
        yield Mistake(
            place,
            f"population {population!r} has no budget: add [budgets.{population}] with its epsilon",
        )
    for rule, largest in _list_population_sizes(budgets, tables):
        if rule.delta is not None and rule.delta * largest >= 1:
            limit = f"1/max_units (1/{largest})"
            # delta is below 1, so this is at least 1
            allowed = math.ceil(1 / rule.delta) - 1
            yield Mistake(
                ("budgets", rule.population, "delta"),
                f"delta must be below {limit}: a larger one may publish a person's whole record;"
                f" use a smaller delta, or set max_units to at most {allowed} if there are never"
                " more people",
            )
    for table in tables:
        if (
            table.unit == "row"
            and table.max_units is None
            and any(b.population == table.population and b.delta for b in budgets)
        ):
            yield Mistake(
                ("tables", table.name, "max_rows"),
                "max_rows is missing: write a public upper bound on the rows, to check delta"
                " against",
            )


def _check_population(first: TableRule, table: TableRule) -> Iterator[Mistake]:
    place, siblings = ("tables", table.name), f"tables of population {table.population!r}"
    kinds = {(rule.unit == "row", len(rule.unit_columns)) for rule in (first, table)}
    if len(kinds) > 1:
        yield Mistake(
            (*place, "unit"),
            f"{siblings} must have the same kind of unit: {first.name!r} has {first.unit!r}, this"
            f" one {table.unit!r}; change one, or its population",
        )
    if first.neighbours != table.neighbours:
        yield Mistake(
            (*place, "neighbours"),
            f"{siblings} must have the same neighbours: {first.name!r} has {first.neighbours!r},"
            f" this one {table.neighbours!r}; change one, or its population",
        )


def _check_sources(tables: tuple[TableRule, ...]) -> Iterator[Mistake]:
    first: dict[str, TableRule] = {}
    for table in tables:
        yield from check_shared_source(first.setdefault(table.source, table), table, "source")


def check_shared_source(other: TableRule, table: TableRule, noun: str) -> Iterator[Mistake]:
    """Check that two tables of one source are in one population, and have the same unit.

    In two populations its people would have two budgets, and if public as well, none.
    """
    place = ("tables", table.name)
    if (other.public, other.population) != (table.public, table.population):
        fix = (
            "one is public and one protected: make both the same"
            if other.public != table.public
            else "they are in two populations: use one"
        )
        yield Mistake(
            (*place, "source"),
            f"{table.name!r} and {other.name!r} have the same {noun}, but {fix}",
        )
    elif other.unit_text != table.unit_text:
        yield Mistake(
            (*place, "unit"),
            f"tables of one {noun} must have the same unit: {other.name!r} has"
            f" {other.unit_text!r}, this one {table.unit_text!r}; change one of them",
        )


def identify_file(path: Path) -> object:
    """Return the device and inode of a file, which its links share; its path if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _list_population_sizes(
    budgets: tuple[BudgetRule, ...], tables: tuple[TableRule, ...]
) -> Iterator[tuple[BudgetRule, int]]:
    for rule in budgets:
        sizes = [
            table.max_units
            for table in tables
            if table.population == rule.population and table.max_units is not None
        ]
        if sizes:
            yield rule, max(sizes)


def list_warnings(budgets: tuple[BudgetRule, ...], tables: tuple[TableRule, ...]) -> Iterator[str]:
    """Yield a warning for each delta that is allowed but large, and for each unused budget."""
    for rule, largest in _list_population_sizes(budgets, tables):
        if rule.delta is not None and rule.delta * largest * 10 > 1:
            advice = (
                f"use one below 1/(10 max_units), here {format_number(Fraction(1, 10 * largest))}"
            )
            yield (
                f"The delta of population {rule.population!r} ({format_number(rule.delta)}) is"
                f" large for {largest} units: {advice}."
            )
    used = {table.population for table in tables}
    for rule in budgets:
        if rule.population not in used:
            yield (
                f"No table uses the budget of population {rule.population!r}. Remove it, or correct"
                " the population of a table."
            )
