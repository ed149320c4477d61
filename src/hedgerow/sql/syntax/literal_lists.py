"""Lists of literals and tuples, written out: x = ANY([1, 2]) is x IN (1, 2), (a, b) IN ((1, 2)) is
a = 1 AND b = 2, and QUANTILE(x, [0.25, 0.5]) is two columns."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Final

from sqlglot import exp

__all__ = ["build_membership", "expand_quantile_lists"]

_MAX_COMPARISONS: Final = 400
_MAX_QUANTILES: Final = 20
_FRACTION_ARGS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    exp.Quantile: ("quantile",),
    exp.ApproxQuantile: ("quantile",),
    exp.PercentileCont: ("expression", "this"),
    exp.PercentileDisc: ("expression", "this"),
}


def build_membership(node: exp.EQ | exp.ArrayContains | exp.In) -> exp.Expr | None:
    """Build the plain condition of a membership test; None for any other node."""
    if isinstance(node, exp.In):
        return _build_tuple_test(node)
    if isinstance(node, exp.EQ):
        value, inner = node.this, node.expression
        listed = inner.this.unnest() if isinstance(inner, exp.Any) else None
    else:
        value, listed = node.expression, node.this
    if not isinstance(listed, exp.Array) or not listed.expressions:
        return None
    return exp.In(this=value.copy(), expressions=[part.copy() for part in listed.expressions])


def _build_tuple_test(node: exp.In) -> exp.Expr | None:
    """Build (a, b) IN ((1, 2), (3, 4)) as comparisons, where all are tuples of one length."""
    width = len(node.this.expressions)
    rows = node.expressions
    if (
        not isinstance(node.this, exp.Tuple)
        or not rows
        or any(not isinstance(row, exp.Tuple) or len(row.expressions) != width for row in rows)
        or len(rows) * width > _MAX_COMPARISONS
    ):
        return None
    tests = [_compare_tuples(node.this, row) for row in rows]
    return exp.Paren(this=reduce(lambda a, b: exp.Or(this=a, expression=b), tests))


def _compare_tuples(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    pairs = zip(left.expressions, right.expressions, strict=True)
    tests: list[exp.Expr] = [exp.EQ(this=a.copy(), expression=b.copy()) for a, b in pairs]
    return exp.Paren(this=reduce(_join_tests, tests))


def _join_tests(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.And(this=left, expression=right)


def expand_quantile_lists(select: exp.Select) -> exp.Expr | None:
    """Build a SELECT with one output for each quantile of a list; None without a list.

    QUANTILE(x, [0.25, 0.5]) AS q has the outputs q_25 and q_50.
    """
    outputs = [_expand_output(item) for item in select.expressions]
    if all(len(items) == 1 for items in outputs):
        return None
    changed = select.copy()
    changed.set("expressions", [item for items in outputs for item in items])
    return changed


def _expand_output(item: exp.Expr) -> list[exp.Expr]:
    found = _find_list(item)
    if found is None or not 1 < len(found.expressions) <= _MAX_QUANTILES:
        return [item.copy()]
    call = found.parent
    name = item.alias or (call.sql_name().lower() if isinstance(call, exp.Func) else "quantile")
    inner = item.this if isinstance(item, exp.Alias) else item
    outputs: list[exp.Expr] = []
    for place, share in enumerate(found.expressions):
        copied = inner.copy()
        listed = _find_list(copied)
        assert listed is not None
        listed.replace(listed.expressions[place].copy())
        outputs.append(exp.alias_(copied, f"{name}_{_format_percent(share)}", copy=False))
    return outputs


def _find_list(item: exp.Expr) -> exp.Array | None:
    """Return the list of an output that is a quantile, with or without FILTER and WITHIN GROUP."""
    node = item.this if isinstance(item, exp.Alias) else item
    while isinstance(node, exp.Filter | exp.WithinGroup):
        node = node.this
    for name in _FRACTION_ARGS.get(type(node), ()):
        if isinstance(node.args.get(name), exp.Array):
            found: exp.Array = node.args[name]
            return found
    return None


def _format_percent(share: exp.Expr) -> str:
    try:
        percent = Fraction(str(share.this)) * 100
    except (ValueError, ZeroDivisionError):
        return "0"
    return f"{float(percent):g}".replace(".", "_").replace("-", "_").replace("+", "")
