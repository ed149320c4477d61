"""From a class to its programs: one for each world that it is read in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hedgerow.verify.language.classes.frames import Frame, frames
from hedgerow.verify.language.classes.modules import Class, Imported, Library, Module
from hedgerow.verify.language.classes.reading import Scope
from hedgerow.verify.language.classes.statements import Statements
from hedgerow.verify.language.classes.values import Cost, Known, Thing, Told, Value
from hedgerow.verify.language.classes.words import plain
from hedgerow.verify.language.lowering import Fresh
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python.expressions import place_of, said
from hedgerow.verify.language.python.functions import program_from
from hedgerow.verify.language.signature import checked_size

__all__ = ["class_programs"]


def class_programs(text: str, file: str = "") -> list[Program | Outside]:
    """Every program of every class of the file that has a shape and a method ``sample…``; what is not understood as such, with its line."""
    try:
        tree = ast.parse(checked_size(text))
    except (Outside, SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # whoever reads functions has said so
    if not any(isinstance(one, ast.ClassDef) and Class(one, None).shape for one in tree.body):  # type: ignore[arg-type]
        return []
    library = Library()
    try:
        module = Module(f"file.{file.removesuffix('.py')}", text)
    except Outside as outside:
        return [outside.of(file)]
    classes = [one for one in module.names.values() if isinstance(one, Class) and one.shape is not None]
    return [program for one in classes for program in _of_class(one, library)]


def _of_class(kind: Class, library: Library) -> Iterator[Program | Outside]:
    methods = [one for one in kind.node.body if isinstance(one, ast.FunctionDef) and one.name.split("_")[0] == "sample"]
    for method in methods:
        name = f"{kind.name}.{method.name}"
        try:
            worlds = list(frames(kind.checked(), method))
            found = [_Reading(kind, method, one, library).program(f"{name} ({one.title})" if one.title else name) for one in worlds]
            reasons = {(one.reason, one.place) if isinstance(one, Outside) else None for one in found}
            yield from [found[0].of(name)] if isinstance(found[0], Outside) and len(reasons) == 1 else found
        except Outside as outside:
            yield outside.of(name) if outside.place.line else Outside(outside.reason, place_of(method), name)


@dataclass
class _Reading:
    kind: Class
    method: ast.FunctionDef
    frame: Frame
    library: Library

    def __post_init__(self) -> None:
        self.public: dict[str, str] = {}

    def program(self, name: str) -> Program | Outside:
        try:
            return self._program(name)
        except Outside as outside:
            return outside.of(name) if outside.place.line else Outside(outside.reason, place_of(self.method), name)
        except RecursionError:
            return Outside("it is nested too deeply to be read", place_of(self.method), name)

    def _program(self, name: str) -> Program | Outside:
        head = ast.parse(f"def f({self.frame.parameters}): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        given = {one.arg: one.annotation for one in head.args.args}
        first = ast.parse(self.frame.before).body
        fields = self._fields(self.kind, "")
        for taken_twice in given.keys() & self.public.keys():
            raise Outside(f"{taken_twice} is a field and something given", place_of(self.kind.node))
        public = {one for one, kind in given.items() if kind is not None and said(kind).startswith("public")} | self.public.keys()
        taken = {one.id for part in first for one in ast.walk(part) if isinstance(one, ast.Name)} | given.keys() | self.public.keys()
        reader = Statements(self.library, frozenset(public), Fresh(set(taken)))
        reader.silent = True
        itself = self._made(self.kind, fields, reader)
        reader.silent = False
        for one in first:
            reader.emit(ast.copy_location(one, self.method))
        reader.told(self.method, Scope(self.kind.module), [itself], dict(self.frame.given))
        reader.silent = True
        claim = self._claim(itself, reader)
        source = "\n".join([name, self.frame.parameters, self.frame.before, *reader.read_functions.values()])
        return program_from(self._function(name, claim, reader), source)

    def _fields(self, kind: Class, prefix: str) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for one in kind.fields():
            assert isinstance(one.target, ast.Name)
            found[one.target.id] = self._field(kind, one, one.target.id, prefix)
        return found

    def _field(self, kind: Class, node: ast.AnnAssign, name: str, prefix: str) -> Value:
        if name in self.frame.fixed and not prefix:
            return Known(self.frame.fixed[name])
        annotation = said(node.annotation)
        if annotation == "int" or (annotation == "Fraction" and node.value is None):
            self.public[prefix + name] = "int" if annotation == "int" else "float"
            return Told(ast.Name(prefix + name, ast.Load()), "int" if annotation == "int" else "real")
        if node.value is not None:
            return Statements(self.library, frozenset(), Fresh()).read(node.value, Scope(kind.module))
        definition = kind.module.named(annotation)
        inner = self.library.look(definition.name) if isinstance(definition, Imported) else definition
        if not isinstance(inner, Class):
            raise Outside(f"the field {name} is of no kind that is read", place_of(node))
        return Thing(inner.checked(), self._fields(inner, f"{name}_"))

    def _made(self, kind: Class, fields: dict[str, Value], reader: Statements) -> Thing:
        """After ``__init__`` or ``__post_init__``, which say what is refused."""
        made = Thing(kind, fields)
        for value in fields.values():
            if isinstance(value, Thing):
                self._made(value.kind, value.fields, reader)
        line = 0 if kind.module is self.kind.module else self.method.lineno
        for name in ("__init__", "__post_init__"):
            checks = kind.method(name)
            if checks is not None:
                given = {one.arg: fields[one.arg] for one in (*checks.args.args, *checks.args.kwonlyargs) if one.arg in fields}
                reader.inlined(checks, Scope(kind.module, line=line), [made], given, checks)
        return made

    def _claim(self, itself: Thing, reader: Statements) -> tuple[str, str | None]:
        loss = self.kind.method("loss")
        if loss is None:
            raise Outside(f"{self.kind.name} has no loss, so that nothing is claimed", place_of(self.kind.node))
        move: list[Any] = [Known(self.frame.move)]
        found = reader.inlined(loss, Scope(self.kind.module), [itself, *move], {}, loss)
        if not isinstance(found, Cost):
            raise Outside("what loss gives is not understood", place_of(loss))
        return ast.unparse(plain(found.epsilon)), None if found.delta is None else ast.unparse(plain(found.delta))

    def _function(self, name: str, claim: tuple[str, str | None], reader: Statements) -> ast.FunctionDef:
        """The program as a function with ``@mechanism``."""
        refused = [f"if {one} < 1:\n    return" for one in reader.whole]
        guards = ast.parse("\n".join(refused)).body
        delta = "" if claim[1] is None else f", delta={claim[1]!r}"
        parameters = ", ".join([self.frame.parameters, *(f"{one}: public[{kind}]" for one, kind in self.public.items())])
        text = f"@mechanism(epsilon={claim[0]!r}{delta}, neighbours={self.frame.neighbours})\ndef f({parameters}): pass"
        function = ast.parse(text).body[0]
        assert isinstance(function, ast.FunctionDef)
        for one in (*ast.walk(function), *(part for guard in guards for part in ast.walk(guard))):
            if isinstance(one, ast.expr | ast.stmt | ast.arg):
                one.lineno = one.end_lineno = self.method.lineno
        function.name = name
        function.body = [*guards, *reader.block]
        return ast.fix_missing_locations(function)
