"""Reports as rows of bytes: packing, checks, random bits and column sums.

An array of bytes has one row for each report, all of the same length. Numbers are big-endian; bits
begin with the highest bit of the first byte. All rows are checked before any is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.local.fixed_point import SCALE
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.vectorised import Integers

__all__ = [
    "Records",
    "byte_width",
    "check_codes",
    "check_padding",
    "check_records",
    "count_numbers",
    "draw_coin_rows",
    "iterate_numbers",
    "pack_numbers",
    "sum_columns",
    "sum_columns_by_group",
    "unpack_numbers",
]

Records = NDArray[np.uint8]

_COIN_CHUNK_BYTES = 1 << 19  # bytes of coins that are drawn at a time, to stay in the cache
_NUMBER_CHUNK = 1 << 18  # numbers that are unpacked at a time
# Bytes of rows that are added at a time: fewer take more calls, more do not fit into the cache.
_MAX_SLAB_BYTES, _MIN_SLAB_BYTES = 1 << 17, 1 << 10


def byte_width(bound: int) -> int:
    """Return the number of bytes that hold every number below the bound."""
    return max(1, -(-(bound - 1).bit_length() // 8))


def check_codes(values: Any, domain: int, argument: str = "values") -> Integers:
    """Return values as an array of codes; refuse any but whole numbers from 0 to domain-1.

    The error never quotes the values, which are private.
    """
    try:
        array = np.atleast_1d(np.asarray(values))
    # Ragged or not an array at all. The exception is dropped, because it may quote the data.
    except (ValueError, TypeError, OverflowError):
        array = np.empty((0, 0))
    if (
        array.ndim != 1
        or (array.dtype.kind not in "iu" and array.size)
        or (array.size and (array.min() < 0 or array.max() >= domain))
    ):
        raise InvalidArgument(argument, f"must be a list of whole numbers from 0 to {domain - 1}")
    return array.astype(np.int64)


def check_records(records: Any, record: int) -> Records:
    """Return records as an array; refuse any but rows of ``record`` bytes."""
    array = np.asarray(records)
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != record:
        raise InvalidArgument(
            "records", f"must be an array of bytes with {record} in each row; nothing was counted"
        )
    return array


def pack_numbers(numbers: Integers, record: int) -> Records:
    """Write each number as ``record`` bytes, big-endian."""
    wide: Records = numbers.astype(">u8").view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(wide[:, 8 - record :])


def unpack_numbers(records: Any, record: int, bound: int) -> Integers:
    """Read the numbers back; refuse one at or above the bound."""
    rows = check_records(records, record)
    numbers = np.zeros(rows.shape[0], dtype=np.int64)
    for place in range(record):
        numbers <<= 8
        numbers |= rows[:, place]
    if numbers.size and numbers.max() >= bound:
        raise InvalidArgument(
            "records", f"hold a report that is not below {bound}; nothing was counted"
        )
    return numbers


def iterate_numbers(records: Any, record: int, bound: int) -> Iterator[Integers]:
    """Read the numbers in chunks, because each takes eight bytes once it is unpacked."""
    rows = check_records(records, record)
    for start in range(0, rows.shape[0], _NUMBER_CHUNK):
        yield unpack_numbers(rows[start : start + _NUMBER_CHUNK], record, bound)


def count_numbers(records: Any, record: int, bound: int) -> Integers:
    """Count the occurrences of each number below the bound."""
    found = np.zeros(bound, dtype=np.int64)
    for numbers in iterate_numbers(records, record, bound):
        if bound <= numbers.size:
            found += np.bincount(numbers, minlength=bound)
        else:
            np.add.at(found, numbers, 1)
    return found


def draw_coin_rows(threshold: int, rows: int, bits: int) -> Records:
    """Draw packed rows of ``bits`` independent coins, 1 with probability exactly threshold/65536.

    The padding is 0. A coin is the comparison u < t of a uniform 16-bit u with the threshold t. It
    is made for 64 coins at a time, from the lowest bit up: where the bits of u and t agree, the
    result so far is kept. The bits below the lowest 1 of t cannot decide, so they are not drawn.
    """
    record = -(-bits // 8)
    coins = np.zeros(-(-rows * record // 8), dtype=np.uint64)
    lowest = (threshold & -threshold).bit_length() - 1
    for start in range(0, coins.size, _COIN_CHUNK_BYTES // 8):
        piece = coins[start : start + _COIN_CHUNK_BYTES // 8]
        for place in range(lowest, SCALE.bit_length() - 1):
            if threshold >> place & 1:
                piece |= draw_words(piece.size)
            else:
                piece &= draw_words(piece.size)
    packed: Records = coins.view(np.uint8)[: rows * record].reshape(rows, record)
    if bits % 8:
        packed[:, -1] &= 0xFF << (8 - bits % 8) & 0xFF
    return packed


def check_padding(records: Records, bits: int) -> None:
    """Refuse records in which a bit after the last one is not 0."""
    if bits % 8 and (records[:, -1] & (0xFF >> bits % 8)).any():
        raise InvalidArgument("records", "must have zeros after the last bit; nothing was counted")


def sum_columns(records: Records, bits: int) -> Integers:
    """Count the rows that have each bit set.

    Three rows are added at once in all their bits (a carry-save adder): the sum of three bits is
    one bit of the same weight and one of twice the weight. This is done for slabs of many rows,
    then for smaller and smaller ones; the few rows that remain are unpacked and added.
    """
    levels, size = [[records]], _MAX_SLAB_BYTES  # levels by weight: 1, 2, 4, …
    while size >= _MIN_SLAB_BYTES:
        levels = _reduce_slabs(levels, max(1, size // records.shape[1]))
        size //= 8
    total = np.zeros(bits, dtype=np.int64)
    for place, level in enumerate(levels):
        left = np.concatenate([records[:0], *level])
        total += np.unpackbits(left, axis=1, count=bits).sum(axis=0, dtype=np.int64) << place
    return total


def sum_columns_by_group(records: Records, groups: Integers, count: int) -> Integers:
    """Count, for each (group, bit), the rows of the group that have the bit set.

    Groups are numbered from 0 to count-1. The first rows of all groups, side by side, make one wide
    row, the second rows another, and the wide rows are added up. A group much larger than the
    others would leave most wide rows nearly empty, so it is added up separately.
    """
    rows, record = records.shape
    sizes, width = np.bincount(groups, minlength=count), 8 * record
    # In 16 bits, which numpy sorts by counting.
    order = np.argsort(groups.astype(np.uint16), kind="stable")
    starts = np.cumsum(sizes) - sizes
    large = sizes > 2 * -(-rows // count)
    depth = int(sizes[~large].max(initial=0))
    place = np.empty(rows, dtype=np.int64)
    place[order] = np.arange(rows) - np.repeat(starts, sizes)  # the place of each row in its group
    place *= count
    place += groups
    held, whole = (
        np.ascontiguousarray(records).view(f"V{record}").ravel(),
        np.zeros(depth * count, dtype=f"V{record}"),
    )
    small = slice(None) if not large.any() else ~large[groups]
    whole[place[small]] = held[small]
    sums = sum_columns(whole.view(np.uint8).reshape(depth, count * record), count * width).reshape(
        count, width
    )
    for group in np.flatnonzero(large).tolist():
        sums[group] = sum_columns(
            records[order[starts[group] : starts[group] + sizes[group]]], width
        )
    return sums


def _reduce_slabs(levels: list[list[Records]], rows: int) -> list[list[Records]]:
    """Add up slabs of ``rows`` rows until each level has at most two, and shorter remainders."""
    thin: list[list[Records]] = []
    carries: list[Records] = []
    while len(thin) < len(levels) or carries:
        slabs: list[Records] = []
        short: list[Records] = []
        more: list[Records] = []
        for part in [*carries, *(levels[len(thin)] if len(thin) < len(levels) else [])]:
            for start in range(0, part.shape[0], rows):
                slab = part[start : start + rows]
                (slabs if slab.shape[0] == rows else short).append(slab)
                if len(slabs) == 3:
                    one, two = _add_three(*slabs)
                    slabs = [one]
                    more.append(two)
        thin.append(slabs + short)
        carries = more
    return thin


def _add_three(a: Records, b: Records, c: Records) -> tuple[Records, Records]:
    """Add three rows bit by bit; return the bits of weight 1 and those of weight 2."""
    one = a ^ b
    two = a & b
    two |= one & c
    one ^= c
    return one, two
