"""Canonical expressions: expressions that mean the same are rewritten to one form, as far as these
rules go.

Each rule keeps the value on every row, including NULLs, and the type. None relies on a range, since
ranges are not trusted. Reals are not regrouped, because the sum of three doubles depends on the
order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    evaluate,
    infer_range,
    insert_casts,
)
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.values import Range, Type

__all__ = ["encode_expression", "flatten", "simplify"]

_MIRRORED: Final = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED: Final = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TRUE: Final = Constant(True, "boolean")
_FALSE: Final = Constant(False, "boolean")
_MAX_SHIFTABLE: Final = 2**62  # one more still fits in 64 bits


class _RangeCache:
    """The ranges of expressions over some columns, each computed once: recomputing every
    subexpression of every expression would take too long.
    """

    def __init__(self, columns: Mapping[str, Range]) -> None:
        self.columns = columns
        # by identity; the expression is kept, so that it stays the same one
        self._ranges: dict[int, tuple[Expression, Range]] = {}

    def infer_range(self, expression: Expression) -> Range:
        """Return the range of an expression."""
        if not isinstance(expression, Call):
            return infer_range(expression, self.columns)
        if id(expression) not in self._ranges:
            result = FUNCTIONS[expression.function].infer_range(
                [self.infer_range(argument) for argument in expression.arguments]
            )
            self._ranges[id(expression)] = expression, result
        return self._ranges[id(expression)][1]


def encode_expression(expression: Expression) -> str:
    """Return a text that no other expression has."""
    return json.dumps(_encode_parts(expression), separators=(",", ":"))


def _encode_parts(expression: Expression) -> list[object]:
    if isinstance(expression, ColumnRef):
        return ["read", expression.column]
    if isinstance(expression, Constant):
        value = expression.value
        return [
            "constant",
            expression.type,
            value if value is None or isinstance(value, str) else str(value),
        ]
    return [expression.function, *map(_encode_parts, expression.arguments)]


def simplify(expression: Expression, columns: Mapping[str, Range]) -> Expression:
    """Rewrite an expression to its canonical form: apply the rules until nothing changes."""
    known = _RangeCache(columns)
    while (changed := _simplify_once(expression, known)) != expression:
        expression = changed
    return expression


def _simplify_once(expression: Expression, known: _RangeCache) -> Expression:
    if not isinstance(expression, Call):
        return expression
    name = expression.function
    if name in ("and", "or"):
        return _simplify_junction(
            name, [_simplify_once(part, known) for part in flatten(expression, name)]
        )
    if name == "not":
        return _simplify_negation(_simplify_once(expression.arguments[0], known), known)
    type_ = known.infer_range(expression).type
    call = Call(name, tuple(_simplify_once(argument, known) for argument in expression.arguments))
    if FUNCTIONS[name].strict and any(map(_is_null, call.arguments)):
        return Constant(None, type_)
    if name == "case":
        call = Call(
            name,
            tuple(
                Constant(None, type_) if _is_null(argument) else argument
                for argument in call.arguments
            ),
        )
    if all(isinstance(argument, Constant) for argument in call.arguments):
        value = evaluate(insert_casts(call, known.columns), {})
        # Dividing by next to nothing may give what cannot be written.
        return call if isinstance(value, float) and math.isinf(value) else Constant(value, type_)
    return _restore_type(_simplify_call(call, known), type_, known)


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value is None


def _restore_type(expression: Expression, type_: Type, known: _RangeCache) -> Expression:
    """Cast an expression back to its type: a rule may leave an integer where a real is due, or a
    NULL of another type.
    """
    if isinstance(expression, Constant):
        return Constant(expression.value, type_)
    return (
        Call("to real", (expression,))
        if known.infer_range(expression).type != type_
        else expression
    )


def _simplify_call(call: Call, known: _RangeCache) -> Expression:
    name, arguments = call.function, call.arguments
    if name in _MIRRORED:
        return _simplify_comparison(name, arguments[0], arguments[1], known)
    if name in ("+", "-", "*"):
        return _simplify_arithmetic(name, arguments[0], arguments[1], known)
    if name == "in":
        return _simplify_membership(arguments, known)
    if name in _SIMPLIFIERS:
        return _SIMPLIFIERS[name](call)
    if name in ("floor", "ceil", "round", "to real"):
        done = "real" if name == "to real" else "integer"
        return arguments[0] if known.infer_range(arguments[0]).type == done else call
    if name == "negate" and isinstance(arguments[0], Call) and arguments[0].function == "negate":
        return arguments[0].arguments[0]
    if (
        name == "like"
        and isinstance(arguments[1], Constant)
        and not {"%", "_"} & set(str(arguments[1].value))
    ):
        return _simplify_comparison("=", arguments[0], arguments[1], known)
    return call


def _simplify_arithmetic(
    name: str, left: Expression, right: Expression, known: _RangeCache
) -> Expression:
    if name != "-" and encode_expression(left) > encode_expression(right):
        left, right = right, left
    whole = Call(name, (left, right))
    for other, one in ((left, right),) if name == "-" else ((left, right), (right, left)):
        nothing = isinstance(one, Constant) and one.value == (1 if name == "*" else 0)
        if nothing and known.infer_range(other).type == known.infer_range(whole).type:
            return other
    return whole


def _simplify_comparison(
    name: str, left: Expression, right: Expression, known: _RangeCache
) -> Expression:
    """Put the constant on the right, or else the side with the smaller text on the left. For
    integers, x < 5 becomes x <= 4.
    """
    if isinstance(left, Constant) or (
        not isinstance(right, Constant) and encode_expression(left) > encode_expression(right)
    ):
        name, left, right = _MIRRORED[name], right, left
    if not isinstance(right, Constant):
        return Call(name, (left, right))
    type_, value = known.infer_range(left).type, right.value
    if isinstance(value, bool) and name in ("=", "<>"):
        return left if (name == "=") == value else _simplify_negation(left, known)
    if type_ == "real":
        right = Constant(value, "real")
    elif (
        type_ == right.type == "integer"
        and isinstance(value, int)
        and abs(value) < _MAX_SHIFTABLE
        and name in ("<", ">")
    ):
        name, right = name + "=", Constant(value + (1 if name == ">" else -1), "integer")
    return Call(name, (left, right))


def _simplify_negation(part: Expression, known: _RangeCache) -> Expression:
    """Push a negation inwards. In three-valued logic too, not (a < b) is a >= b, and not (a and b)
    is (not a) or (not b).
    """
    if isinstance(part, Constant):
        return Constant(None if part.value is None else not part.value, "boolean")
    if not isinstance(part, Call):
        return Call("not", (part,))
    if part.function in ("and", "or"):
        return _simplify_junction(
            "or" if part.function == "and" else "and",
            [_simplify_negation(inner, known) for inner in part.arguments],
        )
    if part.function in _NEGATED:
        return _simplify_comparison(
            _NEGATED[part.function], part.arguments[0], part.arguments[1], known
        )
    return part.arguments[0] if part.function == "not" else Call("not", (part,))


def _simplify_membership(arguments: Sequence[Expression], known: _RangeCache) -> Expression:
    """Sort the list of IN. Constants beside a real are compared as reals; NULL equals nothing."""
    value = arguments[0]
    types = [known.infer_range(argument).type for argument in arguments if not _is_null(argument)]
    type_ = "real" if "real" in types else types[0]
    among = _sort_unique(
        Constant(other.value, type_) if isinstance(other, Constant) else other
        for other in arguments[1:]
    )
    if _is_null(value) or all(map(_is_null, among)):
        return Constant(None, "boolean")
    return (
        Call("in", (value, *among))
        if len(among) > 1
        else _simplify_comparison("=", value, among[0], known)
    )


def _sort_unique(parts: Iterable[Expression]) -> list[Expression]:
    """Return each expression once, in the order of their texts."""
    return [part for _, part in sorted({encode_expression(part): part for part in parts}.items())]


def flatten(expression: Expression, name: str) -> Iterator[Expression]:
    """Yield the operands of a chain of one function, in order."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call) and part.function == name:
            waiting.extend(reversed(part.arguments))
        else:
            yield part


def _simplify_junction(name: str, parts: Iterable[Expression]) -> Expression:
    """Simplify AND or OR of operands that are simple already."""
    idle, decides = (_TRUE, _FALSE) if name == "and" else (_FALSE, _TRUE)
    kept: list[Expression] = []
    lists: dict[tuple[str, str], tuple[Expression, list[Expression]]] = {}
    for part in flatten(Call(name, tuple(parts)), name):
        listed = _match_value_list(part, name)
        if part == decides:
            return decides
        if listed is not None:
            lists.setdefault((encode_expression(listed[0]), listed[1][0].type), (listed[0], []))[
                1
            ].extend(listed[1])
        elif part != idle:
            kept.append(part)
    kept = _sort_unique(
        [
            *kept,
            *(
                _build_value_list(name, value, _sort_unique(among))
                for value, among in lists.values()
            ),
        ]
    )
    return Call(name, tuple(kept)) if len(kept) > 1 else kept[0] if kept else idle


def _match_value_list(part: Expression, name: str) -> tuple[Expression, list[Constant]] | None:
    """Return (value, constants) if an operand of OR requires the value to be in a list, or one of
    AND requires it not to be; None otherwise.
    """
    if name == "and" and isinstance(part, Call) and part.function == "not":
        part = part.arguments[0]
        if not (isinstance(part, Call) and part.function == "in"):
            return None
    elif not (
        isinstance(part, Call) and part.function in (("in", "=") if name == "or" else ("<>",))
    ):
        return None
    constants = [
        other
        for other in part.arguments[1:]
        if isinstance(other, Constant) and other.value is not None
    ]
    return (part.arguments[0], constants) if len(constants) == len(part.arguments) - 1 else None


def _build_value_list(name: str, value: Expression, among: Sequence[Expression]) -> Expression:
    if len(among) == 1:
        return Call("=" if name == "or" else "<>", (value, among[0]))
    listed = Call("in", (value, *among))
    return listed if name == "or" else Call("not", (listed,))


def _simplify_case(call: Call) -> Expression:
    """Drop branches that are never taken, those after one that is always taken, and last ones that
    equal the default.
    """
    taken, otherwise = [], call.arguments[-1]
    for condition, value in zip(call.arguments[0:-1:2], call.arguments[1::2], strict=True):
        if condition == _TRUE:
            otherwise = value
            break
        if not isinstance(condition, Constant):
            taken.append((condition, value))
    while taken and taken[-1][1] == otherwise:
        taken.pop()
    return (
        Call("case", (*(part for pair in taken for part in pair), otherwise))
        if taken
        else otherwise
    )


def _simplify_coalesce(call: Call) -> Expression:
    """Drop NULLs, repetitions, and everything after a constant."""
    parts: dict[Expression, None] = {}
    for part in flatten(call, "coalesce"):
        if not _is_null(part):
            parts[part] = None
        if isinstance(part, Constant) and part.value is not None:
            break
    return Call("coalesce", tuple(parts)) if len(parts) > 1 else next(iter(parts))


def _simplify_nullif(call: Call) -> Expression:
    """Drop a comparison with NULL, which equals nothing."""
    return call.arguments[0] if any(map(_is_null, call.arguments)) else call


_SIMPLIFIERS: Final = {
    "case": _simplify_case,
    "coalesce": _simplify_coalesce,
    "nullif": _simplify_nullif,
}
