"""From a document (nested dictionaries, as TOML gives them) to the records of a policy, with the documented defaults filled in.

Reading never stops at the first mistake: what cannot be read is left out, and the rest is checked all the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any, cast

from hedgerow.errors import InvalidArgument
from hedgerow.policy.checks import (
    analyst_mistakes,
    budget_mistakes,
    database_mistakes,
    mistakes_together,
    table_mistakes,
)
from hedgerow.policy.links import link_mistakes, read_unit
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.rules import (
    DEFAULT_POPULATION,
    MAX_FAILURES,
    AnalystRule,
    BudgetRule,
    ColumnRule,
    LinkRule,
    Noise,
    PartitionRule,
    TableRule,
)
from hedgerow.policy.section import Section, a_choice, a_delta, a_flag, a_number, a_text, a_whole, an_epsilon
from hedgerow.policy.values import TYPES, Grain, Value, read_values
from hedgerow.privacy.unit import RELATIONS, Relation

__all__ = ["Parts", "read_document", "usual_step"]

_USUAL_EPSILON = Fraction(1, 10)
_UNNAMED = "custodian"  # as whom the ledger knows them


@dataclass(frozen=True, slots=True)
class Parts:
    """What a document says, ready to become a Policy."""

    name: str = ""
    engine: str = "duckdb"
    ledger: str | None = None
    budgets: tuple[BudgetRule, ...] = ()
    tables: tuple[TableRule, ...] = ()
    analysts: tuple[AnalystRule, ...] = ()
    max_failures: int = MAX_FAILURES


def read_document(document: Mapping[str, object], *, files: bool = True) -> tuple[Parts, list[Mistake]]:
    """The parts and every mistake found. ``files``: the sources are files beside the policy, not frames in memory."""
    mistakes: list[Mistake] = []
    top = Section((), document, mistakes)
    top.only("database", "budget", "budgets", "tables", "analysts")
    name, engine, ledger, failures = _database(top)
    tables = tuple(_tables(top, files))
    budgets, unsure = _budgets(top, tables)
    analysts = tuple(_analysts(top))
    # The budget of the one unnamed population stands in [budget], whatever that population is called.
    named = top.content.get("budgets")
    own = set(named) if isinstance(named, Mapping) else set()
    for mistake in mistakes_together(budgets, tables, analysts, unsure):
        place = mistake.place
        if place[0] == "budgets" and place[1] not in own:
            place = ("budget", *place[2:])
        mistakes.append(replace(mistake, place=place))
    written = top.content.get("tables")
    unread = set(written if isinstance(written, Mapping) else ()) - {table.name for table in tables}
    mistakes.extend(link_mistakes(tables, unread))
    return Parts(name, engine, ledger, budgets, tables, analysts, failures), mistakes


def _database(top: Section) -> tuple[str, str, str | None, int]:
    section = top.inner("database")
    if section is None:
        if "database" not in top.content:
            top.wrong("database", 'database is missing: add [database] with name = "…"')
        return "", "duckdb", None, MAX_FAILURES
    section.only("name", "engine", "ledger", "max_failures")
    name = section.need("name", a_text, 'write name = "…"; the ledger is called after it')
    engine = section.take("engine", a_text) or "duckdb"
    section.mistakes.extend(database_mistakes(name or "unnamed", engine))
    ledger = section.take("ledger", a_text) or f"{name}.ledger"
    return name or "", engine, ledger, section.take("max_failures", a_whole) or MAX_FAILURES


def _budgets(top: Section, tables: tuple[TableRule, ...]) -> tuple[tuple[BudgetRule, ...], set[str]]:
    """Read [budgets.NAME] for populations by name, [budget] for the one that has no such table; and the populations whose budget is
    written, but has mistakes."""
    further = top.inner("budgets")
    sections = {} if further is None else dict(further.each())
    main = top.inner("budget")
    if main is not None:
        used = [table.population for table in tables if table.population and table.population not in sections]
        population = used[0] if used else DEFAULT_POPULATION
        if population in sections:
            says = f"[budget] is left without a population: every one has its own [budgets.NAME], {population!r} too"
            top.mistakes.append(Mistake(("budget",), says))
        sections = {population: main, **sections}
    elif not sections and not {"budget", "budgets"} & top.bad:
        top.mistakes.append(Mistake(("budget",), "budget is missing: add [budget] with epsilon = …"))
    read = {population: _budget(population, section) for population, section in sections.items()}
    lost = {table.population or "" for table in tables} if {"budget", "budgets"} & top.bad else set()
    return tuple(rule for rule in read.values() if rule is not None), lost | {name for name, rule in read.items() if rule is None}


def _budget(population: str, section: Section) -> BudgetRule | None:
    section.only("epsilon", "delta", "default_epsilon", "default_delta", "max_epsilon_per_query", "noise")
    epsilon = section.need("epsilon", an_epsilon, "write what these people may lose in all, such as epsilon = 1.0")
    delta = section.take("delta", a_delta)
    cap = section.take("max_epsilon_per_query", an_epsilon)
    usual = section.take("default_epsilon", an_epsilon)
    usual_delta = section.take("default_delta", a_delta)
    noise = section.take("noise", a_choice("laplace", "gaussian", "best")) or "laplace"
    if epsilon is None or section.bad:
        return None
    cap = epsilon if cap is None else cap
    if usual_delta is None and delta is not None:
        usual_delta = delta / 1000
    rule = BudgetRule(population, epsilon, delta, usual or min(_USUAL_EPSILON, cap), usual_delta, cap, cast(Noise, noise))
    section.mistakes.extend(budget_mistakes(rule, section.place))
    return rule


def _analysts(top: Section) -> Iterator[AnalystRule]:
    section = top.inner("analysts")
    for name, inner in section.each() if section is not None else ():
        inner.only("max_epsilon")
        rule = AnalystRule(name, inner.take("max_epsilon", an_epsilon))
        inner.mistakes.extend(analyst_mistakes(rule, inner.place))
        if name == _UNNAMED:  # here and not in the rules: ledgers may hold a policy with this name, and stay readable
            inner.mistakes.append(Mistake(inner.place, f"{name!r} is whoever names no analyst, and has no quota: choose another name"))
        yield rule


def _tables(top: Section, files: bool) -> Iterator[TableRule]:
    section = top.inner("tables")
    written = section.content.values() if section is not None else ()
    if "tables" not in top.bad and all(isinstance(table, Mapping) and table.get("public") is True for table in written):
        top.mistakes.append(Mistake(("tables",), "no table is protected: add [tables.NAME] with source, unit and neighbours"))
    for name, inner in section.each() if section is not None else ():
        rule = _table(name, inner, files)
        if rule is not None:
            yield rule


def _table(name: str, section: Section, files: bool) -> TableRule | None:
    section.only(*_TABLE_KEYS)
    public = section.take("public", a_flag) or False
    columns, readable = _columns(section)
    unit, links = section.take("unit", _unit) or (None, ())
    rule = TableRule(
        name=name,
        source=section.need("source", _file if files else a_text, 'write source = "….parquet" or "….csv"') or "",
        public=public,
        unit=unit,
        neighbours=cast("Relation | None", section.take("neighbours", a_choice(*RELATIONS))),
        population=section.take("population", a_text) or (None if public else DEFAULT_POPULATION),
        version=section.take("version", a_text) or "1",
        max_units=section.take("max_units", a_whole),
        max_rows=section.take("max_rows", a_whole),
        max_groups=section.take("max_groups", a_whole),
        max_rows_per_group=section.take("max_rows_per_group", a_whole),
        columns=columns,
        partition=_partition(section),
        links=links,
        unique=section.take("unique", _unique) or (),
        auto_bounds=section.take("auto_bounds", a_flag) or False,
        multiline=section.take("multiline", a_flag) or False,
    )
    if not readable:  # a partition by a column that could not be read is not wrong as well
        rule = replace(rule, partition=None)
    if rule.unit == "row":
        rule = _of_rows(rule)
    # A value that was wrong is absent from the record; it is not reported as missing as well.
    further = [
        mistake
        for mistake in table_mistakes(rule, section.place)
        if mistake.place[len(section.place) :] not in {(key,) for key in section.bad}
    ]
    section.mistakes.extend(further)
    return None if section.bad or any(len(mistake.place) == len(section.place) + 1 for mistake in further) else rule


_TABLE_KEYS = (
    "source",
    "unit",
    "neighbours",
    "population",
    "public",
    "version",
    "max_units",
    "max_rows",
    "max_groups",
    "max_rows_per_group",
    "columns",
    "partition",
    "unique",
    "auto_bounds",
    "multiline",
)


def _of_rows(rule: TableRule) -> TableRule:
    """Where rows are the units, either bound on their number stands for the other, and the caps are 1."""
    units = rule.max_units if rule.max_units is not None else rule.max_rows
    rows = rule.max_rows if rule.max_rows is not None else rule.max_units
    return replace(rule, max_units=units, max_rows=rows, max_groups=rule.max_groups or 1, max_rows_per_group=rule.max_rows_per_group or 1)


def _file(value: object, key: str) -> str:
    text = a_text(value, key)
    if "://" in text or re.search(r"[*?\[\]]", text):
        raise InvalidArgument(key, "must name one file, relative to the policy file; no address and no pattern", value)
    if not text.lower().endswith((".csv", ".parquet")):
        raise InvalidArgument(key, "must be a .csv or .parquet file", value)
    return os.path.normpath(text).replace(os.sep, "/")


def _unit(value: object, key: str) -> tuple[str, tuple[LinkRule, ...]]:
    return read_unit(a_text(value, key), key)


def _unique(value: object, key: str) -> tuple[tuple[str, ...], ...]:
    """A column; a list of columns that are one key together; or a list of such lists, a key each."""
    items: list[Any] = value if isinstance(value, list) else [value]
    keys: list[list[Any]] = items if items and all(isinstance(item, list) for item in items) else [items]
    if not all(keys) or not all(isinstance(name, str) and name.strip() for names in keys for name in names):
        raise InvalidArgument(key, 'must be a column, or a list such as ["region_id"]; several keys are a list of lists', value)
    return tuple(tuple(names) for names in keys)


def _columns(table: Section) -> tuple[tuple[ColumnRule, ...], bool]:
    """The columns that could be read, and whether these are all."""
    section = table.inner("columns")
    rules = [_column(name, inner) for name, inner in section.each()] if section is not None else []
    found = tuple(rule for rule in rules if rule is not None)
    return found, len(found) == len(rules)


def _column(name: str, section: Section) -> ColumnRule | None:
    section.only("type", "min", "max", "step", "values", "hidden")
    kind = section.take("type", a_choice(*TYPES))
    low, high = section.take("min", _a_bound), section.take("max", _a_bound)
    step = section.take("step", a_number)
    hidden = section.take("hidden", a_flag) or False
    found = section.take("values", lambda written, _: read_values(written, kind)) if not section.bad else None
    if section.bad:
        return None
    values: tuple[Value, ...] | None = None
    grain: Grain = "day"
    if found is not None:
        kind, values, grain = found
    if kind == "boolean" and values is None and not hidden:
        values = (False, True)
    if step is None and low is not None and high is not None and low < high:
        step = usual_step(kind, low, high)
    return ColumnRule(name, kind, low, high, step, values, hidden=hidden, grain=grain)


def _a_bound(value: object, key: str) -> Fraction:
    if isinstance(value, date):
        range_of_days = 'write a range of days instead, such as values = "2026-01-01 … 2026-12-31"'
        raise InvalidArgument(key, f"is for numbers: {range_of_days}", value.isoformat())
    return a_number(value, key)


def usual_step(kind: str | None, low: Fraction, high: Fraction) -> Fraction | None:
    """1 for whole numbers; for reals the largest power of two that fits 2^20 times between the bounds."""
    if kind != "real":
        return Fraction(1) if kind == "integer" else None
    wanted = (high - low) / 2**20
    power = wanted.numerator.bit_length() - wanted.denominator.bit_length()  # right, or one too high
    step = Fraction(2) ** power
    return step if step <= wanted else step / 2


def _partition(table: Section) -> PartitionRule | None:
    section = table.inner("partition")
    if section is None:
        return None
    section.only("column", "max_parts_per_unit")
    column = section.need("column", a_text, "write the column whose values are the parts")
    parts = section.need("max_parts_per_unit", a_whole, "write in how many parts one unit may be")
    return None if column is None or parts is None else PartitionRule(column, parts)
