"""The sampling method of a mechanism class as the body of a program: branches, loops and outputs.

Branches on private data become branches of the program. A refusal (``raise``) that depends on
public parameters is skipped, so that a proof covers more parameters than the class accepts.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    BoundMethod,
    ConcreteValue,
    InstanceValue,
    OptionalValue,
    SymbolicArray,
    SymbolicValue,
    TupleValue,
)
from hedgerow.verify.language.classes.expressions import SourceScope
from hedgerow.verify.language.classes.intrinsics import (
    build_call,
    build_cell_loop,
    build_expression,
)
from hedgerow.verify.language.classes.modules import FunctionSource
from hedgerow.verify.language.classes.statements import MAX_CALL_DEPTH, TOO_DEEP, StatementReader
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["ProgramBodyReader"]


class ProgramBodyReader(StatementReader):
    """A reader of the method that samples; the program collects in ``block``."""

    def read_function(
        self,
        function: ast.FunctionDef,
        scope: SourceScope,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
    ) -> None:
        """Read a whole function as statements of the program; it outputs what the function yields
        and returns.
        """
        self._bind_arguments(function, scope, given, named, function)
        self._call_depth += 1
        if self._call_depth > MAX_CALL_DEPTH:
            raise UnsupportedProgram(TOO_DEEP)
        self._read_body(function.body, scope, yields=_is_generator(function))
        self._call_depth -= 1

    def _read_body(self, body: Sequence[ast.stmt], scope: SourceScope, *, yields: bool) -> bool:
        """Read statements and return whether they always return."""
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
            raise refuse_construct(format_node(node).splitlines()[0], self._find_place(node, scope))
        self._promote_variables(node.body, scope)
        place, inner = self.make_name("place"), scope.copy()
        self.reassigned.add(place)
        inner.names[node.target.id] = over.entry(ast.Name(place, ast.Load()))
        body = self._read_nested_block(node.body, inner, yields)
        self.reassigned.discard(place)
        scope.names.pop(node.target.id, None)
        self._line = scope.line or node.lineno
        self.emit(build_cell_loop(place, body))

    def _promote_variables(self, body: Sequence[ast.stmt], scope: SourceScope) -> None:
        """Make each name that a loop or branch changes a variable of the program."""
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
                    f"the value of {format_node(node)} is not in the language; return numbers,"
                    " Booleans, tuples or arrays",
                    self._find_place(node, scope),
                )

    def _find_generator_call(
        self, node: ast.expr, scope: SourceScope
    ) -> tuple[ast.FunctionDef, SourceScope, list[AbstractValue], dict[str, AbstractValue]] | None:
        """Return the parts of a call of a generator, or None for any other expression."""
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
        """Emit an output; None among numbers is output as False."""
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
                    "the yielded value is not in the language; yield a number, a Boolean or None",
                    Place(self._line),
                )

    def _emit_cells(self, cells: SymbolicArray) -> None:
        place = self.make_name("place")
        body: list[ast.stmt] = [
            ast.Assign([ast.Name(arm.name, ast.Store())], arm.call, lineno=arm.call.lineno)
            for arm in cells.draws
        ]
        entry = cells.entry(ast.Name(place, ast.Load()))
        body.append(ast.Expr(build_call("output", entry.node)))
        self.emit(build_cell_loop(place, body))


def _is_generator(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))
