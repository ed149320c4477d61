"""Combinations of codes: how they are packed and counted, how far one unit moves them, and what
is refused.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import numpy as np
import pytest

from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import InvalidArgument
from hedgerow.plan.contingency import Contingency, group_into_words, pack_codes
from hedgerow.plan.measures import UnitReach
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute

TABLE = Table(Schema("t", (Column("x", "integer"), Column("y", "integer")), "id"))


def column(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int64)


def test_codes_share_a_word_up_to_its_capacity() -> None:
    assert group_into_words([10] * 100) == tuple(
        tuple(range(start, min(start + 18, 100))) for start in range(0, 100, 18)
    )
    assert group_into_words([2] * 62) == (tuple(range(62)),)
    assert group_into_words([2] * 63) == (tuple(range(62)), (62,))
    assert group_into_words([2**62, 2**62, 1]) == ((0,), (1, 2))
    assert group_into_words([2**62, 1, 2]) == ((0, 1), (2,))
    assert group_into_words([3]) == ((0,),)
    random = Random(1)
    for _ in range(200):
        sizes = [2 ** random.randint(0, 62) for _ in range(random.randint(1, 12))]
        words = group_into_words(sizes)
        assert [place for places in words for place in places] == list(range(len(sizes)))
        rooms = [math.prod(sizes[place] for place in places) for places in words]
        assert max(rooms) <= 2**62
        assert all(
            room * sizes[places[0]] > 2**62
            for room, places in zip(rooms[:-1], words[1:], strict=True)
        )


def test_a_cross_names_its_columns_and_sizes() -> None:
    cross = Contingency((("a", 3), ("b", Fraction(2)), ("c", 2**62)))  # type: ignore[arg-type]
    assert (cross.columns, cross.sizes, cross.width, cross.kind) == (
        ("a", "b", "c"),
        (3, 2, 2**62),
        1,
        "cross",
    )
    assert all(type(size) is int for size in cross.sizes)


@pytest.mark.parametrize(
    "attributes",
    [(), (("a", 2), ("a", 3)), (("a", 0),), (("a", -1),), (("a", 2**62 + 1),), (("a", 1.5),)],
)
def test_a_cross_refuses(attributes: Any) -> None:
    with pytest.raises(InvalidArgument):
        Contingency(attributes)


def test_codes_are_packed_the_first_slowest() -> None:
    assert pack_codes((2, 7, 4), (3, 2**60, 5)) == (2 * 2**60 + 7, 4)
    assert pack_codes((1, 2, 3), (2, 3, 4)) == (1 * 12 + 2 * 4 + 3,)


@pytest.mark.parametrize("parts", [0, 3, 2**41, 1.5])
def test_parts_are_powers_of_two(parts: Any) -> None:
    assert Contingency((("a", 2),), resolution=2**40).resolution == 2**40
    with pytest.raises(InvalidArgument, match="resolution"):
        Contingency((("a", 2),), resolution=parts)


@pytest.mark.parametrize("cells", [None, 2])
def test_a_cross_is_of_all_rows(cells: int | None) -> None:
    with pytest.raises(InvalidArgument, match="make the keys attributes"):
        Contingency((("x", 2),)).sensitivity(UnitReach(1, 1, cells, is_change_one=False))


def rank(unit: Value, words: tuple[Value, ...]) -> int:
    """Three orders: rising, falling, and one in which all are equal."""
    return (
        {1: 1, 2: -1}.get(unit if isinstance(unit, int) else 0, 0) * int(str(words[0]))
        if words
        else 0
    )


def tables(plan: Aggregate, bags: list[tuple[Any, ...]]) -> Iterator[Counter[Any]]:
    """What there is beside two bystanders when the unit has each of these bags."""
    for who, bag in product((1, 2, 3), bags):
        others = [{"id": 7, "x": 1, "y": 1}, {"id": 8, "x": 1, "y": 1}]
        ((found,),) = interpret_plan(
            plan, {"t": others + [{"id": who, "x": x, "y": y} for x, y in bag]}, rank
        ).values()
        yield Counter(found)


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("fine", [1, 4])
def test_declared_distances_hold_and_are_reached(relation: Relation, most: int, fine: int) -> None:
    plan = Aggregate(Group(Bound(TABLE, (), 1, most)), (Contingency((("x", 2), ("y", 3)), fine),))
    kinds = [(0, 0), (0, 2), (1, 1), (1, 2), (1, 0), (0, 1), (0, None), (2, 0)]
    bags = [bag for count in (0, 1, 3, 4) for bag in combinations_with_replacement(kinds, count)][
        :: 1 if relation == "add-remove" else 5
    ]
    every = [
        dict(pairs) for pairs in {tuple(sorted(found.items())) for found in tables(plan, bags)}
    ]
    nothing = dict(next(tables(plan, [()])))
    starts = [nothing] if relation == "add-remove" else every
    best = np.zeros(4, dtype=np.int64)
    for before, after in product(starts, every):
        moves = [abs(before.get(codes, 0) - after.get(codes, 0)) for codes in {**before, **after}]
        norms = [
            sum(move > 0 for move in moves),
            max(moves),
            sum(moves),
            sum(move**2 for move in moves),
        ]
        best = np.maximum(best, norms)
    (declared,) = plan.sensitivity(Unit(relation, "id"))
    found, said = best.tolist(), brute.declared(declared)
    assert found[1:] == list(said[1:])
    # Four rows have no more than four of the six combinations, whatever their parts are.
    assert found[0] == said[0] if fine == 1 else found[0] <= said[0]


def test_a_group_of_units() -> None:
    plan = Aggregate(Group(Bound(TABLE, (), 1, 2)), (Contingency((("x", 2),)),))
    assert brute.declared(plan.sensitivity(Unit("change-one", "id", 3))[0]) == (12, 6, 12, 72)
