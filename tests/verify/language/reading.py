"""Programs for tests, written short."""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path

from hedgerow.verify.language.hr import parse
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python import programs

PROGRAMS = Path(__file__).parents[1] / "programs"
HEAD = '@mechanism(epsilon="eps", neighbours="one")\n'
PARAMETERS = "q: private[list], x: private[float], k: private[int], b: private[bool], n: public[int], eps: public[float]"


def python(body: str, parameters: str = PARAMETERS, head: str = HEAD) -> Program | Outside:
    """The one mechanism of a file that has this body. Its first line is the third of the text."""
    (found,) = programs(f"{head}def f({parameters}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n")
    return found


def read(body: str, parameters: str = PARAMETERS, head: str = HEAD) -> Program:
    found = python(body, parameters, head)
    assert isinstance(found, Program), found
    return found


def refused(body: str, parameters: str = PARAMETERS, head: str = HEAD) -> Outside:
    found = python(body, parameters, head)
    assert isinstance(found, Outside), found
    return found


def small(body: str, head: str = "f(l : private list, x : private real, n : public int, eps : public real)") -> Program | Outside:
    """The same for the small language. Its first line is the second of the text."""
    (found,) = parse(f"{head}\n{textwrap.indent(textwrap.dedent(body).strip(), '  ')}\n").programs
    return found


@functools.cache
def gallery() -> dict[str, Program]:
    """All programs of the gallery by name."""
    found: list[Program | Outside] = []
    for file in sorted(PROGRAMS.glob("*.py")):
        found += programs(file.read_text(encoding="utf-8"), file.name)
    for file in sorted(PROGRAMS.glob("*.hr")):
        found += parse(file.read_text(encoding="utf-8")).programs
    read_ = [one for one in found if isinstance(one, Program)]
    assert len(read_) == len(found), [str(one) for one in found if isinstance(one, Outside)]
    return {one.name: one for one in read_}
