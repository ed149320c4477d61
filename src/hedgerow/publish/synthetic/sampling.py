"""Rows that agree with a model: attribute by attribute, each given all before it.

The first attribute appears as often as its counts say. For the next one, every row so far gets
weights for its bins which, added up over rows, give the model's table with each earlier attribute.
They are found by raking: the weights change in proportion until one table is right, then the next,
and round again. This is the least change from independence. The weights are rounded to integers by
evenly spaced points, which leaves hardly any row to chance: independently drawn rows would be as
far off as a second survey.

Nothing here is random, and nothing here sees the exact table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.publish.synthetic.model import SyntheticModel

__all__ = ["generate_rows", "order_attributes"]

_SWEEPS: Final = 8
_TOLERANCE: Final = 1e-3  # share of misplaced rows at which raking stops
_MIN_FACTOR: Final = 1e-3  # the most a weight falls at once, so that none is lost for good
_MAX_DISTINCT_ROWS: Final = 2_000_000  # further rows repeat these


def generate_rows(model: SyntheticModel, count: int) -> Integers:
    """Return ``count`` rows of codes, a column for each attribute."""
    if count <= 0:
        return np.zeros((0, len(model.counts)), dtype=np.int64)
    if count > _MAX_DISTINCT_ROWS:
        base = generate_rows(model, _MAX_DISTINCT_ROWS)
        return base[np.arange(count, dtype=np.int64) * _MAX_DISTINCT_ROWS // count]
    coarse = _generate_bins(model, count)
    return np.stack(
        [_fill_codes(coarse[:, place], model, place) for place in range(len(model.counts))], axis=1
    )


def order_attributes(dependence: Floats) -> list[int]:
    """Return the attributes in the order of generation: the most dependent one first, then always
    the one most tied to those before.
    """
    order = [int(dependence.sum(axis=0).argmax())]
    tied = dependence[order[0]].copy()
    while len(order) < len(dependence):
        tied[order] = -1.0
        order.append(int(tied.argmax()))
        tied = tied + dependence[order[-1]]
    return order


def _generate_bins(model: SyntheticModel, count: int) -> Integers:
    dependence = model.dependence()
    order = order_attributes(dependence)
    prefixes, counts = np.zeros((1, 0), dtype=np.int64), np.array([count], dtype=np.int64)
    for place in order:
        before = order[: prefixes.shape[1]]
        partners = [at for at, other in enumerate(before) if dependence[place, other] > 0]
        tables = [model.table(before[at], place) * (count / model.total) for at in partners]
        weights = _rake_weights(prefixes[:, partners], counts, model.count_bins(place), tables)
        prefixes, counts = _extend_prefixes(prefixes, counts, weights, _choose_rotation(place))
    rows = np.repeat(prefixes, counts, axis=0)
    found = np.empty_like(rows)
    found[:, order] = rows
    return found


def _rake_weights(
    prefixes: Integers, counts: Integers, single: Floats, tables: Sequence[Floats]
) -> Floats:
    """Return for each prefix the number of its rows in each bin of the next attribute, before
    rounding.
    """
    share = np.maximum(single, 1e-9)
    weights = counts[:, None] * (share / share.sum())[None, :]
    count, places = float(counts.sum()), np.arange(len(counts))
    selectors = [
        csr_array(
            (np.ones(len(counts)), (prefixes[:, at], places)), shape=(len(table), len(counts))
        )
        for at, table in enumerate(tables)
    ]
    for _ in range(_SWEEPS if tables else 0):
        off = 0.0
        for at, table in enumerate(tables):
            found = selectors[at] @ weights
            off = max(off, float(np.abs(found - table).sum()) / 2)
            weights *= np.take(
                np.maximum(table / np.maximum(found, 1e-12), _MIN_FACTOR), prefixes[:, at], axis=0
            )
        sums = weights.sum(axis=1)
        weights *= (counts / np.maximum(sums, 1e-300))[:, None]
        if off <= _TOLERANCE * count:
            break
    return np.asarray(weights, dtype=np.float64)


def _extend_prefixes(
    prefixes: Integers, counts: Integers, weights: Floats, turn: float
) -> tuple[Integers, Integers]:
    """Extend the prefixes by one attribute in integers: the rows of a prefix are evenly spaced
    points under its weights.

    Each prefix begins at another fraction, a multiple of an irrational number, so that prefixes
    with one row each are even as well.
    """
    groups = weights.shape[1]
    lines = np.cumsum(weights, axis=1) / np.maximum(weights.sum(axis=1), 1e-300)[:, None]
    lines[:, -1] = 1.0
    lines += np.arange(len(counts))[:, None]
    owners = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    points = (within + _list_fractions(len(counts), turn)[owners]) / counts[owners]
    at = np.searchsorted(lines.ravel(), owners + points, side="right")
    keys, occurrences = np.unique(
        owners * groups + np.clip(at - owners * groups, 0, groups - 1), return_counts=True
    )
    return np.concatenate([prefixes[keys // groups], (keys % groups)[:, None]], axis=1), occurrences


def _fill_codes(column: Integers, model: SyntheticModel, place: int) -> Integers:
    """Replace bins by codes, in the proportions of the codes within a bin."""
    groups, counts = model.bins[place], model.counts[place]
    sizes = np.bincount(groups)
    if len(sizes) == len(groups):
        return np.argsort(groups)[column]
    sums = np.bincount(groups, weights=counts)
    part = np.where(sums[groups] > 0, counts / np.maximum(sums[groups], 1e-300), 1 / sizes[groups])
    codes = np.argsort(groups, kind="stable")
    ends = np.cumsum(part[codes])  # every bin has a stretch of length 1
    order = np.argsort(column, kind="stable")
    points = np.empty(len(column))
    points[order] = _list_fractions(len(column), _choose_rotation(place))
    starts = np.cumsum(sizes) - sizes
    at = np.searchsorted(ends, column + points, side="right")
    return codes[np.clip(at, starts[column], starts[column] + sizes[column] - 1)]


def _list_fractions(count: int, turn: float) -> Floats:
    return np.asarray((np.arange(1, count + 1) * turn) % 1.0, dtype=np.float64)


def _choose_rotation(place: int) -> float:
    """Return an irrational number for each attribute: the fractional part of the root of a
    non-square.
    """
    root = 2 + place + round(np.sqrt(2 + place))  # the non-squares, from 3 on
    return float(np.sqrt(root) % 1.0)
