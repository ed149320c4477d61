"""Statements in Python: what they become, and what is refused. That they mean what Python means
is tested in test_lowering.
"""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import (
    If,
    Output,
    Sample,
    While,
    format_expression,
    walk_statements,
)
from verify.language.reading import read, refused


@pytest.mark.parametrize(
    ("body", "told", "line"),
    [
        ("import os\nreturn 1", "import os is not in the language", 3),
        ("x.y = 1\nreturn 1", "cannot be assigned", 3),
        ("q[0] = 1\nreturn 1", "cannot be assigned", 3),
        ("a, q[0] = 1, 2\nreturn 1", "cannot be assigned", 3),
        ("a, c = x\nreturn 1", "one value for each variable", 3),
        ("a, c = 1, 2, 3\nreturn 1", "one value for each variable", 3),
        ("[a, c] = 1, 2\nreturn 1", "cannot be assigned", 3),
        ("a: int\nreturn 1", "not in the language", 3),
        ("q[0] += 1\nreturn 1", "not in the language", 3),
        ("del x\nreturn 1", "not in the language", 3),
        ("global x\nreturn 1", "not in the language", 3),
        ("assert x > 0\nreturn 1", "not in the language", 3),
        ("raise ValueError\nreturn 1", "not in the language", 3),
        ("with x:\n    pass\nreturn 1", "not in the language", 3),
        ("try:\n    pass\nfinally:\n    pass\nreturn 1", "not in the language", 3),
        ("def g():\n    pass\nreturn 1", "not in the language", 3),
        ("while n > 0:\n    pass\nelse:\n    pass\nreturn 1", "not in the language", 3),
        ("for i in range(n):\n    pass\nelse:\n    pass\nreturn 1", "not in the language", 3),
        ("for i in x:\n    pass\nreturn 1", "must iterate over range", 3),
        ("for i, j in q:\n    pass\nreturn 1", "one variable as its target", 3),
        ("for i in range():\n    pass\nreturn 1", "must iterate over range", 3),
        ("for i in range(0, n, k):\n    pass\nreturn 1", "the step of range", 3),
        ("for i in range(0, n, 0):\n    pass\nreturn 1", "the step of range", 3),
        ("for i in range(0, n, 0.5):\n    pass\nreturn 1", "the step of range", 3),
        ("for i in range(geometric(1)):\n    pass\nreturn 1", "draw it before the loop", 3),
        ("x\nreturn 1", "is not a statement of the language", 3),
        ("print(x)\nreturn 1", "is not a statement of the language", 3),
        ("output(x, x)\nreturn 1", "is not a statement of the language", 3),
        ("output(value=x)\nreturn 1", "is not a statement of the language", 3),
        ("'''a docstring'''\n'another text'\nreturn 1", "is not a statement of the language", 4),
        ("out.append(1)\nreturn 1", "append only to a list that starts as []", 3),
        ("yield 1", "is not a statement of the language", 3),
        ("return 1 if x", "", 0),
        ("match x:\n    case 1:\n        pass\nreturn 1", "not in the language", 3),
    ],
)
def test_statements_outside_of_the_language(body: str, told: str, line: int) -> None:
    outside = refused(body)
    assert told in outside.reason
    assert outside.place.line == line or not told


def test_elif_draws_its_noise_where_it_is_asked() -> None:
    program = read("if x > laplace(1):\n    output(1)\nelif x > laplace(2):\n    output(2)")
    first, choice = program.body
    assert isinstance(first, Sample)
    assert isinstance(choice, If)
    assert isinstance(choice.otherwise[0], Sample)
    assert format_expression(choice.otherwise[0].parameters[0]) == "2"


def test_a_loop_over_a_list_goes_by_place() -> None:
    program = read("for y in q:\n    output(y)")
    (loop,) = (one for one in program.body if isinstance(one, While))
    assert format_expression(loop.condition) == "y_place < len(q)"
    assert [format_expression(one.value) for one in loop.body if hasattr(one, "value")] == [
        "q[y_place]",
        "y",
        "y_place + 1",
    ]


def test_a_plain_loop_has_a_plain_counter() -> None:
    program = read("for i in range(n):\n    output(q[i])")
    (loop,) = (one for one in program.body if isinstance(one, While))
    assert format_expression(loop.condition) == "i < n"


def test_a_tuple_tells_several_values() -> None:
    told = [
        format_expression(one.value)
        for one in walk_statements(read("return x, k").body)
        if isinstance(one, Output)
    ]
    assert told == ["x", "k"]


def test_an_annotation_of_a_variable_is_passed_over() -> None:
    assert format_expression(read("y: float = x\nreturn y").body[0].value) == "x"  # type: ignore[union-attr]
