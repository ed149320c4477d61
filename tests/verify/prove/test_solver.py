"""Only a plain yes of the solver counts."""

from __future__ import annotations

from hedgerow.verify.prove.solver import is_entailed, is_satisfiable, z3

X = z3.Real("x")


def test_follows() -> None:
    assert is_entailed([X > 2], X > 1)
    assert not is_entailed([X > 1], X > 2)


def test_contradictions_are_not_possible() -> None:
    assert is_satisfiable([X > 1])
    assert not is_satisfiable([X > 1, X < 0])


def _hard() -> list[object]:
    """Return true facts that z3 cannot show in a few steps: a prime has no factors."""
    a, b = z3.Ints("a b")
    return [a >= 2, b >= 2, a <= 10**12, b <= 10**12, a * b == 1_000_000_000_039]


def test_a_solver_that_gives_up_has_shown_nothing() -> None:
    assert not is_entailed(_hard(), z3.BoolVal(False), work=200)
    assert not is_entailed(_hard(), z3.BoolVal(False), milliseconds=1)


def test_hints_help_to_see_that_something_is_possible() -> None:
    assert is_satisfiable([X * X == 4], [X == 2])
    assert not is_satisfiable([X > 1, X < 1], [X == 1])
