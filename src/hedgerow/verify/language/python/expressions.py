"""Expressions of a Python function. What is not listed here is refused with its line: no case passes over something silently."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import exact
from hedgerow.verify.language.lowering import Draw, Fresh, both
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import PARAMETERS, Apply, Expression, Length, Name, Noise, Number, Parameter, Place, Read, Truth
from hedgerow.verify.language.signature import CENTRED, FUNCTIONS, NOISES, number

__all__ = ["Reader", "called", "place_of", "said"]

_DEEPEST: Final = 60  # expressions within expressions
_POWER: Final = 8  # x ** 8 is written out as a product
_OPERATORS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitXor: "xor",
    ast.BitAnd: "bits&",
    ast.BitOr: "bits|",
}
_COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, bool]]] = {
    ast.Lt: ("<", False),
    ast.LtE: ("<=", False),
    ast.Gt: ("<", True),
    ast.GtE: ("<=", True),
    ast.Eq: ("==", False),
    ast.NotEq: ("!=", False),
}


def place_of(node: ast.AST) -> Place:
    return Place(getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


class Reader:
    """Reads expressions. Noise in one is drawn before it: the draws gather in ``draws``, and a name stands for each."""

    def __init__(self, parameters: Sequence[Parameter], fresh: Fresh) -> None:
        self.lists = {one.name for one in parameters if one.list}
        self.fresh = fresh
        self.draws: list[Draw] = []

    def read(self, node: ast.expr, depth: int = 0) -> Expression:
        if depth > _DEEPEST:
            raise Outside(f"there are more than {_DEEPEST} expressions within expressions", place_of(node))
        place = place_of(node)

        def inner(one: ast.expr) -> Expression:
            return self.read(one, depth + 1)

        match node:
            case ast.Constant():
                return _literal(node.value, place)
            case ast.Name() if node.id in self.lists:
                raise Outside(f"the list {node.id} can be read by index only, as in {node.id}[i]", place)
            case ast.Name():
                return Name(node.id, place)
            case ast.UnaryOp():
                return _unary(node, inner(node.operand), place)
            case ast.BinOp():
                return self._binary(node, inner(node.left), place, depth)
            case ast.BoolOp():
                word = "and" if isinstance(node.op, ast.And) else "or"
                value = inner(node.values[0])
                for one in node.values[1:]:
                    value = Apply(word, (value, inner(one)), place)
                return value
            case ast.Compare():
                return self._comparison(node, [inner(one) for one in (node.left, *node.comparators)], place)
            case ast.IfExp():
                return Apply("if", (inner(node.test), inner(node.body), inner(node.orelse)), place)
            case ast.Subscript():
                return self._entry(node, depth, place)
            case ast.Call():
                return self._call(node, depth, place)
        raise Outside(f"{said(node)} is not in the language", place)

    def _binary(self, node: ast.BinOp, left: Expression, place: Place, depth: int) -> Expression:
        if isinstance(node.op, ast.Pow):
            return _power(left, node.right, place)
        right = self.read(node.right, depth + 1)
        if isinstance(node.op, ast.FloorDiv):
            return Apply("floor", (Apply("/", (left, right), place),), place)
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            raise Outside(f"the operator in {said(node)} is not in the language", place)
        return Apply(operator, (left, right), place)

    def _comparison(self, node: ast.Compare, values: list[Expression], place: Place) -> Expression:
        whole: Expression | None = None
        for word, left, right in zip(node.ops, values, values[1:], strict=False):
            known = _COMPARISONS.get(type(word))
            if known is None:
                raise Outside(f"{said(node)} is not in the language; compare by <, <=, >, >=, == or !=", place)
            operator, swapped = known
            one = Apply(operator, (right, left) if swapped else (left, right), place)
            whole = one if whole is None else both(whole, one)
        assert whole is not None
        return whole

    def _entry(self, node: ast.Subscript, depth: int, place: Place) -> Expression:
        if not isinstance(node.value, ast.Name) or node.value.id not in self.lists:
            raise Outside(f"{said(node)} is not in the language: only a list among the parameters is read by index", place)
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            raise Outside(f"{said(node)} is not in the language: one entry is read at a time", place)
        index = self.read(node.slice, depth + 1)
        if isinstance(index, Number) and index.value < 0:
            raise Outside(f"{said(node)} counts from the end; write {node.value.id}[len({node.value.id}) - 1]", place)
        return Read(node.value.id, index, place)

    def _call(self, node: ast.Call, depth: int, place: Place) -> Expression:
        word = called(node)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise Outside(f"{said(node)}: arguments are given by place, not by name", place)
        if word == "len" and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id in self.lists:
            return Length(node.args[0].id, place)
        if word in NOISES:
            return self._noise(NOISES[word], [self.read(one, depth + 1) for one in node.args], place)
        if word not in FUNCTIONS:
            raise Outside(f"{word or said(node)} cannot be called in a mechanism", place)
        operator, count = FUNCTIONS[word]
        arguments = [self.read(one, depth + 1) for one in node.args]
        if operator in ("min", "max") and len(arguments) > 2:
            whole = arguments[0]
            for one in arguments[1:]:
                whole = Apply(operator, (whole, one), place)
            return whole
        if len(arguments) != count:
            raise Outside(f"{word} takes {count} argument{'s' if count > 1 else ''}", place)
        return Apply(operator, tuple(arguments), place)

    def _noise(self, noise: Noise, arguments: list[Expression], place: Place) -> Expression:
        return drawn(noise, arguments, place, self.draws, self.fresh)

    def taken(self) -> list[Draw]:
        """The draws gathered so far, which are then forgotten."""
        draws, self.draws = self.draws, []
        return draws


def drawn(noise: Noise, arguments: list[Expression], place: Place, draws: list[Draw], fresh: Fresh) -> Expression:
    """The value of a draw, which goes on the list; with one more argument than the noise takes, the first is its centre."""
    count = PARAMETERS[noise]
    centred = noise in CENTRED and len(arguments) == count + 1
    if len(arguments) != count and not centred:
        raise Outside(f"{noise.value} takes {count} parameter{'s' if count > 1 else ''}", place)
    name = fresh.name("noise")
    draws.append(Draw(name, noise, tuple(arguments[-count:]), place))
    return Apply("+", (arguments[0], Name(name, place)), place) if centred else Name(name, place)


def called(node: ast.Call) -> str | None:
    """The word that is called, also where it is written math.sqrt; None where it is no word."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "math":
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def said(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:39] + "…"


def _literal(value: object, place: Place) -> Expression:
    if isinstance(value, bool):
        return Truth(value, place)
    if not isinstance(value, int | float):
        raise Outside(f"{str(value)[:40]!r} is not a number, True or False" if value is not None else "None is not a value", place)
    try:
        return number(exact(value, "number"), place)
    except InvalidArgument:
        raise Outside("a number must be finite", place) from None


def _unary(node: ast.UnaryOp, value: Expression, place: Place) -> Expression:
    match node.op:
        case ast.USub() if isinstance(value, Number):
            return Number(-value.value, place)
        case ast.USub():
            return Apply("negate", (value,), place)
        case ast.UAdd():
            return value
        case ast.Not():
            return Apply("not", (value,), place)
        case _:
            return Apply("bits~", (value,), place)


def _power(base: Expression, exponent: ast.expr, place: Place) -> Expression:
    """x ** 3 as a product; the exponent is a small whole number."""
    if not isinstance(exponent, ast.Constant) or type(exponent.value) is not int or not 0 <= exponent.value <= _POWER:
        raise Outside(f"an exponent must be a whole number from 0 to {_POWER}, written out", place)
    whole: Expression = Number(Fraction(1), place)
    for count in range(exponent.value):
        whole = Apply("*", (whole, base), place) if count else base
    return whole
