"""Loops, and the places at which they read lists."""

from __future__ import annotations

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.prove.search.loops import list_loops, list_read_places
from verify.language.reading import read

NESTED = read(
    """
    for r in range(n):
        for c in range(k):
            output(q[r * n + c] + q[r] + laplace(1 / eps))
    """
)


def test_every_loop_is_listed_with_the_variables_before_it() -> None:
    outer, inner = list_loops(NESTED.body, frozenset({"q", "n", "k"}))
    assert "c" not in outer[1]
    assert "c" in inner[1]
    assert inner[0] in outer[0].body


def test_places_are_written_with_variables_that_the_loop_starts_with() -> None:
    start = frozenset(one.name for one in NESTED.parameters)
    places = [
        [format_expression(one) for one in list_read_places(NESTED, loop, "q", defined)]
        for loop, defined in list_loops(NESTED.body, start)
    ]
    assert places == [["r * n"], ["r * n + c", "r * n"]]
