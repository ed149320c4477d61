from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.refute.claim_values import evaluate_claim, evaluate_unit, find_epsilon_name
from hedgerow.verify.refute.out_of_scope import OutOfScope
from verify.refute.programs import gallery, given, one

GALLERY = gallery()


@pytest.mark.parametrize(
    ("a", "reason"),
    [("1/4", "may be negative"), ("1", "divides by 0"), ("3", "not positive")],
)
def test_parameters_without_a_claim_are_out_of_scope(a: str, reason: str) -> None:
    program = one(
        "return x",
        "x: private[bool], a: public[float]",
        '@mechanism(epsilon="ln(a / (1 - a))", neighbours="secret")\n',
    )
    assert evaluate_claim(program, given(a="1/2")) == (0, 0)
    with pytest.raises(OutOfScope, match=reason):
        evaluate_claim(program, given(a=a))


def test_claims_and_units_are_evaluated_at_the_public_parameters() -> None:
    arguments = given(q=[0, 0], size=2, eps="1/2")
    assert evaluate_claim(GALLERY["dummy_sum"], arguments) == (1, 0)
    assert evaluate_unit(GALLERY["dummy_sum"], arguments) == Fraction(1, 2)
    assert find_epsilon_name(GALLERY["dummy_sum"]) == "eps"
    assert find_epsilon_name(GALLERY["bad_classical_gaussian"]) is None
    assert evaluate_unit(GALLERY["bad_classical_gaussian"], given(x=0)) == 1
    # ln((1 - p) / p)
    assert evaluate_unit(
        GALLERY["response_that_lies_with"], given(p=Fraction(1, 4))
    ) == pytest.approx(math.log(3))
    assert evaluate_claim(GALLERY["bad_classical_gaussian"], given(x=0)) == (
        10,
        Fraction(1, 100_000),
    )
