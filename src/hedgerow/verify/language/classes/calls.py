"""Calls in a mechanism's source: intrinsics, and functions and methods that are read in turn."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Final

from hedgerow.errors import HedgerowError
from hedgerow.privacy.grid import Grid
from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ArraySize,
    BoundMethod,
    ConcreteValue,
    InstanceValue,
    LossValue,
    QualifiedName,
    SamplePoolValue,
    SymbolicArray,
    SymbolicValue,
    TupleValue,
)
from hedgerow.verify.language.classes.expressions import ExpressionReader, SourceScope
from hedgerow.verify.language.classes.intrinsics import (
    CONCRETE_FUNCTIONS,
    INTRINSICS,
    LOSS_CLASS,
    build_call,
    build_expression,
    emit_draw,
)
from hedgerow.verify.language.classes.modules import ClassSource, FunctionSource
from hedgerow.verify.language.classes.operators import apply_arithmetic
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["CallReader"]

_CONCRETE_METHODS: Final = frozenset({(Grid, "steps")})
_CLASS_SOURCES: Final[dict[type, str]] = {Grid: "hedgerow.privacy.grid.Grid"}


class CallReader(ExpressionReader):
    """A reader of calls; ``StatementReader`` reads the called functions."""

    def _read_call(self, node: ast.Call, scope: SourceScope) -> AbstractValue:
        if any(isinstance(one, ast.Starred) for one in node.args) or any(
            one.arg is None for one in node.keywords
        ):
            raise refuse_construct(format_node(node))
        word = self.read(node.func, scope)
        # only epsilon and delta are claimed; the other fields of a Loss are neither read nor proved
        if word == QualifiedName(LOSS_CLASS):
            claimed = [*node.args[:2], *(one.value for one in node.keywords if one.arg == "delta")]
            return _build_loss([self.read(one, scope) for one in claimed])
        given = [self.read(one, scope) for one in node.args]
        named = {str(one.arg): self.read(one.value, scope) for one in node.keywords}
        self._line = scope.line or node.lineno
        match word:
            case QualifiedName():
                return self._call_intrinsic(word, given, named, node)
            case FunctionSource():
                return self.inline(
                    word.node, SourceScope(word.module, line=scope.line), given, named, node
                )
            case BoundMethod():
                return self._call_method(word, given, named, node, scope)
        raise refuse_construct(format_node(node))

    def _call_intrinsic(
        self,
        word: QualifiedName,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.Call,
    ) -> AbstractValue:
        match word.name:
            case "builtins.isinstance":
                return ConcreteValue(_is_instance(given[0], given[1], node))
            case "builtins.type" if isinstance(given[0], SymbolicValue) and given[0].kind == "int":
                return QualifiedName("builtins.int")
            case "builtins.getattr" if isinstance(given[1], ConcreteValue) and len(given) == 2:
                return self.read_attribute(given[0], str(given[1].value), node)
        concrete = [one.value for one in given if isinstance(one, ConcreteValue)]
        if word.name in CONCRETE_FUNCTIONS and len(concrete) == len(given) and not named:
            try:
                return ConcreteValue(CONCRETE_FUNCTIONS[word.name](*concrete))
            except (HedgerowError, ArithmeticError, TypeError, ValueError):
                raise UnsupportedProgram(
                    f"{format_node(node)} cannot be evaluated; correct its arguments"
                ) from None
        if word.name not in INTRINSICS:
            return self._call_package_function(word.name, given, named, node)
        try:
            return INTRINSICS[word.name](self, given)
        except ValueError:
            raise UnsupportedProgram(
                f"the arguments of {format_node(node)} are not in the language; docs/verify.md"
                " lists what is"
            ) from None

    def _call_package_function(
        self, name: str, given: list[AbstractValue], named: dict[str, AbstractValue], node: ast.Call
    ) -> AbstractValue:
        try:
            found = self.package.find_definition(name)
            if isinstance(found, FunctionSource):
                return self.inline(
                    found.node, SourceScope(found.module, line=self._line), given, named, node
                )
        except UnsupportedProgram:
            pass
        raise UnsupportedProgram(
            f"{name} is not a function the verifier knows; call a sampler or a function of"
            " hedgerow.numeric"
        )

    def _call_method(
        self,
        word: BoundMethod,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.Call,
        scope: SourceScope,
    ) -> AbstractValue:
        of, name = word.receiver, word.name
        match of:
            case SamplePoolValue() if name in ("draw", "sampler") and not named:
                return self._draw_from_pool(of, name, given)
            case SymbolicValue() | SymbolicArray() if name in ("ravel", "reshape") and all(
                isinstance(one, ArraySize) for one in given
            ):
                return of
            case SymbolicValue() | SymbolicArray() if (
                name == "astype" and len(given) == 1 and _is_exact_cast(of, given[0])
            ):
                return of
            case ConcreteValue(value=bool()) if name == "any" and not given:
                return of
            case ConcreteValue() if (type(of.value), name) in _CONCRETE_METHODS and all(
                isinstance(one, ConcreteValue) for one in given
            ):
                return ConcreteValue(
                    getattr(of.value, name)(
                        *(one.value for one in given if isinstance(one, ConcreteValue))
                    )
                )
            case ConcreteValue() if type(of.value) in _CLASS_SOURCES:
                return self._call_grid_method(of, name, given, named, node)
            case InstanceValue():
                method = of.definition.find_method(name)
                if method is not None:
                    here = of.definition.module is scope.module
                    return self.inline(
                        method,
                        SourceScope(of.definition.module, line=scope.line if here else self._line),
                        [of, *given],
                        named,
                        node,
                    )
        raise refuse_construct(format_node(node))

    def _draw_from_pool(
        self, pool: SamplePoolValue, name: str, given: list[AbstractValue]
    ) -> AbstractValue:
        if pool.noise is None:
            raise refuse_construct(f"{pool.sampler.rpartition('.')[2]} noise")
        if name == "sampler":
            return INTRINSICS[pool.sampler](self, given)
        scale, *onto = given
        noise = emit_draw(
            self,
            "noise",
            build_call(pool.noise.value, build_expression(scale)),
            "int",
            SymbolicValue(ast.Constant(0), "int"),
        )
        if not onto:
            return noise
        addition = ast.BinOp(ast.Constant(0), ast.Add(), ast.Constant(0))
        return apply_arithmetic(addition, onto[0], noise)

    def _call_grid_method(
        self,
        of: ConcreteValue,
        name: str,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.Call,
    ) -> AbstractValue:
        """Read a method of Grid in its source. Values are integer steps already, so that ``snap``
        returns them unchanged, except for a scalar on the grid of 1.
        """
        if (
            name == "snap"
            and isinstance(
                given[0], SymbolicArray if of.value.whole else SymbolicValue | SymbolicArray
            )
            and given[0].kind == "int"
        ):
            return given[0]
        found = self.package.find_definition(_CLASS_SOURCES[type(of.value)])
        method = found.find_method(name) if isinstance(found, ClassSource) else None
        if not isinstance(found, ClassSource) or method is None:
            raise refuse_construct(format_node(node))
        return self.inline(
            method, SourceScope(found.module, line=self._line), [of, *given], named, node
        )

    @abstractmethod
    def inline(
        self,
        function: ast.FunctionDef,
        scope: SourceScope,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.AST,
    ) -> AbstractValue:
        """Return the value of a function, read where it is called."""


def _build_loss(given: list[AbstractValue]) -> LossValue:
    epsilon, *delta = given
    if epsilon == QualifiedName("math.inf"):
        raise UnsupportedProgram("the claimed epsilon is infinite; return a finite Loss")
    return LossValue(epsilon, delta[0] if delta else None)


def _is_exact_cast(value: SymbolicValue | SymbolicArray, dtype: AbstractValue) -> bool:
    """Return whether the cast to this array type keeps every value."""
    if dtype == QualifiedName("numpy.int64"):
        return value.kind in ("int", "category")
    return dtype == QualifiedName("numpy.bool_") and value.categories == 2


def _is_instance(value: AbstractValue, of: AbstractValue, node: ast.Call) -> bool:
    """Return whether a value of a program is an instance: numbers are int, lists are lists."""
    kinds = {
        one.name
        for one in (of.values if isinstance(of, TupleValue) else (of,))
        if isinstance(one, QualifiedName)
    }
    sequences = {"builtins.list", "builtins.tuple", "numpy.ndarray", "collections.abc.Iterable"}
    match value:
        case ConcreteValue(value=bool()):
            return "builtins.bool" in kinds
        case ConcreteValue(value=int()) if kinds <= {
            "builtins.bool",
            "numpy.bool_",
            "builtins.int",
            "numpy.integer",
        }:
            return "builtins.int" in kinds
        case SymbolicValue(kind="int") if kinds <= sequences | {"builtins.int"}:
            return "builtins.int" in kinds
        case SymbolicArray() if kinds <= sequences | {"builtins.int"} and (
            "builtins.list" in kinds or kinds == {"builtins.int"}
        ):
            return "builtins.list" in kinds
        case InstanceValue():
            return kinds == {f"{value.definition.module.name}.{value.definition.name}"}
    raise refuse_construct(format_node(node))
