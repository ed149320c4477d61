"""Quantiles: how long a median takes and how many ranks it is off, against peers and against
other methods on data of four shapes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.report import Row, Section, Target, ratio, worst
from hedgerow.advisor import Option, choose
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["LOWER", "SHAPES", "UPPER", "median", "rank_error", "releases", "shapes"]

Floats = NDArray[np.float64]

LOWER, UPPER = 0.0, 1000.0
HALF = Fraction(1, 2)
SHAPES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "skewed": lambda rng, n: rng.lognormal(3, 1, n),
    "heavy-tailed": lambda rng, n: 10 * (1 + rng.pareto(1, n)),
    "tied": lambda rng, n: rng.integers(0, 12, n) * 10.0,
    "spiked": lambda rng, n: np.where(rng.random(n) < 0.3, 20.0, rng.lognormal(3, 1, n)),
}
_MEMORY = """
import numpy as np
from bench.peers.worker import peak
from hedgerow.mechanisms.selection.quantiles import Quantiles
values = np.random.default_rng(1).lognormal(3, 1, {n})
before = peak()
quantiles = Quantiles.calibrate(at=[0.25, 0.5, 0.75], neighbours="add-remove", epsilon=1)
quantiles.sample(values, lower=0.0, upper=1000.0)
after = peak()
print(after, (after - before) * 2**20 / values.nbytes)
"""


def median(peers: Peers, *, quick: bool = False) -> Section:
    """Milliseconds, ranks and megabytes."""
    n, rounds, runs, large = (2_000, 1, 5, 20_000) if quick else (1_000_000, 5, 300, 10_000_000)
    values = _spiked(n)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "values.npy")
        np.save(path, values)
        release, smooth = _times(peers, values, path, rounds)
        ranks = [
            _ranks(peers, values, path, epsilon, relation, runs)
            for epsilon in (1, 0.1)
            for relation in ("add-remove", "change-one")
        ]
    memory = _memory(large)
    return Section(
        f"Median of {n:,} skewed values with a spike",
        [release, smooth, *ranks, memory],
        [
            worst(
                "a release at least 10 times faster than diffprivlib",
                10,
                [release],
                "diffprivlib / ours",
                at_least=True,
            ),
            worst("smooth sensitivity in less than 20 times np.sort", 20, [smooth], "ours / numpy"),
            worst(
                "no more ranks off than diffprivlib and opendp", 1, ranks[::2], "ours / best peer"
            ),
            worst(
                "quantiles in less than 20 times the memory of the data",
                20,
                [memory],
                "ours / numpy",
            ),
        ],
        [
            "numpy: np.sort, and the size of the data. opendp: 1,001 evenly spaced candidates.",
            (
                "diffprivlib does not say for which neighbours; its choice has the law of ours"
                " under change-one."
            ),
            f"Ranks: the mean of {runs} releases of ours, 10 of theirs.",
            (
                f"Memory: what three quantiles of {large:,} values add to the peak of the process,"
                " in sizes of the data."
            ),
        ],
        [
            ("what", "how", "hedgerow", "numpy", "diffprivlib", "opendp"),
            ("what", "how", "ours / numpy", "diffprivlib / ours", "ours / best peer"),
        ],
    )


def _spiked(n: int) -> Floats:
    """The spike lies beside the median: inside it everybody would be exact."""
    rng = np.random.default_rng(1)
    return np.clip(np.where(rng.random(n) < 0.1, 50.0, rng.lognormal(3, 1, n)), LOWER, UPPER)


def _row(
    what: str,
    how: str,
    ours: float | None,
    numpy: float | None,
    diffprivlib: float | None,
    opendp: float | None,
) -> Row:
    best = min((peer for peer in (diffprivlib, opendp) if peer is not None), default=None)
    return {
        "what": what, "how": how, "hedgerow": ours, "numpy": numpy, "diffprivlib": diffprivlib,
        "opendp": opendp,
        "ours / numpy": ratio(ours, numpy), "diffprivlib / ours": ratio(diffprivlib, ours),
        "ours / best peer": ratio(ours, best),
    }  # fmt: skip


def _times(peers: Peers, values: Floats, path: str, rounds: int) -> tuple[Row, Row]:
    mechanism, smooth = (
        Quantiles.calibrate(at=HALF, neighbours="add-remove", epsilon=1),
        Quantile(HALF, "change-one"),
    )
    taken = fastest(
        {
            "release": Contender(
                of(lambda: mechanism.sample(values, lower=LOWER, upper=UPPER)), rounds=rounds
            ),
            "smooth": Contender(
                of(
                    lambda: smooth.smooth_sensitivity(
                        SortedSample.from_values(values, lower=LOWER, upper=UPPER), Fraction(1, 6)
                    )
                ),
                rounds=rounds,
            ),
            "numpy": Contender(of(lambda: np.sort(values)), rounds=rounds),
            "diffprivlib": Contender(
                peers.round("diffprivlib", "median", path, 1, LOWER, UPPER), rounds=2
            ),
            "opendp": Contender(peers.round("opendp", "median", path, 1, LOWER, UPPER), rounds=2),
        }
    )
    ms = {name: None if seconds is None else seconds * 1e3 for name, seconds in taken.items()}
    return (
        _row(
            "release, ms",
            "from an array",
            ms["release"],
            ms["numpy"],
            ms["diffprivlib"],
            ms["opendp"],
        ),
        _row("smooth sensitivity, ms", "from an array", ms["smooth"], ms["numpy"], None, None),
    )


def _ranks(
    peers: Peers, values: Floats, path: str, epsilon: float, relation: str, runs: int
) -> Row:
    column = SortedSample.from_values(values, lower=LOWER, upper=UPPER)
    mechanism = Quantiles.calibrate(at=HALF, neighbours=relation, epsilon=epsilon)
    ours = float(np.mean([rank_error(column, mechanism.sample(column)) for _ in range(runs)]))
    theirs: dict[str, float | None] = {}
    for name in ("diffprivlib", "opendp"):
        answers = [
            peers.ask(name, "median", path, epsilon, LOWER, UPPER).get("value")
            for _ in range(10 if name in peers.workers else 0)
        ]
        found = [rank_error(column, answer) for answer in answers if answer is not None]
        theirs[name] = float(np.mean(found)) if found else None
    return _row(
        "ranks off",
        f"epsilon {epsilon:g}, {relation}",
        ours,
        None,
        theirs["diffprivlib"],
        theirs["opendp"],
    )


def rank_error(column: SortedSample, z: float) -> float:
    """How many ranks z is from holding the median."""
    at = np.array([z / float(column.grid)])
    below, up_to, half = (
        int(column.count_below(at)[0]),
        int(column.count_up_to(at)[0]),
        len(column) / 2,
    )  # type: ignore[arg-type]
    return max(below - half, half - up_to, 0.0)


def _memory(n: int) -> Row:
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY.format(n=n)], capture_output=True, text=True, check=True
    )
    peak, times = map(float, done.stdout.split())
    return {
        **_row("memory, MB", f"quartiles of {n:,}", peak, n * 8 / 2**20, None, None),
        "ours / numpy": times,
    }


# All sections are called alike.
def shapes(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Mean rank errors."""
    sizes, runs = ((200,), 3) if quick else ((1_000, 10_000, 100_000, 1_000_000), 200)
    rows = [
        _shape(shape, n, epsilon, runs) for epsilon in (1.0, 0.1) for n in sizes for shape in SHAPES
    ]
    good = [
        shape
        for shape in SHAPES
        if all(row["within"] == "yes" for row in rows if row["shape"] == shape)
    ]
    return Section(
        "Median: mean ranks off, by method, for data of four shapes under add-remove",
        rows,
        [
            Target(
                "the chosen method within 20 % and one rank of the best, on three shapes of four",
                3,
                float(len(good)),
                ", ".join(good),
                True,
            ),
            worst(
                "global Laplace noise at least 10 times worse than the chosen method",
                10,
                rows,
                "laplace / chosen",
                at_least=True,
            ),
        ],
        [
            (
                f"{runs} releases each, bounds 0 and 1,000. The chooser sees the bounds, n and"
                " epsilon, and no data."
            ),
            "Within: whether the chosen method is within 20 % and one rank of the best.",
        ],
        [
            ("shape", "n", "epsilon", "exponential", "inverse", "smooth", "laplace"),
            ("shape", "n", "epsilon", "chosen", "within", "laplace / chosen"),
        ],
    )


def _shape(shape: str, n: int, epsilon: float, runs: int) -> Row:
    column = SortedSample.from_values(
        SHAPES[shape](np.random.default_rng(n), n), lower=LOWER, upper=UPPER
    )
    choice = choose(
        "median", lower=LOWER, upper=UPPER, epsilon=epsilon, n=n, neighbours="add-remove"
    )
    found = {
        o.method: float(np.mean([rank_error(column, z) for z in releases(o, column, runs)]))
        for o in choice.options
    }
    chosen, best = found[choice.best.method], min(found.values())
    return {
        "shape": shape,
        "n": f"{n:,}",
        "epsilon": f"{epsilon:g}",
        "chosen": choice.best.method,
        **{method.partition(",")[0]: off for method, off in found.items()},
        "within": "yes" if chosen <= 1.2 * best + 1 else "no",
        "laplace / chosen": found["laplace"] / max(chosen, 0.1),
    }


def releases(option: Option, column: SortedSample, runs: int) -> list[float]:
    """Medians by one method, moved into the range."""
    quantile, mechanism = Quantile(HALF, "add-remove"), option.mechanism
    exact = quantile.value(column) * float(column.grid)
    release: Callable[[], Any]
    if option.method == "exponential":
        release = lambda: mechanism.sample(column)  # noqa: E731
    elif option.method == "inverse":
        release = lambda: mechanism.quantile(quantile, column)  # noqa: E731
    elif option.method == "laplace":
        release = lambda: mechanism.sample(exact)  # noqa: E731
    else:
        scale = quantile.smooth_sensitivity(column, mechanism.beta) * column.grid
        release = lambda: mechanism.sample(exact, scale)  # noqa: E731
    return [min(max(float(release()), LOWER), UPPER) for _ in range(runs)]
