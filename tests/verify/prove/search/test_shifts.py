"""Factors that survive the traces."""

from __future__ import annotations

from itertools import islice

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.language.type_inference import infer_kinds
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.shifts import ShiftSearch
from hedgerow.verify.prove.search.templates import make_shift, make_templates
from verify.prove.proving import shipped


def search(name: str) -> ShiftSearch:
    about = normalise_program(shipped()[name])
    return ShiftSearch(about, make_templates(about, infer_kinds(about), False), {}, {})


def test_finds_the_shift_that_hides_a_distance() -> None:
    looking = search("partial_sum")
    factors = next(looking.list_factors())
    assert [format_expression(make_shift(one, factors[one.site])) for one in looking.templates] == [
        "-(total@2 - total@1)"
    ]


def test_candidates_differ_and_come_in_the_same_order() -> None:
    first, second = (
        [dict(one) for one in islice(search("above_threshold_decreasing").list_factors(), 2)]
        for _ in range(2)
    )
    assert first == second
    assert len(first) == 2
    assert first[0] != first[1]


def test_says_which_needs_cannot_be_met() -> None:
    looking = search("bad_partial_sum")
    assert list(looking.list_factors()) == []
    assert {one.obligation for one in looking.blame} == {"output", "cost"}
