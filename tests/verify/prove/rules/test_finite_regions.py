"""The extent of a region of coins, and its live variables."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.rules.finite_regions import (
    FiniteRegion,
    find_inputs,
    find_live_variables,
    list_regions,
    split_regions,
)
from verify.prove.proving import program

HEAD = (
    '@mechanism(epsilon="eps", neighbours="one")\ndef f(x: private[int], n: public[int], eps:'
    " public[float]):\n"
)


def settled(body: str) -> Program:
    return normalise_program(program(HEAD + indent(dedent(body).strip(), "    ")), "finite")


def lines(body: str) -> list[tuple[int, int]]:
    """Return the first and last line of each region, counted from the first of the body."""
    start = (HEAD + "_").count("\n") + 4
    return [
        (one.body[0].place.line - start, one.body[-1].place.line - start)
        for one in list_regions(settled(body).body)
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = x\nc = bernoulli(1/2)\nd = c\ne = 1\nreturn d", [(1, 4)]),  # e stands between
        ("c = bernoulli(1/2)\noutput(c)\noutput(n)", [(0, 1)]),
        (
            (
                "if bernoulli(1/2):\n    output(1)\nelse:\n   "
                " output(2)\noutput(bernoulli(1/3))\noutput(n)"
            ),
            [(0, 4)],
        ),
        ("z = laplace(1/eps)\nc = bernoulli(1/2)\ny = laplace(1/eps)\noutput(c)", [(1, 1)]),
        ("i = 0\nwhile i < n:\n    output(bernoulli(1/2))\n    i += 1", [(2, 2)]),
        (
            (
                "if n > 0:\n    z = laplace(1/eps)\n    output(bernoulli(1/2))\nelse:\n   "
                " output(bernoulli(1/3))"
            ),
            [(2, 2), (4, 4)],
        ),
        ("return x + laplace(1 / eps)", []),
    ],
)
def test_stretches(body: str, expected: list[tuple[int, int]]) -> None:
    assert lines(body) == expected


def test_pieces_are_the_whole_block() -> None:
    body = settled("y = x\nc = bernoulli(1/2)\noutput(c)\noutput(y)").body
    put_together = [
        one
        for piece in split_regions(body)
        for one in (piece.body if isinstance(piece, FiniteRegion) else (piece,))
    ]
    assert put_together == list(body)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("c = bernoulli(1/2)\nreturn c", set()),
        ("c = bernoulli(1/2)\nz = laplace(1 / eps)\nreturn c", {"c"}),
        ("c = bernoulli(1/2)\nz = laplace(1 / eps)\nc = True\nreturn c", set()),
        ("c = bernoulli(1/2)\nz = laplace(1 / eps)\nif n > 0:\n    c = True\nreturn c", {"c"}),
        (
            (
                "c = False\ni = 0\nwhile i < n:\n    output(c)\n    c = bernoulli(1/2)\n    i +="
                " 1\nreturn 1"
            ),
            {"c"},
        ),
        ("i = 0\nwhile i < n:\n    c = bernoulli(1/2)\n    output(c)\n    i += 1\nreturn 1", set()),
        (
            (
                "c = False\ni = 0\nwhile i < n and not c:\n    c = bernoulli(1/2)\n    i +="
                " 1\nreturn 1"
            ),
            {"c"},
        ),
        (
            (
                "c = False\ni = 0\nwhile i < n:\n    c = bernoulli(1/2)\n    i += 1\nif n > 3:\n   "
                " output(c)"
            ),
            {"c"},
        ),
        (
            (
                "c = False\nif n > 0:\n    z = laplace(1/eps)\n    c = bernoulli(1/2)\nelse:\n   "
                " output(c)\nreturn c"
            ),
            {"c"},
        ),
    ],
)
def test_live_variables_are_read_after_the_region(body: str, kept: set[str]) -> None:
    about = settled(body)
    (only,) = list_regions(about.body)
    assert find_live_variables(only, about) == kept


def test_inputs_of_a_region_are_found() -> None:
    (only,) = list_regions(settled("y = x\nif bernoulli(n / 4):\n    y = n\noutput(y)").body)
    assert find_inputs(only) == {"y", "n"}
