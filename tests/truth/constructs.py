"""Constructs of questions in the truth gate: they change how rows are said to belong together, or
how a value is read, and nothing about what an answer means.

    composite   people are named by two columns
    step        the key is a real number on a declared grid
    hour        the key is the hour of a timestamp
    reading     lengths of texts with a declared limit, hours and minutes of timestamps
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any

import pyarrow as pa

import hedgerow as hr
from truth.grid import RELATIONS, SETTINGS, Cell
from truth.oracle import Group
from truth.worlds import GROUPINGS, NAMES, SHAPES, World

__all__ = ["CONSTRUCTS", "ConstructWorld", "list_construct_cells"]

START = datetime(2026, 5, 1, 0, 30)
MAX_LENGTH = 7  # of texts with up to nine characters
_PLAIN = (("rows",), ("total",), ("mean",), ("rows", "total", "mean", "deviation"), ("slope",))
_READINGS = (("length",), ("mean_length",), ("hour",), ("minutes",), ("length", "mean_length"))
# The questions, and the key as SQL.
CONSTRUCTS: Mapping[str, tuple[tuple[tuple[str, ...], ...], str]] = {
    "composite": (_PLAIN, "own"),
    "step": (_PLAIN, "step"),
    "hour": (_PLAIN, "DATE_TRUNC('hour', open_at)"),
    "reading": (_READINGS, "own"),
}


@dataclass(frozen=True)
class ConstructWorld(World):
    """A world with a construct; each person is in one group."""

    construct: str = "composite"

    @cached_property
    def table(self) -> pa.Table:
        """Rows with the columns of all constructs."""
        table = World.table.func(self)
        rows = table.to_pylist()
        places = [NAMES.index(row["own"]) for row in rows]
        columns = {
            "house": [row["uid"] // 7 for row in rows],
            "flat": [f"no {row['uid'] % 7}" for row in rows],
            "step": [0.25 * (1 + place) for place in places],
            "open_at": [START + timedelta(hours=place, minutes=place) for place in places],
            "word": ["ä" * row["y"] for row in rows],
            "moment": [START + timedelta(hours=row["y"]) for row in rows],
        }
        for name, values in columns.items():
            table = table.append_column(name, pa.array(values))
        return table

    @property
    def key(self) -> str | None:
        return CONSTRUCTS[self.construct][1]

    @cached_property
    def groups(self) -> dict[Any, Group]:
        """The groups of the names, under the keys that the engine has for them."""
        groups = World.groups.func(World(self.shape, self.rows, self.cap, self.grouping))
        return {self._find_engine_key(name): group for name, group in groups.items()}

    def _find_engine_key(self, name: Any) -> Any:
        place = NAMES.index(name)
        if self.construct == "step":
            return 1 + place
        return datetime(2026, 5, 1, place) if self.construct == "hour" else name

    def protect(self, relation: str, noise: str) -> Any:
        columns: dict[str, Any] = {
            "x": SHAPES[self.shape][0],
            "y": (0, 10),
            "own": list(NAMES),
            "step": {"type": "real", "min": 0.25, "max": 0.75, "step": 0.25},
            "open_at": {"type": "timestamp", "min": START, "max": START + timedelta(hours=2)},
            "word": {"type": "text", "max_length": MAX_LENGTH},
            "moment": {"type": "timestamp", "min": START, "max": START + timedelta(hours=10)},
        }
        return hr.protect(
            self.table,
            unit=["house", "flat"] if self.construct == "composite" else "uid",
            neighbours=relation,
            columns=columns,
            epsilon=10_000,
            delta=5e-8,
            noise=noise,
            max_groups=GROUPINGS[self.grouping][1],
            max_rows_per_group=self.cap,
        )


def list_construct_cells(*, whole: bool = False) -> Iterator[Cell]:
    """Yield the cells of all constructs: shapes, rows and caps, settings taking turns; in `make
    test` one world of each construct."""
    shapes = ("ratings", "reals", "nulls", "skewed") if whole else ("ratings",)
    sizes = ("1", "7", "mixed", "one giant") if whole else ("mixed",)
    worlds = itertools.product(CONSTRUCTS, shapes, sizes, (1, 2, 5) if whole else (2,))
    for number, (construct, shape, rows, cap) in enumerate(worlds):
        world = ConstructWorld(shape, rows, cap, "declared", construct)
        for place, names in enumerate(CONSTRUCTS[construct][0]):
            epsilon = (Fraction(2), Fraction(200))[(number + place) % 2]
            yield Cell(world, names, *SETTINGS[(number // 3 + place) % len(SETTINGS)], epsilon)
            if not whole:
                relation, noise = RELATIONS[(number + place) % 2], "laplace"
                yield Cell(world, names, relation, noise, Fraction(200))
