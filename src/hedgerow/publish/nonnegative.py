"""Clean counts: noisy counts made non-negative with a given total, as post-processing at no cost.

**Statement.** ``project_nonnegative(counts, total)`` is the point nearest to the counts, in the sum
of squares, among all points that are non-negative and have this total. It is no farther from the
exact counts than the noisy ones are, if the exact ones have that total.

**Proof.** It is max(c - t, 0) for the one t with that total: the conditions of Karush, Kuhn and
Tucker for the convex program min |x - c|^2 say x = c - t where x > 0 and c <= t elsewhere. With the
counts sorted in descending order, t = (sum of the first k - total)/k for the largest k whose k-th
count is above that. A projection on a convex set brings no point of that set farther away.

Clean counts are biased: zeros are raised, and the others are lowered to make up for it. Sums over
many cells are better taken of the published noisy counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument

__all__ = ["project_nonnegative"]


def project_nonnegative(counts: Any, total: float | None = None) -> npt.NDArray[np.float64]:
    """Return the nearest non-negative counts with the given total; by default that of the counts,
    or 0 if it is negative.
    """
    given = np.asarray(counts, dtype=np.float64)
    if not given.size or not np.isfinite(given).all():
        raise InvalidArgument("counts", "must be finite numbers, at least one", given.size)
    whole = max(float(given.sum()), 0.0) if total is None else float(total)
    if not 0 <= whole < np.inf:
        raise InvalidArgument("total", "must be a finite number of at least 0", total)
    # A count more than the total below the largest becomes 0. Where zeros are many, few counts are
    # left to sort.
    floor = float(given.max()) - whole
    able = np.sort(given[given >= floor], axis=None)[::-1]
    levels = (np.cumsum(able) - whole) / np.arange(1, able.size + 1)
    level = levels[np.count_nonzero(able > levels) - 1] if whole > 0 else float(able[0])
    return np.maximum(given - level, 0.0)
