"""The exact table: packed as it should be, added up exactly, never printed, and refused where it
is none.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.contingency import group_into_words
from hedgerow.plan.contingency_table import ContingencyTable


def column(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int64)


def test_marginals_agree_with_a_plain_loop() -> None:
    random = Random(2)
    for sizes in [(3,), (2, 3, 4), (2**40, 2, 2**30, 5, 3), (1, 1, 2), (7, 2**62, 2)]:
        rows = [
            tuple(random.choice((0, size - 1, random.randrange(size))) for size in sizes)
            for _ in range(50)
        ]
        table = ContingencyTable.from_codes(rows, sizes)
        assert (table.total, len(table.words)) == (50, len(group_into_words(sizes)))
        small = [place for place, size in enumerate(sizes) if size < 9]
        for places in [(), small[:1], small, small[::-1]]:
            found = table.marginal(places)
            expected = np.zeros([sizes[place] for place in places], dtype=np.int64)
            for row in rows:
                expected[tuple(row[place] for place in places)] += 1
            assert found.dtype == np.int64
            assert np.array_equal(found, expected)
        for place in range(len(sizes)):
            assert (
                table.codes(place).tolist()
                == [row[place] for row in rows]
                == table.codes(place).tolist()
            )


@pytest.mark.parametrize("counts", [(1, 1, 1), (5, 0, 9), (2**53, 1, 1), (2**61, 2**60, 2**59 + 1)])
def test_counts_are_added_up_exactly(counts: tuple[int, ...]) -> None:
    table = ContingencyTable((2, 3), (column(1, 4, 4),), column(*counts))
    assert table.total == sum(counts)
    assert table.marginal((1, 0)).tolist() == [[0, 0], [counts[0], counts[1] + counts[2]], [0, 0]]
    assert table.marginal(()).tolist() == sum(counts)


@pytest.mark.parametrize("codes", [[], np.zeros((0, 2), dtype=np.int64)])
def test_nothing_is_a_table_too(codes: Any) -> None:
    table = ContingencyTable.from_codes(codes, (2, 3))
    assert (table.total, table.marginal((0, 1)).tolist()) == (0, [[0, 0, 0], [0, 0, 0]])


def test_codes_may_be_of_any_whole_type() -> None:
    for type_ in (np.uint8, np.int16, np.uint64, bool):
        assert ContingencyTable.from_codes(
            np.array([[1, 0], [1, 1]], dtype=type_), (2, 2)
        ).marginal((0, 1)).tolist() == [[0, 0], [1, 1]]


def test_a_table_is_not_printed() -> None:
    assert repr(ContingencyTable.from_codes([[1, 2]], (2, 3))) == "ContingencyTable(sizes=(2, 3))"


@pytest.mark.parametrize(
    ("message", "codes", "sizes"),
    [
        ("and not empty", [], ()),
        ("up to 2", [], (2**63,)),
        ("whole number", [], (0,)),
        ("a column for each", [[1.0]], (2,)),
        ("a column for each", [1, 0], (2,)),
        ("a column for each", [[1, 0]], (2,)),
        ("a column for each", 1, (2,)),
        ("at least 0 and below the size", [[0, 2]], (3, 2)),
        ("at least 0 and below the size", [[0, -1]], (3, 2)),
        ("at least 0 and below the size", np.array([[2**64 - 1]], dtype=np.uint64), (3,)),
    ],
)
def test_rows_with_invalid_codes_are_refused(message: str, codes: Any, sizes: Any) -> None:
    with pytest.raises(InvalidArgument, match=message):
        ContingencyTable.from_codes(codes, sizes)


@pytest.mark.parametrize(
    ("message", "sizes", "words", "counts"),
    [
        ("and not empty", (), (), column()),
        ("for every word", (2,), (), column()),
        ("for every word", (2, 2), (column(0), column(0)), column(1)),
        ("for every word", (2**62, 2), (column(0),), column(1)),
        ("for every word", (2,), (column(0, 1),), column(1)),
        ("for every word", (2,), (column(0).reshape(1, 1),), column(1).reshape(1, 1)),
        ("for every word", (2,), (np.array([0.5]),), column(1)),
        ("for every word", (2,), (column(0),), np.array([1.0])),
        ("for every word", (2,), (column(0),), np.array([2**64], dtype=object)),
        ("that pack_codes packed", (2, 3), (column(6),), column(1)),
        ("that pack_codes packed", (2, 3), (column(-1),), column(1)),
        ("negative", (2,), (column(0),), column(-1)),
        ("each", (2,), (column(0),), column(2**62 + 1)),
    ],
)
def test_a_table_refuses(message: str, sizes: Any, words: Any, counts: Any) -> None:
    with pytest.raises(InvalidArgument, match=message):
        ContingencyTable(sizes, words, counts)


def test_sums_beyond_2_62_are_clamped() -> None:
    """Parts of rows may be that many where there are more units than declared: to fail would
    tell.
    """
    table = ContingencyTable(
        (2, 2), (column(0, 1, 2, 3, 3),), column(2**62, 2**62, 2**61, 2**61, 5)
    )
    assert table.total == 3 * 2**62 + 5
    assert table.marginal((0, 1)).tolist() == [[2**62, 2**62], [2**61, 2**61 + 5]]
    assert table.marginal((0,)).tolist() == [2**62, 2**62]
    assert table.marginal(()).tolist() == 2**62
    full = ContingencyTable((2,), (column(0, 1, 1),), column(2**61, 2**61 - 3, 3))
    assert (full.total, full.marginal((0,)).tolist()) == (2**62, [2**61, 2**61])


def test_marginals_refuse() -> None:
    table = ContingencyTable.from_codes([[1, 2, 2**20]], (2, 3, 2**28))
    for places in [(3,), (-1,), (0, 7)]:
        with pytest.raises(InvalidArgument, match="indices of attributes"):
            table.marginal(places)
    with pytest.raises(InvalidArgument, match="indices of attributes"):
        table.codes(3)
    with pytest.raises(Refused, match="at most 268,435,456 fit"):
        table.marginal((0, 2))
