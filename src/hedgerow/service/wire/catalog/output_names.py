"""The names that PostgreSQL gives to outputs without an alias."""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp

from hedgerow.service.wire.catalog.cast_rules import read_type_name
from hedgerow.service.wire.catalog.expression_writer import read_name

__all__ = ["name_output"]

_UNNAMED: Final = "?column?"
_TYPE_NAMES: Final = {
    "bigint": "int8",
    "boolean": "bool",
    "decimal": "numeric",
    "double": "float8",
    "float": "float8",
    "int": "int4",
    "integer": "int4",
    "real": "float4",
    "smallint": "int2",
}
# Functions that the parser calls otherwise.
_FUNCTION_NAMES: Final[dict[type[exp.Expr], str]] = {
    exp.Array: "array",
    exp.ArrayAgg: "array_agg",
    exp.ArraySize: "array_length",
    exp.ArrayToString: "array_to_string",
    exp.Coalesce: "coalesce",
    exp.CurrentDatabase: "current_database",
    exp.CurrentTimestamp: "now",
    exp.CurrentVersion: "version",
    exp.Exists: "exists",
    exp.ExplodingGenerateSeries: "generate_series",
    exp.Explode: "unnest",
    exp.GroupConcat: "string_agg",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.StrPosition: "strpos",
    exp.TimeToStr: "to_char",
}
_WEAK, _STRONG = 1, 2
_WRAPPERS: Final = (exp.Paren, exp.Collate, exp.Filter, exp.Window, exp.Bracket)


def name_output(node: exp.Expr) -> str:
    """Return the name of an output."""
    return _name_node(node)[0]


def _name_node(node: Any) -> tuple[str, int]:
    """Return a name and its strength: that of a type or a CASE gives way to others."""
    if isinstance(node, exp.Alias):
        return read_name(node.args["alias"]), _STRONG
    if isinstance(node, _WRAPPERS):
        return _name_node(node.this)
    if isinstance(node, exp.Column):
        return read_name(node.this), _STRONG
    if isinstance(node, exp.Cast):
        name, strength = _name_node(node.this)
        type_ = read_type_name(node.args["to"]).removesuffix("[]")
        return (name, strength) if strength > _WEAK else (_TYPE_NAMES.get(type_, type_), _WEAK)
    if isinstance(node, exp.Dot):
        right = node.expression
        named = isinstance(right, exp.Identifier)
        return (read_name(right), _STRONG) if named else _name_node(right)
    if isinstance(node, exp.Subquery):
        outputs = getattr(node.unnest(), "selects", ())
        return _name_node(outputs[0]) if outputs else (_UNNAMED, 0)
    if isinstance(node, exp.Case):
        name, strength = _name_node(node.args.get("default"))
        return (name, strength) if strength > _WEAK else ("case", _WEAK)
    if isinstance(node, exp.Boolean):
        return "bool", _WEAK
    if isinstance(node, exp.Anonymous):
        return node.name.lower(), _STRONG
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector | exp.RegexpLike):
        return _FUNCTION_NAMES.get(type(node), node.sql_name().lower()), _STRONG
    return _UNNAMED, 0
