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


def test_branches_and_early_returns() -> None:
    body = loop(
        "if answer > threshold:\n    left -= 1\n    yield left\nelse:\n    yield answer\nif left =="
        " 0:\n    return"
    )
    assert told(body, [1, 9, 2, 7, 3]) == [1, 1, 2, 0]


def test_truths_count_as_numbers() -> None:
    assert told(loop("above = answer >= threshold\nleft -= above\nyield left"), [5, 4, 6]) == [
        1,
        1,
        0,
    ]


def test_none_among_numbers_is_false() -> None:
    assert told(loop("yield answer if answer > threshold else None"), [5, 6]) == [False, 6]


def test_what_the_class_refuses_is_not_run() -> None:
    body = loop("yield answer")
    assert told(body, [1], cutoff=0) == []
    assert lines(read(body, RUN))[0] == "if cutoff < 1"


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
        (loop("while left > 0:\n    left -= 1\nyield left"), "is not understood"),
        (loop("with answer:\n    yield 1"), "is not understood"),
        (loop("left = None\nyield left"), "is not a number"),
        (loop("left = answer > 1\nyield left"), "left is of another kind here"),
        (loop("yield (answer, 1)"), "what is yielded here is not understood"),
        (
            loop("yield answer > 1 if answer > 2 else None"),
            "what is yielded here is not understood",
        ),
        (loop("answer.x = 1"), "may change what its names mean"),
        (loop("yield unknown"), "unknown has no value here"),
        (loop("here = answer\nyield 1") + "\nyield here", "here has no value here"),
        (
            loop("if answer > 3:\n    raise InvalidArgument('answers', 'large')\nyield 1"),
            "refused because of data",
        ),
        (loop("yield 1") + "\nfor k in threshold:\n    yield k", "is not understood"),
        ("for answer in answers:\n    yield 1\nelse:\n    yield 2", "is not understood"),
        ("raise InvalidArgument('answers', 'always')", "what is given here is refused"),
        ("return _NOISE", "what return _NOISE gives is not understood"),
        ("def inner(): pass\nreturn 1", "is not understood"),
    ],
)
def test_statements_that_are_not_understood(body: str, reason: str) -> None:
    assert reason in refused(body, RUN)


@pytest.mark.parametrize(
    ("before", "call", "reason"),
    [
        ("def f(*a):\n    return 1", "f(answer)", "f is not a plain function"),
        ("def f(a):\n    return f(a)", "f(answer)", "without end"),
        (
            "def f(a):\n    if a > 1:\n        return 1\n    return 2",
            "f(answer)",
            "decides is not understood here",
        ),
        ("def f(a):\n    for k in (1, 2):\n        return k", "f(answer)", "a loop that returns"),
        ("def f(a):\n    yield a", "f(answer)", "is not understood"),
        ("def f(a):\n    return a", "f()", "does not give a"),
        ("def f(a):\n    return a", "f(answer, b=1)", "does not fit f"),
    ],
)
def test_functions_that_are_not_understood(before: str, call: str, reason: str) -> None:
    assert reason in refused(loop(f"yield {call}"), RUN, f"\n{before}\n")


def test_a_refusal_of_public_numbers_is_passed_over() -> None:
    assert told(
        "if threshold > 9:\n    raise InvalidArgument('threshold', 'large')\n"
        + loop("yield answer"),
        [4],
    ) == [4]
