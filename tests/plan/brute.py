"""How far one unit really moves the numbers of a plan: every unit of a tiny world is tried against
every other.

The rest of the world is one bystander, whom nothing that the unit does may move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.sensitivity import Sensitivity

GROUPS = ("a", "b", "c", "d")
Bag = tuple[tuple[str, int | None], ...]


def world(
    measures: Sequence[Measure | OrderStatistic],
    cells: int | None,
    max_groups: int,
    max_rows: int,
    unit: str = "id",
) -> Aggregate:
    """A plan over (g, x), by g: the first so many groups declared, or none."""
    table = Table(Schema("t", (Column("g", "text"), Column("x", "integer")), unit))
    domain = None if cells is None else (GROUPS[:cells],)
    return Aggregate(Group(Bound(table, ("g",), max_groups, max_rows), domain), tuple(measures))


def bags(groups: Sequence[str], values: Sequence[int | None], most: int) -> list[Bag]:
    """What one unit may own."""
    kinds = list(product(groups, values))
    return [bag for count in range(most + 1) for bag in combinations_with_replacement(kinds, count)]


def _rank(unit: Value, group: tuple[Value, ...]) -> int:
    """Of the first three, two orders that disagree, and one in which all are equal."""
    place = GROUPS.index(str(group[0])) if group[0] in GROUPS else 9
    return {1: place, 2: -place}.get(unit if isinstance(unit, int) else 0, 0)


def _cells(plan: Aggregate, who: int, bag: Bag) -> dict[tuple[Value, ...], tuple[Any, ...]]:
    bystander = [{"id": 7, "g": "a", "x": 1}, {"id": None, "g": "b", "x": 1}]
    return interpret_plan(
        plan, {"t": bystander + [{"id": who, "g": g, "x": x} for g, x in bag]}, _rank
    )


def answers(
    plan: Aggregate, owned: Sequence[Bag], ids: Sequence[int] = (1, 2, 3)
) -> dict[int, NDArray[np.int64]]:
    """A row of numbers for every bag, by the id of its owner: all groups, all measures."""
    width = sum(measure.width for measure in plan.measures)
    found = {}
    for who in ids:
        lines = []
        for bag in owned:
            cells = _cells(plan, who, bag)
            lines.append(
                [number for group in (*GROUPS, "z") for number in cells.get((group,), (0,) * width)]
            )
        found[who] = np.array(lines, dtype=np.int64)
    return found


Sample = dict[Value, tuple[int, ...]]


def samples(
    plan: Aggregate, owned: Sequence[Bag], ids: Sequence[int] = (1, 2, 3)
) -> dict[int, list[Sample]]:
    """The samples of all groups for every bag, by the id of its owner; the plan has one measure,
    a pick.
    """
    return {
        who: [
            {group: sample for (group,), (sample,) in _cells(plan, who, bag).items()}
            for bag in owned
        ]
        for who in ids
    }


def pairs(found: dict[int, list[Sample]], relation: str) -> Iterator[tuple[Sample, Sample]]:
    """All the moves of one step, like ``differences``."""
    if relation == "add-remove":
        yield from ((lines[0], line) for lines in found.values() for line in lines)
        return
    every = list(
        {tuple(sorted(line.items())): line for lines in found.values() for line in lines}.values()
    )
    yield from product(every, every)


def apart(before: Sample, after: Sample) -> tuple[int, int]:
    """In how many groups two samples differ, and how many values leave one, or enter one, at
    most.
    """
    groups, most = 0, 0
    for group in {*before, *after}:
        old, new = Counter(before.get(group, ())), Counter(after.get(group, ()))
        left, entered = (old - new).total(), (new - old).total()
        groups, most = groups + (left + entered > 0), max(most, left, entered)
    return groups, most


def differences(found: dict[int, NDArray[np.int64]], relation: str) -> Iterator[NDArray[np.int64]]:
    """All the moves of one step. The first bag is the empty one: a unit that is not there."""
    if relation == "add-remove":
        yield from (numbers - numbers[0] for numbers in found.values())
        return
    every = np.unique(np.concatenate(list(found.values())), axis=0)
    yield from (every - numbers for numbers in every)


def largest(moves: Iterator[NDArray[np.int64]]) -> tuple[int, int, int, int]:
    """The largest l0, linf, l1 and l2 squared."""
    best = np.zeros(4, dtype=np.int64)
    for move in moves:
        size = np.abs(move)
        norms = [
            (size > 0).sum(axis=1).max(),
            size.max(),
            size.sum(axis=1).max(),
            (size**2).sum(axis=1).max(),
        ]
        best = np.maximum(best, norms)
    return int(best[0]), int(best[1]), int(best[2]), int(best[3])


def declared(sensitivity: Sensitivity) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    return Fraction(sensitivity.l0), sensitivity.linf, sensitivity.l1, sensitivity.l2_squared
