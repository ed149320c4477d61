"""A small table, keys over it, and random conditions on its rows."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

from hypothesis import strategies as st

from hedgerow.plan.nodes import Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, infer_range
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

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
