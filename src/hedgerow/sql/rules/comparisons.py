"""Rules for = <> < <= > >=, BETWEEN, IN, LIKE, ILIKE and IS DISTINCT FROM."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    explain_invalid_date,
)

__all__ = ["MAX_LIST_LENGTH", "RULES"]

MAX_LIST_LENGTH = 1000
_CONDITION_WORDS = {"1": True, "true": True, "0": False, "false": False}
_OPERANDS = ("this", "expression")
_OPERATORS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


def _check_dates(node: exp.Expr, binder: Binder, values: Sequence[TypedExpression]) -> None:
    """Refuse text that is no valid date or timestamp beside one."""
    texts = [
        value.expression.value
        for value in values
        if isinstance(value.expression, Constant) and value.type == "text"
    ]
    for type_ in {value.type for value in values} & {"date", "timestamp"} if texts else ():
        binder.refuse(node, *explain_invalid_date(str(texts[0]), type_))


def _align_operands(values: Sequence[TypedExpression]) -> list[TypedExpression]:
    """Return operands of one type: beside a condition, 1 and 'true' are TRUE, 0 and 'false' are
    FALSE, and beside a whole number TRUE is 1 and FALSE is 0.
    """
    if any(value.type == "integer" and not _is_constant(value) for value in values):
        values = [_convert_to_integer(value) for value in values]
    if any(value.type == "boolean" and not value.is_null for value in values):
        values = [_convert_to_condition(value) for value in values]
    return align_types(values)


def _is_constant(value: TypedExpression) -> bool:
    return isinstance(value.expression, Constant)


def _convert_to_integer(value: TypedExpression) -> TypedExpression:
    written = value.expression.value if isinstance(value.expression, Constant) else None
    return build_constant(int(written), "integer") if isinstance(written, bool) else value


def _convert_to_condition(value: TypedExpression) -> TypedExpression:
    written = value.expression.value if isinstance(value.expression, Constant) else None
    found = _CONDITION_WORDS.get(str(written).lower()) if type(written) in (int, str) else None
    return value if found is None else build_constant(found, "boolean")


def _bind_comparison(node: exp.Binary, binder: Binder) -> TypedExpression:
    left, right = _align_operands([binder.bind(node.this), binder.bind(node.expression)])
    if left.is_null or right.is_null:
        binder.refuse(
            node,
            "A comparison with NULL is never true",
            "Write x IS NULL or x IS NOT NULL.",
        )
    _check_dates(node, binder, [left, right])
    return binder.apply(node, _OPERATORS[type(node)], left, right)


def _bind_between(node: exp.Between, binder: Binder) -> TypedExpression:
    value, low, high = align_types(
        [binder.bind(node.this), binder.bind(node.args["low"]), binder.bind(node.args["high"])]
    )
    _check_dates(node, binder, [value, low, high])
    within = [
        binder.apply(
            node, "and", binder.apply(node, ">=", value, a), binder.apply(node, "<=", value, b)
        )
        for a, b in (_order_ends(low, high) if node.args.get("symmetric") else [(low, high)])
    ]
    return within[0] if len(within) == 1 else binder.apply(node, "or", *within)


def _order_ends(
    low: TypedExpression, high: TypedExpression
) -> list[tuple[TypedExpression, TypedExpression]]:
    """Return the ends of BETWEEN SYMMETRIC in order; both orders where they are not constants."""
    a, b = low.expression, high.expression
    if (
        not isinstance(a, Constant)
        or not isinstance(b, Constant)
        or (low.type != high.type or low.is_null or high.is_null)
    ):
        return [(low, high), (high, low)]
    return [(high, low) if a.value > b.value else (low, high)]  # type: ignore[operator]


def _bind_null_safe(node: exp.NullSafeEQ | exp.NullSafeNEQ, binder: Binder) -> TypedExpression:
    """Bind IS [NOT] DISTINCT FROM, which takes NULL for a value."""
    left, right = align_types([binder.bind(node.this), binder.bind(node.expression)])
    _check_dates(node, binder, [left, right])
    if left.is_null or right.is_null:
        same = binder.apply(node, "is null", left if right.is_null else right)
    else:
        missing = [binder.apply(node, "is null", side) for side in (left, right)]
        equal, both = binder.apply(node, "=", left, right), binder.apply(node, "and", *missing)
        same = binder.apply(node, "coalesce", equal, both)
    return binder.apply(node, "not", same) if isinstance(node, exp.NullSafeNEQ) else same


def _bind_in(node: exp.In, binder: Binder) -> TypedExpression:
    if len(node.expressions) > MAX_LIST_LENGTH:
        binder.refuse(
            node,
            f"IN has more than {MAX_LIST_LENGTH} values",
            "Use a range, or declare a coarser column in the policy.",
        )
    if not node.expressions:
        binder.refuse(node, "IN needs a list of values", "Write x IN (1, 2).")
    value, *listed = _align_operands([binder.bind(part) for part in (node.this, *node.expressions)])
    _check_dates(node, binder, [value, *listed])
    for part, item in zip(node.expressions, listed, strict=True):
        if item.is_null:
            binder.refuse(
                part,
                "NULL in an IN list never matches",
                "Leave it out; for missing values write x IS NULL.",
            )
    if all(isinstance(item.expression, Constant) for item in listed):
        return binder.apply(node, "in", value, *listed)
    # Values that are not constants may be NULL: compare them one by one.
    each = [binder.apply(node, "=", value, item) for item in listed]
    return each[0] if len(each) == 1 else binder.apply(node, "or", *each)


def _bind_like(node: exp.Like | exp.ILike, binder: Binder) -> TypedExpression:
    value, pattern = align_types([binder.bind(node.this), binder.bind(node.expression)], "text")
    if not isinstance(pattern.expression, Constant) or pattern.is_null:
        binder.refuse(node, "LIKE needs a literal pattern", "Write x LIKE 'a%'.")
    wanted = str(pattern.expression.value)
    if any(sign in wanted for sign in ("\\%", "\\_")):
        binder.refuse(
            node,
            "A backslash before % or _ in LIKE is ambiguous: some databases treat it as an escape",
            (
                "Write STARTS_WITH(x, '5%'), or RIGHT(x, 2) = '5%', where % and _ are plain"
                " characters."
            ),
        )
    if isinstance(node, exp.ILike):
        value = binder.apply(node, "lower", value)
        pattern = build_constant(FUNCTIONS["lower"].evaluate(wanted), "text")
    found = binder.apply(node, "like", value, pattern)
    return binder.apply(node, "not", found) if node.args.get("negate") else found


RULES: tuple[Rule | Refusal, ...] = (
    *(Rule(node, _bind_comparison, _OPERANDS) for node in _OPERATORS),
    Rule(exp.Between, _bind_between, ("this", "low", "high", "symmetric")),
    Rule(exp.In, _bind_in, ("this", "expressions")),
    Rule(exp.Like, _bind_like, ("this", "expression", "negate")),
    Rule(exp.ILike, _bind_like, ("this", "expression", "negate")),
    Rule(exp.NullSafeEQ, _bind_null_safe, _OPERANDS),
    Rule(exp.NullSafeNEQ, _bind_null_safe, _OPERANDS),
    Refusal(
        exp.Escape,
        "LIKE … ESCAPE is not supported",
        "Write LIKE without it: % matches any text, _ one character.",
    ),
)
