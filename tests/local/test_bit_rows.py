"""Reports as rows of bytes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodness import ALARM, FAR, chi_square
from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import (
    byte_width,
    check_codes,
    check_padding,
    check_records,
    count_numbers,
    draw_coin_rows,
    iterate_numbers,
    pack_numbers,
    sum_columns,
    sum_columns_by_group,
    unpack_numbers,
)


@given(st.lists(st.integers(0, 2**24 - 1), max_size=20), st.integers(3, 4))
def test_numbers_come_back(numbers: list[int], record: int) -> None:
    rows = pack_numbers(np.array(numbers, dtype=np.int64), record)
    assert [int.from_bytes(row.tobytes(), "big") for row in rows] == numbers
    assert unpack_numbers(rows, record, 2**24).tolist() == numbers


def test_widths() -> None:
    assert [byte_width(bound) for bound in (1, 2, 256, 257, 65536, 65537, 2**24, 2**24 + 1)] == [
        1,
        1,
        1,
        2,
        2,
        3,
        3,
        4,
    ]


@pytest.mark.parametrize(
    "records",
    [
        np.zeros((2, 3), np.uint8),
        np.zeros(2, np.uint8),
        np.zeros((2, 2), np.int64),
        [[0, 0]],
        b"ab",
    ],
)
def test_rows_of_another_form_are_refused(records: object) -> None:
    with pytest.raises(InvalidArgument, match="2 in each row; nothing was counted"):
        check_records(records, 2)


def test_a_number_at_the_bound_is_refused() -> None:
    rows = pack_numbers(np.array([9, 10]), 1)
    assert unpack_numbers(rows, 1, 11).tolist() == [9, 10]
    with pytest.raises(InvalidArgument, match="not below 10"):
        unpack_numbers(rows, 1, 10)
    assert unpack_numbers(rows[:0], 1, 10).size == 0


@pytest.mark.parametrize("bound", [7, 1 << 19])
def test_numbers_are_counted_piece_by_piece(bound: int) -> None:
    numbers = np.arange(600_000) * 7_919 % bound
    rows = pack_numbers(numbers, 3)
    assert np.array_equal(count_numbers(rows, 3, bound), np.bincount(numbers, minlength=bound))
    assert sum(piece.size for piece in iterate_numbers(rows, 3, bound)) == 600_000
    assert count_numbers(rows[:0], 3, bound).sum() == 0
    with pytest.raises(InvalidArgument, match="nothing was counted"):
        count_numbers(rows, 3, int(numbers[-1]))


def test_counting_takes_little_more_memory_than_the_reports() -> None:
    rows = np.zeros((2_000_000, 1), dtype=np.uint8)
    tracemalloc.start()
    try:
        assert count_numbers(rows, 1, 5).tolist() == [2_000_000, 0, 0, 0, 0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000  # all of them in eight bytes each would be 16 million bytes


def test_codes() -> None:
    assert check_codes([], 5).dtype == np.int64
    assert check_codes(4, 5).tolist() == [4]
    assert check_codes(np.array([4], dtype=np.uint8), 5).tolist() == [4]
    for bad in ([5], [-1], [True], [1.0], [[0]], [2**64], [[1], [1, 2]]):
        with pytest.raises(InvalidArgument, match="from 0 to 4") as told:
            check_codes(bad, 5)
        assert "got" not in str(told.value)


@pytest.mark.parametrize("threshold", [1, 17_626, 32_768, 65_535])
def test_coins_have_their_probability_in_every_column(threshold: int) -> None:
    rows, bits, p = 40_000, 13, threshold / 65536
    packed = draw_coin_rows(threshold, rows, bits)
    assert packed.shape == (rows, 2)
    check_padding(packed, bits)
    ones = np.unpackbits(packed, axis=1, count=bits).sum(axis=0)
    assert np.abs(ones - rows * p).max() < FAR * (rows * p * (1 - p)) ** 0.5 + 10


def test_coins_beside_each_other_are_independent() -> None:
    packed = draw_coin_rows(20_000, 60_000, 4)[:, 0] >> 4
    p = 20_000 / 65536
    law = [p ** (k.bit_count()) * (1 - p) ** (4 - k.bit_count()) for k in range(16)]
    assert chi_square(np.bincount(packed, minlength=16), law) > ALARM


def test_coins_of_many_pieces() -> None:
    packed = draw_coin_rows(16_384, 3, 8_000_000)
    assert abs(int(np.bitwise_count(packed).sum()) - 6_000_000) < FAR * (24_000_000 * 3 / 16) ** 0.5


@pytest.mark.parametrize(
    "shape",
    [(0, 2), (1, 1), (2, 1), (3, 1), (13, 3), (1000, 2), (3, 200_000), (9_999, 41), (100_000, 16)],
)
def test_columns_are_added_up(shape: tuple[int, int]) -> None:
    rows = draw_coin_rows(20_000, shape[0], 8 * shape[1])
    for bits in (8 * shape[1], 8 * shape[1] - 3):
        assert (
            sum_columns(rows, bits).tolist()
            == np.unpackbits(rows, axis=1, count=bits).sum(axis=0).tolist()
        )


@given(st.lists(st.integers(0, 4), max_size=60), st.integers(1, 3))
def test_columns_are_added_up_in_groups(groups: list[int], record: int) -> None:
    rows = draw_coin_rows(20_000, len(groups), 8 * record)
    bits = np.unpackbits(rows, axis=1).astype(np.int64)
    sums = np.zeros((5, 8 * record), dtype=np.int64)
    np.add.at(sums, np.array(groups, dtype=np.int64), bits)
    assert np.array_equal(sum_columns_by_group(rows, np.array(groups, dtype=np.int64), 5), sums)


def test_one_group_that_has_nearly_all_rows_takes_no_room_in_the_others() -> None:
    groups = np.where(np.arange(20_000) % 1_000, 0, np.arange(20_000) // 1_000 % 128)
    rows = draw_coin_rows(20_000, groups.size, 16)
    tracemalloc.start()
    try:
        found = sum_columns_by_group(rows, groups, 1_024)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # a row for each group as often as the largest has one would be 40 million bytes
    assert peak < 4_000_000
    for group in (0, 5, 1_023):
        assert found[group].tolist() == sum_columns(rows[groups == group], 16).tolist()


def test_padding() -> None:
    check_padding(np.array([[255, 0b1110_0000]], dtype=np.uint8), 11)
    check_padding(np.array([[255, 255]], dtype=np.uint8), 16)
    with pytest.raises(InvalidArgument, match="zeros after the last bit"):
        check_padding(np.array([[255, 0b1111_0000]], dtype=np.uint8), 11)
