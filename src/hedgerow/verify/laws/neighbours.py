"""The worst neighbours a sensitivity allows, and the two laws of a mechanism's output on each pair of them.

**Additive.** The exact answers differ by an extreme vector: one cell at linf; as many cells at linf as l1 and l2 allow, and one with the
rest; all l0 cells alike. Cells are independent, so laws are looked at cell by cell, each as often as it occurs. On a grid for reals the
exact value lies where snapping drives it and its neighbour farthest apart.

**Selection.** Scores at distances of interest, every pattern of moves by -Delta, 0 and +Delta (monotone: 0 and +Delta only).

**Response.** Every two categories, in as many answers as the sensitivity says.

All of them both ways round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import floor, nextafter
from typing import Any

import numpy as np

from hedgerow.numeric.chunk import Floats, Integers
from hedgerow.numeric.rounding import sqrt_down
from hedgerow.verify.laws.case import Case
from hedgerow.verify.laws.masses import FAINT, Masses, points

__all__ = ["Neighbours", "Pair", "at", "choice", "neighbours", "noise", "reports"]

_CATEGORIES = 40  # of more, the first and the last stand for all


@dataclass(frozen=True)
class Pair:
    """The laws of one cell on two neighbours, at the same points."""

    one: Masses
    other: Masses

    @cached_property
    def losses(self) -> Floats:
        """ln(one/other) at each point."""
        return np.asarray(self.one.log - self.other.log)


@dataclass(frozen=True)
class Neighbours:
    """Two neighbours: independent cells, each pair of laws as often as it occurs, and a description in words."""

    cells: tuple[tuple[Pair, int], ...]
    words: str


@lru_cache(maxsize=2)
def neighbours(case: Case) -> tuple[Neighbours, ...]:
    """The worst neighbours for a mechanism of any shape, in both orders."""
    there = tuple({"additive": _vectors, "selection": _scores, "response": _categories}[case.shape](case))
    back = (Neighbours(tuple((Pair(pair.other, pair.one), count) for pair, count in found.cells), found.words) for found in there)
    return (*there, *back)


def at(case: Case, steps: Integers) -> Any:
    """Outputs of an additive mechanism as it would return them: integers on the grid of 1, doubles on any other."""
    return steps if case.mechanism.grid == 1 else steps * float(case.mechanism.grid)


@lru_cache(maxsize=4)
def noise(case: Case) -> Masses:
    """The law of the noise of an additive mechanism, in grid steps."""
    steps = points(0)
    return Masses.of(steps, case.mechanism.log_prob(at(case, steps), 0 if case.mechanism.grid == 1 else 0.0))


def _vectors(case: Case) -> Iterator[Neighbours]:
    for move in _extremes(case):
        for sign in (1, -1):
            words = " and ".join(f"{count} cell{'s' * (count > 1)} moved by {float(sign * size):g}" for size, count in move.items())
            yield Neighbours(tuple((_moved(case, sign * size), count) for size, count in move.items()), words)


def _extremes(case: Case) -> list[Counter[Fraction]]:
    """Extreme vectors as sizes and how often they occur; whole sizes on the grid of 1."""
    move = case.move
    whole = case.mechanism.grid == 1
    alike = min(move.linf, move.l1 / move.l0, sqrt_down(move.l2_squared / move.l0))
    full = min(floor(move.l1 / move.linf), floor(move.l2_squared / move.linf**2), move.l0)
    rest = min(move.l1 - full * move.linf, sqrt_down(move.l2_squared - full * move.linf**2)) if full < move.l0 else Fraction(0)
    found = []
    for sizes in ({move.linf: 1}, {move.linf: full, rest: 1}, {alike: move.l0}):
        vector: Counter[Fraction] = Counter()
        for size, count in sizes.items():
            vector[Fraction(floor(size)) if whole else size] += count
        del vector[Fraction(0)]
        if vector and vector not in found:
            found.append(vector)
    return found


def _moved(case: Case, by: Fraction) -> Pair:
    """One cell that moves by so much, from where snapping to the grid makes the most of it."""
    grid = Fraction(case.mechanism.grid)
    start: Any
    end: Any
    if grid == 1:
        start, end, far = 0, int(by), int(by)
    else:
        part = abs(by) / grid % 1
        start = float(grid * (1 - part) / 2 * (1 if by > 0 else -1)) if part else 0.0
        end = float(Fraction(start) + by)
        while abs(Fraction(end) - Fraction(start)) > abs(by):
            end = nextafter(end, start)
        far = floor(by / grid)
    steps = points(0, far)
    outputs = at(case, steps)
    return _pair(steps, *(np.asarray(case.mechanism.log_prob(outputs, exact)) for exact in (start, end)))


def _pair(steps: Integers, one: Any, other: Any) -> Pair:
    """Both laws between the outermost points where either has mass."""
    both = Masses.of(steps, np.maximum(one, other))
    kept = slice(*np.searchsorted(steps, [both.steps[0], both.steps[-1] + 1]))
    return Pair(*(Masses(both.steps, np.maximum(log[kept], FAINT)) for log in (one, other)))


def _scores(case: Case) -> Iterator[Neighbours]:
    move = float(case.move.linf)
    gap = move / min(max(float(case.loss.epsilon), 1e-3), 1e3)
    bases = [(0.0, -move / 2), (0.0, -move), (0.0, -2 * move), (0.0, -40 * gap), (0.0, 0.0, 0.0), (0.0, -move, -8 * gap)]
    for base in bases:
        for signs in product((0, 1) if case.mechanism.monotone else (-1, 0, 1), repeat=len(base)):
            if any(signs):
                there = [score + sign * move for score, sign in zip(base, signs, strict=True)]
                pair = Pair(choice(case, list(base)), choice(case, there))
                yield Neighbours(((pair, 1),), f"scores {[f'{x:g}' for x in base]} and {[f'{x:g}' for x in there]}")


def choice(case: Case, scores: list[float]) -> Masses:
    """The law of the chosen place."""
    return _categorical([case.mechanism.log_prob(index, scores) for index in range(len(scores))])


def _categories(case: Case) -> Iterator[Neighbours]:
    values = case.mechanism.values
    laws = {truth: reports(case, truth) for truth in (range(values) if values <= _CATEGORIES else (0, 1, values - 1))}
    for one, other in combinations(laws, 2):
        yield Neighbours(((Pair(laws[one], laws[other]), case.move.l0),), f"{case.move.l0} answer(s) changed from {one} to {other}")


@lru_cache(maxsize=64)
def reports(case: Case, truth: int) -> Masses:
    """The law of one report."""
    values = np.arange(case.mechanism.values)
    return _categorical(np.asarray(case.mechanism.log_prob(values, np.full(values.size, truth))))


def _categorical(log: Any) -> Masses:
    return Masses(np.arange(len(log)), np.maximum(np.asarray(log, dtype=np.float64), FAINT))
