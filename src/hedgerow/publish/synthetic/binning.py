"""Bins of codes for tables of two attributes, whose cells would otherwise outnumber the rows.

Codes are merged before noise is added, so that a bin has the noise of one cell. The assignment of
codes to bins follows from noisy counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.release.linear_queries import QueryMatrix

__all__ = ["bin_codes", "build_bin_sums", "build_indicator", "choose_bin_count", "sum_bins"]

_HALVINGS = 40


def choose_bin_count(total: float, spread: float) -> int:
    """Return the number of bins of an attribute, for tables whose cells have noise of this
    ``spread``.

    With g bins a side, noise puts a table off by about g^2 spread / total, and binning by a
    constant over g. The sum is least at the cube root of total / spread, up to a constant that was
    found on real tables.
    """
    return int(np.clip(round(1.6 * np.cbrt(max(total, 0.0) / max(spread, 1e-9))), 2, 64))


def bin_codes(counts: Floats, limit: int, *, ordered: bool) -> Integers:
    """Return the bin of each code: at most ``limit`` bins of about equal counts, with common codes
    alone.

    Neighbours share a bin if codes are ``ordered``; otherwise codes of about equal counts do.
    """
    if len(counts) <= limit:
        return np.arange(len(counts), dtype=np.int64)
    order = np.arange(len(counts)) if ordered else np.argsort(-counts, kind="stable")
    weights = np.maximum(counts[order], 0.0)
    if weights.sum() <= 0:
        weights = np.ones(len(counts))
    # with a quota as large as this, not even one bin is filled
    low, high = 0.0, 2 * float(weights.sum())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _fill_bins(weights, middle)[-1] >= limit else (low, middle)
    groups = np.empty(len(counts), dtype=np.int64)
    groups[order] = _fill_bins(weights, high)
    return groups


def _fill_bins(weights: Floats, quota: float) -> list[int]:
    """Fill bins in order up to about the quota; a code that reaches the quota is alone."""
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
    """Return the matrix with a row for each bin, 1 at its codes."""
    codes = np.arange(int(groups.max()) + 1)[:, None]
    return np.asarray(codes == groups[None, :], dtype=np.int64)


def build_bin_sums(groups: Integers) -> QueryMatrix:
    """Return the factor that measures the counts of bins."""
    return QueryMatrix(build_indicator(groups))


def sum_bins(values: Any, groups: Integers) -> Floats:
    return np.asarray(np.bincount(groups, weights=values), dtype=np.float64)
