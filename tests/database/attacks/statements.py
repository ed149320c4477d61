"""Statements that are split, at the seam: what is released for each, what paid for it, and what
the SQL above the pieces sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
from hedgerow.errors import BudgetExceeded, Refused
from hedgerow.ledger.entry import Entry
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


def look(opened: Versions, sql: str) -> tuple[int, list[str]]:
    """The pairs of neighbours that were compared for a statement, and what was wrong."""
    database, recorder = opened._database(0)
    before, runs = len(database.ledger.entries()), len(recorder.seen)
    with seen_frames() as frames:
        try:
            answer = database.query(sql, epsilon=EPSILON)
        except (Refused, BudgetExceeded):
            answer = None
    entries = database.ledger.entries()[before:]
    charges = [entry.body for entry in entries if entry.kind == "charge"]
    stored = [entry for entry in entries if entry.kind == "answer"]
    ran = recorder.seen[runs:]
    problems = []
    if len(ran) > len(charges):
        problems.append(f"{len(ran)} releases for {len(charges)} charges")
    if sum(Fraction(body["epsilon"]) for body in charges) > EPSILON:
        problems.append("more was charged than the statement names")
    pieces = getattr(answer, "pieces", ())
    problems += _compare_frames(pieces, frames, stored)
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
