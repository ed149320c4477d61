from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.claim_units import (
    compute_degree,
    find_claim_unit,
    find_unit_parameter,
)
from hedgerow.verify.language.program import Length
from verify.language.reading import read

PARAMETERS = (
    "x: private[float], a: public[float], b: public[float], n: public[int], eps: public[float]"
)


@pytest.mark.parametrize(
    ("claim", "unit"),
    [
        ("2*eps", "eps"),
        ("n*eps", "eps"),
        ("eps + 1", "eps"),
        ("2*a", "a"),
        ("a*n/3", "a"),
        ("a*a/b", "the claim"),
        ("sqrt(a*a)*n", "a"),
        ("max(a, 2*a)", "a"),
        ("1/a", "the claim"),
        ("1/a + 2*n/b", "the claim"),
        ("a + 1", "the claim"),
        ("a*exp(b)", "a"),
        ("a*exp(a)", "the claim"),
        ("ln((1 - a)/a)", "the claim"),
        ("n", "the claim"),
        ("3", ""),
        ("ln(3)", ""),
    ],
)
def test_the_unit_of_a_claim(claim: str, unit: str) -> None:
    program = read("return x", PARAMETERS, f'@mechanism(epsilon="{claim}", neighbours="one")\n')
    assert find_claim_unit(program) == unit
    assert find_unit_parameter(program) == (unit if unit in ("a", "eps") else None)


@pytest.mark.parametrize(
    ("claim", "power"),
    [
        ("-a", 1),
        ("abs(a)/a", 0),
        ("sqrt(a)", Fraction(1, 2)),
        ("sqrt(a + 1)", None),
        ("a - b", None),
    ],
)
def test_powers(claim: str, power: Fraction | None) -> None:
    program = read(f"return {claim}", PARAMETERS)
    assert compute_degree(program.body[-1].value, "a") == power  # type: ignore[union-attr]


def test_an_expression_without_the_name_has_degree_zero() -> None:
    assert compute_degree(Length("q"), "a") == 0
    assert compute_degree(Length("q"), "q") is None
