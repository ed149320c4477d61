"""Interval arithmetic on expressions of SQL: the ends of a result from the ends of its parts.

The ends of a part are NULL where it is NULL, whatever the noise; ends that are not known are
infinite. So a part that is NULL by chance, as x / n is where a noisy n is 0, has infinite ends:
COALESCE(x / n, 0) and AVG(x / n) would take NULL ends for no value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from sqlglot import exp

from hedgerow.sql.postprocessing.syntax_trees import replace_args

__all__ = ["bound_operation", "build_call"]

Ends = tuple[exp.Expr, exp.Expr]
_MONOTONE: Final = (exp.Paren, exp.Floor, exp.Ceil, exp.Round, exp.Trunc, exp.Exp)
_NUMBERS: Final = frozenset(
    (exp.DType.DOUBLE, exp.DType.FLOAT, exp.DType.DECIMAL, exp.DType.BIGINT, exp.DType.INT)
)


def build_call(node: exp.Expr, ends: Ends) -> Ends:
    """Return a call with each of two ends in the place of its first argument."""
    low, high = (replace_args(node, this=end) for end in ends)
    return low, high


def bound_operation(
    node: exp.Expr,
    find_ends: Callable[[exp.Expr], Ends | None],
    is_noisy: Callable[[exp.Expr], bool],
) -> Ends | None:
    """Return the ends of an operation on numbers; None if they are not known."""
    if isinstance(node, _MONOTONE):
        others = [part for name, part in node.args.items() if name != "this"]
        if any(isinstance(part, exp.Expr) and is_noisy(part) for part in others):
            return None
        ends = find_ends(node.this)
        return ends and build_call(node, ends)
    if isinstance(node, exp.Cast) and node.to.this in _NUMBERS:
        ends = find_ends(node.this)
        return ends and (_cast(node, ends[0]), _cast(node, ends[1]))
    if isinstance(node, exp.Neg):
        ends = find_ends(node.this)
        return ends and (exp.Neg(this=_wrap(ends[1])), exp.Neg(this=_wrap(ends[0])))
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
        left, right = find_ends(node.this), find_ends(node.expression)
        return None if left is None or right is None else _combine(node, left, right)
    if isinstance(node, exp.Nullif):
        return _bound_nullif(node, find_ends, is_noisy)
    if isinstance(node, exp.Coalesce):
        return _bound_coalesce(node, find_ends, is_noisy)
    if isinstance(node, exp.Case) and node.this is None:
        return _bound_case(node, find_ends, is_noisy)
    return None


def _combine(node: exp.Expr, left: Ends, right: Ends) -> Ends:
    """Return the ends of a sum, difference, product or quotient."""

    def apply(a: exp.Expr, b: exp.Expr) -> exp.Expr:
        return exp.Paren(this=replace_args(node, this=_wrap(a), expression=_wrap(b)))

    if isinstance(node, exp.Add):
        return apply(left[0], right[0]), apply(left[1], right[1])
    if isinstance(node, exp.Sub):
        return apply(left[0], right[1]), apply(left[1], right[0])
    corners = [apply(a, b) for a, b in product(_list_different(left), _list_different(right))]
    low = exp.Least(this=corners[0].copy(), expressions=corners[1:])
    high = exp.Greatest(this=corners[0].copy(), expressions=[one.copy() for one in corners[1:]])
    if isinstance(node, exp.Mul):
        return low, high
    zero = exp.Literal.number(0)
    apart = exp.Or(
        this=exp.GT(this=_wrap(right[0]), expression=zero),
        expression=exp.LT(this=_wrap(right[1]), expression=zero.copy()),
    )
    # A quotient whose denominator may be 0 can have any value, and none.
    known = [node] if len(_list_different(right)) == 1 else [left[0], right[0]]
    return _choose(apart, low, "-inf", known), _choose(apart, high, "inf", known)


def _choose(
    condition: exp.Expr, end: exp.Expr, otherwise: str, parts: Sequence[exp.Expr]
) -> exp.Expr:
    """Build CASE: the end under a condition, NULL where one of the parts is NULL, or else
    infinity."""
    infinite = exp.cast(exp.Literal.string(otherwise), "double")
    known = [exp.Not(this=exp.Is(this=_wrap(part), expression=exp.Null())) for part in parts]
    branches = [
        exp.If(this=condition.copy(), true=end),
        exp.If(this=exp.and_(*known, copy=False), true=infinite),
    ]
    return exp.Case(ifs=branches)


def _cast(node: exp.Cast, end: exp.Expr) -> exp.Expr:
    """Convert an end like the value; one that the type cannot hold stays what it is."""
    tried = exp.TryCast(this=_wrap(end), to=node.to.copy())
    return exp.Coalesce(this=tried, expressions=[end.copy()])


def _list_different(ends: Ends) -> Sequence[exp.Expr]:
    return ends[:1] if ends[0] == ends[1] else ends


def _wrap(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node.copy())


def _bound_nullif(
    node: exp.Nullif,
    find_ends: Callable[[exp.Expr], Ends | None],
    is_noisy: Callable[[exp.Expr], bool],
) -> Ends | None:
    """Return the ends of NULLIF(x, 0): those of x where it cannot be 0."""
    ends = find_ends(node.this)
    if ends is None or is_noisy(node.expression):
        return None
    apart = exp.Or(
        this=exp.GT(this=_wrap(ends[0]), expression=_wrap(node.expression)),
        expression=exp.LT(this=_wrap(ends[1]), expression=_wrap(node.expression)),
    )
    low, high = (
        _choose(apart, end.copy(), far, ends[:1])
        for end, far in zip(ends, ("-inf", "inf"), strict=True)
    )
    return low, high


def _bound_coalesce(
    node: exp.Coalesce,
    find_ends: Callable[[exp.Expr], Ends | None],
    is_noisy: Callable[[exp.Expr], bool],
) -> Ends | None:
    """Return the ends of COALESCE(x, 0): those of x where it is not NULL."""
    ends = find_ends(node.this)
    if ends is None or any(map(is_noisy, node.expressions)):
        return None
    return build_call(node, ends)


def _bound_case(
    node: exp.Case,
    find_ends: Callable[[exp.Expr], Ends | None],
    is_noisy: Callable[[exp.Expr], bool],
) -> Ends | None:
    """Return the ends of CASE with conditions that are exact."""
    default = node.args.get("default")
    if any(is_noisy(branch.this) for branch in node.args["ifs"]):
        return None
    values = [branch.args["true"] for branch in node.args["ifs"]]
    found = [find_ends(value) for value in (*values, *([] if default is None else [default]))]
    known = [ends for ends in found if ends is not None]
    if len(known) < len(found):
        return None

    def build(end: int) -> exp.Expr:
        branches = [
            replace_args(branch, true=ends[end])
            for branch, ends in zip(node.args["ifs"], known, strict=False)
        ]
        rest = None if default is None else known[-1][end].copy()
        return exp.Case(ifs=branches, default=rest)

    return build(0), build(1)
