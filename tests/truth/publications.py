"""Publications under contribution bounds: what they count, drawn many times, against the data.

docs/publishing.md: a count is that of the rows that count plus noise, right on average, and its
interval holds the exact one. Rows without a declared value in one of the columns count nowhere; of
each person max_rows_per_group of the others count, the first by the engine's hash of person and
combination (docs/decisions/0009).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import duckdb

from hedgerow.purse import Purse
from truth import grid
from truth.alarms import count_rounds, exceeds_share, find_factor, measure_excess
from truth.worlds import NAMES, ROWS, SHAPES, World, write_rank

__all__ = ["Published", "count_all_tests", "judge_publication", "list_publications"]

KINDS: Mapping[str, tuple[str, ...]] = {
    "histogram": ("x", "own"),
    "marginals": ("x", "own"),
    "cdf": ("x",),
    "stream": ("x",),
}
EPSILONS = (Fraction(1, 2), Fraction(100))
DRAWS = 120


@dataclass(frozen=True, slots=True)
class Published:
    """One publication of one table."""

    world: World
    kind: str
    relation: str
    epsilon: Fraction

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that it counts combinations of."""
        return KINDS[self.kind]

    @property
    def tests(self) -> int:
        """Number of counts that it has."""
        low, high = SHAPES[self.world.shape][0]
        values = int(high - low) + 1
        return {"histogram": 3 * values, "marginals": 4 * values + 3}.get(self.kind, values)


def list_publications() -> Iterator[Published]:
    """Yield all kinds over all tables of few whole numbers; relations and epsilons take turns."""
    shapes = ("0/1", "ratings", "ages", "nulls", "constants")
    turns = itertools.count()
    for shape, rows, cap, kind in itertools.product(shapes, ROWS, grid.CAPS, KINDS):
        turn = next(turns)
        relation, epsilon = grid.RELATIONS[(turn + turn // 4) % 2], EPSILONS[(turn + turn // 8) % 2]
        yield Published(World(shape, rows, cap, "all"), kind, relation, epsilon)


def count_all_tests() -> int:
    """Return how many tests share the alarm rate: those of questions and of publications."""
    return grid.count_tests(grid.list_cells()) + sum(one.tests for one in list_publications())


def _tally_rows(world: World, columns: Iterable[str]) -> Counter[tuple[Any, ...]]:
    """Return how often each combination is there among the rows that count."""
    low, high = SHAPES[world.shape][0]
    codes = {"x": f"(x - {low})", "own": f"(ascii(own) - {ord(NAMES[0])})"}
    word = "CAST(0 AS BIGINT)"
    for column in columns:
        word = f"({word} * {3 if column == 'own' else int(high - low) + 1} + {codes[column]})"
    held = duckdb.connect()
    held.register("data", world.table)
    order = f"{write_rank('uid', 'word')}, word"
    place = f"row_number() OVER (PARTITION BY uid ORDER BY {order})"
    coded = f"(SELECT *, {word} AS word FROM data WHERE x IS NOT NULL)"
    chosen = f"SELECT x, own FROM {coded} QUALIFY {place} <= {world.cap}"
    return Counter(held.execute(f"SELECT {', '.join(columns)} FROM ({chosen})").fetchall())


def _find_meaning(published: Published, row: Mapping[str, Any], tally: Counter[tuple[Any, ...]]) -> int:
    """Return the exact count that a row of the publication is about."""
    if published.kind in ("cdf", "stream"):
        return sum(many for (value,), many in tally.items() if value <= row["x"])
    wanted = [row[column] for column in published.columns]
    return sum(many for values, many in tally.items() if all(asked in (None, value) for asked, value in zip(wanted, values, strict=True)))


def judge_publication(published: Published, tests: int) -> list[str]:
    """Return what is false about a publication, as part of so many tests."""
    world, rounds, reasons = published.world, count_rounds(tests), list[str]()
    with world.protect(published.relation, "laplace") as database:
        ask = getattr(database.publish, published.kind)
        draft = ask("data", list(published.columns), epsilon=published.epsilon)
        exact = database.source.run(draft._plan).numbers[0][0]

    def draw() -> list[list[dict[str, Any]]]:
        many = (
            Purse(
                exact,
                draft.sketch.total,
                rows=draft._plan.bound.max_rows,
                relation=published.relation,
            )
            for _ in range(DRAWS)
        )
        return list(zip(*(draft.sketch.build(purse).table.to_pylist() for purse in many), strict=True))  # type: ignore[arg-type]

    drawn, tally = [draw()], _tally_rows(world, published.columns)
    for place, rows in enumerate(drawn[0]):
        meaning = _find_meaning(published, rows[0], tally)
        ratio = measure_excess([row["count"] for row in rows], Fraction(meaning), bias=0, factor=find_factor(tests))
        if ratio > 1:
            reasons.append(f"{published}: count {place} is off by {ratio:.3g} times what is allowed")
        for turn in range(rounds):
            if turn == len(drawn):
                drawn.append(draw())
            if not _is_missed(drawn[turn][place], meaning):
                break
        else:
            reasons.append(f"{published}: interval {place} misses {meaning}, in too many draws")
    return reasons


def _is_missed(rows: Iterable[Mapping[str, Any]], meaning: int) -> bool:
    outside = [not row["count_low"] - 1e-9 <= meaning <= row["count_high"] + 1e-9 for row in rows]
    return exceeds_share(sum(outside), len(outside))
