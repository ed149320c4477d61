"""Evaluation gives numbers where possible, and terms where there are unknowns."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Length
from hedgerow.verify.prove.search.evaluate import (
    TraceAbandoned,
    Value,
    choose,
    combine_booleans,
    evaluate,
    is_concrete,
    to_term,
)
from hedgerow.verify.prove.solver import is_entailed, z3
from verify.prove.proving import expression

UNKNOWN = z3.Real("u")


def evaluated(text: str) -> Value:
    values = {"a": 2, "b": 0.5, "t": True, "u": UNKNOWN}
    return evaluate(expression(text), values.__getitem__, lambda name, at: at * 10, lambda name: 4)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a + b", 2.5),
        ("a * 3 - b / 2", 5.75),
        ("7 % 4", 3),
        ("abs(-b)", 0.5),
        ("min(a, b)", 0.5),
        ("max(a, b)", 2),
        ("q[a]", 20),
        ("floor(-b)", -1),
        ("exp(ln(a))", 2.0),
        ("sqrt(4)", 2.0),
        ("a if t else b", 2),
        ("a if not t or a < b else b", 0.5),
        ("1 if t and a != b else 0", 1),
        ("t ^ t", False),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert evaluated(text) == pytest.approx(number)
    assert is_concrete(evaluated(text))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("u + a", "2 + u"),
        ("u / a", "u * b"),
        ("abs(u)", "u if u >= 0 else -u"),
        ("min(u, a)", "u if u <= 2 else 2"),
    ],
)
def test_unknowns(text: str, same: str) -> None:
    assert is_entailed([], evaluated(text) == evaluated(same))


@pytest.mark.parametrize(
    "text", ["u % a", "q[u]", "1 / 0", "a % 0", "ln(0)", "ln(u)", "exp(100000)"]
)
def test_untraceable_expressions_abandon_the_trace(text: str) -> None:
    with pytest.raises(TraceAbandoned):
        evaluated(text)


def test_parts() -> None:
    assert evaluate(Length("q"), {}.__getitem__, lambda name, at: at, lambda name: 4) == 4
    assert combine_booleans("and", [True, UNKNOWN > 0]).eq(z3.And(UNKNOWN > 0))
    assert combine_booleans("and", [False, UNKNOWN > 0]) is False
    assert combine_booleans("or", [True, UNKNOWN > 0]) is True
    assert combine_booleans("or", []) is False
    assert choose(UNKNOWN > 0, 1, 1) == 1
    assert is_entailed([], to_term(1 / 3) == z3.RealVal("1/3"))
    assert z3.is_true(to_term(True))
