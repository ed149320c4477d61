"""Bounds on the probabilities of events, against the refuter's exact integrals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.refute import run_refuter
from hedgerow.verify.validation.boxed_values import CannotEvaluate
from hedgerow.verify.validation.event_probability import (
    Precision,
    bound_event_probability,
    evaluate_plainly,
)
from verify.prove.proving import expression
from verify.refute.programs import gallery, given, one

F = Fraction


def bound(witness: Counterexample, first: bool, cells: int) -> tuple[float, float]:
    side = witness.first if first else witness.second
    low, high = (
        bound_event_probability(
            witness.program, side, witness.events, Precision(cells, 200_000), upper=upper
        )
        for upper in (False, True)
    )
    return low, high


@pytest.mark.parametrize(
    "name",
    [
        "bad_above_threshold_unscaled",
        "bad_geometric_of_reals",
        "bad_dummy_sum",
        "bad_classical_gaussian",
        "bad_response_of_all",
        "bad_noisy_max_small_noise",
        "bad_pad_half_key",
        "bad_one_of_four",
        "bad_stable_value",
    ],
)
def test_bounds_enclose_the_exact_probability(name: str) -> None:
    witness = run_refuter(gallery()[name]).counterexample
    assert witness is not None
    for first, exact in ((True, witness.likely), (False, witness.rare)):
        low, high = bound(witness, first, 16)
        assert low <= approximate(exact) * (1 + 1e-9)
        assert high >= approximate(exact) * (1 - 1e-9)


def test_more_cells_give_closer_bounds() -> None:
    program = one("y = x + laplace(1)\nreturn y + laplace(1)")
    event = OutputEvent(1, ranges=(OutputRange(((0, F(1)),), None, F(1)),))
    sides = given(x=0, eps=1)
    widths = []
    for cells in (8, 32, 128):
        low, high = (
            bound_event_probability(program, sides, [event], Precision(cells, 10_000), upper=upper)
            for upper in (False, True)
        )
        assert low <= 1 - 3 / 4 * 0.36787944117144233 <= high
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_work_is_limited() -> None:
    program = one("y = x + laplace(1)\nreturn y + laplace(1)")
    event = OutputEvent(1, ranges=(OutputRange(((0, F(1)),), None, F(1)),))
    with pytest.raises(CannotEvaluate, match="too many"):
        bound_event_probability(
            program, given(x=0, eps=1), [event], Precision(500, 100), upper=True
        )


def test_expressions_without_noise() -> None:
    assert evaluate_plainly(expression("x + 1 <= y"), given(x=1, y=2)) is True
    with pytest.raises(CannotEvaluate):
        evaluate_plainly(expression("y"), given(x=1))
