"""Groups of codes: a table of two attributes with a hundred codes each has more cells than there
are rows, and its noise drowns it.

Codes are merged before noise is added, so that a group has the noise of one cell. Which codes share
a group follows from noisy counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.plan.contingency_table import Integers
from hedgerow.publish.strategies.strategy import Floats
from hedgerow.release.linear_queries import QueryMatrix

__all__ = ["bin_codes", "build_bin_sums", "build_indicator", "choose_bin_count", "sum_bins"]

_HALVINGS = 40


def choose_bin_count(total: float, spread: float) -> int:
    """How many groups an attribute gets, for tables whose cells have noise of this ``spread``.

    With g groups a side, noise puts a table off by about g^2 spread / total, and what groups hide
    by a constant over g: the sum is least at the cube root of total / spread, up to a constant,
    which was found on real tables.
    """
    return int(np.clip(round(1.6 * np.cbrt(max(total, 0.0) / max(spread, 1e-9))), 2, 64))


def bin_codes(counts: Floats, most: int, *, ordered: bool) -> Integers:
    """For each code the number of its group: at most ``most`` groups of about equal counts, and
    common codes alone.

    Neighbours share a group where codes are ``ordered``; else codes of about equal counts do.
    """
    if len(counts) <= most:
        return np.arange(len(counts), dtype=np.int64)
    order = np.arange(len(counts)) if ordered else np.argsort(-counts, kind="stable")
    weights = np.maximum(counts[order], 0.0)
    if weights.sum() <= 0:
        weights = np.ones(len(counts))
    # of a quota as large as this, one group is not filled
    low, high = 0.0, 2 * float(weights.sum())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _fill_bins(weights, middle)[-1] >= most else (low, middle)
    groups = np.empty(len(counts), dtype=np.int64)
    groups[order] = _fill_bins(weights, high)
    return groups


def _fill_bins(weights: Floats, quota: float) -> list[int]:
    """Groups in order, each filled up to about the quota; what has the quota by itself is alone."""
    groups, held, alone = [0], float(weights[0]), bool(weights[0] >= quota)
    for weight in weights[1:].tolist():
        if alone or weight >= quota or held + weight / 2 > quota:
            groups.append(groups[-1] + 1)
            held, alone = weight, weight >= quota
        else:
            groups.append(groups[-1])
            held += weight
    return groups


def build_indicator(groups: Integers) -> Integers:
    """The matrix with a row for each group, 1 at its codes."""
    matrix: Integers = (np.arange(int(groups.max()) + 1)[:, None] == groups[None, :]).astype(
        np.int64
    )
    return matrix


def build_bin_sums(groups: Integers) -> QueryMatrix:
    """What measures the counts of groups."""
    return QueryMatrix(build_indicator(groups))


def sum_bins(values: Any, groups: Integers) -> Floats:
    """The sums of values over groups."""
    sums: Floats = np.bincount(groups, weights=np.asarray(values, dtype=np.float64)).astype(
        np.float64
    )
    return sums
