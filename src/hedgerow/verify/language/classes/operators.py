"""Operators in a mechanism's source: arithmetic and comparisons on abstract values.

Operations on concrete values are evaluated; operations on symbolic values become expressions of the
program.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from hedgerow.privacy.grid import Grid
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ArraySize,
    ConcreteValue,
    LossValue,
    QualifiedName,
    SymbolicArray,
    SymbolicValue,
    get_entry,
    merge_draws,
)
from hedgerow.verify.language.classes.intrinsics import ArrayDtype, build_expression
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["apply_arithmetic", "apply_comparison", "apply_unary"]

_MAX_EXPONENT: Final = 64
_ARITHMETIC: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a) / Fraction(b),
    ast.Pow: lambda a, b: (
        a**b if isinstance(b, int) and abs(b) <= _MAX_EXPONENT else _refuse_exponent()
    ),
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
}
_NUMBER_TYPES: Final = (int, Fraction)


def apply_unary(node: ast.UnaryOp, value: AbstractValue) -> AbstractValue:
    if isinstance(value, ConcreteValue) and isinstance(value.value, bool | int | Fraction):
        return ConcreteValue(not value.value if isinstance(node.op, ast.Not) else -value.value)
    if isinstance(value, SymbolicValue) and isinstance(node.op, ast.Not | ast.USub):
        return SymbolicValue(
            ast.UnaryOp(node.op, value.node),
            "bool" if isinstance(node.op, ast.Not) else value.kind,
        )
    raise refuse_construct(format_node(node))


def apply_arithmetic(
    node: ast.BinOp | ast.AugAssign, left: AbstractValue, right: AbstractValue
) -> AbstractValue:
    work = _ARITHMETIC.get(type(node.op))
    if work is None:
        raise refuse_construct(f"the operator in {format_node(node)}")
    match left, right:
        case ConcreteValue(), ConcreteValue() if isinstance(
            left.value, _NUMBER_TYPES
        ) and isinstance(right.value, _NUMBER_TYPES):
            return ConcreteValue(work(left.value, right.value))
        case LossValue(), LossValue() if isinstance(node.op, ast.Add):
            deltas = [one for one in (left.delta, right.delta) if one is not None]
            delta = (
                apply_arithmetic(node, *deltas) if len(deltas) == 2 else next(iter(deltas), None)
            )
            return LossValue(apply_arithmetic(node, left.epsilon, right.epsilon), delta)
        case ConcreteValue(value=1), LossValue() if isinstance(node.op, ast.Mult):
            return right
        case (SymbolicArray(), _) | (_, SymbolicArray()):
            return _apply_by_cell(node, left, right)
        case ((SymbolicValue() | ConcreteValue()), (SymbolicValue() | ConcreteValue())):
            return _build_arithmetic(node, left, right)
    raise refuse_construct(format_node(node))


def _build_arithmetic(
    node: ast.BinOp | ast.AugAssign, left: AbstractValue, right: AbstractValue
) -> SymbolicValue:
    kinds = [_get_kind(one) for one in (left, right)]
    if "category" in kinds or "bound" in kinds:
        raise UnsupportedProgram(
            f"arithmetic on a category or a bound, as in {format_node(node)}, is not in the"
            " language; use numbers"
        )
    sides = [_convert_boolean(one) for one in (left, right)]
    if (
        right == ConcreteValue(1)
        and isinstance(node.op, ast.Mult | ast.Div)
        and isinstance(left, SymbolicValue)
    ):
        return SymbolicValue(sides[0], kinds[0])
    if (
        left == ConcreteValue(1)
        and isinstance(node.op, ast.Mult)
        and isinstance(right, SymbolicValue)
    ):
        return SymbolicValue(sides[1], kinds[1])
    kind = "real" if isinstance(node.op, ast.Div) or "real" in kinds else "int"
    return SymbolicValue(ast.BinOp(sides[0], node.op, sides[1]), kind)


def _get_kind(value: AbstractValue) -> str:
    if isinstance(value, SymbolicValue):
        return value.kind
    return "int" if isinstance(value, ConcreteValue) and isinstance(value.value, int) else "real"


def _convert_boolean(value: AbstractValue) -> ast.expr:
    """Build the expression of a value; True counts as 1."""
    if isinstance(value, SymbolicValue) and value.kind == "bool":
        return ast.IfExp(value.node, ast.Constant(1), ast.Constant(0))
    return build_expression(value)


def _apply_by_cell(
    node: ast.BinOp | ast.AugAssign, left: AbstractValue, right: AbstractValue
) -> SymbolicArray:
    if not all(
        isinstance(one, SymbolicValue | SymbolicArray | ConcreteValue) for one in (left, right)
    ):
        raise refuse_construct(format_node(node))

    def entry(place: ast.expr) -> SymbolicValue:
        return _build_arithmetic(node, get_entry(left, place), get_entry(right, place))

    return SymbolicArray(entry, entry(ast.Constant(0)).kind, merge_draws(left, right))


def apply_comparison(node: ast.Compare, values: list[AbstractValue]) -> AbstractValue:
    total: AbstractValue = ConcreteValue(True)
    for word, left, right in zip(node.ops, values, values[1:], strict=False):
        one = _compare(node, word, left, right)
        if isinstance(one, ConcreteValue) and not one.value:
            return one
        total = (
            one
            if isinstance(total, ConcreteValue)
            else SymbolicValue(
                ast.BoolOp(ast.And(), [build_expression(total), build_expression(one)]), "bool"
            )
        )
    return total


def _compare(
    node: ast.Compare, word: ast.cmpop, left: AbstractValue, right: AbstractValue
) -> AbstractValue:
    if type(word) not in _COMPARISONS:
        raise refuse_construct(format_node(node))
    left, right = (_resolve_size(one) for one in (left, right))
    match left, right:
        case ConcreteValue(), ConcreteValue() if not isinstance(left.value, Grid | Sensitivity):
            return ConcreteValue(_COMPARISONS[type(word)](left.value, right.value))
        case QualifiedName(), QualifiedName() if isinstance(word, ast.Is | ast.Eq):
            return ConcreteValue(left == right)
        case ConcreteValue(value=ArrayDtype() as dtype), QualifiedName() if isinstance(
            word, ast.Eq | ast.NotEq
        ):
            return ConcreteValue(
                (right.name == {"b": "numpy.bool_", "i": "numpy.int64"}.get(dtype.kind))
                is isinstance(word, ast.Eq)
            )
        case (
            (SymbolicValue(kind="category") | SymbolicArray(kind="category")),
            ConcreteValue(),
        ):
            return _compare_category(node, word, left.categories, right.value)
        case (
            (SymbolicValue() | ConcreteValue()),
            (SymbolicValue() | ConcreteValue()),
        ) if not isinstance(word, ast.Is | ast.IsNot | ast.In):
            return SymbolicValue(
                ast.Compare(_convert_boolean(left), [word], [_convert_boolean(right)]),
                "bool",
            )
    raise refuse_construct(format_node(node))


def _refuse_exponent() -> Fraction:
    raise UnsupportedProgram(f"an exponent must be an integer of at most {_MAX_EXPONENT}")


def _compare_category(node: ast.Compare, word: ast.cmpop, of: int, bound: object) -> ConcreteValue:
    """Compare a category, one of 0, …, ``categories`` - 1, with a bound that decides it."""
    if isinstance(bound, int) and (
        (isinstance(word, ast.Lt) and bound <= 0) or (isinstance(word, ast.GtE) and bound >= of)
    ):
        return ConcreteValue(False)
    raise UnsupportedProgram(
        f"the comparison {format_node(node)} of a category is not in the language; compare with 0"
        " or the number of categories"
    )


def _resolve_size(value: AbstractValue) -> AbstractValue:
    """Return a number of cells as a number."""
    match value:
        case ArraySize(array=SymbolicArray()):
            return SymbolicValue(ast.Name("size", ast.Load()), "int")
        case ArraySize():
            return ConcreteValue(1)
        case _:
            return value
