"""The statement reader of a mechanism's source. A called function is read at the place of its call.

Conditions on concrete values are decided while reading. A refusal (``raise``) that depends on
public parameters is skipped, so that a proof covers more parameters than the class accepts.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ConcreteValue,
    InstanceValue,
    QualifiedName,
    SymbolicValue,
    TupleValue,
)
from hedgerow.verify.language.classes.calls import CallReader
from hedgerow.verify.language.classes.expressions import SourceScope
from hedgerow.verify.language.classes.intrinsics import build_expression
from hedgerow.verify.language.classes.operators import apply_arithmetic
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["MAX_CALL_DEPTH", "TOO_DEEP", "StatementReader"]

MAX_CALL_DEPTH: Final = 12
TOO_DEEP: Final = f"calls are nested more than {MAX_CALL_DEPTH} deep; remove the recursion"


class StatementReader(CallReader):
    """A reader of functions without branches on private data."""

    _call_depth = 0

    def inline(
        self,
        function: ast.FunctionDef,
        scope: SourceScope,
        given: list[AbstractValue],
        named: dict[str, AbstractValue],
        node: ast.AST,
    ) -> AbstractValue:
        """Return the value of a called function whose branches are all decided."""
        self._bind_arguments(function, scope, given, named, node)
        self._call_depth += 1
        try:
            if self._call_depth > MAX_CALL_DEPTH:
                raise UnsupportedProgram(TOO_DEEP)
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
            raise UnsupportedProgram(
                f"{function.name} has *, ** or a decorator; call a function without"
            )
        plain_ones = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        by_name = [one.arg for one in (*arguments.args, *arguments.kwonlyargs)]
        if len(given) > len(plain_ones) or not named.keys() <= set(by_name):
            raise UnsupportedProgram(
                f"the arguments of {format_node(node)} do not match {function.name}"
            )
        values = dict(zip(plain_ones, given, strict=False)) | named
        defaults = dict(zip(reversed(plain_ones), reversed(arguments.defaults), strict=False))
        defaults |= {
            one.arg: value
            for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if value is not None
        }
        for name in (*plain_ones, *(one.arg for one in arguments.kwonlyargs)):
            if name not in values and name not in defaults:
                raise UnsupportedProgram(f"{format_node(node)} must pass {name}")
            scope.names[name] = (
                values[name]
                if name in values
                else self.read(defaults[name], SourceScope(scope.module, line=scope.line))
            )

    def _record_source(self, function: ast.FunctionDef, scope: SourceScope) -> None:
        """Keep the text that was read, for the hash that a certificate names."""
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
        """Check that a refusal depends on public parameters only."""
        if len(node.body) != 1 or not isinstance(node.body[0], ast.Raise) or node.orelse:
            raise UnsupportedProgram(
                f"the branch on {format_node(node.test)} is not in the language; only the sampling"
                " method can branch on data",
                self._find_place(node, scope),
            )
        mentioned = {
            one.id for one in ast.walk(build_expression(test)) if isinstance(one, ast.Name)
        }
        if not mentioned <= self.public_parameters:
            raise UnsupportedProgram(
                f"the refusal if {format_node(node.test)} depends on data; refuse only by public"
                " parameters",
                self._find_place(node, scope),
            )

    def _find_place(self, node: ast.expr | ast.stmt, scope: SourceScope) -> Place:
        return Place(scope.line or node.lineno)

    def _unroll_loop(self, node: ast.For, scope: SourceScope) -> None:
        over = self.read(node.iter, scope)
        if not isinstance(over, TupleValue) or node.orelse:
            raise refuse_construct(format_node(node).splitlines()[0], self._find_place(node, scope))
        for value in over.values:
            self._assign(node.target, value, scope)
            if self._read_straight_line(node.body, scope) is not None:
                raise UnsupportedProgram(
                    "a return inside this loop is not in the language; return after the loop",
                    self._find_place(node, scope),
                )

    def _read_simple_statement(self, node: ast.stmt, scope: SourceScope) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Assign(targets=[target]):
                self._assign(target, self.read(node.value, scope), scope)
            case ast.AugAssign(target=ast.Name() as name):
                old, more = (
                    self.read(ast.copy_location(ast.Name(name.id, ast.Load()), name), scope),
                    self.read(node.value, scope),
                )
                self._assign(name, apply_arithmetic(node, old, more), scope)
            case ast.Expr(value=ast.Call() as call):
                if not self._set_field(call, scope):
                    self.read(call, scope)
            case ast.Raise():
                raise UnsupportedProgram(
                    "the class always raises here; remove the raise or its condition",
                    self._find_place(node, scope),
                )
            case _:
                raise refuse_construct(
                    format_node(node).splitlines()[0], self._find_place(node, scope)
                )

    def _set_field(self, call: ast.Call, scope: SourceScope) -> bool:
        """Execute ``object.__setattr__(self, "scale", …)``, as frozen classes do it; return False
        for any other call.
        """
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
                # Python evaluates the whole right side before it assigns
                for one, part in zip(target.elts, read, strict=True):
                    self._assign(one, part, scope)
            case ast.Name():
                scope.names[target.id] = self._store_value(target.id, value, scope)
            case _:
                raise UnsupportedProgram(
                    f"{format_node(target)} cannot be assigned; assign a variable",
                    self._find_place(target, scope),
                )

    def _store_value(self, name: str, value: AbstractValue, scope: SourceScope) -> AbstractValue:
        """Store the value in a program variable if branches may change it, or if it is more than a
        name.
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
        is_boolean = isinstance(value, ConcreteValue) and isinstance(value.value, bool)
        kind, of = "bool" if is_boolean else "int", 0
        if isinstance(value, SymbolicValue):
            kind, of = value.kind, value.categories
        if (
            name in scope.program_variables
            and isinstance(before, SymbolicValue)
            and (before.kind, before.categories) != (kind, of)
        ):
            raise UnsupportedProgram(f"{name} changes its type here; use another variable")
        self.emit(ast.Assign([ast.Name(slot, ast.Store())], build_expression(value)))
        return SymbolicValue(ast.Name(slot, ast.Load()), kind, of)
