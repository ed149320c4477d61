"""The expression reader of restricted Python. Every case that is not listed is refused with its
line.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_exact
from hedgerow.verify.language.program import (
    NOISE_PARAMETER_COUNTS,
    Apply,
    Expression,
    Length,
    Name,
    Noise,
    Number,
    Parameter,
    Place,
    Read,
    Sample,
    Truth,
)
from hedgerow.verify.language.signature import (
    CENTRED_NOISES,
    FUNCTIONS,
    NOISE_NAMES,
    build_number,
    negate,
)
from hedgerow.verify.language.steps import NameSupply
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["PythonExpressionReader", "find_called_name", "find_place", "format_node"]

_MAX_DEPTH: Final = 60
_MAX_EXPONENT: Final = 8  # a power becomes a product
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


def find_place(node: ast.AST) -> Place:
    return Place(getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


class PythonExpressionReader:
    """A reader of expressions. Noise in an expression is drawn before it: ``draws`` collects the
    draws, and a name takes the place of each.
    """

    def __init__(self, parameters: Sequence[Parameter], fresh: NameSupply) -> None:
        self.lists = {one.name for one in parameters if one.list}
        self.name_supply = fresh
        self.draws: list[Sample] = []

    def read(self, node: ast.expr, depth: int = 0) -> Expression:
        if depth > _MAX_DEPTH:
            raise UnsupportedProgram(
                f"expressions are nested more than {_MAX_DEPTH} deep; split the expression",
                find_place(node),
            )
        place = find_place(node)

        def inner(one: ast.expr) -> Expression:
            return self.read(one, depth + 1)

        match node:
            case ast.Constant():
                return _build_literal(node.value, place)
            case ast.Name() if node.id in self.lists:
                raise UnsupportedProgram(
                    f"the list {node.id} can only be indexed; write {node.id}[i]", place
                )
            case ast.Name():
                return Name(node.id, place)
            case ast.UnaryOp():
                return _build_unary(node, inner(node.operand), place)
            case ast.BinOp():
                return self._read_binary(node, inner(node.left), place, depth)
            case ast.BoolOp():
                word = "and" if isinstance(node.op, ast.And) else "or"
                return _chain(word, [inner(one) for one in node.values], place)
            case ast.Compare():
                return self._read_comparison(
                    node, [inner(one) for one in (node.left, *node.comparators)], place
                )
            case ast.IfExp():
                return Apply("if", (inner(node.test), inner(node.body), inner(node.orelse)), place)
            case ast.Subscript():
                return self._read_entry(node, depth, place)
            case ast.Call():
                return self._read_call(node, depth, place)
        raise refuse_construct(format_node(node), place)

    def _read_binary(
        self, node: ast.BinOp, left: Expression, place: Place, depth: int
    ) -> Expression:
        if isinstance(node.op, ast.Pow):
            return _build_power(left, node.right, place)
        right = self.read(node.right, depth + 1)
        if isinstance(node.op, ast.FloorDiv):
            return Apply("floor", (Apply("/", (left, right), place),), place)
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            raise refuse_construct(f"the operator in {format_node(node)}", place)
        return Apply(operator, (left, right), place)

    def _read_comparison(
        self, node: ast.Compare, values: list[Expression], place: Place
    ) -> Expression:
        parts: list[Expression] = []
        for word, left, right in zip(node.ops, values, values[1:], strict=False):
            known = _COMPARISONS.get(type(word))
            if known is None:
                raise UnsupportedProgram(
                    f"{format_node(node)} is not in the language; compare with <, <=, >, >=, =="
                    " or !=",
                    place,
                )
            operator, swapped = known
            parts.append(Apply(operator, (right, left) if swapped else (left, right), place))
        return _chain("and", parts, place)

    def _read_entry(self, node: ast.Subscript, depth: int, place: Place) -> Expression:
        if not isinstance(node.value, ast.Name) or node.value.id not in self.lists:
            raise UnsupportedProgram(
                f"{format_node(node)} is not in the language; only a list parameter can be indexed",
                place,
            )
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            raise UnsupportedProgram(
                f"{format_node(node)} is not in the language; read one entry at a time", place
            )
        index = self.read(node.slice, depth + 1)
        if isinstance(index, Number) and index.value < 0:
            raise UnsupportedProgram(
                f"the index of {format_node(node)} is negative; write"
                f" {node.value.id}[len({node.value.id}) - 1]",
                place,
            )
        return Read(node.value.id, index, place)

    def _read_call(self, node: ast.Call, depth: int, place: Place) -> Expression:
        word = find_called_name(node)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise UnsupportedProgram(
                f"{format_node(node)}: pass arguments by position, without * or keywords", place
            )
        if (
            word == "len"
            and len(node.args) == 1
            and isinstance(node.args[0], ast.Name)
            and node.args[0].id in self.lists
        ):
            return Length(node.args[0].id, place)
        if word not in NOISE_NAMES and word not in FUNCTIONS:
            raise UnsupportedProgram(
                f"{word or format_node(node)} cannot be called in a mechanism; use noise or one of"
                f" {', '.join(sorted(FUNCTIONS))}",
                place,
            )
        arguments = [self.read(one, depth + 1) for one in node.args]
        if word in NOISE_NAMES:
            return add_draw(NOISE_NAMES[word], arguments, place, self.draws, self.name_supply)
        operator, count = FUNCTIONS[word]
        if operator in ("min", "max") and len(arguments) > 2:
            return _chain(operator, arguments, place)
        if len(arguments) != count:
            raise UnsupportedProgram(
                f"{word} takes {count} argument{'s' if count > 1 else ''}", place
            )
        return Apply(operator, tuple(arguments), place)

    def take_draws(self) -> list[Sample]:
        """Return the collected draws and start a new list."""
        draws, self.draws = self.draws, []
        return draws


def add_draw(
    noise: Noise,
    arguments: list[Expression],
    place: Place,
    draws: list[Sample],
    fresh: NameSupply,
) -> Expression:
    """Append a draw and return its value. If there is one argument too many, the first is the
    centre.
    """
    count = NOISE_PARAMETER_COUNTS[noise]
    centred = noise in CENTRED_NOISES and len(arguments) == count + 1
    if len(arguments) != count and not centred:
        raise UnsupportedProgram(
            f"{noise.value} takes {count} parameter{'s' if count > 1 else ''}", place
        )
    name = fresh.make_name("noise")
    draws.append(Sample(name, noise, tuple(arguments[-count:]), 0, place))
    return Apply("+", (arguments[0], Name(name, place)), place) if centred else Name(name, place)


def find_called_name(node: ast.Call) -> str | None:
    """Return the name of the called function, without a leading ``math.``; None for a call of
    anything else.
    """
    match node.func:
        case ast.Attribute(value=ast.Name(id="math"), attr=name) | ast.Name(id=name):
            return name
    return None


def format_node(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:39] + "…"


def _build_literal(value: object, place: Place) -> Expression:
    if isinstance(value, bool):
        return Truth(value, place)
    if not isinstance(value, int | float):
        shown = "None" if value is None else repr(str(value)[:40])
        raise UnsupportedProgram(f"{shown} is not a number, True or False; use one of these", place)
    try:
        return build_number(parse_exact(value, "number"), place)
    except InvalidArgument:
        raise UnsupportedProgram("a number must be finite", place) from None


def _build_unary(node: ast.UnaryOp, value: Expression, place: Place) -> Expression:
    match node.op:
        case ast.USub():
            return negate(value, place)
        case ast.UAdd():
            return value
        case ast.Not():
            return Apply("not", (value,), place)
        case _:
            return Apply("bits~", (value,), place)


def _build_power(base: Expression, exponent: ast.expr, place: Place) -> Expression:
    """Return x ** 3 as a product; the exponent must be a small integer."""
    if (
        not isinstance(exponent, ast.Constant)
        or type(exponent.value) is not int
        or not 0 <= exponent.value <= _MAX_EXPONENT
    ):
        raise UnsupportedProgram(
            f"an exponent must be an integer literal from 0 to {_MAX_EXPONENT}", place
        )
    if not exponent.value:
        return Number(Fraction(1), place)
    return _chain("*", [base] * exponent.value, place)


def _chain(operator: str, parts: Sequence[Expression], place: Place) -> Expression:
    return reduce(lambda left, right: Apply(operator, (left, right), place), parts)
