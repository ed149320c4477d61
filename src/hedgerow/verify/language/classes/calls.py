"""Calls in a mechanism's source: words that have a meaning, functions and methods that are read in turn."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Final

from hedgerow.errors import HedgerowError
from hedgerow.privacy.grid import Grid
from hedgerow.verify.language.classes.modules import Class, Routine
from hedgerow.verify.language.classes.reading import Expressions, Scope
from hedgerow.verify.language.classes.values import Cells, Cost, Known, Method, Several, Size, Stock, Thing, Told, Value, Word
from hedgerow.verify.language.classes.words import CONCRETE, LOSS, MEANINGS, called, drawn, plain
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.python.expressions import said

__all__ = ["Calls"]

_RUN: Final = frozenset({(Grid, "steps")})
_SOURCES: Final[dict[type, str]] = {Grid: "hedgerow.privacy.grid.Grid"}


class Calls(Expressions):
    """Reads calls; ``Statements`` reads what is called."""

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
            raise Outside(f"{said(node)} is not understood")
        word = self.read(node.func, scope)
        if word == Word(LOSS):  # epsilon and delta are claimed; what else a loss says is neither read nor proved
            claimed = [*node.args[:2], *(one.value for one in node.keywords if one.arg == "delta")]
            return _lost([self.read(one, scope) for one in claimed])
        given = [self.read(one, scope) for one in node.args]
        named = {str(one.arg): self.read(one.value, scope) for one in node.keywords}
        self._line = scope.line or node.lineno
        match word:
            case Word():
                return self._word(word, given, named, node)
            case Routine():
                return self.inlined(word.node, Scope(word.module, line=scope.line), given, named, node)
            case Method():
                return self._method(word, given, named, node, scope)
        raise Outside(f"{said(node)} is not understood")

    def _word(self, word: Word, given: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        if word.name == "builtins.isinstance":
            return Known(_is_one(given[0], given[1], node))
        if word.name == "builtins.type" and isinstance(given[0], Told) and given[0].kind == "int":
            return Word("builtins.int")
        if word.name == "builtins.getattr" and isinstance(given[1], Known) and len(given) == 2:
            return self.attribute(given[0], str(given[1].value), node)
        if word.name in CONCRETE and all(isinstance(one, Known) for one in given) and not named:
            try:
                return Known(CONCRETE[word.name](*(one.value for one in given if isinstance(one, Known))))
            except (HedgerowError, ArithmeticError, TypeError, ValueError):
                raise Outside(f"{said(node)} has no value") from None
        if word.name not in MEANINGS:
            return self._elsewhere(word.name, given, named, node)
        try:
            return MEANINGS[word.name](self, given)
        except ValueError:
            raise Outside(f"{said(node)} has arguments that are not understood") from None

    def _elsewhere(self, name: str, given: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        """A function of the package that is no word: it is read."""
        try:
            found = self.library.look(name)
            if isinstance(found, Routine):
                return self.inlined(found.node, Scope(found.module, line=self._line), given, named, node)
        except Outside:
            pass
        raise Outside(f"{name} has no meaning here")

    def _method(self, word: Method, given: list[Value], named: dict[str, Value], node: ast.Call, scope: Scope) -> Value:
        of, name = word.of, word.name
        match of:
            case Stock() if name in ("draw", "sampler") and not named:
                return self._from_stock(of, name, given)
            case Told() | Cells() if name in ("ravel", "reshape") and all(isinstance(one, Size) for one in given):
                return of
            case Told() | Cells() if name == "astype" and len(given) == 1 and _keeps(of, given[0]):
                return of
            case Known(value=bool()) if name == "any" and not given:
                return of
            case Known() if (type(of.value), name) in _RUN and all(isinstance(one, Known) for one in given):
                return Known(getattr(of.value, name)(*(one.value for one in given if isinstance(one, Known))))
            case Known() if type(of.value) in _SOURCES:
                return self._grid(of, name, given, named, node)
            case Thing():
                method = of.kind.method(name)
                if method is not None:
                    here = of.kind.module is scope.module
                    return self.inlined(method, Scope(of.kind.module, line=scope.line if here else self._line), [of, *given], named, node)
        raise Outside(f"{said(node)} is not understood")

    def _from_stock(self, stock: Stock, name: str, given: list[Value]) -> Value:
        if stock.noise is None:
            raise Outside(f"{stock.sampler.rpartition('.')[2]} noise is not in the language")
        if name == "sampler":
            return MEANINGS[stock.sampler](self, given)
        scale, *onto = given
        noise = drawn(self, "noise", called(stock.noise.value, plain(scale)), "int", Told(ast.Constant(0), "int"))
        return noise if not onto else self.arithmetic(ast.BinOp(ast.Constant(0), ast.Add(), ast.Constant(0)), onto[0], noise)

    def _grid(self, of: Known, name: str, given: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        """What Grid does stands in its source. What it snaps is thought of in whole steps already, but for a number on the grid of 1."""
        if name == "snap" and isinstance(given[0], Cells if of.value.whole else Told | Cells) and given[0].kind == "int":
            return given[0]
        found = self.library.look(_SOURCES[type(of.value)])
        method = found.method(name) if isinstance(found, Class) else None
        if not isinstance(found, Class) or method is None:
            raise Outside(f"{said(node)} is not understood")
        return self.inlined(method, Scope(found.module, line=self._line), [of, *given], named, node)

    @abstractmethod
    def inlined(self, function: ast.FunctionDef, scope: Scope, given: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
        """What a function of the library gives, read where it is called."""


def _lost(given: list[Value]) -> Cost:
    epsilon, *delta = given
    if epsilon == Word("math.inf"):
        raise Outside("no finite epsilon is claimed")
    return Cost(epsilon, delta[0] if delta else None)


def _keeps(value: Told | Cells, dtype: Value) -> bool:
    """Whether every value stays what it is in this type of array."""
    if dtype == Word("numpy.int64"):
        return value.kind in ("int", "category")
    return dtype == Word("numpy.bool_") and value.of == 2


def _is_one(value: Value, of: Value, node: ast.Call) -> bool:
    """Whether a value, as programs have them, is an instance: numbers are int, lists are lists."""
    kinds = {one.name for one in (of.values if isinstance(of, Several) else (of,)) if isinstance(one, Word)}
    sequences = {"builtins.list", "builtins.tuple", "numpy.ndarray", "collections.abc.Iterable"}
    match value:
        case Known(value=bool()):
            return "builtins.bool" in kinds
        case Known(value=int()) if kinds <= {"builtins.bool", "numpy.bool_", "builtins.int", "numpy.integer"}:
            return "builtins.int" in kinds
        case Told(kind="int") if kinds <= sequences | {"builtins.int"}:
            return "builtins.int" in kinds
        case Cells() if kinds <= sequences | {"builtins.int"} and ("builtins.list" in kinds or kinds == {"builtins.int"}):
            return "builtins.list" in kinds
        case Thing():
            return kinds == {f"{value.kind.module.name}.{value.kind.name}"}
    raise Outside(f"{said(node)} is not understood")
