"""Data of the truth gate: shapes of values, rows per person, groups; the same on every machine."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

import hedgerow as hr
from hedgerow.engines.duckdb.dialect import DUCKDB
from truth.oracle import Group, Row, keep_groups

__all__ = ["GROUPINGS", "NAMES", "ROWS", "SHAPES", "World", "write_rank"]

Draw = Callable[[np.random.Generator, int], Any]


def _skew(random: np.random.Generator, size: int) -> Any:
    """Return many small values and a few beyond the bound, which are clamped."""
    return np.minimum(np.floor(random.pareto(0.9, size) * 2), 5_000).astype(np.int64)


# Bounds and values: as far as possible such that scaling by cap / rows leaves no whole numbers.
SHAPES: Mapping[str, tuple[tuple[float, float], Draw]] = {
    "0/1": ((0, 1), lambda random, size: (random.random(size) < 0.3).astype(np.int64)),
    "ratings": (
        (1, 5),
        lambda random, size: random.choice([1, 2, 3, 4, 5], size, p=[0.05, 0.1, 0.2, 0.3, 0.35]),
    ),
    "ages": ((0, 120), lambda random, size: random.integers(0, 100, size)),
    "reals": ((-2.5, 1.0), lambda random, size: 3.5 * random.beta(2, 5, size) - 2.5),
    "skewed": ((0, 1_000), _skew),
    "nulls": ((1, 5), lambda random, size: random.integers(1, 6, size)),
    "constants": ((0, 7), lambda random, size: np.full(size, 3)),
}

# People, and how many rows each of them has.
ROWS: Mapping[str, tuple[int, Draw]] = {
    "1": (300, lambda random, size: np.full(size, 1)),
    "2": (300, lambda random, size: np.full(size, 2)),
    "3": (300, lambda random, size: np.full(size, 3)),
    "7": (200, lambda random, size: np.full(size, 7)),
    "100": (40, lambda random, size: np.full(size, 100)),
    "mixed": (240, lambda random, size: random.integers(1, 13, size)),
    "one giant": (240, lambda random, size: np.append(np.full(size - 1, 2), 1_000)),
}

# Key of the question, and max_groups. People are in one group, or in up to three; "where" leaves
# out rows before any are weighed.
GROUPINGS: Mapping[str, tuple[str | None, int]] = {
    "all": (None, 1),
    "where": (None, 1),
    "declared": ("own", 1),
    "several": ("each", 3),
    "dropped": ("each", 2),
    "undeclared": ("open", 1),
}
NAMES = ("a", "b", "c")


def write_rank(*columns: str) -> str:
    """Return the engine's order of what a person has, as SQL: the one thing that it is asked
    for.
    """
    return str(DUCKDB.build_rank([exp.column(name) for name in columns]).sql(dialect="duckdb"))


@dataclass(frozen=True)
class World:
    """One table and its contribution bounds."""

    shape: str
    rows: str
    cap: int
    grouping: str

    @cached_property
    def table(self) -> pa.Table:
        """Rows in an order that tells nothing about their people."""
        seed = f"{self.shape} {self.rows}"
        random = np.random.default_rng(zlib.crc32(seed.encode()))
        people, count = ROWS[self.rows]
        uid = random.permutation(np.repeat(np.arange(people), count(random, people)))
        x = SHAPES[self.shape][1](random, len(uid)).tolist()
        if self.shape == "nulls":
            x = [
                None if missing else value
                for value, missing in zip(x, random.random(len(x)) < 0.3, strict=True)
            ]
        y = [int(random.integers(0, 9)) + (0 if value is None else int(value > 0)) for value in x]
        own = [NAMES[person % 3] for person in uid]
        each = random.choice(NAMES, len(uid)).tolist()
        return pa.table({"uid": uid, "x": x, "y": y, "own": own, "each": each, "open": own})

    @property
    def key(self) -> str | None:
        """Column that the question groups by."""
        return GROUPINGS[self.grouping][0]

    @property
    def where(self) -> str:
        """Condition of the question."""
        return " WHERE y >= 3" if self.grouping == "where" else ""

    def protect(self, relation: str, noise: str) -> Any:
        """Return the table as a protected database, with budget for every question of the gate."""
        columns = {
            "x": SHAPES[self.shape][0],
            "y": (0, 10),
            "own": list(NAMES),
            "each": list(NAMES),
        }
        return hr.protect(
            self.table,
            unit="uid",
            neighbours=relation,
            columns={**columns, "open": "text"},
            epsilon=10_000,
            delta=5e-8,
            noise=noise,
            max_groups=GROUPINGS[self.grouping][1],
            max_rows_per_group=self.cap,
        )

    @cached_property
    def groups(self) -> dict[Any, Group]:
        """Rows of each person in each group that the person keeps."""
        key = self.key
        by = "" if key is None else f", {key}"
        held = duckdb.connect()
        held.register("data", self.table)
        name = "NULL" if key is None else key
        low, high = SHAPES[self.shape][0]
        kind = "DOUBLE" if self.shape == "reals" else "BIGINT"
        # NULL stays NULL, which DuckDB's least and greatest would leave out.
        clamp = (
            f"CASE WHEN x IS NOT NULL THEN CAST(least(greatest(x, {low}), {high}) AS {kind}) END"
        )
        held.execute(f"CREATE TABLE clamped AS SELECT * REPLACE ({clamp} AS x) FROM data")
        copies = f"row_number() OVER (PARTITION BY uid{by}, x) AS copy"
        keys = ["uid"] if key is None else ["uid", key]
        ranks_of = [write_rank(*keys), write_rank(*keys, "x", "copy"), write_rank(*keys, "x")]
        rows = f"(SELECT *, {copies} FROM clamped{self.where})"
        found = held.execute(
            f"SELECT uid, {name}, x, y, {', '.join(ranks_of)} FROM {rows}"
        ).fetchall()
        people: dict[int, dict[Any, list[Row]]] = {}
        ranks: dict[tuple[int, Any], int] = {}
        for uid, group, x, y, rank, *orders in found:
            ranks[uid, group] = rank
            people.setdefault(uid, {}).setdefault(group, []).append(Row(x, y, *orders))
        names = [None] if key is None else list(NAMES)
        return keep_groups(
            people, GROUPINGS[self.grouping][1], lambda *at: ranks[at], names, self.cap
        )

    @property
    def bites(self) -> bool:
        """Whether somebody has more rows in a group than count there."""
        return any(len(rows) > self.cap for group in self.groups.values() for rows in group.people)
