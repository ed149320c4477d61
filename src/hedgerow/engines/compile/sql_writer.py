"""The only way from a syntax tree to the SQL text that an engine runs.

The dialect first rewrites the tree into constructs of its engine. After that, every text in it must
be a value (written in single quotes), a name (in double quotes) or a word of a closed list. A tree
with any other text is refused: this is the last barrier against a mistake in code that builds
trees.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.errors import InvalidArgument

__all__ = ["find_unsafe_leaves", "render_sql"]

_ALLOWED_JOINS: Final = frozenset(("INNER", "LEFT"))
_NUMBER_LITERAL: Final = re.compile(r"[0-9]+")


def render_sql(tree: exp.Expr, dialect: Dialect) -> str:
    """Render a tree as SQL, after checking that every text in it is quoted or listed."""
    written = dialect.rewrite(tree)
    for node, part in find_unsafe_leaves(written, dialect.functions):
        raise InvalidArgument(
            "tree", f"must not contain unquoted text in {part} of {type(node).__name__}"
        )
    return written.sql(dialect=dialect.grammar, comments=False, copy=False)


def find_unsafe_leaves(
    tree: exp.Expr, functions: Collection[str]
) -> Iterator[tuple[exp.Expr, str]]:
    """Find the parts of a tree that could be written as something other than they are."""
    for node in tree.walk():
        for part, value in node.args.items():
            for leaf in value if isinstance(value, list) else (value,):
                if not isinstance(leaf, exp.Expr | bool | None) and not _is_safe_leaf(
                    node, part, leaf, functions
                ):
                    yield node, part


def _is_safe_leaf(node: exp.Expr, part: str, leaf: object, functions: Collection[str]) -> bool:
    kind = type(node)
    if isinstance(leaf, exp.DType):
        return part == "this" and kind is exp.DataType
    if not isinstance(leaf, str):
        return False
    if part == "this" and kind is exp.Identifier:
        return node.args.get("quoted") is True
    if part == "this" and kind is exp.Literal:
        return node.args.get("is_string") is True or _NUMBER_LITERAL.fullmatch(leaf) is not None
    if part == "this" and kind is exp.Anonymous:
        return leaf in functions
    return part in ("kind", "side") and kind is exp.Join and leaf in _ALLOWED_JOINS
