"""Statements on a Spark cluster beside the least that any bounding has to do there: a line for each
person, or for each person and key. The cluster is that of the tests: a master, two workers and a
Connect server on this machine.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst
from hedgerow.engines.spark.engine import Spark, SparkTable
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema

__all__ = ["engines"]

CLUSTER = Path(__file__).parents[1] / "tests" / "engines" / "spark" / "helpers_cluster.py"
REGIONS = tuple(f"region {number:02}" for number in range(20))
VISITS = Schema(
    "visits",
    (
        Column("region", "text", values=REGIONS),
        Column("cost", "real", Fraction(0), Fraction(1000)),
    ),
    "id",
    max_units=10_000_000,
)
MEASURES = (Measure("rows"), Measure("total", "cost", ClampedGrid(Fraction(1, 100), 0, 100_000)))
FILES = 8
TOTAL, BY_KEY = "total", "by key"
_LEAST = {
    TOTAL: "SELECT count(*), sum(n), sum(s) FROM"
    " (SELECT id, count(*) n, sum(cost) s FROM {visits} GROUP BY id)",
    BY_KEY: "SELECT region, sum(n), sum(s) FROM"
    " (SELECT id, region, count(*) n, sum(cost) s FROM {visits} GROUP BY id, region)"
    " GROUP BY region",
}
_LIMITS = {TOTAL: 2.0, BY_KEY: 2.5}


# All sections are called alike.
def engines(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Seconds of statements on Spark."""
    rows, rounds = (2_000, 1) if quick else (2_000_000, 3)
    with TemporaryDirectory() as folder:
        visits = Path(folder, "visits")
        _write_visits(visits, rows)
        found = _time_statements(visits, rounds)
    return Section(
        f"Engines: statements on Spark, {rows:,} rows of {rows // 8:,} people",
        found,
        [
            worst(
                f"Spark, {one['question']}: at most {_LIMITS[str(one['question'])]:g} times plain"
                " GROUP BY",
                _LIMITS[str(one["question"])],
                [one],
                "ours / plain",
            )
            for one in found
        ],
        [
            "Plain: GROUP BY person, or GROUP BY person and region, and a sum of what comes out.",
            "Statements alone, with Arrow results here; without noise, ledger and SQL of analysts.",
        ],
    )


def _write_visits(folder: Path, rows: int) -> None:
    folder.mkdir()
    random = np.random.default_rng(rows)
    for number in range(FILES):
        size = rows // FILES
        part = {
            "id": random.integers(0, rows // 8, size),
            "region": pa.array(REGIONS).take(pa.array(random.integers(0, len(REGIONS), size))),
            "cost": np.round(random.random(size) * 1000, 2),
        }
        parquet.write_table(pa.table(part), folder / f"{number}.parquet")


def _time_statements(visits: Path, rounds: int) -> list[Row]:
    source = Spark(_start_cluster(), {"visits": SparkTable(("parquet", str(visits)), VISITS)})
    try:
        contenders = {
            (question, side): Contender(of(work), rounds=rounds)
            for question in (TOTAL, BY_KEY)
            for side, work in _list_sides(source, question, visits).items()
        }
        names = {" ".join(name): name for name in contenders}
        times = fastest({text: contenders[name] for text, name in names.items()})
    finally:
        source.close()
    return [
        {
            "question": question,
            "engine": "Spark",
            "plain s": times[f"{question} plain"],
            "ours s": times[f"{question} ours"],
            "ours / plain": ratio(times[f"{question} ours"], times[f"{question} plain"]),
        }
        for question in (TOTAL, BY_KEY)
    ]


def _list_sides(source: Spark, question: str, visits: Path) -> dict[str, Callable[[], object]]:
    keys, domain, most = (("region",), (REGIONS,), 2) if question == BY_KEY else ((), (), 1)
    plan = Aggregate(Group(Bound(Table(VISITS), keys, most, 5), domain), MEASURES)
    sql = _LEAST[question].format(visits=f"parquet.`{visits}`")
    connection = source._connection
    return {
        "plain": lambda: connection.call(lambda session: session.sql(sql).toArrow(), 600),
        "ours": lambda: source.run(plan),
    }


def _start_cluster() -> str:
    spec = importlib.util.spec_from_file_location("spark_cluster", CLUSTER)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    address: str = module.get_address()
    return address
