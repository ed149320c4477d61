"""Reports as rows of bytes: numbers in big-endian order, bits from the highest of the first byte on.

Both come in one array of bytes, a row for each report, all rows equally long. Whatever arrives is checked before anything is counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.local.thresholds import SCALE
from hedgerow.numeric.bits import words
from hedgerow.numeric.chunk import Integers

__all__ = [
    "Records",
    "as_codes",
    "as_records",
    "coin_rows",
    "column_sums",
    "pack_numbers",
    "padding_is_clear",
    "unpack_numbers",
    "width_of",
]

Records = NDArray[np.uint8]

_PIECE = 1 << 19  # bytes that are added up at a time: they stay in the cache


def width_of(bound: int) -> int:
    """How many bytes hold every number below the bound."""
    return max(1, -(-(bound - 1).bit_length() // 8))


def as_codes(values: Any, domain: int, argument: str = "values") -> Integers:
    """The codes of some values: one dimension, whole numbers from 0 to domain-1. A message never quotes them."""
    try:
        array = np.atleast_1d(np.asarray(values))
    except (ValueError, TypeError, OverflowError):  # ragged, or no array at all; the reason may quote the data
        array = np.empty((0, 0))
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size) or (array.size and (array.min() < 0 or array.max() >= domain)):
        raise InvalidArgument(argument, f"must be a list of whole numbers from 0 to {domain - 1}")
    return array.astype(np.int64)


def as_records(records: Any, record: int) -> Records:
    """Rows of ``record`` bytes each."""
    array = np.asarray(records)
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != record:
        raise InvalidArgument("records", f"must be an array of bytes with {record} in each row; nothing was counted")
    return array


def pack_numbers(numbers: Integers, record: int) -> Records:
    """Each number as ``record`` bytes, the highest first."""
    wide: Records = numbers.astype(">u8").view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(wide[:, 8 - record :])


def unpack_numbers(records: Any, record: int, bound: int) -> Integers:
    """The numbers back; one at or above the bound is refused."""
    rows = as_records(records, record)
    numbers = np.zeros(rows.shape[0], dtype=np.int64)
    for place in range(record):
        numbers <<= 8
        numbers |= rows[:, place]
    if numbers.size and numbers.max() >= bound:
        raise InvalidArgument("records", f"hold a report that is not below {bound}; nothing was counted")
    return numbers


def coin_rows(threshold: int, rows: int, bits: int) -> Records:
    """Packed rows of ``bits`` independent coins, each 1 with probability exactly threshold/65536; the padding is 0.

    A coin is u < t for a uniform u of 16 bits, decided for 64 coins at a time: from the lowest bit of t on, the answer so far stays where
    the bits of u and t agree. Below the lowest 1 of t nothing can be decided, so those bits are not drawn.
    """
    record = -(-bits // 8)
    coins = np.zeros(-(-rows * record // 8), dtype=np.uint64)
    lowest = (threshold & -threshold).bit_length() - 1
    for start in range(0, coins.size, _PIECE // 8):
        piece = coins[start : start + _PIECE // 8]
        for place in range(lowest, SCALE.bit_length() - 1):
            if threshold >> place & 1:
                piece |= words(piece.size)
            else:
                piece &= words(piece.size)
    packed: Records = coins.view(np.uint8)[: rows * record].reshape(rows, record)
    if bits % 8:
        packed[:, -1] &= 0xFF << (8 - bits % 8) & 0xFF
    return packed


def padding_is_clear(records: Records, bits: int) -> bool:
    """Whether all bits after the last are 0."""
    return bits % 8 == 0 or not (records[:, -1] & (0xFF >> bits % 8)).any()


def column_sums(records: Records, bits: int) -> Integers:
    """How many rows have each bit set. Rows are added three at a time, bit by bit beside each other, before they are taken apart."""
    total = np.zeros(bits, dtype=np.int64)
    piece = max(3, _PIECE // max(1, records.shape[1]))
    for start in range(0, records.shape[0], piece):
        total += _sums(records[start : start + piece], bits)
    return total


def _sums(rows: Records, bits: int) -> Integers:
    total, weight = np.zeros(bits, dtype=np.int64), 1
    waiting = [rows]
    while waiting:
        carries: list[Records] = []
        level = waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
        while level.shape[0] >= 12:
            third = level.shape[0] // 3
            a, b, c, rest = level[:third], level[third : 2 * third], level[2 * third : 3 * third], level[3 * third :]
            differ = a ^ b
            carries.append((a & b) | (differ & c))
            differ ^= c
            level = np.concatenate([differ, rest]) if rest.shape[0] else differ
        total += weight * np.unpackbits(level, axis=1, count=bits).sum(axis=0, dtype=np.int64)
        waiting, weight = carries, 2 * weight
    return total
