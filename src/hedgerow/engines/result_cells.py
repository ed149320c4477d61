"""Cells of a plan from the results of its statements: in the order of the domain with zeros for
empty groups, or as they come.
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
from hedgerow.engines.result_columns import ResultColumns
from hedgerow.engines.statement import Statement
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Value

__all__ = ["CompiledPlan", "collect_cells"]

KeyDomain = tuple[tuple[Value, ...], ...] | None


@dataclass(frozen=True, slots=True)
class CompiledPlan:
    """The statements of a plan.

    ``sums`` returns all sums, in the order of the measures. ``by_measure`` has, by the position of
    the measure, the statement of its distinct count, of its sample, or of its contingency table.
    """

    sums: Statement | None
    by_measure: Mapping[int, Statement]


def collect_cells(
    plan: Aggregate, compiled: CompiledPlan, answer: Callable[[Statement], ResultColumns]
) -> Cells:
    """Collect the cells of a plan, in the order of its domain; without a domain, the groups of the
    sums.
    """
    domain = plan.source.domain
    main = None if compiled.sums is None else answer(compiled.sums)
    if domain is not None:
        keys = [list(column) for column in zip(*itertools.product(*domain), strict=True)]
        size = math.prod(map(len, domain))
    else:
        keys, size = (main[0], len(main[1][0])) if main else ([], 1)
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
    keys: Sequence[Sequence[Value]]
    size: int
    domain: KeyDomain

    def scatter(
        self, keys: Sequence[Sequence[Value]], column: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Spread the numbers of some groups over all cells, 0 elsewhere; groups outside the domain
        are dropped.
        """
        full = np.zeros(self.size, dtype=column.dtype)
        places, kept = self.locate(keys, len(column))
        full[places] = column[kept]
        return full

    def locate(
        self, keys: Sequence[Sequence[Value]], count: int
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the positions of the groups that have one, and which groups these are."""
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
    statistic: OrderStatistic,
    found: Sequence[Sequence[Value]],
    counts: Sequence[npt.NDArray[Any]],
    keys: int,
    index: _CellIndex,
) -> npt.NDArray[Any]:
    """Build the sorted sample of each cell from lines of (group, value, frequency), sorted by
    group.
    """
    samples = np.empty(index.size, dtype=object)
    samples[:] = [np.empty(0, dtype=np.int64) for _ in range(index.size)]
    if statistic.values is not None:  # the value is the last key
        listed = {value: place for place, value in enumerate(statistic.values)}
        values, times = found[keys], counts[0]
        steps = np.fromiter((listed[value] for value in values), dtype=np.int64, count=len(values))
    else:
        steps, times = counts
    starts = _find_group_starts(found[:keys], len(steps))
    places, kept = index.locate(
        [[column[start] for start in starts[:-1]] for column in found[:keys]], len(starts) - 1
    )
    for place, run in zip(places, np.flatnonzero(kept), strict=True):
        start, end = starts[run], starts[run + 1]
        # sorts the distinct values, which are fewer
        order = start + np.argsort(steps[start:end])
        samples[place] = np.repeat(steps[order], times[order])
    return samples


def _build_contingency_cell(
    contingency: Contingency, columns: Sequence[npt.NDArray[Any]]
) -> npt.NDArray[Any]:
    cell = np.empty(1, dtype=object)
    cell[0] = ContingencyTable(contingency.sizes, tuple(columns[:-1]), columns[-1])
    return cell


def _find_group_starts(keys: Sequence[Sequence[Value]], count: int) -> list[int]:
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
    places = np.zeros(count, dtype=np.int64)
    inside = np.ones(count, dtype=bool)
    for column, values in zip(keys, domain, strict=True):
        index = {value: place for place, value in enumerate(values)}
        own = np.fromiter((index.get(value, -1) for value in column), dtype=np.int64, count=count)
        inside &= own >= 0
        places = places * len(values) + own
    return places[inside], inside
