"""What every law is given."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace, RandomizedResponse
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import Finding, LawBroken, make_case

LAPLACE = Laplace(Fraction(1))


def test_a_case_is_read_once() -> None:
    case = make_case(LAPLACE, 2, 10_000, (1, 1e-6))
    assert case.move == Sensitivity.of(2)
    assert case.claim == (1, Fraction(1, 10**6))
    assert case.shape == "additive"
    assert case.loss == LAPLACE.loss(2)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ((LAPLACE, 0, 10_000, None), "sensitivity"),
        ((LAPLACE, 1, 9_999, None), "draws"),
        ((LAPLACE, 1, True, None), "draws"),
        ((LAPLACE, 1, 10_000.0, None), "draws"),
        ((LAPLACE, 1, 10_000, (0, 1e-6)), "epsilon"),
        ((LAPLACE, 1, 10_000, (1, 1)), "delta"),
        ((Laplace, 1, 10_000, None), "mechanism"),
        ((None, 1, 10_000, None), "mechanism"),
        ((RandomizedResponse(Fraction(1, 2), 2**21), 1, 10_000, None), "mechanism"),
    ],
    ids=str,
)
def test_what_is_refused(given: tuple[object, ...], argument: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        make_case(*given)  # type: ignore[arg-type]
    assert refusal.value.argument == argument


def test_words() -> None:
    broken = LawBroken("error covers", "at most 0.05 outside", "0.073")
    assert isinstance(broken, AssertionError)
    assert str(broken) == "error covers: expected at most 0.05 outside; found 0.073."
    assert str(Finding("error covers", "error(0.05) = 3")) == "error covers                   error(0.05) = 3"
