"""Outputs of a mechanism, in a form that scores can read.

Outputs are numbers, Booleans, text, None, arrays, or tuples and mappings of these. Each becomes a
row of numbers (its numeric leaves in order, NaN for other leaves), a length, and a key: an integer
that is equal for equal outputs. Each output is read by itself, independently of the rest of the
sample, as the proof of the audit requires.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.verify.audit.confidence import Floats

__all__ = ["Outputs", "RawOutputs", "read_outputs"]

RawOutputs = Sequence[Any] | NDArray[Any]  # one output per row or item

_PLAIN_TYPES = frozenset({int, float, bool, np.float64, np.int64, np.bool_})
_NUMBER_TYPES = (Real, Decimal, np.bool_)
# an odd constant that spreads bits (the golden ratio); keys need no secrecy
_MIXING_CONSTANT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Outputs:
    """A sample of outputs: ``numbers`` has one row for each, ``lengths`` its number of leaves,
    ``keys`` one integer.
    """

    numbers: Floats
    lengths: Floats
    keys: NDArray[np.int64]
    raw: RawOutputs

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def width(self) -> int:
        """The number of numbers in the widest output."""
        return int(self.numbers.shape[1])

    def coordinate(self, index: int) -> Floats:
        """Return one number of each output, -inf if it has none (or NaN), so that every half-line
        is an event.
        """
        if index >= self.width:
            return np.full(len(self), -np.inf)
        column: Floats = self.numbers[:, index]
        return np.where(np.isnan(column), -np.inf, column)


def read_outputs(raw: RawOutputs) -> Outputs:
    """Read a sample: an array with one output per row, or a sequence of outputs of any type."""
    numbers = _try_as_array(raw)
    if numbers is not None:
        lengths = np.full(len(numbers), float(numbers.shape[1]))
        return Outputs(numbers, lengths, _hash_rows(numbers), raw)
    parts = [_list_leaves(output) for output in raw]
    lengths = np.array([len(leaves) for leaves in parts], dtype=np.int64)
    numbers = np.full((len(parts), int(lengths.max(initial=0))), np.nan)
    for row, leaves in zip(numbers, parts, strict=True):
        row[: len(leaves)] = [_to_float(leaf) for leaf in leaves]
    keys = np.array([hash(repr(leaves)) for leaves in parts], dtype=np.int64)
    plain = np.array(
        [all(isinstance(leaf, _NUMBER_TYPES) for leaf in leaves) for leaves in parts],
        dtype=np.bool_,
    )
    for length in np.unique(lengths[plain]):  # rows of numbers get the same key as on the fast path
        rows = plain & (lengths == length)
        keys[rows] = _hash_rows(numbers[rows, :length])
    return Outputs(numbers, lengths.astype(np.float64), keys, raw)


def _try_as_array(raw: RawOutputs) -> Floats | None:
    """Return numbers in a regular shape as an array, on the fast path; None otherwise."""
    if not isinstance(raw, np.ndarray):
        kinds = set(map(type, raw))
        if kinds <= _PLAIN_TYPES:
            return np.array([_to_float(output) for output in raw], dtype=np.float64).reshape(-1, 1)
        if (
            kinds == {tuple}
            and len(set(map(len, raw))) == 1
            and set(map(type, chain.from_iterable(raw))) <= _PLAIN_TYPES
        ):
            return np.array([list(map(_to_float, output)) for output in raw], dtype=np.float64)
        if kinds != {np.ndarray} or len({output.shape for output in raw}) > 1:
            return None
        raw = np.stack(raw)
    if raw.dtype.kind not in "biuf":
        return None
    return raw.reshape(len(raw), -1).astype(np.float64)


def _list_leaves(output: object) -> list[object]:
    """Return the leaves of an output, in order; a mapping includes its keys, a set is sorted."""
    if isinstance(output, (np.ndarray, np.generic)):
        output = output.tolist()
    if isinstance(output, Mapping):
        output = tuple(output.items())
    if isinstance(output, (set, frozenset)):
        output = sorted(output, key=repr)
    if isinstance(output, (tuple, list)):
        return [leaf for part in output for leaf in _list_leaves(part)]
    return [output]


def _to_float(leaf: object) -> float:
    if not isinstance(leaf, _NUMBER_TYPES):
        return math.nan
    number: Any = leaf
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _hash_rows(numbers: Floats) -> NDArray[np.int64]:
    """Return the keys of rows of numbers, by their bits: -0.0 is not 0.0."""
    keys = np.zeros(len(numbers), dtype=np.uint64)
    for column in numbers.T:
        one_nan = np.where(np.isnan(column), np.nan, column)
        keys = (keys ^ one_nan.view(np.uint64)) * _MIXING_CONSTANT
        keys ^= keys >> np.uint64(29)
    return keys.view(np.int64)
