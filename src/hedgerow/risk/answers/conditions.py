"""Conditions of published answers: comparisons joined by AND, OR and NOT, parsed from SQL.

A column holds numbers, texts (dates are texts, as 2026-01-31) or truth values, and may be missing.
A comparison with a missing value is unknown, as in SQL: ``NOT age = 21`` does not count people
whose age is missing. ``is`` is the one operator that is never unknown; groups of GROUP BY use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hedgerow.errors import Refused, Unsupported
from hedgerow.sql.syntax.source_text import tokenise

__all__ = [
    "EVERYBODY",
    "And",
    "Comparison",
    "Condition",
    "Constant",
    "Not",
    "Or",
    "build_condition",
    "conjoin",
    "describe_condition",
    "iterate_comparisons",
    "normalise_condition",
    "parse_condition",
    "parse_number",
    "parse_select",
    "read_constant",
]

Constant = Fraction | str | bool
OPERATORS: Final = ("=", "<", "<=", ">", ">=", "in", "null", "is")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of one column with constants.

    ``null`` takes no constant, ``in`` several; ``is`` takes one, or none for a missing value.
    """

    column: str
    operator: str
    values: tuple[Constant, ...] = ()


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction; without parts it holds for everybody."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """A negation; unknown stays unknown."""

    part: Condition


Condition = Comparison | And | Or | Not
EVERYBODY: Final = And()


def conjoin(*parts: Condition) -> Condition:
    """Return the conjunction, flat and without repetition."""
    conjuncts: dict[Condition, None] = {}
    for part in parts:
        conjuncts.update(dict.fromkeys(part.parts if isinstance(part, And) else (part,)))
    return next(iter(conjuncts)) if len(conjuncts) == 1 else And(tuple(conjuncts))


def iterate_comparisons(condition: Condition) -> Iterator[Comparison]:
    """Yield every comparison in a condition."""
    match condition:
        case Comparison():
            yield condition
        case Not(part):
            yield from iterate_comparisons(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from iterate_comparisons(part)


def parse_condition(text: str) -> Condition:
    """Parse the text after WHERE; empty, ``*`` and ``TRUE`` mean everybody."""
    if text.strip() in ("", "*"):
        return EVERYBODY
    tree = parse_select(f"SELECT COUNT(*) FROM data WHERE {text}")
    allowed = {"expressions", "from_", "where", "kind", "hint", "operation_modifiers"}
    if any(value for name, value in tree.args.items() if name not in allowed):
        raise Unsupported(
            "This is more than a condition: write only what follows WHERE, or the whole SELECT"
        )
    return build_condition(tree.args["where"].this)


def parse_select(text: str) -> exp.Select:
    """Parse one SELECT; its size is limited before it is parsed."""
    tokenise(text)
    try:
        trees = sqlglot.parse(text, dialect="duckdb")
    except (SqlglotError, RecursionError, ValueError):
        raise Unsupported("This is not valid SQL. Check its spelling and quotes") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise Unsupported("This must be a single SELECT statement")
    return trees[0]


_COMPARISON_NODES: Final[dict[type[exp.Expr], tuple[str, str]]] = {
    exp.EQ: ("=", "="),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}


def build_condition(tree: exp.Expr) -> Condition:
    """Build a condition from its syntax tree."""
    match tree:
        case exp.Paren():
            return build_condition(tree.this)
        case exp.And():
            return conjoin(build_condition(tree.this), build_condition(tree.expression))
        case exp.Or():
            left, right = build_condition(tree.this), build_condition(tree.expression)
            parts = [
                part
                for side in (left, right)
                for part in (side.parts if isinstance(side, Or) else (side,))
            ]
            return Or(tuple(dict.fromkeys(parts)))
        case exp.Not():
            return Not(build_condition(tree.this))
        case exp.Boolean():
            return EVERYBODY if tree.this else Not(EVERYBODY)
        case exp.Column():
            return Comparison(_read_column_name(tree), "=", (True,))
        case exp.NEQ():
            return Not(_build_comparison(tree, "=", "="))
        case exp.Between():
            column = _read_column_name(tree.this)
            ends = (
                Comparison(column, ">=", (read_constant(tree.args["low"]),)),
                Comparison(column, "<=", (read_constant(tree.args["high"]),)),
            )
            return conjoin(*ends)
        case exp.In() if tree.expressions and not tree.args.get("query"):
            return Comparison(
                _read_column_name(tree.this),
                "in",
                tuple(dict.fromkeys(map(read_constant, tree.expressions))),
            )
        case exp.Is():
            return _build_is_test(tree)
    if type(tree) in _COMPARISON_NODES:
        return _build_comparison(tree, *_COMPARISON_NODES[type(tree)])
    raise _build_refusal(tree)


def _build_is_test(tree: exp.Is) -> Condition:
    if isinstance(tree.expression, exp.Null):
        return Comparison(_read_column_name(tree.this), "null")
    return Comparison(_read_column_name(tree.this), "is", (read_constant(tree.expression),))


def _build_comparison(tree: exp.Expr, operator: str, mirrored: str) -> Condition:
    """Build the comparison of a column on one side with a constant on the other."""
    left, right = tree.this, tree.expression
    if isinstance(right, exp.Column) and not isinstance(left, exp.Column):
        left, right, operator = right, left, mirrored
    return Comparison(_read_column_name(left), operator, (read_constant(right),))


def _read_column_name(tree: exp.Expr) -> str:
    if not isinstance(tree, exp.Column) or isinstance(tree.this, exp.Star):
        raise _build_refusal(tree)
    return tree.name.lower()


def read_constant(tree: exp.Expr) -> Constant:
    """Return a constant: a number as written, a text, a truth value or a date."""
    match tree:
        case exp.Paren():
            return read_constant(tree.this)
        case exp.Boolean():
            return bool(tree.this)
        case exp.Literal() if tree.is_string:
            return str(tree.this)
        case exp.Literal():
            number = parse_number(str(tree.this))
            if number is not None:
                return number
        case exp.Neg():
            inner = read_constant(tree.this)
            if isinstance(inner, Fraction):
                return -inner
        case exp.Cast() if tree.to.this == exp.DataType.Type.DATE:
            try:
                return date.fromisoformat(str(read_constant(tree.this))).isoformat()
            except ValueError:
                pass
    raise _build_refusal(tree)


_NUMBER_PATTERN: Final = re.compile(
    r"[+-]?(\d{1,15}|\d{1,3}(,\d{3}){1,4})?(\.\d{1,15})?(e[+-]?\d{1,2})?", re.IGNORECASE
)


def parse_number(text: str) -> Fraction | None:
    """Return a number exactly as written: 0.1 is one tenth; length and exponent are limited."""
    if not any(
        character.isdecimal() for character in text.lower().split("e")[0]
    ) or not _NUMBER_PATTERN.fullmatch(text):
        return None
    return Fraction(text.replace(",", ""))


def _build_refusal(tree: exp.Expr) -> Refused:
    text = tree.sql(dialect="duckdb")
    shown = text if len(text) <= 60 else text[:59] + "…"
    return Unsupported(
        f"'{shown}' does not compare a column with a constant. Use =, <>, <, <=, >, >=, BETWEEN,"
        " IN, IS NULL, AND, OR and NOT"
    )


def describe_condition(condition: Condition, *, inner: bool = False) -> str:
    """Describe a condition in words; ``inner`` adds brackets where it would be misread."""
    match condition:
        case And(()):
            return "any values"
        case Not(And(())):
            return "no values"
        case And(parts):
            text = " and ".join(describe_condition(part, inner=True) for part in parts)
            return f"({text})" if inner else text
        case Or(parts):
            return "(" + " or ".join(describe_condition(part, inner=True) for part in parts) + ")"
        case Not(Comparison(column, operator, values)) if operator in _NEGATED_SIGNS:
            return _describe_test(column, _NEGATED_SIGNS[operator], values)
        case Not(part):
            return f"not {describe_condition(part, inner=True)}"
        case Comparison(column, operator, values):
            return _describe_test(column, _SIGN_WORDS.get(operator, operator), values)


_NEGATED_SIGNS: Final = {
    "=": "<>",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "in": "not in",
    "null": "is known",
    "is": "<>",
}
_SIGN_WORDS: Final = {"null": "is missing", "is": "="}


def _describe_test(column: str, sign: str, values: tuple[Constant, ...]) -> str:
    if not values:
        return f"{column} {'is missing' if sign == '=' else 'is known' if sign == '<>' else sign}"
    shown = [_format_constant(value) for value in values]
    return (
        f"{column} {sign} ({', '.join(shown)})" if "in" in sign else f"{column} {sign} {shown[0]}"
    )


def _format_constant(value: Constant) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value) if value.denominator == 1 else f"{float(value):.12g}"


def normalise_condition(condition: Condition) -> Condition:
    """Return the condition with its parts in order, so that equal spellings are equal."""
    match condition:
        case Not(Not(part)):
            return normalise_condition(part)
        case Not(part):
            return Not(normalise_condition(part))
        case And(parts) | Or(parts):
            ordered = tuple(sorted({normalise_condition(part) for part in parts}, key=repr))
            return ordered[0] if len(ordered) == 1 else type(condition)(ordered)
        case Comparison(column, "in", values) if len(values) == 1:
            return Comparison(column, "=", values)
        case Comparison(column, "in", values):
            return Comparison(column, "in", tuple(sorted(set(values), key=repr)))
    return condition
