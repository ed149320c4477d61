"""Statements of a mechanism's source. A function that is called is read where it is called; the last of them tells what it returns.

What private data decide becomes a branch of the program, what is known is decided at once. A refusal (``raise``) that public parameters
decide is passed over: what is proved then holds for more of them than there are.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from hedgerow.verify.language.classes.calls import Calls
from hedgerow.verify.language.classes.modules import Routine
from hedgerow.verify.language.classes.reading import Scope
from hedgerow.verify.language.classes.values import Cells, Known, Maybe, Method, Several, Thing, Told, Value, Word
from hedgerow.verify.language.classes.words import called, plain
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import said

__all__ = ["Statements"]

_DEEPEST: Final = 12


class Statements(Calls):
    """Reads functions. The program gathers in ``block``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._calls = 0

    # --- functions -------------------------------------------------------------------------------------------------------------------

    def inlined(self, function: ast.FunctionDef, scope: Scope, given: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
        """What a function gives that goes one way only."""
        self._bind(function, scope, given, named, node)
        self._calls += 1
        try:
            if self._calls > _DEEPEST:
                raise Outside("functions are called within functions without end")
            found = self._straight(function.body, scope)
        finally:
            self._calls -= 1
        return Known(None) if found is None else found

    def _bind(self, function: ast.FunctionDef, scope: Scope, given: list[Value], named: dict[str, Value], node: ast.AST) -> None:
        self._noted(function, scope)
        arguments = function.args
        if arguments.vararg or arguments.kwarg or function.decorator_list:
            raise Outside(f"{function.name} is not a plain function")
        plain_ones = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        by_name = [one.arg for one in (*arguments.args, *arguments.kwonlyargs)]
        if len(given) > len(plain_ones) or not named.keys() <= set(by_name):
            raise Outside(f"{said(node)} does not fit {function.name}")
        values = dict(zip(plain_ones, given, strict=False)) | named
        defaults = dict(zip(reversed(plain_ones), reversed(arguments.defaults), strict=False))
        defaults |= {one.arg: value for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is not None}
        for name in (*plain_ones, *(one.arg for one in arguments.kwonlyargs)):
            if name not in values and name not in defaults:
                raise Outside(f"{said(node)} does not give {name}")
            scope.names[name] = values[name] if name in values else self.read(defaults[name], Scope(scope.module, line=scope.line))

    def _noted(self, function: ast.FunctionDef, scope: Scope) -> None:
        """What was read, for the hash that a certificate names."""
        lines = scope.module.text.splitlines()[function.lineno - 1 : function.end_lineno]
        self.read_functions.setdefault(f"{scope.module.name}:{function.lineno}", "\n".join(lines))

    def _straight(self, body: Sequence[ast.stmt], scope: Scope) -> Value | None:
        for node in body:
            self._line = scope.line or node.lineno
            match node:
                case ast.Return():
                    return Known(None) if node.value is None else self.read(node.value, scope)
                case ast.If():
                    test = self.read(node.test, scope)
                    if not isinstance(test, Known):
                        self._refusal(node, test, scope)
                        continue
                    found = self._straight(node.body if test.value else node.orelse, scope)
                    if found is not None:
                        return found
                case ast.For():
                    self._unrolled(node, scope)
                case _:
                    self._simple(node, scope)
        return None

    def _refusal(self, node: ast.If, test: Value, scope: Scope) -> None:
        """Public parameters that the class refuses."""
        if len(node.body) != 1 or not isinstance(node.body[0], ast.Raise) or node.orelse:
            raise Outside(f"what {said(node.test)} decides is not understood here", self._at(node, scope))
        mentioned = {one.id for one in ast.walk(plain(test)) if isinstance(one, ast.Name)}
        if not mentioned <= self.public:
            raise Outside(f"it is refused because of data: {said(node.test)}", self._at(node, scope))

    def _at(self, node: ast.expr | ast.stmt, scope: Scope) -> Place:
        return Place(scope.line or node.lineno)

    def _unrolled(self, node: ast.For, scope: Scope) -> None:
        over = self.read(node.iter, scope)
        if not isinstance(over, Several) or node.orelse:
            raise Outside(f"{said(node).splitlines()[0]} is not understood", self._at(node, scope))
        for value in over.values:
            self._assign(node.target, value, scope)
            if self._straight(node.body, scope) is not None:
                raise Outside("a loop that returns is not understood here", self._at(node, scope))

    def _simple(self, node: ast.stmt, scope: Scope) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Assign(targets=[target]):
                self._assign(target, self.read(node.value, scope), scope)
                return
            case ast.AugAssign(target=ast.Name() as name):
                old, more = self.read(ast.copy_location(ast.Name(name.id, ast.Load()), name), scope), self.read(node.value, scope)
                self._assign(name, self.arithmetic(node, old, more), scope)
                return
            case ast.Expr(value=ast.Call() as call):
                if not self._set_field(call, scope):
                    self.read(call, scope)
                return
            case ast.Raise():
                raise Outside("what is given here is refused", self._at(node, scope))
        raise Outside(f"{said(node).splitlines()[0]} is not understood", self._at(node, scope))

    def _set_field(self, call: ast.Call, scope: Scope) -> bool:
        """``object.__setattr__(self, "scale", …)``, as frozen classes do it."""
        if self.read(call.func, scope) != Word("builtins.object.__setattr__") or len(call.args) != 3:
            return False
        of, name, value = (self.read(one, scope) for one in call.args)
        if not isinstance(of, Thing) or not isinstance(name, Known) or name.value not in of.fields:
            return False
        of.fields[name.value] = value
        return True

    def _assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        match target:
            case ast.Tuple() if isinstance(value, Several) and len(value.values) == len(target.elts):
                read = [self._into(self.name("held"), "", one, scope) if self.changes(one) else one for one in value.values]
                for one, part in zip(target.elts, read, strict=True):  # all are read before any is assigned
                    self._assign(one, part, scope)
            case ast.Name():
                scope.names[target.id] = self._kept(target.id, value, scope)
            case _:
                raise Outside(f"{said(target)} cannot be assigned to", self._at(target, scope))

    def _kept(self, name: str, value: Value, scope: Scope) -> Value:
        """In a variable of the program: where it may differ from one way to the next, or is more than a name."""
        if name in scope.slots:
            return self._into(scope.slots[name], name, value, scope)
        if isinstance(value, Told) and not self.silent and (self.changes(value) or not isinstance(value.node, ast.Name)):
            return self._into(self.name(name), name, value, scope)
        return value

    def _into(self, slot: str, name: str, value: Value, scope: Scope) -> Told:
        before = scope.names.get(name)
        kind, of = (value.kind, value.of) if isinstance(value, Told) else ("bool" if isinstance(_known(value), bool) else "int", 0)
        if name in scope.slots and isinstance(before, Told) and (before.kind, before.of) != (kind, of):
            raise Outside(f"{name} is of another kind here")
        self.emit(ast.Assign([ast.Name(slot, ast.Store())], plain(value)))
        return Told(ast.Name(slot, ast.Load()), kind, of)

    # --- what tells --------------------------------------------------------------------------------------------------------------------

    def told(self, function: ast.FunctionDef, scope: Scope, given: list[Value], named: dict[str, Value]) -> None:
        """The whole of a function, as statements of the program: what it yields and returns is told."""
        self._bind(function, scope, given, named, function)
        self._calls += 1
        if self._calls > _DEEPEST:
            raise Outside("functions are called within functions without end")
        self._run(function.body, scope, yields=_yields(function))
        self._calls -= 1

    def _run(self, body: Sequence[ast.stmt], scope: Scope, *, yields: bool) -> bool:
        """Whether it has surely returned."""
        for node in body:
            self._line = scope.line or node.lineno
            match node:
                case ast.Return():
                    self._returned(node, scope, yields)
                    return True
                case ast.If():
                    test = self.read(node.test, scope)
                    if isinstance(test, Known):
                        if self._run(node.body if test.value else node.orelse, scope, yields=yields):
                            return True
                    else:
                        self._branch(node, test, scope, yields)
                case ast.For():
                    self._loop(node, scope, yields)
                case ast.Expr(value=ast.Yield(value=ast.expr() as value)) if yields:
                    self._yielded(self.read(value, scope))
                case _:
                    self._simple(node, scope)
        return False

    def _inside(self, body: Sequence[ast.stmt], scope: Scope, yields: bool) -> list[ast.stmt]:
        outer, self.block = self.block, []
        try:
            self._run(body, scope, yields=yields)
            return self.block or [ast.Pass(lineno=self._line, col_offset=0)]
        finally:
            self.block = outer

    def _branch(self, node: ast.If, test: Value, scope: Scope, yields: bool) -> None:
        if any(isinstance(one, ast.Raise) for one in node.body):
            self._refusal(node, test, scope)
            return
        self._promote([*node.body, *node.orelse], scope)
        condition = self._truth(test, node.test)
        sides = [self._inside(body, scope.inner(), yields) for body in (node.body, node.orelse)]
        self._line = scope.line or node.lineno
        self.emit(ast.If(condition, sides[0], sides[1] if node.orelse else []))

    def _loop(self, node: ast.For, scope: Scope, yields: bool) -> None:
        over = self.read(node.iter, scope)
        if not isinstance(over, Cells) or over.draws or not isinstance(node.target, ast.Name) or node.orelse:
            raise Outside(f"{said(node).splitlines()[0]} is not understood", self._at(node, scope))
        self._promote(node.body, scope)
        place, inner = self.name("place"), scope.inner()
        self.changing.add(place)
        inner.names[node.target.id] = over.entry(ast.Name(place, ast.Load()))
        body = self._inside(node.body, inner, yields)
        self.changing.discard(place)
        scope.names.pop(node.target.id, None)
        self._line = scope.line or node.lineno
        self.emit(ast.For(ast.Name(place, ast.Store()), called("range", ast.Name("size", ast.Load())), body, []))

    def _promote(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """What a loop or a branch changes is a variable of the program from here on."""
        stored = {one.id for part in body for one in ast.walk(part) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        for name in sorted(stored & scope.names.keys()):
            if name not in scope.slots:
                value, slot = scope.names[name], self.name(name)
                scope.names[name] = self._into(slot, name, value, scope)
                scope.slots[name] = slot
                self.changing.add(slot)

    def _returned(self, node: ast.Return, scope: Scope, yields: bool) -> None:
        if node.value is None or yields:
            self.emit(ast.Return(None))
            return
        generator = self._generator(node.value, scope)
        if generator is not None:
            self.told(*generator)
            return
        value = self.read(node.value, scope)
        self._line = scope.line or node.lineno
        match value:
            case Told() | Known(value=bool() | int()):
                self.emit(ast.Return(plain(value)))
            case Maybe():
                self.emit(ast.If(value.condition, [ast.Return(value.value.node)], []))
            case Several() if all(isinstance(one, Told) for one in value.values):
                self.emit(ast.Return(ast.Tuple([plain(one) for one in value.values], ast.Load())))
            case Cells():
                self._each(value)
            case _:
                raise Outside(f"what {said(node)} gives is not understood", self._at(node, scope))

    def _generator(self, node: ast.expr, scope: Scope) -> tuple[ast.FunctionDef, Scope, list[Value], dict[str, Value]] | None:
        """A call of something that yields."""
        if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        word = self.read(node.func, scope)
        match word:
            case Method(of=Thing() as of):
                function, module, first = of.kind.method(word.name), of.kind.module, [word.of]
            case Routine():
                function, module, first = word.node, word.module, []
            case _:
                return None
        if function is None or not _yields(function):
            return None
        given: list[Value] = [*first, *(self.read(one, scope) for one in node.args)]
        named = {str(one.arg): self.read(one.value, scope) for one in node.keywords}
        return function, Scope(module, line=scope.line if module is scope.module else node.lineno), given, named

    def _yielded(self, value: Value) -> None:
        """None among numbers is told as False."""
        match value:
            case Told() | Known(value=bool() | int()):
                self.emit(ast.Expr(called("output", plain(value))))
            case Maybe() if value.value.kind in ("int", "real"):
                self.emit(
                    ast.If(
                        value.condition,
                        [ast.Expr(called("output", value.value.node))],
                        [ast.Expr(called("output", ast.Constant(False)))],
                    )
                )
            case _:
                raise Outside("what is yielded here is not understood", self._here())

    def _each(self, cells: Cells) -> None:
        place = self.name("place")
        drawn: list[ast.stmt] = [ast.Assign([ast.Name(arm.name, ast.Store())], arm.call, lineno=arm.call.lineno) for arm in cells.draws]
        entry = cells.entry(ast.Name(place, ast.Load()))
        told: list[ast.stmt] = [ast.Expr(called("output", entry.node))]
        self.emit(ast.For(ast.Name(place, ast.Store()), called("range", ast.Name("size", ast.Load())), drawn + told, []))


def _known(value: Value) -> object:
    return value.value if isinstance(value, Known) else None


def _yields(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))
