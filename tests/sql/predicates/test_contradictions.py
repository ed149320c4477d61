"""Conditions that no row can meet."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings

from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    evaluate,
    infer_range,
    insert_casts,
)
from hedgerow.plan.values import Range
from hedgerow.sql.predicates.contradictions import find_contradiction, find_undeclared_value
from sql.predicates.helpers_conditions import ROWS, TABLE, conditions


@settings(max_examples=100, derandomize=True, deadline=None)
@given(conditions())
def test_a_satisfiable_condition_is_not_called_a_contradiction(condition: Expression) -> None:
    if any(evaluate(condition, row) is True for row in ROWS):
        assert find_contradiction(condition, TABLE.columns) is None


def test_a_value_beyond_the_bounds_is_a_contradiction() -> None:
    age = ColumnRef("age")
    known = Range("integer", Fraction(0), Fraction(110), Fraction(1))
    above = Call(">", (age, Constant(110, "integer")))
    assert find_contradiction(above, {"age": known}) == (age, known)
    assert find_contradiction(Call(">=", above.arguments), {"age": known}) is None


def test_reals_are_compared_as_they_are_clamped_and_rounded() -> None:
    x, ranges = ColumnRef("x"), {"x": Range("real", Fraction(0), Fraction(1, 10), Fraction(1, 10))}
    end = Constant(0.1, "real")  # as a double it is above 1/10
    for word in ("=", ">=", "in"):
        assert find_contradiction(Call(word, (x, end)), ranges) is None
    assert find_contradiction(Call(">", (x, end)), ranges) == (x, ranges["x"])
    total = Call("+", (x, Constant(0.2, "real")))  # 0.30000000000000004 in doubles
    rounded = Call("ceil", (Call("*", (total, Constant(10, "integer"))),))
    for computed, value in ((total, 0.1 + 0.2), (rounded, 4)):
        known = infer_range(computed, ranges)
        condition = Call(">=", (computed, Constant(value, known.type)))
        assert evaluate(insert_casts(condition, ranges), {"x": 0.1}) is True
        assert find_contradiction(condition, ranges) is None


def test_a_value_of_a_list_that_is_not_declared_is_found() -> None:
    region, known = ColumnRef("region"), Range("text", values=("north", "south"))
    listed = Call("in", (region, Constant("north", "text"), Constant("nord", "text")))
    assert find_undeclared_value(listed, {"region": known}) == (region, known, "nord")
    assert find_undeclared_value(listed, {"region": Range("text")}) is None
