"""Modules as text: what each of their names is defined as. They are parsed and never run.

A closed world: a module that does anything at its top but define and import is refused, since it could change what a name means.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import place_of, said

__all__ = ["Class", "Definition", "Imported", "Library", "Module", "Routine"]

PACKAGE: Final = "hedgerow"
_PACKAGE: Final = Path(__file__).parents[3]
_GATES: Final = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__new__"})
_CHANGERS: Final = frozenset({"setattr", "delattr", "exec", "eval", "globals", "vars", "locals"})


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that comes from elsewhere, in full: ``hedgerow.numeric.race.race``."""

    name: str


@dataclass(frozen=True, slots=True)
class Class:
    """A class with its methods, and the module that its names are looked up in."""

    node: ast.ClassDef
    module: Module

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def shape(self) -> str | None:
        """What it says of itself in ``shape: ClassVar[str] = "additive"``."""
        for one in self.node.body:
            match one:
                case ast.AnnAssign(target=ast.Name(id="shape"), value=ast.Constant(value=str() as shape)):
                    return shape
        return None

    def method(self, name: str) -> ast.FunctionDef | None:
        """The method, if it is defined once and nothing is wrapped around it."""
        found = [one for one in self.node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name]
        if not found:
            return None
        if len(found) > 1 or found[0].decorator_list or isinstance(found[0], ast.AsyncFunctionDef):
            raise Outside(f"{name} is not one plain method", place_of(found[-1]))
        return found[0]

    def fields(self) -> list[ast.AnnAssign]:
        """The fields of a dataclass, in order."""
        plain = [one for one in self.node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        return [one for one in plain if not said(one.annotation).startswith("ClassVar")]

    def checked(self) -> Class:
        """Itself, unless something could change what its methods are."""
        for one in self.node.decorator_list:
            word = one.func if isinstance(one, ast.Call) else one
            if not isinstance(word, ast.Name) or self.module.named(word.id) != Imported("dataclasses.dataclass"):
                raise Outside(f"{said(one)} above a class may change it", place_of(one))
        if self.node.bases or self.node.keywords:
            raise Outside(f"{self.name} inherits, so that what it does stands elsewhere", place_of(self.node))
        for part in self.node.body:
            said_only = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
            if not said_only and not isinstance(part, ast.AnnAssign | ast.FunctionDef):
                raise Outside(f"{said(part).splitlines()[0]} in a class may change what its methods are", place_of(part))
            if isinstance(part, ast.FunctionDef) and part.name in _GATES:
                raise Outside(f"{part.name} changes what every name of {self.name} means", place_of(part))
        return self


@dataclass(frozen=True, slots=True)
class Routine:
    """A function, and the module that its names are looked up in."""

    node: ast.FunctionDef
    module: Module


Definition: TypeAlias = "Imported | Class | ast.FunctionDef | ast.expr"


@dataclass
class Module:
    """One file."""

    name: str
    text: str
    names: dict[str, Definition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Outside("this is not Python that can be read", Place(getattr(error, "lineno", 0) or 0)) from None
        for part in ast.walk(self.tree):
            self._refuse_changes(part)
        for one in self.tree.body:
            self._take(one)

    @staticmethod
    def _refuse_changes(node: ast.AST) -> None:
        """What could make a name mean something else later."""
        changed = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and said(node.value) != "self"
        called = isinstance(node, ast.Name) and node.id in _CHANGERS
        if isinstance(node, ast.Global | ast.Delete) or changed or called:
            raise Outside("something in this module may change what its names mean", place_of(node))

    def _take(self, node: ast.stmt) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    self._put(alias.asname or alias.name.split(".")[0], Imported(alias.name), node)
            case ast.ImportFrom(module=str() as source, level=0):
                for alias in node.names:
                    self._put(alias.asname or alias.name, Imported(f"{source}.{alias.name}"), node)
            case ast.ClassDef():
                self._put(node.name, Class(node, self), node)
            case ast.FunctionDef():
                self._put(node.name, node, node)
            case ast.Assign(targets=[ast.Name() as target]):
                self._put(target.id, node.value, node)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
                for one, value in zip(targets, values, strict=True):
                    self._put(one.id if isinstance(one, ast.Name) else "", value, node)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._put(target.id, value, node)
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise Outside(
                    f"{said(node).splitlines()[0]} stands at the top of a module, and may change what its names mean", place_of(node)
                )

    def _put(self, name: str, found: Definition, node: ast.stmt) -> None:
        if name in self.names:
            raise Outside(f"{name} is defined twice", place_of(node))
        self.names[name] = found

    def named(self, name: str) -> Definition | None:
        return self.names.get(name)


@dataclass
class Library:
    """The package's own modules, as the files that Python runs."""

    found: dict[str, Module] = field(default_factory=dict)

    def module(self, name: str) -> Module:
        if name not in self.found:
            file = _PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py")
            if name.split(".")[0] != PACKAGE or not file.is_file():
                raise Outside(f"{name} is not a module that can be read here")
            self.found[name] = Module(name, file.read_text(encoding="utf-8"))
        return self.found[name]

    def look(self, full: str) -> Class | Routine | None:
        """A class or a function by its full name, with nothing for what is neither."""
        name = full.rpartition(".")[2]
        module = self.module(full.rpartition(".")[0])
        found = module.named(name)
        if isinstance(found, ast.FunctionDef):
            return Routine(found, module)
        return found if isinstance(found, Class) else None
