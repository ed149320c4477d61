"""Candidate variants of loops."""

from __future__ import annotations

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.variant_candidates import list_variant_candidates
from verify.prove.proving import expression, shipped


def test_variants_are_bounds_minus_counters() -> None:
    assert list_variant_candidates(normalise_program(shipped()["above_threshold"]))[0][
        0
    ] == expression("size - i@1")
    assert [
        format_expression(one)
        for one in list_variant_candidates(normalise_program(shipped()["smart_sum"]))[0]
    ] == ["T - i@1", "size - i@1"]
    assert list_variant_candidates(normalise_program(shipped()["laplace_mechanism"])) == ()
