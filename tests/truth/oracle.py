"""Exact meaning of an aggregate under contribution bounds, in fractions.

Written from docs/sql.md and docs/decisions/0006 alone. A person with c rows in a group (NULL or
not, filtered or not, after WHERE) has each of them counted min(1, m/c), m being max_rows_per_group:

    COUNT(*)   sum of the weights                     COUNT(x)   of rows where x is not NULL
    SUM(x)     sum of weight times value              AVG(x)     SUM(x) / COUNT(x)
    VAR, COVAR, CORR   of the distribution in which each row has its weight
    REGR(x, y)         of the line of x on y through that distribution; REGR_COUNT is its weight
    SKEWNESS, KURTOSIS of that distribution, corrected for a sample of as many rows as weigh in it

Values are clamped and rounded to the grid of the question first. FILTER drops the value of a row,
not its weight. Order statistics look at m of a person's values and COUNT(DISTINCT x) at m of the
different ones, the first by the engine's hash (copies of a value are numbered for it). Nothing here
rounds, truncates or draws: an engine that does is judged by it.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = [
    "Grid",
    "Group",
    "Row",
    "find_meaning",
    "find_sample",
    "keep_groups",
    "measure_rank_error",
]


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the question reads it.

    ``rank`` orders the rows of a person for a choice of values, and ``kind`` its different values.
    """

    x: float | None
    y: float | None = None
    rank: int = 0
    kind: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of each person in one group, and how many rows of a person count there."""

    people: Sequence[Sequence[Row]]
    cap: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Clamp and step of a column: values are ``low`` to ``high`` steps."""

    step: Fraction
    low: int
    high: int

    def place(self, value: float) -> int:
        """Return the value in steps, rounded half away from zero and clamped."""
        exact = Fraction(value) / self.step
        nearest = math.floor(abs(exact) + Fraction(1, 2)) * (1 if exact >= 0 else -1)
        return min(max(nearest, self.low), self.high)


WHOLE = Grid(Fraction(1), -(2**62), 2**62)


def _passes(row: Row) -> bool:
    """Return whether the FILTER of the gate, y >= 5, holds for a row."""
    return row.y is not None and row.y >= 5


def find_meaning(
    function: str, group: Group, grids: Sequence[Grid], *, filtered: bool = False
) -> Fraction | float | None:
    """Return the exact value of an aggregate; only roots are rounded, once. None is no value."""
    kept = _passes if filtered else _every
    match function:
        case "COUNT(*)":
            return _weigh(group, lambda row: (int(kept(row)),))[0]
        case "COUNT(x)":
            return _weigh(group, lambda row: (int(kept(row) and row.x is not None),))[0]
        case "COUNT(DISTINCT uid)":
            return Fraction(len(group.people))
        case "COUNT(DISTINCT x)":
            return Fraction(
                len({x for rows in group.people for x in _first_different(rows, group.cap)})
            )
        case "SUM(DISTINCT x)":
            values = {x for rows in group.people for x in _first_different(rows, group.cap)}
            return sum({grids[0].place(x) for x in values}) * grids[0].step
        case "REGR_COUNT":
            return _weigh(group, lambda row: (int(kept(row) and None not in (row.x, row.y)),))[0]
        case "SKEWNESS" | "KURTOSIS":
            return _find_shape(function, group, grids[0])
        case "SUM":
            return _moments(group, grids, kept)[1] * grids[0].step
        case _:
            return _find_ratio(function, _moments(group, grids, kept), grids)


def _every(row: Row) -> bool:
    return True


def _weigh(group: Group, score: Callable[[Row], Sequence[int]]) -> list[Fraction]:
    """Return weighted sums; whole numbers are added up first for each number of rows."""
    sums: dict[int, list[int]] = {}
    for rows in group.people:
        scores = [sum(column) for column in zip(*map(score, rows), strict=True)]
        held = sums.setdefault(len(rows), [0] * len(scores))
        sums[len(rows)] = [one + more for one, more in zip(held, scores, strict=True)]
    weighted = [
        [min(Fraction(1), Fraction(group.cap, count)) * number for number in numbers]
        for count, numbers in sums.items()
    ]
    return [sum(column, Fraction(0)) for column in zip(*weighted, strict=True)] or [Fraction(0)] * 6


def _moments(group: Group, grids: Sequence[Grid], kept: Callable[[Row], bool]) -> list[Fraction]:
    """Return the weights of n, x, xx, y, yy, xy in steps, over rows where all columns are there."""
    first, second = grids[0], grids[1] if len(grids) > 1 else None

    def score(row: Row) -> Sequence[int]:
        if row.x is None or not kept(row) or (second is not None and row.y is None):
            return (0,) * 6
        x = first.place(row.x)
        y = 0 if second is None or row.y is None else second.place(row.y)
        return (1, x, x * x, y, y * y, x * y)

    return _weigh(group, score)


def _find_ratio(
    function: str, moments: Sequence[Fraction], grids: Sequence[Grid]
) -> Fraction | float | None:
    n, x, xx, y, yy, xy = moments
    if n == 0 or (function.endswith(("SAMP", "STDDEV")) and n <= 1):
        return None
    sample = n / (n - 1) if function.endswith(("SAMP", "STDDEV")) else Fraction(1)
    variance = (xx / n - (x / n) ** 2) * sample
    together = (xy / n - (x / n) * (y / n)) * sample
    match function:
        case "AVG":
            return x / n * grids[0].step
        case "VAR_POP" | "VAR_SAMP":
            return variance * grids[0].step ** 2
        case "STDDEV_POP" | "STDDEV":
            return math.sqrt(variance) * float(grids[0].step)
        case "COVAR_POP" | "COVAR_SAMP":
            return together * grids[0].step * grids[1].step
        case "CORR":
            spread = variance * (yy / n - (y / n) ** 2)
            return None if spread == 0 else float(together) / math.sqrt(spread)
        case "REGR_SLOPE" | "REGR_R2":
            across = yy / n - (y / n) ** 2
            if across == 0:
                return None
            if function == "REGR_R2":
                return together**2 / (across * variance) if variance else Fraction(1)
            return together / across * grids[0].step / grids[1].step
    raise ValueError(function)


def _find_shape(function: str, group: Group, grid: Grid) -> Fraction | float | None:
    def score(row: Row) -> Sequence[int]:
        if row.x is None:
            return (0,) * 5
        return tuple(grid.place(row.x) ** power for power in range(5))

    n, *sums = _weigh(group, score)[:5]
    if n <= (2 if function == "SKEWNESS" else 3):
        return None
    e1, e2, e3, e4 = (one / n for one in sums)
    spread = e2 - e1**2
    if spread == 0:
        return None
    if function == "SKEWNESS":
        third = e3 - 3 * e1 * e2 + 2 * e1**3
        return math.sqrt(n * (n - 1)) / float(n - 2) * float(third) / float(spread) ** 1.5
    ratio = (e4 - 4 * e1 * e3 + 6 * e1**2 * e2 - 3 * e1**4) / spread**2
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * ratio - 3 * (n - 1))


def _first_different(rows: Sequence[Row], cap: int) -> list[float]:
    values = {(row.kind, row.x) for row in rows if row.x is not None}
    return [x for _, x in sorted(values)[:cap]]


def find_sample(group: Group, grid: Grid) -> list[int]:
    """Return the sorted values, in steps, of the rows that count: ``cap`` of each person."""
    chosen: list[int] = []
    for rows in group.people:
        values = sorted((row.rank, row.x) for row in rows if row.x is not None)
        chosen += [grid.place(x) for _, x in values[: group.cap]]
    return sorted(chosen)


def measure_rank_error(
    function: str, share: Fraction, sample: Sequence[int], chosen: int
) -> Fraction:
    """Return how many values of a sorted sample lie between the chosen one and the exact one.

    For a mode: how many rows rarer the chosen value is.
    """
    if function == "MODE":
        counts = Counter(sample)
        return Fraction(max(counts.values()) - counts[chosen])
    below, upto = bisect.bisect_left(sample, chosen), bisect.bisect_right(sample, chosen)
    target = share * len(sample)
    return max(Fraction(0), below - target, target - upto)


def keep_groups(
    people: Mapping[Any, Mapping[Any, list[Row]]],
    most: int,
    rank: Callable[[Any, Any], int],
    names: Iterable[Any],
    cap: int,
) -> dict[Any, Group]:
    """Return each group with those who keep it: the first ``most`` of theirs by (rank, name)."""
    kept: dict[Any, list[Sequence[Row]]] = {name: [] for name in names}
    for person, groups in people.items():
        for name in sorted(groups, key=lambda name: (rank(person, name), name))[:most]:
            kept[name].append(groups[name])
    return {name: Group(rows, cap) for name, rows in kept.items()}
