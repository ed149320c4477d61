"""From what a statement returns to cells: in the order of the domain with zeros where nothing was, or as they come."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hedgerow.engines.source import Cells
from hedgerow.plan.values import Type, Value

__all__ = ["Columns", "Statement", "arranged", "columns"]

Domain = tuple[tuple[Value, ...], ...] | None
Columns = tuple[list[list[Value]], list[npt.NDArray[Any]]]


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL whose result has a column for each key, of these types, and then one for each number; ``wide`` ones may exceed 64 bits."""

    sql: str
    keys: tuple[Type, ...]
    wide: tuple[bool, ...]


def columns(table: pa.Table, statement: Statement) -> Columns:
    """Keys and numbers of an Arrow table that the statement gave."""
    count = len(statement.keys)
    keys = [table.column(i).to_pylist() for i in range(count)]
    numbers = []
    for i, wide in enumerate(statement.wide, count):
        if wide:
            found = np.empty(table.num_rows, dtype=object)
            found[:] = [int(value) for value in table.column(i).to_pylist()]
        else:
            found = table.column(i).to_numpy().astype(np.int64, copy=False)
        numbers.append(found)
    return keys, numbers


def arranged(found: Columns, domain: Domain) -> Cells:
    """The cells in their order. Keys outside the domain never come out."""
    keys, numbers = found
    if domain is None:
        return Cells(tuple(keys), tuple(numbers))
    size = math.prod(len(values) for values in domain)
    places, kept = _places(keys, domain, len(numbers[0]))
    cells = []
    for column in numbers:
        full = np.zeros(size, dtype=column.dtype)
        full[places] = column[kept]
        cells.append(full)
    return Cells(tuple(list(column) for column in zip(*itertools.product(*domain), strict=True)), tuple(cells))


def _places(
    keys: Sequence[Sequence[Value]], domain: tuple[tuple[Value, ...], ...], count: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """For each group its place in the product of the domain, and which groups have one."""
    places = np.zeros(count, dtype=np.int64)
    inside = np.ones(count, dtype=bool)
    for column, values in zip(keys, domain, strict=True):
        index = {value: place for place, value in enumerate(values)}
        own = np.fromiter((index.get(value, -1) for value in column), dtype=np.int64, count=count)
        inside &= own >= 0
        places = places * len(values) + own
    return places[inside], inside
