"""A bounded column as the statistics see it: sorted whole steps of a public grid, within public
bounds.

The bounds are declared, never read off the data, and so is the grid: without one it follows from
the bounds alone. Values outside are clamped to the nearer bound, the declared rule for them.
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

__all__ = ["SortedSample", "check_relation"]

_MAX_STEPS = 1 << 53  # in steps; up to 2^53 every whole number is a double


def check_relation(neighbours: object) -> str:
    """Return the neighbour relation; refuse anything but 'add-remove' and 'change-one'."""
    if neighbours not in RELATIONS:
        raise InvalidArgument("neighbours", "must be 'add-remove' or 'change-one'", neighbours)
    return str(neighbours)


@dataclass(frozen=True, slots=True, eq=False)
class SortedSample:
    """Sorted ``values`` in grid steps between ``lower`` and ``upper``; hidden in repr."""

    values: Integers = field(repr=False)
    lower: int
    upper: int
    grid: Fraction = Fraction(1)

    @classmethod
    def from_values(
        cls, values: Any, *, lower: Number, upper: Number, grid: Number | None = None
    ) -> SortedSample:
        """Snap, clamp and sort a column.

        Without a ``grid`` the step is 1 if both bounds are integers, which declares the values to
        be whole numbers; otherwise a power of two with at least 2^20 steps between the bounds.
        """
        low, high = parse_exact(lower, "lower"), parse_exact(upper, "upper")
        if low >= high:
            raise InvalidArgument("upper", f"must be above lower = {lower}", upper)
        if grid is None and all(isinstance(end, (int, np.integer)) for end in (lower, upper)):
            grid = 1
        on = Grid.for_distance(high - low, "upper") if grid is None else Grid(grid)
        ends = int(on.snap(low, "lower")), int(on.snap(high, "upper"))
        if ends[0] == ends[1]:
            raise InvalidArgument(
                "grid", "must be finer than the distance between the bounds", grid
            )
        if max(-ends[0], ends[1]) > _MAX_STEPS:
            raise InvalidArgument(
                "grid", "must be coarser: both bounds must lie within 2^53 steps of 0", on.step
            )
        return cls(np.sort(np.clip(_snap_values(values, on), *ends)), *ends, on.step)

    def __len__(self) -> int:
        return self.values.size

    @property
    def width(self) -> int:
        """The distance between the bounds, in steps: the largest move of any order statistic."""
        return self.upper - self.lower

    def value_at(self, rank: int) -> int:
        """Return x_(rank): the lower bound before the first value, the upper one after the last."""
        if rank < 1:
            return self.lower
        return int(self.values[rank - 1]) if rank <= self.values.size else self.upper

    def values_at(self, ranks: Integers) -> Integers:
        """Return x_(rank) for each of ``ranks``."""
        values = np.where(ranks < 1, self.lower, self.upper)
        inside = (ranks >= 1) & (ranks <= self.values.size)
        values[inside] = self.values[ranks[inside] - 1]
        return values

    def count_below(self, z: Integers) -> Integers:
        """Count for each z the values below it."""
        return np.searchsorted(self.values, z, side="left")

    def count_up_to(self, z: Integers) -> Integers:
        """Count for each z the values up to it."""
        return np.searchsorted(self.values, z, side="right")


def _snap_values(values: Any, grid: Grid) -> Integers:
    empty_array = isinstance(values, np.ndarray) and values.shape == (0,)
    if empty_array or (isinstance(values, (list, tuple)) and not values):
        return np.empty(0, dtype=np.int64)
    steps = grid.snap(parse_array(values, "values"), "values")
    if not isinstance(steps, np.ndarray) or steps.ndim != 1:
        raise InvalidArgument("values", "must be a list or a one-dimensional array of numbers")
    return steps
