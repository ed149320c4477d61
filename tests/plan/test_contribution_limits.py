"""Public bounds on the units of a plan."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from answers.consistency.test_additivity import CAPPED, ROWS, catalog
from hedgerow.plan.contribution_limits import (
    MAX_TABLE_ROWS,
    can_exceed_group_bound,
    can_exceed_row_bound,
    compute_max_rows_per_unit,
    compute_max_units,
    compute_rounding_loss,
)
from hedgerow.plan.measures import ClampedGrid, Measure, Truncation
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.parser import parse_question
from plan import meetings

SCHEMA = Schema("t", (Column("x", "integer"),), "id", max_units=1000)
SNAP = ClampedGrid(Fraction(1), 0, 9)


def asked(rows: RelationNode, most: int, *measures: Measure | OrderStatistic) -> Aggregate:
    return Aggregate(Group(Bound(rows, (), 1, most)), measures or (Measure("rows"),))


@pytest.mark.parametrize(
    ("source", "most"),
    [
        ("t", None),
        ("(SELECT id, COUNT(*) AS n FROM t GROUP BY id) AS u", 1),
        ("(SELECT id, a, COUNT(*) AS n FROM t GROUP BY id, a) AS u", 3),
        ("(SELECT id, a, b FROM t GROUP BY id, a, b) AS u", 9),
        ("(SELECT id, free FROM t GROUP BY id, free) AS u", None),
        (
            (
                "(SELECT id, a FROM t GROUP BY id, a UNION ALL SELECT id, a FROM t GROUP BY id, a)"
                " AS u"
            ),
            6,
        ),
        ("(SELECT id, a FROM t GROUP BY id, a UNION ALL SELECT id, a FROM t) AS u", None),
        ("(SELECT id, a, MIN(v) AS v FROM t GROUP BY id, a) AS u JOIN listed l ON l.a = u.a", None),
        (
            (
                "(SELECT id, a FROM t GROUP BY id, a) AS p JOIN (SELECT id, b FROM t GROUP BY id,"
                " b) AS q ON p.id = q.id"
            ),
            9,
        ),
        ("t AS p JOIN (SELECT id, b FROM t GROUP BY id, b) AS q ON p.id = q.id", None),
    ],
)
def test_bounds_on_the_rows_of_a_unit(source: str, most: int | None) -> None:
    assert (
        compute_max_rows_per_unit(
            parse_question(f"SELECT COUNT(*) FROM {source}", CAPPED).plan.bound.source
        )
        == most
    )
    assert (
        compute_max_rows_per_unit(parse_question("SELECT COUNT(*) FROM t", ROWS).plan.bound.source)
        == 1
    )


def test_partners_multiply_rows() -> None:
    joined = "(SELECT id, a, MIN(v) AS v FROM t GROUP BY id, a) AS u JOIN listed l ON l.a = u.a"
    above = parse_question(f"SELECT COUNT(*) FROM {joined}", CAPPED).plan.bound.source
    assert isinstance(above, Project)
    assert isinstance(above.source, Join)
    assert compute_max_rows_per_unit(replace(above.source, max_matches=2)) == 6


def test_bounds_on_the_number_of_units() -> None:
    table = Table(SCHEMA)
    assert compute_max_units(table) == 1000
    assert compute_max_units(Table(replace(SCHEMA, max_units=None))) == MAX_TABLE_ROWS
    assert compute_max_units(Filter(table, Call("is null", (ColumnRef("x"),)))) == 1000
    assert (
        compute_max_units(Union((table, Table(replace(SCHEMA, table="u", max_units=50))))) == 1050
    )
    beside = Join(table, Table(replace(SCHEMA, table="u", max_units=5)), (("x", "x"),), ())
    assert compute_max_units(beside) == 1000


def test_row_bounds_bind_and_rounding_loss_is_computed() -> None:
    total, picked = Measure("total", "x", SNAP), OrderStatistic("least", "x", SNAP)
    plan = asked(
        Table(SCHEMA), 3, Measure("units"), Measure("rows"), total, Measure("values", "x"), picked
    )
    assert can_exceed_row_bound(plan)
    assert compute_rounding_loss(plan) == (0, 0, 1000, 1000, 0)
    assert not can_exceed_row_bound(asked(Table(SCHEMA), MAX_TABLE_ROWS))
    assert compute_rounding_loss(asked(Table(SCHEMA), MAX_TABLE_ROWS, total)) == (0,)
    assert not can_exceed_row_bound(asked(Table(replace(SCHEMA, unit="row")), 1))
    folded = parse_question(
        "SELECT COUNT(*) FROM (SELECT id, a, COUNT(*) AS n FROM t GROUP BY id, a) AS u", CAPPED
    ).plan
    assert [
        can_exceed_row_bound(replace(folded, source=Group(replace(folded.bound, max_rows=most))))
        for most in (2, 3)
    ] == [True, False]


def test_rounding_loss_grows_with_references() -> None:
    plan = meetings.asked((), (Measure("values", "cost"),), bonds=3, rows=2, most=2)
    assert compute_rounding_loss(plan) == (3 * MAX_TABLE_ROWS,)


@pytest.mark.parametrize(
    ("source", "groups", "left_out"),
    [
        ("t GROUP BY a", 1, True),
        ("t GROUP BY a", 2, False),
        ("t GROUP BY free", 5, True),
        ("t", 1, False),
        ("(SELECT id, MIN(v) AS a FROM t GROUP BY id) AS u GROUP BY a", 1, False),
    ],
)
def test_questions_that_can_exceed_the_group_bound_are_recognised(
    source: str, groups: int, left_out: bool
) -> None:
    plan = parse_question(f"SELECT COUNT(*) FROM {source}", catalog("id", groups, 1)).plan
    assert can_exceed_group_bound(plan) is left_out


def test_a_join_across_units_has_at_most_the_rows_that_meet() -> None:
    side = Table(Schema("t", (Column("x", "integer"),), "id", max_units=10))
    caps = (Truncation(2, 3), Truncation(4, 5))
    join = Join(side, side, (("x", "x"),), (), truncations=caps)
    assert compute_max_units(join) == 10 * 2 * 5
    assert compute_max_rows_per_unit(join) == 1
