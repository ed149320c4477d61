"""Expressions mean the same in z3 as in the language."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.program import Apply, Expression, Kind, Length, Name, Number, Read
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, is_entailed, z3
from hedgerow.verify.prove.terms import (
    Sort,
    SymbolTable,
    find_applications,
    fresh_constant,
    reciprocal_term,
    to_z3_sort,
    translate,
)
from verify.prove.proving import expression

VALUES = {
    "i": z3.Int("i"),
    "x": z3.Real("x"),
    "y": z3.Real("y"),
    "t": z3.Bool("t"),
    "b": z3.BitVec("b", 8),
    "n": z3.Int("n"),
}


def term(one: Expression, learnt: list[Term] | None = None) -> Term:
    facts: list[Term] = [] if learnt is None else learnt
    entries = z3.Function("q", z3.IntSort(), z3.RealSort())
    return translate(
        one,
        SymbolTable(
            VALUES.__getitem__,
            lambda name, at: entries(at),
            lambda name: z3.Int("length"),
            facts.append,
        ),
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / 3 + 2 / 3", "1"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("abs(-5 / 2)", "5 / 2"),
        ("min(3, 2) + max(3, 2)", "5"),
        ("floor(-3 / 2)", "-2"),
        ("3 if 1 < 2 else 4", "3"),
        ("(i + 1) * 2", "2 * i + 2"),
        ("x / 4", "x * 0.25"),
        ("q[i] - q[i]", "0"),
    ],
)
def test_arithmetic_is_exact(text: str, value: str) -> None:
    assert is_entailed([], term(expression(text)) == term(expression(value)))


@pytest.mark.parametrize(
    "text", ["(1 < 2) != (2 < 1)", "not (t and not t)", "t or not t", "2 <= 2", "1 == 1"]
)
def test_truths(text: str) -> None:
    assert is_entailed([], term(expression(text)))


def test_bits() -> None:
    b, zero = Name("b"), z3.BitVecVal(0, 8)
    assert is_entailed([], term(Apply("xor", (b, b))) == zero)
    assert is_entailed([], term(Apply("bits&", (b, Apply("bits~", (b,))))) == zero)
    assert is_entailed(
        [], term(Apply("bits+", (b, Apply("bits|", (b, Apply("bits~", (b,))))))) == VALUES["b"] - 1
    )
    assert term(Apply("concat", (b, b))).size() == 16
    assert is_entailed([VALUES["b"] == 4], term(Apply("bit", (b, Number(Fraction(2))))))
    assert is_entailed([], z3.Not(term(Apply("xor", (Name("t"), Name("t"))))))


def test_uninterpreted_functions_have_equal_values_for_equal_arguments() -> None:
    for text in ("ln(x)", "exp(x)", "sqrt(x)", "1 / x", "i % n", "x % y"):
        assert is_entailed([], term(expression(text)) == term(expression(text)))
        assert not is_entailed([], term(expression(text)) == 3)


def test_learns_the_little_it_needs() -> None:
    learnt: list[Term] = []
    remainder = term(expression("i % n"), learnt)
    assert is_entailed([*learnt, VALUES["n"] > 0], z3.And(remainder >= 0, remainder < VALUES["n"]))
    learnt = []
    quotient = term(expression("1 / x"), learnt)
    assert is_entailed([*learnt, VALUES["x"] > 0], quotient > 0)
    assert not is_entailed([*learnt], quotient > 0)


def test_finds_where_a_symbol_is_applied() -> None:
    inner = reciprocal_term(VALUES["x"])
    assert [str(one.arg(0)) for one in find_applications([inner + inner > 0, inner < 1])] == ["x"]
    assert find_applications([VALUES["x"] > 0]) == []
    assert find_applications([z3.Real("reciprocal") > 0]) == []  # a parameter may be called so


@pytest.mark.parametrize(
    "bad",
    [
        Apply("+", (Name("t"), Name("x"))),
        Apply("and", (Name("x"), Name("t"))),
        Apply("xor", (Name("b"), Name("i"))),
        Read("q", Name("x")),
        Apply("/", (Name("x"), Number(Fraction(0)))),
        Apply("bit", (Name("b"), Name("i"))),
    ],
)
def test_unsupported_expressions_are_refused(bad: Expression) -> None:
    with pytest.raises(UnsupportedProgram):
        term(bad)


def test_lengths_and_sorts() -> None:
    assert str(term(Length("q"))) == "length"
    assert [str(to_z3_sort(Sort(kind, 4))) for kind in Kind] == ["Int", "Real", "Bool", "BitVec(4)"]
    assert str(fresh_constant("x", Sort(Kind.INT), 3)) == "x!3"
