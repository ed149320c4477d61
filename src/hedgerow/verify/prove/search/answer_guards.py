"""Guards for invariants of a pointwise proof: where the loop is before or past the answer."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.verify.language.program import Apply, Expression, Name

__all__ = ["list_answer_guards"]


def list_answer_guards(index: str, falls: bool, reported: Sequence[str]) -> list[Expression]:
    """List the guards that say if the answer lies ahead of the index or has been stored in one of
    the ``reported`` variables; ``falls`` if the index counts down.
    """
    answer, here, start = Name("@answer"), Name(f"{index}@1"), Name(f"{index}@1@0")
    ahead = Apply("<=", (answer, here) if falls else (here, answer))
    passed = Apply("<", (here, answer) if falls else (answer, here))
    before = Apply("<", (start, answer) if falls else (answer, start))
    found: list[Expression] = [ahead, before]
    for name in reported:
        stored = Apply("and", (passed, Apply("==", (Name(f"{name}@1"), answer))))
        found += [stored, Apply("and", (Apply("not", (before,)), stored))]
    return found
