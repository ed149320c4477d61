"""Reports without chance: as many say each thing as are expected to, so that nothing stands out
but what is there.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, Rappor


def answers(scheme: KAry, values: np.ndarray) -> np.ndarray:
    """Counters of clients who hold these values."""
    held = np.bincount(values, minlength=scheme.domain)
    own, other = float(scheme.own_support), float(scheme.other_support)
    ends = np.rint(np.cumsum(other * values.size + (own - other) * held))
    return np.append(np.diff(ends, prepend=0.0), values.size).astype(np.int64)


def reports(metric: Metric, held: Mapping[str, int]) -> np.ndarray:
    """Records of clients of whom so many hold each text, dealt out evenly over the cohorts."""
    scheme = metric.scheme
    assert isinstance(scheme, Rappor)
    counts = np.array(list(held.values()))
    assert not (counts % scheme.m).any()
    have = (
        Candidates.of(scheme.hash_values(list(held), metric.permanent_hash), scheme.k)
        .spread_shares(counts / scheme.m)
        .reshape(scheme.m, scheme.k)
    )
    size, (low, high) = int(counts.sum()) // scheme.m, map(float, scheme.report_probabilities)
    ones = np.rint(low * size + (high - low) * have)
    rows = []
    for cohort in range(scheme.m):
        filters = np.packbits(np.arange(size)[:, None] < ones[cohort], axis=1)
        rows.append(
            np.hstack(
                [np.tile(np.array([cohort >> 8, cohort & 255], np.uint8), (size, 1)), filters]
            )
        )
    return np.vstack(rows)
