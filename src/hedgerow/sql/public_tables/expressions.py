"""Rules for expressions over public tables: from syntax nodes to fragments.

A rule reads the arguments it names, and a node with any other is refused. Words of the analyst are
looked up and never passed on: fragments hold words of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from sqlglot import exp

from hedgerow.sql.binder.rule import find_filled_args
from hedgerow.sql.public_tables.keywords import (
    ANONYMOUS,
    CHAINS,
    COMPARISONS,
    DATE_PARTS,
    ONE_ARGUMENT,
    OPERANDS,
    SEVERAL_ARGUMENTS,
    TRIMS,
)
from hedgerow.sql.public_tables.phrases import Fragment, NumberLiteral, TextLiteral

__all__ = [
    "FRAGMENT_RULES",
    "ORDERED_ARGS",
    "UNSUPPORTED_SYNTAX",
    "FragmentReader",
    "FragmentRule",
    "check_node",
    "join_fragments",
]

ORDERED_ARGS: Final = ("this", "desc", "nulls_first")
_NUMBER: Final = re.compile(r"([0-9]{0,38})(?:(\.)([0-9]{0,38}))?(?:[eE]([+-]?[0-9]{1,4}))?")


class FragmentReader(Protocol):
    """The interface that rules use: read parts of a node, or refuse it."""

    def read_expression(self, node: object) -> Fragment:
        """Return the fragment of an expression."""

    def read_query(self, node: object) -> Fragment:
        """Return the fragment of a SELECT or a UNION."""

    def read_order(self, node: object) -> Fragment:
        """Return the fragment of an ORDER BY."""

    def read_name(self, node: object, *, table: bool = False) -> Fragment:
        """Return the number of a column or table name."""

    def refuse(self, node: object, problem: str, fix: str) -> NoReturn:
        """Raise a refusal that underlines the node."""


class FragmentRule(NamedTuple):
    """The reader of one class of node, and the arguments that a node may have."""

    read: Callable[[Any, FragmentReader], Fragment]
    allowed_args: tuple[str, ...] = ("this",)


def join_fragments(parts: Iterable[Fragment]) -> Fragment:
    """Return fragments separated by commas."""
    found: list[Fragment] = []
    for part in parts:
        found += [",", part] if found else [part]
    return tuple(found)


def _build_call(function: str, *parts: Fragment) -> Fragment:
    return (function, "(", join_fragments(parts), ")")


def _build_chain_reader(
    words: Mapping[type[exp.Expr], str],
) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    """Build a reader of a + b - c as one flat fragment."""

    def read(node: exp.Expr, reader: FragmentReader) -> Fragment:
        found: list[Fragment] = []
        while type(node) in words:
            check_node(node, reader, type(node), *FRAGMENT_RULES[type(node)].allowed_args)
            found += [reader.read_expression(node.args["expression"]), words[type(node)]]
            node = node.args["this"]
        return ("(", reader.read_expression(node), *reversed(found), ")")

    return read


def check_node(node: object, reader: FragmentReader, kind: type[exp.Expr], *parts: str) -> exp.Expr:
    """Return a node of this class with no other arguments than these; refuse any other."""
    if (
        not isinstance(node, exp.Expr)
        or type(node) is not kind
        or find_filled_args(node) - set(parts)
    ):
        reader.refuse(node, *UNSUPPORTED_SYNTAX)
    return node


def _build_comparison_reader(sign: str) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    return lambda node, reader: (
        "(",
        reader.read_expression(node.this),
        sign,
        reader.read_expression(node.expression),
        ")",
    )


def _read_aggregated(node: exp.Expr, reader: FragmentReader) -> Fragment:
    if type(node) is not exp.Distinct:
        return reader.read_expression(node)
    check_node(node, reader, exp.Distinct, "expressions")
    if len(node.expressions) != 1:
        reader.refuse(node, "DISTINCT takes one value here", "Write DISTINCT a.")
    return ("DISTINCT", reader.read_expression(node.expressions[0]))


def _build_call_reader(function: str) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    return lambda node, reader: _build_call(function, _read_aggregated(node.this, reader))


def _build_arguments_reader(
    function: str, *names: str
) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    def read(node: exp.Expr, reader: FragmentReader) -> Fragment:
        parts: list[Any] = []
        for name in names:
            part = node.args.get(name)
            parts += part if isinstance(part, list) else [] if part is None else [part]
        return _build_call(function, *map(reader.read_expression, parts))

    return read


def _read_anonymous(node: exp.Anonymous, reader: FragmentReader) -> Fragment:
    function = ANONYMOUS.get(node.this.upper()) if type(node.this) is str else None
    if function is None:
        reader.refuse(node, *UNSUPPORTED_SYNTAX)
    return _build_call(function, *map(reader.read_expression, node.expressions))


def _read_count(node: exp.Count, reader: FragmentReader) -> Fragment:
    if node.this is None:
        return ("count", "(", ")")
    if type(node.this) is exp.Star:
        check_node(node.this, reader, exp.Star)
        return _build_call("count", "*")
    if type(node.this) is exp.Column and type(node.this.this) is exp.Star:
        check_node(node.this, reader, exp.Column, "this", "table")
        check_node(node.this.this, reader, exp.Star)
        return (
            "count",
            "(",
            reader.read_name(node.this.args.get("table"), table=True),
            ".",
            "*",
            ")",
        )
    if type(node.this) is not exp.Distinct or len(node.this.expressions) == 1:
        return _build_call("count", _read_aggregated(node.this, reader))
    # COUNT(DISTINCT a, b) counts rows without any NULL.
    check_node(node.this, reader, exp.Distinct, "expressions")
    parts = [reader.read_expression(part) for part in node.this.expressions]
    missing = tuple(("WHEN", part, "IS", "NULL", "THEN", "NULL") for part in parts)
    return (
        "count",
        "(",
        "DISTINCT",
        "CASE",
        *missing,
        "ELSE",
        "(",
        join_fragments(parts),
        ")",
        "END",
        ")",
    )


def _read_filter(node: exp.Filter, reader: FragmentReader) -> Fragment:
    if not isinstance(node.this, exp.AggFunc | exp.WithinGroup):
        reader.refuse(
            node, "FILTER must follow an aggregate", "Write COUNT(*) FILTER (WHERE x > 1)."
        )
    condition = reader.read_expression(check_node(node.expression, reader, exp.Where, "this").this)
    return (reader.read_expression(node.this), "FILTER", "(", "WHERE", condition, ")")


def _read_within_group(node: exp.WithinGroup, reader: FragmentReader) -> Fragment:
    """Read PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) as QUANTILE_CONT(x, 0.5 ORDER BY x)."""
    order, inner = check_node(node.expression, reader, exp.Order, "expressions"), node.this
    if len(order.expressions) != 1:
        reader.refuse(node, "WITHIN GROUP takes ORDER BY and one value", _WITHIN_GROUP_FIX)
    value = reader.read_expression(
        check_node(order.expressions[0], reader, exp.Ordered, *ORDERED_ARGS).this
    )
    if type(inner) is exp.PercentileCont and inner.args.get("expression") is None:
        share = reader.read_expression(inner.this)
        return ("quantile_cont", "(", value, ",", share, reader.read_order(order), ")")
    if type(inner) is exp.Mode and inner.this is None:
        return ("mode", "(", value, reader.read_order(order), ")")
    return reader.refuse(
        node, "WITHIN GROUP must follow PERCENTILE_CONT(0.5) or MODE()", _WITHIN_GROUP_FIX
    )


def _read_case(node: exp.Case, reader: FragmentReader) -> Fragment:
    found: list[Fragment] = ["CASE"]
    if node.this is not None:
        found.append(reader.read_expression(node.this))
    for branch in node.args["ifs"]:
        check_node(branch, reader, exp.If, "this", "true")
        found.append(
            (
                "WHEN",
                reader.read_expression(branch.this),
                "THEN",
                reader.read_expression(branch.args["true"]),
            )
        )
    if node.args.get("default") is not None:
        found.append(("ELSE", reader.read_expression(node.args["default"])))
    return (*found, "END")


def _read_if(node: exp.If, reader: FragmentReader) -> Fragment:
    then = (
        "CASE",
        "WHEN",
        reader.read_expression(node.this),
        "THEN",
        reader.read_expression(node.args["true"]),
    )
    other = node.args.get("false")
    return (
        (*then, "END") if other is None else (*then, "ELSE", reader.read_expression(other), "END")
    )


def _build_like_reader(word: str, not_word: str) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    def read(node: exp.Expr, reader: FragmentReader) -> Fragment:
        sign = not_word if node.args.get("negate") else word
        return (
            "(",
            reader.read_expression(node.this),
            sign,
            reader.read_expression(node.expression),
            ")",
        )

    return read


def _read_is(node: exp.Is, reader: FragmentReader) -> Fragment:
    if type(node.expression) not in (exp.Null, exp.Boolean):
        reader.refuse(
            node, "IS must be followed by NULL, TRUE or FALSE", "Write x IS NULL, or x = y."
        )
    no = ("NOT",) if node.args.get("negate") else ()
    return (
        "(",
        reader.read_expression(node.this),
        "IS",
        *no,
        reader.read_expression(node.expression),
        ")",
    )


def _read_in(node: exp.In, reader: FragmentReader) -> Fragment:
    query = node.args.get("query")
    if query is not None:
        inside = reader.read_query(check_node(query, reader, exp.Subquery, "this").this)
    elif node.expressions:
        inside = join_fragments(map(reader.read_expression, node.expressions))
    else:
        reader.refuse(node, "IN needs a list of values", "Write x IN (1, 2).")
    if type(node.this) is exp.Tuple and query is not None:  # (a, b) IN (SELECT c, d …)
        check_node(node.this, reader, exp.Tuple, "expressions")
        parts = join_fragments(map(reader.read_expression, node.this.expressions))
        value: Fragment = ("(", parts, ")")
    else:
        value = reader.read_expression(node.this)
    return ("(", value, "IN", "(", inside, ")", ")")


def _read_between(node: exp.Between, reader: FragmentReader) -> Fragment:
    low, high = (reader.read_expression(node.args[end]) for end in ("low", "high"))
    return ("(", reader.read_expression(node.this), "BETWEEN", low, "AND", high, ")")


def _read_extract(node: exp.Extract, reader: FragmentReader) -> Fragment:
    unit = node.this
    written = unit.this if type(unit) in (exp.Var, exp.Literal) else None
    part = DATE_PARTS.get(written.upper()) if isinstance(written, str) else None
    if part is None:
        reader.refuse(
            node, "EXTRACT does not support this part", f"The parts are {', '.join(DATE_PARTS)}."
        )
    return ("EXTRACT", "(", part, "FROM", reader.read_expression(node.expression), ")")


def _read_trim(node: exp.Trim, reader: FragmentReader) -> Fragment:
    position = node.args.get("position")
    function = TRIMS.get(position) if position is None or type(position) is str else None
    if function is None:
        reader.refuse(node, "TRIM does not support this side", "Write TRIM(x).")
    signs = node.args.get("expression")
    return _build_call(
        function,
        reader.read_expression(node.this),
        *([] if signs is None else [reader.read_expression(signs)]),
    )


def _read_literal(node: exp.Literal, reader: FragmentReader) -> Fragment:
    written = node.this
    if node.is_string and type(written) is str:
        return TextLiteral(written)
    found = _NUMBER.fullmatch(str(written))
    if found is None or not (found[1] or found[3]):
        reader.refuse(
            node, "This number is not supported", "Write at most 38 digits, such as 12.5 or 1e6."
        )
    whole, point, after, power = found.groups()
    places = None if point is None or (power and not after) else len(after)
    return NumberLiteral(int(whole + (after or "")), places, None if power is None else int(power))


def _read_column(node: exp.Column, reader: FragmentReader) -> Fragment:
    table = node.args.get("table")
    before = () if table is None else (reader.read_name(table, table=True), ".")
    return (*before, reader.read_name(node.this))


UNSUPPORTED_SYNTAX: Final = (
    "This syntax is not supported over public tables and answers",
    "Write plain SQL, or take the tables into another tool.",
)
_WITHIN_GROUP_FIX: Final = "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."
_FLAGS: Final = ("safe", "coalesce", "typed", "ignore_nulls", "is_nvl", "big_int")
FRAGMENT_RULES: Final[Mapping[type[exp.Expr], FragmentRule]] = {
    **{
        node: FragmentRule(_build_chain_reader(words), (*OPERANDS, *_FLAGS))
        for words in CHAINS
        for node in words
    },
    **{
        node: FragmentRule(_build_comparison_reader(sign), OPERANDS)
        for node, sign in COMPARISONS.items()
    },
    **{node: FragmentRule(_build_call_reader(name)) for node, name in ONE_ARGUMENT.items()},
    **{
        node: FragmentRule(_build_arguments_reader(*names), (*names[1:], *_FLAGS))
        for node, names in SEVERAL_ARGUMENTS.items()
    },
    exp.Count: FragmentRule(_read_count, ("this", *_FLAGS)),
    exp.Anonymous: FragmentRule(_read_anonymous, ("this", "expressions")),
    exp.Filter: FragmentRule(_read_filter, OPERANDS),
    exp.WithinGroup: FragmentRule(_read_within_group, OPERANDS),
    exp.Case: FragmentRule(_read_case, ("this", "ifs", "default")),
    exp.If: FragmentRule(_read_if, ("this", "true", "false")),
    exp.Like: FragmentRule(_build_like_reader("LIKE", "NOT LIKE"), (*OPERANDS, "negate")),
    exp.ILike: FragmentRule(_build_like_reader("ILIKE", "NOT ILIKE"), (*OPERANDS, "negate")),
    exp.Is: FragmentRule(_read_is, (*OPERANDS, "negate")),
    exp.In: FragmentRule(_read_in, ("this", "expressions", "query")),
    exp.Between: FragmentRule(_read_between, ("this", "low", "high")),
    exp.Not: FragmentRule(
        lambda node, reader: ("(", "NOT", reader.read_expression(node.this), ")")
    ),
    exp.Neg: FragmentRule(lambda node, reader: ("(", "-", reader.read_expression(node.this), ")")),
    exp.Paren: FragmentRule(lambda node, reader: ("(", reader.read_expression(node.this), ")")),
    exp.Extract: FragmentRule(_read_extract, OPERANDS),
    exp.Trim: FragmentRule(_read_trim, (*OPERANDS, "position")),
    exp.Literal: FragmentRule(_read_literal, ("this", "is_string")),
    exp.Boolean: FragmentRule(lambda node, _: "TRUE" if node.this is True else "FALSE"),
    exp.Null: FragmentRule(lambda _, __: "NULL", ()),
    exp.Column: FragmentRule(_read_column, ("this", "table")),
    exp.Subquery: FragmentRule(lambda node, reader: ("(", reader.read_query(node.this), ")")),
}
