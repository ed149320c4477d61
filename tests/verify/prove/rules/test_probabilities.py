"""Terms of z3 become exact fractions, and comparisons keep their meaning."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import constant_function
from hedgerow.verify.prove.rules.probabilities import ProbabilityReader
from hedgerow.verify.prove.solver import is_entailed, is_satisfiable, z3
from hedgerow.verify.prove.terms import SymbolTable, translate
from verify.prove.proving import expression

VALUES = {"eps": z3.Real("eps"), "n": z3.Int("n"), "b": z3.Bool("b"), "x": z3.Real("x")}
POSITIVE = [VALUES["eps"] > 0]


def term(text: str) -> object:
    return translate(
        expression(text),
        SymbolTable(VALUES.__getitem__, lambda *_: None, lambda *_: None, lambda _: None),
    )


def chances(decide: bool = True) -> ProbabilityReader:
    return ProbabilityReader(lambda _: decide)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3 / 4", "3/4"),
        ("1 - 1 / 4 * 2", "1/2"),
        ("-(n - n) + 2", "2"),
        ("n / n", "1"),
        ("exp(eps) / exp(eps)", "1"),
        ("exp(2 * eps) * exp(-eps) / exp(eps) * 0 + 5", "5"),
        ("exp(ln(3))", "3"),
        ("exp(2 * ln(3) - ln(9))", "1"),
        ("1 / 4 if b else 3 / 4", "1/4"),
        ("exp(0)", "1"),
    ],
)
def test_numbers(text: str, value: str) -> None:
    assert chances().read(term(text)).constant_value == Fraction(value)


def test_a_decided_choice_reads_one_branch() -> None:
    assert chances(False).read(term("1 / 4 if b else 3 / 4")).constant_value == Fraction(3, 4)


def holds(text: str, operator: str = "<=") -> tuple[object, list[object]]:
    """Return the comparison with 0, and the facts about powers."""
    made = chances()
    read = made.read(term(text))
    return made.compare_to_zero(operator, read), made.list_power_facts(
        lambda goal: is_entailed(POSITIVE, goal)
    )


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("1 - exp(eps)", True),
        ("exp(eps) - 1", False),
        ("exp(eps / 2) - exp(eps)", True),
        ("exp(eps / 3) * exp(eps / 2) - exp(eps)", True),
        ("exp(eps / 2) * exp(eps / 2) - exp(eps)", True),
        ("1 / (1 + exp(eps)) - 1 / 2", True),
        ("1 - exp(-eps)", False),
        ("exp(-eps) - 1", True),
        ("3 - exp(11 / 10)", True),  # 3.004
        ("3 - exp(1)", False),
        ("3 - exp(1.0986)", False),  # 2.99996
        ("3 - exp(1.0987)", True),
        ("1 - exp(x)", False),  # nobody knows its sign
        ("0 - exp(x)", True),
        ("exp(eps * n) - exp(eps)", False),
        ("exp(900) - exp(1000000)", True),
        # of both no more is known than that they are large
        ("exp(1000000000000) - exp(1000000)", False),
        ("exp(1000000) - exp(1000000000000)", False),
        ("exp(-1000000000000) - 1 / 1000", True),
        ("1000 - exp(100000000000000000000000)", True),
    ],
)
def test_powers_are_compared(text: str, follows: bool) -> None:
    goal, facts = holds(text)
    assert is_entailed([*POSITIVE, *facts], goal) is follows
    assert is_satisfiable([*POSITIVE, *facts])


def test_signs_with_what_is_divided_by() -> None:
    """Check that 1/x <= 0 holds for x below 0, and only there."""
    goal, _ = holds("1 / x")
    assert is_entailed([VALUES["x"] < 0], goal)
    assert is_entailed([VALUES["x"] > 0], z3.Not(goal))
    above, _ = holds("1 / x", ">")
    assert is_entailed([VALUES["x"] > 0], above)
    assert is_entailed([VALUES["x"] < 0], z3.Not(above))
    other, _ = holds("x - 3", "!=")
    assert is_entailed([VALUES["x"] > 3], other)
    assert not is_entailed([VALUES["x"] >= 3], other)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("1 / x", ["!="]),
        ("n / n", ["!="]),
        ("ln(x)", [">"]),
        ("exp(ln(x))", [">"]),
        ("x / 2", ["!="]),
    ],
)
def test_reading_a_term_records_its_conditions(text: str, needed: list[str]) -> None:
    made = chances()
    made.read(term(text))
    assert [operator for operator, _ in made.conditions] == needed


def test_incomparable_terms_are_refused() -> None:
    made = chances()
    with pytest.raises(UnsupportedProgram, match="a sum in its denominator"):
        made.read(term("exp(eps / (1 + n))"))
    with pytest.raises(UnsupportedProgram, match="divided by 0"):
        made.read(term("1 / (n - n)"))
    apart = made.read(term("exp(eps / 7) + exp(4 * eps)"))
    with pytest.raises(UnsupportedProgram, match="no small common unit"):
        made.compare_to_zero("<=", apart - constant_function(1))
