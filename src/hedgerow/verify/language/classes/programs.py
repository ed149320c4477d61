"""Programs of a mechanism class, one for each neighbour setup."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ConcreteValue,
    InstanceValue,
    LossValue,
    QualifiedName,
    SymbolicValue,
)
from hedgerow.verify.language.classes.expressions import SourceScope
from hedgerow.verify.language.classes.intrinsics import build_expression
from hedgerow.verify.language.classes.modules import (
    ClassSource,
    ModuleSource,
    PackageSource,
)
from hedgerow.verify.language.classes.neighbour_setups import NeighbourSetup, iterate_setups
from hedgerow.verify.language.classes.program_body import ProgramBodyReader
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python.expressions import find_place, format_node
from hedgerow.verify.language.python.signatures import build_program
from hedgerow.verify.language.signature import check_text_size
from hedgerow.verify.language.steps import NameSupply
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["read_class_programs"]


def read_class_programs(text: str, file: str = "") -> list[Program | UnsupportedProgram]:
    """Read every program of each class of the file that has a shape and a method ``sample…``; an
    ``UnsupportedProgram`` takes the place of each that is outside the language.
    """
    try:
        tree = ast.parse(check_text_size(text))
    except (UnsupportedProgram, SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # read_programs has reported it
    if not any(
        isinstance(one, ast.ClassDef) and ClassSource(one, None).shape  # type: ignore[arg-type]
        for one in tree.body
    ):
        return []
    library = PackageSource()
    try:
        module = ModuleSource(f"file.{file.removesuffix('.py')}", text)
    except UnsupportedProgram as outside:
        return [outside.with_name(file)]
    classes = [
        one
        for one in module.names.values()
        if isinstance(one, ClassSource) and one.shape is not None
    ]
    return [program for one in classes for program in _read_class(one, library)]


def _read_class(
    kind: ClassSource, library: PackageSource
) -> Iterator[Program | UnsupportedProgram]:
    methods = [
        one
        for one in kind.node.body
        if isinstance(one, ast.FunctionDef) and one.name.split("_")[0] == "sample"
    ]
    for method in methods:
        name = f"{kind.name}.{method.name}"
        try:
            found = [
                _ClassReader(kind, method, one, library).read_program(
                    f"{name} ({one.title})" if one.title else name
                )
                for one in iterate_setups(kind.check(), method)
            ]
            reasons = {
                (one.reason, one.place) if isinstance(one, UnsupportedProgram) else None
                for one in found
            }
            if isinstance(found[0], UnsupportedProgram) and len(reasons) == 1:
                found = [found[0].with_name(name)]  # the same reason in every setup
            yield from found
        except UnsupportedProgram as outside:
            yield outside.with_name(name, find_place(method))


@dataclass
class _ClassReader:
    definition: ClassSource
    method: ast.FunctionDef
    setup: NeighbourSetup
    library: PackageSource
    public_fields: dict[str, str] = field(default_factory=dict)

    def read_program(self, name: str) -> Program | UnsupportedProgram:
        try:
            return self._read_program(name)
        except UnsupportedProgram as outside:
            return outside.with_name(name, find_place(self.method))
        except RecursionError:
            return UnsupportedProgram(
                "the program is nested too deeply; flatten it", find_place(self.method), name
            )

    def _read_program(self, name: str) -> Program | UnsupportedProgram:
        head = ast.parse(f"def f({self.setup.parameters}): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        given = {one.arg: one.annotation for one in head.args.args}
        first = ast.parse(self.setup.prelude).body
        fields = self._read_fields(self.definition, "")
        for taken_twice in given.keys() & self.public_fields.keys():
            raise UnsupportedProgram(
                f"{taken_twice} is both a field and an argument; rename the field",
                find_place(self.definition.node),
            )
        public = {
            one
            for one, kind in given.items()
            if kind is not None and format_node(kind).startswith("public")
        } | self.public_fields.keys()
        taken = (
            {one.id for part in first for one in ast.walk(part) if isinstance(one, ast.Name)}
            | given.keys()
            | self.public_fields.keys()
        )
        reader = ProgramBodyReader(frozenset(public), NameSupply(set(taken)), self.library)
        reader.is_pure = True
        itself = self._run_constructors(self.definition, fields, reader)
        reader.is_pure = False
        for one in first:
            reader.emit(ast.copy_location(one, self.method))
        reader.read_function(
            self.method, SourceScope(self.definition.module), [itself], dict(self.setup.arguments)
        )
        reader.is_pure = True
        claim = self._read_claim(itself, reader)
        source = "\n".join(
            [name, self.setup.parameters, self.setup.prelude, *reader.source_texts.values()]
        )
        return build_program(self._build_function(name, claim, reader), source)

    def _read_fields(self, kind: ClassSource, prefix: str) -> dict[str, AbstractValue]:
        return {
            name: self._read_field(kind, node, name, prefix)
            for name, node in kind.find_fields().items()
        }

    def _read_field(
        self, kind: ClassSource, node: ast.AnnAssign, name: str, prefix: str
    ) -> AbstractValue:
        if name in self.setup.fixed_fields and not prefix:
            return ConcreteValue(self.setup.fixed_fields[name])
        annotation = format_node(node.annotation)
        if annotation == "int" or (annotation == "Fraction" and node.value is None):
            self.public_fields[prefix + name] = "int" if annotation == "int" else "float"
            return SymbolicValue(
                ast.Name(prefix + name, ast.Load()), "int" if annotation == "int" else "real"
            )
        if node.value is not None:
            return ProgramBodyReader(frozenset(), NameSupply(), self.library).read(
                node.value, SourceScope(kind.module)
            )
        definition = kind.module.find_definition(annotation)
        inner = (
            self.library.find_definition(definition.name)
            if isinstance(definition, QualifiedName)
            else definition
        )
        if not isinstance(inner, ClassSource):
            raise UnsupportedProgram(
                f"the field {name} must be an int, a Fraction or a mechanism", find_place(node)
            )
        return InstanceValue(inner.check(), self._read_fields(inner, f"{name}_"))

    def _run_constructors(
        self, kind: ClassSource, fields: dict[str, AbstractValue], reader: ProgramBodyReader
    ) -> InstanceValue:
        """Return the instance after ``__init__`` or ``__post_init__``, which record what is
        refused.
        """
        made = InstanceValue(kind, fields)
        for value in fields.values():
            if isinstance(value, InstanceValue):
                self._run_constructors(value.definition, value.fields, reader)
        line = 0 if kind.module is self.definition.module else self.method.lineno
        for name in ("__init__", "__post_init__"):
            checks = kind.find_method(name)
            if checks is not None:
                given = {
                    one.arg: fields[one.arg]
                    for one in (*checks.args.args, *checks.args.kwonlyargs)
                    if one.arg in fields
                }
                reader.inline(checks, SourceScope(kind.module, line=line), [made], given, checks)
        return made

    def _read_claim(
        self, itself: InstanceValue, reader: ProgramBodyReader
    ) -> tuple[str, str | None]:
        loss = self.definition.find_method("loss")
        if loss is None:
            raise UnsupportedProgram(
                f"{self.definition.name} has no method loss, which states its claim; add it",
                find_place(self.definition.node),
            )
        arguments: list[AbstractValue] = [itself, ConcreteValue(self.setup.sensitivity)]
        found = reader.inline(loss, SourceScope(self.definition.module), arguments, {}, loss)
        if not isinstance(found, LossValue):
            raise UnsupportedProgram("loss must return a Loss", find_place(loss))
        return ast.unparse(build_expression(found.epsilon)), (
            None if found.delta is None else ast.unparse(build_expression(found.delta))
        )

    def _build_function(
        self, name: str, claim: tuple[str, str | None], reader: ProgramBodyReader
    ) -> ast.FunctionDef:
        """Build the program as a function with ``@mechanism``."""
        refused = [f"if {one} < 1:\n    return" for one in reader.positive_parameters]
        guards = ast.parse("\n".join(refused)).body
        delta = "" if claim[1] is None else f", delta={claim[1]!r}"
        parameters = ", ".join(
            [
                self.setup.parameters,
                *(f"{one}: public[{kind}]" for one, kind in self.public_fields.items()),
            ]
        )
        text = (
            f"@mechanism(epsilon={claim[0]!r}{delta}, neighbours={self.setup.neighbours})\ndef"
            f" f({parameters}): pass"
        )
        function = ast.parse(text).body[0]
        assert isinstance(function, ast.FunctionDef)
        for one in (*ast.walk(function), *(part for guard in guards for part in ast.walk(guard))):
            if isinstance(one, ast.expr | ast.stmt | ast.arg):
                one.lineno = one.end_lineno = self.method.lineno
        function.name = name
        function.body = [*guards, *reader.block]
        return ast.fix_missing_locations(function)
