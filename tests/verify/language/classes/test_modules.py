from __future__ import annotations

import ast

import pytest

from hedgerow.verify.language.classes.modules import (
    ClassSource,
    FunctionSource,
    ModuleSource,
    PackageSource,
    QualifiedName,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

TEXT = '''"""What it is for."""
import numpy as np
from math import ceil as up
A, B = 1, 2
C: int = 3
def f():
    return 1
class K:
    """A class."""
    shape: str = "additive"
    scale: int
    limit: ClassVar[int] = 3
    def sample(self):
        self.seen = 1
'''


def test_definitions_are_found_by_name() -> None:
    module = ModuleSource("here", TEXT)
    assert module.find_definition("np") == QualifiedName("numpy")
    assert module.find_definition("up") == QualifiedName("math.ceil")
    assert [
        ast.unparse(module.find_definition(name))  # type: ignore[arg-type]
        for name in "ABC"
    ] == [
        "1",
        "2",
        "3",
    ]
    assert isinstance(module.find_definition("f"), FunctionSource)
    assert module.find_definition("gone") is None


def test_a_class_and_its_parts() -> None:
    kind = ModuleSource("here", TEXT).find_definition("K")
    assert isinstance(kind, ClassSource)
    assert (kind.name, kind.shape) == ("K", "additive")
    assert list(kind.find_fields()) == ["shape", "scale"]
    assert kind.find_method("loss") is None
    assert kind.find_method("sample") is not None
    assert kind.check() is kind
    assert (
        ClassSource(ast.parse("class P: pass").body[0], kind.module).shape  # type: ignore[arg-type]
        is None
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\nx = 2", 2),
        ("from a import b\ndef b(): pass", 2),
        ("for x in y: pass", 1),
        ("if a:\n    import b", 1),
        ("print(1)", 1),
        ("from . import a", 1),
        ("def f():\n    global x\n    x = 1", 2),
        ("def f():\n    other.sample = 1", 2),
        ("def f(a):\n    del a.b", 2),
        ("x = setattr", 1),
        ("x = 1\nx.y = 2", 2),
        ("a, b.c = 1, 2", 1),
        ("class (", 1),
    ],
)
def test_a_module_whose_names_may_change_is_refused(text: str, line: int) -> None:
    with pytest.raises(UnsupportedProgram) as outside:
        ModuleSource("here", text)
    assert outside.value.place.line == line


@pytest.mark.parametrize(
    "body",
    [
        "def sample(self): pass\n    def sample(self): pass",
        "@property\n    def sample(self): pass",
        "async def sample(self): pass",
    ],
)
def test_a_method_is_plain(body: str) -> None:
    kind = ModuleSource("here", f"class K:\n    {body}\n").find_definition("K")
    assert isinstance(kind, ClassSource)
    with pytest.raises(UnsupportedProgram, match="must be defined once"):
        kind.find_method("sample")


def test_the_library_is_the_package_itself() -> None:
    library = PackageSource()
    assert isinstance(library.find_definition("hedgerow.privacy.grid.Grid"), ClassSource)
    assert isinstance(
        library.find_definition("hedgerow.mechanisms.selection.scores.check_factor"), FunctionSource
    )
    assert library.find_definition("hedgerow.numeric.samplers.argmax_sampler.ARGMAX_NOISES") is None
    assert library.read_module("hedgerow.numeric.samplers.argmax_sampler") is library.read_module(
        "hedgerow.numeric.samplers.argmax_sampler"
    )
    for name in ("hedgerow.numeric.gone", "numpy", "os.path"):
        with pytest.raises(UnsupportedProgram, match="is not a module of hedgerow"):
            library.read_module(name)
