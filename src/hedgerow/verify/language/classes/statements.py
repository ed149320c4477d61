"""Statements of a mechanism's source. A function that is called is read where it is called; the
last of them tells what it returns.

What private data decide becomes a branch of the program, what is known is decided at once. A
refusal (``raise``) that public parameters decide is passed over: what is proved then holds for more
of them than there are.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    BoundMethod,
    ConcreteValue,
    InstanceValue,
    OptionalValue,
    QualifiedName,
    SymbolicArray,
    SymbolicValue,
    TupleValue,
)
from hedgerow.verify.language.classes.calls import CallReader
from hedgerow.verify.language.classes.expressions import SourceScope
from hedgerow.verify.language.classes.intrinsics import build_call, build_expression
from hedgerow.verify.language.classes.modules import FunctionSource
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["StatementReader"]

_MAX_CALL_DEPTH: Final = 12


class StatementReader(CallReader):
    """Reads functions. The program gathers in ``block``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._call_depth = 0

    # --- functions
    # -------------------------------------------------------------------------------------------------------------------

    def inline(
        self,
        function: ast.FunctionDef,
        scope: SourceScope,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.AST,
    ) -> AbstractValue:
        """What a function gives that goes one way only."""
        self._bind_arguments(function, scope, given, named, node)
        self._call_depth += 1
        try:
            if self._call_depth > _MAX_CALL_DEPTH:
                raise UnsupportedProgram("functions are called within functions without end")
            found = self._read_straight_line(function.body, scope)
        finally:
            self._call_depth -= 1
        return ConcreteValue(None) if found is None else found

    def _bind_arguments(
        self,
        function: ast.FunctionDef,
        scope: SourceScope,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.AST,
    ) -> None:
        self._record_source(function, scope)
        arguments = function.args
        if arguments.vararg or arguments.kwarg or function.decorator_list:
            raise UnsupportedProgram(f"{function.name} is not a plain function")
        plain_ones = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        by_name = [one.arg for one in (*arguments.args, *arguments.kwonlyargs)]
        if len(given) > len(plain_ones) or not named.keys() <= set(by_name):
            raise UnsupportedProgram(f"{format_node(node)} does not fit {function.name}")
        values = dict(zip(plain_ones, given, strict=False)) | named
        defaults = dict(zip(reversed(plain_ones), reversed(arguments.defaults), strict=False))
        defaults |= {
            one.arg: value
            for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if value is not None
        }
        for name in (*plain_ones, *(one.arg for one in arguments.kwonlyargs)):
            if name not in values and name not in defaults:
                raise UnsupportedProgram(f"{format_node(node)} does not give {name}")
            scope.names[name] = (
                values[name]
                if name in values
                else self.read(defaults[name], SourceScope(scope.module, line=scope.line))
            )

    def _record_source(self, function: ast.FunctionDef, scope: SourceScope) -> None:
        """What was read, for the hash that a certificate names."""
        lines = scope.module.text.splitlines()[function.lineno - 1 : function.end_lineno]
        self.source_texts.setdefault(f"{scope.module.name}:{function.lineno}", "\n".join(lines))

    def _read_straight_line(
        self, body: Sequence[ast.stmt], scope: SourceScope
    ) -> AbstractValue | None:
        for node in body:
            self._line = scope.line or node.lineno
            match node:
                case ast.Return():
                    return (
                        ConcreteValue(None) if node.value is None else self.read(node.value, scope)
                    )
                case ast.If():
                    test = self.read(node.test, scope)
                    if not isinstance(test, ConcreteValue):
                        self._check_refusal(node, test, scope)
                        continue
                    found = self._read_straight_line(
                        node.body if test.value else node.orelse, scope
                    )
                    if found is not None:
                        return found
                case ast.For():
                    self._unroll_loop(node, scope)
                case _:
                    self._read_simple_statement(node, scope)
        return None

    def _check_refusal(self, node: ast.If, test: AbstractValue, scope: SourceScope) -> None:
        """Public parameters that the class refuses."""
        if len(node.body) != 1 or not isinstance(node.body[0], ast.Raise) or node.orelse:
            raise UnsupportedProgram(
                f"what {format_node(node.test)} decides is not understood here",
                self._find_place(node, scope),
            )
        mentioned = {
            one.id for one in ast.walk(build_expression(test)) if isinstance(one, ast.Name)
        }
        if not mentioned <= self.public_parameters:
            raise UnsupportedProgram(
                f"it is refused because of data: {format_node(node.test)}",
                self._find_place(node, scope),
            )

    def _find_place(self, node: ast.expr | ast.stmt, scope: SourceScope) -> Place:
        return Place(scope.line or node.lineno)

    def _unroll_loop(self, node: ast.For, scope: SourceScope) -> None:
        over = self.read(node.iter, scope)
        if not isinstance(over, TupleValue) or node.orelse:
            raise UnsupportedProgram(
                f"{format_node(node).splitlines()[0]} is not understood",
                self._find_place(node, scope),
            )
        for value in over.values:
            self._assign(node.target, value, scope)
            if self._read_straight_line(node.body, scope) is not None:
                raise UnsupportedProgram(
                    "a loop that returns is not understood here", self._find_place(node, scope)
                )

    def _read_simple_statement(self, node: ast.stmt, scope: SourceScope) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Assign(targets=[target]):
                self._assign(target, self.read(node.value, scope), scope)
                return
            case ast.AugAssign(target=ast.Name() as name):
                old, more = (
                    self.read(ast.copy_location(ast.Name(name.id, ast.Load()), name), scope),
                    self.read(node.value, scope),
                )
                self._assign(name, self.apply_arithmetic(node, old, more), scope)
                return
            case ast.Expr(value=ast.Call() as call):
                if not self._set_field(call, scope):
                    self.read(call, scope)
                return
            case ast.Raise():
                raise UnsupportedProgram(
                    "what is given here is refused", self._find_place(node, scope)
                )
        raise UnsupportedProgram(
            f"{format_node(node).splitlines()[0]} is not understood", self._find_place(node, scope)
        )

    def _set_field(self, call: ast.Call, scope: SourceScope) -> bool:
        """``object.__setattr__(self, "scale", …)``, as frozen classes do it."""
        if (
            self.read(call.func, scope) != QualifiedName("builtins.object.__setattr__")
            or len(call.args) != 3
        ):
            return False
        of, name, value = (self.read(one, scope) for one in call.args)
        if (
            not isinstance(of, InstanceValue)
            or not isinstance(name, ConcreteValue)
            or name.value not in of.fields
        ):
            return False
        of.fields[name.value] = value
        return True

    def _assign(self, target: ast.expr, value: AbstractValue, scope: SourceScope) -> None:
        match target:
            case ast.Tuple() if isinstance(value, TupleValue) and len(value.values) == len(
                target.elts
            ):
                read = [
                    (
                        self._emit_assignment(self.make_name("held"), "", one, scope)
                        if self.is_reassigned(one)
                        else one
                    )
                    for one in value.values
                ]
                # all are read before any is assigned
                for one, part in zip(target.elts, read, strict=True):
                    self._assign(one, part, scope)
            case ast.Name():
                scope.names[target.id] = self._store_value(target.id, value, scope)
            case _:
                raise UnsupportedProgram(
                    f"{format_node(target)} cannot be assigned to", self._find_place(target, scope)
                )

    def _store_value(self, name: str, value: AbstractValue, scope: SourceScope) -> AbstractValue:
        """In a variable of the program: where it may differ from one way to the next, or is more
        than a name.
        """
        if name in scope.program_variables:
            return self._emit_assignment(scope.program_variables[name], name, value, scope)
        if (
            isinstance(value, SymbolicValue)
            and not self.is_pure
            and (self.is_reassigned(value) or not isinstance(value.node, ast.Name))
        ):
            return self._emit_assignment(self.make_name(name), name, value, scope)
        return value

    def _emit_assignment(
        self, slot: str, name: str, value: AbstractValue, scope: SourceScope
    ) -> SymbolicValue:
        before = scope.names.get(name)
        kind, of = (
            (value.kind, value.categories)
            if isinstance(value, SymbolicValue)
            else ("bool" if isinstance(_get_constant(value), bool) else "int", 0)
        )
        if (
            name in scope.program_variables
            and isinstance(before, SymbolicValue)
            and (before.kind, before.categories) != (kind, of)
        ):
            raise UnsupportedProgram(f"{name} is of another kind here")
        self.emit(ast.Assign([ast.Name(slot, ast.Store())], build_expression(value)))
        return SymbolicValue(ast.Name(slot, ast.Load()), kind, of)

    # --- what tells
    # --------------------------------------------------------------------------------------------------------------------

    def read_function(
        self,
        function: ast.FunctionDef,
        scope: SourceScope,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
    ) -> None:
        """The whole of a function, as statements of the program: what it yields and returns is
        told.
        """
        self._bind_arguments(function, scope, given, named, function)
        self._call_depth += 1
        if self._call_depth > _MAX_CALL_DEPTH:
            raise UnsupportedProgram("functions are called within functions without end")
        self._read_body(function.body, scope, yields=_is_generator(function))
        self._call_depth -= 1

    def _read_body(self, body: Sequence[ast.stmt], scope: SourceScope, *, yields: bool) -> bool:
        """Whether it has surely returned."""
        for node in body:
            self._line = scope.line or node.lineno
            match node:
                case ast.Return():
                    self._read_return(node, scope, yields)
                    return True
                case ast.If():
                    test = self.read(node.test, scope)
                    if isinstance(test, ConcreteValue):
                        if self._read_body(
                            node.body if test.value else node.orelse, scope, yields=yields
                        ):
                            return True
                    else:
                        self._read_branch(node, test, scope, yields)
                case ast.For():
                    self._read_loop(node, scope, yields)
                case ast.Expr(value=ast.Yield(value=ast.expr() as value)) if yields:
                    self._emit_yield(self.read(value, scope))
                case _:
                    self._read_simple_statement(node, scope)
        return False

    def _read_nested_block(
        self, body: Sequence[ast.stmt], scope: SourceScope, yields: bool
    ) -> list[ast.stmt]:
        outer, self.block = self.block, []
        try:
            self._read_body(body, scope, yields=yields)
            return self.block or [ast.Pass(lineno=self._line, col_offset=0)]
        finally:
            self.block = outer

    def _read_branch(
        self, node: ast.If, test: AbstractValue, scope: SourceScope, yields: bool
    ) -> None:
        if any(isinstance(one, ast.Raise) for one in node.body):
            self._check_refusal(node, test, scope)
            return
        self._promote_variables([*node.body, *node.orelse], scope)
        condition = self._require_boolean(test, node.test)
        sides = [
            self._read_nested_block(body, scope.copy(), yields) for body in (node.body, node.orelse)
        ]
        self._line = scope.line or node.lineno
        self.emit(ast.If(condition, sides[0], sides[1] if node.orelse else []))

    def _read_loop(self, node: ast.For, scope: SourceScope, yields: bool) -> None:
        over = self.read(node.iter, scope)
        if (
            not isinstance(over, SymbolicArray)
            or over.draws
            or not isinstance(node.target, ast.Name)
            or node.orelse
        ):
            raise UnsupportedProgram(
                f"{format_node(node).splitlines()[0]} is not understood",
                self._find_place(node, scope),
            )
        self._promote_variables(node.body, scope)
        place, inner = self.make_name("place"), scope.copy()
        self.reassigned.add(place)
        inner.names[node.target.id] = over.entry(ast.Name(place, ast.Load()))
        body = self._read_nested_block(node.body, inner, yields)
        self.reassigned.discard(place)
        scope.names.pop(node.target.id, None)
        self._line = scope.line or node.lineno
        self.emit(
            ast.For(
                ast.Name(place, ast.Store()),
                build_call("range", ast.Name("size", ast.Load())),
                body,
                [],
            )
        )

    def _promote_variables(self, body: Sequence[ast.stmt], scope: SourceScope) -> None:
        """What a loop or a branch changes is a variable of the program from here on."""
        stored = {
            one.id
            for part in body
            for one in ast.walk(part)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        for name in sorted(stored & scope.names.keys()):
            if name not in scope.program_variables:
                value, slot = scope.names[name], self.make_name(name)
                scope.names[name] = self._emit_assignment(slot, name, value, scope)
                scope.program_variables[name] = slot
                self.reassigned.add(slot)

    def _read_return(self, node: ast.Return, scope: SourceScope, yields: bool) -> None:
        if node.value is None or yields:
            self.emit(ast.Return(None))
            return
        generator = self._find_generator_call(node.value, scope)
        if generator is not None:
            self.read_function(*generator)
            return
        value = self.read(node.value, scope)
        self._line = scope.line or node.lineno
        match value:
            case SymbolicValue() | ConcreteValue(value=bool() | int()):
                self.emit(ast.Return(build_expression(value)))
            case OptionalValue():
                self.emit(ast.If(value.condition, [ast.Return(value.value.node)], []))
            case TupleValue() if all(isinstance(one, SymbolicValue) for one in value.values):
                self.emit(
                    ast.Return(
                        ast.Tuple([build_expression(one) for one in value.values], ast.Load())
                    )
                )
            case SymbolicArray():
                self._emit_cells(value)
            case _:
                raise UnsupportedProgram(
                    f"what {format_node(node)} gives is not understood",
                    self._find_place(node, scope),
                )

    def _find_generator_call(
        self, node: ast.expr, scope: SourceScope
    ) -> tuple[ast.FunctionDef, SourceScope, list[AbstractValue], dict[str, AbstractValue]] | None:
        """A call of something that yields."""
        if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        word = self.read(node.func, scope)
        match word:
            case BoundMethod(receiver=InstanceValue() as of):
                function, module, first = (
                    of.definition.find_method(word.name),
                    of.definition.module,
                    [word.receiver],
                )
            case FunctionSource():
                function, module, first = word.node, word.module, []
            case _:
                return None
        if function is None or not _is_generator(function):
            return None
        given: list[AbstractValue] = [*first, *(self.read(one, scope) for one in node.args)]
        named = {str(one.arg): self.read(one.value, scope) for one in node.keywords}
        return (
            function,
            SourceScope(module, line=scope.line if module is scope.module else node.lineno),
            given,
            named,
        )

    def _emit_yield(self, value: AbstractValue) -> None:
        """None among numbers is told as False."""
        match value:
            case SymbolicValue() | ConcreteValue(value=bool() | int()):
                self.emit(ast.Expr(build_call("output", build_expression(value))))
            case OptionalValue() if value.value.kind in ("int", "real"):
                self.emit(
                    ast.If(
                        value.condition,
                        [ast.Expr(build_call("output", value.value.node))],
                        [ast.Expr(build_call("output", ast.Constant(False)))],
                    )
                )
            case _:
                raise UnsupportedProgram(
                    "what is yielded here is not understood", self._get_place()
                )

    def _emit_cells(self, cells: SymbolicArray) -> None:
        place = self.make_name("place")
        drawn: list[ast.stmt] = [
            ast.Assign([ast.Name(arm.name, ast.Store())], arm.call, lineno=arm.call.lineno)
            for arm in cells.draws
        ]
        entry = cells.entry(ast.Name(place, ast.Load()))
        told: list[ast.stmt] = [ast.Expr(build_call("output", entry.node))]
        self.emit(
            ast.For(
                ast.Name(place, ast.Store()),
                build_call("range", ast.Name("size", ast.Load())),
                drawn + told,
                [],
            )
        )


def _get_constant(value: AbstractValue) -> object:
    return value.value if isinstance(value, ConcreteValue) else None


def _is_generator(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))
