from __future__ import annotations

import ast

import pytest

from hedgerow.verify.language.classes.modules import Class, Imported, Library, Module, Routine
from hedgerow.verify.language.outside import Outside

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


def test_what_names_are_defined_as() -> None:
    module = Module("here", TEXT)
    assert module.named("np") == Imported("numpy")
    assert module.named("up") == Imported("math.ceil")
    assert [ast.unparse(module.named(name)) for name in "ABC"] == ["1", "2", "3"]  # type: ignore[arg-type]
    assert isinstance(module.named("f"), ast.FunctionDef)
    assert module.named("gone") is None


def test_a_class_and_its_parts() -> None:
    kind = Module("here", TEXT).named("K")
    assert isinstance(kind, Class)
    assert (kind.name, kind.shape) == ("K", "additive")
    assert [ast.unparse(one.target) for one in kind.fields()] == ["shape", "scale"]
    assert kind.method("loss") is None
    assert kind.method("sample") is not None
    assert kind.checked() is kind
    assert Class(ast.parse("class P: pass").body[0], kind.module).shape is None  # type: ignore[arg-type]


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
    with pytest.raises(Outside) as outside:
        Module("here", text)
    assert outside.value.place.line == line


@pytest.mark.parametrize(
    "body", ["def sample(self): pass\n    def sample(self): pass", "@property\n    def sample(self): pass", "async def sample(self): pass"]
)
def test_a_method_is_plain(body: str) -> None:
    kind = Module("here", f"class K:\n    {body}\n").named("K")
    assert isinstance(kind, Class)
    with pytest.raises(Outside, match="not one plain method"):
        kind.method("sample")


def test_the_library_is_the_package_itself() -> None:
    library = Library()
    assert isinstance(library.look("hedgerow.privacy.grid.Grid"), Class)
    assert isinstance(library.look("hedgerow.mechanisms.scores.check_factor"), Routine)
    assert library.look("hedgerow.numeric.race.LAWS") is None
    assert library.module("hedgerow.numeric.race") is library.module("hedgerow.numeric.race")
    for name in ("hedgerow.numeric.gone", "numpy", "os.path"):
        with pytest.raises(Outside, match="not a module that can be read"):
            library.module(name)
