"""An assertion for tests: the function is private on every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_whole
from hedgerow.verify.replay.replay import Replay, replay

__all__ = ["assert_private"]


def assert_private(
    function: Callable[[Any], Any],
    pairs: Iterable[tuple[Any, Any]],
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    disjoint: bool = False,
    also: Sequence[type] = (),
    runs: int = 1,
) -> list[Replay]:
    """Replay each pair in both directions; raise AssertionError with a report if one has a finding,
    and return all replays otherwise.

    ``without_each_row(data)`` yields pairs to begin with. The noise decides which branches are
    taken: more ``runs`` of each pair cover more branches. The result is TESTED on these pairs and
    no others.
    """
    done: list[Replay] = []
    for number, (one, other) in enumerate(pairs, 1):
        for data, neighbour in ((one, other), (other, one)) * parse_whole(runs, "runs"):
            found = replay(
                function,
                data,
                neighbour,
                epsilon=epsilon,
                delta=delta,
                disjoint=disjoint,
                also=also,
            )
            if not found:
                raise AssertionError(
                    f"{getattr(function, '__name__', 'the function')} is not private. Pair"
                    f" {number}: {found}"
                )
            done.append(found)
    if not done:
        raise InvalidArgument("pairs", "must contain at least one pair of data sets")
    return done
