"""Groups that WHERE rules out are left out, and no others."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.plan.nodes import Filter, Project, Table
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    evaluate,
    infer_range,
)
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import Unit
from hedgerow.sql.predicates.domain_narrowing import (
    can_be_null,
    find_contradiction,
    list_possible_values,
    narrow_domain,
    split_conjuncts,
)
from sql.fixtures import ask

FIRST = date(2025, 11, 20)
DAYS = tuple(FIRST + timedelta(days=n) for n in range(0, 120, 3))
COLUMNS = (
    Column("a", "integer", Fraction(0), Fraction(6)),
    Column("b", "integer", Fraction(-2), Fraction(2)),
    Column("big", "integer", Fraction(0), Fraction(50_000)),
    Column("d", "date", Fraction(FIRST.toordinal()), Fraction(FIRST.toordinal() + 119)),
)
TABLE = Table(Schema("t", COLUMNS, "who"))
ROWS = [
    {"a": a, "b": b, "big": big, "d": d}
    for a, b, big, d in zip(
        [*range(7), None] * 10,
        [-2, 0, 1, 2, None] * 16,
        [0, 7, 49_999, 50_000, None] * 16,
        [*DAYS, *reversed(DAYS)],
        strict=True,
    )
]
KEYS = {
    "a": ColumnRef("a"),
    "a + b": Call("+", (ColumnRef("a"), ColumnRef("b"))),
    "big % 5": Call("%", (ColumnRef("big"), Constant(5, "integer"))),
    "month": Call("start of month", (ColumnRef("d"),)),
    "year": Call("year", (ColumnRef("d"),)),
}


@st.composite
def conditions(draw: st.DrawFn) -> Expression:
    if draw(st.integers(0, 3)) == 0:
        parts = tuple(draw(st.lists(conditions(), min_size=2, max_size=3)))
        return Call(draw(st.sampled_from(("and", "or"))), parts)
    sign = draw(st.sampled_from(("=", "<>", "<", "<=", ">", ">=")))
    subject: Expression = draw(
        st.sampled_from(
            [
                *KEYS.values(),
                ColumnRef("b"),
                ColumnRef("big"),
                Call("quarter", (ColumnRef("d"),)),
                ColumnRef("d"),
            ]
        )
    )
    dated = infer_range(subject, TABLE.columns).type == "date"
    value: Value = (
        draw(st.sampled_from(DAYS))
        if dated
        else draw(st.sampled_from([-1, 0, 1, 3, 4, 12, 2025, 2026, 49_999]))
    )
    pair = (subject, Constant(value, "date" if dated else "integer"))
    found = Call(sign, pair if draw(st.booleans()) else pair[::-1])
    return Call("not", (found,)) if draw(st.integers(0, 5)) == 0 else found


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.lists(conditions(), min_size=1, max_size=3), st.sampled_from(sorted(KEYS)))
def test_no_group_with_a_row_is_left_out(tests: list[Expression], name: str) -> None:
    key, rows = KEYS[name], TABLE
    every = list_possible_values(key, TABLE.columns, 1000) or set(
        infer_range(key, TABLE.columns).domain(1000) or ()
    )
    domain = tuple(sorted(every))  # type: ignore[type-var]
    for test in tests:
        rows = Filter(rows, test)  # type: ignore[assignment]
    kept = narrow_domain(Project(rows, (("k", key),)), ColumnRef("k"), domain, 1000)
    there = {
        evaluate(key, row) for row in ROWS if all(evaluate(test, row) is True for test in tests)
    } - {None}
    assert there <= set(kept) <= set(domain)
    assert not any(
        find_contradiction(test, TABLE.columns) and any(evaluate(test, row) is True for row in ROWS)
        for test in tests
    )


def values(sql: str) -> list[object]:
    domain = ask(sql).plan.source.domain
    assert domain is not None
    return list(domain[0])


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT age, COUNT(*) FROM visits WHERE age BETWEEN 60 AND 63 GROUP BY age",
            [60, 61, 62, 63],
        ),
        (
            (
                "SELECT age, COUNT(*) FROM visits WHERE age > 105 AND age < 109 AND age <> 107"
                " GROUP BY age"
            ),
            [106, 108],
        ),
        (
            "SELECT region, COUNT(*) FROM visits WHERE region <> 'west' GROUP BY region",
            ["east", "north", "south"],
        ),
        (
            (
                "SELECT DATE_TRUNC('month', taken), COUNT(*) FROM labs WHERE taken >= '2026-03-15'"
                " AND taken < '2026-05-01' GROUP BY 1"
            ),
            [date(2026, 3, 1), date(2026, 4, 1)],
        ),
        (
            (
                "SELECT age, COUNT(*) FROM visits JOIN labs USING (patient_id) WHERE age > 108"
                " GROUP BY age"
            ),
            [109, 110],
        ),
    ],
)
def test_the_groups_are_those_asked_for(sql: str, expected: list[object]) -> None:
    assert values(sql) == expected


def test_two_ways_to_write_one_range_of_keys_have_the_same_groups() -> None:
    one, two = "age >= 60 AND age <= 63", "age IN (60, 61, 62, 63)"
    assert (
        len(
            {
                tuple(values(f"SELECT age, COUNT(*) FROM visits WHERE {where} GROUP BY age"))
                for where in (one, two)
            }
        )
        == 1
    )


def test_fewer_groups_never_move_further() -> None:
    sql = "SELECT region, COUNT(*) FROM visits {} GROUP BY region"
    wide, narrow = (ask(sql.format(where)).plan for where in ("", "WHERE region = 'north'"))
    unit = Unit("add-remove", "patient_id")
    assert narrow.sensitivity(unit)[0].l1 <= wide.sensitivity(unit)[0].l1


@pytest.mark.parametrize(
    ("where", "missing"),
    [
        ("age > 3", True),
        ("region <> 'west'", False),
        ("region = 'west' OR (region IN ('east') AND smoker)", False),
        ("'west' = region AND (smoker OR region = 'west')", False),
        ("region = 'west' OR smoker", True),
        ("region IS NULL OR region = 'west'", True),
    ],
)
def test_where_the_values_of_a_key_are_listed_none_is_missing(where: str, missing: bool) -> None:
    bound = ask(f"SELECT region, COUNT(*) FROM visits WHERE {where} GROUP BY region").plan.bound
    assert can_be_null(bound.source, ColumnRef(bound.keys[0])) is missing


def test_a_logarithm_is_not_tried() -> None:
    assert list_possible_values(Call("ln", (ColumnRef("a"),)), TABLE.columns, 1000) is None
    assert list(split_conjuncts(ColumnRef("x"))) == [ColumnRef("x")]
