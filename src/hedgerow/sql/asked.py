"""An aggregate as it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sqlglot import exp

from hedgerow.sql.named import Arguments
from hedgerow.sql.question import Function

__all__ = ["Asked"]


@dataclass(frozen=True, slots=True)
class Asked:
    """``node`` is all of it, for messages, and ``name`` what it is called there. COUNT(*) has no arguments. ``conditions`` are those of
    FILTER and COUNT_IF, ``at`` is the share of a quantile."""

    node: exp.Expr
    name: str
    function: Function
    arguments: tuple[exp.Expr, ...] = ()
    distinct: bool = False
    conditions: tuple[exp.Expr, ...] = ()
    at: Fraction | None = None
    named: Arguments = field(default_factory=Arguments)
