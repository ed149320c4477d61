"""Accuracy where caps bite: how far off answers are from what is meant, and how much of that is
bias.

All are measured against ``bench.meaning``. Peers that keep some rows or groups by chance do so anew
in each run, so that their error holds what that costs. Ours weighs rows, and chooses groups by a
hash, which is the same in each run: there several tables are asked, and an error is over tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.accuracy import DELTA, EPSILON, WRONG, Figure, Floats, apart, ask_peer
from bench.cells import CAPPED, Cell, table
from bench.meaning import choose_groups, compute_meaning, compute_plain, read_rows
from bench.peers import Peers
from bench.peers.accuracy import ACCURATE, join
from bench.repeated import Repeated, repeated
from bench.report import Row, Section, worst

__all__ = ["capped"]

OURS = "hedgerow"
PLAIN = ", from plain SQL"
NOTES = (
    (
        "Mean error and root mean square, in the same unit. By group: the mean error of the group"
        " that is farthest off, over all tables."
    ),
    (
        "Meant: a row weighs m / c where a person has c rows and m count, and a person in g groups,"
        " of which n count, puts n / g into each. That is also to be expected of keeping m rows and"
        " n groups by chance."
    ),
    (
        "hedgerow weighs rows and chooses groups by a hash. opendp, smartnoise-sql and pipeline-dp"
        " keep m rows by chance, pipeline-dp groups as well; smartnoise-sql counts n x m rows in"
        " all, whatever the groups."
    ),
    (
        "opendp keeps of each person the groups that come first in their order, since its sample of"
        " groups fails; told n, it keeps n - 1, so it is told n + 1 and adds noise for that."
    ),
    (
        "pyqrlew scales down what a person puts into a column until it is at most m times the"
        " largest value: another meaning, unless all values are the largest."
    ),
    "To peers a count with FILTER is a sum of 0 and 1.",
    "Covered: by group, what is meant is taken for the groups that ours has chosen.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """What answers are measured against, for each table: one number, or one for each group."""

    name: str
    at: slice
    exact: list[Floats]
    intervals: str = ""

    def measure(self, answers: Sequence[Floats]) -> tuple[Figure, Figure]:
        """Return the figures of errors, those of the group that is farthest off, and of squares."""
        pairs = zip(answers, self.exact, strict=True)
        errors = [given[:, self.at] - exact[self.at] for given, exact in pairs]
        squares = Figure.of([(each**2).mean(axis=1) for each in errors])
        if len(errors) == 1:
            return Figure(errors[0].mean(axis=1)), squares
        by_group = np.array([each.mean(axis=0) for each in errors])
        return Figure(by_group[:, np.abs(by_group.mean(axis=0)).argmax()]), squares


def capped(peers: Peers, *, quick: bool = False) -> Section:
    """Mean errors and their squares, ours and theirs."""
    names, reasons, rows = join(peers), set[str](), list[Row]()
    for cell in CAPPED:
        tables = replace(cell, draws=min(cell.draws, 2) if quick else cell.draws).drawn()
        runs = 20 if quick else cell.runs // len(tables)
        ours = [repeated(one, runs, epsilon=EPSILON, delta=DELTA) for one in tables]
        given = {OURS: [_values(cell, one) for one in ours]}
        for name, worker in names.items():
            answers = ask_peer(tables, peers, worker)
            if isinstance(answers, str):
                reasons.add(f"{name} has no {cell.aggregate}: {answers}")
            elif not all(np.isfinite(each).all() for each in answers):
                reasons.add(f"{name} has no {cell.aggregate}: some of its answers are no numbers")
            else:
                given[name] = answers
        for aim in _aims(cell, tables):
            covered = _cover(aim, tables, ours) if aim.intervals else None
            rows.append(_row(cell, aim, given, covered))
    judged = [row for row in rows if not str(row["aggregate"]).endswith(PLAIN)]
    return Section(
        f"Where caps bite: one question, epsilon {float(EPSILON):g}, delta {float(DELTA):g}",
        rows,
        [
            worst(
                "at most 1.05 times the square of the best peer, two standard errors allowed",
                1.05, judged, "at least",
            ),
            worst("no bias (standard errors that the mean error is off 0)", 4, judged, "off, s.e."),
            worst("95 % intervals cover (standard errors below 95 %)", 4, judged, "short, s.e."),
        ],
        [*NOTES, *sorted(reasons)],
        [
            ("aggregate", "data", "meant", "plain SQL", "ours / best", "of ratio ± %", "at least"),
            ("aggregate", "data", "mean error", "off, s.e.", "covered", "short, s.e."),
            ("aggregate", "data", OURS, "opendp-polars", "smartnoise-sql"),
            ("aggregate", "data", "pipeline-dp", "pyqrlew", "diffprivlib"),
        ],
    )  # fmt: skip


def _values(cell: Cell, ours: Repeated) -> Floats:
    """Return our answers, a row for each run."""
    names = [name for name in ours.many.columns if name != "g"]
    rows = [[row[name] for name in names] for row in ours.many.rows]
    return np.array(rows, dtype=float).reshape(-1, cell.groups or len(names))


def _aims(cell: Cell, tables: Sequence[Cell]) -> list[Aim]:
    """Return each number that is looked at, and means once more beside those of SQL without
    caps.
    """
    held = [read_rows(table(one.shape)) for one in tables]
    meant = [np.array(compute_meaning(cell, rows), dtype=float) for rows in held]
    if cell.task == "together":
        other = "AVG beside COUNT"
        return [Aim(cell.aggregate, slice(1), meant, "n"), Aim(other, slice(1, 2), meant, "v")]
    aims = [Aim(cell.aggregate, slice(None), meant, "v")]
    if cell.task == "mean" and cell.shape == "ages, one giant":  # elsewhere it is the same
        plain = [np.array(compute_plain(cell, rows), dtype=float) for rows in held]
        aims.append(Aim(cell.aggregate + PLAIN, slice(None), plain))
    return aims


def _cover(aim: Aim, tables: Sequence[Cell], ours: Sequence[Repeated]) -> Figure:
    """Return how many of our 95 % intervals hold what is meant, for the groups that were chosen."""
    shares = []
    for cell, exact, found in zip(tables, aim.exact, ours, strict=True):
        rows = choose_groups(read_rows(table(cell.shape)), cell.max_groups) if cell.groups else []
        held = np.array(compute_meaning(cell, rows), dtype=float) if cell.groups else exact[aim.at]
        pairs = np.array(found.many.interval(aim.intervals), dtype=float).reshape(-1, len(held), 2)
        inside = (pairs[:, :, 0] <= held) & (held <= pairs[:, :, 1])
        shares.append(np.asarray(inside.mean(axis=1), dtype=float))
    return Figure(np.concatenate(shares))


def _row(cell: Cell, aim: Aim, given: dict[str, list[Floats]], covered: Figure | None) -> Row:
    figures = {name: aim.measure(answers) for name, answers in given.items()}
    errors, squares = figures[OURS]
    fair = [
        found[1]
        for name, found in figures.items()
        if name != OURS and (name, cell.aggregate) not in WRONG
    ]
    best = min(fair, key=lambda figure: figure.mean, default=None)
    over = None if best is None else squares.mean / best.mean
    loose = 0.0 if best is None else 2 * apart(squares, best, alike=False)
    rows = read_rows(table(cell.shape))
    return {
        "aggregate": aim.name,
        "data": cell.shape,
        "meant": float(np.mean(aim.exact[0][aim.at])),
        "plain SQL": float(np.mean(np.array(compute_plain(cell, rows), dtype=float)[aim.at])),
        **{name: _tell(figures.get(name)) for name in (OURS, *(peer.name for peer in ACCURATE))},
        "mean error": _digits(errors.mean),
        "off, s.e.": abs(errors.mean) / errors.error,
        "ours / best": over,
        "of ratio ± %": None if best is None else 50 * loose,
        "at least": None if over is None else over * (1 - loose),
        "covered": None if covered is None else covered.mean,
        "short, s.e.": (
            None if covered is None else max(0.0, (0.95 - covered.mean) / max(covered.error, 1e-9))
        ),
    }


def _tell(found: tuple[Figure, Figure] | None) -> str | None:
    """Return the mean error, with twice its standard error, and the root of the mean square."""
    if found is None:
        return None
    errors, squares = found
    return (
        f"{_digits(errors.mean)} ± {_digits(2 * errors.error)}; {_digits(math.sqrt(squares.mean))}"
    )


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
