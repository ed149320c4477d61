"""Chains of one operator in the syntax tree, such as a AND b AND c."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

__all__ = ["split_chain"]


def split_chain(
    node: exp.Expr, kind: type[exp.Binary] = exp.And, *, unnest: bool = True
) -> Iterator[exp.Expr]:
    """Yield the operands of a chain in order, without recursion: chains may be long.

    With ``unnest`` the chain continues through parentheses.
    """
    waiting = [node]
    while waiting:
        part = waiting.pop()
        inner = part.unnest() if unnest else part
        if type(inner) is kind:
            waiting += [inner.expression, inner.this]
        else:
            yield part
