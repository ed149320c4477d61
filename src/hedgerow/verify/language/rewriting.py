"""Rewriting of programs: a function applied to every block or every expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Output,
    Sample,
    Statement,
    While,
)

__all__ = ["map_blocks", "map_expressions", "split_conjuncts"]


def map_blocks(statement: Statement, change: Callable[[Block], Block]) -> Statement:
    """Return the statement with each of its direct blocks changed, in source order."""
    match statement:
        case If(condition, then, otherwise, place):
            return If(condition, change(then), change(otherwise), place)
        case While(condition, body, place):
            return While(condition, change(body), place)
        case _:
            return statement


def map_expressions(block: Block, change: Callable[[Expression], Expression]) -> Block:
    """Return the block with each of its top-level expressions changed."""

    def rewrite(statement: Statement) -> Statement:
        match statement:
            case Assign() | Output():
                return replace(statement, value=change(statement.value))
            case Sample():
                return replace(statement, parameters=tuple(map(change, statement.parameters)))
            case If() | While():
                return replace(statement, condition=change(statement.condition))

    return tuple(
        map_blocks(rewrite(one), lambda inner: map_expressions(inner, change)) for one in block
    )


def split_conjuncts(expression: Expression) -> list[Expression]:
    """Return the operands of nested ``and``."""
    if isinstance(expression, Apply) and expression.operator == "and":
        return [part for one in expression.arguments for part in split_conjuncts(one)]
    return [expression]
