"""The cells of the accuracy table: questions, and data of several shapes that they are put to.

Every table has the columns who, x, g and k, and x is clamped by everybody to the bounds of the
cell. In ``CELLS`` every person stays within the caps, so that all are off from the same exact
answer; in ``CAPPED`` most people have more rows or groups than count, and ``bench.meaning`` says
what is meant. Data are the same each time; noise is not. How many ranks a quantile is off depends
on how wide the few gaps around it are, which is chance: so these questions are put to several
tables of a shape, and all are asked of the same ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

__all__ = ["CAPPED", "CELLS", "HIGH", "LOW", "Cell", "table", "where"]

LOW, HIGH = 0.0, 100.0
FOLDER = Path(__file__).parents[1] / ".venv" / "bench-data"
MAKING = 1  # the next number when a recipe changes: files of the old one are not used any more
DRAW = ", draw "
TWENTY = tuple(Fraction(2 * i + 1, 40) for i in range(20))

Columns = dict[str, Any]


def _one_each(x: Any, rng: np.random.Generator) -> Columns:
    """One row a person."""
    return {
        "who": np.arange(len(x)),
        "x": x,
        "g": rng.integers(0, 10, len(x)),
        "k": np.zeros(len(x), dtype=np.int64),
    }


def _several(
    people: int, each: int, groups: int, rng: np.random.Generator, weights: Any = None
) -> Columns:
    """``each`` rows a person, all in different groups; k is the same as g."""
    keys = np.log(np.full(groups, 1 / groups) if weights is None else weights) + rng.gumbel(
        size=(people, groups)
    )
    chosen = np.argpartition(-keys, each - 1, axis=1)[:, :each].ravel()
    return {
        "who": np.repeat(np.arange(people), each),
        "x": rng.uniform(LOW, HIGH, people * each),
        "g": chosen,
        "k": chosen,
    }


def _whole(people: int, rows: Any, values: Any, rng: np.random.Generator) -> Columns:
    """People with ``rows`` rows each, in no group. The groups of a person are chosen by a hash, so
    ids are others in every table."""
    nothing = np.zeros(int(rows.sum()), dtype=np.int64)
    return {"who": _ids(people, rng).repeat(rows), "x": values, "g": nothing, "k": nothing}


def _ids(people: int, rng: np.random.Generator) -> Any:
    return int(rng.integers(2**40)) + np.arange(people)


def _bits(rng: np.random.Generator) -> Columns:
    """Four answers of no (0) or yes (1) each, three in ten of them yes."""
    return _whole(5_000, np.full(5_000, 4), (rng.random(20_000) < 0.3).astype(np.int64), rng)


def _ratings(rng: np.random.Generator) -> Columns:
    """Seven ratings of 1 to 5 each, by people of whom some are hard to please."""
    taste = rng.uniform(2.5, 4.8, 2_000).repeat(7)
    values = np.clip(np.rint(rng.normal(taste, 1.0)), 1, 5).astype(np.int64)
    return _whole(2_000, np.full(2_000, 7), values, rng)


def _ages(rng: np.random.Generator) -> Columns:
    """Ages at visits, which the old pay more often; one person of 95 has as many as all others."""
    ages = rng.integers(18, 90, 2_000)
    rows = 1 + rng.geometric(1 / (1 + (ages - 18) / 12))
    ages[0], rows[0] = 95, rows[1:].sum()
    return _whole(2_000, rows, ages.repeat(rows), rng)


def _visits(rng: np.random.Generator) -> Columns:
    """One row in each of five groups of ten."""
    made = _several(2_000, 5, 10, rng)
    return {**made, "who": _ids(2_000, rng).repeat(5), "x": rng.integers(0, 101, 10_000)}


def _rare(groups: int) -> Any:
    popularity = 1 / np.arange(1, groups + 1) ** 1.1
    return popularity / popularity.sum()


SHAPES: dict[str, Callable[[np.random.Generator], Columns]] = {
    "uniform, 1,000": lambda rng: _one_each(rng.uniform(LOW, HIGH, 1_000), rng),
    "skewed, 100,000": lambda rng: _one_each(rng.lognormal(3, 1, 100_000), rng),
    "spike, 10,000": lambda rng: _one_each(
        np.where(rng.random(10_000) < 0.2, 30.0, rng.uniform(LOW, HIGH, 10_000)), rng
    ),
    "low, 1,000": lambda rng: _one_each(rng.uniform(LOW, 60, 1_000), rng),
    "3 of 10 groups each": lambda rng: _several(2_000, 3, 10, rng),
    "20 of 100 groups each": lambda rng: _several(500, 20, 100, rng),
    "5 of 500 words each": lambda rng: {
        **_several(1_000, 5, 500, rng),
        "g": np.zeros(5_000, dtype=np.int64),
    },
    "one key each": lambda rng: _several(20_000, 1, 2_000, rng, _rare(2_000)),
    "5 keys each": lambda rng: _several(10_000, 5, 2_000, rng, _rare(2_000)),
    "0 or 1, 4 rows each": _bits,
    "ratings, 7 rows each": _ratings,
    "ages, one giant": _ages,
    "5 of 10 groups each": _visits,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A question to data of a shape. ``task`` is what peers call it; ``at`` are the shares of
    quantiles; ``groups`` are declared to be 0, 1, … if there are any; one person is in at most
    ``max_groups`` groups with at most ``max_rows`` rows in each. ``noise`` is for peers that have
    to be told which to take. Where caps are ``biting``, peers have to enforce them, anew in each
    run. ``draws`` is how many tables of the shape are asked, ``runs`` how often in all, ``theirs``
    how often a peer is at most, in so many ``seconds``."""

    aggregate: str
    shape: str
    task: str
    sql: str
    at: tuple[Fraction, ...] = ()
    groups: int = 0
    max_groups: int = 1
    max_rows: int = 1
    noise: str = "laplace"
    runs: int = 40_000
    theirs: int = 40_000
    draws: int = 1
    seconds: float = 8.0
    low: float = LOW
    high: float = HIGH
    biting: bool = False

    @property
    def error(self) -> str:
        """What is told: the mean square of how far off an answer is, how many ranks, or how many
        keys are shown.
        """
        return (
            "keys"
            if self.task == "keys"
            else "ranks"
            if self.task in ("quantile", "quantiles")
            else "square"
        )

    def drawn(self) -> list[Cell]:
        """The same question to each table: the one that all questions to this shape have, and
        further ones.
        """
        return [
            self,
            *(replace(self, shape=f"{self.shape}{DRAW}{i}") for i in range(1, self.draws)),
        ]

    def request(self) -> dict[str, Any]:
        """For peers, as plain data."""
        return {
            **asdict(self),
            "at": [float(p) for p in self.at],
            "low": float(self.low),
            "high": float(self.high),
        }


def _quantiles(shape: str, task: str, name: str, *at: Fraction, **more: Any) -> Cell:
    asked = ", ".join(f"QUANTILE_CONT(x, {float(p)!r}) AS q{i}" for i, p in enumerate(at))
    return Cell(
        name,
        shape,
        task,
        f"SELECT {asked} FROM data",
        at,
        runs=400 if task == "quantiles" else 10_000,
        theirs=100 if task == "quantiles" else 10_000,
        **more,
    )


def _plain(name: str, shape: str, task: str, expression: str, **more: Any) -> Cell:
    return Cell(name, shape, task, f"SELECT {expression} AS v FROM data", **more)


def _grouped(name: str, shape: str, task: str, expression: str, groups: int, **more: Any) -> Cell:
    return Cell(
        name,
        shape,
        task,
        f"SELECT g, {expression} AS v FROM data GROUP BY g",
        groups=groups,
        **more,
    )


CELLS = (
    _plain("COUNT", "uniform, 1,000", "count", "COUNT(*)"),
    _plain("COUNT of people", "5 of 500 words each", "people", "COUNT(DISTINCT who)", max_rows=5),
    _grouped("COUNT by group", "uniform, 1,000", "count", "COUNT(*)", 10, runs=8_000, theirs=8_000),
    _grouped(
        "COUNT by group",
        "3 of 10 groups each",
        "count",
        "COUNT(*)",
        10,
        max_groups=3,
        runs=8_000,
        theirs=8_000,
    ),
    _grouped(
        "COUNT by group",
        "20 of 100 groups each",
        "count",
        "COUNT(*)",
        100,
        max_groups=20,
        noise="gaussian",
        runs=1_000,
        theirs=1_000,
    ),
    _plain(
        "COUNT(DISTINCT)",
        "5 of 500 words each",
        "distinct",
        "COUNT(DISTINCT k)",
        max_rows=5,
        seconds=40,
    ),
    _plain("SUM", "uniform, 1,000", "sum", "SUM(x)"),
    _plain("SUM", "skewed, 100,000", "sum", "SUM(x)", seconds=60),
    _grouped(
        "SUM by group",
        "3 of 10 groups each",
        "sum",
        "SUM(x)",
        10,
        max_groups=3,
        runs=8_000,
        theirs=8_000,
    ),
    _plain("AVG", "uniform, 1,000", "mean", "AVG(x)"),
    _plain("AVG", "skewed, 100,000", "mean", "AVG(x)"),
    _plain("AVG", "spike, 10,000", "mean", "AVG(x)"),
    _plain("VAR", "uniform, 1,000", "variance", "VAR_POP(x)"),
    _plain("STDDEV", "skewed, 100,000", "deviation", "STDDEV_POP(x)"),
    _quantiles("uniform, 1,000", "quantile", "MEDIAN", Fraction(1, 2), draws=400, seconds=60),
    _quantiles("skewed, 100,000", "quantile", "MEDIAN", Fraction(1, 2), draws=20, seconds=20),
    _quantiles("spike, 10,000", "quantile", "MEDIAN", Fraction(1, 2), draws=100, seconds=20),
    _quantiles(
        "skewed, 100,000", "quantile", "90 % quantile", Fraction(9, 10), draws=20, seconds=20
    ),
    _quantiles("skewed, 100,000", "quantiles", "20 quantiles", *TWENTY, draws=4, seconds=20),
    _plain("MAX", "low, 1,000", "maximum", "MAX(x)", runs=4_000, theirs=4_000),
    Cell(
        "keys shown",
        "one key each",
        "keys",
        "SELECT k, COUNT(*) AS v FROM data GROUP BY k",
        runs=400,
        theirs=400,
    ),
    Cell(
        "keys shown",
        "5 keys each",
        "keys",
        "SELECT k, COUNT(*) AS v FROM data GROUP BY k",
        max_groups=5,
        runs=400,
        theirs=400,
    ),
)

_BITS: dict[str, Any] = {"low": 0, "high": 1, "biting": True}
_RATINGS: dict[str, Any] = {"low": 1, "high": 5, "max_rows": 2, "biting": True}
_AGES: dict[str, Any] = {"low": 0, "high": 120, "max_rows": 2, "biting": True}
_VISITS: dict[str, Any] = {
    "low": 0,
    "high": 100,
    "max_groups": 2,
    "runs": 8_000,
    "theirs": 8_000,
    "draws": 24,
    "biting": True,
}

# Bounds are whole, so that ours counts in steps of 1, where cutting what is scaled would show most.
# A count of rows that hold a condition is a sum of 0 and 1 to peers.
CAPPED = (
    _plain("AVG", "0 or 1, 4 rows each", "mean", "AVG(x)", **_BITS),
    _plain("SUM", "0 or 1, 4 rows each", "sum", "SUM(x)", **_BITS),
    _plain("COUNT FILTER", "0 or 1, 4 rows each", "sum", "COUNT(*) FILTER (WHERE x = 1)", **_BITS),
    _plain("COUNT", "0 or 1, 4 rows each", "count", "COUNT(*)", **_BITS, seconds=40),
    _plain(
        "COUNT beside AVG",
        "0 or 1, 4 rows each",
        "together",
        "COUNT(*) AS n, AVG(x)",
        **_BITS,
        seconds=40,
    ),
    _plain("AVG", "ratings, 7 rows each", "mean", "AVG(x)", **_RATINGS),
    _plain("SUM", "ratings, 7 rows each", "sum", "SUM(x)", **_RATINGS),
    _plain("VAR", "ratings, 7 rows each", "variance", "VAR_POP(x)", **_RATINGS),
    _plain("AVG", "ages, one giant", "mean", "AVG(x)", **_AGES),
    _plain("SUM", "ages, one giant", "sum", "SUM(x)", **_AGES, seconds=40),
    _plain("COUNT", "ages, one giant", "count", "COUNT(*)", **_AGES, seconds=40),
    _grouped("COUNT by group", "5 of 10 groups each", "count", "COUNT(*)", 10, **_VISITS),
    _grouped("SUM by group", "5 of 10 groups each", "sum", "SUM(x)", 10, **_VISITS),
    _grouped("AVG by group", "5 of 10 groups each", "mean", "AVG(x)", 10, **_VISITS),
)


def table(shape: str) -> pa.Table:
    """The data of a shape."""
    return parquet.read_table(where(shape))


def where(shape: str) -> Path:
    """The file with the data of a shape, made when it is not there; beside it lies the same for
    who reads NumPy files only.
    """
    name, _, draw = shape.partition(DRAW)
    place = list(SHAPES).index(name)
    path = FOLDER / f"cells-{MAKING}-{place}{draw and '-'}{draw}.parquet"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        rng, half_made = (
            np.random.default_rng([place, int(draw)] if draw else place),
            path.with_suffix(f".{os.getpid()}"),
        )
        columns = SHAPES[name](rng)
        np.savez(path.with_suffix(".npz"), **columns)
        parquet.write_table(pa.table(columns), half_made)
        half_made.replace(path)
    return path
