"""Tables of combinations, and how far one unit moves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pyarrow as pa

from engines.helpers_engine_answers import combinations
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Relation, Unit
from plan import brute

NAMES = ("a", "b", "c", "d")


SCHEMA = Schema("t", tuple(Column(name, "integer") for name in NAMES), "id")


ALONE = replace(SCHEMA, unit="row")


FAR = (2**63 - 1, -(2**63), 2**62, -1)


def row(unit: Any, *codes: int | None) -> dict[str, Any]:
    return {"id": unit, **dict.fromkeys(NAMES), **dict(zip(NAMES, codes, strict=False))}


def question(*sizes: int, most: int = 1, schema: Schema = SCHEMA, fine: int = 1) -> Aggregate:
    return Aggregate(
        Group(Bound(Table(schema), (), 1, most)),
        (Contingency(tuple(zip(NAMES, sizes, strict=False)), fine),),
    )


def cells(random: Random, sizes: Sequence[int]) -> list[int | None]:
    """Mostly few different codes, so that rows meet; now and then what is none."""
    return [
        random.choice(
            [0, 0, size - 1, size - 1, size // 2, size, None, *FAR]
            if random.random() < 0.3
            else [0, size - 1]
        )
        for size in sizes
    ]


SIDES = {
    name: replace(SCHEMA, table=name, columns=(*SCHEMA.columns, Column("side", "integer")))
    for name in ("numbered", "named")
}


def too_far(relation: Relation, examples: int = 40, fine: int = 1) -> list[int]:
    """The examples in which a unit that comes, goes or is replaced moves the real table further
    than declared. All lie in two tables, for the two types of ids: before, on an even side, and
    after, on the odd one that follows."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SIDES}
    plans = []
    for example in range(examples):
        random = Random(example)
        sizes = random.choice([(2, 2), (2, 3, 2), (2**61, 2**40, 2)])
        name, ids = random.choice([("numbered", (1, 2, 3)), ("named", ("u", "v", "w"))])
        before = [
            row(random.choice(ids), *cells(random, sizes)) for _ in range(random.randint(4, 40))
        ]
        others = [line for line in before if line["id"] != ids[0]]
        new = (
            [row(ids[0], *cells(random, sizes)) for _ in range(random.randint(0, 9))]
            if relation == "change-one"
            else []
        )
        rows[name] += [{**line, "side": 2 * example} for line in before] + [
            {**line, "side": 2 * example + 1} for line in others + new
        ]
        plans.append(
            [
                _side(SIDES[name], 2 * example + after, sizes, 1 + example % 3, fine)
                for after in (0, 1)
            ]
        )
    source = DuckDB(
        {name: RegisteredTable(_frame(lines), SIDES[name]) for name, lines in rows.items()}
    )
    try:
        found = [[combinations(source.run(plan).numbers[0][0]) for plan in pair] for pair in plans]
    finally:
        source.close()
    claims = [pair[0].sensitivity(Unit(relation, "id"))[0] for pair in plans]
    real = [_norms(before, after) for before, after in found]
    assert sum(norms[0] > 0 for norms in real) > examples // 2
    return [
        example
        for example, (norms, claim) in enumerate(zip(real, claims, strict=True))
        if any(far > most for far, most in zip(norms, brute.declared(claim), strict=True))
    ]


def _side(schema: Schema, side: int, sizes: Sequence[int], most: int, fine: int) -> Aggregate:
    rows = Filter(Table(schema), Call("=", (ColumnRef("side"), Constant(side, "integer"))))
    return Aggregate(
        Group(Bound(rows, (), 1, most)),
        (Contingency(tuple(zip(NAMES, sizes, strict=False)), fine),),
    )


def _frame(lines: Sequence[dict[str, Any]]) -> pa.Table:
    type_ = pa.string() if isinstance(lines[0]["id"], str) else pa.int64()
    return pa.table(
        {
            name: pa.array([line[name] for line in lines], type_ if name == "id" else pa.int64())
            for name in lines[0]
        }
    )


def _norms(before: dict[Any, int], after: dict[Any, int]) -> tuple[int, int, int, int]:
    moves = [abs(before.get(codes, 0) - after.get(codes, 0)) for codes in {**before, **after}]
    return (
        sum(move > 0 for move in moves),
        max(moves, default=0),
        sum(moves),
        sum(move**2 for move in moves),
    )
