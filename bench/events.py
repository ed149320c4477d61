"""Events of many people, the same each time: a table (user_id, grp, value) of any size, kept as a
Parquet file once it was made.

A tenth as many people as rows, of lognormal activity, so that heavy users exist; 1,000 groups that
thin out like 1/rank^1.07, and a favourite group for everybody, which gets 60 % of their rows;
values in [0, 100], of another shape in every group.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute, parquet

__all__ = ["GROUPS", "LARGEST", "columns", "events", "groups_spelled"]

FOLDER = Path(__file__).parents[1] / ".venv" / "bench-data"
GROUPS, LARGEST = 1_000, 100
FAVOURITE = 0.6
PERSON, GROUP = "person ", "group "
MAKING = 1  # the next number when the recipe changes: files of the old one are not used any more


def columns(rows: int) -> dict[str, NDArray[np.int64] | NDArray[np.int32] | NDArray[np.float64]]:
    """The three columns."""
    rng = np.random.default_rng(rows)
    people = max(rows // 10, 1)
    activity, popularity = rng.lognormal(0, 1, people), 1 / np.arange(1, GROUPS + 1) ** 1.07
    popularity /= popularity.sum()
    user = rng.choice(people, rows, p=activity / activity.sum())
    favourite = rng.choice(GROUPS, people, p=popularity)
    group = np.where(
        rng.random(rows) < FAVOURITE, favourite[user], rng.choice(GROUPS, rows, p=popularity)
    )
    first, second = rng.uniform(1, 5, (2, GROUPS))
    value = np.clip(LARGEST * rng.beta(first[group], second[group]), 0, LARGEST)
    return {"user_id": user.astype(np.int64), "grp": group.astype(np.int32) + 1, "value": value}


def events(rows: int, *, text: bool = False) -> Path:
    """The file with so many rows, made when it is not there; ``text``: with people and groups as
    text.
    """
    path = FOLDER / f"events-{MAKING}-{rows}{'-text' * text}.parquet"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        half_made = path.with_suffix(f".{os.getpid()}")
        table = pa.table(columns(rows))
        parquet.write_table(_spelled(table) if text else table, half_made, row_group_size=500_000)
        half_made.replace(path)
    return path


def groups_spelled() -> list[str]:
    """All groups as text."""
    return [f"{GROUP}{number}" for number in range(1, GROUPS + 1)]


def _spelled(table: pa.Table) -> pa.Table:
    for name, before in (("user_id", PERSON), ("grp", GROUP)):
        spelled = compute.binary_join_element_wise(before, table[name].cast(pa.string()), "")
        table = table.set_column(table.column_names.index(name), name, spelled)
    return table
