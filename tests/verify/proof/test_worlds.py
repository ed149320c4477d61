"""Every case is gone into that z3 has not shown to be impossible, and none twice."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.solver import possible, z3
from hedgerow.verify.proof.worlds import World, explored

X, Y = z3.Ints("x y")


def test_what_is_known_is_not_asked_again() -> None:
    seen = []

    def explore(world: World) -> None:
        seen.append((world.decide(X > 3), world.decide(X > 1), world.decide(X <= 3), world.decide(z3.BoolVal(True))))
        assert possible(world.path)

    explored([X > 0], explore)
    assert sorted(seen) == [(False, False, True, True), (False, True, True, True), (True, True, False, True)]


def test_cases_are_all_there_and_differ() -> None:
    """Whatever x and y are, they belong to one case."""
    paths: list[object] = []

    def explore(world: World) -> None:
        if world.decide(X > Y):
            world.decide(X > 5)
        else:
            world.decide(Y > 5)
        paths.append(z3.And(*world.path))

    explored([], explore)
    assert len(paths) == 4
    assert not possible([z3.Not(z3.Or(*paths))])
    assert not any(possible([one, other]) for one in paths for other in paths if one is not other)


def test_too_many_cases_are_refused() -> None:
    several = [z3.Bool(f"b{number}") for number in range(9)]
    with pytest.raises(Outside, match="more than 256 cases"):
        explored([], lambda world: [world.decide(one) for one in several] and None)
