"""Builders of SQL syntax trees.

Constants are always cast, so that an engine never infers a type from the way a constant is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.values import Type, Value, number_date

__all__ = [
    "NamedExpressions",
    "all_of",
    "any_of",
    "binary",
    "build_extreme",
    "call_function",
    "case_when",
    "cast",
    "cast_to_type",
    "clamp",
    "column",
    "constant",
    "integer_literal",
    "is_one_of",
    "null_literal",
    "order_by",
    "real_literal",
    "select",
    "select_all",
    "text_literal",
]

_MAX_INLINE_VALUES: Final = 8  # a longer list is looked up as a table
# columns that statements number rows by
_NUMBERING_COLUMNS: Final = ("place", "m")
SQL_TYPES: dict[Type, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}


NamedExpressions = Sequence[tuple[str, exp.Expr]]


def column(name: str, of: str | None = None) -> exp.Column:
    """Build a column by its quoted name."""
    return exp.Column(
        this=exp.to_identifier(name, quoted=True),
        table=exp.to_identifier(of, quoted=True) if of else None,
    )


def cast(value: exp.Expr, to: str, *, total: bool = False) -> exp.Expr:
    """Build a CAST, or with ``total`` a TRY_CAST that is NULL where the value does not fit."""
    return (exp.TryCast if total else exp.Cast)(this=value, to=exp.DataType(this=exp.DType[to]))


def cast_to_type(value: exp.Expr, type_: Type, *, total: bool = False) -> exp.Expr:
    """Build a cast to one of the types of a plan."""
    return cast(value, SQL_TYPES[type_], total=total)


def null_literal(type_: Type) -> exp.Expr:
    """Build a NULL of a type."""
    return cast_to_type(exp.Null(), type_)


def integer_literal(number: int) -> exp.Expr:
    """Build a 64-bit integer."""
    if not -(2**63) <= number < 2**63:
        raise Unsupported(
            "This integer does not fit into 64 bits. Use one between -2^63 and 2^63 - 1."
        )
    literal = exp.Literal.number(str(abs(number)))
    return cast_to_type(exp.Neg(this=literal) if number < 0 else literal, "integer")


def real_literal(number: float) -> exp.Expr:
    """Build a double, exact to the last bit."""
    return cast_to_type(exp.Literal.string(repr(number)), "real")


def text_literal(value: str) -> exp.Expr:
    """Build a text literal."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unsupported(
            "This text contains half of a surrogate pair, which is not a Unicode character. Remove"
            " it."
        ) from None
    return exp.Literal.string(value)


def constant(value: Value, type_: Type) -> exp.Expr:
    """Build a constant of one of the types of a plan."""
    if value is None:
        return null_literal(type_)
    if type_ == "boolean":
        return exp.Boolean(this=bool(value))
    if type_ == "integer":
        return integer_literal(int(value))  # type: ignore[arg-type]
    if type_ == "real":
        return real_literal(float(value))  # type: ignore[arg-type]
    if isinstance(value, date):
        return cast_to_type(exp.Literal.string(value.isoformat()), type_)
    return text_literal(str(value))


def is_one_of(value: exp.Expr, values: Sequence[Value], type_: Type) -> exp.Expr:
    """Build the test that a value is in a list.

    Integers and dates without gaps are compared with the two ends. A long list is looked up as a
    table, once for each row, since an engine may otherwise compare with every item (DuckDB does so
    for reals, which have two zeros).
    """
    if type_ in ("integer", "date", "timestamp"):
        low, high = min(values), max(values)  # type: ignore[type-var]
        first, last = (
            number_date(end) if isinstance(end, date) else int(end)  # type: ignore[arg-type]
            for end in (low, high)
        )
        if last - first + 1 == len(set(values)):
            return exp.Between(this=value, low=constant(low, type_), high=constant(high, type_))
    if len(values) <= _MAX_INLINE_VALUES or type_ == "real":
        return exp.In(this=value, expressions=[constant(item, type_) for item in values])
    items = (
        _split_text_array(list(map(str, values)))
        if type_ == "text"
        else exp.Array(expressions=[constant(item, type_) for item in values])
    )
    return exp.In(
        this=value,
        query=exp.Subquery(this=exp.Select(expressions=[call_function("unnest", items)])),
    )


def _split_text_array(words: Sequence[str]) -> exp.Expr:
    """Build an array of texts from one joined literal: parsing a thousand literals takes longer
    than many queries.
    """
    used = set().union(*words)
    mark = next(mark for mark in map(chr, range(1, 0x110000)) if mark not in used)
    return call_function("string_split", text_literal(mark.join(words)), text_literal(mark))


def call_function(function: str, *arguments: exp.Expr) -> exp.Expr:
    """Build a call of a function by its meaning; the dialect writes it in the engine's words."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def build_extreme(value: exp.Expr, type_: Type, *, largest: bool = False) -> exp.Expr:
    """Build the least or largest value of a group; not every engine orders booleans by MIN."""
    if type_ == "boolean":
        return call_function("bool_or" if largest else "bool_and", value)
    return (exp.Max if largest else exp.Min)(this=value)


def binary(a: exp.Expr, operator: type[exp.Binary], b: exp.Expr) -> exp.Expr:
    """Build a binary operator in parentheses."""
    return exp.Paren(this=operator(this=a, expression=b))


def all_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Build a conjunction."""
    return exp.and_(*conditions, copy=False)


def any_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Build a disjunction in parentheses."""
    return exp.Paren(this=exp.or_(*conditions, copy=False))


def case_when(*branches: tuple[exp.Expr, exp.Expr], otherwise: exp.Expr | None = None) -> exp.Expr:
    """Build CASE WHEN … THEN … ELSE … END."""
    return exp.Case(
        ifs=[exp.If(this=condition, true=value) for condition, value in branches], default=otherwise
    )


def clamp(
    value: exp.Expr, low: exp.Expr, high: exp.Expr, *before: tuple[exp.Expr, exp.Expr]
) -> exp.Expr:
    """Build a clamp to the nearest end, after the branches ``before``.

    NULL stays NULL; LEAST and GREATEST would skip it.
    """
    ends = (
        (binary(value.copy(), exp.LT, low), low.copy()),
        (binary(value.copy(), exp.GT, high), high.copy()),
    )
    return case_when(*before, *ends, otherwise=value)


def select(
    outputs: NamedExpressions, source: exp.Expr, where: Sequence[exp.Expr] = ()
) -> exp.Select:
    """Build SELECT value AS name, … FROM source WHERE all conditions hold.

    A source that is itself a SELECT becomes a subquery.
    """
    table = (
        exp.Subquery(this=source, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True)))
        if isinstance(source, exp.Select)
        else source
    )
    named = [exp.alias_(value, name, quoted=True, copy=False) for name, value in outputs] or [
        exp.alias_(exp.Literal.number(1), "one", quoted=True)
    ]
    query = exp.Select(expressions=named).from_(table, copy=False)
    certain = [
        _make_null_false(part) for condition in where for part in _split_conjunction(condition)
    ]
    return query.where(*certain, copy=False) if certain else query


def select_all(relation: str) -> exp.Select:
    """Build SELECT * FROM a relation."""
    return exp.Select(expressions=[exp.Star()]).from_(
        exp.Table(this=exp.to_identifier(relation, quoted=True)), copy=False
    )


def _split_conjunction(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Split a condition at its ANDs; an engine tests the second part only on rows that pass the
    first.
    """
    rest = [condition]
    while rest:
        part = rest.pop()
        bare = part.unnest()
        if isinstance(bare, exp.And):
            rest += [bare.expression, bare.this]
        else:
            yield part


def _make_null_false(condition: exp.Expr) -> exp.Expr:
    """Make a condition false where it is NULL, which means the same in WHERE.

    Where the statistics of a column say that all its values fulfil a condition, DuckDB 2.0 reduces
    the condition to "not NULL", and tests that on the column instead of the value computed from it.
    Values that the read or NULLIF made NULL would then pass or fail depending on other people's
    rows. Columns that number rows are never NULL, and windows over them are faster without this.
    """
    bare = condition.unnest()
    known = isinstance(bare, exp.Not) and isinstance(bare.this.unnest(), exp.Is)
    numbered = (
        isinstance(bare, exp.Binary)
        and isinstance(bare.this, exp.Column)
        and bare.this.name in _NUMBERING_COLUMNS
    )
    return condition if known or numbered else call_function("coalesce", condition, exp.false())


def order_by(values: Sequence[exp.Expr], *, null_last: bool = False) -> exp.Order:
    """Build ORDER BY, with NULL first or last."""
    return exp.Order(
        expressions=[
            exp.Ordered(this=value.copy(), desc=False, nulls_first=not null_last)
            for value in values
        ]
    )
