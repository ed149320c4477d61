from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa

from hedgerow.engines.decode import Statement, arranged, columns


def test_columns_are_64_bits_or_long_as_the_statement_says() -> None:
    table = pa.table({"k": ["a", None], "n": [1, 2], "w": pa.array([Decimal(2**100), Decimal(-5)], pa.decimal128(38, 0))})
    keys, (short, long) = columns(table, Statement("", ("text",), (False, True)))
    assert keys == [["a", None]]
    assert (short.dtype, short.tolist()) == (np.dtype(np.int64), [1, 2])
    assert (long.dtype, long.tolist()) == (np.dtype(object), [2**100, -5])
    assert type(long[0]) is int


def test_cells_come_in_the_order_of_the_domain_with_zeros_where_nothing_was() -> None:
    found = [["y", "x"], [2, 1]], [np.array([5, 7])]
    cells = arranged(found, (("x", "y"), (1, 2, 3)))
    assert cells.keys == (["x", "x", "x", "y", "y", "y"], [1, 2, 3, 1, 2, 3])
    assert cells.numbers[0].tolist() == [7, 0, 0, 0, 5, 0]


def test_a_key_outside_the_domain_never_comes_out() -> None:
    found = [["x", "planted", None]], [np.array([1, 2, 4], dtype=object)]
    cells = arranged(found, (("z", "x"),))
    assert cells.keys == (["z", "x"],)
    assert cells.numbers[0].tolist() == [0, 1]


def test_without_a_domain_cells_stay_as_they_come() -> None:
    assert arranged(([[None, "a"]], [np.array([1, 2])]), None).keys == ([None, "a"],)


def test_no_keys_make_one_cell() -> None:
    cells = arranged(([], [np.array([9])]), ())
    assert (cells.keys, cells.numbers[0].tolist()) == ((), [9])
