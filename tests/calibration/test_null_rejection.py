"""Conditions that drop every row with a NULL in a column."""

from __future__ import annotations

import pytest

from hedgerow.calibration.null_rejection import is_never_null
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Project, RelationNode, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from plan import trees

I, T, TWO = ColumnRef("i"), ColumnRef("t"), Constant(2, "integer")  # noqa: E741
ABOVE_TWO, IS_NULL = Call(">", (I, TWO)), Call("is null", (I,))


def counted(key: Expression, condition: Expression | None) -> Aggregate:
    table = Table(trees.SCHEMA)
    source: RelationNode = table if condition is None else Filter(table, condition)
    bound = Bound(Project(source, (("k", key),)), ("k",), 1, 1)
    return Aggregate(Group(bound, None), (Measure("rows"),))


@pytest.mark.parametrize(
    ("condition", "rejects"),
    [
        (Call("not", (IS_NULL,)), True),
        (ABOVE_TWO, True),
        (Call("or", (ABOVE_TWO, IS_NULL)), False),
        (Call("=", (T, Constant("a", "text"))), False),
        (None, False),
    ],
)
def test_a_condition_that_needs_a_value_rejects_nulls(
    condition: Expression | None, rejects: bool
) -> None:
    assert is_never_null(counted(I, condition), "k") is rejects


def test_only_a_plain_column_is_recognised() -> None:
    assert not is_never_null(counted(Call("+", (I, TWO)), ABOVE_TWO), "k")


def test_a_plan_without_a_projection_rejects_nothing() -> None:
    bound = Bound(Table(trees.SCHEMA), ("i",), 1, 1)
    assert not is_never_null(Aggregate(Group(bound, None), (Measure("rows"),)), "i")
