"""Rewriting of programs: a function applied to every expression of a block."""

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

__all__ = ["map_expressions", "split_conjuncts"]


def map_expressions(block: Block, change: Callable[[Expression], Expression]) -> Block:
    """Return the block with each of its top-level expressions changed."""

    def rewrite(statement: Statement) -> Statement:
        match statement:
            case Assign() | Output():
                return replace(statement, value=change(statement.value))
            case Sample():
                return replace(statement, parameters=tuple(map(change, statement.parameters)))
            case If(condition, then, otherwise, place):
                then, otherwise = (map_expressions(one, change) for one in (then, otherwise))
                return If(change(condition), then, otherwise, place)
            case While(condition, body, place):
                return While(change(condition), map_expressions(body, change), place)

    return tuple(map(rewrite, block))


def split_conjuncts(expression: Expression) -> list[Expression]:
    """Return the operands of nested ``and``."""
    if isinstance(expression, Apply) and expression.operator == "and":
        return [part for one in expression.arguments for part in split_conjuncts(one)]
    return [expression]
