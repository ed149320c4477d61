"""What becomes of the rows of one unit. Sums are taken in whole steps, so no order of the rows shows in their last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.snapping import snapped
from hedgerow.engines.terms import as_type, between, call, cast, null, real, test, when, whole
from hedgerow.plan.nodes import Folded
from hedgerow.plan.values import Range

__all__ = ["folded"]

_MOST: Final = 2**62


def folded(one: Folded, names: Mapping[str, exp.Expr], known: Mapping[str, Range], dialect: Dialect) -> exp.Expr:
    """An aggregate over the rows of one unit (and its keys)."""
    if one.column is None:
        return exp.Count(this=exp.Star())
    value, type_ = names[one.column], known[one.column].type
    if one.kind == "values":
        return exp.Count(this=value.copy())
    if one.kind == "distinct":
        return exp.Count(this=exp.Distinct(expressions=[value.copy()]))
    if one.snap is None:
        return (exp.Min if one.kind == "least" else exp.Max)(this=value.copy())
    integer = one.kind == "total" and type_ == "integer"
    most = _MOST // int(one.snap.step) if integer else _MOST
    steps = call("sum", cast(snapped(value, Range(type_), one.snap), dialect.wide))
    low, high = (cast(whole(end), dialect.wide) for end in (-most, most))
    total = as_type(between(steps, low, high), "integer")
    count = exp.Count(this=value.copy())
    there = test(count, exp.GT, whole(0))
    if integer:
        return when((there, test(total, exp.Mul, whole(int(one.snap.step)))), otherwise=null("integer"))
    size = test(as_type(total, "real"), exp.Mul, real(float(one.snap.step.numerator)))
    amount = test(size, exp.Div, real(float(one.snap.step.denominator)))
    if one.kind == "mean":
        amount = test(amount, exp.Div, as_type(count.copy(), "real"))
    return when((there, amount), otherwise=null("real"))
