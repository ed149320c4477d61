"""Small worlds for mechanisms of shape tested that release or publish: data sets in a row, neighbours one step (or one unit of k) apart.

**Released, without noise.** On one side of the middle the answer is a, on the other b; the distance grows with the steps from the middle.

**Released, with noise.** From 0 on the answers move by the proposed bound a step, and the distance is the number of the step; below, they
lie much farther apart than the noise reaches, at the distance 0.

**Published.** Keys that only one of two neighbours has, and keys of both whose counts move. The probabilities of publishing at all counts
give the law of a noisy count, up to a place above which all are one outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from hedgerow.mechanisms.shapes import Published
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import Case
from hedgerow.verify.laws.masses import FAINT, Masses
from hedgerow.verify.laws.shifts import moved, noise
from hedgerow.verify.laws.worlds import Neighbours, Pair, Place, World, astray, both, categorical

__all__ = ["counted", "gated", "world"]

_STEPS = 40
_BEYOND = 100  # radii of all but 10^-9 of the noise: so far apart are answers that the test must keep back
_ANSWERS = {"a": 1, "b": 2}


def world(case: Case) -> World:
    """The world that suits the kind."""
    if isinstance(case.mechanism, Published):
        return World(both(_keys(case)), tuple(_histograms(case)))
    return _noisy(case) if hasattr(case.mechanism, "noise") else _stable(case)


def _logs(chances: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(chances, dtype=np.float64))


def _row(case: Case) -> list[int]:
    """Steps of interest: all around the middle and around the place where a release gets likely, and some in between."""
    k, chance = case.units, case.mechanism.release_probability
    likely = 1
    while chance(likely) < 0.5:
        likely *= 2
    far = np.linspace(k, likely + 2 * k, _STEPS).astype(int).tolist()
    return sorted({*range(-2 * k, 2 * k + 1), *far})


def _stable(case: Case) -> World:
    mechanism = case.mechanism

    def at(step: int) -> tuple[str, int]:
        return ("a", step) if step >= 1 else ("b", 1 - step)

    def law(step: int) -> Masses:
        (answer, distance), found = at(step), [0.0, 0.0, 0.0]
        found[_ANSWERS[answer]] = mechanism.release_probability(distance)
        return categorical(_logs([1 - sum(found), *found[1:]]))

    def code(output: Any) -> int:
        if output is not None and output not in _ANSWERS:
            raise astray("an answer or None", output)
        return _ANSWERS.get(output, 0)

    def drawn(step: int) -> Place:
        stated = law(step)
        there = stated.log > FAINT  # the answer of other data must never come out
        shown = Masses(stated.steps[there], stated.log[there])
        return Place(f"distance {at(step)[1]}", lambda: mechanism.sample(*at(step)), code, shown)

    row = _row(case)
    pairs = (
        Neighbours(((Pair(law(step), law(step + by)), 1),), f"distances {at(step)[1]} and {at(step + by)[1]}")
        for step in row
        for by in {1, case.units}
    )
    return World(both(pairs), tuple(drawn(step) for step in (_even(row, mechanism, at), 1)))


def _even(row: list[int], mechanism: Any, at: Any) -> int:
    """The step at which release and no release are about as likely."""
    return min((step for step in row if step >= 1), key=lambda step: abs(mechanism.release_probability(at(step)[1]) - 0.5))


def gated(chance: float, law: Masses) -> Masses:
    """No release, placed just below all outputs, or with this chance an output of ``law``."""
    log = np.concatenate([_logs([1 - chance]), _logs(chance) + law.log])
    return Masses(np.concatenate([law.steps[:1] - 1, law.steps]), np.maximum(log, FAINT))


def _noisy(case: Case) -> World:
    mechanism = case.mechanism
    inner = replace(case, mechanism=mechanism.noise, move=Sensitivity.of(mechanism.bound))
    grid = Fraction(mechanism.noise.grid)
    jump = grid * round(_BEYOND * Fraction(mechanism.noise.error(1e-9)) / grid)
    moves: dict[Fraction, Pair] = {}

    def answer(step: int) -> Fraction:
        return step * (mechanism.bound if step >= 0 else jump)

    def pairs() -> Iterator[Neighbours]:
        for step, by in ((step, by) for step in _row(case) for by in {1, case.units}):
            ends = (step, step + by)
            move = answer(ends[1]) - answer(ends[0])
            if move not in moves:
                moves[move] = moved(inner, move)
            chances = (mechanism.release_probability(max(end, 0)) for end in ends)
            pair = Pair(*(gated(c, law) for c, law in zip(chances, (moves[move].one, moves[move].other), strict=True)))
            yield Neighbours(((pair, 1),), f"distances {max(ends[0], 0)} and {max(ends[1], 0)}, answers {float(move):g} apart")

    def drawn(distance: int | float) -> Place:
        law = gated(mechanism.release_probability(distance), noise(inner))
        shown = law if law.log[0] > FAINT else Masses(law.steps[1:], law.log[1:])
        zero = 0 if grid == 1 else 0.0

        def code(output: Any) -> int:
            if output is None:
                return int(law.steps[0])
            if type(output) is not type(zero) or (Fraction(output) / grid).denominator != 1:
                raise astray(f"None or a multiple of {grid}", output)
            return int(Fraction(output) / grid)

        return Place(f"distance {distance}", lambda: mechanism.sample(zero, distance), code, shown)

    even = _even(_row(case), mechanism, lambda step: (None, step))
    return World(both(pairs()), tuple(drawn(distance) for distance in (even, 0, inf)))


def counted(mechanism: Any, count: int, top: int) -> Masses:
    """The law of what is said about a key: nothing (0), the threshold (1) and so on, and last ``top`` or more. A count of 0 is no key."""
    if count == 0:
        return categorical(_logs([1.0] + [0.0] * (top - mechanism.threshold + 1)))
    # count + Z >= y is as likely as publishing count + threshold - y, which noise that is cut at the threshold does from 1 on.
    counts = [count + mechanism.threshold - y for y in range(mechanism.threshold, top + 1)]
    reach = np.array([0.0 if x < 1 and _cut(mechanism) else mechanism.publish_probability(x) for x in counts])
    return categorical(_logs([1 - reach[0], *(reach[:-1] - reach[1:]), reach[-1]]))


def _cut(mechanism: Any) -> bool:
    return getattr(mechanism, "cut", False) is True


def _keys(case: Case) -> Iterator[Neighbours]:
    mechanism, k = case.mechanism, case.units
    bar, m, keys = mechanism.threshold, mechanism.per_key, mechanism.max_keys
    swap = mechanism.neighbours == "change-one"

    def pair(count: int, other: int) -> Pair:
        top = bar + (max(count, other) if _cut(mechanism) else max(1, min(x for x in (count, other) if x)) - 1)
        return Pair(counted(mechanism, count, top), counted(mechanism, other, top))

    for size, many in {(m, k * keys), (k * m, keys)}:
        yield Neighbours(((pair(size, 0), many),), f"{many} key(s) of {size} that one has alone")
        if swap:
            yield Neighbours(((pair(size, 0), many), (pair(0, size), many)), f"{many} key(s) of {size} that each has alone")
        for count in sorted({1, max(1, bar // 2), bar, bar + 8, 2 * bar}):  # of the last all noise is seen, where it is cut
            up, down = pair(count + size, count), pair(count, count + size)
            yield Neighbours(((up, many), (down, many)) if swap else ((up, many),), f"counts of {count} that move by {size}")


def _histograms(case: Case) -> Iterator[Place]:
    mechanism, bar = case.mechanism, case.mechanism.threshold
    for counts in ({"a": bar, "b": bar + 3}, {"b": bar + 1, "a": max(bar - 2, 1)}):
        names = sorted(counts)
        tops = {name: bar + min(counts[name], 4) - 1 for name in names}
        laws = [np.exp(counted(mechanism, counts[name], tops[name]).log) for name in names]
        joint = np.outer(*laws)

        def code(output: Any, names: list[str] = names, tops: dict[str, int] = tops, width: int = joint.shape[1]) -> int:
            whole = isinstance(output, dict) and all(type(y) is int and y >= bar for y in output.values())
            if not whole or list(output) != [name for name in names if name in output] or not set(output) <= set(names):
                raise astray(f"keys of the data, in order, with whole counts of {bar} or more", output)
            first, second = (min(output[name], tops[name]) - bar + 1 if name in output else 0 for name in names)
            return first * width + second

        yield Place(f"counts {counts}", lambda counts=counts: mechanism.sample(counts), code, categorical(_logs(joint.ravel())))  # type: ignore[misc]
