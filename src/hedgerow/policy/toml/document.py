"""The reader from a document (nested dictionaries, as TOML gives them) to the records of a policy,
with defaults filled in.

Reading does not stop at a mistake: a value that cannot be read is left out, and the rest is still
checked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Literal, cast

from hedgerow.errors import InvalidArgument
from hedgerow.policy.checks import (
    check_analyst,
    check_budget,
    check_consistency,
    check_database,
    check_table,
)
from hedgerow.policy.declared_values import read_moment
from hedgerow.policy.foreign_keys import check_links, parse_unit
from hedgerow.policy.join_caps import read_join_cap
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.records import (
    DEFAULT_POPULATION,
    MAX_FAILURES,
    AnalystRule,
    BudgetRule,
    Noise,
    PartitionRule,
    TableRule,
)
from hedgerow.policy.server_ledgers import check_ledger
from hedgerow.policy.server_sources import is_server, normalise_table_name
from hedgerow.policy.toml.column_reader import read_columns
from hedgerow.policy.toml.section_reader import (
    Section,
    build_choice_reader,
    read_count,
    read_delta,
    read_epsilon,
    read_flag,
    read_names,
    read_text,
)
from hedgerow.privacy.unit import RELATIONS, Relation

__all__ = ["PolicyParts", "read_document"]

_DEFAULT_EPSILON = Fraction(1, 10)
_DEFAULT_ANALYST = "custodian"  # in the ledger, the name of queries without an analyst


SourceReader = Callable[[object, str], str]


@dataclass(frozen=True, slots=True)
class PolicyParts:
    """The contents of a document, ready to become a Policy."""

    name: str = ""
    engine: str = "duckdb"
    ledger: str | None = None
    budgets: tuple[BudgetRule, ...] = ()
    tables: tuple[TableRule, ...] = ()
    analysts: tuple[AnalystRule, ...] = ()
    max_failures: int = MAX_FAILURES


def read_document(
    document: Mapping[str, object], *, files: bool = True
) -> tuple[PolicyParts, list[Mistake]]:
    """Read the parts of a policy and every mistake. ``files``: the sources are files beside the
    policy, or tables of its server, not frames in memory.
    """
    mistakes: list[Mistake] = []
    top = Section((), document, mistakes)
    top.check_keys("database", "budget", "budgets", "tables", "analysts")
    name, engine, ledger, failures = _read_database(top)
    tables = tuple(_read_tables(top, _choose_source_reader(engine) if files else read_text))
    budgets, unsure = _read_budgets(top, tables)
    analysts = tuple(_read_analysts(top))
    # The population without a section of its own has its budget in [budget], whatever its name.
    named = top.content.get("budgets")
    own = set(named) if isinstance(named, Mapping) else set()
    for mistake in check_consistency(budgets, tables, analysts, unsure):
        place = mistake.path
        if place[0] == "budgets" and place[1] not in own:
            place = ("budget", *place[2:])
        mistakes.append(replace(mistake, path=place))
    written = top.content.get("tables")
    unread = set(written if isinstance(written, Mapping) else ()) - {table.name for table in tables}
    mistakes.extend(check_links(tables, unread))
    return PolicyParts(name, engine, ledger, budgets, tables, analysts, failures), mistakes


def _read_database(top: Section) -> tuple[str, str, str | None, int]:
    section = top.read_section("database")
    if section is None:
        if "database" not in top.content:
            top.add_mistake("database", 'database is missing: add [database] with name = "…"')
        return "", "duckdb", None, MAX_FAILURES
    section.check_keys("name", "engine", "ledger", "max_failures")
    name = section.read_required(
        "name", read_text, 'write name = "…"; the ledger is named after it'
    )
    engine = section.read_optional("engine", read_text) or "duckdb"
    section.mistakes.extend(check_database(name or "unnamed", engine))
    ledger = section.read_optional("ledger", read_text) or f"{name}.ledger"
    section.mistakes.extend(check_ledger(ledger))
    return (
        name or "",
        engine,
        ledger,
        section.read_optional("max_failures", read_count) or MAX_FAILURES,
    )


def _read_budgets(
    top: Section, tables: tuple[TableRule, ...]
) -> tuple[tuple[BudgetRule, ...], set[str]]:
    """Read [budgets.NAME], and [budget] for the population without one; also return populations
    whose budget has mistakes.
    """
    further = top.read_section("budgets")
    sections = {} if further is None else dict(further.list_sections())
    main = top.read_section("budget")
    if main is not None:
        used = [
            table.population
            for table in tables
            if table.population and table.population not in sections
        ]
        population = used[0] if used else DEFAULT_POPULATION
        if population in sections:
            message = (
                "[budget] applies to no population, since each has its own [budgets.NAME]: remove"
                " [budget]"
            )
            top.mistakes.append(Mistake(("budget",), message))
        sections = {population: main, **sections}
    elif not sections and not {"budget", "budgets"} & top.bad_keys:
        top.mistakes.append(
            Mistake(("budget",), "budget is missing: add [budget] with epsilon = …")
        )
    read = {
        population: _read_budget(population, section) for population, section in sections.items()
    }
    lost = (
        {table.population or "" for table in tables}
        if {"budget", "budgets"} & top.bad_keys
        else set()
    )
    return tuple(rule for rule in read.values() if rule is not None), lost | {
        name for name, rule in read.items() if rule is None
    }


def _read_budget(population: str, section: Section) -> BudgetRule | None:
    section.check_keys(
        *("epsilon", "delta", "default_epsilon", "default_delta", "max_epsilon_per_query", "noise"),
        "clipping_epsilon",
    )
    epsilon = section.read_required(
        "epsilon", read_epsilon, "write the total budget of these people, such as epsilon = 1.0"
    )
    delta = section.read_optional("delta", read_delta)
    cap = section.read_optional("max_epsilon_per_query", read_epsilon)
    usual = section.read_optional("default_epsilon", read_epsilon)
    usual_delta = section.read_optional("default_delta", read_delta)
    clipping = section.read_optional("clipping_epsilon", read_epsilon)
    noise = (
        section.read_optional("noise", build_choice_reader("laplace", "gaussian", "best"))
        or "laplace"
    )
    if epsilon is None or section.bad_keys:
        return None
    cap = epsilon if cap is None else cap
    if usual_delta is None and delta is not None:
        usual_delta = delta / 1000
    rule = BudgetRule(
        population,
        epsilon,
        delta,
        usual or min(_DEFAULT_EPSILON, cap),
        usual_delta,
        cap,
        cast(Noise, noise),
        clipping,
    )
    section.mistakes.extend(check_budget(rule, section.path))
    return rule


def _read_analysts(top: Section) -> Iterator[AnalystRule]:
    section = top.read_section("analysts")
    for name, inner in section.list_sections() if section is not None else ():
        inner.check_keys("max_epsilon", "max_epsilon_per_day", "tables")
        granted = inner.read_optional("tables", read_names)
        rule = AnalystRule(
            name,
            inner.read_optional("max_epsilon", read_epsilon),
            inner.read_optional("max_epsilon_per_day", read_epsilon),
            granted,
        )
        inner.mistakes.extend(check_analyst(rule, inner.path))
        # Checked here and not in checks.py: old ledgers may hold a policy with this name.
        if name == _DEFAULT_ANALYST:
            inner.mistakes.append(
                Mistake(
                    inner.path,
                    f"{name!r} is the name of queries without an analyst: choose another name",
                )
            )
        yield rule


def _read_tables(top: Section, read_source: SourceReader) -> Iterator[TableRule]:
    section = top.read_section("tables")
    written = section.content.values() if section is not None else ()
    if "tables" not in top.bad_keys and all(
        isinstance(table, Mapping) and table.get("public") is True for table in written
    ):
        top.mistakes.append(
            Mistake(
                ("tables",),
                "no table is protected: add [tables.NAME] with source, unit and neighbours",
            )
        )
    for name, inner in section.list_sections() if section is not None else ():
        rule = _read_table(name, inner, read_source)
        if rule is not None:
            yield rule


def _read_table(name: str, section: Section, read_source: SourceReader) -> TableRule | None:
    section.check_keys(*_TABLE_KEYS)
    public = section.read_optional("public", read_flag) or False
    columns, readable = read_columns(section)
    unit, links = section.read_optional("unit", parse_unit) or (None, ())
    rule = TableRule(
        name=name,
        source=section.read_required(
            "source", read_source, 'write source = "….parquet" or "….csv", or a table of the server'
        )
        or "",
        public=public,
        unit=unit,
        neighbours=cast(
            "Relation | None", section.read_optional("neighbours", build_choice_reader(*RELATIONS))
        ),
        population=section.read_optional("population", read_text)
        or (None if public else DEFAULT_POPULATION),
        version=section.read_optional("version", read_text) or "1",
        max_units=section.read_optional("max_units", read_count),
        max_rows=section.read_optional("max_rows", read_count),
        max_groups=section.read_optional("max_groups", _read_cap),
        max_rows_per_group=section.read_optional("max_rows_per_group", _read_cap),
        columns=columns,
        partition=_read_partition(section),
        links=links,
        unique=section.read_optional("unique", _read_unique) or (),
        auto_bounds=section.read_optional("auto_bounds", read_flag) or False,
        multiline=section.read_optional("multiline", read_flag) or False,
        as_of=section.read_optional("as_of", _read_as_of),
        max_join_rows_per_unit=section.read_optional("max_join_rows_per_unit", read_join_cap),
        max_join_rows_per_key=section.read_optional("max_join_rows_per_key", read_join_cap),
    )
    if not readable:  # its column may be one that could not be read
        rule = replace(rule, partition=None)
    if rule.unit == "row":
        rule = _fill_row_bounds(rule)
    # A wrong value is absent from the record; it is not also reported as missing.
    further = [
        mistake
        for mistake in check_table(rule, section.path)
        if mistake.path[len(section.path) :] not in {(key,) for key in section.bad_keys}
    ]
    section.mistakes.extend(further)
    return (
        None
        if section.bad_keys
        or any(len(mistake.path) == len(section.path) + 1 for mistake in further)
        else rule
    )


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
    "as_of",
    "max_join_rows_per_unit",
    "max_join_rows_per_key",
)


def _fill_row_bounds(rule: TableRule) -> TableRule:
    units = rule.max_units if rule.max_units is not None else rule.max_rows
    rows = rule.max_rows if rule.max_rows is not None else rule.max_units
    return replace(
        rule,
        max_units=units,
        max_rows=rows,
        max_groups=rule.max_groups or 1,
        max_rows_per_group=rule.max_rows_per_group or 1,
    )


def _read_cap(value: object, key: str) -> int | Literal["auto"]:
    return "auto" if value == "auto" else read_count(value, key)


def _choose_source_reader(engine: str) -> SourceReader:
    if not is_server(engine):
        return _read_file
    return lambda value, key: normalise_table_name(engine, read_text(value, key), key)


def _read_file(value: object, key: str) -> str:
    text = read_text(value, key)
    if "://" in text or re.search(r"[*?\[\]]", text):
        raise InvalidArgument(
            key,
            "must name one file, relative to the policy file; addresses and patterns are not"
            " allowed",
            value,
        )
    if not text.lower().endswith((".csv", ".parquet")):
        raise InvalidArgument(key, "must be a .csv or .parquet file", value)
    return os.path.normpath(text).replace(os.sep, "/")


def _read_as_of(value: object, key: str) -> date:
    """Read the present of a table: a date, or a moment."""
    found = read_moment(value, key)
    is_day = len(value) == 10 if isinstance(value, str) else not isinstance(value, datetime)
    return found.date() if is_day else found


def _read_unique(value: object, key: str) -> tuple[tuple[str, ...], ...]:
    items: list[Any] = value if isinstance(value, list) else [value]
    keys: list[list[Any]] = (
        items if items and all(isinstance(item, list) for item in items) else [items]
    )
    if not all(keys) or not all(
        isinstance(name, str) and name.strip() for names in keys for name in names
    ):
        raise InvalidArgument(
            key,
            'must be a column, or a list such as ["region_id"]; several keys are a list of lists',
            value,
        )
    return tuple(tuple(names) for names in keys)


def _read_partition(table: Section) -> PartitionRule | None:
    section = table.read_section("partition")
    if section is None:
        return None
    section.check_keys("column", "max_parts_per_unit")
    column = section.read_required(
        "column", read_text, "write the column whose values are the parts"
    )
    parts = section.read_required(
        "max_parts_per_unit", read_count, "write the number of parts that one unit may be in"
    )
    return None if column is None or parts is None else PartitionRule(column, parts)
