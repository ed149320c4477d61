"""Rules for casts in catalogue statements; names of objects are cast to numbers and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from sqlglot import exp

from hedgerow.service.wire.catalog.expression_rules import parse_array_text
from hedgerow.service.wire.catalog.expression_writer import (
    ExpressionWriter,
    Rule,
    read_name,
    refuse_syntax,
    write_literal,
)
from hedgerow.service.wire.command_failure import CommandFailed

__all__ = ["CAST_RULES", "read_type_name"]

_TEXT: Final = "VARCHAR"
_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        [
            "text",
            "varchar",
            "char",
            "bpchar",
            "name",
            "nchar",
            "nvarchar",
            "citext",
            "json",
            "jsonb",
            "xml",
            "uuid",
            "bytea",
            "cstring",
            "unknown",
            "aclitem",
            "pg_node_tree",
            "regproc",
            "regprocedure",
            "regoper",
            "regoperator",
            "inet",
            "pg_lsn",
            "varbinary",
            "anyarray",
            "tid",
            "sql_identifier",
            "character_data",
            "yes_or_no",
            "refcursor",
        ],
        _TEXT,
    ),
    **dict.fromkeys(["oid", "xid", "cid"], "UINTEGER"),
    **dict.fromkeys(["bool", "boolean"], "BOOLEAN"),
    **dict.fromkeys(["int2", "smallint"], "SMALLINT"),
    **dict.fromkeys(["int4", "int", "integer", "cardinal_number"], "INTEGER"),
    **dict.fromkeys(["int8", "bigint"], "BIGINT"),
    **dict.fromkeys(["float4", "real", "float"], "FLOAT"),
    **dict.fromkeys(["float8", "double"], "DOUBLE"),
    **dict.fromkeys(["numeric", "decimal"], "DECIMAL(38, 9)"),
    "date": "DATE",
    "time": "TIME",
    "timetz": "TIME",
    **dict.fromkeys(["timestamp", "timestamptz", "timestampntz", "timestampltz"], "TIMESTAMP"),
    "interval": "INTERVAL",
    "int2vector": "SMALLINT[]",
    "oidvector": "UINTEGER[]",
}
_ZONE: Final = re.compile(r"(?<=\d)\s+[+-]\d\d(:\d\d)?\Z")  # JDBC writes 2026-01-31 +00
# Types whose values are numbers and whose texts are names.
_NAMED_OBJECTS: Final = ("regclass", "regtype", "regnamespace", "regrole")


def read_type_name(node: object) -> str:
    """Return the name of a type as PostgreSQL spells it, in lower case."""
    if isinstance(node, exp.ObjectIdentifier | exp.PseudoType):
        return str(node.this).lower()
    if isinstance(node, exp.DataType):
        if node.this is exp.DType.ARRAY:
            return read_type_name(node.expressions[0]) + "[]" if node.expressions else "text[]"
        if node.this is not exp.DType.USERDEFINED:
            return str(node.this.name).lower()
        kind = node.args.get("kind")
        if isinstance(kind, exp.Dot):
            kind = kind.expression
        return read_name(kind) if isinstance(kind, exp.Identifier) else str(kind).lower()
    return refuse_syntax(node)


def _write_cast(node: exp.Cast, writer: ExpressionWriter) -> str:
    type_, value = read_type_name(node.args["to"]), node.this.unnest()
    if type_ in _NAMED_OBJECTS:
        return _write_object(type_, value, writer)
    engine_type = _find_type(type_, node)
    if engine_type.endswith("[]") and isinstance(value, exp.Literal) and value.is_string:
        items = ", ".join(map(write_literal, parse_array_text(value.this)))
        return f"CAST([{items}] AS {engine_type})"
    if isinstance(value, exp.Cast):
        inner = read_type_name(value.args["to"])
        if inner in _NAMED_OBJECTS:
            # 'visits'::regclass::oid is a number, and ::text a name.
            part = writer.write(value.this)
            end = "name" if engine_type == _TEXT else "oid"
            if end == "oid":
                part = _write_number(inner, value.this.unnest(), writer)
                return f"CAST({part} AS {engine_type})"
            return f'pg."{inner}_name"({part})'
        if inner in ("numeric", "decimal") and engine_type == _TEXT:
            # PostgreSQL writes as many digits as the number has.
            return f"regexp_replace({writer.write(value)}::VARCHAR, '\\.?0*$', '')"
        if inner.startswith("regproc") and engine_type == "UINTEGER":
            raise CommandFailed("42883", "There are no functions here that have a number.")
    if engine_type == "DATE" and isinstance(value, exp.Literal) and value.is_string:
        return f"CAST({write_literal(_ZONE.sub('', value.name))} AS DATE)"
    return f"CAST({writer.write(value)} AS {engine_type})"


def _find_type(type_: str, node: exp.Expr) -> str:
    if type_.endswith("[]"):
        return _find_type(type_[:-2], node) + "[]"
    if type_ in _NAMED_OBJECTS:
        return _TEXT
    return _TYPES[type_] if type_ in _TYPES else refuse_syntax(node)


def _write_object(type_: str, value: exp.Expr, writer: ExpressionWriter) -> str:
    """Write 'visits'::regclass as a number, and a column of numbers as names."""
    while isinstance(value, exp.Cast) and read_type_name(value.args["to"]) == type_:
        value = value.this.unnest()
    if isinstance(value, exp.Literal):
        return _write_number(type_, value, writer)
    return f'pg."{type_}_name"({writer.write(value)})'


def _write_number(type_: str, value: exp.Expr, writer: ExpressionWriter) -> str:
    if not isinstance(value, exp.Literal):
        written = writer.write(value)
        lookup = f'pg."{type_}_oid"(CAST({written} AS VARCHAR))'
        return f"coalesce(TRY_CAST({written} AS UINTEGER), {lookup})"
    if value.name.isdecimal():
        return f"CAST({write_literal(value.name)} AS UINTEGER)"
    if type_ != "regclass":
        return f'pg."{type_}_oid"({write_literal(value.name.rpartition(".")[2])})'
    found = writer.find_class(value.name)
    if found is None:
        raise CommandFailed("42P01", f'relation "{value.name[:100]}" does not exist')
    return f"CAST({found} AS UINTEGER)"


CAST_RULES: Final[Mapping[type[Any], Rule]] = {
    exp.Cast: _write_cast,
    exp.TryCast: lambda node, _: refuse_syntax(node),
}
