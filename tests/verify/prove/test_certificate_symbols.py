"""The names of a certificate."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate_symbols import make_certificate_symbols
from hedgerow.verify.prove.product_program import PairState, ProductProgram
from hedgerow.verify.prove.solver import z3
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.terms import SymbolTable
from verify.prove.proving import certificate, program

ABOUT = program(
    """
@mechanism(epsilon="eps", neighbours="one")
def one(q: private[list], x: private[float], n: public[int], eps: public[float]):
    return x + q[0] + laplace(1 / eps)
"""
)
NOW, THEN = z3.Real("now"), z3.Real("then")


def symbols() -> SymbolTable:
    sorts = infer_sorts(ABOUT)
    inputs = SymbolicInputs(ABOUT, sorts)
    product = ProductProgram(ABOUT, certificate(ABOUT, ("0",)), sorts, inputs)
    state = PairState({**inputs.scalars, "y": (NOW, THEN)}, {"cost0": NOW})
    entry = PairState({"y": (THEN, NOW)}, {"cost0": THEN})
    return make_certificate_symbols(product, state, [], entry, {"@noise": z3.Real("z")})


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("y@1", NOW),
        ("y@2", THEN),
        ("y@1@0", THEN),
        ("@cost0", NOW),
        ("@cost0@0", THEN),
        ("@noise", z3.Real("z")),
        ("n", z3.Int("n")),
        ("@where:q", z3.Int("@where:q")),
    ],
)
def test_a_name_is_looked_up_in_one_run(name: str, term: object) -> None:
    assert z3.eq(symbols().look_up(name), term)


@pytest.mark.parametrize("name", ["x", "y", "y@3", "@cost7", "@answer", "other@1"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnsupportedProgram):
        symbols().look_up(name)


def test_a_list_is_read_in_one_of_the_runs() -> None:
    first, second = (symbols().read_entry(name, z3.IntVal(0)) for name in ("q@1", "q@2"))
    assert not z3.eq(first, second)
    with pytest.raises(UnsupportedProgram):
        symbols().read_entry("q", z3.IntVal(0))
