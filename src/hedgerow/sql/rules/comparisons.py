"""= <> < <= > >=, BETWEEN, IN and LIKE."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed, aligned, no_day

__all__ = ["MAX_LIST", "RULES"]

MAX_LIST = 1000
_BOTH = ("this", "expression")
_SIGNS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


def _check_days(node: exp.Expr, reader: Reader, values: Sequence[Typed]) -> None:
    """Text beside a date that is no day."""
    texts = [one.expression.value for one in values if isinstance(one.expression, Constant) and one.type == "text"]
    if texts and any(one.type == "date" for one in values):
        reader.refuse(node, *no_day(str(texts[0])))


def _compare(node: exp.Binary, reader: Reader) -> Typed:
    left, right = aligned([reader.read(node.this), reader.read(node.expression)])
    if left.is_null or right.is_null:
        reader.refuse(node, "Nothing compares with NULL: this never holds", "Write x IS NULL or x IS NOT NULL.")
    _check_days(node, reader, [left, right])
    return reader.call(node, _SIGNS[type(node)], left, right)


def _between(node: exp.Between, reader: Reader) -> Typed:
    value, low, high = aligned([reader.read(node.this), reader.read(node.args["low"]), reader.read(node.args["high"])])
    _check_days(node, reader, [value, low, high])
    return reader.call(node, "and", reader.call(node, ">=", value, low), reader.call(node, "<=", value, high))


def _in(node: exp.In, reader: Reader) -> Typed:
    if len(node.expressions) > MAX_LIST:
        reader.refuse(node, f"This list has more than {MAX_LIST} values", "Ask for a range, or declare a coarser column in the policy.")
    if not node.expressions:
        reader.refuse(node, "IN wants a list of values", "Write x IN (1, 2).")
    value, *listed = aligned([reader.read(part) for part in (node.this, *node.expressions)])
    _check_days(node, reader, [value, *listed])
    for part, item in zip(node.expressions, listed, strict=True):
        if item.is_null:
            reader.refuse(part, "NULL in a list never matches", "Leave it out; for missing values write x IS NULL.")
    if all(isinstance(item.expression, Constant) for item in listed):
        return reader.call(node, "in", value, *listed)
    # Values that may be NULL: the same as =, one after the other.
    each = [reader.call(node, "=", value, item) for item in listed]
    return each[0] if len(each) == 1 else reader.call(node, "or", *each)


def _like(node: exp.Like, reader: Reader) -> Typed:
    value, pattern = aligned([reader.read(node.this), reader.read(node.expression)], "text")
    if not isinstance(pattern.expression, Constant) or pattern.is_null:
        reader.refuse(node, "LIKE compares with a pattern that is written out", "Write x LIKE 'a%'.")
    if any(sign in str(pattern.expression.value) for sign in ("\\%", "\\_")):
        what = "In some databases a backslash takes % and _ their meaning, in others it is a letter"
        reader.refuse(node, what, "Write STARTS_WITH(x, '5%'), or RIGHT(x, 2) = '5%', where % and _ stand for themselves.")
    found = reader.call(node, "like", value, pattern)
    return reader.call(node, "not", found) if node.args.get("negate") else found


RULES: tuple[Rule | Refusal, ...] = (
    *(Rule(node, _compare, _BOTH) for node in _SIGNS),
    Rule(exp.Between, _between, ("this", "low", "high")),
    Rule(exp.In, _in, ("this", "expressions")),
    Rule(exp.Like, _like, ("this", "expression", "negate")),
    Refusal(exp.ILike, "ILIKE is not read", "Write LOWER(x) LIKE 'abc%', with the pattern in lower case."),
    Refusal(exp.Escape, "LIKE … ESCAPE is not read", "Write LIKE without it: % stands for any text, _ for one character."),
    Refusal(exp.SimilarTo, "SIMILAR TO is not read", "Write LIKE: % stands for any text, _ for one character."),
    Refusal(exp.RegexpLike, "Regular expressions are not read", "Write LIKE: % stands for any text, _ for one character."),
    Refusal(exp.NullSafeEQ, "IS NOT DISTINCT FROM is not read", "Write a = b OR (a IS NULL AND b IS NULL)."),
    Refusal(exp.NullSafeNEQ, "IS DISTINCT FROM is not read", "Write a <> b, and a IS NULL where that matters."),
)
