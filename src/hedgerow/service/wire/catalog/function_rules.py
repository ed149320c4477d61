"""Rules for function calls in catalogue statements: a closed list."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from sqlglot import exp

from hedgerow.service.wire.catalog.expression_writer import (
    ExpressionWriter,
    Rule,
    read_name,
    refuse_syntax,
    write_literal,
)
from hedgerow.service.wire.command_failure import CommandFailed

__all__ = ["FUNCTION_RULES", "list_macros", "write_call"]

# Functions of the same meaning in the embedded engine, by their names in PostgreSQL.
_PLAIN: Final[Mapping[str, str]] = {
    **{
        name: name
        for name in [
            "abs",
            "ascii",
            "bool_and",
            "bool_or",
            "btrim",
            "ceil",
            "ceiling",
            "chr",
            "coalesce",
            "concat",
            "concat_ws",
            "count",
            "date_part",
            "dense_rank",
            "first_value",
            "floor",
            "greatest",
            "lag",
            "last_value",
            "lead",
            "least",
            "length",
            "lower",
            "ltrim",
            "max",
            "md5",
            "min",
            "nullif",
            "octet_length",
            "rank",
            "regexp_matches",
            "regexp_replace",
            "replace",
            "reverse",
            "right",
            "round",
            "row_number",
            "rtrim",
            "sign",
            "split_part",
            "starts_with",
            "strpos",
            "substring",
            "sum",
            "translate",
            "trim",
            "trunc",
            "unnest",
            "upper",
            "avg",
            "left",
        ]
    },
    "array_agg": "array_agg",
    "btrim": "trim",
    "char_length": "length",
    "character_length": "length",
    "every": "bool_and",
    "string_agg": "string_agg",
    "substr": "substring",
    "to_hex": "to_hex",
    "generate_series": "generate_series",
}
# Nodes of the parser -> the function, and the arguments in order.
_NODES: Final[Mapping[type[exp.Expr], tuple[str, ...]]] = {
    exp.Abs: ("abs", "this"),
    exp.ArraySize: ('pg"."array_length', "this"),
    exp.ArrayPosition: ('pg"."array_position', "this", "expression"),
    exp.ArrayToString: ('pg"."array_to_string', "this", "expression", "null"),
    exp.ArrayConcat: ('pg"."array_cat', "this", "expressions"),
    exp.ArrayAppend: ('pg"."array_append', "this", "expression"),
    exp.ArrayPrepend: ('pg"."array_prepend', "expression", "this"),
    exp.ArrayRemove: ('pg"."array_remove', "this", "expression"),
    exp.StringToArray: ('pg"."string_to_array', "this", "expression"),
    exp.Avg: ("avg", "this"),
    exp.Ceil: ("ceil", "this"),
    exp.Chr: ("chr", "expressions"),
    exp.Coalesce: ("coalesce", "this", "expressions"),
    exp.Concat: ("concat", "expressions"),
    exp.ConcatWs: ("concat_ws", "expressions"),
    exp.Explode: ("unnest", "this"),
    exp.Floor: ("floor", "this"),
    exp.Greatest: ("greatest", "this", "expressions"),
    exp.Least: ("least", "this", "expressions"),
    exp.Left: ("left", "this", "expression"),
    exp.Length: ("length", "this"),
    exp.LogicalAnd: ("bool_and", "this"),
    exp.LogicalOr: ("bool_or", "this"),
    exp.Lower: ("lower", "this"),
    exp.MD5: ("md5", "this"),
    exp.Max: ("max", "this"),
    exp.Min: ("min", "this"),
    exp.Nullif: ("nullif", "this", "expression"),
    exp.DenseRank: ("dense_rank",),
    exp.Rank: ("rank",),
    exp.RowNumber: ("row_number",),
    exp.RegexpReplace: ("regexp_replace", "this", "expression", "replacement"),
    exp.Replace: ("replace", "this", "expression", "replacement"),
    exp.Right: ("right", "this", "expression"),
    exp.Round: ("round", "this", "decimals"),
    exp.SplitPart: ("split_part", "this", "delimiter", "part_index"),
    exp.StartsWith: ("starts_with", "this", "expression"),
    exp.StrPosition: ("strpos", "this", "substr"),
    exp.Sum: ("sum", "this"),
    exp.Translate: ("translate", "this", "from_", "to"),
    exp.Upper: ("upper", "this"),
}
_FACTS: Final[Mapping[type[exp.Expr], str]] = {
    exp.CurrentUser: "current_user",
    exp.SessionUser: "session_user",
    exp.CurrentCatalog: "current_catalog",
    exp.CurrentDatabase: "current_database",
    exp.CurrentSchema: "current_schema",
    exp.CurrentVersion: "version",
}
_TIMES: Final = {
    exp.CurrentTimestamp: "TIMESTAMP",
    exp.Localtimestamp: "TIMESTAMP",
    exp.CurrentDate: "DATE",
    exp.CurrentTime: "TIME",
    exp.Localtime: "TIME",
}
_TIME_FUNCTIONS: Final = [
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "pg_postmaster_start_time",
]
# Whatever else PostgreSQL would say of its own state, there is none here.
_STATELESS: Final = re.compile(
    r"(pg|inet|txid|binary_upgrade|has)_\w+|(row_)?to_jsonb?|jsonb?_\w+|age|lo_\w+", re.IGNORECASE
)
_DATE_PARTS: Final = frozenset(
    ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "EPOCH", "QUARTER", "WEEK", "DOW", "DOY"]
)
_FORMAT_SPECIFIERS: Final = re.compile(r"%(?:%|([sIL]))")


@functools.cache
def list_macros() -> frozenset[str]:
    """Return the names of the macros of the catalogue."""
    text = files(__package__).joinpath("functions.sql").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^CREATE MACRO pg\.(\w+)\(", text, re.MULTILINE))


def write_call(name: str, arguments: list[exp.Expr], writer: ExpressionWriter) -> str:
    """Write a call of a function by its name in PostgreSQL."""
    fact = writer.read_fact(name) if not arguments else None
    if fact is not None:
        return write_literal(fact)
    match name:
        case "current_schemas":
            return _write_schemas(arguments)
        case "current_setting":
            return _write_setting(arguments, writer)
        case "set_config":
            return _write_set_config(arguments, writer)
        case "format":
            return _write_format(arguments, writer)
        case _ if name in list_macros():
            return f'pg."{name}"({writer.write_all(arguments)})'
        case _ if name in _PLAIN:
            return f"{_PLAIN[name]}({writer.write_all(arguments)})"
        case _ if name in _TIME_FUNCTIONS:
            return "CAST(now() AS TIMESTAMP)"
        case _ if _STATELESS.fullmatch(name):
            return "NULL"
    raise CommandFailed("42883", f"function {name[:60]}() does not exist")


def _write_schemas(arguments: list[exp.Expr]) -> str:
    with_system = bool(arguments) and isinstance(arguments[0], exp.Boolean) and arguments[0].this
    return "['pg_catalog', 'public']" if with_system else "['public']"


def _write_setting(arguments: list[exp.Expr], writer: ExpressionWriter) -> str:
    if not arguments or not isinstance(arguments[0], exp.Literal):
        return "NULL"
    name = arguments[0].name.lower()
    found = writer.read_setting(name)
    if found is None and len(arguments) == 1:
        raise CommandFailed("42704", f'unrecognized configuration parameter "{name[:60]}"')
    return write_literal(found)


def _write_set_config(arguments: list[exp.Expr], writer: ExpressionWriter) -> str:
    if len(arguments) != 3 or not all(isinstance(one, exp.Literal) for one in arguments[:2]):
        return "NULL"
    name, value = arguments[0].name.lower(), arguments[1].name
    writer.change_setting(name, value)
    return write_literal(value)


def _write_format(arguments: list[exp.Expr], writer: ExpressionWriter) -> str:
    """Write format('%I.%s', a, b) as a concatenation."""
    template, *values = arguments
    if not isinstance(template, exp.Literal):
        refuse_syntax(template)
    parts, end = [], 0
    for match in _FORMAT_SPECIFIERS.finditer(template.name):
        parts.append(write_literal(template.name[end : match.start()]))
        end = match.end()
        if match[1] is None:
            parts.append("'%'")
            continue
        if not values:
            raise CommandFailed("22023", "too few arguments for format()")
        value = f"CAST({writer.write(values.pop(0))} AS VARCHAR)"
        function = {"I": 'pg."quote_ident"', "L": 'pg."quote_literal"', "s": ""}[match[1]]
        parts.append(f"{function}({value})")
    parts.append(write_literal(template.name[end:]))
    return f"concat({', '.join(parts)})"


def _write_node(node: exp.Expr, writer: ExpressionWriter) -> str:
    function, *names = _NODES[type(node)]
    parts: list[exp.Expr] = []
    for name in names:
        part = node.args.get(name)
        parts += part if isinstance(part, list) else [] if part is None else [part]
    called = f'"{function}"' if '"' in function else function
    return f"{called}({_write_arguments(parts, writer)})"


def _write_arguments(parts: list[exp.Expr], writer: ExpressionWriter) -> str:
    """Write the arguments of a function, or DISTINCT and ORDER BY of an aggregate."""
    if len(parts) == 1 and isinstance(parts[0], exp.Distinct):
        return f"DISTINCT {writer.write_all(parts[0].expressions)}"
    return writer.write_all(parts)


def _write_aggregate(function: str, node: exp.Expr, writer: ExpressionWriter, more: str) -> str:
    """Write array_agg or string_agg, whose order stands inside."""
    inner, order = node.this, ""
    if isinstance(inner, exp.Order):
        order = f" {writer.write_order(inner)}"
        inner = inner.this
    return f"{function}({_write_arguments([inner], writer)}{more}{order})"


def _write_string_agg(node: exp.GroupConcat, writer: ExpressionWriter) -> str:
    separator = node.args.get("separator")
    order = ""
    if isinstance(separator, exp.Order):  # string_agg(a, ',' ORDER BY b)
        order = f" {writer.write_order(separator)}"
        separator = separator.this
    more = "" if separator is None else f", {writer.write(separator)}"
    return _write_aggregate("string_agg", node, writer, more + order)


def _write_count(node: exp.Count, writer: ExpressionWriter) -> str:
    return f"count({_write_arguments([node.this or exp.Star()], writer)})"


def _write_dot(node: exp.Dot, writer: ExpressionWriter) -> str:
    """Write a function behind its schema, or a field of a row."""
    right = node.expression
    if isinstance(right, exp.Identifier):
        return f"struct_extract({writer.write(node.this)}, {write_literal(read_name(right))})"
    return writer.write(right)


def _write_window(node: exp.Window, writer: ExpressionWriter) -> str:
    if node.args.get("over") != "OVER" or node.args.get("spec") is not None:
        refuse_syntax(node)
    words = []
    if node.args.get("partition_by"):
        words.append(f"PARTITION BY {writer.write_all(node.args['partition_by'])}")
    if node.args.get("order") is not None:
        words.append(writer.write_order(node.args["order"]))
    return f"{writer.write(node.this)} OVER ({' '.join(words)})"


def _write_filter(node: exp.Filter, writer: ExpressionWriter) -> str:
    return f"{writer.write(node.this)} FILTER (WHERE {writer.write(node.expression.this)})"


def _write_extract(node: exp.Extract, writer: ExpressionWriter) -> str:
    part = node.this.name.upper()
    if part not in _DATE_PARTS:
        refuse_syntax(node)
    return f"EXTRACT({part} FROM {writer.write(node.expression)})"


def _write_substring(node: exp.Substring, writer: ExpressionWriter) -> str:
    start, length = node.args.get("start"), node.args.get("length")
    if isinstance(start, exp.Literal) and start.is_string:
        return f"regexp_extract({writer.write(node.this)}, {writer.write(start)})"
    parts = [node.this, *(one for one in (start, length) if one is not None)]
    return f"substring({writer.write_all(parts)})"


def _write_trim(node: exp.Trim, writer: ExpressionWriter) -> str:
    function = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position")), "trim")
    signs = node.args.get("expression")
    return f"{function}({writer.write_all([node.this, *([signs] if signs else [])])})"


def _write_null(_node: exp.Expr, _: ExpressionWriter) -> str:
    """Write JSON, which no catalogue holds."""
    return "NULL"


def _write_series(node: exp.Expr, writer: ExpressionWriter) -> str:
    ends = [node.args[name] for name in ("start", "end", "step") if node.args.get(name)]
    return f"unnest(generate_series({writer.write_all(ends)}))"


FUNCTION_RULES: Final[Mapping[type[Any], Rule]] = {
    **dict.fromkeys(_NODES, _write_node),
    **{
        kind: lambda node, writer: write_literal(writer.read_fact(_FACTS[type(node)]))
        for kind in _FACTS
    },
    **{kind: lambda node, _: f"CAST(now() AS {_TIMES[type(node)]})" for kind in _TIMES},
    exp.Anonymous: lambda node, writer: write_call(node.name.lower(), node.expressions, writer),
    exp.AnonymousAggFunc: lambda node, _: refuse_syntax(node),
    exp.ArrayAgg: lambda node, writer: _write_aggregate("array_agg", node, writer, ""),
    exp.Count: _write_count,
    exp.CurrentSchemas: lambda node, _: _write_schemas([node.this] if node.this else []),
    exp.Dot: _write_dot,
    exp.ExplodingGenerateSeries: _write_series,
    exp.Extract: _write_extract,
    exp.Filter: _write_filter,
    exp.Format: lambda node, writer: _write_format([node.this, *node.expressions], writer),
    exp.GenerateSeries: _write_series,
    exp.GroupConcat: _write_string_agg,
    exp.JSONArrayAgg: _write_null,
    exp.JSONExtract: _write_null,
    exp.JSONExtractScalar: _write_null,
    exp.Substring: _write_substring,
    exp.TimeToStr: lambda node, writer: f"CAST({writer.write(node.this)} AS VARCHAR)",
    exp.Trim: _write_trim,
    exp.Window: _write_window,
}
