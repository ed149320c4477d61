"""Simple expressions mean what the written ones mean, on every row; and what differs stays
different.
"""

from __future__ import annotations

from datetime import date
from random import Random

import pytest

from hedgerow.plan.canonical_expressions import encode_expression, simplify
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    evaluate,
    infer_range,
    insert_casts,
)
from hedgerow.plan.values import Type, Value
from plan import trees


def c(function: str, *arguments: Expression | Value) -> Expression:
    return Call(
        function,
        tuple(a if isinstance(a, ColumnRef | Constant | Call) else k(a) for a in arguments),
    )


def k(value: Value, type_: Type | None = None) -> Constant:
    kinds: list[tuple[type, Type]] = [
        (bool, "boolean"),
        (int, "integer"),
        (float, "real"),
        (str, "text"),
        (date, "date"),
    ]
    return Constant(value, type_ or next(name for kind, name in kinds if isinstance(value, kind)))


N, H, J, R, Q, S, U, B, C = (ColumnRef(name) for name in "ihjrqsubc")
NULL = k(None, "integer")


def test_same_value_and_type_on_every_row() -> None:
    changed = 0
    for example in range(600):
        random = Random(example)
        expression = trees.expression(random)
        short = simplify(expression, trees.RANGES)
        changed += short != expression
        assert (
            infer_range(short, trees.RANGES).type == infer_range(expression, trees.RANGES).type
        ), example
        for _ in range(6):
            row = trees.row(random)
            before, after = (
                evaluate(insert_casts(expression, trees.RANGES), row),
                evaluate(insert_casts(short, trees.RANGES), row),
            )
            assert (type(before), before) == (type(after), after), (example, row)
    assert changed > 250


SAME = [
    (c("<", 5, N), c(">", N, 5)),
    (c("<", N, 3), c("<=", N, 2)),
    (c(">", N, 2), c("not", c("<", N, 3))),
    (c("<", R, 3), c(">", 3.0, R)),
    (c("not", c("<", R, S)), c("<=", S, R)),
    (c("not", c("not", B)), B),
    (c("not", c("and", B, c("=", N, 1))), c("or", c("<>", N, 1), c("not", B))),
    (c("and", B, c("and", C, B)), c("and", C, B)),
    (c("or", c("or", B, C), c("or", C, B)), c("or", B, C)),
    (c("and", B, True), B),
    (c("or", B, False), B),
    (c("and", B, False), k(False)),
    (c("or", B, True), k(True)),
    (c("and", True, True), k(True)),
    (
        c("and", B, c("not", c("in", N, 1, 2)), c("<>", N, 3)),
        c("and", c("not", c("in", N, 3, 2, 1)), B),
    ),
    (c("or", c("=", N, 1), c("in", N, 3, 2)), c("in", N, 1, 2, 3, 1)),
    (c("or", c("=", N, 1), c("=", 1, N)), c("=", N, 1)),
    (c("in", N, 1), c("=", 1, N)),
    (c("in", N, 1, 1), c("=", 1, N)),
    (c("in", N, 2.5, 1), c("in", N, 1.0, 2.5)),
    (c("in", N, NULL, NULL), k(None, "boolean")),
    (c("in", NULL, N, J), k(None, "boolean")),
    (c("not", c("in", N, 1)), c("<>", N, 1)),
    (c("not", c("is null", N)), c("not", c("is null", N))),
    (c("not", k(None, "boolean")), k(None, "boolean")),
    (c("=", B, True), B),
    (c("<>", B, True), c("not", B)),
    (c("<>", False, B), B),
    (c("+", N, 0), N),
    (c("+", 0, N), N),
    (c("-", R, 0), R),
    (c("*", 1, R), R),
    (c("*", R, N), c("*", N, R)),
    (c("+", N, c("+", 1, 1)), c("+", 2, N)),
    (c("negate", c("negate", N)), N),
    (c("floor", N), N),
    (c("to real", R), R),
    (c("like", U, "a"), c("=", "a", U)),
    (c("/", 1, 0), k(None, "real")),
    (c("+", N, c("nullif", 5, 5)), k(None, "integer")),
    (c("case", B, N, N), N),
    (c("case", B, N, C, J, J), c("case", B, N, J)),
    (c("case", k(None, "boolean"), N, B, 1, False, J, 2), c("case", B, 1, 2)),
    (c("case", B, N, True, J, C, 1, 2), c("case", B, N, J)),
    (c("case", True, N, R), c("to real", N)),
    (c("case", B, k(None, "integer"), U), c("case", B, k(None, "text"), U)),
    (c("coalesce", N), N),
    (c("coalesce", c("coalesce", N, J), NULL, N, 3, J), c("coalesce", N, J, 3)),
    (c("coalesce", 3, R), k(3.0)),
    (c("nullif", N, NULL), N),
    (c("year", date(2020, 2, 3)), k(2020)),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_form_for_one_meaning(one: Expression, other: Expression) -> None:
    assert simplify(one, trees.RANGES) == simplify(other, trees.RANGES)


DIFFERENT = [
    (c("<", N, 3), c("<=", N, 3)),
    (c("<", R, 3), c("<=", R, 2)),
    (c("<", J, -(2**63)), c("<=", J, -(2**63))),
    (c("not", B), B),
    (c("is null", B), c("not", B)),
    (c("and", B, k(None, "boolean")), B),
    (c("and", B, k(None, "boolean")), k(False)),
    (c("in", N, 1, NULL), c("in", N, 1, 2)),
    (c("in", N, 1, NULL), c("=", N, 1)),
    (c("or", c("=", J, 2**53 + 1), c("=", J, 0.5)), c("in", J, 2**53 + 1, 0.5)),
    (c("or", c("=", N, 1), c("=", J, 2)), c("or", c("=", N, 2), c("=", J, 1))),
    (c("and", c("<>", N, 1), c("<>", N, 2)), c("or", c("<>", N, 1), c("<>", N, 2))),
    (c("or", B, c("not", B)), k(True)),
    (c("=", N, N), k(True)),
    (c("+", N, 0.0), N),
    (c("*", N, 1.0), N),
    (c("-", 0, N), N),
    (c("-", N, H), c("-", H, N)),
    (c("/", N, 1), N),
    (c("+", c("+", R, 0.1), 0.2), c("+", R, c("+", 0.1, 0.2))),
    (c("floor", R), R),
    (c("to real", N), N),
    (c("like", U, "a%"), c("=", U, "a%")),
    (c("case", B, N, J), c("case", B, J, N)),
    (c("case", B, True, False), B),
    (c("case", B, N, C, J, 0), c("case", C, J, B, N, 0)),
    (c("coalesce", N, J), c("coalesce", J, N)),
    (c("coalesce", R, 3, N), c("coalesce", R, N, 3)),
    (c("nullif", N, J), c("nullif", J, N)),
    (k(1), k(1.0)),
    (k("1"), k(1)),
    (k(True), k("True")),
    (ColumnRef("constant"), k("constant")),
    (c("least", R, Q), c("greatest", R, Q)),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_expressions_stay_different(one: Expression, other: Expression) -> None:
    known = trees.RANGES | {"constant": trees.RANGES["u"]}
    assert encode_expression(simplify(one, known)) != encode_expression(simplify(other, known))


def test_infinite_constants_are_not_folded() -> None:
    assert simplify(c("/", 1.0, c("case", True, 5e-324, -1.0)), trees.RANGES) == c("/", 1.0, 5e-324)
    assert simplify(c("/", 1.0, c("case", True, 0.5, -1.0)), trees.RANGES) == k(2.0)


def test_long_chains_are_flat() -> None:
    chain: Expression = c("=", N, 0)
    for n in range(1, 200):
        chain = c("or", chain, c("=", N, n))
    assert simplify(chain, trees.RANGES) == c("in", N, *sorted(range(200), key=str))
