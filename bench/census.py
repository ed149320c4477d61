"""Ten columns of a census table, in codes: UCI Adult where its file lies beside the other data of
the bench, else a table made like it.

The file is ``adult.csv`` in ``.venv/bench-data``: a header and integer codes, as distributed with
the private-pgm repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "Census", "census"]

FILE = Path(__file__).parents[1] / ".venv" / "bench-data" / "adult.csv"
COLUMNS = {
    "age": 85, "workclass": 9, "education-num": 16, "marital-status": 7, "occupation": 15,
    "relationship": 6, "race": 5, "sex": 2, "hours-per-week": 99, "income>50K": 2,
}  # fmt: skip
ORDERED = ("age", "education-num", "hours-per-week")
ROWS = 48_842


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """Rows of codes, how many codes each column has, which columns are ordered, and where all
    that is from.
    """

    codes: NDArray[np.int64]
    sizes: tuple[int, ...]
    ordered: tuple[int, ...]
    source: str


def census(rows: int = ROWS) -> Census:
    """At most so many rows."""
    sizes, names = tuple(COLUMNS.values()), list(COLUMNS)
    ordered = tuple(names.index(name) for name in ORDERED)
    if FILE.exists():
        with FILE.open(encoding="utf-8") as file:
            header = file.readline().strip().split(",")
            codes = np.loadtxt(
                file, delimiter=",", dtype=np.int64, usecols=[header.index(name) for name in names]
            )
        return Census(codes[:rows], sizes, ordered, "UCI Adult")
    return Census(_made(rows, sizes), sizes, ordered, "a table made like UCI Adult")


def _made(rows: int, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Columns that follow two hidden numbers, each with a skew of its own; the same each time."""
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=(rows, 2))
    columns = []
    for size in sizes:
        value = hidden @ rng.normal(size=2) + rng.normal(size=rows)
        rank = np.argsort(np.argsort(value)) / rows
        columns.append(np.minimum((size * rank ** rng.uniform(1, 3)).astype(np.int64), size - 1))
    return np.stack(columns, axis=1)
