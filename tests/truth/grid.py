"""The truth gate: every cell of a grid of data, caps, groups, questions, relations and noises.

A cell is one question about one table. Its exact numbers are computed once; noise is drawn many
times at the release seam; what an analyst sees is compared with ``oracle``. ``alarms`` has the
tests.

    linear   mean of the answers within the stated bias and Monte-Carlo error; intervals cover
    ratio    intervals cover; mean within ``find_ratio_bias``
    order    rank errors within the stated law

Run ``PYTHONPATH=tests python -m truth.grid`` for the whole table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from truth.aggregates import AGGREGATES, QUESTIONS
from truth.alarms import count_rounds, find_factor
from truth.draws import Asked
from truth.judgement import judge
from truth.worlds import GROUPINGS, ROWS, SHAPES, World

__all__ = ["Cell", "Report", "count_tests", "list_cells", "list_slice", "run_cells"]

CAPS = (1, 2, 5)
RELATIONS = ("add-remove", "change-one")
NOISES = ("laplace", "gaussian", "best")
SETTINGS = tuple(itertools.product(RELATIONS, NOISES))
EPSILONS = (Fraction(1, 4), Fraction(2), Fraction(200))
DRAWS = 300
FEWER = 120  # of what is drawn or worked out one by one: order statistics, correlations


@dataclass(frozen=True, slots=True)
class Cell:
    """One question about one table, with its noise."""

    world: World
    names: tuple[str, ...]
    relation: str
    noise: str
    epsilon: Fraction

    @property
    def sql(self) -> str:
        """The question as an analyst writes it."""
        key = self.world.key
        outputs = ", ".join(f"{AGGREGATES[name].sql} AS {name}" for name in self.names)
        if key is None:
            return f"SELECT {outputs} FROM data{self.world.where}"
        return f"SELECT {key}, {outputs} FROM data GROUP BY {key}"

    @property
    def groups(self) -> int:
        """Number of groups of the answer."""
        return 1 if self.world.key is None else 3

    def __str__(self) -> str:
        world = self.world
        data = f"{world.shape}, {world.rows} rows, cap {world.cap}, {world.grouping}"
        noise = f"{self.relation}, {self.noise}, epsilon {float(self.epsilon):g}"
        return f"{data}: {self.sql} ({noise})"


@dataclass
class Report:
    """Cells tried, those that failed and why, and the worst ratio of error to allowance."""

    tried: dict[tuple[str, str, int], int] = field(default_factory=dict)
    failed: dict[tuple[str, str, int], int] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    worst: float = 0.0

    def add(self, cell: Cell, reasons: Sequence[str], ratio: float) -> None:
        """Enter one cell."""
        at = (cell.world.shape, cell.world.rows, cell.world.cap)
        self.tried[at] = self.tried.get(at, 0) + 1
        self.failed[at] = self.failed.get(at, 0) + bool(reasons)
        self.reasons += [f"{cell}: {reason}" for reason in reasons]
        self.worst = max(self.worst, ratio)

    def __str__(self) -> str:
        caps = sorted({at[2] for at in self.tried})
        shapes = dict.fromkeys(at[0] for at in self.tried)
        rows = dict.fromkeys(at[1] for at in self.tried)
        heads = "".join(f"{f'cap {cap}':>12}" for cap in caps)
        lines = [f"{'shape':<10} {'rows':<10}{heads}   (failed / tried)"]
        for shape, many in itertools.product(shapes, rows):
            cells = [
                (self.failed.get((shape, many, cap), 0), self.tried.get((shape, many, cap), 0))
                for cap in caps
            ]
            if any(tried for _, tried in cells):
                lines.append(
                    f"{shape:<10} {many:<10}"
                    + "".join(f"{f'{bad} / {all_}':>12}" for bad, all_ in cells)
                )
        total = f"{sum(self.failed.values())} of {sum(self.tried.values())} cells failed"
        return "\n".join([*lines, f"{total}; worst ratio of error to allowance {self.worst:.3g}"])


def list_cells(*, whole: bool = False) -> Iterator[Cell]:
    """Yield the grid: every table, half of the questions, one relation, noise and epsilon each.

    They take turns, so that each of them meets every shape, number of rows, cap and question. With
    ``whole`` every question is asked of every table under every relation and noise.
    """
    worlds = itertools.starmap(World, itertools.product(SHAPES, ROWS, CAPS, GROUPINGS))
    for number, world in enumerate(worlds):
        settings = SETTINGS if whole else [SETTINGS[(number + number // 6) % len(SETTINGS)]]
        questions = [names for names in QUESTIONS if _can_ask(world, names)]
        for setting, names in itertools.product(settings, questions):
            place = QUESTIONS.index(names)
            if whole or (place + number // 36) % 2 == 0:
                yield Cell(world, names, *setting, _find_epsilon(world, number // 18 + place))


def list_slice(shape: str) -> list[Cell]:
    """Return all questions of one table of a shape whose cap bites, settings taking turns."""
    number = list(SHAPES).index(shape)
    rows = ("3", "7", "mixed", "7", "one giant", "mixed", "100")[number]
    world = World(shape, rows, CAPS[number % 2], list(GROUPINGS)[number % 6])
    cells = [
        Cell(world, names, *SETTINGS[(number + 2 * (place % 2)) % 6], _find_epsilon(world, place))
        for place, names in enumerate(QUESTIONS)
        if _can_ask(world, names)
    ]
    return sorted(cells, key=lambda cell: (cell.relation, cell.noise))


def _find_epsilon(world: World, turn: int) -> Fraction:
    """Return an epsilon; a small group may stay hidden behind a threshold, which is another law."""
    return EPSILONS[-1 if world.grouping == "undeclared" else turn % 3]


def _can_ask(world: World, names: Sequence[str]) -> bool:
    """Return whether a question is answered: a mode needs a list of values."""
    return "usual" not in names or world.shape not in ("reals", "skewed")


def run_cells(cells: Iterable[Cell], tests: int) -> Report:
    """Judge cells, each as one of so many ``tests`` that share the alarm rate."""
    report, factor, rounds = Report(), find_factor(tests), count_rounds(tests)
    for (world, relation, noise), together in itertools.groupby(
        cells, key=lambda cell: (cell.world, cell.relation, cell.noise)
    ):
        with world.protect(relation, noise) as database:
            for cell in together:
                asked = Asked(database, cell.sql, cell.epsilon)
                found = judge(
                    world, cell.names, asked, factor=factor, rounds=rounds, draws=_count_draws(cell)
                )
                report.add(cell, *found)
    return report


def _count_draws(cell: Cell) -> int:
    slow = any(
        AGGREGATES[name].family == "order"
        or name in ("correlation", "slope", "fit", "skew", "peak")
        for name in cell.names
    )
    return FEWER if slow else DRAWS


def count_tests(cells: Iterable[Cell]) -> int:
    """Return how many means, and at most as many frequencies, are tested."""
    return sum(cell.groups * len(cell.names) for cell in cells)


def main() -> None:
    """Print the table of the grid, and what is false."""
    cells = list(list_cells())
    report = run_cells(cells, count_tests(cells))
    print(*report.reasons, report, sep="\n")


if __name__ == "__main__":
    main()
