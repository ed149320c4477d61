"""Expressions of a mechanism's source, as values. What is not listed here is refused with its line.

Noise becomes a statement of the program where it is drawn. What is known while reading is worked out at once, so that a flag chooses its
branch and a sensitivity of 1 is the number 1.
"""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from hedgerow.privacy.grid import Grid
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.modules import Class, Imported, Library, Module, Routine
from hedgerow.verify.language.classes.values import (
    Cells,
    Cost,
    Known,
    Maybe,
    Method,
    Several,
    Size,
    Stock,
    Thing,
    Told,
    Value,
    Word,
)
from hedgerow.verify.language.classes.words import Dtype, plain
from hedgerow.verify.language.lowering import Fresh
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import said

__all__ = ["Expressions", "Scope"]

_DEEPEST: Final = 30  # functions within functions, and expressions within expressions
_POWER: Final = 64
_BUILTINS: Final = frozenset({"bool", "getattr", "int", "isinstance", "list", "max", "min", "object", "tuple", "type"})
_ARITHMETIC: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a) / Fraction(b),
    ast.Pow: lambda a, b: a**b if isinstance(b, int) and abs(b) <= _POWER else _no_power(),
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
_NUMBERS: Final = (int, Fraction)
# What may be looked at, and run, of what is known.
_SEEN: Final[dict[type, frozenset[str]]] = {
    Grid: frozenset({"step", "whole"}),
    Sensitivity: frozenset({"l0", "l1", "linf", "l2_squared"}),
    Fraction: frozenset({"numerator", "denominator"}),
    int: frozenset({"numerator", "denominator"}),
    Dtype: frozenset({"kind"}),
}
_KINDS: Final = {"int": "i", "real": "f", "bool": "b"}


@dataclass
class Scope:
    """The names of one function, and the module in which other names are looked up."""

    module: Module
    names: dict[str, Value] = field(default_factory=dict)
    slots: dict[str, str] = field(default_factory=dict)
    line: int = 0  # of the call, where the function stands in another file

    def inner(self) -> Scope:
        return Scope(self.module, dict(self.names), self.slots, self.line)


@dataclass
class Expressions(ABC):
    """Reads expressions; ``Statements`` adds the rest. ``public`` are the program's public parameters."""

    library: Library
    public: frozenset[str]
    fresh: Fresh

    def __post_init__(self) -> None:
        self.block: list[ast.stmt] = []
        self.whole: dict[str, None] = {}
        self.changing: set[str] = set()  # variables of the program that are assigned more than once
        self.read_functions: dict[str, str] = {}
        self._depth = 0
        self._line = 0
        self._fixed = False
        self.silent = False  # a claim is worked out: nothing is drawn, and no variable is needed

    # --- for the meanings of words ---------------------------------------------------------------------------------------------------

    def emit(self, statement: ast.stmt) -> None:
        if self.silent:
            raise Outside("nothing can be drawn here", self._here())
        if self._fixed:
            raise Outside("noise is drawn in a part of an expression that may not be reached; draw it before", self._here())
        self._place(statement)
        self.block.append(statement)

    def _place(self, node: ast.AST) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.expr | ast.stmt) and not hasattr(one, "lineno"):
                one.lineno = one.end_lineno = self._line
                one.col_offset = one.end_col_offset = 0

    def placed(self, node: ast.expr) -> ast.expr:
        self._place(node)
        return node

    def _here(self) -> Place:
        return Place(self._line)

    def name(self, wanted: str) -> str:
        return self.fresh.name(wanted)

    def at_least_one(self, value: Told) -> None:
        if not isinstance(value.node, ast.Name) or value.node.id not in self.public:
            raise Outside("only a parameter is seen to be at least 1", self._here())
        self.whole[value.node.id] = None

    def from_one(self, node: ast.expr) -> bool:
        """A whole parameter from 1 on, less at most 1."""
        match node:
            case ast.BinOp(left=left, op=ast.Sub() | ast.Add(), right=ast.Constant(value=int() as less)):
                return self.from_one(left) if isinstance(node.op, ast.Add) and less >= 0 else less <= 1 and self._bare(left)
            case _:
                return self._bare(node)

    def _bare(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.whole

    # --- expressions -----------------------------------------------------------------------------------------------------------------

    def read(self, node: ast.expr, scope: Scope) -> Value:
        self._depth += 1
        self._line = scope.line or node.lineno
        try:
            if self._depth > _DEEPEST:
                raise Outside("there are too many expressions within expressions")
            return self._read(node, scope)
        except Outside as outside:
            if outside.place.line:
                raise
            raise Outside(outside.reason, Place(scope.line or node.lineno)) from None
        except (ArithmeticError, TypeError):  # of what is known
            raise Outside(f"{said(node)} has no value", Place(scope.line or node.lineno)) from None
        finally:
            self._depth -= 1

    def _read(self, node: ast.expr, scope: Scope) -> Value:
        match node:
            case ast.Constant():
                return Known(node.value)
            case ast.Name():
                return self._named(node, scope)
            case ast.Attribute():
                return self.attribute(self.read(node.value, scope), node.attr, node)
            case ast.Tuple():
                return Several(tuple(self.read(one, scope) for one in node.elts))
            case ast.UnaryOp():
                return self._unary(node, self.read(node.operand, scope))
            case ast.BinOp():
                return self.arithmetic(node, self.read(node.left, scope), self.read(node.right, scope))
            case ast.Compare():
                return self._comparison(node, [self.read(one, scope) for one in (node.left, *node.comparators)])
            case ast.BoolOp():
                return self._both(node, scope)
            case ast.IfExp():
                return self._choice(node, scope)
            case ast.ListComp():
                return self._comprehension(node, scope)
            case ast.Call():
                return self._call(node, scope)
        raise Outside(f"{said(node)} is not understood")

    def changes(self, value: Value) -> bool:
        """Whether it speaks of a variable that may have another value later."""
        return isinstance(value, Told) and any(isinstance(one, ast.Name) and one.id in self.changing for one in ast.walk(value.node))

    def _named(self, node: ast.Name, scope: Scope) -> Value:
        if node.id in scope.names:
            return scope.names[node.id]
        found = scope.module.named(node.id)
        match found:
            case Imported():
                return Word(found.name)
            case Class():
                return Word(f"{scope.module.name}.{found.name}")
            case ast.FunctionDef():
                return Routine(found, scope.module)
            case ast.expr():
                return self.read(found, Scope(scope.module, line=scope.line or node.lineno))
        if node.id in _BUILTINS:
            return Word(f"builtins.{node.id}")
        raise Outside(f"{node.id} has no value here")

    def attribute(self, of: Value, name: str, node: ast.AST) -> Value:
        match of:
            case Word():
                return Word(f"{of.name}.{name}")
            case Thing() if name in of.fields:
                return of.fields[name]
            case Known() if name in _SEEN.get(type(of.value), ()):
                return Known(getattr(of.value, name))
            case Told() | Cells() if name in ("size", "shape"):
                return Size(of)
            case Told() | Cells() if name == "ndim":
                return Known(int(isinstance(of, Cells)))
            case Told() | Cells() if name == "dtype":
                return Known(Dtype(("b" if of.of == 2 else "i") if of.kind == "category" else _KINDS[of.kind]))
            case Thing() | Known() | Told() | Cells() | Stock():
                return Method(of, name)
        raise Outside(f"{said(node)} is not understood")

    def _unary(self, node: ast.UnaryOp, value: Value) -> Value:
        if isinstance(value, Known) and isinstance(value.value, bool | int | Fraction):
            return Known(not value.value if isinstance(node.op, ast.Not) else -value.value)
        if isinstance(value, Told) and isinstance(node.op, ast.Not | ast.USub):
            return Told(ast.UnaryOp(node.op, value.node), "bool" if isinstance(node.op, ast.Not) else value.kind)
        raise Outside(f"{said(node)} is not understood")

    def arithmetic(self, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Value:
        work = _ARITHMETIC.get(type(node.op))
        if work is None:
            raise Outside(f"the operator in {said(node)} is not understood")
        match left, right:
            case Known(), Known() if isinstance(left.value, _NUMBERS) and isinstance(right.value, _NUMBERS):
                return Known(work(left.value, right.value))
            case Cost(), Cost() if isinstance(node.op, ast.Add):
                deltas = [one for one in (left.delta, right.delta) if one is not None]
                both = self.arithmetic(node, *deltas) if len(deltas) == 2 else deltas[0] if deltas else None
                return Cost(self.arithmetic(node, left.epsilon, right.epsilon), both)
            case Known(value=1), Cost() if isinstance(node.op, ast.Mult):
                return right
            case (Cells(), _) | (_, Cells()):
                return self._celled(node, left, right)
            case ((Told() | Known()), (Told() | Known())):
                return self._summed(node, left, right)
        raise Outside(f"{said(node)} is not understood")

    def _summed(self, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Told:
        kinds = [one.kind if isinstance(one, Told) else "int" if isinstance(one.value, int) else "real" for one in (left, right)]  # type: ignore[union-attr]
        if "category" in kinds or "bound" in kinds:
            raise Outside(f"{said(node)}: nothing is known of such a sum")
        sides = [self._counted(one) for one in (left, right)]
        if right == Known(1) and isinstance(node.op, ast.Mult | ast.Div) and isinstance(left, Told):
            return Told(sides[0], kinds[0])
        if left == Known(1) and isinstance(node.op, ast.Mult) and isinstance(right, Told):
            return Told(sides[1], kinds[1])
        kind = "real" if isinstance(node.op, ast.Div) or "real" in kinds else "int"
        return Told(ast.BinOp(sides[0], node.op, sides[1]), kind)

    @staticmethod
    def _counted(value: Value) -> ast.expr:
        """True counts as 1."""
        if isinstance(value, Told) and value.kind == "bool":
            return ast.IfExp(value.node, ast.Constant(1), ast.Constant(0))
        return plain(value)

    def _celled(self, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Cells:
        """Cell by cell."""
        if not all(isinstance(one, Told | Cells | Known) for one in (left, right)):
            raise Outside(f"{said(node)} is not understood")
        draws = tuple(dict.fromkeys(arm for one in (left, right) if isinstance(one, Cells) for arm in one.draws))

        def entry(place: ast.expr) -> Told:
            return self._summed(node, *(one.entry(place) if isinstance(one, Cells) else one for one in (left, right)))

        return Cells(entry, entry(ast.Constant(0)).kind, draws)

    def _comparison(self, node: ast.Compare, values: list[Value]) -> Value:
        whole: Value = Known(True)
        for word, left, right in zip(node.ops, values, values[1:], strict=False):
            one = self._compared(node, word, left, right)
            if isinstance(one, Known) and not one.value:
                return one
            whole = one if isinstance(whole, Known) else Told(ast.BoolOp(ast.And(), [plain(whole), plain(one)]), "bool")
        return whole

    def _compared(self, node: ast.Compare, word: ast.cmpop, left: Value, right: Value) -> Value:
        if type(word) not in _COMPARISONS:
            raise Outside(f"{said(node)} is not understood")
        left, right = (_measured(one) for one in (left, right))
        match left, right:
            case Known(), Known() if not isinstance(left.value, Grid | Sensitivity):
                return Known(_COMPARISONS[type(word)](left.value, right.value))
            case Word(), Word() if isinstance(word, ast.Is | ast.Eq):
                return Known(left == right)
            case Known(value=Dtype() as dtype), Word() if isinstance(word, ast.Eq | ast.NotEq):
                return Known((right.name == {"b": "numpy.bool_", "i": "numpy.int64"}.get(dtype.kind)) is isinstance(word, ast.Eq))
            case ((Told(kind="category") | Cells(kind="category")), Known()):
                return _inside(node, word, left.of, right.value)
            case ((Told() | Known()), (Told() | Known())) if not isinstance(word, ast.Is | ast.IsNot | ast.In):
                return Told(ast.Compare(self._counted(left), [word], [self._counted(right)]), "bool")
        raise Outside(f"{said(node)} is not understood")

    def _both(self, node: ast.BoolOp, scope: Scope) -> Value:
        """As Python has it: what is known decides whether the rest is looked at."""
        parts: list[ast.expr] = []
        stops = isinstance(node.op, ast.Or)
        for one in node.values:
            value = self._careful(one, scope) if parts else self.read(one, scope)
            if isinstance(value, Known):
                if bool(value.value) is stops and not parts:
                    return Known(stops)
                if bool(value.value) is stops:
                    raise Outside(f"{said(node)} is not understood")
                continue
            parts.append(self._truth(value, node))
        if not parts:
            return Known(not stops)
        return Told(parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts), "bool")

    def _truth(self, value: Value, node: ast.AST) -> ast.expr:
        if not isinstance(value, Told) or value.kind != "bool":
            raise Outside(f"{said(node)}: only what is True or False decides")
        return value.node

    def _careful(self, node: ast.expr, scope: Scope) -> Value:
        """What may not be reached draws nothing."""
        before, self._fixed = self._fixed, True
        try:
            return self.read(node, scope)
        finally:
            self._fixed = before

    def _choice(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.read(node.test, scope)
        if isinstance(test, Known):
            return self.read(node.body if test.value else node.orelse, scope)
        condition = self._truth(test, node)
        then, otherwise = self._careful(node.body, scope), self._careful(node.orelse, scope)
        if otherwise == Known(None) and isinstance(then, Told):
            return Maybe(condition, then)
        if isinstance(then, Told) and isinstance(otherwise, Told) and (then.kind, then.of) == (otherwise.kind, otherwise.of):
            return Told(ast.IfExp(condition, then.node, otherwise.node), then.kind, then.of)
        raise Outside(f"{said(node)} is not understood")

    def _comprehension(self, node: ast.ListComp, scope: Scope) -> Value:
        """Every entry of a list, seen to one by one; nothing is drawn."""
        loop = node.generators[0]
        over = self.read(loop.iter, scope)
        if len(node.generators) > 1 or loop.ifs or loop.is_async or not isinstance(loop.target, ast.Name) or not isinstance(over, Cells):
            raise Outside(f"{said(node)} is not understood")
        target, then = loop.target.id, scope.inner()

        def entry(place: ast.expr) -> Told:
            inner = then.inner()
            inner.names[target] = over.entry(place)
            found = self._careful(node.elt, inner)
            if not isinstance(found, Told):
                raise Outside(f"{said(node)} is not understood")
            return found

        first = entry(ast.Constant(0))
        if self.changes(first):  # it is worked out later than it is written
            raise Outside(f"{said(node)} is not understood")
        return Cells(entry, first.kind, over.draws, first.of)

    @abstractmethod
    def _call(self, node: ast.Call, scope: Scope) -> Value:
        """What a call gives."""


def _no_power() -> Fraction:
    raise Outside(f"an exponent is a whole number up to {_POWER}")


def _inside(node: ast.Compare, word: ast.cmpop, of: int, bound: object) -> Known:
    """A category is one of 0, …, of - 1."""
    if isinstance(bound, int) and ((isinstance(word, ast.Lt) and bound <= 0) or (isinstance(word, ast.GtE) and bound >= of)):
        return Known(False)
    raise Outside(f"{said(node)}: nothing is known of such a comparison")


def _measured(value: Value) -> Value:
    """A number of cells as a number."""
    if isinstance(value, Size):
        return Told(ast.Name("size", ast.Load()), "int") if isinstance(value.like, Cells) else Known(1)
    return value
