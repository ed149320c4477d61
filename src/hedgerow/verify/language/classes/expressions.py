"""Expressions of a mechanism's source, as values. What is not listed here is refused with its line.

Noise becomes a statement of the program where it is drawn. What is known while reading is worked
out at once, so that a flag chooses its branch and a sensitivity of 1 is the number 1.
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
from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ArraySize,
    BoundMethod,
    ConcreteValue,
    InstanceValue,
    LossValue,
    OptionalValue,
    QualifiedName,
    ReserveValue,
    SymbolicArray,
    SymbolicValue,
    TupleValue,
)
from hedgerow.verify.language.classes.intrinsics import ArrayDtype, build_expression
from hedgerow.verify.language.classes.modules import (
    ClassSource,
    FunctionSource,
    ImportedName,
    ModuleSource,
    PackageSource,
)
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.steps import NameSupply
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["ExpressionReader", "SourceScope"]

_MAX_DEPTH: Final = 30  # functions within functions, and expressions within expressions
_MAX_EXPONENT: Final = 64
_BUILTINS: Final = frozenset(
    {"bool", "getattr", "int", "isinstance", "list", "max", "min", "object", "tuple", "type"}
)
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
# What may be looked at, and run, of what is known.
_READABLE_ATTRIBUTES: Final[dict[type, frozenset[str]]] = {
    Grid: frozenset({"step", "whole"}),
    Sensitivity: frozenset({"l0", "l1", "linf", "l2_squared"}),
    Fraction: frozenset({"numerator", "denominator"}),
    int: frozenset({"numerator", "denominator"}),
    ArrayDtype: frozenset({"kind"}),
}
_DTYPE_KINDS: Final = {"int": "i", "real": "f", "bool": "b"}


@dataclass
class SourceScope:
    """The names of one function, and the module in which other names are looked up."""

    module: ModuleSource
    names: dict[str, AbstractValue] = field(default_factory=dict)
    program_variables: dict[str, str] = field(default_factory=dict)
    line: int = 0  # of the call, where the function stands in another file

    def copy(self) -> SourceScope:
        return SourceScope(self.module, dict(self.names), self.program_variables, self.line)


@dataclass
class ExpressionReader(ABC):
    """Reads expressions; ``Statements`` adds the rest. ``public`` are the program's public
    parameters.
    """

    package: PackageSource
    public_parameters: frozenset[str]
    name_supply: NameSupply

    def __post_init__(self) -> None:
        self.block: list[ast.stmt] = []
        self.positive_parameters: dict[str, None] = {}
        # variables of the program that are assigned more than once
        self.reassigned: set[str] = set()
        self.source_texts: dict[str, str] = {}
        self._depth = 0
        self._line = 0
        self._forbids_draws = False
        self.is_pure = False  # a claim is worked out: nothing is drawn, and no variable is needed

    # --- for the meanings of words
    # ---------------------------------------------------------------------------------------------------

    def emit(self, statement: ast.stmt) -> None:
        if self.is_pure:
            raise UnsupportedProgram("nothing can be drawn here", self._get_place())
        if self._forbids_draws:
            raise UnsupportedProgram(
                "noise is drawn in a part of an expression that may not be reached; draw it before",
                self._get_place(),
            )
        self._set_lines(statement)
        self.block.append(statement)

    def _set_lines(self, node: ast.AST) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.expr | ast.stmt) and not hasattr(one, "lineno"):
                one.lineno = one.end_lineno = self._line
                one.col_offset = one.end_col_offset = 0

    def locate(self, node: ast.expr) -> ast.expr:
        self._set_lines(node)
        return node

    def _get_place(self) -> Place:
        return Place(self._line)

    def make_name(self, wanted: str) -> str:
        return self.name_supply.make_name(wanted)

    def require_at_least_one(self, value: SymbolicValue) -> None:
        if not isinstance(value.node, ast.Name) or value.node.id not in self.public_parameters:
            raise UnsupportedProgram("only a parameter is seen to be at least 1", self._get_place())
        self.positive_parameters[value.node.id] = None

    def is_nonnegative(self, node: ast.expr) -> bool:
        """A whole parameter from 1 on, less at most 1."""
        match node:
            case ast.BinOp(
                left=left, op=ast.Sub() | ast.Add(), right=ast.Constant(value=int() as less)
            ):
                return (
                    self.is_nonnegative(left)
                    if isinstance(node.op, ast.Add) and less >= 0
                    else less <= 1 and self._is_positive_parameter(left)
                )
            case _:
                return self._is_positive_parameter(node)

    def _is_positive_parameter(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.positive_parameters

    # --- expressions
    # -----------------------------------------------------------------------------------------------------------------

    def read(self, node: ast.expr, scope: SourceScope) -> AbstractValue:
        self._depth += 1
        self._line = scope.line or node.lineno
        try:
            if self._depth > _MAX_DEPTH:
                raise UnsupportedProgram("there are too many expressions within expressions")
            return self._read_node(node, scope)
        except UnsupportedProgram as outside:
            if outside.place.line:
                raise
            raise UnsupportedProgram(outside.reason, Place(scope.line or node.lineno)) from None
        except (ArithmeticError, TypeError):  # of what is known
            raise UnsupportedProgram(
                f"{format_node(node)} has no value", Place(scope.line or node.lineno)
            ) from None
        finally:
            self._depth -= 1

    def _read_node(self, node: ast.expr, scope: SourceScope) -> AbstractValue:
        match node:
            case ast.Constant():
                return ConcreteValue(node.value)
            case ast.Name():
                return self._read_name(node, scope)
            case ast.Attribute():
                return self.read_attribute(self.read(node.value, scope), node.attr, node)
            case ast.Tuple():
                return TupleValue(tuple(self.read(one, scope) for one in node.elts))
            case ast.UnaryOp():
                return self._apply_unary(node, self.read(node.operand, scope))
            case ast.BinOp():
                return self.apply_arithmetic(
                    node, self.read(node.left, scope), self.read(node.right, scope)
                )
            case ast.Compare():
                return self._apply_comparison(
                    node, [self.read(one, scope) for one in (node.left, *node.comparators)]
                )
            case ast.BoolOp():
                return self._read_boolean_operation(node, scope)
            case ast.IfExp():
                return self._read_choice(node, scope)
            case ast.ListComp():
                return self._read_comprehension(node, scope)
            case ast.Call():
                return self._read_call(node, scope)
        raise UnsupportedProgram(f"{format_node(node)} is not understood")

    def is_reassigned(self, value: AbstractValue) -> bool:
        """Whether it speaks of a variable that may have another value later."""
        return isinstance(value, SymbolicValue) and any(
            isinstance(one, ast.Name) and one.id in self.reassigned for one in ast.walk(value.node)
        )

    def _read_name(self, node: ast.Name, scope: SourceScope) -> AbstractValue:
        if node.id in scope.names:
            return scope.names[node.id]
        found = scope.module.find_definition(node.id)
        match found:
            case ImportedName():
                return QualifiedName(found.name)
            case ClassSource():
                return QualifiedName(f"{scope.module.name}.{found.name}")
            case ast.FunctionDef():
                return FunctionSource(found, scope.module)
            case ast.expr():
                return self.read(found, SourceScope(scope.module, line=scope.line or node.lineno))
        if node.id in _BUILTINS:
            return QualifiedName(f"builtins.{node.id}")
        raise UnsupportedProgram(f"{node.id} has no value here")

    def read_attribute(self, of: AbstractValue, name: str, node: ast.AST) -> AbstractValue:
        match of:
            case QualifiedName():
                return QualifiedName(f"{of.name}.{name}")
            case InstanceValue() if name in of.fields:
                return of.fields[name]
            case ConcreteValue() if name in _READABLE_ATTRIBUTES.get(type(of.value), ()):
                return ConcreteValue(getattr(of.value, name))
            case SymbolicValue() | SymbolicArray() if name in ("size", "shape"):
                return ArraySize(of)
            case SymbolicValue() | SymbolicArray() if name == "ndim":
                return ConcreteValue(int(isinstance(of, SymbolicArray)))
            case SymbolicValue() | SymbolicArray() if name == "dtype":
                return ConcreteValue(
                    ArrayDtype(
                        ("b" if of.categories == 2 else "i")
                        if of.kind == "category"
                        else _DTYPE_KINDS[of.kind]
                    )
                )
            case (
                InstanceValue()
                | ConcreteValue()
                | SymbolicValue()
                | SymbolicArray()
                | ReserveValue()
            ):
                return BoundMethod(of, name)
        raise UnsupportedProgram(f"{format_node(node)} is not understood")

    def _apply_unary(self, node: ast.UnaryOp, value: AbstractValue) -> AbstractValue:
        if isinstance(value, ConcreteValue) and isinstance(value.value, bool | int | Fraction):
            return ConcreteValue(not value.value if isinstance(node.op, ast.Not) else -value.value)
        if isinstance(value, SymbolicValue) and isinstance(node.op, ast.Not | ast.USub):
            return SymbolicValue(
                ast.UnaryOp(node.op, value.node),
                "bool" if isinstance(node.op, ast.Not) else value.kind,
            )
        raise UnsupportedProgram(f"{format_node(node)} is not understood")

    def apply_arithmetic(
        self, node: ast.BinOp | ast.AugAssign, left: AbstractValue, right: AbstractValue
    ) -> AbstractValue:
        work = _ARITHMETIC.get(type(node.op))
        if work is None:
            raise UnsupportedProgram(f"the operator in {format_node(node)} is not understood")
        match left, right:
            case ConcreteValue(), ConcreteValue() if isinstance(
                left.value, _NUMBER_TYPES
            ) and isinstance(right.value, _NUMBER_TYPES):
                return ConcreteValue(work(left.value, right.value))
            case LossValue(), LossValue() if isinstance(node.op, ast.Add):
                deltas = [one for one in (left.delta, right.delta) if one is not None]
                both = (
                    self.apply_arithmetic(node, *deltas)
                    if len(deltas) == 2
                    else deltas[0]
                    if deltas
                    else None
                )
                return LossValue(self.apply_arithmetic(node, left.epsilon, right.epsilon), both)
            case ConcreteValue(value=1), LossValue() if isinstance(node.op, ast.Mult):
                return right
            case (SymbolicArray(), _) | (_, SymbolicArray()):
                return self._apply_by_cell(node, left, right)
            case ((SymbolicValue() | ConcreteValue()), (SymbolicValue() | ConcreteValue())):
                return self._build_arithmetic(node, left, right)
        raise UnsupportedProgram(f"{format_node(node)} is not understood")

    def _build_arithmetic(
        self, node: ast.BinOp | ast.AugAssign, left: AbstractValue, right: AbstractValue
    ) -> SymbolicValue:
        kinds = [
            (
                one.kind
                if isinstance(one, SymbolicValue)
                else "int"
                if isinstance(one.value, int)  # type: ignore[union-attr]
                else "real"
            )
            for one in (left, right)
        ]
        if "category" in kinds or "bound" in kinds:
            raise UnsupportedProgram(f"{format_node(node)}: nothing is known of such a sum")
        sides = [self._convert_boolean(one) for one in (left, right)]
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

    @staticmethod
    def _convert_boolean(value: AbstractValue) -> ast.expr:
        """True counts as 1."""
        if isinstance(value, SymbolicValue) and value.kind == "bool":
            return ast.IfExp(value.node, ast.Constant(1), ast.Constant(0))
        return build_expression(value)

    def _apply_by_cell(
        self, node: ast.BinOp | ast.AugAssign, left: AbstractValue, right: AbstractValue
    ) -> SymbolicArray:
        """Cell by cell."""
        if not all(
            isinstance(one, SymbolicValue | SymbolicArray | ConcreteValue) for one in (left, right)
        ):
            raise UnsupportedProgram(f"{format_node(node)} is not understood")
        draws = tuple(
            dict.fromkeys(
                arm for one in (left, right) if isinstance(one, SymbolicArray) for arm in one.draws
            )
        )

        def entry(place: ast.expr) -> SymbolicValue:
            return self._build_arithmetic(
                node,
                *(
                    one.entry(place) if isinstance(one, SymbolicArray) else one
                    for one in (left, right)
                ),
            )

        return SymbolicArray(entry, entry(ast.Constant(0)).kind, draws)

    def _apply_comparison(self, node: ast.Compare, values: list[AbstractValue]) -> AbstractValue:
        whole: AbstractValue = ConcreteValue(True)
        for word, left, right in zip(node.ops, values, values[1:], strict=False):
            one = self._compare(node, word, left, right)
            if isinstance(one, ConcreteValue) and not one.value:
                return one
            whole = (
                one
                if isinstance(whole, ConcreteValue)
                else SymbolicValue(
                    ast.BoolOp(ast.And(), [build_expression(whole), build_expression(one)]), "bool"
                )
            )
        return whole

    def _compare(
        self, node: ast.Compare, word: ast.cmpop, left: AbstractValue, right: AbstractValue
    ) -> AbstractValue:
        if type(word) not in _COMPARISONS:
            raise UnsupportedProgram(f"{format_node(node)} is not understood")
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
                    ast.Compare(
                        self._convert_boolean(left), [word], [self._convert_boolean(right)]
                    ),
                    "bool",
                )
        raise UnsupportedProgram(f"{format_node(node)} is not understood")

    def _read_boolean_operation(self, node: ast.BoolOp, scope: SourceScope) -> AbstractValue:
        """As Python has it: what is known decides whether the rest is looked at."""
        parts: list[ast.expr] = []
        stops = isinstance(node.op, ast.Or)
        for one in node.values:
            value = self._read_without_draws(one, scope) if parts else self.read(one, scope)
            if isinstance(value, ConcreteValue):
                if bool(value.value) is stops and not parts:
                    return ConcreteValue(stops)
                if bool(value.value) is stops:
                    raise UnsupportedProgram(f"{format_node(node)} is not understood")
                continue
            parts.append(self._require_boolean(value, node))
        if not parts:
            return ConcreteValue(not stops)
        return SymbolicValue(parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts), "bool")

    def _require_boolean(self, value: AbstractValue, node: ast.AST) -> ast.expr:
        if not isinstance(value, SymbolicValue) or value.kind != "bool":
            raise UnsupportedProgram(f"{format_node(node)}: only what is True or False decides")
        return value.node

    def _read_without_draws(self, node: ast.expr, scope: SourceScope) -> AbstractValue:
        """What may not be reached draws nothing."""
        before, self._forbids_draws = self._forbids_draws, True
        try:
            return self.read(node, scope)
        finally:
            self._forbids_draws = before

    def _read_choice(self, node: ast.IfExp, scope: SourceScope) -> AbstractValue:
        test = self.read(node.test, scope)
        if isinstance(test, ConcreteValue):
            return self.read(node.body if test.value else node.orelse, scope)
        condition = self._require_boolean(test, node)
        then, otherwise = (
            self._read_without_draws(node.body, scope),
            self._read_without_draws(node.orelse, scope),
        )
        if otherwise == ConcreteValue(None) and isinstance(then, SymbolicValue):
            return OptionalValue(condition, then)
        if (
            isinstance(then, SymbolicValue)
            and isinstance(otherwise, SymbolicValue)
            and (then.kind, then.categories) == (otherwise.kind, otherwise.categories)
        ):
            return SymbolicValue(
                ast.IfExp(condition, then.node, otherwise.node), then.kind, then.categories
            )
        raise UnsupportedProgram(f"{format_node(node)} is not understood")

    def _read_comprehension(self, node: ast.ListComp, scope: SourceScope) -> AbstractValue:
        """Every entry of a list, seen to one by one; nothing is drawn."""
        loop = node.generators[0]
        over = self.read(loop.iter, scope)
        if (
            len(node.generators) > 1
            or loop.ifs
            or loop.is_async
            or not isinstance(loop.target, ast.Name)
            or not isinstance(over, SymbolicArray)
        ):
            raise UnsupportedProgram(f"{format_node(node)} is not understood")
        target, then = loop.target.id, scope.copy()

        def entry(place: ast.expr) -> SymbolicValue:
            inner = then.copy()
            inner.names[target] = over.entry(place)
            found = self._read_without_draws(node.elt, inner)
            if not isinstance(found, SymbolicValue):
                raise UnsupportedProgram(f"{format_node(node)} is not understood")
            return found

        first = entry(ast.Constant(0))
        if self.is_reassigned(first):  # it is worked out later than it is written
            raise UnsupportedProgram(f"{format_node(node)} is not understood")
        return SymbolicArray(entry, first.kind, over.draws, first.categories)

    @abstractmethod
    def _read_call(self, node: ast.Call, scope: SourceScope) -> AbstractValue:
        """What a call gives."""


def _refuse_exponent() -> Fraction:
    raise UnsupportedProgram(f"an exponent is a whole number up to {_MAX_EXPONENT}")


def _compare_category(node: ast.Compare, word: ast.cmpop, of: int, bound: object) -> ConcreteValue:
    """A category is one of 0, …, of - 1."""
    if isinstance(bound, int) and (
        (isinstance(word, ast.Lt) and bound <= 0) or (isinstance(word, ast.GtE) and bound >= of)
    ):
        return ConcreteValue(False)
    raise UnsupportedProgram(f"{format_node(node)}: nothing is known of such a comparison")


def _resolve_size(value: AbstractValue) -> AbstractValue:
    """A number of cells as a number."""
    if isinstance(value, ArraySize):
        return (
            SymbolicValue(ast.Name("size", ast.Load()), "int")
            if isinstance(value.array, SymbolicArray)
            else ConcreteValue(1)
        )
    return value
