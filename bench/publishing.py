"""Publishing: running totals and ranges against other ways to measure them, and what marginals
and histograms cost as they grow.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from time import perf_counter

import numpy as np

from bench.peers import Peers
from bench.report import Row, Section, Target, ratio, worst
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.hierarchical_tree import RangeTree, RangeWorkload
from hedgerow.publish.strategies.prefix_sums import BinaryTree, list_prefix_strategies

__all__ = ["publishing", "sums"]

WAY, SIZE, OFF, TIMES = "way", "codes", "rms error", "times ours"
OPENDP = "opendp, b-ary tree, consistent"


def sums(peers: Peers, *, quick: bool = False) -> Section:
    """rms errors of running totals under Gaussian noise, and of all ranges under Laplace noise."""
    size, codes, runs = (64, 32, 3) if quick else (4096, 1024, 60)
    rho, epsilon = Fraction(1, 2), Fraction(1)
    prefix = [
        _row(f"running totals, {way.name}", size, _rms(way))
        for way in list_prefix_strategies(size, PrivacyParameters(rho=rho))
    ]
    best = prefix[0][OFF]
    prefix.insert(
        1, _row("running totals, least that any factorisation can have", size, _least(size, rho))
    )
    plain = next(
        _rms(way)
        for way in list_prefix_strategies(size, PrivacyParameters(rho=rho))
        if isinstance(way, BinaryTree)
    )
    tree = RangeTree.plan(0, RangeWorkload.all_ranges(codes), PrivacyParameters(epsilon=epsilon))
    ranges = [_row(f"ranges, {tree.name}", codes, _rms(tree))]
    for branching in (2, 4, 16):
        found = peers.ask("opendp", "ranges", codes, branching, float(epsilon), runs).get("value")
        ranges.append(
            _row(f"ranges, {OPENDP}, {branching}", codes, math.sqrt(found) if found else None)
        )
    for rows in (prefix, ranges):
        for row in rows:
            row[TIMES] = ratio(row[OFF], rows[0][OFF])
    return Section(
        "Sums: running totals (rho 1/2) and all ranges (epsilon 1), one row a unit, add-remove",
        [*prefix, *ranges],
        [
            Target(
                "running totals at least 2.4 times below the plain binary tree",
                2.4,
                ratio(plain, best),
                at_least=True,
            ),
            Target(
                "running totals within 5 % of the least possible", 1.05, ratio(best, prefix[1][OFF])
            ),
            worst("ranges below opendp's consistent trees", 1.0, ranges[1:], TIMES, at_least=True),
        ],
        [
            (
                "Ours are exact, from the variances that are told beforehand; opendp's are measured"
                " over runs on empty data."
            ),
            (
                "Least possible: the sum of the singular values of the matrix of all sums, a bound"
                " that no factorisation goes below."
            ),
        ],
    )


def _row(way: str, size: int, off: float | None) -> dict[str, float | str | None]:
    return {WAY: way, SIZE: float(size), OFF: off, TIMES: None}


def _rms(design: object) -> float:
    return math.sqrt(float(design.variances().mean()))  # type: ignore[attr-defined]


def _least(size: int, rho: Fraction) -> float:
    """A = LR has the error |L|_F/sqrt(n) times the longest column of R, at least |R|_F/sqrt(n); and
    |L|_F |R|_F is at least the sum of the singular values of A."""
    angles = (2 * np.arange(1, size + 1) - 1) * math.pi / (4 * size + 2)
    singular = 1 / (2 * np.sin(angles))
    return float(singular.sum() / size / math.sqrt(2 * float(rho)))


_SCALE = """
import json, sys, time
import numpy as np, pyarrow
from fractions import Fraction
from hedgerow.plan.contingency_table import Tabulated
from hedgerow.publish.kinds.marginals import crosstabs
from hedgerow.publish.kinds.histogram import histogram
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.privacy_parameters import Terms
from bench.peers.worker import peak
from hedgerow.release.private_table import Purse

kind, many, rows = json.loads(sys.argv[1])
terms = Terms(rho=Fraction(1, 10)) if kind == "marginals" else Terms(epsilon=Fraction(1))
if kind == "marginals":
    domain = Domain(tuple(Attribute(f"c{n}", "integer", tuple(range(10))) for n in range(many)))
else:
    edges = tuple(map(Fraction, range(many // 1000 + 1)))
    codes = tuple(range(1000))
    domain = Domain((Attribute("x", "real", edges=edges), Attribute("y", "integer", codes)))
data = np.random.default_rng(1).integers(0, 2**31, (rows, len(domain.sizes)))
data = data % np.array(domain.sizes)
table = Tabulated.of(data, domain.sizes)
start = time.perf_counter()
sketch = crosstabs(terms, domain) if kind == "marginals" else histogram(terms, domain)
planned = time.perf_counter() - start
made = sketch.build(Purse(table, sketch.total, rows=1, relation="add-remove"))
whole = time.perf_counter() - start
print(json.dumps([planned, whole, peak(), made.table.num_rows]))
"""


# All sections are called alike.
def publishing(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Seconds and megabytes of two-way marginals as attributes are added, and of histograms as
    cells are.
    """
    rows = 1_000 if quick else 1_000_000
    asked = [("marginals", many) for many in ((3, 5) if quick else (10, 30, 100))]
    asked += [("histogram", many) for many in ((2_000,) if quick else (10**5, 10**6, 10**7))]
    found = [_scaled(kind, many, rows) for kind, many in asked]
    largest = [row for row in found if row["kind"] == "marginals"][-1:]
    cells = [row for row in found if row["kind"] == "histogram"][-1:]
    return Section(
        f"Publishing: two-way marginals of attributes of 10 codes, and histograms, of {rows:,}"
        " rows",
        found,
        [
            worst("marginals of 100 attributes within 5 minutes", 300, largest, "seconds"),
            worst("in less than 4 GB", 4096, largest, "MB"),
            worst("a histogram of 10^7 cells within 10 seconds", 10, cells, "seconds"),
        ],
        [
            (
                "All in one process, from the table of codes to the published table: planning,"
                " measuring, least squares, intervals."
            ),
            (
                "Counting: numpy's bincount of the same rows, and an Arrow table of the counts with"
                " the same attribute columns."
            ),
        ],
    )


def _scaled(kind: str, many: int, rows: int) -> Row:
    asked = json.dumps([kind, many, rows])
    done = subprocess.run(
        [sys.executable, "-c", _SCALE, asked], capture_output=True, text=True, check=True
    )
    planned, whole, memory, lines = json.loads(done.stdout)
    plain = _counted(many, rows) if kind == "histogram" else None
    return {
        "kind": kind,
        "attributes or cells": float(many),
        "lines": float(lines),
        "planning, s": planned,
        "seconds": whole,
        "MB": memory,
        "times counting": ratio(whole, plain),
    }


def _counted(many: int, rows: int) -> float:
    """Seconds to count the same cells, and to tell them, with no privacy."""
    import pyarrow as pa

    codes = np.random.default_rng(1).integers(0, many, rows)
    start = perf_counter()
    counts = np.bincount(codes, minlength=many)
    x, y = np.repeat(np.arange(many // 1000), 1000), np.tile(np.arange(1000), many // 1000)
    pa.table({"x_from": x, "x_to": x + 1, "y": y, "count": counts})
    return perf_counter() - start
