"""Expressions of questions about public tables: what each node of the parser's tree becomes.

Of a node its rule takes the parts that it names, and a node with any other is refused. Words of the
analyst are looked up here and never handed on: what is handed on are words of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from sqlglot import exp

from hedgerow.sql.phrases import Number, Phrase, Text
from hedgerow.sql.rule import filled

__all__ = ["NOT_READ", "ORDERED", "RULES", "Reader", "Spec", "listed", "take_node"]

ORDERED: Final = ("this", "desc", "nulls_first")
_BOTH: Final = ("this", "expression")
_NUMBER: Final = re.compile(r"([0-9]{0,38})(?:(\.)([0-9]{0,38}))?(?:[eE]([+-]?[0-9]{1,4}))?")
_PARTS: Final = {
    **{word: word for word in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "ISODOW")},
    **{word: word for word in ("ISOYEAR", "DECADE", "CENTURY", "MILLENNIUM", "ERA", "EPOCH")},
    **{word: word for word in ("HOUR", "MINUTE", "SECOND", "DAYOFWEEK", "DAYOFYEAR")},
    "DOW": "DAYOFWEEK",
    "WEEKDAY": "DAYOFWEEK",
    "DOY": "DAYOFYEAR",
}
_TYPES: Final[Mapping[object, str]] = {
    exp.DType.BOOLEAN: "BOOLEAN",
    exp.DType.INT: "INTEGER",
    exp.DType.BIGINT: "BIGINT",
    exp.DType.DOUBLE: "DOUBLE",
    exp.DType.FLOAT: "FLOAT",
    exp.DType.TEXT: "TEXT",
    exp.DType.VARCHAR: "TEXT",
    exp.DType.DATE: "DATE",
}
# Signs that stand in one line without brackets, read from the left.
_LINES: Final[tuple[Mapping[type[exp.Expr], str], ...]] = (
    {exp.And: "AND"},
    {exp.Or: "OR"},
    {exp.Add: "+", exp.Sub: "-"},
    {exp.Mul: "*", exp.Div: "/", exp.Mod: "%"},
    {exp.DPipe: "||"},
)
_PAIRS: Final[Mapping[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ONE: Final[Mapping[type[exp.Expr], str]] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Median: "median",
    exp.VariancePop: "var_pop",
    exp.Variance: "variance",
    exp.StddevPop: "stddev_pop",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev_samp",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Abs: "abs",
    exp.Sqrt: "sqrt",
    exp.Ln: "ln",
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.Length: "length",
    exp.Year: "year",
    exp.Month: "month",
    exp.Day: "day",
    exp.Mode: "mode",
}
_SEVERAL: Final[Mapping[type[exp.Expr], tuple[str, ...]]] = {
    exp.Corr: ("corr", *_BOTH),
    exp.CovarPop: ("covar_pop", *_BOTH),
    exp.CovarSamp: ("covar_samp", *_BOTH),
    exp.Nullif: ("nullif", *_BOTH),
    exp.Quantile: ("quantile", "this", "quantile"),
    exp.PercentileCont: ("quantile_cont", *_BOTH),
    exp.Round: ("round", "this", "decimals"),
    exp.Substring: ("substring", "this", "start", "length"),
    exp.Coalesce: ("coalesce", "this", "expressions"),
    exp.Least: ("least", "this", "expressions"),
    exp.Greatest: ("greatest", "this", "expressions"),
    exp.Concat: ("concat", "expressions"),
}
_OTHERS: Final = {"HASH": "hash"}  # functions that the parser does not know
_TRIMS: Final[Mapping[object, str]] = {None: "trim", "BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}


class Reader(Protocol):
    """The abilities of a rule: it reads parts of its node, or refuses it."""

    def read(self, node: object) -> Phrase:
        """Return the phrase of an expression."""
        ...

    def query(self, node: object) -> Phrase:
        """Return the phrase of a SELECT, or of several that are put together."""
        ...

    def order(self, node: object) -> Phrase:
        """Return the phrase of an ORDER BY."""
        ...

    def name(self, node: object, *, table: bool = False) -> Phrase:
        """Return the number of a name, of a column or a table."""
        ...

    def refuse(self, node: object, what: str, instead: str) -> NoReturn:
        """Refuse, with the node underlined."""
        ...


class Spec(NamedTuple):
    """The reading of a class of nodes, and the parts that a node of it may have."""

    read: Callable[[Any, Reader], Phrase]
    takes: tuple[str, ...] = ("this",)


def listed(parts: Iterable[Phrase]) -> Phrase:
    """Return phrases in a row, with commas between."""
    found: list[Phrase] = []
    for part in parts:
        found += [",", part] if found else [part]
    return tuple(found)


def _call(function: str, *parts: Phrase) -> Phrase:
    return (function, "(", listed(parts), ")")


def _line(words: Mapping[type[exp.Expr], str]) -> Callable[[exp.Expr, Reader], Phrase]:
    """Read a + b - c as one line: long ones stay flat."""

    def read(node: exp.Expr, reader: Reader) -> Phrase:
        found: list[Phrase] = []
        while type(node) in words:
            take_node(node, reader, type(node), *RULES[type(node)].takes)
            found += [reader.read(node.args["expression"]), words[type(node)]]
            node = node.args["this"]
        return ("(", reader.read(node), *reversed(found), ")")

    return read


def take_node(node: object, reader: Reader, kind: type[exp.Expr], *parts: str) -> exp.Expr:
    """Return a node of this very class that has no parts but these; refuse any other."""
    if not isinstance(node, exp.Expr) or type(node) is not kind or filled(node) - set(parts):
        reader.refuse(node, *NOT_READ)
    return node


def _pair(sign: str) -> Callable[[exp.Expr, Reader], Phrase]:
    return lambda node, reader: ("(", reader.read(node.this), sign, reader.read(node.expression), ")")


def _aggregated(node: exp.Expr, reader: Reader) -> Phrase:
    """Read what an aggregate is about; DISTINCT stands before it."""
    if type(node) is not exp.Distinct:
        return reader.read(node)
    take_node(node, reader, exp.Distinct, "expressions")
    if len(node.expressions) != 1:
        reader.refuse(node, "DISTINCT stands before one value here", "Write DISTINCT a.")
    return ("DISTINCT", reader.read(node.expressions[0]))


def _one(function: str) -> Callable[[exp.Expr, Reader], Phrase]:
    return lambda node, reader: _call(function, _aggregated(node.this, reader))


def _several(function: str, *names: str) -> Callable[[exp.Expr, Reader], Phrase]:
    def read(node: exp.Expr, reader: Reader) -> Phrase:
        parts: list[Any] = []
        for name in names:
            part = node.args.get(name)
            parts += part if isinstance(part, list) else [] if part is None else [part]
        return _call(function, *map(reader.read, parts))

    return read


def _other(node: exp.Anonymous, reader: Reader) -> Phrase:
    function = _OTHERS.get(node.this.upper()) if type(node.this) is str else None
    if function is None:
        reader.refuse(node, *NOT_READ)
    return _call(function, *map(reader.read, node.expressions))


def _count(node: exp.Count, reader: Reader) -> Phrase:
    if node.this is None:
        return ("count", "(", ")")
    if type(node.this) is exp.Star:
        take_node(node.this, reader, exp.Star)
        return _call("count", "*")
    if type(node.this) is exp.Column and type(node.this.this) is exp.Star:
        take_node(node.this, reader, exp.Column, "this", "table")
        take_node(node.this.this, reader, exp.Star)
        return ("count", "(", reader.name(node.this.args.get("table"), table=True), ".", "*", ")")
    if type(node.this) is not exp.Distinct or len(node.this.expressions) == 1:
        return _call("count", _aggregated(node.this, reader))
    # Several values are counted where none of them is NULL.
    take_node(node.this, reader, exp.Distinct, "expressions")
    parts = [reader.read(part) for part in node.this.expressions]
    missing = tuple(("WHEN", part, "IS", "NULL", "THEN", "NULL") for part in parts)
    return ("count", "(", "DISTINCT", "CASE", *missing, "ELSE", "(", listed(parts), ")", "END", ")")


def _filter(node: exp.Filter, reader: Reader) -> Phrase:
    if not isinstance(node.this, exp.AggFunc | exp.WithinGroup):
        reader.refuse(node, "FILTER stands after an aggregate", "Write COUNT(*) FILTER (WHERE x > 1).")
    condition = reader.read(take_node(node.expression, reader, exp.Where, "this").this)
    return (reader.read(node.this), "FILTER", "(", "WHERE", condition, ")")


def _within(node: exp.WithinGroup, reader: Reader) -> Phrase:
    """Read PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) as QUANTILE_CONT(x, 0.5 ORDER BY x)."""
    order, inner = take_node(node.expression, reader, exp.Order, "expressions"), node.this
    if len(order.expressions) != 1:
        reader.refuse(node, "WITHIN GROUP takes ORDER BY and one value", _WITHIN)
    value = reader.read(take_node(order.expressions[0], reader, exp.Ordered, *ORDERED).this)
    if type(inner) is exp.PercentileCont and inner.args.get("expression") is None:
        share = reader.read(inner.this)
        return ("quantile_cont", "(", value, ",", share, reader.order(order), ")")
    if type(inner) is exp.Mode and inner.this is None:
        return ("mode", "(", value, reader.order(order), ")")
    return reader.refuse(node, "WITHIN GROUP stands after PERCENTILE_CONT(0.5) or MODE()", _WITHIN)


def _case(node: exp.Case, reader: Reader) -> Phrase:
    found: list[Phrase] = ["CASE"]
    if node.this is not None:
        found.append(reader.read(node.this))
    for branch in node.args["ifs"]:
        take_node(branch, reader, exp.If, "this", "true")
        found.append(("WHEN", reader.read(branch.this), "THEN", reader.read(branch.args["true"])))
    if node.args.get("default") is not None:
        found.append(("ELSE", reader.read(node.args["default"])))
    return (*found, "END")


def _if(node: exp.If, reader: Reader) -> Phrase:
    then = ("CASE", "WHEN", reader.read(node.this), "THEN", reader.read(node.args["true"]))
    other = node.args.get("false")
    return (*then, "END") if other is None else (*then, "ELSE", reader.read(other), "END")


def _like(word: str, not_word: str) -> Callable[[exp.Expr, Reader], Phrase]:
    def read(node: exp.Expr, reader: Reader) -> Phrase:
        sign = not_word if node.args.get("negate") else word
        return ("(", reader.read(node.this), sign, reader.read(node.expression), ")")

    return read


def _is(node: exp.Is, reader: Reader) -> Phrase:
    if type(node.expression) not in (exp.Null, exp.Boolean):
        reader.refuse(node, "IS is followed by NULL, TRUE or FALSE", "Write x IS NULL, or x = y.")
    no = ("NOT",) if node.args.get("negate") else ()
    return ("(", reader.read(node.this), "IS", *no, reader.read(node.expression), ")")


def _in(node: exp.In, reader: Reader) -> Phrase:
    query = node.args.get("query")
    if query is not None:
        inside = reader.query(take_node(query, reader, exp.Subquery, "this").this)
    elif node.expressions:
        inside = listed(map(reader.read, node.expressions))
    else:
        reader.refuse(node, "IN wants a list of values", "Write x IN (1, 2).")
    return ("(", reader.read(node.this), "IN", "(", inside, ")", ")")


def _between(node: exp.Between, reader: Reader) -> Phrase:
    low, high = (reader.read(node.args[end]) for end in ("low", "high"))
    return ("(", reader.read(node.this), "BETWEEN", low, "AND", high, ")")


def _cast(word: str) -> Callable[[exp.Expr, Reader], Phrase]:
    def read(node: exp.Expr, reader: Reader) -> Phrase:
        to = node.args["to"]
        kind = to.this if type(to) is exp.DataType else None
        type_ = _TYPES.get(kind) if isinstance(kind, exp.DType) else None
        if type_ is None:
            reader.refuse(node, "CAST does not know this type", f"The types are {_LISTED}.")
        take_node(to, reader, exp.DataType, "this")
        return (word, "(", reader.read(node.this), "AS", type_, ")")

    return read


def _extract(node: exp.Extract, reader: Reader) -> Phrase:
    unit = node.this
    written = unit.this if type(unit) in (exp.Var, exp.Literal) else None
    part = _PARTS.get(written.upper()) if isinstance(written, str) else None
    if part is None:
        reader.refuse(node, "EXTRACT does not know this part", f"The parts are {', '.join(_PARTS)}.")
    return ("EXTRACT", "(", part, "FROM", reader.read(node.expression), ")")


def _trim(node: exp.Trim, reader: Reader) -> Phrase:
    position = node.args.get("position")
    function = _TRIMS.get(position) if position is None or type(position) is str else None
    if function is None:
        reader.refuse(node, "TRIM does not know this side", "Write TRIM(x).")
    signs = node.args.get("expression")
    return _call(function, reader.read(node.this), *([] if signs is None else [reader.read(signs)]))


def _literal(node: exp.Literal, reader: Reader) -> Phrase:
    written = node.this
    if node.is_string and type(written) is str:
        return Text(written)
    found = _NUMBER.fullmatch(str(written))
    if found is None or not (found[1] or found[3]):
        reader.refuse(node, "This number is not read", "Write at most 38 digits, such as 12.5 or 1e6.")
    whole, point, after, power = found.groups()
    places = None if point is None or (power and not after) else len(after)
    return Number(int(whole + (after or "")), places, None if power is None else int(power))


def _column(node: exp.Column, reader: Reader) -> Phrase:
    table = node.args.get("table")
    before = () if table is None else (reader.name(table, table=True), ".")
    return (*before, reader.name(node.this))


NOT_READ: Final = (
    "This is not read in questions about public tables",
    "Write plain SQL, or read the file of the table with a tool of your own.",
)
_WITHIN: Final = "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."
_LISTED: Final = ", ".join(dict.fromkeys(_TYPES.values()))
_FLAGS: Final = ("safe", "coalesce", "typed", "ignore_nulls", "is_nvl", "big_int")
RULES: Final[Mapping[type[exp.Expr], Spec]] = {
    **{node: Spec(_line(words), (*_BOTH, *_FLAGS)) for words in _LINES for node in words},
    **{node: Spec(_pair(sign), _BOTH) for node, sign in _PAIRS.items()},
    **{node: Spec(_one(name)) for node, name in _ONE.items()},
    **{node: Spec(_several(*names), (*names[1:], *_FLAGS)) for node, names in _SEVERAL.items()},
    exp.Count: Spec(_count, ("this", *_FLAGS)),
    exp.Anonymous: Spec(_other, ("this", "expressions")),
    exp.Filter: Spec(_filter, _BOTH),
    exp.WithinGroup: Spec(_within, _BOTH),
    exp.Case: Spec(_case, ("this", "ifs", "default")),
    exp.If: Spec(_if, ("this", "true", "false")),
    exp.Like: Spec(_like("LIKE", "NOT LIKE"), (*_BOTH, "negate")),
    exp.ILike: Spec(_like("ILIKE", "NOT ILIKE"), (*_BOTH, "negate")),
    exp.Is: Spec(_is, (*_BOTH, "negate")),
    exp.In: Spec(_in, ("this", "expressions", "query")),
    exp.Between: Spec(_between, ("this", "low", "high")),
    exp.Not: Spec(lambda node, reader: ("(", "NOT", reader.read(node.this), ")")),
    exp.Neg: Spec(lambda node, reader: ("(", "-", reader.read(node.this), ")")),
    exp.Paren: Spec(lambda node, reader: ("(", reader.read(node.this), ")")),
    exp.Cast: Spec(_cast("CAST"), ("this", "to")),
    exp.TryCast: Spec(_cast("TRY_CAST"), ("this", "to", "safe")),
    exp.Extract: Spec(_extract, _BOTH),
    exp.Trim: Spec(_trim, (*_BOTH, "position")),
    exp.Literal: Spec(_literal, ("this", "is_string")),
    exp.Boolean: Spec(lambda node, _: "TRUE" if node.this is True else "FALSE"),
    exp.Null: Spec(lambda _, __: "NULL", ()),
    exp.Column: Spec(_column, ("this", "table")),
    exp.Subquery: Spec(lambda node, reader: ("(", reader.query(node.this), ")")),
}
