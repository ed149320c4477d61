"""Rounds of loops: a public number where there is one, and the runner's own limit elsewhere."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.interpreter.interpreter import MAX_ROUNDS
from hedgerow.verify.language.interpreter.loop_bounds import bound_rounds
from hedgerow.verify.language.program import Expression, Length, Name, While, walk_statements
from verify.language.reading import read


def public(expression: Expression) -> Fraction | None:
    """What public arguments fix: n is 10, the list has 5 entries."""
    if isinstance(expression, Name):
        return Fraction(10) if expression.name in ("n", "m") else None
    return Fraction(5) if isinstance(expression, Length) else None


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ("for i in range(n):\n    output(1)", 12),
        ("for y in q:\n    output(1)", 7),
        ("m = n\nfor i in range(m):\n    output(1)", 12),
        ("for i in range(n):\n    for j in range(n):\n        output(1)", 12 * 13),
        (
            "for i in range(n):\n    if x > 0:\n        for j in range(n):\n            output(1)",
            12 * 13,
        ),
        ("for i in range(n):\n    if x + laplace(1) > 5:\n        break\n    output(1)", 12),
        ("j = 3\nwhile j <= n and x > 0:\n    j += 2\n    output(1)", 9),
        ("j = 3\nwhile j < x:\n    j += 1\n    output(1)", MAX_ROUNDS),
        ("j = 3\nwhile j < n:\n    j = j - 1\n    output(1)", MAX_ROUNDS),
        ("j = 3\nwhile j < n:\n    j = 4\n    output(1)", MAX_ROUNDS),
        ("j = 3\nwhile j < n:\n    if x > 0:\n        j += 1\n    output(1)", MAX_ROUNDS),
        ("j = k\nwhile j < n:\n    j += 1\n    output(1)", MAX_ROUNDS),
        ("j = 3\nwhile j < n:\n    j = geometric(1)\n    output(1)", MAX_ROUNDS),
        ("while x > 0:\n    output(1)", MAX_ROUNDS),
        (
            (
                "j = 0\nb = False\nwhile j < n and not b:\n    b = bernoulli(1 / 2)\n    j += 1\n  "
                "  output(1)"
            ),
            MAX_ROUNDS,
        ),
        (
            "j = 0\nb = False\nwhile j < n and not b:\n    b = x > 0\n    j += 1\n    output(1)",
            MAX_ROUNDS,
        ),
    ],
)
def test_most_rounds(body: str, most: int) -> None:
    program = read(body)
    loop = next(one for one in walk_statements(program.body) if isinstance(one, While))
    assert bound_rounds(loop, program, public) == most
