"""Every case that z3 has not shown to be impossible is explored, once."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.rules import case_split as worlds
from hedgerow.verify.prove.rules.case_split import SplitCase, explore_cases
from hedgerow.verify.prove.solver import is_entailed, is_satisfiable, z3

X, Y = z3.Ints("x y")


def test_known_conditions_are_not_split_again() -> None:
    seen = []

    def explore(world: SplitCase) -> None:
        seen.append(
            (
                world.decide(X > 3),
                world.decide(X > 1),
                world.decide(X <= 3),
                world.decide(z3.BoolVal(True)),
            )
        )
        assert is_satisfiable(world.path)

    explore_cases([X > 0], explore)
    assert sorted(seen) == [
        (False, False, True, True),
        (False, True, True, True),
        (True, True, False, True),
    ]


def test_only_what_might_be_otherwise_is_added_to_what_is_known() -> None:
    """Check that implied, repeated and negated conditions leave the path unchanged, and that a
    replayed case is the same.
    """
    paths = []

    def explore(world: SplitCase) -> None:
        for condition in (X > 3, X > 3, z3.Not(X > 3), X <= 3, X > 1, X + 0 > 3, Y > 0):
            world.decide(condition)
        paths.append([str(one) for one in world.path])

    explore_cases([X > 2], explore)
    assert sorted(len(one) for one in paths) == [3, 3, 3, 3]
    assert len({tuple(one) for one in paths}) == 4


def test_decided_conditions_are_not_split_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        worlds, "is_entailed", lambda path, goal, *_: asked.append(goal) or is_entailed(path, goal)
    )

    def explore(world: SplitCase) -> None:
        for _ in range(5):
            assert world.decide(X > 3) is not world.decide(X <= 3)

    explore_cases([], explore)
    assert len(asked) == 2  # whether it follows, and whether its negation does


def test_cases_are_all_there_and_differ() -> None:
    """Check that every x and y belongs to exactly one case."""
    paths: list[object] = []

    def explore(world: SplitCase) -> None:
        if world.decide(X > Y):
            world.decide(X > 5)
        else:
            world.decide(Y > 5)
        paths.append(z3.And(*world.path))

    explore_cases([], explore)
    assert len(paths) == 4
    assert not is_satisfiable([z3.Not(z3.Or(*paths))])
    assert not any(
        is_satisfiable([one, other]) for one in paths for other in paths if one is not other
    )


def test_too_many_cases_are_refused() -> None:
    several = [z3.Bool(f"b{number}") for number in range(9)]
    with pytest.raises(UnsupportedProgram, match="more than 256 cases"):
        explore_cases([], lambda world: [world.decide(one) for one in several] and None)
