"""A small private table and its total."""

from __future__ import annotations

import numpy as np

from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import (
    PrivateTable,
)

TABLE = ContingencyTable.from_codes([[0, 1]] * 300 + [[1, 0]] * 500 + [[2, 1]] * 200, (3, 2))


EACH = QueryBlock(((0, BinSums(3)),))


def purse(total: Loss, relation: str = "add-remove", rows: int = 1, group: int = 1) -> PrivateTable:
    return PrivateTable(TABLE, total, rows=rows, relation=relation, group=group)


def worst_split(law: Laplace | Gaussian, least: int, rows: int, cut: int | None = None) -> float:
    """By brute force over all ways to spread rows over lone combinations: how likely some is
    told, at most.
    """
    reach = np.arange(-3000, 3001) if cut is None else np.arange(-cut, cut + 1)
    mass = np.exp(np.asarray(law.log_prob(reach, np.zeros_like(reach)), dtype=float))
    mass /= mass.sum()

    def told(count: int) -> float:
        return float(mass[reach >= least - count].sum())

    best = [0.0] * (rows + 1)
    for many in range(1, rows + 1):
        best[many] = max(told(part) + best[many - part] for part in range(1, many + 1))
    return best[rows]
