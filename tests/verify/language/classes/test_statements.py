"""Statements. A variable that changes is one variable of the program; what was read of it before
keeps its value.
"""

from __future__ import annotations

import pytest

from hedgerow.verify.language.interpreter import run_program
from verify.language.classes.classes import RUN, read, refused
from verify.language.classes.showing import lines


def loop(body: str) -> str:
    return "for answer in answers:\n" + "\n".join("    " + line for line in body.splitlines())


def told(body: str, answers: list[int], **more: int) -> list[object]:
    """What a program without noise says."""
    program = read(body, RUN)
    return list(
        run_program(
            program,
            {"answers": answers, "size": len(answers), "threshold": 5, "scale": 1, "cutoff": 2}
            | more,
        )
    )


def test_swaps_and_old_values() -> None:
    """Against Python's own idea of the same statements."""
    body = "a = 1\nb = 2\n" + loop("old = a\na, b = b, a + answer\nyield old\nyield a - b")
    program = body.replace("answer in answers", "answer in ANSWERS")
    said: list[int] = []
    scope: dict[str, object] = {"ANSWERS": [3, 5, 8], "said": said}
    exec(
        program.replace("yield old", "said.append(old)").replace(
            "yield a - b", "said.append(a - b)"
        ),
        scope,
    )
    assert told(body, [3, 5, 8]) == said


def test_functions_are_read_where_they_are_called() -> None:
    before = (
        "\ndef twice(value, times=2):\n    if times == 3:\n        return value\n    more = value *"
        " times\n    return more\n"
    )
    found = read(loop("yield twice(answer)\nyield twice(answer, times=3)"), RUN, before)
    assert "    output answers[place]" in lines(found)
    assert "    more = answers[place] * 2" in lines(found)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (loop("while left > 0:\n    left -= 1\nyield left"), "is not in the language"),
        (loop("with answer:\n    yield 1"), "is not in the language"),
        (loop("left = None\nyield left"), "is not a number"),
        (loop("left = answer > 1\nyield left"), "left changes its type here"),
        (loop("yield (answer, 1)"), "the yielded value is not in the language"),
        (
            loop("yield answer > 1 if answer > 2 else None"),
            "the yielded value is not in the language",
        ),
        (loop("answer.x = 1"), "may change the meaning of a name"),
        (loop("yield unknown"), "unknown is not defined here"),
        (loop("here = answer\nyield 1") + "\nyield here", "here is not defined here"),
        (
            loop("if answer > 3:\n    raise InvalidArgument('answers', 'large')\nyield 1"),
            "depends on data",
        ),
        (loop("yield 1") + "\nfor k in threshold:\n    yield k", "is not in the language"),
        ("for answer in answers:\n    yield 1\nelse:\n    yield 2", "is not in the language"),
        ("raise InvalidArgument('answers', 'always')", "the class always raises here"),
        ("return _NOISE", "the value of return _NOISE is not in the language"),
        ("def inner(): pass\nreturn 1", "is not in the language"),
    ],
)
def test_statements_that_are_not_understood(body: str, reason: str) -> None:
    assert reason in refused(body, RUN)


@pytest.mark.parametrize(
    ("before", "call", "reason"),
    [
        ("def f(*a):\n    return 1", "f(answer)", "f has *, ** or a decorator"),
        ("def f(a):\n    return f(a)", "f(answer)", "calls are nested more than 12 deep"),
        (
            "def f(a):\n    if a > 1:\n        return 1\n    return 2",
            "f(answer)",
            "the branch on a > 1 is not in the language",
        ),
        (
            "def f(a):\n    for k in (1, 2):\n        return k",
            "f(answer)",
            "a return inside this loop",
        ),
        ("def f(a):\n    yield a", "f(answer)", "is not in the language"),
        ("def f(a):\n    return a", "f()", "must pass a"),
        ("def f(a):\n    return a", "f(answer, b=1)", "do not match f"),
    ],
)
def test_functions_that_are_not_understood(before: str, call: str, reason: str) -> None:
    assert reason in refused(loop(f"yield {call}"), RUN, f"\n{before}\n")
