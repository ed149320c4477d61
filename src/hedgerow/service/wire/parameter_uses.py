"""Uses of parameters in a question, by the columns that they are compared with: their types, and
values with which the question can be described."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from sqlglot import exp
from sqlglot.dialects import DuckDB
from sqlglot.errors import ErrorLevel, SqlglotError

from hedgerow.errors import HedgerowError
from hedgerow.service.wire.arrays import ELEMENT_OIDS
from hedgerow.service.wire.catalog.published_tables import PublishedTable
from hedgerow.service.wire.statement_text import count_parameters, write_parameters
from hedgerow.sql.syntax.privacy_clause import tokenise_query

__all__ = ["ParameterUse", "find_parameter_uses"]

_BOOL, _INT8, _TEXT, _FLOAT8, _NUMERIC, _DATE, _TIMESTAMP = 16, 20, 25, 701, 1700, 1082, 1114


@dataclass(frozen=True, slots=True)
class ParameterUse:
    """The type of a parameter, and a literal that may stand for it."""

    oid: int
    stand_in: str


_NUMBER: Final = ParameterUse(_NUMERIC, "1")
_WORD: Final = ParameterUse(_TEXT, "'a'")
_COUNT: Final = ParameterUse(_INT8, "1")
_CONDITION: Final = ParameterUse(_BOOL, "TRUE")
# What is compared with integers may be a fraction.
_BY_TYPE: Final[Mapping[str, tuple[int, str]]] = {
    "bool": (_BOOL, "TRUE"),
    "date": (_DATE, "DATE '2000-01-01'"),
    "float8": (_FLOAT8, "1"),
    "int8": (_NUMERIC, "1"),
    "text": (_TEXT, "'a'"),
    "timestamp": (_TIMESTAMP, "TIMESTAMP '2000-01-01 00:00:00'"),
}
_MARK: Final = "hedgerow parameter "
_OPTIONS: Final = re.compile(r"\b((?:epsilon|delta)\s*=)\s*\$\d+", re.IGNORECASE)
_ARRAYS: Final = {element: array for array, element in ELEMENT_OIDS.items()}
_COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_SAME_TYPE: Final = (*_COMPARISONS, exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif, exp.Case)
_KEEPS_TYPE: Final = (exp.Paren, exp.Min, exp.Max, exp.Median, exp.DateTrunc, exp.TimestampTrunc)
_WRAPPERS: Final = (exp.Paren, exp.Cast, exp.Tuple, exp.If, exp.Any)
_PATTERNS: Final = (exp.Like, exp.ILike, exp.RegexpLike, exp.SimilarTo)
_NUMERIC_NODES: Final = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg)
_NUMERIC_CALLS: Final = (
    *(exp.AggFunc, exp.Abs, exp.Ceil, exp.Extract, exp.Floor, exp.Length, exp.Ln, exp.Pow),
    *(exp.Round, exp.Sqrt, exp.Year, exp.Month, exp.Day, exp.Hour, exp.DateDiff),
)
_TEXT_CALLS: Final = (exp.Lower, exp.Upper, exp.Substring, exp.Concat, exp.DPipe, exp.Trim)


def find_parameter_uses(text: str, tables: Iterable[PublishedTable]) -> dict[int, ParameterUse]:
    """Return the uses of parameters by their numbers; unclear ones are left out."""
    try:
        # The reader of questions knows no parameters: texts stand for them.
        marks = [f"'{_MARK}{place}'" for place in range(1, count_parameters(text) + 1)]
        heading = tokenise_query(write_parameters(_OPTIONS.sub(r"\1 1", text), marks))
        parser = DuckDB().parser(error_level=ErrorLevel.IMMEDIATE)
        tree = parser.parse(list(heading.body), heading.text.sql)[0]
        return {} if tree is None else _UseFinder(tree, tables).find(tree)
    except (HedgerowError, SqlglotError, RecursionError):
        return {}  # whoever reads it as a question reports the error


def _is_parameter(node: exp.Expr) -> bool:
    return node.is_string and node.name.startswith(_MARK)


def _is_wrapper(node: exp.Expr | None) -> TypeGuard[exp.Expr]:
    """Return whether a node leaves open what its part is compared with."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() == "ALL"  # which the parser takes for a call
    return isinstance(node, _WRAPPERS)


def _write_array(item: ParameterUse) -> ParameterUse:
    """Return the use of an array of some items."""
    _, quote, quoted = item.stand_in.partition("'")
    plain = f'"{quoted[:-1]}"' if quote and '"' not in quoted else item.stand_in.strip("'")
    return ParameterUse(_ARRAYS[item.oid], f"'{{{plain}}}'")


class _UseFinder:
    """The columns of one statement by their names, and what its expressions are about."""

    def __init__(self, tree: exp.Expr, tables: Iterable[PublishedTable]) -> None:
        self._columns: dict[str, ParameterUse | None] = {}
        named = {node.name.casefold() for node in tree.find_all(exp.Table)}
        for table in tables:
            if table.name.casefold() in named:
                for column in table.columns:
                    oid, stand_in = _BY_TYPE[column.type]
                    self._note(column.name, ParameterUse(oid, column.example or stand_in))
        for alias in tree.find_all(exp.Alias):
            known = self._find_use(alias.this)
            if known is not None:
                self._note(alias.alias, known)

    def _note(self, name: str, use: ParameterUse) -> None:
        """Record the use of a name; one with two types has none."""
        key = name.casefold()
        same = self._columns.setdefault(key, use)
        if same is not None and same.oid != use.oid:
            self._columns[key] = None

    def find(self, tree: exp.Expr) -> dict[int, ParameterUse]:
        """Return the uses of all parameters that are clear."""
        found: dict[int, ParameterUse] = {}
        for node in tree.find_all(exp.Literal):
            use = self._look_around(node) if _is_parameter(node) else None
            if use is not None:
                found.setdefault(int(node.name.removeprefix(_MARK)), use)
        return found

    def _look_around(self, node: exp.Expr) -> ParameterUse | None:
        """Return the use of a parameter from the nodes around it."""
        child, is_array = node, False
        while _is_wrapper(child.parent):
            child = child.parent
            is_array = is_array or isinstance(child, exp.Any | exp.Anonymous)
        around = child.parent
        if is_array:
            item = None if around is None else self._find_first(around, child)
            return None if item is None else _write_array(item)
        if isinstance(around, exp.Limit | exp.Offset | exp.Fetch):
            return _COUNT
        if isinstance(around, _PATTERNS):
            return self._find_first(around, child) or _WORD
        if isinstance(around, _NUMERIC_NODES):
            return _NUMBER
        if isinstance(around, exp.Where | exp.Having | exp.And | exp.Or | exp.Not):
            return _CONDITION
        return self._find_first(around, child) if isinstance(around, _SAME_TYPE) else None

    def _find_first(self, around: exp.Expr, child: exp.Expr) -> ParameterUse | None:
        """Return the use of the first other part that has one."""
        for part in around.iter_expressions():
            known = None if part is child else self._find_use(part)
            if known is not None:
                return known
        return None

    def _find_use(self, node: exp.Expr) -> ParameterUse | None:
        """Return what a parameter would stand for that is compared with an expression."""
        if isinstance(node, exp.Column):
            return self._columns.get(node.name.casefold())
        if isinstance(node, exp.Literal):
            return None if _is_parameter(node) else (_WORD if node.is_string else _NUMBER)
        if isinstance(node, exp.Boolean):
            return _CONDITION
        if isinstance(node, _KEEPS_TYPE):
            return self._find_use(node.this)
        if isinstance(node, (*_NUMERIC_NODES, *_NUMERIC_CALLS)):
            return _NUMBER
        if isinstance(node, _TEXT_CALLS):
            return _WORD
        if isinstance(node, exp.If):
            return self._find_use(node.args["true"])
        return self._find_first(node, node) if isinstance(node, _SAME_TYPE[-5:]) else None
