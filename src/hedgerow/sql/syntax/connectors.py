"""Chains of AND and OR in the parser's tree."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

__all__ = ["split_connector"]


def split_connector(node: exp.Expr, kind: type[exp.Connector] = exp.And) -> Iterator[exp.Expr]:
    """Yield the parts of a AND b AND c in order, without recursion: such chains are long."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        inner = part.unnest()
        if type(inner) is kind:
            waiting += [inner.expression, inner.this]
        else:
            yield part
