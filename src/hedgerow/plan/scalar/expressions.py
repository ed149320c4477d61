"""Expressions over the columns of a relation: a column, a constant, or a function from the closed
list in ``functions``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.values import Range, Type, Value, number_date

__all__ = [
    "Call",
    "ColumnRef",
    "Constant",
    "Expression",
    "count_nodes",
    "evaluate",
    "find_columns",
    "infer_range",
    "insert_casts",
    "substitute_columns",
]

_MAX_NODES: Final = 100_000


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """The value of a column."""

    column: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A value written in the question. Reals are doubles, as in the engines; NULL fits any type."""

    value: Value
    type: Type

    def __post_init__(self) -> None:
        value = self.value
        if self.type == "integer" and isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise Unsupported(
                "Integers have at most 64 bits. Write a larger number as a real, with a decimal"
                " point."
            )
        if self.type == "real" and isinstance(value, int | float):
            if not abs(value) <= sys.float_info.max:  # nor is NaN
                raise Unsupported("Reals must be finite. Write a number that fits a double.")
            object.__setattr__(self, "value", float(value) + 0.0)  # there is one zero

    @property
    def range(self) -> Range:
        """The range of the single value."""
        if self.value is None:
            return Range(self.type, values=())
        if self.type == "text" or self.type == "boolean":
            return Range(self.type, values=(self.value,), nullable=False)
        number = Fraction(number_date(self.value) if isinstance(self.value, date) else self.value)
        step = Fraction(1) if self.type == "integer" else None
        return Range(self.type, number, number, step, (self.value,), nullable=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function from the closed list."""

    function: str
    arguments: tuple[Expression, ...]


Expression = ColumnRef | Constant | Call


def infer_range(expression: Expression, columns: Mapping[str, Range]) -> Range:
    """Return the range of an expression; raise Unsupported if it is not well typed."""
    if isinstance(expression, ColumnRef):
        return columns[expression.column]
    if isinstance(expression, Constant):
        return expression.range
    return FUNCTIONS[expression.function].infer_range(
        [infer_range(argument, columns) for argument in expression.arguments]
    )


def evaluate(expression: Expression, row: Mapping[str, Value]) -> Value:
    """Return the value of an expression on one row: the reference for every engine."""
    if isinstance(expression, ColumnRef):
        return row[expression.column]
    if isinstance(expression, Constant):
        return expression.value
    function = FUNCTIONS[expression.function]
    values = [evaluate(argument, row) for argument in expression.arguments]
    if function.strict and any(value is None for value in values):
        return None
    value: Value = function.evaluate(*values)
    return value


def find_columns(expression: Expression) -> Iterator[str]:
    """Yield the columns that an expression reads."""
    waiting = [expression]  # nested generators would take a step at every level for each column
    while waiting:
        node = waiting.pop()
        if isinstance(node, ColumnRef):
            yield node.column
        elif isinstance(node, Call):
            waiting += reversed(node.arguments)


def substitute_columns(expression: Expression, columns: Mapping[str, Expression]) -> Expression:
    """Replace each column of an expression by its meaning."""
    if (
        count_nodes(expression)
        + sum(count_nodes(columns[name]) for name in find_columns(expression))
        > _MAX_NODES
    ):
        raise Unsupported(
            "This question is too long once its names are replaced by their expressions. Nest fewer"
            " named expressions."
        )
    return _substitute(expression, columns)


def _substitute(expression: Expression, columns: Mapping[str, Expression]) -> Expression:
    if isinstance(expression, ColumnRef):
        return columns[expression.column]
    if isinstance(expression, Call):
        return Call(
            expression.function,
            tuple(_substitute(argument, columns) for argument in expression.arguments),
        )
    return expression


def count_nodes(expression: Expression) -> int:
    """Return the number of nodes of an expression."""
    return 1 + sum(map(count_nodes, expression.arguments)) if isinstance(expression, Call) else 1


def insert_casts(expression: Expression, columns: Mapping[str, Range]) -> Expression:
    """Write out ``to real`` where an integer is chosen, or searched, among reals.

    The type of a chosen value is that of the whole expression; on a row where the reals are NULL,
    their values do not show it.
    """
    if not isinstance(expression, Call):
        return expression
    arguments = [insert_casts(argument, columns) for argument in expression.arguments]
    if expression.function in ("case", "coalesce", "in"):
        last = len(arguments) - 1
        picked = [
            i for i in range(last + 1) if expression.function != "case" or i % 2 == 1 or i == last
        ]
        types = {
            i: known.type
            for i in picked
            if (known := infer_range(arguments[i], columns)).values != ()
        }
        if "real" in types.values():
            arguments = [
                Call("to real", (x,)) if types.get(i) == "integer" else x
                for i, x in enumerate(arguments)
            ]
    return Call(expression.function, tuple(arguments))
