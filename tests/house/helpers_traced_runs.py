"""Real runs whose way through the modules is traced: a question, a publication, a local report and
a proof.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pyarrow as pa

import hedgerow
from hedgerow.local import Client, Metric
from hedgerow.local.collector.app import parse_addition
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.decode.value_estimates import detect_values
from hedgerow.local.protocols import KAry
from hedgerow.local.report_batch import ReportBatch
from hedgerow.verify import laplace, mechanism, private, public

Run = Callable[[], object]
SRC = Path(hedgerow.__file__).parent
SQL = "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age FROM data GROUP BY region"


@mechanism(epsilon="eps", neighbours="one")
def noisy_sum(q: private[list], size: public[int], eps: public[float]) -> Any:
    total = 0
    for i in range(size):
        total += q[i]
    return total + laplace(1 / eps)


@contextmanager
def traced_modules() -> Iterator[list[str]]:
    """Record the modules of the package in the order in which a function of each is first called;
    classes and modules that are only being defined do not count.
    """
    entered: dict[str, None] = {}
    inside = f"{SRC}/"

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & CO_OPTIMIZED and code.co_filename.startswith(inside):
            entered.setdefault(code.co_filename.removeprefix(inside))

    found: list[str] = []
    before = sys.getprofile()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(before)
        found += entered


def prepare_question(folder: Path) -> Run:
    """Protect a table and ask it one question; the next one is traced."""
    db = _protect(folder)
    db.query("SELECT COUNT(*) FROM data", epsilon=0.1)
    return lambda: db.query(SQL, epsilon=0.5)


def prepare_publication(folder: Path) -> Run:
    """Protect a table and start its engine; a histogram is traced."""
    db = _protect(folder)
    db.query("SELECT COUNT(*) FROM data", epsilon=0.1)
    return lambda: db.publish.histogram("data", "region", epsilon=1).to(folder / "publication")


def prepare_local_report(folder: Path) -> Run:
    """Make a client and a store; reporting, collecting and decoding are traced."""
    metric = Metric.of("colour", KAry.calibrate(domain=3, epsilon=1))
    client, store = Client(metric, folder / "client.json"), CounterStore(folder / "counters.db")

    def report() -> None:
        records = np.frombuffer(client.report(2), np.uint8).reshape(1, -1)
        body = ReportBatch(metric.hash, records).to_bytes()
        calendar = EpochCalendar((metric,))
        store.add([parse_addition(calendar, "application/octet-stream", "k" * 16, body)])
        detect_values(metric, store.read_counters(metric))

    return report


def prepare_proof(_: Path) -> Run:
    """Trace the proof of a mechanism."""
    return noisy_sum.verify


def _protect(folder: Path) -> Any:
    rows = pa.table(
        {"id": range(100), "age": [20 + i % 50 for i in range(100)], "region": ["n", "s"] * 50}
    )
    return hedgerow.protect(
        rows,
        unit="id",
        neighbours="add-remove",
        columns={"age": (0, 110), "region": ["n", "s"]},
        epsilon=10,
        max_groups=1,
        max_rows_per_group=1,
        ledger=folder / "data.ledger",
    )


RUNS: dict[str, Callable[[Path], Run]] = {
    "A question": prepare_question,
    "A publication": prepare_publication,
    "A local report": prepare_local_report,
    "A proof": prepare_proof,
}
