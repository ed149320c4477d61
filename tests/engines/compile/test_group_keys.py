"""Keys as codes: the same cells, and no text that has no code ever meets the cast."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
import sqlglot
from sqlglot import exp

from depth import many
from engines.helpers_comparison import Found, agreed, agreed_in, frames, schemas
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_builders import integer_literal
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.registry import attach_tables
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Join, Project, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

WORDS = ("", "a", "A", "B", "b ", "it's", "ß", "é", "e\u0301", "日本", "z" * 40, "NULL")
LISTED = Schema(
    "visits",
    (Column("pay", "integer", Fraction(-9), Fraction(9)), Column("kind", "text", values=WORDS)),
    "id",
)
OPEN = Schema(
    "visits", (Column("pay", "integer", Fraction(-9), Fraction(9)), Column("kind", "text")), "id"
)
MEASURES = (
    Measure("units"),
    Measure("rows"),
    Measure("total", "pay", ClampedGrid(Fraction(1), -9, 9)),
)
UPPER = Project(
    Table(OPEN), (("pay", ColumnRef("pay")), ("kind", Call("upper", (ColumnRef("kind"),))))
)


def by(rows: Table | Project, domain: tuple[Value, ...] | None, most: int = 2) -> Aggregate:
    return Aggregate(
        Group(Bound(rows, ("kind",), most, 2), None if domain is None else (domain,)), MEASURES
    )


PLANS = {
    "as read": by(Table(LISTED), WORDS),
    "some of those read": by(Table(LISTED), WORDS[:3]),
    "listed by the question": by(Table(OPEN), WORDS),
    "computed": by(UPPER, ("A", "B", "SS")),
    "one": by(Table(LISTED), ("é",)),
    "all groups count": by(Table(LISTED), WORDS, most=len(WORDS)),
}


def rows(random: Random) -> dict[str, list[dict[str, object]]]:
    """Of few people, in many groups, some of which are not on any list."""
    kinds = [*WORDS, "none of these", "nor this", None]
    return {
        "visits": [
            {
                "id": random.choice([1, 2, 3, None]),
                "pay": random.randint(-20, 20),
                "kind": random.choice(kinds),
            }
            for _ in range(random.randint(0, 60))
        ]
    }


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_codes_change_no_cell(plan: Aggregate) -> None:
    for seed in range(many(6)):
        assert agreed(plan, rows(Random(seed))).keys() <= {
            (word,) for word in (plan.source.domain or ((),))[0]
        }


PLACES = Schema("places", (Column("name", "text"), Column("size", "text", values=WORDS)), None)


def test_the_first_public_match_is_chosen_by_its_text() -> None:
    rows_beside = Join(
        Table(OPEN), Table(PLACES), (("kind", "name"),), (("size", "size"),), max_matches=1
    )
    plan = Aggregate(Group(Bound(rows_beside, ("size",), 2, 2), None), MEASURES)
    for seed in range(many(6)):
        random = Random(seed)
        places = [
            {"name": random.choice(WORDS), "size": random.choice([*WORDS, "none of these", None])}
            for _ in range(40)
        ]
        agreed(plan, {**rows(random), "places": places})
    alone = {
        "visits": [{"id": 1, "pay": 1, "kind": "a"}],
        "places": [{"name": "a", "size": size} for size in ("b ", "B", "é", None)],
    }
    assert agreed(plan, alone) == {("B",): (1, 1, 1)}


def test_equal_ranks_are_ordered_by_the_text() -> None:
    tied = Dialect(
        **{
            **{name: getattr(DUCKDB, name) for name in DUCKDB.__slots__},
            "build_rank": lambda _: integer_literal(0),
        }
    )
    found: list[Found] = [
        agreed_in(tied, lambda *_: 0, PLANS["as read"], rows(Random(seed)))
        for seed in range(many(6))
    ]
    assert any(cells for cells in found)


def casts(plan: Aggregate) -> list[exp.Expr]:
    """What is made a code."""
    session = DuckDBSession([], EngineLimits())
    catalogue = attach_tables(session, frames(schemas(plan), {"visits": []}), DUCKDB)
    main = compile_plan(plan, catalogue.stored_tables, DUCKDB).sums
    session.close()
    assert main is not None
    found = sqlglot.parse_one(main.sql, dialect="duckdb").find_all(exp.TryCast)
    return [node.this for node in found if node.to.this == exp.DataType.Type.ENUM]


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_unlisted_keys_are_dropped_before_they_are_encoded(plan: Aggregate) -> None:
    # DuckDB compares every word of the list with text that has no code, for the message of an error
    # that nobody reads.
    (value,) = casts(plan)
    within = value.find_ancestor(exp.Select)
    assert isinstance(value, exp.Column)
    assert within is not None
    condition = within.args["where"].this
    # x IN (…), or NOT x IS NULL of what was read so
    there = condition.this if isinstance(condition, exp.In) else condition.this.this
    assert there == value


def test_long_lists_and_open_ones_stay_text() -> None:
    words = tuple(map(str, range(300)))
    assert casts(by(Table(OPEN), words)) == casts(by(Table(OPEN), None)) == []
    assert len(casts(by(Table(OPEN), words[:256]))) == 1
    table = {"visits": [{"id": i % 7, "pay": 1, "kind": str(i)} for i in range(320)]}
    assert sum(cells[0] for cells in agreed(by(Table(OPEN), words), table).values()) == 14
