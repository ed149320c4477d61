"""The expression reader of a mechanism's source. Every case that is not listed is refused with its
line.

Noise becomes a statement of the program where it is drawn. Concrete values are evaluated at once,
so that a flag selects its branch and a sensitivity of 1 is the number 1.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from hedgerow.privacy.grid import Grid
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ArraySize,
    BoundMethod,
    ConcreteValue,
    InstanceValue,
    OptionalValue,
    QualifiedName,
    SamplePoolValue,
    SymbolicArray,
    SymbolicValue,
    TupleValue,
)
from hedgerow.verify.language.classes.intrinsics import ArrayDtype, ProgramEmitter
from hedgerow.verify.language.classes.modules import (
    ClassSource,
    FunctionSource,
    ModuleSource,
    PackageSource,
)
from hedgerow.verify.language.classes.operators import (
    apply_arithmetic,
    apply_comparison,
    apply_unary,
)
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["ExpressionReader", "SourceScope"]

_MAX_DEPTH: Final = 30
_BUILTINS: Final = frozenset(
    {"bool", "getattr", "int", "isinstance", "list", "max", "min", "object", "tuple", "type"}
)
# The attributes that the source can read of concrete values.
_READABLE_ATTRIBUTES: Final[dict[type, frozenset[str]]] = {
    Grid: frozenset({"step", "whole"}),
    Sensitivity: frozenset({"l0", "l1", "linf", "l2_squared"}),
    Fraction: frozenset({"numerator", "denominator"}),
    int: frozenset({"numerator", "denominator"}),
    ArrayDtype: frozenset({"kind"}),
}
_METHOD_OWNERS: Final = (
    InstanceValue,
    ConcreteValue,
    SymbolicValue,
    SymbolicArray,
    SamplePoolValue,
)
_DTYPE_KINDS: Final = {"int": "i", "real": "f", "bool": "b"}


@dataclass
class SourceScope:
    """The names of one function, and the module in which other names are looked up."""

    module: ModuleSource
    names: dict[str, AbstractValue] = field(default_factory=dict)
    program_variables: dict[str, str] = field(default_factory=dict)
    line: int = 0  # of the call, if the function is in another file

    def copy(self) -> SourceScope:
        return SourceScope(self.module, dict(self.names), self.program_variables, self.line)


@dataclass
class ExpressionReader(ProgramEmitter, ABC):
    """A reader of expressions; its subclasses add calls and statements."""

    package: PackageSource
    # program variables that are assigned more than once
    reassigned: set[str] = field(default_factory=set, init=False)
    source_texts: dict[str, str] = field(default_factory=dict, init=False)
    _depth: int = field(default=0, init=False)

    def read(self, node: ast.expr, scope: SourceScope) -> AbstractValue:
        self._depth += 1
        self._line = scope.line or node.lineno
        try:
            if self._depth > _MAX_DEPTH:
                raise UnsupportedProgram(
                    f"expressions are nested more than {_MAX_DEPTH} deep; split the expression"
                )
            return self._read_node(node, scope)
        except UnsupportedProgram as outside:
            if outside.place.line:
                raise
            raise UnsupportedProgram(outside.reason, Place(scope.line or node.lineno)) from None
        except (ArithmeticError, TypeError):  # while evaluating concrete values
            raise UnsupportedProgram(
                f"{format_node(node)} cannot be evaluated; correct it",
                Place(scope.line or node.lineno),
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
                return apply_unary(node, self.read(node.operand, scope))
            case ast.BinOp():
                return apply_arithmetic(
                    node, self.read(node.left, scope), self.read(node.right, scope)
                )
            case ast.Compare():
                return apply_comparison(
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
        raise refuse_construct(format_node(node))

    def is_reassigned(self, value: AbstractValue) -> bool:
        """Return whether the value mentions a variable that may change later."""
        return isinstance(value, SymbolicValue) and any(
            isinstance(one, ast.Name) and one.id in self.reassigned for one in ast.walk(value.node)
        )

    def _read_name(self, node: ast.Name, scope: SourceScope) -> AbstractValue:
        if node.id in scope.names:
            return scope.names[node.id]
        found = scope.module.find_definition(node.id)
        match found:
            case QualifiedName() | FunctionSource():
                return found
            case ClassSource():
                return QualifiedName(f"{scope.module.name}.{found.name}")
            case ast.expr():
                return self.read(found, SourceScope(scope.module, line=scope.line or node.lineno))
        if node.id in _BUILTINS:
            return QualifiedName(f"builtins.{node.id}")
        raise UnsupportedProgram(f"{node.id} is not defined here; define or import it")

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
                category = "b" if of.categories == 2 else "i"
                kind = category if of.kind == "category" else _DTYPE_KINDS[of.kind]
                return ConcreteValue(ArrayDtype(kind))
        if isinstance(of, _METHOD_OWNERS):
            return BoundMethod(of, name)
        raise refuse_construct(format_node(node))

    def _read_boolean_operation(self, node: ast.BoolOp, scope: SourceScope) -> AbstractValue:
        """Read ``and`` or ``or``; a concrete operand decides whether the rest is read."""
        parts: list[ast.expr] = []
        stops = isinstance(node.op, ast.Or)
        for one in node.values:
            value = self._read_without_draws(one, scope) if parts else self.read(one, scope)
            if isinstance(value, ConcreteValue):
                if bool(value.value) is stops and not parts:
                    return ConcreteValue(stops)
                if bool(value.value) is stops:
                    raise refuse_construct(format_node(node))
                continue
            parts.append(self._require_boolean(value, node))
        if not parts:
            return ConcreteValue(not stops)
        return SymbolicValue(parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts), "bool")

    def _require_boolean(self, value: AbstractValue, node: ast.AST) -> ast.expr:
        if not isinstance(value, SymbolicValue) or value.kind != "bool":
            raise UnsupportedProgram(
                f"{format_node(node)} is not a Boolean; compare it, as in x > 0"
            )
        return value.node

    def _read_without_draws(self, node: ast.expr, scope: SourceScope) -> AbstractValue:
        """Read an expression that may not be evaluated and so must not draw."""
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
        raise refuse_construct(format_node(node))

    def _read_comprehension(self, node: ast.ListComp, scope: SourceScope) -> AbstractValue:
        """Read a list comprehension as an array; it must not draw."""
        loop = node.generators[0]
        over = self.read(loop.iter, scope)
        if (
            len(node.generators) > 1
            or loop.ifs
            or loop.is_async
            or not isinstance(loop.target, ast.Name)
            or not isinstance(over, SymbolicArray)
        ):
            raise refuse_construct(format_node(node))
        target, then = loop.target.id, scope.copy()

        def entry(place: ast.expr) -> SymbolicValue:
            inner = then.copy()
            inner.names[target] = over.entry(place)
            found = self._read_without_draws(node.elt, inner)
            if not isinstance(found, SymbolicValue):
                raise refuse_construct(format_node(node))
            return found

        first = entry(ast.Constant(0))
        if self.is_reassigned(first):  # entries are evaluated later, after the variable may change
            raise refuse_construct(format_node(node))
        return SymbolicArray(entry, first.kind, over.draws, first.categories)

    @abstractmethod
    def _read_call(self, node: ast.Call, scope: SourceScope) -> AbstractValue: ...
