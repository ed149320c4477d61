"""From what a statement returns to cells: in the order of the domain with zeros where nothing
was, or as they come.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.engines.data_source import Cells
from hedgerow.engines.process.statement import Statement
from hedgerow.engines.result_columns import ResultColumns, convert_result
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Value

__all__ = ["CompiledPlan", "ResultColumns", "Statement", "collect_cells", "convert_result"]

KeyDomain = tuple[tuple[Value, ...], ...] | None


@dataclass(frozen=True, slots=True)
class CompiledPlan:
    """The statements of a plan: ``main`` has the sums, in the order of the measures; ``others``
    have, by the place of the measure, the number of different values, or for a pick each value with
    how often it is there, or for combinations their words and how often."""

    sums: Statement | None
    by_measure: Mapping[int, Statement]


def collect_cells(
    plan: Aggregate, compiled: CompiledPlan, answer: Callable[[Statement], ResultColumns]
) -> Cells:
    """The cells of a plan, in the order of its domain, empty where nothing was; without a
    domain, those that the sums have.
    """
    domain = plan.source.domain
    main = None if compiled.sums is None else answer(compiled.sums)
    keys = (
        [list(column) for column in zip(*itertools.product(*domain), strict=True)]
        if domain is not None
        else main[0]
        if main
        else []
    )
    size = math.prod(map(len, domain)) if domain is not None else len(main[1][0]) if main else 1
    index = _CellIndex(keys, size, domain)
    sums = iter([] if main is None else [index.scatter(main[0], column) for column in main[1]])
    numbers: list[npt.NDArray[Any]] = []
    for place, measure in enumerate(plan.measures):
        if place not in compiled.by_measure:
            numbers.extend(itertools.islice(sums, measure.width))
            continue
        found, counts = answer(compiled.by_measure[place])
        if isinstance(measure, Contingency):
            numbers.append(_build_contingency_cell(measure, counts))
        elif isinstance(measure, OrderStatistic):
            numbers.append(_build_samples(measure, found, counts, len(plan.bound.keys), index))
        else:
            numbers.append(index.scatter(found, counts[0]))
    return Cells(tuple(keys), tuple(numbers))


@dataclass(frozen=True, slots=True)
class _CellIndex:
    """Where each group is among the cells."""

    keys: Sequence[Sequence[Value]]
    size: int
    domain: KeyDomain

    def scatter(
        self, keys: Sequence[Sequence[Value]], column: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """A column of some groups as one of all cells, with 0 for the others. Keys outside the
        domain never come out.
        """
        full = np.zeros(self.size, dtype=column.dtype)
        places, kept = self.locate(keys, len(column))
        full[places] = column[kept]
        return full

    def locate(
        self, keys: Sequence[Sequence[Value]], count: int
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """For each group its place, and which groups have one."""
        if self.domain is not None:
            return _locate_in_domain(keys, self.domain, count)
        if not keys:
            return np.arange(min(count, self.size)), np.arange(count) < self.size
        known = {key: place for place, key in enumerate(zip(*self.keys, strict=True))}
        found = np.fromiter(
            (known.get(key, -1) for key in zip(*keys, strict=True)), dtype=np.int64, count=count
        )
        return found[found >= 0], found >= 0


def _build_samples(
    pick: OrderStatistic,
    found: Sequence[Sequence[Value]],
    counts: Sequence[npt.NDArray[Any]],
    keys: int,
    index: _CellIndex,
) -> npt.NDArray[Any]:
    """The sorted sample of each cell, from lines of (group, value, how often) that are sorted by
    group.
    """
    samples = np.empty(index.size, dtype=object)
    samples[:] = [np.empty(0, dtype=np.int64) for _ in range(index.size)]
    if pick.values is not None:  # the last of the keys is the value
        listed = {value: place for place, value in enumerate(pick.values)}
        steps, times = (
            np.fromiter(
                (listed[value] for value in found[keys]), dtype=np.int64, count=len(found[keys])
            ),
            counts[0],
        )
    else:
        steps, times = counts
    starts = _find_group_starts(found[:keys], len(steps))
    places, kept = index.locate(
        [[column[start] for start in starts[:-1]] for column in found[:keys]], len(starts) - 1
    )
    for place, run in zip(places, np.flatnonzero(kept), strict=True):
        start, end = starts[run], starts[run + 1]
        # of the different values, which are fewer than all
        order = start + np.argsort(steps[start:end])
        samples[place] = np.repeat(steps[order], times[order])
    return samples


def _build_contingency_cell(
    cross: Contingency, columns: Sequence[npt.NDArray[Any]]
) -> npt.NDArray[Any]:
    """The one cell of combinations, from lines of (words, how often)."""
    found = np.empty(1, dtype=object)
    found[0] = ContingencyTable(cross.sizes, tuple(columns[:-1]), columns[-1])
    return found


def _find_group_starts(keys: Sequence[Sequence[Value]], count: int) -> list[int]:
    """Where a new group begins, and the end."""
    if count == 0:
        return [0]
    changes = np.zeros(count - 1, dtype=bool)
    for column in keys:
        values = np.empty(count, dtype=object)
        values[:] = column
        changes |= values[1:] != values[:-1]
    return [0, *(np.flatnonzero(changes) + 1).tolist(), count]


def _locate_in_domain(
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
