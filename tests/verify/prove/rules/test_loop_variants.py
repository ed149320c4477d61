"""The rule that a variant decreases."""

from __future__ import annotations

import pytest

from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.rules.loop_variants import build_decrease
from hedgerow.verify.prove.solver import is_entailed, z3
from verify.prove.proving import certificate, program

DRAIN = program(
    """
@mechanism(epsilon="eps", neighbours="one")
def drain(x: private[float], n: public[int], m: public[int], eps: public[float]):
    i = n
    j = m
    while i > 0 or j > 0:
        if j > 0:
            j = j - 1
        else:
            i = i - 1
            j = m
    return x + laplace(1 / eps)
"""
)
KEPT = ("i@1 == i@2", "j@1 == j@2")


def decreases(before: list[int], after: list[int]) -> bool:
    terms = ([z3.IntVal(one) for one in side] for side in (before, after))
    return is_entailed([], build_decrease(*terms))


@pytest.mark.parametrize(
    ("before", "after", "ends"),
    [
        ([3], [2], True),
        ([0], [-1], True),  # the last round
        ([-1], [-2], False),
        ([3], [3], False),
        ([2, 0], [1, 9], True),
        ([2, 5], [2, 4], True),
        ([2, 5], [3, 4], False),  # the first one may not grow
        ([-1, 5], [-2, 4], True),
        ([2, -1], [2, -2], False),
    ],
)
def test_the_first_number_that_falls_may_reset_the_later_ones(
    before: list[int], after: list[int], ends: bool
) -> None:
    assert decreases(before, after) is ends


def test_a_loop_may_need_two_numbers_in_order() -> None:
    proof = certificate(DRAIN, ("-(x@2 - x@1)",), invariants=(KEPT,), variants=("i@1",))
    both = certificate(DRAIN, ("-(x@2 - x@1)",), invariants=(KEPT,), variants=(("i@1", "j@1"),))
    wrong = certificate(DRAIN, ("-(x@2 - x@1)",), invariants=(KEPT,), variants=(("j@1", "i@1"),))
    assert check(DRAIN, both) is None
    for one in (proof, wrong):
        failure = check(DRAIN, one)
        assert failure is not None
        assert failure.obligation == "ends"
