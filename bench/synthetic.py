"""Synthetic tables: how far the tables of all pairs of ten columns are off, in how many seconds and
megabytes, against MST and AIM.

The error of a pair is the part of all rows that is out of its place (total variation). Everybody
spends epsilon 1 at delta 10^-9, through rho, and is timed from the codes in memory to the synthetic
rows.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

import hedgerow
from bench.census import Census, census
from bench.peers import Peer, Peers
from bench.peers.synthetic import MBI, MINUTES, OPENDP, asked
from bench.report import Row, Section, ratio, worst
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.zcdp_conversion import find_largest_rho
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.synthetic import synthesize
from hedgerow.release.private_table import PrivateTable

__all__ = ["error", "ours", "synthetic"]

Codes = NDArray[np.int64]

EPSILON, DELTA = Fraction(1), Fraction(1, 10**9)
ERROR, SECONDS = "ours / theirs, error", "ours / theirs, seconds"
_PEAK = """
import json, sys
import numpy as np
from bench.synthetic import ours
path, sizes, ordered = json.loads(sys.argv[1])
ours(np.load(path), sizes, ordered)
from bench.peers.worker import peak
print(peak())
"""


def error(exact: Codes, found: Codes, sizes: Sequence[int]) -> float:
    """The mean over all pairs of columns."""
    each = []
    for a, b in itertools.combinations(range(len(sizes)), 2):
        tables = [
            np.bincount(codes[:, a] * sizes[b] + codes[:, b], minlength=sizes[a] * sizes[b])
            / len(codes)
            for codes in (exact, found)
        ]
        each.append(float(np.abs(tables[0] - tables[1]).sum()) / 2)
    return float(np.mean(each))


def ours(
    codes: Codes, sizes: Sequence[int], ordered: Sequence[int] = (), *, pure: bool = False
) -> Codes:
    """Synthetic rows."""
    terms = (
        PrivacyParameters(epsilon=EPSILON)
        if pure
        else PrivacyParameters(rho=find_largest_rho(EPSILON, DELTA))
    )
    total = Loss(EPSILON) if pure else Loss(inf, rho=find_largest_rho(EPSILON, DELTA))
    purse = PrivateTable(
        ContingencyTable.from_codes(codes, tuple(sizes)), total, rows=1, relation="add-remove"
    )
    return synthesize(purse, terms, ordered=ordered).codes


def synthetic(peers: Peers, *, quick: bool = False) -> Section:
    """Errors and seconds."""
    data = census(2_000 if quick else 48_842)
    runs = 1 if quick else 5
    with TemporaryDirectory() as folder:
        path = Path(folder) / "exact.npy"
        np.save(path, data.codes)
        first = _own("hedgerow", data, runs, lambda: ours(data.codes, data.sizes, data.ordered))
        first["peak, MB"] = _peak(path, data)
        rows: list[Row] = [
            first,
            _own("hedgerow, no order told", data, runs, lambda: ours(data.codes, data.sizes)),
            _own(
                "hedgerow, pure epsilon",
                data,
                runs,
                lambda: ours(data.codes, data.sizes, data.ordered, pure=True),
            ),
            *_theirs(data, peers, path, first),
            _own("rows drawn again, not private", data, 1, lambda: _drawn_again(data)),
            _own("columns shuffled, not private", data, 1, lambda: _shuffled(data)),
        ]
    return Section(
        f"Synthetic rows: {len(data.sizes)} columns of {data.source}, {len(data.codes):,} rows,"
        f" epsilon {float(EPSILON):g}, delta {float(DELTA):g}",
        rows,
        [
            worst(
                "an error of at most 1.05 times that of MST and AIM, on mbi and in opendp",
                1.05,
                rows[3:-2],
                ERROR,
            ),
            worst("in a tenth of the peers' time", 0.1, rows[3:-2], SECONDS),
        ],
        [
            (
                "error: the part of rows out of place in the table of two columns, mean of all 45;"
                " the mean of several runs."
            ),
            (
                "Age, education and hours are ordered, which their declared bounds tell; mbi knows"
                " categories only, as does the second line."
            ),
            (
                f"Who has no table after {MINUTES} minutes is stopped. AIM has its defaults;"
                " hurried, smaller models and fewer rounds."
            ),
        ],
    )


def _own(
    who: str, data: Census, runs: int, make: Callable[[], Codes]
) -> dict[str, float | str | None]:
    errors, seconds = [], []
    for _ in range(runs):
        start = perf_counter()
        found = make()
        seconds.append(perf_counter() - start)
        errors.append(error(data.codes, found, data.sizes))
    version = hedgerow.__version__ if who.startswith("hedgerow") else "–"
    return _line(who, version, float(np.mean(errors)), min(seconds))


def _line(
    who: str, version: str, off: float | None, seconds: float | None
) -> dict[str, float | str | None]:
    return {
        "who": who,
        "version": version,
        "error": off,
        "seconds": seconds,
        "peak, MB": None,
        ERROR: None,
        SECONDS: None,
    }


# How often each is asked: the first time MST also compiles.
THEIRS: tuple[tuple[str, Peer, str, tuple[int, ...], int], ...] = (
    ("mbi, MST", MBI, "mst", (), 2),
    ("mbi, AIM", MBI, "aim", (80, 1000, 16), 1),
    ("mbi, AIM, hurried", MBI, "aim", (2, 200, 2), 1),
    ("opendp, MST on mbi", OPENDP, "mst", (), 1),
    ("opendp, AIM on mbi", OPENDP, "aim", (), 1),
)


def _theirs(data: Census, peers: Peers, path: Path, first: Row) -> list[Row]:
    """What comes out, and the seconds of the fastest run; nothing of whoever fails, and why is
    noted.
    """
    rows: list[Row] = []
    for who, peer, task, options, times in THEIRS:
        errors, answers, target = [], [], path.with_name("found.npy")
        given = (
            str(path),
            list(data.sizes),
            float(find_largest_rho(EPSILON, DELTA)),
            str(target),
            *options,
        )
        for answer in asked(peers, who, peer, task, *given, times=times):
            answers.append(answer)
            errors.append(error(data.codes, np.load(target), data.sizes))
        line = _line(who, answers[0]["version"] if answers else "–", None, None)
        if answers:
            line |= {
                "error": float(np.mean(errors)),
                "seconds": min(answer["seconds"] for answer in answers),
            }
            line["peak, MB"] = max(answer["peak"] for answer in answers)
        rows.append(
            line
            | {
                ERROR: ratio(first["error"], line["error"]),
                SECONDS: ratio(first["seconds"], line["seconds"]),
            }
        )
    return rows


def _peak(path: Path, data: Census) -> float:
    command = [sys.executable, "-c", _PEAK, json.dumps([str(path), data.sizes, data.ordered])]
    root = Path(__file__).parents[1]
    return float(
        subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout
    )


def _drawn_again(data: Census) -> Codes:
    """As far as a second survey of as many people would be off."""
    return data.codes[np.random.default_rng().integers(0, len(data.codes), len(data.codes))]


def _shuffled(data: Census) -> Codes:
    """Every column as it is, and no dependence."""
    rng = np.random.default_rng()
    return np.stack([rng.permutation(column) for column in data.codes.T], axis=1)
