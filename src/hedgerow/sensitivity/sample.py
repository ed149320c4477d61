"""A bounded column as the statistics see it: sorted whole steps of a public grid, between public
bounds.

The bounds are declared, never read off the data, and so is the grid: where none is given it follows
from the bounds alone. Values outside are clamped to the nearer bound, the declared rule for them.
Snapping and clamping look at one value at a time, so neighbours stay neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.validation import parse_array
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.unit import RELATIONS

__all__ = ["Sample", "check_relation"]

_MAX_STEPS = 1 << 53  # steps from 0 up to which every whole number is a double


def check_relation(neighbours: object) -> str:
    """One of the two neighbour relations, spelt as everywhere."""
    if neighbours not in RELATIONS:
        raise InvalidArgument("neighbours", "must be 'add-remove' or 'change-one'", neighbours)
    return str(neighbours)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Sorted ``values`` in grid steps; ``lower`` and ``upper`` bound them. It does not show its
    values.
    """

    values: Integers = field(repr=False)
    lower: int
    upper: int
    grid: Fraction = Fraction(1)

    @classmethod
    def from_values(
        cls, values: Any, *, lower: Number, upper: Number, grid: Number | None = None
    ) -> Sample:
        """Snap, clamp and sort a column.

        Without a ``grid``: 1 where both bounds are written as integers, which says that the values
        are whole numbers; else a power of two of which 2^20 or more lie between the bounds.
        """
        low, high = parse_exact(lower, "lower"), parse_exact(upper, "upper")
        if low >= high:
            raise InvalidArgument("upper", f"must be above lower = {lower}", upper)
        counted = isinstance(lower, (int, np.integer)) and isinstance(upper, (int, np.integer))
        on = (
            Grid(grid)
            if grid is not None
            else Grid(1)
            if counted
            else Grid.for_distance(high - low, "upper")
        )
        ends = int(on.snap(low, "lower")), int(on.snap(high, "upper"))
        if ends[0] == ends[1]:
            raise InvalidArgument(
                "grid", "must be finer than the distance between the bounds", grid
            )
        if max(-ends[0], ends[1]) > _MAX_STEPS:
            raise InvalidArgument(
                "grid", "must be so coarse that both bounds lie within 2^53 steps of 0", on.step
            )
        return cls(np.sort(np.clip(_snap_values(values, on), *ends)), *ends, on.step)

    def __len__(self) -> int:
        return self.values.size

    @property
    def width(self) -> int:
        """The distance between the bounds, in steps: how far any statistic of rank can ever
        move.
        """
        return self.upper - self.lower

    def value_at(self, rank: int) -> int:
        """x_(rank), with the lower bound before the first value and the upper bound after the
        last.
        """
        if rank < 1:
            return self.lower
        return int(self.values[rank - 1]) if rank <= self.values.size else self.upper

    def values_at(self, ranks: Integers) -> Integers:
        """x_(rank) for each of ``ranks``."""
        found = np.where(ranks < 1, self.lower, self.upper)
        inside = (ranks >= 1) & (ranks <= self.values.size)
        found[inside] = self.values[ranks[inside] - 1]
        return found

    def count_below(self, z: Integers) -> Integers:
        """For each z, how many values are smaller."""
        return np.searchsorted(self.values, z, side="left")

    def count_up_to(self, z: Integers) -> Integers:
        """For each z, how many values are at most z."""
        return np.searchsorted(self.values, z, side="right")


def _snap_values(values: Any, grid: Grid) -> Integers:
    none = (
        values.shape == (0,)
        if isinstance(values, np.ndarray)
        else isinstance(values, (list, tuple)) and not values
    )
    if none:
        return np.empty(0, dtype=np.int64)
    steps = grid.snap(parse_array(values, "values"), "values")
    if not isinstance(steps, np.ndarray) or steps.ndim != 1:
        raise InvalidArgument("values", "must be a list or a one-dimensional array of numbers")
    return steps
