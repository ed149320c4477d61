"""Rules for operators, literals and other expressions of catalogue statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlglot import exp

from hedgerow.engines.compile.quoting import quote_name
from hedgerow.service.wire.arrays import parse_array
from hedgerow.service.wire.catalog.expression_writer import (
    ExpressionWriter,
    Rule,
    read_name,
    refuse_syntax,
    write_literal,
)
from hedgerow.service.wire.catalog.relations import list_function_columns

__all__ = ["EXPRESSION_RULES", "parse_array_text", "unescape_string"]

_NUMBER: Final = re.compile(r"(\d{1,38}(\.\d{0,38})?|\.\d{1,38})([eE][+-]?\d{1,3})?")
_COMPARISONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_OPERATORS: Final[Mapping[type[exp.Expr], str]] = {
    exp.And: "AND",
    exp.Or: "OR",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Mod: "%",
    exp.DPipe: "||",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
}
# PostgreSQL's operators by name, as OPERATOR(pg_catalog.~) spells them.
_NAMED_OPERATORS: Final = {
    **{sign: f"({{0}} {sign} {{1}})" for sign in ("=", "<>", "<", "<=", ">", ">=", "+", "-", "||")},
    "~": "regexp_matches({0}, {1})",
    "~*": "regexp_matches({0}, {1}, 'i')",
    "!~": "(NOT regexp_matches({0}, {1}))",
    "!~*": "(NOT regexp_matches({0}, {1}, 'i'))",
    "~~": "({0} LIKE {1})",
    "!~~": "({0} NOT LIKE {1})",
    "~~*": "({0} ILIKE {1})",
    "!~~*": "({0} NOT ILIKE {1})",
}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def parse_array_text(text: str) -> list[str | None]:
    """Return the items of an array in PostgreSQL's notation, such as {a,b}."""
    if not (text.startswith("{") and text.endswith("}")):
        return [text]
    return [item for item, _ in parse_array(text)]


def unescape_string(text: str) -> str:
    """Return the value of an E'…' string."""
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text, flags=re.DOTALL)


def _write_string(node: exp.Literal, _: ExpressionWriter) -> str:
    text = str(node.this)
    if node.is_string:
        return write_literal(text)
    return text if _NUMBER.fullmatch(text) else refuse_syntax(node)


def _write_column(node: exp.Column, writer: ExpressionWriter) -> str:
    system = writer.find_system_column(node)
    if system is not None:
        return system
    table = node.args.get("table")
    qualifier = f"{quote_name(read_name(table))}." if table is not None else ""
    if isinstance(node.this, exp.Star):
        return f"{qualifier}*"
    return qualifier + quote_name(read_name(node.this))


def _write_comparison(node: exp.Binary, writer: ExpressionWriter) -> str:
    left, right = node.left, node.right
    if isinstance(left, exp.Any):
        left, right = right, left
    sign = _COMPARISONS[type(node)]
    if _is_function_column(left) and isinstance(right, exp.Literal) and right.name == "0":
        right = exp.Literal.string("-")  # functions are stored by name, and this is none
    if isinstance(right, exp.Any):
        inside = _write_set(right.this, writer)
        return f"({writer.write(left)} {sign} ANY({inside}))"
    if isinstance(right, exp.All) or (
        isinstance(right, exp.Anonymous) and right.name.lower() == "all"
    ):
        part = right.expressions[0] if isinstance(right, exp.Anonymous) else right.this
        return f"({writer.write(left)} {sign} ALL({_write_set(part, writer)}))"
    return f"({writer.write(left)} {sign} {writer.write(right)})"


def _is_function_column(node: exp.Expr) -> bool:
    """Return whether a column holds functions, which PostgreSQL compares by number."""
    return isinstance(node, exp.Column) and node.name.lower() in list_function_columns()


def _write_set(node: exp.Expr, writer: ExpressionWriter) -> str:
    """Write the operand of ANY or ALL: a query, or an array."""
    inside = node.unnest()
    if isinstance(inside, exp.Query):
        return writer.write_query(inside)
    if isinstance(inside, exp.Literal) and inside.is_string:
        return f"[{', '.join(map(write_literal, parse_array_text(inside.this)))}]"
    return writer.write(inside)


def _build_operator_rule(sign: str) -> Rule:
    def write(node: exp.Binary, writer: ExpressionWriter) -> str:
        # A chain such as a AND b AND c is deep in the tree and flat in the text.
        parts: list[str] = []
        while type(node.left) is type(node):
            parts.append(writer.write(node.right))
            node = node.left
        parts += [writer.write(node.right), writer.write(node.left)]
        return f"({f' {sign} '.join(reversed(parts))})"

    return write


def _build_match_rule(pattern: str) -> Rule:
    """Build the rule of a pattern match, which may stand before ANY (array)."""

    def write(node: exp.Binary, writer: ExpressionWriter) -> str:
        left, right = writer.write(node.this), node.expression
        if isinstance(right, exp.Any):
            inside = pattern.format(left, '"pattern"')
            found = f'list_filter({_write_set(right.this, writer)}, lambda "pattern": {inside})'
            written = f"(len({found}) > 0)"
        else:
            written = pattern.format(left, writer.write(right))
        return f"(NOT {written})" if node.args.get("negate") else written

    return write


def _write_escape(node: exp.Escape, writer: ExpressionWriter) -> str:
    inner = node.this
    if type(inner) not in (exp.Like, exp.ILike):
        refuse_syntax(node)
    word = "LIKE" if type(inner) is exp.Like else "ILIKE"
    no = "NOT " if inner.args.get("negate") else ""
    parts = (writer.write(one) for one in (inner.this, inner.expression, node.expression))
    left, pattern, sign = parts
    return f"({left} {no}{word} {pattern} ESCAPE {sign})"


def _write_named_operator(node: exp.Operator, writer: ExpressionWriter) -> str:
    template = _NAMED_OPERATORS.get(str(node.args["operator"]).rpartition(".")[2])
    if template is None:
        refuse_syntax(node)
    return template.format(writer.write(node.this), writer.write(node.expression))


def _write_is(node: exp.Is, writer: ExpressionWriter) -> str:
    no = "NOT " if node.args.get("negate") else ""
    return f"({writer.write(node.this)} IS {no}{writer.write(node.expression)})"


def _write_in(node: exp.In, writer: ExpressionWriter) -> str:
    query = node.args.get("query")
    if query is not None:
        inside = writer.write_query(query.unnest())
    elif node.expressions:
        inside = writer.write_all(node.expressions)
    else:
        refuse_syntax(node)
    return f"({writer.write(node.this)} IN ({inside}))"


def _write_case(node: exp.Case, writer: ExpressionWriter) -> str:
    words = ["CASE", *([writer.write(node.this)] if node.this is not None else [])]
    for branch in node.args["ifs"]:
        words += ["WHEN", writer.write(branch.this), "THEN", writer.write(branch.args["true"])]
    if node.args.get("default") is not None:
        words += ["ELSE", writer.write(node.args["default"])]
    return " ".join([*words, "END"])


def _write_array(node: exp.Array, writer: ExpressionWriter) -> str:
    items = node.expressions
    if len(items) == 1 and isinstance(items[0].unnest(), exp.Query):
        return f"ARRAY({writer.write_query(items[0].unnest())})"
    return f"[{writer.write_all(items)}]"


def _write_item(node: exp.Bracket, writer: ExpressionWriter) -> str:
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        refuse_syntax(node)
    # The parser has made 0 the first place.
    return f"list_extract({writer.write(node.this)}, ({writer.write(node.expressions[0])}) + 1)"


def _write_quotient(node: exp.Div, writer: ExpressionWriter) -> str:
    sign = "//" if _is_integer(node.left) and _is_integer(node.right) else "/"
    return f"({writer.write(node.left)} {sign} {writer.write(node.right)})"


def _is_integer(node: exp.Expr) -> bool:
    """Return whether an expression is a whole number by its text alone."""
    node = node.unnest()
    if isinstance(node, exp.Literal):
        return not node.is_string and node.is_int
    if isinstance(node, exp.Cast):
        return node.args["to"].this in exp.DataType.INTEGER_TYPES
    parts = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg)
    return isinstance(node, parts) and all(map(_is_integer, node.iter_expressions()))


def _write_null(_node: exp.Expr, _: ExpressionWriter) -> str:
    return "NULL"


def _build_rule(template: str) -> Rule:
    return lambda node, writer: template.format(writer.write(node.this))


def _write_between(node: exp.Between, writer: ExpressionWriter) -> str:
    low, high = writer.write(node.args["low"]), writer.write(node.args["high"])
    return f"({writer.write(node.this)} BETWEEN {low} AND {high})"


def _write_interval(node: exp.Interval, _: ExpressionWriter) -> str:
    unit = node.args.get("unit")
    text = f"{node.this.name if node.this is not None else ''} {unit.name if unit else ''}"
    return f"CAST({write_literal(text.strip())} AS INTERVAL)"


_build: Callable[[str], Rule] = _build_match_rule
EXPRESSION_RULES: Final[Mapping[type[Any], Rule]] = {
    exp.Literal: _write_string,
    exp.ByteString: lambda node, _: write_literal(unescape_string(str(node.this))),
    exp.National: lambda node, _: write_literal(str(node.this)),
    exp.Null: _write_null,
    exp.Boolean: lambda node, _: "TRUE" if node.this else "FALSE",
    exp.Column: _write_column,
    exp.Star: lambda node, _: "*" if not any(node.args.values()) else refuse_syntax(node),
    **dict.fromkeys(_COMPARISONS, _write_comparison),
    **{kind: _build_operator_rule(sign) for kind, sign in _OPERATORS.items()},
    exp.Div: _write_quotient,
    exp.Not: _build_rule("(NOT {})"),
    exp.Neg: _build_rule("(- {})"),
    exp.Paren: _build_rule("({})"),
    exp.Collate: _build_rule("{}"),  # everything is compared byte by byte
    exp.Like: _build("({} LIKE {})"),
    exp.ILike: _build("({} ILIKE {})"),
    exp.RegexpLike: _build("regexp_matches({}, {})"),
    exp.RegexpILike: _build("regexp_matches({}, {}, 'i')"),
    exp.Escape: _write_escape,
    exp.Operator: _write_named_operator,
    exp.Is: _write_is,
    exp.In: _write_in,
    exp.Between: _write_between,
    exp.Case: _write_case,
    exp.Array: _write_array,
    exp.Bracket: _write_item,
    exp.Interval: _write_interval,
    exp.Tuple: lambda node, writer: f"({writer.write_all(node.expressions)})",
    exp.Exists: lambda node, writer: f"EXISTS ({writer.write_query(node.this.unnest())})",
    exp.Subquery: lambda node, writer: f"({writer.write_query(node.this)})",
}
