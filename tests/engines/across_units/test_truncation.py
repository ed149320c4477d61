"""Joins across units: the engine agrees with the reference, and no unit moves an answer further
than declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from engines.helpers_comparison import agreed_in, frames, plain, schemas, tied
from hedgerow.engines.compile import joins
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.compiled_relation import CompiledRelation
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_builders import integer_literal
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import Unsupported
from hedgerow.plan.canonical_plans import canonicalise
from hedgerow.plan.measures import ClampedGrid, Measure, Truncation
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Join, RelationNode, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import RELATIONS, Relation, Unit

POSTS = Schema(
    "posts",
    (
        Column("id", "integer"),
        Column("post", "integer"),
        Column("topic", "text", values=("a", "b")),
        Column("weight", "real", Fraction(-1), Fraction(1), Fraction(1, 2)),
    ),
    "id",
)
COMMENTS = Schema(
    "comments",
    (
        Column("id", "integer"),
        Column("on", "integer"),
        Column("mood", "text", values=("x", "y")),
        Column("up", "integer", Fraction(0), Fraction(3)),
    ),
    "id",
)
UP, ROWS = Measure("total", "p.up", ClampedGrid(Fraction(1), 0, 3)), Measure("rows")
WEIGHT = Measure("total", "weight", ClampedGrid(Fraction(1, 2), -2, 2))
KEYS = {"topic": ("a", "b"), "p.mood": ("x", "y")}
TIED = replace(DUCKDB, build_rank=lambda values: integer_literal(7))
Tables = dict[str, list[dict[str, Any]]]


def joined(
    caps: Sequence[tuple[int, int]],
    on: tuple[tuple[str, str], ...] = (("post", "on"),),
    sides: tuple[RelationNode, RelationNode] = (Table(POSTS), Table(COMMENTS)),
) -> Join:
    added = tuple((f"p.{name}", name) for name in sides[1].columns)
    first, second = (Truncation(*each) for each in caps)
    return Join(*sides, on, added, truncations=(first, second))


def asked(rows: RelationNode, keys: Sequence[str] = (), *measures: Measure) -> Aggregate:
    domain = tuple(KEYS[key] for key in keys)
    return Aggregate(Group(Bound(rows, tuple(keys), 1, 1), domain), measures or (ROWS,))


def as_rows(side: Schema) -> Table:
    return Table(replace(side, unit="row"))


def drawn(random: Random, most: int = 9) -> Tables:
    """Few keys, all of them hot, rows of nobody, keys that are NULL, and rows that are equal."""
    people, keys = [1, 2, 3, 4, None], [1, 1, 1, 2, 3, None]
    posts = [
        {
            "id": random.choice(people),
            "post": random.choice(keys),
            "topic": random.choice(["a", "b", "c", None]),
            "weight": random.choice([None, float("nan"), 0.0, -0.0, 1.0, -7.0]),
        }
        for _ in range(random.randint(0, most))
    ]
    comments = [
        {
            "id": random.choice(people),
            "on": random.choice(keys),
            "mood": random.choice(["x", "y"]),
            "up": random.choice([None, 0, 3, 99]),
        }
        for _ in range(random.randint(0, most))
    ]
    return {
        name: rows + [dict(random.choice(rows))] * random.randint(0, 3) if rows else rows
        for name, rows in (("posts", posts), ("comments", comments))
    }


class Rank:
    """DuckDB's rank of a row, asked of DuckDB."""

    def __init__(self) -> None:
        self._connection, self._known = duckdb.connect(), dict[Any, int]()

    def __call__(self, unit: Any, row: Sequence[Any]) -> int:
        values = [*([] if unit is None else [unit]), *row]
        at = tuple(map(repr, values))
        if at not in self._known:
            types = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", type(None): "VARCHAR"}
            terms = ", ".join(f"CAST(? AS {types[type(value)]})" for value in values)
            found = self._connection.execute(f"SELECT hash(hash({terms})) >> 32", values)
            self._known[at] = int(found.fetchone()[0])  # type: ignore[index]
        return self._known[at]


RANK = Rank()


def plans(random: Random) -> Iterator[Aggregate]:
    caps = [(random.randint(1, 3), random.randint(1, 3)) for _ in range(2)]
    yield canonicalise(asked(joined(caps), [*KEYS][: random.randint(0, 2)], ROWS, UP, WEIGHT))
    yield asked(joined(caps, (("post", "on"), ("id", "id"))))
    # somebody's own posts meet those of the person that the key names
    yield asked(joined(caps, (("post", ""),)), ["topic"])
    yield asked(joined(caps, (("post", "post"),), (Table(POSTS), Table(POSTS))), ["topic"], WEIGHT)
    rare = Filter(Table(COMMENTS), Call(">", (ColumnRef("up"), Constant(0, "integer"))))
    yield asked(joined(caps, sides=(Table(POSTS), rare)), ["p.mood"], UP)
    rows = [(1, per_key) for _, per_key in caps]
    yield asked(joined(rows, sides=(as_rows(POSTS), as_rows(COMMENTS))), ["topic"], ROWS, UP)


@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
def test_the_engine_keeps_the_rows_of_the_reference(part: int) -> None:
    random = Random(f"truncated joins {part}")
    for plan in plans(random):
        tables = drawn(random)
        agreed_in(TIED, tied, plan, tables)
        agreed_in(DUCKDB, RANK, plan, tables)


def run(plan: Aggregate, tables: Tables) -> dict[Any, tuple[Any, ...]]:
    source = DuckDB(frames(schemas(plan), tables))
    try:
        return plain(source.run(plan))
    finally:
        source.close()


def refer(plan: Aggregate, tables: Tables) -> dict[Any, tuple[Any, ...]]:
    return interpret_plan(plan, tables, RANK)


def moves(plan: Aggregate, one: Tables, other: Tables, by: Any = refer) -> tuple[int, int]:
    """How far the numbers of the first measure are apart, in l1 and in squares."""
    width, a, b = plan.measures[0].width, by(plan, one), by(plan, other)
    each = [abs(a[key][i] - b[key][i]) for key in a for i in range(width)]
    return sum(each), sum(move * move for move in each)


def write(id_: int, key: int, word: str) -> dict[str, Any]:
    return {"id": id_, "post": key, "on": key, "topic": word, "mood": word, "weight": 1, "up": 3}


def meet(who: int) -> Tables:
    """One who posted where another one did, and commented where another one did: where she comes
    first in both, she is in the place of both, and they have other words.
    """
    posts = [write(who, 1, "a"), write(100 + who, 1, "b"), write(300, 2, "a")]
    comments = [write(who, 2, "x"), write(200 + who, 2, "y"), write(400, 1, "x")]
    return {"posts": posts, "comments": comments}


def without(who: int | None, tables: Tables) -> Tables:
    return {name: [row for row in rows if row["id"] != who] for name, rows in tables.items()}


def test_one_who_leaves_lets_another_one_in() -> None:
    """Two rows leave and two others enter, in other groups: the constant is 2, and not 1."""
    plan = asked(joined([(1, 1), (1, 1)]), ["topic", "p.mood"])
    (declared,) = plan.sensitivity(Unit("add-remove", "id"))
    assert (declared.l1, declared.l2_squared) == (4, 8)
    found, who = max((moves(plan, meet(who), without(who, meet(who))), who) for who in range(1, 30))
    assert found[0] == declared.l1
    assert moves(plan, meet(who), without(who, meet(who)), run) == found


def test_the_constant_one_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted mistake: a joined row leaves, and no other one takes its place."""
    real = Aggregate.reach
    monkeypatch.setattr(
        Aggregate, "reach", lambda plan, unit: replace(real(plan, unit), is_change_one=False)
    )
    plan = asked(joined([(1, 1), (1, 1)]), ["topic", "p.mood"])
    (declared,) = plan.sensitivity(Unit("add-remove", "id"))
    assert declared.l1 == 2
    found = max(moves(plan, meet(who), without(who, meet(who))) for who in range(1, 30))
    assert found[0] == 4 > declared.l1


def test_all_in_one_group_one_who_leaves_moves_a_count_by_what_leaves() -> None:
    plan = asked(joined([(1, 1), (1, 1)]))
    (declared,) = plan.sensitivity(Unit("add-remove", "id"))
    assert (declared.l0, declared.linf, declared.l1) == (2, 2, 2)
    alone: Tables = {
        "posts": [write(1, 1, "a"), write(2, 2, "a")],
        "comments": [write(2, 1, "x"), write(1, 2, "x")],
    }
    assert moves(plan, alone, without(1, alone)) == (2, 4)


def test_one_who_takes_the_place_of_another_one_moves_twice_as_far() -> None:
    plan = asked(joined([(1, 1), (1, 1)]), ["topic", "p.mood"])
    (once,) = plan.sensitivity(Unit("add-remove", "id"))
    (twice,) = plan.sensitivity(Unit("change-one", "id"))
    (three,) = plan.sensitivity(Unit("add-remove", "id", 3))
    assert (twice.l1, three.l1) == (2 * once.l1, 3 * once.l1)


BREAKS: list[tuple[Relation, bool]] = [(one, rows) for one in RELATIONS for rows in (False, True)]


@pytest.mark.parametrize(("relation", "rows"), BREAKS)
def test_no_unit_moves_an_answer_further_than_declared(relation: Relation, rows: bool) -> None:
    assert breaches(relation, rows=rows, rounds=4) == []


def breaches(relation: Relation, *, rows: bool, rounds: int) -> list[str]:
    """Neighbours whose answers are further apart than declared, physical order and all."""
    random, found = Random(f"{relation} {rows}"), list[str]()
    unit = Unit(relation, "row" if rows else "id")
    for _ in range(rounds):
        caps = [(1 if rows else random.randint(1, 2), random.randint(1, 3)) for _ in range(2)]
        sides = (as_rows(POSTS), as_rows(COMMENTS)) if rows else (Table(POSTS), Table(COMMENTS))
        plan = asked(joined(caps, sides=sides), [*KEYS][: random.randint(0, 2)], ROWS)
        (declared,) = plan.sensitivity(unit)
        one = drawn(random, 30)
        for _ in range(2):
            other = neighbour(random, one, unit)
            shuffled = {name: random.sample(found, len(found)) for name, found in other.items()}
            l1, squares = moves(plan, one, shuffled)
            if l1 > declared.l1 or squares > declared.l2_squared:
                found.append(f"{caps}: {l1} > {declared.l1}")
    return found


def neighbour(random: Random, tables: Tables, unit: Unit) -> Tables:
    name = random.choice([*tables])
    if unit.owner == "row":
        fewer = {**tables, name: tables[name][1:]}
        more = drawn(random)[name][:1] if unit.relation == "change-one" and tables[name] else []
        return {**fewer, name: [*fewer[name], *more]}
    fewer = without(1, tables)
    more_rows = without(None, drawn(random)) if unit.relation == "change-one" else {}
    return {
        name: [*rows, *({**row, "id": 1} for row in more_rows.get(name, ()))]
        for name, rows in fewer.items()
    }


def drop_full_keys(rows: exp.Select, place: exp.Window, limit: int, names: Any) -> exp.Select:
    """A key with too many rows loses all of them."""
    place = exp.Window(this=exp.Count(this=exp.Star()), partition_by=place.args["partition_by"])
    return HONEST(rows, place, limit, names)


HONEST = joins.keep_first
CROWD: Tables = {
    "posts": [write(who, 1, "a") for who in range(1, 5)],
    "comments": [write(who, 1, "x") for who in range(1, 5)],
}


def test_a_full_key_that_loses_all_its_rows_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = asked(joined([(1, 3), (1, 3)]))
    (declared,) = plan.sensitivity(Unit("add-remove", "id"))
    assert moves(plan, CROWD, without(1, CROWD), run)[0] <= declared.l1 == 6
    monkeypatch.setattr(joins, "keep_first", drop_full_keys)
    assert moves(plan, CROWD, without(1, CROWD), run)[0] == 9 > declared.l1


def keep_as_they_lie(
    rows: CompiledRelation, known: Any, keys: Sequence[exp.Column], caps: Truncation, dialect: Any
) -> exp.Select:
    place = exp.Window(this=exp.RowNumber(), partition_by=list(keys))
    return HONEST(rows.query, place, caps.max_rows_per_key)


def test_rows_in_another_order_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd: Tables = {
        "posts": [write(who, 1, "ab"[who > 15]) for who in range(1, 30)],
        "comments": [write(who, 1, "xy"[who > 15]) for who in range(1, 30)],
    }
    backwards = {name: rows[::-1] for name, rows in crowd.items()}
    plan = asked(joined([(2, 2), (2, 2)]), ["topic", "p.mood"])
    assert run(plan, crowd) == run(plan, backwards)
    monkeypatch.setattr(joins, "_truncate_side", keep_as_they_lie)
    assert run(plan, crowd) != run(plan, backwards)


def test_keys_that_are_ids_must_have_their_type() -> None:
    plan = asked(joined([(1, 1)] * 2, (("post", ""),)))
    known = (*POSTS.columns, *COMMENTS.columns)
    columns = {one.name: StoredColumn(one.name, one.type) for one in known}
    for wide in ("", "UHUGEINT"):  # an id of 128 bits does not fit beside a column of 64
        posts = StoredTable("t0", columns, StoredColumn("id", "integer"))
        comments = replace(
            posts, relation="t1", unit=StoredColumn("id", "integer", exact_type=wide)
        )
        with pytest.raises(Unsupported, match="different types") if wide else nullcontext():
            compile_plan(plan, {"posts": posts, "comments": comments}, DUCKDB)
