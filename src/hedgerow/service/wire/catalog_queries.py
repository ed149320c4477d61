"""Questions about the server itself: SELECT without FROM, as clients send when they connect."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from hedgerow.plan.values import Type
from hedgerow.service.accounts.records import Caller
from hedgerow.service.query_service import OutputColumnType, QueryService
from hedgerow.service.wire.results import WireResult

__all__ = ["CatalogReader"]

_MAX_LENGTH: Final = 2000
_START: Final = re.compile(r"\s*SELECT\b(?!.*\bFROM\b)", re.IGNORECASE | re.DOTALL)
# As PostgreSQL names them.
_TYPE_NAMES: Final = {
    exp.DType.INT: "int4",
    exp.DType.BIGINT: "int8",
    exp.DType.DOUBLE: "float8",
    exp.DType.BOOLEAN: "bool",
}


class CatalogReader:
    """The answers of one session about the server."""

    def __init__(self, service: QueryService, caller: Caller) -> None:
        self._values: dict[str, Callable[[], tuple[Any, Type]]] = {
            "version": lambda: ("PostgreSQL 15.0 (Hedgerow)", "text"),
            "current_database": lambda: (service.name, "text"),
            "current_catalog": lambda: (service.name, "text"),
            "current_schema": lambda: ("public", "text"),
            "current_user": lambda: (caller.name, "text"),
            "session_user": lambda: (caller.name, "text"),
            "user": lambda: (caller.name, "text"),
            "pg_backend_pid": lambda: (0, "integer"),
            "pg_is_in_recovery": lambda: (False, "boolean"),
        }

    def answer(self, sql: str) -> WireResult | None:
        """Answer a question about the server; None for any other."""
        if len(sql) > _MAX_LENGTH or not _START.match(sql):
            return None
        try:
            select = parse_one(sql, dialect="postgres")
        except SqlglotError:
            return None
        if not isinstance(select, exp.Select) or any(
            value for name, value in select.args.items() if name not in ("expressions", "kind")
        ):
            return None
        columns, cells = [], []
        for item in select.expressions:
            found = self._evaluate(item.unalias())
            if found is None:
                return None
            value, type_ = found
            columns.append(OutputColumnType(item.alias or self._name(item), type_, False))
            cells.append(value)
        return WireResult("SELECT 1", columns, [cells], (), True)

    def _evaluate(self, node: exp.Expr) -> tuple[Any, Type] | None:
        if isinstance(node, exp.Cast):
            return self._evaluate(node.this)
        if isinstance(node, exp.Literal):
            if node.is_string:
                return str(node.this), "text"
            return (int(node.this), "integer") if node.is_int else (float(node.this), "real")
        if isinstance(node, exp.Boolean):
            return bool(node.this), "boolean"
        if isinstance(node, exp.Null):
            return None, "text"
        known = self._values.get(self._name(node))
        return None if known is None else known()

    @staticmethod
    def _name(node: exp.Expr) -> str:
        """Return the name that PostgreSQL gives to an output without an alias."""
        if isinstance(node, exp.Cast):
            return _TYPE_NAMES.get(node.to.this, "?column?")
        if isinstance(node, exp.Dot):
            node = node.expression
        if isinstance(node, exp.Anonymous | exp.Column):
            return node.name.lower()
        if isinstance(node, exp.Func):
            return node.sql_name().lower()
        return "bool" if isinstance(node, exp.Boolean) else "?column?"
