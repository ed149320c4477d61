"""Candidate variants of loops."""

from __future__ import annotations

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.variant_candidates import list_variant_candidates
from verify.prove.proving import expression, program, shipped


def test_variants_are_bounds_minus_counters() -> None:
    assert list_variant_candidates(normalise_program(shipped()["above_threshold"]))[0][
        0
    ] == expression("size - i@1")
    found = list_variant_candidates(normalise_program(shipped()["smart_sum"]))[0]
    assert [format_expression(one) for one in found[:2] if not isinstance(one, tuple)] == [
        "T - i@1",
        "size - i@1",
    ]
    assert list_variant_candidates(normalise_program(shipped()["laplace_mechanism"])) == ()


def test_variants_are_also_paired_and_come_from_the_body() -> None:
    about = program(
        """
@mechanism(epsilon="eps", neighbours="one")
def leaves(x: private[float], n: public[int], m: public[int], eps: public[float]):
    i = 0
    while True:
        if i >= n or i == m:
            break
        i += 1
    return x + laplace(1 / eps)
"""
    )
    (found,) = list_variant_candidates(normalise_program(about))
    single = [format_expression(one) for one in found if not isinstance(one, tuple)]
    assert {"n - i@1", "m - i@1"} <= set(single)
    assert (found[0], found[1]) in found
    assert (found[1], found[0]) in found
