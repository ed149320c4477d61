"""What goes through the door of the database, recorded on two neighbours and compared with what was declared and charged."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from database.breaches.neighbours import Row, World
from hedgerow.database import Database, opening
from hedgerow.engines.compile import compile_plan
from hedgerow.engines.decode import Statement, arranged
from hedgerow.engines.decode import columns as decoded
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.duckdb import DuckDB, Registered
from hedgerow.engines.source import Cells, PhysicalColumn
from hedgerow.errors import HedgerowError
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Rows, Table
from hedgerow.policy import Policy
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

EPSILON = Fraction(1, 10)  # so that noise has a scale of 10 or more
Group = tuple[Any, ...]


class Recorder:
    """A source that hands on one of the versions of a table, and remembers what went through and what was paid by then."""

    def __init__(self, engine: DuckDB, version: int) -> None:
        self._engine, self._version = engine, version
        self.seen: list[tuple[Aggregate, Cells]] = []
        self.paid: list[bool] = []
        self.database: Database | None = None

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        return self._engine.schema(f"data {self._version}")

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


def versioned(plan: Aggregate, version: int) -> Aggregate:
    """The plan over another version of its table."""

    def moved(rows: Rows) -> Any:
        if isinstance(rows, Table):
            return Table(replace(rows.schema, table=f"data {version}"))
        return replace(rows, source=moved(rows.source))  # type: ignore[arg-type]

    return replace(plan, source=replace(plan.source, source=replace(plan.bound, source=moved(plan.bound.source))))


@dataclass(frozen=True)
class Asked:
    """One question on one table: how it went, and everything that the outside could tell, or the door hides."""

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
    """Databases over versions of one table, each with a ledger of its own; one engine serves all."""

    def __init__(self, world: World, tables: Sequence[pa.Table]) -> None:
        self.world = world
        self.policy = Policy.for_frame(tables[0], **world.arguments)
        physical = opening.inspect(tables[0])
        schema = opening.catalog_of(self.policy, {"data": physical}).tables["data"].schema
        named = {f"data {i}": Registered(table, replace(schema, table=f"data {i}")) for i, table in enumerate(tables)}
        self.engine = DuckDB(named, threads=1)
        self._tables, self._opened = tables, dict[int, tuple[Database, Recorder]]()
        table = self.policy.table("data")
        assert table is not None
        assert table.protects is not None
        self.unit = table.protects

    def __len__(self) -> int:
        return len(self._tables)

    def _database(self, version: int) -> tuple[Database, Recorder]:
        """Opened when first asked, as ``protect`` opens one, but for the engine."""
        if version not in self._opened:
            recorder = Recorder(self.engine, version)
            recorder.database = opening._database(self.policy, {"data": self._tables[version]}, lambda _: recorder, None)
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
        payload = next((json.loads(entry.body["payload"]) for entry in entries if entry.kind == "answer"), {})
        plan, cells = recorder.seen[looks] if len(recorder.seen) > looks else (None, None)
        return Asked(status, text, charge, plan, cells, bool(recorder.paid and recorder.paid[-1]), payload)

    def cells(self, version: int, statement: Statement, plan: Aggregate) -> Cells:
        """The quick way to the same numbers: a statement that was compiled for version 0, run on another."""
        sql = statement.sql.replace('"t0"', f'"t{version}"')
        return arranged(decoded(self.engine._session._connection.sql(sql).to_arrow_table(), statement), plan.source.domain)

    def statement(self, plan: Aggregate) -> Statement:
        return compile_plan(versioned(plan, 0), self.engine._catalogue.shelves, DUCKDB)

    def close(self) -> None:
        self.engine.close()


@contextmanager
def versions(world: World, tables: Sequence[list[Row]]) -> Iterator[Versions]:
    made = Versions(world, [world.table(rows) for rows in tables])
    try:
        yield made
    finally:
        made.close()


def groups(cells: Cells) -> dict[Group, int]:
    """The place of each group."""
    keys = list(zip(*cells.keys, strict=True)) if cells.keys else [()] * len(cells)
    return {key: place for place, key in enumerate(keys)}


def columns(measures: Sequence[Measure]) -> Iterator[tuple[int, range]]:
    """Each measure with the columns of its numbers."""
    start = 0
    for index, measure in enumerate(measures):
        yield index, range(start, start + measure.width)
        start += measure.width


@dataclass(frozen=True)
class Distance:
    """How far the numbers of one measure moved."""

    l0: int
    linf: int
    l1: int
    l2_squared: int

    @classmethod
    def of(cls, one: Cells, other: Cells, places: range) -> Distance:
        a, b = groups(one), groups(other)
        moves = [
            (int(one.numbers[i][a[key]]) if key in a else 0) - (int(other.numbers[i][b[key]]) if key in b else 0)
            for key in {**a, **b}
            for i in places
        ]
        sizes = [abs(move) for move in moves if move]
        return cls(len(sizes), max(sizes, default=0), sum(sizes), sum(size * size for size in sizes))

    def within(self, declared: Sensitivity) -> bool:
        pairs = [(self.l0, declared.l0), (self.linf, declared.linf), (self.l1, declared.l1), (self.l2_squared, declared.l2_squared)]
        return all(mine <= most for mine, most in pairs)


def moved(plan: Aggregate, declared: Sequence[Sensitivity], one: Cells, other: Cells) -> Iterator[str]:
    """Whatever moved further than declared, and whatever shape told the two apart."""
    if [column.dtype for column in one.numbers] != [column.dtype for column in other.numbers]:
        yield "shape: the numbers are of other types"
    for index, places in columns(plan.measures):
        distance = Distance.of(one, other, places)
        if not distance.within(declared[index]):
            yield f"distance: {plan.measures[index].kind} moved by {distance}, declared {declared[index]}"
    if plan.source.domain is not None:
        listed = list(itertools.product(*plan.source.domain))
        for cells in (one, other):
            if list(groups(cells)) != listed or len(cells) != len(listed):
                yield "shape: the groups are not those declared"
    else:
        yield from lone(plan, one, other)


def lone(plan: Aggregate, one: Cells, other: Cells) -> Iterator[str]:
    """Groups that only one of the two has: few, and nearly empty."""
    decisive, most = threshold_count(plan)
    for mine, theirs in ((one, other), (other, one)):
        there, place = groups(theirs), groups(mine)
        alone = [key for key in place if key not in there]
        if len(alone) > plan.bound.max_groups:
            yield f"lone groups: {len(alone)}, and a unit may be in {plan.bound.max_groups}"
        if any(int(mine.numbers[decisive][place[key]]) > most for key in alone):
            yield f"lone groups: one holds more than {most}"


def threshold_count(plan: Aggregate) -> tuple[int, int]:
    """The column of the count that decides which groups are shown, and the most that one unit puts into it."""
    kinds = [measure.kind for measure in plan.measures]
    index = kinds.index("units" if "units" in kinds else "rows")
    places = dict(columns(plan.measures))[index]
    return places[0], 1 if kinds[index] == "units" else plan.bound.max_rows


def tail(law: str, scale: float, least: int) -> float:
    """Pr[Z >= least] of discrete noise, from its definition."""
    reach = np.arange(-int(60 * scale) - 60, int(60 * scale) + 61 + abs(least), dtype=np.float64)
    weight = np.exp(-np.abs(reach) / scale) if law == "laplace" else np.exp(-(reach**2) / (2 * scale**2))
    return float(weight[reach >= least].sum() / weight.sum())


def priced(asked: Asked, declared: Sequence[Sensitivity]) -> Iterator[str]:
    """Whatever costs more than was charged, or was looked at before."""
    assert asked.plan is not None
    if not asked.paid:
        yield "order: the data were read before the question was charged"
    laws, loss = asked.released["laws"], asked.loss
    if len(laws) != len(declared):
        yield "price: a measure has no noise of its own"
        return
    if all(law == "laplace" for law, _ in laws):
        spent = sum((move.l1 / Fraction(scale) for (_, scale), move in zip(laws, declared, strict=True)), Fraction(0))
        if loss.epsilon is None or loss.epsilon < spent or spent > EPSILON:
            yield f"price: {loss.epsilon} charged, {EPSILON} asked for, {spent} spent"
    else:
        rho = sum((move.l2_squared / (2 * Fraction(scale) ** 2) for (_, scale), move in zip(laws, declared, strict=True)), Fraction(0))
        if loss.rho < rho or rho > EPSILON * Fraction(math.tanh(float(EPSILON) / 2)) * Fraction(1_000_001, 1_000_000):
            yield f"price: rho {float(loss.rho)} charged, {float(rho)} spent"
    if asked.plan.source.domain is None:
        yield from _threshold(asked, asked.plan)


def _threshold(asked: Asked, plan: Aggregate) -> Iterator[str]:
    index, least, _ = asked.released["threshold"]
    law, scale = asked.released["laws"][index]
    decisive, most = threshold_count(plan)
    if decisive not in dict(columns(plan.measures))[index]:
        yield "threshold: another measure decides"
    passed = plan.bound.max_groups * tail(law, float(Fraction(scale)), least - most)
    if passed > float(asked.loss.delta) * (1 + 1e-6) or asked.loss.delta > Fraction(1, 10_000):
        yield f"threshold: {passed} comes through, {float(asked.loss.delta)} charged"


def shared_noise(asked: Asked) -> Iterator[str]:
    """Noise that all cells have in common. At a scale of 10 a draw is what it is with a chance of at most 0.05, so that a dozen are equal
    with a chance below 1e-14."""
    assert asked.cells is not None
    if asked.released.get("threshold") or len(asked.cells) < 12:
        return
    for noisy, exact in zip(asked.released["numbers"], asked.cells.numbers, strict=True):
        if len({int(a) - int(b) for a, b in zip(noisy, exact, strict=True)}) == 1:
            yield "noise: all groups got the same"


def told_apart(one: Asked, other: Asked, unit: Any) -> list[str]:
    """Everything wrong between two neighbours."""
    if (one.status, one.text) != (other.status, other.text):
        return [f"status: {one.status} and {other.status}"]
    if one.status != "answered":
        return [] if one.charge == other.charge else ["charge: refusals differ"]
    assert one.plan is not None
    assert one.cells is not None
    assert other.cells is not None
    found = []
    if one.plan != other.plan:
        found.append("plan: it depends on the data")
    if one.charge != other.charge:
        found.append("charge: it depends on the data")
    if one.released["laws"] != other.released["laws"] or one.released["threshold"] != other.released["threshold"]:
        found.append("noise: it depends on the data")
    declared = one.plan.sensitivity(unit)
    for asked in (one, other):
        found += [*priced(asked, declared), *shared_noise(asked)]
    return found + list(moved(one.plan, declared, one.cells, other.cells))
