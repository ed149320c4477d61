"""One running engine and many ledgers: the same question can be asked anew, and its statements run
without privacy.

A database answers the same question from its ledger, for free. So every question here goes to a
database of its own, with an empty ledger, over an engine that has been started once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from bench.clock import Round
from hedgerow.calibration.measure_planning import add_deciding_count
from hedgerow.database.catalog_builder import build_catalog
from hedgerow.database.database import Database
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.stored_tables import locate_columns
from hedgerow.engines.data_source import Cells, Source
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.inspect import inspect_columns
from hedgerow.engines.duckdb.tables.registry import RegisteredTable, map_engine_types
from hedgerow.ledger import Ledger, MemoryLedger
from hedgerow.ledger.interface import LedgerBase
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import Policy, read_policy
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question

__all__ = ["Engine", "running"]


@dataclass(slots=True)
class Engine:
    """A policy, an engine in a process of its own that serves it, and another one here that runs
    bare statements.
    """

    policy: Policy
    catalog: Catalog
    worker: Source
    session: DuckDBSession
    shelves: Mapping[str, Any]
    folder: Path
    ledgers: int = 0
    remembered: Remembered = field(init=False)

    def __post_init__(self) -> None:
        self.remembered = Remembered(self.worker)

    def asking(self, sql: str, epsilon: float) -> Round:
        """Rounds that put a question to a database with an empty ledger on disk."""

        def seconds() -> float:
            self.ledgers += 1
            with Ledger.open(self.folder / f"{self.ledgers}.ledger", create=True) as ledger:
                database = self._database(self.worker, ledger)
                start = perf_counter()
                database.query(sql, epsilon=epsilon)
                return perf_counter() - start

        return seconds

    def bare(self, sql: str) -> Callable[[], object]:
        """The statements behind a question, run in this process: bounded as ever, without noise."""
        plan = replace(
            question := parse_question(sql, self.catalog), plan=add_deciding_count(question.plan)
        ).plan
        compiled = compile_plan(plan, self.shelves, DUCKDB)
        statements = [
            *([] if compiled.sums is None else [compiled.sums]),
            *compiled.by_measure.values(),
        ]
        return lambda: [self.session.run_statement(statement) for statement in statements]

    def answer(self, sql: str, epsilon: float) -> Any:
        """An answer with fresh noise. The data are asked the first time only: what they hold
        does not change.
        """
        return self._database(self.remembered, MemoryLedger()).query(sql, epsilon=epsilon)

    def _database(self, source: Source, ledger: LedgerBase) -> Database:
        budgets = {
            rule.population: {
                "epsilon": rule.epsilon,
                "delta": rule.delta,
                "unit": "id" if unit != "row" else "row",
                "neighbours": relation,
            }
            for rule in self.policy.budgets
            for unit, relation in [
                next(
                    (t.unit, t.neighbours)
                    for t in self.policy.tables
                    if t.population == rule.population
                )
            ]
        }
        ledger.accept_policy(
            digest=self.policy.digest,
            text=self.policy.canonical(),
            budgets=budgets,
            quotas={},
            sources={},
            note="",
        )
        return Database(self.policy, self.catalog, lambda: source, ledger)


@dataclass(slots=True)
class Remembered:
    """A source that asks another one about each plan once."""

    source: Source
    found: dict[Aggregate, Cells] = field(default_factory=dict)

    def schema(self, table: str) -> Any:
        """As the other one has it."""
        return self.source.schema(table)

    def prepare(self, plan: Aggregate) -> None:
        """As the other one does."""
        self.source.prepare(plan)

    def run(self, plan: Aggregate) -> Cells:
        """The cells of a plan, as they were the first time."""
        if plan not in self.found:
            self.found[plan] = self.source.run(plan)
        return self.found[plan]

    def close(self) -> None:
        """Nothing: the other one is not ours."""


@contextmanager
def running(page: str, deadline: float = 120) -> Iterator[Engine]:
    """The engine of a policy page, started and warm."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        (folder / "policy.toml").write_text(page, encoding="utf-8")
        policy = read_policy(folder / "policy.toml")
        paths = {table.name: policy.source_path(table) for table in policy.tables}
        catalog = build_catalog(
            policy, {name: inspect_columns(path) for name, path in paths.items()}
        )
        tables = {
            name: RegisteredTable(path, catalog.tables[name].schema) for name, path in paths.items()
        }
        session = DuckDBSession(list(paths.values()), EngineLimits(None, None))
        stack.callback(session.close)
        attached = {
            name: session.attach_file(f"t{place}", path)
            for place, (name, path) in enumerate(paths.items())
        }
        shelves = {
            name: locate_columns(
                catalog.tables[name].schema, one.relation, map_engine_types(one.columns)
            )
            for name, one in attached.items()
        }
        worker = IsolatedDuckDB(tables, deadline=deadline)
        stack.callback(worker.close)
        yield Engine(policy, catalog, worker, session, shelves, folder)
