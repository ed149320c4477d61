"""Programs for tests, written short."""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path

from hedgerow.verify.language.program import Program
from hedgerow.verify.language.pseudocode import parse_document
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.language.unsupported import UnsupportedProgram

PROGRAMS = Path(__file__).parents[1] / "programs"
HEAD = '@mechanism(epsilon="eps", neighbours="one")\n'
PARAMETERS = (
    "q: private[list], x: private[float], k: private[int], b: private[bool], n: public[int], eps:"
    " public[float]"
)


def python(
    body: str, parameters: str = PARAMETERS, head: str = HEAD
) -> Program | UnsupportedProgram:
    """The one mechanism of a file that has this body. Its first line is the third of the text."""
    (found,) = read_programs(
        f"{head}def f({parameters}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    )
    return found


def read(body: str, parameters: str = PARAMETERS, head: str = HEAD) -> Program:
    found = python(body, parameters, head)
    assert isinstance(found, Program), found
    return found


def refused(body: str, parameters: str = PARAMETERS, head: str = HEAD) -> UnsupportedProgram:
    found = python(body, parameters, head)
    assert isinstance(found, UnsupportedProgram), found
    return found


def small(
    body: str,
    head: str = "f(l : private list, x : private real, n : public int, eps : public real)",
) -> Program | UnsupportedProgram:
    """The same for the small language. Its first line is the second of the text."""
    (found,) = parse_document(
        f"{head}\n{textwrap.indent(textwrap.dedent(body).strip(), '  ')}\n"
    ).programs
    return found


@functools.cache
def gallery() -> dict[str, Program]:
    """All programs of the gallery by name."""
    found: list[Program | UnsupportedProgram] = []
    for file in sorted(PROGRAMS.glob("*.py")):
        found += read_programs(file.read_text(encoding="utf-8"), file.name)
    for file in sorted(PROGRAMS.glob("*.hr")):
        found += parse_document(file.read_text(encoding="utf-8")).programs
    read_ = [one for one in found if isinstance(one, Program)]
    assert len(read_) == len(found), [
        str(one) for one in found if isinstance(one, UnsupportedProgram)
    ]
    return {one.name: one for one in read_}
