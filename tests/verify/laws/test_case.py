"""What every law is given."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace, RandomizedResponse, SparseVector, Stable
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import LawBroken, LawFinding, make_case

LAPLACE = Laplace(Fraction(1))


class Lawless:
    """A run of which nothing is known."""

    shape = "tested"
    cutoff, monotone = 1, False

    def loss(self, sensitivity: object) -> None: ...
    def sample(self, answers: object, threshold: object) -> None: ...


def test_a_case_is_read_once() -> None:
    case = make_case(LAPLACE, 2, 10_000, (1, 1e-6))
    assert case.sensitivity == Sensitivity.of(2)
    assert case.claim == (1, Fraction(1, 10**6))
    assert case.shape == "additive"
    assert case.loss == LAPLACE.loss(2)


def test_moves_of_mechanisms_that_see_the_data_are_units() -> None:
    stable, run = Stable(Fraction(1), 9), SparseVector(Fraction(2), Fraction(3))
    case = make_case(stable, 3, 10_000, None)
    assert (case.counts_units, case.uses_neighbour_set, case.units) == (True, True, 3)
    assert case.loss == stable.loss(3)
    assert case.cost(Sensitivity.of(2)) == stable.loss(2)
    case = make_case(run, 3, 10_000, None)
    assert (case.counts_units, case.uses_neighbour_set) == (False, True)
    assert case.loss == run.loss(3)
    assert not make_case(LAPLACE, 3, 10_000, None).uses_neighbour_set


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
        ((SparseVector(Fraction(10_001), Fraction(1)), 1, 10_000, None), "mechanism"),
        ((Stable, 1, 10_000, None), "mechanism"),
        ((Lawless(), 1, 10_000, None), "mechanism"),
        ((type("Odd", (), {"shape": "tested"})(), 1, 10_000, None), "mechanism"),
        ((Stable(Fraction(1), 5), 0.5, 10_000, None), "sensitivity"),
        ((Stable(Fraction(1), 5), Fraction(3, 2), 10_000, None), "sensitivity"),
        ((Stable(Fraction(1), 5), Sensitivity.each(2, 1), 10_000, None), "sensitivity"),
    ],
)
def test_invalid_cases_are_refused_with_the_argument_named(
    given: tuple[object, ...], argument: str
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        make_case(*given)  # type: ignore[arg-type]
    assert refusal.value.argument == argument


def test_words() -> None:
    broken = LawBroken("error covers", "at most 0.05 outside", "0.073")
    assert isinstance(broken, AssertionError)
    assert str(broken) == "error covers: expected at most 0.05 outside; found 0.073."
    assert (
        str(LawFinding("error covers", "error(0.05) = 3"))
        == "error covers                   error(0.05) = 3"
    )
