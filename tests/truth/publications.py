"""Publications under contribution bounds: what they count, drawn many times, against the data.

docs/publishing.md: a count is that of the rows that count plus noise, right on average but for what
cutting to parts of a row loses, and its interval holds the exact one. Rows without a declared value
in one of the columns count nowhere; of a person with c others each counts min(1, m/c), m being
max_rows_per_group (docs/decisions/0009).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.release.private_table import PrivateTable
from truth import grid
from truth.alarms import count_rounds, exceeds_share, find_factor, measure_excess
from truth.worlds import ROWS, SHAPES, World

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


def _weigh_rows(world: World, columns: Iterable[str]) -> dict[tuple[Any, ...], Fraction]:
    """Return what the rows of each combination weigh together."""
    rows = [row for row in world.table.to_pylist() if row["x"] is not None]
    many = Counter(row["uid"] for row in rows)
    found: dict[tuple[Any, ...], Fraction] = {}
    for row in rows:
        values = tuple(row[column] for column in columns)
        weight = min(Fraction(1), Fraction(world.cap, many[row["uid"]]))
        found[values] = found.get(values, Fraction(0)) + weight
    return found


def _find_meaning(
    published: Published, row: Mapping[str, Any], weights: Mapping[tuple[Any, ...], Fraction]
) -> Fraction:
    """Return the exact count that a row of the publication is about."""
    if published.kind in ("cdf", "stream"):
        return sum(
            (weight for (value,), weight in weights.items() if value <= row["x"]), Fraction(0)
        )
    wanted = [row[column] for column in published.columns]
    found = (
        weight
        for values, weight in weights.items()
        if all(asked in (None, value) for asked, value in zip(wanted, values, strict=True))
    )
    return sum(found, Fraction(0))


def judge_publication(published: Published, tests: int) -> list[str]:
    """Return what is false about a publication, as part of so many tests."""
    world, rounds, reasons = published.world, count_rounds(tests), list[str]()
    with world.protect(published.relation, "laplace") as database:
        ask = getattr(database.publish, published.kind)
        draft = ask("data", list(published.columns), epsilon=published.epsilon)
        exact = database.source.run(draft._plan).numbers[0][0]

    def draw() -> list[list[dict[str, Any]]]:
        many = (
            PrivateTable(
                exact,
                draft.specification.cost,
                rows=draft._plan.bound.max_rows,
                relation=published.relation,
                parts_per_row=draft._plan.measures[0].resolution,
            )
            for _ in range(DRAWS)
        )
        return list(
            zip(
                *(draft.specification.build(private).table.to_pylist() for private in many),
                strict=True,
            )
        )  # type: ignore[arg-type]

    # Somebody loses a part in a combination: no more than there are rows, and units times
    # combinations.
    lost = (
        float(draft._terms.truncation_error(len(_weigh_rows(world, published.columns))))
        if draft._terms.parts_per_row > 1
        else 0.0
    )
    drawn, weights = [draw()], _weigh_rows(world, published.columns)
    for place, rows in enumerate(drawn[0]):
        meaning = _find_meaning(published, rows[0], weights)
        ratio = measure_excess(
            [row["count"] for row in rows], meaning, bias=lost, factor=find_factor(tests)
        )
        if ratio > 1:
            reasons.append(
                f"{published}: count {place} is off by {ratio:.3g} times what is allowed"
            )
        for turn in range(rounds):
            if turn == len(drawn):
                drawn.append(draw())
            if not _is_missed(drawn[turn][place], meaning):
                break
        else:
            reasons.append(f"{published}: interval {place} misses {meaning}, in too many draws")
    return reasons


def _is_missed(rows: Iterable[Mapping[str, Any]], meaning: Fraction) -> bool:
    outside = [not row["count_low"] - 1e-9 <= meaning <= row["count_high"] + 1e-9 for row in rows]
    return exceeds_share(sum(outside), len(outside))
