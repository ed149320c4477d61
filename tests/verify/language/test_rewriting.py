"""Rewriting reaches every expression of a program, and conjunctions are split."""

from __future__ import annotations

from hedgerow.verify.language.program import (
    Name,
    Number,
    format_expression,
    list_expressions,
    substitute,
    walk_statements,
)
from hedgerow.verify.language.rewriting import map_expressions, split_conjuncts
from verify.language.reading import read


def test_each_expression_of_nested_statements_is_changed_and_nothing_else() -> None:
    program = read(
        "y = x + n\nwhile y < n:\n    if y > n:\n        y += laplace(n)\n    else:\n"
        "        output(n)\n    y += 1\nreturn y"
    )
    changed = map_expressions(program.body, lambda one: substitute(one, {"n": Name("m")}))
    before, after = (
        [format_expression(part) for one in walk_statements(body) for part in list_expressions(one)]
        for body in (program.body, changed)
    )
    assert after == [text.replace("n", "m") if text != "noise" else text for text in before] or (
        [text.replace("m", "n") for text in after] == before
    )
    assert map_expressions(program.body, lambda one: one) == program.body


def test_nested_conjunctions_are_split_in_order() -> None:
    program = read("if x < 1 and (n < 2 and k < 3) and (b or n < 4):\n    return 1\nreturn 2")
    (condition,) = (one.condition for one in program.body if hasattr(one, "condition"))
    assert [format_expression(one) for one in split_conjuncts(condition)] == [
        "x < 1",
        "n < 2",
        "k < 3",
        "b or n < 4",
    ]
    assert split_conjuncts(Number(1)) == [Number(1)]  # type: ignore[arg-type]
