"""Scales and claims in terms of public parameters."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.assumptions import find_constants, find_public_scalars
from hedgerow.verify.language.program import format_expression
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import to_rational_function
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.product_program import ProductProgram
from hedgerow.verify.prove.rules.scale_facts import (
    find_positive_parameters,
    find_scales,
    list_inverse_facts,
)
from hedgerow.verify.prove.solver import is_entailed, z3
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.terms import reciprocal_term
from verify.prove.proving import certificate, program, shipped

NAMED = """
@mechanism(epsilon="{claim}", neighbours="one")
def one(x: private[float], n: public[int], eps: public[float]):
    unit = 1 / eps
    scale = {scale}
    {more}
    return x + laplace(scale)
"""


def named(scale: str, more: str = "pass", claim: str = "eps") -> str:
    return NAMED.format(scale=scale, claim=claim, more="" if more == "pass" else more)


def test_names_for_public_values_are_written_out() -> None:
    one = program(named("2 * unit"))
    assert format_expression(find_scales(one)[0]) == "2 * (1 / eps)"
    assert set(find_constants(one)) == {"unit", "scale"}
    assert find_public_scalars(one) == {"n", "eps"}


@pytest.mark.parametrize(
    ("scale", "more"),
    [
        ("abs(x) * unit", "pass"),
        ("unit", "scale = scale / 2"),
        ("unit", "if n > 3: scale = unit / 3"),
    ],
)
def test_scales_that_are_private_or_change_are_outside(scale: str, more: str) -> None:
    with pytest.raises(UnsupportedProgram, match="not fixed by public parameters"):
        find_scales(program(named(scale, more)))


def test_positive_scales_imply_positive_expressions() -> None:
    one = shipped()["above_threshold"]
    assert find_positive_parameters(
        one, [to_rational_function(scale, {}) for scale in find_scales(one).values()]
    ) == {"eps", "N"}
    root = program("""
@mechanism(epsilon="rho + 2*sqrt(rho*ln(1/delta))", delta="delta", neighbours="one")
def one(x: private[float], rho: public[float], delta: public[float]):
    return x + gaussian(1 / sqrt(2 * rho))
""")
    assert "rho" in find_positive_parameters(root, [])


def test_the_claim_is_not_negative() -> None:
    one = shipped()["dummy_sum"]
    product = ProductProgram(
        one,
        certificate(one, ("0",), invariants=((),), variants=("0",)),
        infer_sorts(one),
        SymbolicInputs(one, infer_sorts(one)),
    )
    product.run()
    assert product.final_state is not None
    assert is_entailed(product.obligations[0].assumptions, z3.Int("size") >= 0)


def test_a_quotient_times_its_divisor() -> None:
    x = z3.Real("x")
    assert is_entailed(
        [x > 0, *list_inverse_facts([reciprocal_term(x)])], x * reciprocal_term(x) == 1
    )
    assert not is_entailed(list_inverse_facts([reciprocal_term(x)]), x * reciprocal_term(x) == 1)


@pytest.mark.parametrize(
    ("chance", "claim", "rate", "good"),
    [
        ("exp(eps) / (1 + exp(eps))", "eps", "eps", True),
        ("1 / (1 + exp(eps))", "eps", "eps", True),
        ("1 / (1 + exp(-eps))", "eps", "eps", True),
        ("exp(2 * eps) / (1 + exp(2 * eps))", "eps", "eps", False),
        ("exp(2 * eps) / (1 + exp(2 * eps))", "2*eps", "2 * eps", True),
        ("1 / 2", "0", "0", True),
    ],
)
def test_coins_in_exponentials(chance: str, claim: str, rate: str, good: bool) -> None:
    one = program(f"""
@mechanism(epsilon="{claim}", neighbours="secret")
def one(x: private[bool], eps: public[float]):
    p = {chance}
    truthful = bernoulli(p)
    return x if truthful else not x
""")
    assert (check(one, certificate(one, ("x@1 != x@2",), rates=(rate,))) is None) is good
