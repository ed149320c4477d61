"""Combinations of codes: how they are packed and counted, how far one unit moves them, and what is refused."""

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

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.crossing import Cross, Tabulated, words_of
from hedgerow.plan.measures import Reach
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.reference import run
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute

TABLE = Table(Schema("t", (Column("x", "integer"), Column("y", "integer")), "id"))


def column(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int64)


def test_as_many_codes_share_a_word_as_fit() -> None:
    assert words_of([10] * 100) == tuple(tuple(range(start, min(start + 18, 100))) for start in range(0, 100, 18))
    assert words_of([2] * 62) == (tuple(range(62)),)
    assert words_of([2] * 63) == (tuple(range(62)), (62,))
    assert words_of([2**62, 2**62, 1]) == ((0,), (1, 2))
    assert words_of([2**62, 1, 2]) == ((0, 1), (2,))
    assert words_of([3]) == ((0,),)
    random = Random(1)
    for _ in range(200):
        sizes = [2 ** random.randint(0, 62) for _ in range(random.randint(1, 12))]
        words = words_of(sizes)
        assert [place for places in words for place in places] == list(range(len(sizes)))
        rooms = [math.prod(sizes[place] for place in places) for places in words]
        assert max(rooms) <= 2**62
        assert all(room * sizes[places[0]] > 2**62 for room, places in zip(rooms[:-1], words[1:], strict=True))


def test_a_cross_names_its_columns_and_sizes() -> None:
    cross = Cross((("a", 3), ("b", Fraction(2)), ("c", 2**62)))  # type: ignore[arg-type]
    assert (cross.columns, cross.sizes, cross.width, cross.kind) == (("a", "b", "c"), (3, 2, 2**62), 1, "cross")
    assert all(type(size) is int for size in cross.sizes)


@pytest.mark.parametrize("attributes", [(), (("a", 2), ("a", 3)), (("a", 0),), (("a", -1),), (("a", 2**62 + 1),), (("a", 1.5),)])
def test_a_cross_refuses(attributes: Any) -> None:
    with pytest.raises(InvalidArgument):
        Cross(attributes)


@pytest.mark.parametrize("cells", [None, 2])
def test_a_cross_is_of_all_rows(cells: int | None) -> None:
    with pytest.raises(InvalidArgument, match="make the keys attributes"):
        Cross((("x", 2),)).sensitivity(Reach(1, 1, cells, moves=False))


def rank(unit: Value, words: tuple[Value, ...]) -> int:
    """Three orders: rising, falling, and one in which all are equal."""
    return {1: 1, 2: -1}.get(unit if isinstance(unit, int) else 0, 0) * int(str(words[0])) if words else 0


def tables(plan: Aggregate, bags: list[tuple[Any, ...]]) -> Iterator[Counter[Any]]:
    """What there is beside two bystanders when the unit has each of these bags."""
    for who, bag in product((1, 2, 3), bags):
        others = [{"id": 7, "x": 1, "y": 1}, {"id": 8, "x": 1, "y": 1}]
        ((found,),) = run(plan, {"t": others + [{"id": who, "x": x, "y": y} for x, y in bag]}, rank).values()
        yield Counter(found)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_declared_distances_hold_and_are_reached(relation: Relation, most: int) -> None:
    plan = Aggregate(Group(Bound(TABLE, (), 1, most)), (Cross((("x", 2), ("y", 3))),))
    kinds = [(0, 0), (0, 2), (1, 1), (1, 2), (1, 0), (0, 1), (0, None), (2, 0)]
    bags = [bag for count in (0, 1, 3, 4) for bag in combinations_with_replacement(kinds, count)][:: 1 if relation == "add-remove" else 5]
    every = [dict(pairs) for pairs in {tuple(sorted(found.items())) for found in tables(plan, bags)}]
    nothing = dict(next(tables(plan, [()])))
    starts = [nothing] if relation == "add-remove" else every
    best = np.zeros(4, dtype=np.int64)
    for before, after in product(starts, every):
        moves = [abs(before.get(codes, 0) - after.get(codes, 0)) for codes in {**before, **after}]
        norms = [sum(move > 0 for move in moves), max(moves), sum(moves), sum(move**2 for move in moves)]
        best = np.maximum(best, norms)
    (declared,) = plan.sensitivity(Unit(relation, "id"))
    assert tuple(best.tolist()) == brute.declared(declared)


def test_a_group_of_units() -> None:
    plan = Aggregate(Group(Bound(TABLE, (), 1, 2)), (Cross((("x", 2),)),))
    assert brute.declared(plan.sensitivity(Unit("change-one", "id", 3))[0]) == (12, 6, 12, 72)


def test_marginals_are_those_of_a_loop() -> None:
    random = Random(2)
    for sizes in [(3,), (2, 3, 4), (2**40, 2, 2**30, 5, 3), (1, 1, 2), (7, 2**62, 2)]:
        rows = [tuple(random.choice((0, size - 1, random.randrange(size))) for size in sizes) for _ in range(50)]
        table = Tabulated.of(rows, sizes)
        assert (table.total, len(table.words)) == (50, len(words_of(sizes)))
        small = [place for place, size in enumerate(sizes) if size < 9]
        for places in [(), small[:1], small, small[::-1]]:
            found = table.marginal(places)
            expected = np.zeros([sizes[place] for place in places], dtype=np.int64)
            for row in rows:
                expected[tuple(row[place] for place in places)] += 1
            assert found.dtype == np.int64
            assert np.array_equal(found, expected)
        for place in range(len(sizes)):
            assert table.codes(place).tolist() == [row[place] for row in rows] == table.codes(place).tolist()


@pytest.mark.parametrize("counts", [(1, 1, 1), (5, 0, 9), (2**53, 1, 1), (2**61, 2**60, 2**59 + 1)])
def test_counts_are_added_up_exactly(counts: tuple[int, ...]) -> None:
    table = Tabulated((2, 3), (column(1, 4, 4),), column(*counts))
    assert table.total == sum(counts)
    assert table.marginal((1, 0)).tolist() == [[0, 0], [counts[0], counts[1] + counts[2]], [0, 0]]
    assert table.marginal(()).tolist() == sum(counts)


@pytest.mark.parametrize("codes", [[], np.zeros((0, 2), dtype=np.int64)])
def test_nothing_is_a_table_too(codes: Any) -> None:
    table = Tabulated.of(codes, (2, 3))
    assert (table.total, table.marginal((0, 1)).tolist()) == (0, [[0, 0, 0], [0, 0, 0]])


def test_codes_may_be_of_any_whole_type() -> None:
    for type_ in (np.uint8, np.int16, np.uint64, bool):
        assert Tabulated.of(np.array([[1, 0], [1, 1]], dtype=type_), (2, 2)).marginal((0, 1)).tolist() == [[0, 0], [1, 1]]


def test_a_table_is_not_printed() -> None:
    assert repr(Tabulated.of([[1, 2]], (2, 3))) == "Tabulated(sizes=(2, 3))"


@pytest.mark.parametrize(
    ("message", "codes", "sizes"),
    [
        ("at least one", [], ()),
        ("up to 2", [], (2**63,)),
        ("whole number", [], (0,)),
        ("a column for each", [[1.0]], (2,)),
        ("a column for each", [1, 0], (2,)),
        ("a column for each", [[1, 0]], (2,)),
        ("a column for each", 1, (2,)),
        ("between 0 and the size", [[0, 2]], (3, 2)),
        ("between 0 and the size", [[0, -1]], (3, 2)),
        ("between 0 and the size", np.array([[2**64 - 1]], dtype=np.uint64), (3,)),
    ],
)
def test_rows_that_are_no_codes_are_refused(message: str, codes: Any, sizes: Any) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Tabulated.of(codes, sizes)


@pytest.mark.parametrize(
    ("message", "sizes", "words", "counts"),
    [
        ("at least one", (), (), column()),
        ("for every word", (2,), (), column()),
        ("for every word", (2, 2), (column(0), column(0)), column(1)),
        ("for every word", (2**62, 2), (column(0),), column(1)),
        ("for every word", (2,), (column(0, 1),), column(1)),
        ("for every word", (2,), (column(0).reshape(1, 1),), column(1).reshape(1, 1)),
        ("for every word", (2,), (np.array([0.5]),), column(1)),
        ("for every word", (2,), (column(0),), np.array([1.0])),
        ("for every word", (2,), (column(0),), np.array([2**64], dtype=object)),
        ("packed codes", (2, 3), (column(6),), column(1)),
        ("packed codes", (2, 3), (column(-1),), column(1)),
        ("negative", (2,), (column(0),), column(-1)),
        ("together", (2,), (column(0),), column(2**62 + 1)),
        ("together", (2,), (column(0, 1, 1, 1),), column(*[2**62] * 4)),
    ],
)
def test_a_table_refuses(message: str, sizes: Any, words: Any, counts: Any) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Tabulated(sizes, words, counts)


def test_marginals_refuse() -> None:
    table = Tabulated.of([[1, 2, 2**20]], (2, 3, 2**28))
    for places in [(3,), (-1,), (0, 7)]:
        with pytest.raises(InvalidArgument, match="places of attributes"):
            table.marginal(places)
    with pytest.raises(InvalidArgument, match="places of attributes"):
        table.codes(3)
    with pytest.raises(Refused, match="does not fit: at most 268435456 do"):
        table.marginal((0, 2))
