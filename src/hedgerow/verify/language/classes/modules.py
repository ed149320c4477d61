"""Source modules: the definition of each of their names. Modules are parsed and never run.

A module that does more at its top level than define and import is refused, since it could change
the meaning of a name.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from hedgerow.verify.language.program import Place
from hedgerow.verify.language.python.expressions import find_place, format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = [
    "ClassSource",
    "Definition",
    "FunctionSource",
    "ModuleSource",
    "PackageSource",
    "QualifiedName",
]

PACKAGE: Final = "hedgerow"
_PACKAGE_FOLDER: Final = Path(__file__).parents[3]
_ATTRIBUTE_HOOKS: Final = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__new__"})
_MUTATING_BUILTINS: Final = frozenset(
    {"setattr", "delattr", "exec", "eval", "globals", "vars", "locals"}
)


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """The full name of a function or class:
    ``hedgerow.numeric.samplers.argmax_sampler.noisy_argmax``.
    """

    name: str


@dataclass(frozen=True, slots=True)
class ClassSource:
    """A class, and the module in which its names are looked up."""

    node: ast.ClassDef
    module: ModuleSource

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def shape(self) -> str | None:
        """The class's own declaration, ``shape: ClassVar[str] = "additive"``."""
        for one in self.node.body:
            match one:
                case ast.AnnAssign(
                    target=ast.Name(id="shape"), value=ast.Constant(value=str() as shape)
                ):
                    return shape
        return None

    def find_method(self, name: str) -> ast.FunctionDef | None:
        """Return the method, if it is defined once and undecorated."""
        found = [
            one
            for one in self.node.body
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name
        ]
        if not found:
            return None
        if len(found) > 1 or found[0].decorator_list or isinstance(found[0], ast.AsyncFunctionDef):
            raise UnsupportedProgram(
                f"{name} must be defined once, without decorators and not async",
                find_place(found[-1]),
            )
        return found[0]

    def find_fields(self) -> dict[str, ast.AnnAssign]:
        """Return the fields of a dataclass by name, in order."""
        return {
            one.target.id: one
            for one in self.node.body
            if isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and not format_node(one.annotation).startswith("ClassVar")
        }

    def check(self) -> ClassSource:
        """Return the class; refuse anything that could change its methods."""
        for one in self.node.decorator_list:
            word = one.func if isinstance(one, ast.Call) else one
            if not isinstance(word, ast.Name) or self.module.find_definition(
                word.id
            ) != QualifiedName("dataclasses.dataclass"):
                raise UnsupportedProgram(
                    f"the decorator {format_node(one)} may change the class; use only dataclass",
                    find_place(one),
                )
        if self.node.bases or self.node.keywords:
            raise UnsupportedProgram(
                f"{self.name} inherits from another class; write its methods out",
                find_place(self.node),
            )
        for part in self.node.body:
            is_docstring = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
            if not is_docstring and not isinstance(part, ast.AnnAssign | ast.FunctionDef):
                raise UnsupportedProgram(
                    f"{format_node(part).splitlines()[0]} may change the methods of the class;"
                    " keep to annotated fields and methods",
                    find_place(part),
                )
            if isinstance(part, ast.FunctionDef) and part.name in _ATTRIBUTE_HOOKS:
                raise UnsupportedProgram(
                    f"{part.name} may change every attribute of {self.name}; remove it",
                    find_place(part),
                )
        return self


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function, and the module in which its names are looked up."""

    node: ast.FunctionDef
    module: ModuleSource


Definition: TypeAlias = "QualifiedName | ClassSource | FunctionSource | ast.expr"


@dataclass
class ModuleSource:
    name: str
    text: str
    names: dict[str, Definition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UnsupportedProgram(
                "this is not readable Python; correct its syntax",
                Place(getattr(error, "lineno", 0) or 0),
            ) from None
        for part in ast.walk(self.tree):
            self._refuse_changes(part)
        for one in self.tree.body:
            self._collect_definition(one)

    @staticmethod
    def _refuse_changes(node: ast.AST) -> None:
        """Refuse statements that could later change the meaning of a name."""
        changed = (
            isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and format_node(node.value) != "self"
        )
        called = isinstance(node, ast.Name) and node.id in _MUTATING_BUILTINS
        if isinstance(node, ast.Global | ast.Delete) or changed or called:
            raise UnsupportedProgram(
                "this may change the meaning of a name in the module; remove it", find_place(node)
            )

    def _collect_definition(self, node: ast.stmt) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    self._define(
                        alias.asname or alias.name.split(".")[0], QualifiedName(alias.name), node
                    )
            case ast.ImportFrom(module=str() as source, level=0):
                for alias in node.names:
                    self._define(
                        alias.asname or alias.name, QualifiedName(f"{source}.{alias.name}"), node
                    )
            case ast.ClassDef():
                self._define(node.name, ClassSource(node, self), node)
            case ast.FunctionDef():
                self._define(node.name, FunctionSource(node, self), node)
            case ast.Assign(targets=[ast.Name() as target]):
                self._define(target.id, node.value, node)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values):
                for one, value in zip(targets, values, strict=True):
                    self._define(one.id if isinstance(one, ast.Name) else "", value, node)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._define(target.id, value, node)
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise UnsupportedProgram(
                    f"{format_node(node).splitlines()[0]} at the top level may change the meaning"
                    " of a name; keep to imports and definitions",
                    find_place(node),
                )

    def _define(self, name: str, found: Definition, node: ast.stmt) -> None:
        if name in self.names:
            raise UnsupportedProgram(f"{name} is defined twice; rename one", find_place(node))
        self.names[name] = found

    def find_definition(self, name: str) -> Definition | None:
        return self.names.get(name)


@dataclass
class PackageSource:
    """The package's own modules, read from the files that Python runs."""

    modules: dict[str, ModuleSource] = field(default_factory=dict)

    def read_module(self, name: str) -> ModuleSource:
        if name not in self.modules:
            file = _PACKAGE_FOLDER.joinpath(*name.split(".")[1:]).with_suffix(".py")
            if name.split(".")[0] != PACKAGE or not file.is_file():
                raise UnsupportedProgram(f"{name} is not a module of {PACKAGE}; call one that is")
            self.modules[name] = ModuleSource(name, file.read_text(encoding="utf-8"))
        return self.modules[name]

    def find_definition(self, full: str) -> ClassSource | FunctionSource | None:
        """Return a class or a function by its full name, or None."""
        source, _, name = full.rpartition(".")
        found = self.read_module(source).find_definition(name)
        return found if isinstance(found, ClassSource | FunctionSource) else None
