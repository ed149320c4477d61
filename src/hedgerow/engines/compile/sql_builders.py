"""Pieces of SQL as trees. Constants are always cast, so that an engine never chooses their type
by how they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.values import Type, Value

__all__ = [
    "all_of",
    "any_of",
    "binary",
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
    "text_literal",
]

_MAX_INLINE_VALUES: Final = 8  # values that are compared one by one
# columns of whole numbers that a statement makes by itself
_NUMBERING_COLUMNS: Final = ("place", "m")
SQL_TYPES: dict[Type, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "date": "DATE",
}


def column(name: str, of: str | None = None) -> exp.Column:
    """A column by its quoted name."""
    return exp.Column(
        this=exp.to_identifier(name, quoted=True),
        table=exp.to_identifier(of, quoted=True) if of else None,
    )


def cast(value: exp.Expr, to: str, *, total: bool = False) -> exp.Expr:
    """CAST, or TRY_CAST where the value may not fit."""
    return (exp.TryCast if total else exp.Cast)(this=value, to=exp.DataType(this=exp.DType[to]))


def cast_to_type(value: exp.Expr, type_: Type, *, total: bool = False) -> exp.Expr:
    """Cast to one of our types."""
    return cast(value, SQL_TYPES[type_], total=total)


def null_literal(type_: Type) -> exp.Expr:
    """NULL of a type."""
    return cast_to_type(exp.Null(), type_)


def integer_literal(number: int) -> exp.Expr:
    """A whole number of 64 bits."""
    if not -(2**63) <= number < 2**63:
        raise Unsupported("Whole numbers have 64 bits; this one does not fit.")
    literal = exp.Literal.number(str(abs(number)))
    return cast_to_type(exp.Neg(this=literal) if number < 0 else literal, "integer")


def real_literal(number: float) -> exp.Expr:
    """A double, to the last bit."""
    return cast_to_type(exp.Literal.string(repr(number)), "real")


def text_literal(value: str) -> exp.Expr:
    """A piece of text."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unsupported(
            "Text must be Unicode; half of a surrogate pair stands for no character."
        ) from None
    return exp.Literal.string(value)


def constant(value: Value, type_: Type) -> exp.Expr:
    """A value of one of our types."""
    if value is None:
        return null_literal(type_)
    if type_ == "boolean":
        return exp.Boolean(this=bool(value))
    if type_ == "integer":
        return integer_literal(int(value))  # type: ignore[arg-type]
    if type_ == "real":
        return real_literal(float(value))  # type: ignore[arg-type]
    if isinstance(value, date):
        return cast_to_type(exp.Literal.string(value.isoformat()), "date")
    return text_literal(str(value))


def is_one_of(value: exp.Expr, values: Sequence[Value], type_: Type) -> exp.Expr:
    """Whether the value is one of these. Whole numbers and days without a gap are compared with the
    ends alone; a long list is looked up as a table, once for each row, where an engine may compare
    with every item (of reals it does: they have two zeros)."""
    if type_ in ("integer", "date"):
        low, high = min(values), max(values)  # type: ignore[type-var]
        first, last = (
            end.toordinal() if isinstance(end, date) else int(end)  # type: ignore[arg-type]
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
    """Pieces of text as an array, written as one: to parse a thousand of them takes longer than
    many a question.
    """
    used = set().union(*words)
    mark = next(mark for mark in map(chr, range(1, 0x110000)) if mark not in used)
    return call_function("string_split", text_literal(mark.join(words)), text_literal(mark))


def call_function(function: str, *arguments: exp.Expr) -> exp.Expr:
    """A function of the engine, by its own name there."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def binary(a: exp.Expr, operator: type[exp.Binary], b: exp.Expr) -> exp.Expr:
    """A binary operator in brackets."""
    return exp.Paren(this=operator(this=a, expression=b))


def all_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """AND."""
    return exp.and_(*conditions, copy=False)


def any_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """OR, in brackets."""
    return exp.Paren(this=exp.or_(*conditions, copy=False))


def case_when(*branches: tuple[exp.Expr, exp.Expr], otherwise: exp.Expr | None = None) -> exp.Expr:
    """CASE WHEN … THEN … ELSE … END."""
    return exp.Case(
        ifs=[exp.If(this=condition, true=value) for condition, value in branches], default=otherwise
    )


def clamp(
    value: exp.Expr, low: exp.Expr, high: exp.Expr, *before: tuple[exp.Expr, exp.Expr]
) -> exp.Expr:
    """Moved to the nearest end, unless one of the branches ``before`` takes it. NULL stays NULL,
    which LEAST and GREATEST would skip.
    """
    ends = (
        (binary(value.copy(), exp.LT, low), low.copy()),
        (binary(value.copy(), exp.GT, high), high.copy()),
    )
    return case_when(*before, *ends, otherwise=value)


def select(
    outputs: Sequence[tuple[str, exp.Expr]], source: exp.Expr, where: Sequence[exp.Expr] = ()
) -> exp.Select:
    """SELECT value AS name, … FROM source WHERE all of the conditions. A source that is a SELECT
    is put in brackets.
    """
    table = (
        exp.Subquery(this=source, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True)))
        if isinstance(source, exp.Select)
        else source
    )
    named = [exp.alias_(value, name, quoted=True, copy=False) for name, value in outputs] or [
        exp.alias_(exp.Literal.number(1), "one", quoted=True)
    ]
    found = exp.Select(expressions=named).from_(table, copy=False)
    certain = [
        _make_null_false(part) for condition in where for part in _split_conjunction(condition)
    ]
    return found.where(*certain, copy=False) if certain else found


def _split_conjunction(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Return what must hold, one by one: an engine asks the second of those that the first left."""
    rest = [condition]
    while rest:
        one = rest.pop()
        bare = one.unnest()
        if isinstance(bare, exp.And):
            rest += [bare.expression, bare.this]
        else:
            yield one


def _make_null_false(condition: exp.Expr) -> exp.Expr:
    """Return a condition that is false where it was NULL, which is the same to WHERE.

    Where all values of a column fulfil a condition by what is told of the column, DuckDB 2.0 takes
    it for "not NULL", and asks that of the column instead of what was made of it: values that
    reading or NULLIF had made NULL would be let through, or not, by what the column holds of
    somebody else. Columns that we number rows by have no NULL, and windows over them are faster
    without.
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
    """ORDER BY, NULL first unless it should be last."""
    return exp.Order(
        expressions=[
            exp.Ordered(this=value.copy(), desc=False, nulls_first=not null_last)
            for value in values
        ]
    )
