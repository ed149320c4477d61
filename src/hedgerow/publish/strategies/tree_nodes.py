"""Variances of tree nodes and ranges under least squares; ``hierarchical_tree`` has the proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.publish.strategies.strategy import MIN_VARIANCE, Floats

__all__ = ["TreeNodes", "compute_range_variances"]


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """The variances of the nodes of each level. All nodes but the last are alike, so two numbers
    describe a level.
    """

    size: int
    widths: tuple[int, ...]
    counts: tuple[int, ...]
    own: tuple[Any, ...]
    full: tuple[Any, ...]  # U of a node that is not the last of its level
    last: tuple[Any, ...]  # U of the last

    @classmethod
    def from_variances(cls, size: int, widths: Sequence[int], own: Sequence[Any]) -> TreeNodes:
        """Build the nodes from the variances of the levels, or from columns of them."""
        counts = tuple(-(-size // width) for width in widths)
        own = [np.maximum(variance, MIN_VARIANCE) for variance in own]
        full, last = [own[0]], [own[0]]
        for level in range(1, len(widths)):
            fan = widths[level] // widths[level - 1]
            rest = counts[level - 1] - (counts[level] - 1) * fan
            full.append(1 / (1 / own[level] + 1 / (fan * full[-1])))
            last.append(1 / (1 / own[level] + 1 / ((rest - 1) * full[level - 1] + last[-1])))
        return cls(size, tuple(widths), counts, tuple(own), tuple(full), tuple(last))

    def fan_out(self, level: int) -> int:
        return self.widths[level] // self.widths[level - 1]

    def fan_outs(self, level: int) -> npt.NDArray[np.int64]:
        starts = np.arange(0, self.counts[level - 1], self.fan_out(level))
        return np.diff(starts, append=self.counts[level - 1])

    def variances(self, level: int) -> Floats:
        return np.asarray(self.node_variances(level, np.arange(self.counts[level])))

    def child_variances(self, level: int) -> Floats:
        """Return the variance V of the children's sum."""
        starts = np.arange(0, self.counts[level - 1], self.fan_out(level))
        stops = np.minimum(starts + self.fan_out(level), self.counts[level - 1])
        return np.asarray(self.sum_variances(level - 1, starts, stops))

    def sum_children(self, level: int, below: Floats) -> Floats:
        return np.add.reduceat(below, np.arange(0, self.counts[level - 1], self.fan_out(level)))

    def node_variances(self, level: int, node: Any) -> Any:
        return np.where(node == self.counts[level] - 1, self.last[level], self.full[level])

    def sum_variances(self, level: int, start: Any, stop: Any) -> Any:
        """Return the sum of U over the nodes from start to before stop."""
        count = np.maximum(stop - start, 0)
        return count * self.full[level] + ((count > 0) & (stop == self.counts[level])) * (
            self.last[level] - self.full[level]
        )


def compute_range_variances(
    nodes: TreeNodes, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
) -> Floats:
    """Return the variances of all ranges, by the recursion of ``hierarchical_tree``. ``left`` and
    ``right`` are the nodes in which a range begins and ends. With columns of level variances,
    return a row for each of them.
    """
    left, right = starts, stops - 1
    a_left, a_right = np.ones(len(left)), np.ones(len(left))
    rest: Any = 0.0
    for level in range(1, len(nodes.widths)):
        fan, below, count = nodes.fan_out(level), level - 1, nodes.counts[level - 1]
        up_left, up_right = left // fan, right // fan
        same, met = left == right, up_left == up_right
        u_left, u_right = nodes.node_variances(below, left), nodes.node_variances(below, right)
        inside = nodes.sum_variances(
            below, left + 1, np.where(met, right, np.minimum((up_left + 1) * fan, count))
        )
        first, second = a_left * u_left + inside, a_left**2 * u_left + inside
        both = met & ~same
        first, second = first + both * a_right * u_right, second + both * a_right**2 * u_right
        all_left = nodes.sum_variances(below, up_left * fan, np.minimum((up_left + 1) * fan, count))
        rest = rest + second - first**2 / all_left
        # While the two ends are in different nodes, the right one has its own sum.
        before = nodes.sum_variances(below, up_right * fan, right)
        third, fourth = before + a_right * u_right, before + a_right**2 * u_right
        all_right = nodes.sum_variances(
            below, up_right * fan, np.minimum((up_right + 1) * fan, count)
        )
        rest = rest + np.where(met, 0.0, fourth - third**2 / all_right)
        a_left, a_right = first / all_left, np.where(met, 0.0, third / all_right)
        left, right = up_left, up_right
    top = len(nodes.widths) - 1
    ends = a_left**2 * nodes.node_variances(top, left) + np.where(
        left == right, 0.0, a_right**2 * nodes.node_variances(top, right)
    )
    return np.asarray(ends + nodes.sum_variances(top, left + 1, right) + rest)
