"""Expressions: ranges, values, and what is written out."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    count_nodes,
    evaluate,
    find_columns,
    infer_range,
    insert_casts,
    substitute_columns,
)
from hedgerow.plan.values import Range

ONE = Fraction(1)
N, R = ColumnRef("n"), ColumnRef("r")
KNOWN = {"n": Range("integer"), "r": Range("real"), "b": Range("boolean")}


def test_a_constant_is_its_own_range() -> None:
    day = date(2020, 1, 1)
    assert Constant(None, "text").range == Range("text", values=())
    assert Constant("a", "text").range == Range("text", values=("a",), nullable=False)
    assert Constant(True, "boolean").range == Range("boolean", values=(True,), nullable=False)
    assert Constant(1, "integer").range == Range("integer", ONE, ONE, ONE, (1,), nullable=False)
    assert Constant(1, "real").range == Range("real", ONE, ONE, None, (1.0,), nullable=False)
    ordinal = Fraction(day.toordinal())
    assert Constant(day, "date").range == Range(
        "date", ordinal, ordinal, None, (day,), nullable=False
    )


def test_constants_must_fit_the_engine() -> None:
    assert isinstance(Constant(1, "real").value, float)
    assert str(Constant(-0.0, "real").value) == "0.0"
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(Unsupported, match="64 bits"):
            Constant(value, "integer")
    for real in (float("inf"), float("nan"), 10**400):
        with pytest.raises(Unsupported, match="finite"):
            Constant(real, "real")


def test_values_ranges_and_reads() -> None:
    expression = Call("+", (N, Call("*", (Constant(2, "integer"), N))))
    assert evaluate(expression, {"n": 3}) == 9
    assert evaluate(expression, {"n": None}) is None
    assert infer_range(expression, {"n": Range("integer", ONE, Fraction(2), ONE)}) == Range(
        "integer", Fraction(3), Fraction(6), ONE
    )
    assert list(find_columns(expression)) == ["n", "n"]
    assert count_nodes(expression) == 5


def test_replaced() -> None:
    assert substitute_columns(
        Call("+", (N, Constant(1, "integer"))), {"n": Call("abs", (R,))}
    ) == Call("+", (Call("abs", (R,)), Constant(1, "integer")))


def test_names_of_names_do_not_grow_without_end() -> None:
    expression: Expression = N
    for _ in range(15):
        expression = substitute_columns(Call("+", (N, N)), {"n": expression})
    assert count_nodes(expression) == 2**16 - 1
    with pytest.raises(Unsupported, match="too long"):
        substitute_columns(Call("+", (N, N)), {"n": expression})


def test_typed_writes_out_the_reals() -> None:
    to_real = Call("to real", (N,))
    null = Constant(None, "integer")
    assert insert_casts(Call("coalesce", (N, R)), KNOWN) == Call("coalesce", (to_real, R))
    assert insert_casts(Call("case", (ColumnRef("b"), N, R)), KNOWN) == Call(
        "case", (ColumnRef("b"), to_real, R)
    )
    assert insert_casts(Call("abs", (Call("in", (N, R, null)),)), KNOWN) == Call(
        "abs", (Call("in", (to_real, R, null)),)
    )
    for same in (
        Call("coalesce", (N, N)),
        Call("coalesce", (R, R)),
        Call("coalesce", (N, Constant(None, "real"))),
        Call("=", (N, R)),
        N,
    ):
        assert insert_casts(same, KNOWN) == same
