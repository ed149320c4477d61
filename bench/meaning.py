"""The meaning of answers where caps bite, in exact fractions, straight from the rows of a table.

A row of a person with c rows in a group, of which m count, weighs m / c where c is more than m; a
person in g groups, of which n count, puts n / g of that into each. Both are also what is to be
expected of whoever keeps m rows and n groups by chance, so all are measured against it. Ours
chooses the n groups by a hash of person and group, once for all: its intervals are about those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import duckdb

from bench.cells import Cell

__all__ = ["Row", "choose_groups", "compute_meaning", "compute_plain", "read_rows"]

Row = tuple[int, int, int]  # person, group, value


def read_rows(table: Any) -> list[Row]:
    """Return the rows of an Arrow table."""
    columns = (table.column(name).to_pylist() for name in ("who", "g", "x"))
    return list(zip(*columns, strict=True))


def choose_groups(rows: list[Row], most: int) -> list[Row]:
    """Return the rows in the groups that Hedgerow chooses: of each person the first by a hash."""
    pairs = sorted({(who, group) for who, group, _ in rows})
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE pairs (who BIGINT, g BIGINT)")
        for start in range(0, len(pairs), 1_000):
            values = ", ".join(str(pair) for pair in pairs[start : start + 1_000])
            connection.execute(f"INSERT INTO pairs VALUES {values}")
        place = "row_number() OVER (PARTITION BY who ORDER BY hash(hash(who, g)) >> 32, g)"
        kept = connection.execute(f"SELECT who, g FROM pairs QUALIFY {place} <= {most}").fetchall()
    counting = set(kept)
    return [row for row in rows if row[:2] in counting]


def compute_meaning(cell: Cell, rows: list[Row]) -> list[Fraction]:
    """Return what a cell asks for, in the order of its answers."""
    return _answer(cell, _weigh(cell, rows))


def compute_plain(cell: Cell, rows: list[Row]) -> list[Fraction]:
    """Return what SQL without caps would answer."""
    return _answer(cell, ((group, value, Fraction(1)) for _, group, value in rows))


def _weigh(cell: Cell, rows: list[Row]) -> Iterable[tuple[int, int, Fraction]]:
    """Yield group, value and weight of each row."""
    each = Counter((who, group) for who, group, _ in rows)
    groups = Counter(who for who, _ in each)
    for who, group, value in rows:
        of_group = min(Fraction(1), Fraction(cell.max_groups, groups[who]))
        yield group, value, of_group * min(Fraction(1), Fraction(cell.max_rows, each[who, group]))


def _answer(cell: Cell, weighed: Iterable[tuple[int, int, Fraction]]) -> list[Fraction]:
    """Return sums, means or variances of weighed rows, by group where there are groups."""
    counted = {group: Counter[tuple[int, Fraction]]() for group in range(cell.groups or 1)}
    for group, value, weight in weighed:
        counted[group][value, weight] += 1
    found = []
    for held in counted.values():
        moments = [
            sum(
                (many * weight * value**power for (value, weight), many in held.items()),
                Fraction(0),
            )
            for power in range(3)
        ]
        found += _aggregate(cell.task, *moments)
    return found


def _aggregate(task: str, rows: Fraction, total: Fraction, squares: Fraction) -> list[Fraction]:
    mean = total / rows
    by_task = {
        "count": [rows],
        "sum": [total],
        "mean": [mean],
        "together": [rows, mean],
        "variance": [squares / rows - mean**2],
    }
    return by_task[task]
