"""Rules for grouping sets, joined text, ANY and ALL over public tables: from syntax nodes to
fragments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.public_tables.expressions import (
    UNSUPPORTED_SYNTAX,
    FragmentReader,
    FragmentRule,
    check_node,
    join_fragments,
)
from hedgerow.sql.public_tables.keywords import DATE_PARTS
from hedgerow.sql.public_tables.phrases import Fragment, TextLiteral

__all__ = ["GROUPING_RULES", "read_group_by"]

_SETS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
}


def read_group_by(node: object, reader: FragmentReader) -> Fragment:
    """Return the fragment of GROUP BY."""
    by = check_node(node, reader, exp.Group, "expressions", "all")
    if not by.expressions and not by.args.get("all"):
        reader.refuse(node, "GROUP BY is empty", "Leave it out, or write GROUP BY and a column.")
    if by.args.get("all"):
        return "ALL"
    return join_fragments(_read_element(part, reader) for part in by.expressions)


def _read_element(node: exp.Expr, reader: FragmentReader) -> Fragment:
    """Read a key, a list of keys in parentheses, or several grouping sets."""
    word = _SETS.get(type(node))
    if word is not None:
        check_node(node, reader, type(node), "expressions")
        return (
            word,
            "(",
            join_fragments(_read_element(one, reader) for one in node.expressions),
            ")",
        )
    if type(node) is exp.Tuple:
        check_node(node, reader, exp.Tuple, "expressions")
        return ("(", join_fragments(map(reader.read_expression, node.expressions)), ")")
    return reader.read_expression(node)


def _read_grouping(node: exp.Grouping, reader: FragmentReader) -> Fragment:
    return ("grouping", "(", join_fragments(map(reader.read_expression, node.expressions)), ")")


def _read_joined_text(node: exp.GroupConcat, reader: FragmentReader) -> Fragment:
    """Read STRING_AGG(a, ', ' ORDER BY b)."""
    value, separator = node.this, node.args.get("separator")
    order: tuple[Fragment, ...] = ()
    if type(value) is exp.Order:
        check_node(value, reader, exp.Order, "this", "expressions")
        order = (reader.read_order(exp.Order(expressions=value.expressions)),)
        value = value.this
    sign = TextLiteral(",") if separator is None else reader.read_expression(separator)
    return ("string_agg", "(", reader.read_expression(value), ",", sign, *order, ")")


def _read_padding(node: exp.Pad, reader: FragmentReader) -> Fragment:
    sign = node.args.get("fill_pattern")
    parts = [node.this, node.expression, *([] if sign is None else [sign])]
    function = "lpad" if node.args.get("is_left") is True else "rpad"
    return (function, "(", join_fragments(map(reader.read_expression, parts)), ")")


def _read_truncated_date(node: exp.Expr, reader: FragmentReader) -> Fragment:
    unit = node.args.get("unit")
    written = str(unit.this) if isinstance(unit, exp.Var | exp.Literal) else ""
    part = DATE_PARTS.get(written.upper())
    if part is None:
        reader.refuse(node, *UNSUPPORTED_SYNTAX)
    value = reader.read_expression(node.this)
    return ("date_trunc", "(", TextLiteral(part), ",", value, ")")


def _build_list_reader(word: str) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    """Build a reader of ANY (SELECT …) and ALL (SELECT …)."""
    return lambda node, reader: (word, "(", reader.read_query(node.this), ")")


def _read_ignored_nulls(node: exp.IgnoreNulls, reader: FragmentReader) -> Fragment:
    """Read ANY_VALUE, which the parser marks so; NULL is ignored in any case."""
    if type(node.this) is not exp.AnyValue:
        reader.refuse(node, *UNSUPPORTED_SYNTAX)
    return reader.read_expression(node.this)


GROUPING_RULES: Final[Mapping[type[exp.Expr], FragmentRule]] = {
    exp.Grouping: FragmentRule(_read_grouping, ("expressions",)),
    exp.GroupConcat: FragmentRule(_read_joined_text, ("this", "separator")),
    exp.Pad: FragmentRule(_read_padding, ("this", "expression", "fill_pattern", "is_left")),
    exp.TimestampTrunc: FragmentRule(_read_truncated_date, ("this", "unit")),
    exp.DateTrunc: FragmentRule(_read_truncated_date, ("this", "unit")),
    exp.IgnoreNulls: FragmentRule(_read_ignored_nulls),
    exp.Any: FragmentRule(_build_list_reader("ANY")),
    exp.All: FragmentRule(_build_list_reader("ALL")),
}
