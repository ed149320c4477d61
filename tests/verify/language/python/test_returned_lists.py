"""A list that is built up and returned tells each entry as it is put on; whatever would tell
something else is refused.
"""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Output, While, format_expression
from verify.language.reading import read, refused


@pytest.mark.parametrize("more", ["out.append(q[i])", "out = out + [q[i]]", "out += [q[i]]"])
def test_each_entry_is_told_when_it_is_put_on(more: str) -> None:
    program = read(f"out = []\nfor i in range(n):\n    {more}\nreturn out")
    (loop,) = (one for one in program.body if isinstance(one, While))
    assert [format_expression(one.value) for one in loop.body if isinstance(one, Output)] == [
        "q[i]"
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("out = []\nout = []\nreturn out", "start it once"),
        ("out = []\nmore = []\nreturn out", "only one list can be built"),
        ("if n > 1:\n    out = []\nreturn 1", "outside branches"),
        ("n = []\nreturn n", "only one list can be built"),
        ("out = []\nout.append(1)\nreturn 1", "every return must return the list"),
        ("out = []\nif n > 1:\n    return 1\nreturn out", "every return must return the list"),
        ("out = []\nout.append(1)", "is never returned"),
        ("out = []\noutput(1)\nreturn out", "not both"),
        ("if n > 1:\n    return out\nout = []\nreturn out", "is used before"),
        ("out = []\nfor i in range(n):\n    out = out + [out]\nreturn out", "only grow"),
        ("out = []\nout.append(1, 2)\nreturn out", "is not a statement of the language"),
        ("out = []\ny = out.append(1)\nreturn out", "only grow"),
        ("out.append(1)\nout = []\nreturn out", "is used before"),
        ("out = []\nout = [1] + out\nreturn out", "only grow at its end"),
        ("out = []\nout = 1\nreturn out", "only grow at its end"),
        ("out = []\nout = out + x\nreturn out", "can only be extended by"),
        ("out = []\nout += x\nreturn out", "can only be extended by"),
        ("out = []\nout += out\nreturn out", "only grow"),
        ("out = []\nout *= [1]\nreturn out", "only grow at its end"),
        ("out = []\nx = out[0]\nreturn out", "only grow"),
        ("out = []\nx = len(out)\nreturn out", "only grow"),
        ("out = []\nx = out\nreturn out", "only grow"),
        ("out = []\nout.append(out)\nreturn out", "only grow"),
        ("out = []\nout.pop()\nreturn out", "only grow"),
        ("out = []\nfor out in q:\n    pass\nreturn out", "only grow"),
        ("out = []\nout, y = 1, 2\nreturn out", "only grow"),
        ("out = []\nout: float = 1\nreturn out", "only grow"),
        ("out = []\ny = out = 1\nreturn out", "only grow"),
    ],
)
def test_other_lists_are_refused(body: str, told: str) -> None:
    assert told in refused(body).reason
