"""Accuracy: how far off answers are, at equal epsilon, delta and bounds, against the peers that can
be asked the same.

Counts, sums and moments: the mean square of the error. Quantiles: the mean number of ranks.
Undeclared keys: how many are shown. One release of each spends all of epsilon and delta; how it is
repeated is in ``bench.repeated`` for us and in each adapter for the peers. Where several tables of
a shape are asked, each is asked as often as the others by everybody, and what is compared are the
means of each table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bench.accuracy_targets import NOTES, WRONG, list_targets
from bench.cells import CELLS, HIGH, LOW, Cell, table, where
from bench.peers import Absent, Peers
from bench.peers.accuracy import ACCURATE, join
from bench.repeated import Repeated, repeated
from bench.report import Row, Section, ratio, shown
from hedgerow.privacy.zcdp_conversion import find_largest_rho

__all__ = ["DELTA", "EPSILON", "WRONG", "Figure", "Floats", "accuracy", "apart", "ask_peer"]

Floats = NDArray[np.float64]

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)
USUAL = 8.0  # seconds for peers, where what they say is not compared
FEWEST = 20  # runs of a peer in a cell; those that make fewer in its seconds get six times as many
AVERAGE, TOGETHER = "AVG by midpoint", "20 quantiles one by one"


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A mean and its standard error, from independent numbers: those of runs, or the means of
    tables.
    """

    each: Floats

    @property
    def mean(self) -> float:
        return float(self.each.mean())

    @property
    def error(self) -> float:
        return float(self.each.std(ddof=1) / np.sqrt(len(self.each))) if len(self.each) > 1 else 0.0

    @classmethod
    def of(cls, tables: Sequence[Floats]) -> Figure:
        """From a number for each run, table by table."""
        return cls(np.array([runs.mean() for runs in tables]) if len(tables) > 1 else tables[0])


@dataclass(frozen=True, slots=True)
class Found:
    """What came out in one cell: figures of who could answer, reasons of who could not, and how
    ours keeps what was said of it.
    """

    cell: Cell
    figures: dict[str, Figure]
    reasons: dict[str, str]
    told: Figure | None
    covered: Figure | None


def accuracy(peers: Peers, *, quick: bool = False) -> Section:
    """Mean errors, ours and theirs."""
    names = join(peers)
    found = [_found(cell, peers, names, quick=quick) for cell in CELLS]
    rows = [_row(one) for one in found]
    average = [_midpoint(one) for one in found if one.cell.task == "mean"]
    together = [_one_by_one(one, quick=quick) for one in found if one.cell.task == "quantiles"]
    cells, (first_keys, more_keys) = rows[:-2], rows[-2:]
    reasons = {
        f"{name} has no {one.cell.aggregate}: {reason}"
        for one in found
        for name, reason in one.reasons.items()
    }
    return Section(
        f"Accuracy: one question that spends epsilon {float(EPSILON):g}, delta {float(DELTA):g}",
        [*rows, *average, *together],
        list_targets(cells, average, together, first_keys, more_keys),
        [*NOTES, *sorted(reasons)],
        [
            ("aggregate", "data", "hedgerow", *(peer.name for peer in ACCURATE[:2])),
            ("aggregate", "data", *(peer.name for peer in ACCURATE[2:])),
            (
                "aggregate",
                "data",
                "ours / best",
                "of ratio ± %",
                "at least",
                "± %",
                "theirs / ours",
            ),
            ("aggregate", "data", "told", "off, s.e.", "covered", "short, s.e."),
        ],
    )


def _found(cell: Cell, peers: Peers, names: dict[str, str], *, quick: bool) -> Found:
    cell = replace(cell, draws=min(cell.draws, 2), seconds=USUAL) if quick else cell
    tables = cell.drawn()
    exact, runs = (
        [_exact(one) for one in tables],
        20 if quick else max(20, cell.runs // len(tables)),
    )
    ours = [repeated(one, runs, epsilon=EPSILON, delta=DELTA) for one in tables]

    def figure(answers: Sequence[Floats]) -> Figure:
        return Figure.of(
            [_errors(cell, held, given) for held, given in zip(exact, answers, strict=True)]
        )

    figures, reasons = {"hedgerow": figure([_answers(cell, one) for one in ours])}, {}
    for name, worker in names.items():
        seconds = USUAL if (name, cell.aggregate) in WRONG else cell.seconds
        answers = ask_peer([replace(one, seconds=seconds) for one in tables], peers, worker)
        if isinstance(answers, str):
            reasons[name] = answers
        else:
            figures[name] = figure(answers)
    told = [_told(*one) for one in zip(tables, exact, ours, strict=True)]
    covered = _covered(cell, exact[0], ours[0])
    return Found(
        cell,
        figures,
        reasons,
        None if told[0] is None else Figure.of(told),
        None if covered is None else Figure.of([covered]),
    )


def _exact(cell: Cell) -> Floats:
    """The exact answers: one, or one a group; of quantiles the sorted values."""
    held = table(cell.shape)
    x, g, k = np.clip(held["x"].to_numpy(), LOW, HIGH), held["g"].to_numpy(), held["k"].to_numpy()
    if cell.groups:
        return np.bincount(g, x if cell.task == "sum" else None, cell.groups).astype(float)
    single = {
        "count": len(x), "people": len(np.unique(held["who"].to_numpy())),
        "distinct": len(np.unique(k)), "sum": x.sum(),
        "mean": x.mean(), "variance": x.var(), "deviation": x.std(), "maximum": x.max(), "keys": 0,
    }  # fmt: skip
    return np.sort(x) if cell.error == "ranks" else np.array([single[cell.task]], dtype=float)


def _answers(cell: Cell, ours: Repeated) -> Floats:
    """A row a run."""
    if cell.error == "keys":  # a run begins where the keys, which come sorted, fall
        keys = np.array([row["k"] for row in ours.many.rows])
        return np.diff(
            np.concatenate([[0], np.flatnonzero(np.diff(keys) < 0) + 1, [len(keys)]])
        ).astype(float)[:, None]
    names = [name for name in ours.many.columns if name != "g"]
    values = np.array([[row[name] for name in names] for row in ours.many.rows], dtype=float)
    return values.reshape(-1, max(cell.groups, len(names)))


def _errors(cell: Cell, exact: Floats, answers: Floats) -> Floats:
    """For each run: the mean square, the mean of ranks, or how many keys were shown."""
    if cell.error == "keys":
        return answers[:, 0]
    each = _ranks(exact, answers, cell.at) if cell.error == "ranks" else (answers - exact) ** 2
    return np.asarray(each.mean(axis=1))


def _ranks(values: Floats, answers: Floats, at: tuple[Fraction, ...]) -> Floats:
    """How many ranks each answer is from holding its quantile."""
    aims = np.array([float(p) for p in at]) * len(values)
    below, up_to = (
        np.searchsorted(values, answers, "left"),
        np.searchsorted(values, answers, "right"),
    )
    return np.maximum(np.maximum(below - aims, aims - up_to), 0)


def ask_peer(tables: Sequence[Cell], peers: Peers, worker: str) -> list[Floats] | str:
    """What a peer answers, table by table, in several portions as long as there is time; or why
    it does not.
    """
    cell = tables[0]
    request = {**cell.request(), "rho": float(find_largest_rho(EPSILON, DELTA))}
    held: list[list[list[float]]] = [[] for _ in tables]
    runs, portion, seconds = 0, 1 if len(tables) > 1 else 2, 0.0
    while runs * len(tables) < cell.theirs and seconds < (
        cell.seconds if runs * len(tables) >= FEWEST else 6 * cell.seconds
    ):
        for one, answers in zip(tables, held, strict=True):
            if worker not in peers.workers:
                return "took too long"
            try:
                answer = peers.workers[worker].ask(
                    cell.task, str(where(one.shape)), request, float(EPSILON), float(DELTA), portion
                )
            except Absent as reason:
                del peers.workers[worker]
                return str(reason)
            if "error" in answer:
                return str(answer["error"]).removeprefix("NotImplementedError: ")
            answers += answer["value"]
            seconds += answer["seconds"]
        if cell.groups and any(len(run) < cell.groups for run in held[0]):
            return "leaves groups out, though they are declared"
        runs = min(map(len, held))
        # half of what would fit, so that portions stay few and none is far too long
        left = min(max(cell.seconds - seconds, 0) / 2, 30)
        portion = max(
            1, min(cell.theirs // len(tables) - runs, int(left * runs / max(seconds, 1e-3)))
        )
    return [np.array(answers, dtype=float) for answers in held]


def _told(cell: Cell, exact: Floats, ours: Repeated) -> Floats | None:
    """For each run the error by what explain says; of quantiles the share of answers within the
    ranks that it gives for 95 %.
    """
    line, answers = ours.told.lines[0], _answers(cell, ours)
    if cell.error == "ranks":
        ranks = re.search(r"at most ([\d,.]+) ranks", line.note)[1]  # type: ignore[index]
        most = float(ranks.replace(",", ""))
        return np.asarray((_ranks(exact, answers, cell.at) <= most).mean(axis=1))
    if cell.error == "keys" or cell.task == "maximum":
        return None
    expected = line.expected_error
    if expected is None:  # it depends on the rows and their mean: what is told is taken at theirs
        x = np.clip(table(cell.shape)["x"].to_numpy(), LOW, HIGH)
        expected = line.per_row.at(
            len(x), float(x.mean()), None if cell.task == "mean" else float(exact[0])
        )
    return np.asarray(np.abs(answers - exact).mean(axis=1) / expected)


def _covered(cell: Cell, exact: Floats, ours: Repeated) -> Floats | None:
    """For each run the share of 95 % intervals that hold the exact answer."""
    if cell.error != "square" or cell.task == "maximum":
        return None
    pairs = np.array(ours.many.interval("v"), dtype=float).reshape(-1, len(exact), 2)
    inside = (pairs[:, :, 0] <= exact) & (exact <= pairs[:, :, 1])
    return np.asarray(inside.mean(axis=1))


def _row(found: Found) -> Row:
    cell, ours = found.cell, found.figures["hedgerow"]
    fair = {
        name: figure
        for name, figure in found.figures.items()
        if name != "hedgerow" and (name, cell.aggregate) not in WRONG
    }
    more = cell.error == "keys"
    best = (max if more else min)(fair.values(), key=lambda figure: figure.mean, default=None)
    over = None if best is None else (best.mean / ours.mean if more else ours.mean / best.mean)
    loose = 0.0 if best is None else 2 * apart(ours, best, alike=cell.draws > 1)
    linear = cell.task in ("count", "people", "distinct", "sum")
    row: Row = {
        "aggregate": cell.aggregate,
        "data": cell.shape,
        "error": cell.error,
        "hedgerow": _small(ours.mean),
        **{peer.name: _shown(found, peer.name) for peer in ACCURATE},
        "± %": 100 * ours.error / ours.mean,
        "ours / best": over,
        "of ratio ± %": None if best is None else 50 * loose,
        "at least": None if over is None else over * (1 - loose),
        "told": None if found.told is None else found.told.mean,
        "off, s.e.": _off(found.told, 1.0) if linear else None,
        "covered": None if found.covered is None else found.covered.mean,
        "short, s.e.": (
            None if found.covered is None else max(0.0, -(_signed(found.covered, 0.95) or 0.0))
        ),
        "theirs / ours": None,
    }
    return row


def apart(ours: Figure, theirs: Figure, *, alike: bool) -> float:
    """The standard error of the ratio of two means, as a share of it. Tables that are hard for one
    are hard for the other, so where both are ``alike`` means of tables, it is that of what one has
    more than the ratio would let it have."""
    if alike:
        return Figure(ours.each / ours.mean - theirs.each / theirs.mean).error
    return float(np.hypot(theirs.error / theirs.mean, ours.error / ours.mean))


def _shown(found: Found, name: str) -> float | str | None:
    figure = found.figures.get(name)
    mark = WRONG.get((name, found.cell.aggregate))
    return (
        None
        if figure is None
        else _small(figure.mean)
        if mark is None
        else f"{shown(figure.mean)} {mark}"
    )


def _small(value: float) -> float | str:
    """Squares of the errors of a mean are too small for a fixed number of digits."""
    return value if value >= 0.01 else f"{value:.2e}"


def _signed(figure: Figure | None, aim: float) -> float | None:
    """How many standard errors above the aim."""
    return None if figure is None else (figure.mean - aim) / figure.error if figure.error else 0.0


def _off(figure: Figure | None, aim: float) -> float | None:
    signed = _signed(figure, aim)
    return None if signed is None else abs(signed)


def _other(found: Found, name: str, theirs: float) -> Row:
    """One more row: the same by another way, which is nobody's in particular."""
    row: Row = dict.fromkeys(_row(found))
    ours = found.figures["hedgerow"].mean
    return row | {
        "aggregate": name,
        "data": found.cell.shape,
        "error": found.cell.error,
        "hedgerow": _small(ours),
        "theirs / ours": ratio(theirs, ours),
    }


def _midpoint(found: Found) -> Row:
    """Laplace noise on the count and on the sum of distances from the middle, half of epsilon
    each: what most libraries do.
    """
    rng, x = np.random.default_rng(1), np.clip(table(found.cell.shape)["x"].to_numpy(), LOW, HIGH)
    middle, half, e = (LOW + HIGH) / 2, (HIGH - LOW) / 2, float(EPSILON) / 2
    total, rows = (
        (x - middle).sum() + rng.laplace(0, half / e, 10**6),
        len(x) + rng.laplace(0, 1 / e, 10**6),
    )
    return _other(found, AVERAGE, float(((middle + total / rows - x.mean()) ** 2).mean()))


def _one_by_one(found: Found, *, quick: bool) -> Row:
    """Each quantile by a question of its own, with its share of epsilon."""
    means = []
    for cell in found.cell.drawn():
        exact = _exact(cell)
        for p in cell.at[:2] if quick else cell.at:
            single = replace(
                cell, sql=f"SELECT QUANTILE_CONT(x, {float(p)!r}) AS q0 FROM data", at=(p,)
            )
            ours = repeated(
                single,
                20 if quick else max(20, 100 // cell.draws),
                epsilon=EPSILON / len(cell.at),
                delta=DELTA,
            )
            means.append(float(_errors(single, exact, _answers(single, ours)).mean()))
    return _other(found, TOGETHER, float(np.mean(means)))
