"""Opening a database: a policy file with its sources and its ledger, or a frame in memory.

The ledger holds the accepted policy. A policy that loosens it (a larger budget, wider bounds) is
refused until the custodian accepts it, which is a ledger entry of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from hedgerow.database.data_versions import DataFiles
from hedgerow.database.database import CUSTODIAN, Database
from hedgerow.database.inspected_sources import (
    InspectedSources,
    inspect_files,
    inspect_server,
)
from hedgerow.database.measured_clipping import measure_clipping
from hedgerow.database.open_ledger import (
    copy_ledger,
    has_ledger,
    is_same_file,
    name_ledger,
    open_ledger,
)
from hedgerow.engines.data_source import IsolatedSource, Source
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.tables.arrow_snapshot import take_snapshot
from hedgerow.errors import Refused
from hedgerow.ledger import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.policy import (
    Policy,
    TableRule,
    list_loosenings,
    read_policy,
    restore_dropped_caps,
)
from hedgerow.policy.server_sources import is_server
from hedgerow.privacy.budget_view import Balance, DualBalance

__all__ = [
    "accept_policy",
    "open",
    "open_dry_run",
    "open_frame",
    "open_with_engines",
    "read_budgets",
    "read_quotas",
]


def open(
    path: str | Path,
    *,
    analyst: str | None = None,
    deadline: float = 60.0,
    in_process: bool = False,
) -> Database:
    """Open the database of a policy file. The engine runs in a process of its own, which is killed
    after ``deadline`` seconds."""
    policy = read_policy(path)
    if is_server(policy.engine):
        return _open_database(inspect_server(policy, deadline=deadline), analyst)
    return _open_database(
        inspect_files(
            policy,
            lambda tables: (
                DuckDB(tables) if in_process else IsolatedDuckDB(tables, deadline=deadline)
            ),
        ),
        analyst,
    )


SourceBuilder = Callable[[Callable[[], IsolatedSource], Policy], Source]


def open_with_engines(path: str | Path | Policy, build_source: SourceBuilder) -> Database:
    """Open the database of a policy over a source that is built from a function that starts
    engines, such as a pool of them."""
    policy = path if isinstance(path, Policy) else read_policy(path)
    sources = (
        inspect_server(policy)
        if is_server(policy.engine)
        else inspect_files(policy, IsolatedDuckDB)
    )
    return _open_database(sources, None, build_source=build_source)


def open_dry_run(path: str | Path) -> Database:
    """Open a policy file over a copy of its ledger, for a check.

    It refuses what ``open`` refuses, and shows the same budgets and tables. But it creates no
    ledger, accepts no policy, and answers no question that needs a charge.
    """
    policy = read_policy(path)
    files = DataFiles(policy, to_custodian=True)
    files.check_lines()
    sources = (
        inspect_server(policy)
        if is_server(policy.engine)
        else inspect_files(policy, IsolatedDuckDB)
    )
    return _open_database(sources, None, ledger=copy_ledger, files=files)


def _open_database(
    sources: InspectedSources,
    analyst: str | None,
    *,
    ledger: Callable[[Policy], LedgerBase] | None = None,
    files: DataFiles | None = None,
    build_source: SourceBuilder | None = None,
) -> Database:
    """Open a ledger for sources that were inspected, so that a policy that does not fit its data
    changes nothing. The engine starts on first use."""
    policy, files = sources.policy, files or DataFiles(sources.policy)
    _validate_files(policy, files)
    with ExitStack() as cleanup:
        opened = (ledger or open_ledger)(policy)
        cleanup.callback(opened.close)
        _enter_policy(policy, opened, files)

        def start() -> Source:
            begin = functools.partial(sources.start, files.stamps)
            return begin() if build_source is None else build_source(begin, policy)

        database = Database(policy, sources.catalog, start, opened, analyst=analyst)
        if ledger is None:  # a dry run charges nothing
            measure_clipping(database, CUSTODIAN)
        cleanup.pop_all()
    return database


def _validate_files(policy: Policy, files: DataFiles | None) -> None:
    """Refuse malformed files before a ledger is created for them. An existing ledger may know the
    files, which then need not be read."""
    if files is not None and policy.ledger is not None and not has_ledger(policy):
        files.accept({})


def open_frame(frame: Any, policy: Policy) -> Database:
    """Open the database of a frame (pandas, polars, Arrow) in this process, under a policy with one
    table."""
    frames = {table.name: take_snapshot(frame, table.name) for table in policy.tables}
    return _open_database(inspect_files(policy, DuckDB, frames), None)


def accept_policy(
    path: str | Path, *, note: str = "", budgets_only: bool = False, anew: bool = False
) -> tuple[Entry | None, tuple[str, ...]]:
    """Accept a changed policy and new versions of its data; return the ledger entry (None if
    nothing changed) and the loosenings that it accepts.

    ``budgets_only`` refuses all changes but larger budgets, and reads no data. ``anew`` writes the
    entry even if nothing changed, which forgives failed runs.
    """
    policy = read_policy(path)
    files = None if budgets_only else DataFiles(policy, to_custodian=True)
    _validate_files(policy, files)
    with open_ledger(policy, knowingly=True) as ledger:
        ruling, held = ledger.policy_digest, _read_accepted_policy(ledger)
        fresh = {} if files is None else files.accept(ledger.state.files)
        if held == policy and not anew and not fresh:
            return None, ()
        changes = () if held is None else _list_loosenings(ledger, held, policy)
        others = [change for change in changes if not change.startswith("budget")]
        if budgets_only and others:
            raise Refused(
                "This changes more than the budget. Use 'hedgerow policy accept' to accept:\n  "
                + "\n  ".join(others)
            )
        return _record_policy(policy, ledger, ruling, note, files=fresh, forgive=anew), changes


def read_budgets(path: str | Path) -> Mapping[str, Balance | DualBalance]:
    """Return the budget of each population of a policy file that has, or had, a table; the data
    need not exist."""
    policy = read_policy(path)
    with open_ledger(policy) as ledger:
        _enter_policy(policy, ledger)
        known = [
            rule.population
            for rule in policy.budgets
            if rule.population in ledger.state.populations
        ]
        return {name: ledger.state.budget(name).balance for name in known}


def read_quotas(path: str | Path) -> Mapping[str, Balance | None]:
    """Return the quota of each analyst of a policy file, or None; the data need not exist."""
    policy = read_policy(path)
    with open_ledger(policy) as ledger:
        _enter_policy(policy, ledger)
        asked = ledger.state.asked_epsilon
        return {
            rule.name: None
            if (quota := rule.max_epsilon) is None
            else Balance(quota, asked(rule.name))
            for rule in policy.analysts
        }


def _map_sources(policy: Policy, known: Collection[str]) -> dict[str, str]:
    """Map each protected file to its population, by its real path or by the path that the ledger
    has ``known`` it by."""
    places = {
        policy.identify_source(table): table.population
        for table in policy.tables
        if table.population is not None
    }
    return {
        next((old for old in known if is_same_file(old, place)), place): whose
        for place, whose in places.items()
    }


def _read_accepted_policy(ledger: LedgerBase) -> Policy | None:
    """Read the accepted policy from the ledger; None before the first."""
    held = ledger.state.policy
    return None if held is None else Policy.from_canonical(held["text"])


def _list_loosenings(ledger: LedgerBase, held: Policy, policy: Policy) -> tuple[str, ...]:
    """List what a policy loosens; caps are compared with those that were declared last. Another
    ledger is no change if this one was moved there."""
    if ledger.state.place and ledger.state.place == name_ledger(policy):
        held = replace(held, ledger=policy.ledger)
    texts = (entry.body["text"] for entry in reversed(ledger.entries()) if entry.kind == "policy")
    earlier = (Policy.from_canonical(text) for text in texts)
    return list_loosenings(restore_dropped_caps(held, earlier), policy)


def _enter_policy(policy: Policy, ledger: LedgerBase, files: DataFiles | None = None) -> None:
    """Record a policy that is the first or loosens nothing, with the data versions that it
    declares; refuse any other."""
    ruling, held, known = ledger.policy_digest, _read_accepted_policy(ledger), ledger.state.files
    changes = () if held is None or held == policy else _list_loosenings(ledger, held, policy)
    if changes:
        raise Refused(
            "The policy loosens the one that the ledger accepted:\n  "
            + "\n  ".join(changes)
            + "\nTo accept this, the custodian runs 'hedgerow policy accept', or 'hedgerow budget"
            " raise' if only the budget grows."
        )
    fresh = {} if files is None else files.accept(known)
    if held == policy and not fresh:
        return
    try:
        _record_policy(policy, ledger, ruling, files=fresh)
    except Refused:
        if (ledger.policy_digest, ledger.state.files) == (ruling, known):
            raise
        # Another process was faster: compare with the policy that it recorded.
        _enter_policy(policy, ledger, files)


def _record_policy(
    policy: Policy,
    ledger: LedgerBase,
    ruling: str,
    note: str = "",
    *,
    files: Mapping[str, Mapping[str, object]],
    forgive: bool = False,
) -> Entry:
    """Record a policy that was compared with the ``ruling`` one, and the ``files`` that are
    accepted with it."""
    protected = [table for table in policy.tables if table.population is not None]
    known = (ledger.state.policy or {"budgets": {}})["budgets"]
    budgets: dict[str, dict[str, object]] = {}
    for rule in policy.budgets:
        first = next((table for table in protected if table.population == rule.population), None)
        # A population that has lost its last table keeps its spending.
        terms = (
            known.get(rule.population)
            if first is None
            else {"unit": _name_unit_kind(first), "neighbours": first.neighbours}
        )
        if terms is not None:
            whose = {"unit": terms["unit"], "neighbours": terms["neighbours"]}
            budgets[rule.population] = {"epsilon": rule.epsilon, "delta": rule.delta, **whose}
    return ledger.accept_policy(
        digest=policy.digest,
        text=policy.canonical(),
        budgets=budgets,
        quotas={
            rule.name: rule.max_epsilon for rule in policy.analysts if rule.max_epsilon is not None
        },
        daily_quotas={
            rule.name: rule.max_epsilon_per_day
            for rule in policy.analysts
            if rule.max_epsilon_per_day is not None
        },
        sources=_map_sources(policy, ledger.state.sources),
        note=note,
        max_failures=policy.max_failures,
        partitions=policy.partitions,
        files=files,
        forgive=forgive,
        over=ruling,
    )


def _name_unit_kind(table: TableRule) -> str:
    return "row" if table.unit == "row" else "id"
