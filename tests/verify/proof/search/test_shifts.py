"""Factors that survive the traces."""

from __future__ import annotations

from itertools import islice

from hedgerow.verify.language.kinds import kinds
from hedgerow.verify.language.program import written
from hedgerow.verify.proof.checker import understood
from hedgerow.verify.proof.search.shifts import Search
from hedgerow.verify.proof.search.templates import shift, templates
from verify.proof.proving import shipped


def search(name: str) -> Search:
    about = understood(shipped()[name])
    return Search(about, templates(about, kinds(about), False), {}, {})


def test_finds_the_shift_that_hides_a_distance() -> None:
    looking = search("partial_sum")
    factors = next(looking.candidates())
    assert [written(shift(one, factors[one.site])) for one in looking.templates] == ["-(total@2 - total@1)"]


def test_candidates_differ_and_come_in_the_same_order() -> None:
    first, second = ([dict(one) for one in islice(search("above_threshold_decreasing").candidates(), 2)] for _ in range(2))
    assert first == second
    assert len(first) == 2
    assert first[0] != first[1]


def test_says_which_needs_cannot_be_met() -> None:
    looking = search("bad_partial_sum")
    assert list(looking.candidates()) == []
    assert {one.obligation for one in looking.blame} == {"output", "cost"}
