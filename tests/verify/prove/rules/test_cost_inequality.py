"""Inequalities between totals."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.prove.algebra import (
    RationalFunction,
    constant_function,
    symbol_function,
)
from hedgerow.verify.prove.checker import is_discharged
from hedgerow.verify.prove.product_program import ProductProgram
from hedgerow.verify.prove.rules.cost_inequality import make_inequality
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from verify.prove.proving import certificate, program

ABOUT = program(
    """
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], b: public[float], eps: public[float]):
    return x + laplace(b)
"""
)


def holds(name: str, left: RationalFunction, right: RationalFunction) -> bool:
    sorts = infer_sorts(ABOUT)
    product = ProductProgram(
        ABOUT, certificate(ABOUT, ("-(x@2 - x@1)",)), sorts, SymbolicInputs(ABOUT, sorts)
    )
    product.run()
    return is_discharged(make_inequality(product, name, left, right, {}, ""))


def test_scales_are_multiplied_out_where_they_are_positive() -> None:
    cost, b, one = symbol_function("@cost0"), symbol_function("b"), constant_function(1)
    assert holds("cost", cost / b, one / b)
    assert not holds("cost", cost / b, constant_function(Fraction(1, 2)) / b)
    assert not holds("cost", cost / b, symbol_function("eps"))
