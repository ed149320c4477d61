"""Longer lists for counterexamples."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.refute.input_search import InputPair
from hedgerow.verify.refute.longer_lists import double_lists, lengthen_lists
from hedgerow.verify.refute.refute import refute
from verify.language.reading import HEAD, read

PARAMETERS = "q: private[list], n: public[int], eps: public[float]"
SUMS = """
s = 0
for i in range(n):
    s += q[i]
    output(s + laplace(1 / eps))
"""


def pair(*moved: int) -> InputPair:
    first = (Fraction(0),) * len(moved)
    same = {"n": Fraction(len(moved)), "eps": Fraction(1)}
    return InputPair({"q": first, **same}, {"q": tuple(map(Fraction, moved)), **same})


def test_lists_are_doubled_with_their_sizes_while_the_inputs_stay_neighbours() -> None:
    one = read(SUMS, PARAMETERS)
    every = read(SUMS, PARAMETERS, HEAD.replace("one", "all"))
    assert [found.second["q"] for found in double_lists(one, pair(1, 0))] == [(1, 0, 0, 0)]
    assert [found.second["q"] for found in double_lists(every, pair(1, -1))] == [
        (1, -1, 1, -1),
        (1, -1, -1, -1),
    ]
    assert {found.first["n"] for found in double_lists(every, pair(1, -1))} == {4}
    assert list(double_lists(one, pair(*[1] + [0] * 31))) == []


def test_lists_grow_by_one_entry() -> None:
    one = read(SUMS, PARAMETERS)
    assert [found.second["q"] for found in lengthen_lists(one, pair(1, 0))] == [(1, 0, 0)]


def test_a_leak_that_grows_with_the_list_is_found() -> None:
    claim = HEAD.replace('"eps"', '"11*eps"')
    found = refute(read(SUMS, PARAMETERS, claim))
    assert found is not None
    assert found.loss > 11
    assert len(found.first["q"]) > 11  # type: ignore[arg-type]
