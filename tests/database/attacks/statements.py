"""Statements that are split, at the seam: what is released for each, what paid for it, and what
the SQL above the pieces sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb

from database.attacks.judging import moved
from database.attacks.neighbours import World, base, neighbours
from database.attacks.seam import EPSILON, Versions, versions
from hedgerow.answers.answer import Answer
from hedgerow.database.query import answer_tables
from hedgerow.database.uncharged.diagnose import find_output_types
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.engines.data_source import Cells
from hedgerow.errors import HedgerowError
from hedgerow.ledger.entry import Entry
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import Policy
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import PublicQuery

STATEMENTS = (
    "SELECT region, COUNT(*) / SUM(COUNT(*)) OVER () FROM data GROUP BY region",
    "SELECT region, level, SUM(age), COUNT(*) FROM data GROUP BY ROLLUP (region, level)",
    "SELECT region, COUNT(*) AS n FROM data WHERE region IN ('north', 'south') GROUP BY"
    " ROLLUP (region)",
    "SELECT COUNT(*) FROM data WHERE age > (SELECT AVG(age) FROM data)",
    "SELECT region, SUM(age) FROM data WHERE age < (SELECT 0.5 * SUM(age) / COUNT(*) FROM data)"
    " AND age > (SELECT LEAST(AVG(age), 1) - 1 FROM data) GROUP BY region",
    "SELECT (SELECT COUNT(*) FROM data WHERE age > 50) - (SELECT MEDIAN(age) FROM data)",
    "SELECT region, COUNT(*, clipped => TRUE), AVG(age) FROM data WHERE age > 3 GROUP BY region",
    "SELECT SUM(age, clipped => TRUE) FROM data a JOIN (SELECT id, MAX(cost) AS c FROM data GROUP"
    " BY id) b USING (id)",
    "WITH a AS (SELECT region, AVG(cost) AS m FROM data GROUP BY region), b AS (SELECT region,"
    " COUNT(*) AS n FROM data WHERE cost > (SELECT MAX(m) / 2 FROM a) GROUP BY region)"
    " SELECT * FROM a JOIN b USING (region)",
)
NEIGHBOURS = 8


def _run_here(
    query: PublicQuery, _: Policy, catalog: Catalog, frames: Mapping[str, Any]
) -> ExactTable:
    """The SQL above the pieces, in this process."""
    with duckdb.connect() as db:
        for number, name in enumerate(query.tables):
            frame, names = frames[name], query.names
            columns = [names.write_name(names.number_name(one)) for one in frame.column_names]
            db.register(f"public {number}", frame.rename_columns(columns))
        found = db.execute(write_fragment(query.fragment, query.names)).fetchall()
    types = find_output_types(query, catalog)
    named = {f"c{place}": type_ for place, type_ in enumerate(types)}
    return ExactTable(named, [dict(zip(named, row, strict=True)) for row in found])


@contextmanager
def seen_frames() -> Iterator[dict[str, Any]]:
    """The tables that the SQL above the pieces reads, by name."""
    seen: dict[str, Any] = {}

    def spy(query: PublicQuery, policy: Policy, catalog: Catalog, frames: Any) -> ExactTable:
        seen.update(frames)
        return _run_here(query, policy, catalog, frames)

    with patch.object(answer_tables, "run_public_query", spy):
        yield seen


@dataclass(frozen=True)
class Outcome:
    """A statement that was run on one version of the tables: what everybody sees of it (its status,
    the words of an error, and its charges), and what the database hides."""

    status: str
    charges: list[dict[str, Any]]
    stored: list[Entry]
    ran: list[tuple[Aggregate, Cells]]
    pieces: tuple[Answer, ...]
    frames: Mapping[str, Any]

    @property
    def seen(self) -> tuple[str, list[dict[str, Any]]]:
        """What must not depend on the data: request keys are random, and after a release the status
        follows from noise."""
        return "" if self.ran else self.status, [
            {name: value for name, value in body.items() if name != "request"}
            for body in self.charges
        ]


def run(opened: Versions, version: int, sql: str) -> Outcome:
    """Run a statement on a version of the tables, from its text to its answer."""
    database, recorder = opened._database(version)
    before, runs = len(database.ledger.entries()), len(recorder.seen)
    answer, status = None, "answered"
    with seen_frames() as frames:
        try:
            answer = database.query(sql, epsilon=EPSILON)
        except HedgerowError as error:
            status = f"{type(error).__name__}: {error}"
    entries = database.ledger.entries()[before:]
    return Outcome(
        status,
        [entry.body for entry in entries if entry.kind == "charge"],
        [entry for entry in entries if entry.kind == "answer"],
        recorder.seen[runs:],
        getattr(answer, "pieces", ()),
        frames,
    )


def look(opened: Versions, sql: str) -> tuple[int, list[str]]:
    """The pairs of neighbours that were compared for a statement, and what was wrong."""
    return judge(opened, run(opened, 0, sql))


def judge(opened: Versions, found: Outcome) -> tuple[int, list[str]]:
    """The pairs of neighbours that were compared with the first version, and what was wrong."""
    problems, ran, charges = [], found.ran, found.charges
    if found.status.startswith("SourceError"):
        problems.append("the engine failed, which may depend on the data")
    if len(ran) > len(charges):
        problems.append(f"{len(ran)} releases for {len(charges)} charges")
    if sum(Fraction(body["epsilon"]) for body in charges) > EPSILON:
        problems.append("more was charged than the statement names")
    problems += _compare_frames(found.pieces, found.frames, found.stored)
    pairs = 0
    for plan, cells in ran:
        compiled = opened.statement(plan)
        for version in range(1, len(opened)):
            there = opened.cells(version, compiled, plan)
            problems += moved(plan, opened.unit, cells, there)
            pairs += 1
    return pairs, problems


def _compare_frames(
    pieces: tuple[Answer, ...], frames: Mapping[str, Any], stored: list[Entry]
) -> Iterator[str]:
    """What the SQL saw must be the answers, and these must be what the ledger holds."""
    shown = [  # without the ends of intervals, which follow from the answers
        frame.select([n for n in frame.column_names if not n.endswith((" low", " high"))])
        for frame in frames.values()
    ]
    shown = [frame.to_pylist() for frame in shown]
    for piece in pieces:
        if piece.rows not in shown:
            yield "the SQL saw other values than those that were released"
    if len(stored) < len([piece for piece in pieces if not piece.receipt.reused]):
        yield "an answer was not stored"


def seek_statements(name: str, pairs: int) -> tuple[int, list[str]]:
    """So many pairs of neighbours or a few more; the same ones for the same name."""
    random, found, problems = Random(name), 0, list[str]()
    while found < pairs:
        world = World.draw(random)
        data = base(random, world)
        others = neighbours(random, world, data, NEIGHBOURS)
        with versions(world, [data, *others], asked=1) as opened:
            for sql in random.sample(STATEMENTS, 3):
                count, wrong = look(opened, sql)
                found += count
                problems += [f"{world}: {sql}: {problem}" for problem in wrong]
    return found, problems
