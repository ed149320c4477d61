"""The least rms error that any factorisation of all prefix sums can have, from below and above;
nothing here uses the code under test.

Over all factorisations A = B C with columns of C at most 1 long, the least |B|_F^2 is that of
tr(A^T A X^-1) over X = C^T C with a diagonal of at most 1. For every v >= 0, tr((V^(1/2) A^T A
V^(1/2))^(1/2))^2/sum v is a lower bound (duality), and v <- diag of that root makes it rise to the
minimum (Denisov, McMahan, Rush, Smith, Thakurta, 2022).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

# n = 4,096, four rounds of the same (five minutes): between 3.38851 and 3.39105.
AT_4096 = (3.38850, 3.39106)


@lru_cache(maxsize=8)
def least_rms(n: int, rounds: int = 8) -> tuple[float, float]:
    """A lower bound, and what an actual factorisation has."""
    triangle = np.tril(np.ones((n, n)))
    gram, v = triangle.T @ triangle, np.ones(n)
    low, high = 0.0, np.inf
    for _ in range(rounds):
        s = np.sqrt(v)
        values, vectors = np.linalg.eigh(s[:, None] * gram * s)
        values = np.sqrt(np.maximum(values, 0))
        low = max(low, float(values.sum() / np.sqrt(v.sum() * n)))
        root = (vectors * values) @ vectors.T
        norms = np.sqrt(np.diag(root)) / s
        inverse = s[:, None] * ((vectors / values) @ vectors.T) * s
        high = min(high, float(np.sqrt((gram * (norms[:, None] * inverse * norms)).sum() / n)))
        v = np.diag(root).copy()
    return low, high
