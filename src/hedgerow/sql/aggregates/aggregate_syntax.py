"""Aggregate calls as written, before binding."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sqlglot import exp

from hedgerow.sql.question import AggregateFunction
from hedgerow.sql.syntax.named_arguments import NamedArguments

__all__ = ["AggregateSyntax"]


@dataclass(frozen=True, slots=True)
class AggregateSyntax:
    """An aggregate call in the syntax tree.

    ``node`` is the whole call, for messages, and ``name`` the function as written. COUNT(*) has no
    arguments. ``conditions`` come from FILTER and COUNT_IF; ``probability`` is the fraction of a
    quantile.
    """

    node: exp.Expr
    name: str
    function: AggregateFunction
    arguments: tuple[exp.Expr, ...] = ()
    distinct: bool = False
    conditions: tuple[exp.Expr, ...] = ()
    probability: Fraction | None = None
    named_arguments: NamedArguments = field(default_factory=NamedArguments)
