"""An aggregate as it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sqlglot import exp

from hedgerow.sql.question import AggregateFunction
from hedgerow.sql.syntax.named_arguments import NamedArguments

__all__ = ["AggregateSyntax"]


@dataclass(frozen=True, slots=True)
class AggregateSyntax:
    """``node`` is all of it, for messages, and ``name`` what it is called there. COUNT(*) has no
    arguments. ``conditions`` are those of FILTER and COUNT_IF, ``at`` is the share of a quantile.
    """

    node: exp.Expr
    name: str
    function: AggregateFunction
    arguments: tuple[exp.Expr, ...] = ()
    distinct: bool = False
    conditions: tuple[exp.Expr, ...] = ()
    probability: Fraction | None = None
    named_arguments: NamedArguments = field(default_factory=NamedArguments)
