"""REFUTED needs a counterexample that the independent evaluator confirms."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.verify import verifier
from hedgerow.verify.refute import counterexample
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.refute import RefutationResult, run_refuter
from hedgerow.verify.validation.boxed_values import CannotEvaluate
from hedgerow.verify.validation.witness import (
    describe_excess,
    evaluate_amount,
    find_confirmed_witness,
)
from verify.prove.proving import expression
from verify.refute.programs import given, one

HALF = one("return x + laplace(1 / (2 * eps))")
RIGHT = one("return x + laplace(1 / eps)")


def find_witness() -> Counterexample:
    found = run_refuter(HALF).counterexample
    assert found is not None
    return found


def test_a_true_counterexample_is_confirmed() -> None:
    witness = find_witness()
    assert find_confirmed_witness((None, witness)) == witness
    unlabelled = replace(witness, multiple=Fraction(0))
    assert find_confirmed_witness((unlabelled,)) == witness


def test_a_wrong_probability_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refuter's numbers only guide the check; here they belong to another program."""
    witness = find_witness()
    wrong = replace(witness, program=RIGHT)
    assert find_confirmed_witness((wrong,)) is None
    survey = RefutationResult(wrong, None)
    monkeypatch.setattr(verifier._Verification, "run_refuter", lambda _: survey)
    assert verifier.verify_program(RIGHT).verdict == "PROVED"


def test_inputs_must_be_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counterexample, "are_neighbours", lambda *_: True)
    witness = replace(find_witness(), second=given(x=7, eps=1))
    with pytest.raises(CannotEvaluate, match="neighbours"):
        describe_excess(witness)
    assert find_confirmed_witness((witness,)) is None


def test_the_text_of_a_program_is_parsed_again() -> None:
    """A tree that is not that of the text cannot deceive the check."""
    witness = find_witness()
    right = replace(witness, program=replace(HALF, source=RIGHT.source))
    assert describe_excess(right).likely.program.body == RIGHT.body
    assert find_confirmed_witness((right,)) is None


def test_amounts_are_rounded_up() -> None:
    assert evaluate_amount(None, {}) == 0
    assert evaluate_amount(expression("eps / 3"), given(eps=1)) > 1 / 3
    with pytest.raises(CannotEvaluate, match="negative"):
        evaluate_amount(expression("-eps"), given(eps=1))
