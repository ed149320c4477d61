"""What goes through the door of the database, recorded: databases over neighbouring tables,
asked from the words to the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.database import Database
from hedgerow.database import open_database as opening
from hedgerow.database.catalog_builder import build_catalog
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.data_source import Cells, PhysicalColumn
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB, RegisteredTable
from hedgerow.engines.duckdb.tables.inspect import inspect_columns
from hedgerow.engines.result_cells import CompiledPlan, collect_cells
from hedgerow.engines.result_columns import ResultColumns, convert_result
from hedgerow.engines.statement import Statement
from hedgerow.errors import HedgerowError
from hedgerow.ledger import MemoryLedger
from hedgerow.plan.nodes import Aggregate, Join, RelationNode, Table, Union
from hedgerow.plan.schema import Schema
from hedgerow.policy import Policy
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit

EPSILON = Fraction(1, 10)  # so that noise has a scale of 10 or more


class Protected(Protocol):
    """How tables are protected, and how they are made of rows."""

    def tables(self, data: Any) -> Mapping[str, pa.Table]: ...
    def policy(self, tables: Mapping[str, pa.Table]) -> Policy: ...


class Recorder:
    """A source that hands on one of the versions of the tables, and remembers what went through
    and what was paid by then.
    """

    def __init__(self, engine: DuckDB, version: int) -> None:
        self._engine, self._version = engine, version
        self.seen: list[tuple[Aggregate, Cells]] = []
        self.paid: list[bool] = []
        self.database: Database | None = None

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        return self._engine.schema(f"{table} {self._version}")

    def prepare(self, plan: Aggregate) -> None:
        self._engine.prepare(versioned(plan, self._version))

    def run(self, plan: Aggregate) -> Cells:
        assert self.database is not None
        self.paid.append(self.database.ledger.entries()[-1].kind == "charge")
        cells = self._engine.run(versioned(plan, self._version))
        self.seen.append((plan, cells))
        return cells

    def close(self) -> None:
        """The engine is shared."""


def renamed(schema: Schema, version: int) -> Schema:
    """Another version of a table, with that of those on the way to its unit. Public tables have
    one version.
    """
    if schema.unit is None:
        return schema
    link = schema.link and replace(schema.link, parent=renamed(schema.link.parent, version))
    return replace(schema, table=f"{schema.table} {version}", link=link)


def versioned(plan: Aggregate, version: int) -> Aggregate:
    """The plan over another version of its tables."""

    def moved(rows: RelationNode) -> Any:
        if isinstance(rows, Table):
            return Table(renamed(rows.schema, version))
        if isinstance(rows, Union):
            return Union(tuple(moved(source) for source in rows.sources))
        if isinstance(rows, Join):
            return replace(rows, source=moved(rows.source), other=moved(rows.other))
        return replace(rows, source=moved(rows.source))

    return replace(
        plan,
        source=replace(plan.source, source=replace(plan.bound, source=moved(plan.bound.source))),
    )


@dataclass(frozen=True)
class Asked:
    """One question on one table: how it went, and everything that the outside could tell, or the
    door hides.
    """

    status: str
    text: str = ""
    charge: Mapping[str, Any] = field(default_factory=dict)
    plan: Aggregate | None = None
    cells: Cells | None = None
    paid: bool = False
    released: Mapping[str, Any] = field(default_factory=dict)

    @property
    def loss(self) -> Loss:
        (loss,) = self.charge["charges"].values()
        return Loss.from_dict(loss)


class Versions:
    """Databases over versions of the same tables, each with a ledger of its own; one engine serves
    all.

    Only the first ``asked`` of them are asked from the words on; of the others there are ``cells``.
    With a ``folder`` the tables are files there, of Parquet, whose ends the engine believes, and
    all of them can be asked.
    """

    def __init__(
        self, world: Protected, data: Sequence[Any], asked: int, folder: Path | None = None
    ) -> None:
        asked = asked if folder is None else len(data)
        self.world, self.data, self._asked = world, data, asked
        self._tables = [world.tables(one) for one in data]
        self.policy = world.policy(self._tables[0])
        self._catalog = build_catalog(
            self.policy, {name: inspect_columns(table) for name, table in self._tables[0].items()}
        )
        entries = self._catalog.tables
        public = [name for name, entry in entries.items() if entry.schema.unit is None]
        self._versioned = [name for name in entries if name not in public]
        named = {
            f"{name} {version}": RegisteredTable(
                _placed(tables[name], folder, f"{name} {version}"),
                renamed(entries[name].schema, version),
            )
            for version, tables in enumerate(self._tables[:asked])
            for name in self._versioned
        }
        self.engine = DuckDB(
            named
            | {
                name: RegisteredTable(self._tables[0][name], entries[name].schema)
                for name in public
            },
            threads=1,
        )
        for version in range(asked, len(data)):
            for place, name in enumerate(self._versioned):
                self.engine._session._connection.register(
                    f"v{version} t{place}", self._tables[version][name]
                )
        self._opened = dict[int, tuple[Database, Recorder]]()
        first = self.policy.table(self._versioned[0])
        assert first is not None
        assert first.privacy_unit is not None
        self.unit: Unit = first.privacy_unit

    def __len__(self) -> int:
        return len(self._tables)

    def _database(self, version: int) -> tuple[Database, Recorder]:
        """Opened when first asked, as ``protect`` opens one, but for the engine."""
        if version not in self._opened:
            recorder, ledger = Recorder(self.engine, version), MemoryLedger()
            opening._enter_policy(self.policy, ledger)
            recorder.database = Database(self.policy, self._catalog, lambda: recorder, ledger)
            self._opened[version] = recorder.database, recorder
        return self._opened[version]

    def ask(self, version: int, sql: str) -> Asked:
        """Through ``query``, from the words to the answer."""
        database, recorder = self._database(version)
        before, looks = len(database.ledger.entries()), len(recorder.seen)
        try:
            database.query(sql, epsilon=EPSILON)
            status, text = "answered", ""
        except HedgerowError as error:
            status, text = type(error).__name__, str(error)
        entries = database.ledger.entries()[before:]
        charge = next((entry.body for entry in entries if entry.kind == "charge"), {})
        payload = next(
            (json.loads(entry.body["payload"]) for entry in entries if entry.kind == "answer"), {}
        )
        plan, cells = recorder.seen[looks] if len(recorder.seen) > looks else (None, None)
        return Asked(
            status, text, charge, plan, cells, bool(recorder.paid and recorder.paid[-1]), payload
        )

    def cells(self, version: int, compiled: CompiledPlan, plan: Aggregate) -> Cells:
        """The quick way to the same numbers: statements that were compiled for version 0, run on
        another.
        """
        connection, count = self.engine._session._connection, len(self._versioned)

        def other(found: re.Match[str]) -> str:
            place = int(found[1])
            if place >= count:  # a public table
                return found[0]
            return (
                f'"t{place + version * count}"'
                if version < self._asked
                else f'"v{version} t{place}"'
            )

        def answer(statement: Statement) -> ResultColumns:
            return convert_result(
                connection.execute(re.sub(r'"t([0-9]+)"', other, statement.sql)).fetchnumpy(),
                statement,
            )

        return collect_cells(plan, compiled, answer)

    def statement(self, plan: Aggregate) -> CompiledPlan:
        return compile_plan(versioned(plan, 0), self.engine._registry.stored_tables, DUCKDB)

    def forget(self) -> None:
        """As if nothing had been asked: new ledgers, and plans are compiled anew."""
        self._opened.clear()
        self.engine._use_registry(self.engine._registry, DUCKDB)

    def close(self) -> None:
        self.engine.close()


def _placed(table: pa.Table, folder: Path | None, name: str) -> pa.Table | Path:
    """The table as it is, or as a file."""
    if folder is None:
        return table
    pq.write_table(table, folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


@contextmanager
def versions(
    world: Protected, data: Sequence[Any], *, asked: int | None = None, folder: Path | None = None
) -> Iterator[Versions]:
    made = Versions(world, data, asked or len(data), folder)
    try:
        yield made
    finally:
        made.close()
