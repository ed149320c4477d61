"""Fair times on a noisy machine: contenders take turns, and the fastest round of each counts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Contender", "fastest", "of", "quiet"]

Round = Callable[[], "float | None"]
"""One round of a contender: does the work and returns its seconds, or None where it cannot."""


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to be timed, how many units of work one round does, and in how many rounds it
    takes part.
    """

    round: Round
    units: int = 1
    rounds: int = 7
    warm: bool = True  # an unmeasured round goes first


def of(work: Callable[[], object]) -> Round:
    """Rounds that time ``work`` in this process."""

    def seconds() -> float:
        start = perf_counter()
        work()
        return perf_counter() - start

    return seconds


@contextmanager
def quiet() -> Iterator[None]:
    """No garbage collection in between."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def fastest(contenders: Mapping[str, Contender]) -> dict[str, float | None]:
    """Seconds per unit of work in the fastest round of each contender."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    with quiet():
        for turn in range(max(contender.rounds for contender in contenders.values()) + 1):
            for name, contender in contenders.items():
                if not (1 <= turn <= contender.rounds or (turn == 0 and contender.warm)):
                    continue
                seconds = contender.round()
                if seconds is not None and turn:
                    times[name].append(seconds / contender.units)
    return {name: min(taken, default=None) for name, taken in times.items()}
