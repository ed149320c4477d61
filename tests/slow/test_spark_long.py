"""Spark at length: against the reference, on neighbours, and while a worker is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import hedgerow as hr
from database.attacks.raising import QUIET, RAISING
from database.attacks.test_errors_carry_no_data import FORMS, outcome
from engines.helpers_engine_answers import answer, expected
from engines.helpers_plans import plans
from engines.helpers_worlds import worlds
from engines.spark.helpers_cluster import Cluster, prepare
from engines.spark.helpers_neighbours import open_pair, seek_in_cluster
from engines.spark.helpers_worlds import ClusterRanks, open_world, write_table
from hedgerow.engines.data_source import Cells
from hedgerow.engines.spark.engine import Spark
from hedgerow.errors import SourceError, Unbounded, Unsupported
from hedgerow.plan.nodes import Aggregate


@given(data=st.data())
@settings(max_examples=20, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_two_hundred_plans_have_the_numbers_of_the_reference(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    ranks: Any = ClusterRanks()
    world = data.draw(worlds(30))
    source = open_world(world, tmp_path_factory.mktemp("world"), files=3)
    try:
        for _ in range(10):
            plan = data.draw(plans(world))
            try:
                source.prepare(plan)
            except Unsupported:
                continue
            assert answer(source, plan) == expected(world, plan, ranks)
    finally:
        source.close()


def test_no_neighbour_moves_cells_further_than_declared(tmp_path: Path) -> None:
    pairs, violations = seek_in_cluster("spark at length", 200, tmp_path)
    assert violations == []
    assert pairs >= 200


def test_outcomes_do_not_distinguish_neighbouring_data_sets(tmp_path: Path) -> None:
    pairs = [
        form.replace("{}", expression)
        for place, expression in enumerate([*RAISING, *QUIET])
        for form in (FORMS[place % 5], FORMS[(place + 1) % 5])
    ]
    assert len(pairs) >= 200
    answered = 0
    with open_pair(tmp_path) as (calm, poisoned):
        for sql in pairs:
            one, other = outcome(calm, sql), outcome(poisoned, sql)
            assert one == other, sql
            assert one[0] in ("answered", "exact", Unsupported, Unbounded), sql
            answered += one[0] == "answered"
    assert answered >= 30


POLICY = """
[database]
name = "clinic"
engine = "{address}"
[budget]
epsilon = 1000
[tables.visits]
source = "{folder}"
unit = "id"
neighbours = "add-remove"
max_groups = 2
max_rows_per_group = 5
max_units = 10_000_000
[tables.visits.columns]
region = {{ values = [{regions}] }}
cost = {{ type = "real", min = 0, max = 1000, step = 0.01 }}
"""
REGIONS = [f"r{number}" for number in range(20)]
SQL = "SELECT region, COUNT(*) AS n, SUM(cost) AS cost FROM visits WHERE cost > {} GROUP BY region"


def write_visits(folder: Path, rows: int) -> None:
    random = np.random.default_rng(1)
    table = pa.table(
        {
            "id": random.integers(0, rows // 8, rows),
            "region": pa.array(REGIONS).take(pa.array(random.integers(0, 20, rows))),
            "cost": random.random(rows) * 1000,
        }
    )
    write_table(table, folder, 24)


def kill_worker(cluster: Cluster) -> None:
    """Kill a worker and its executor, without a farewell."""
    worker = cluster.processes["worker0"].pid
    found = subprocess.run(["pgrep", "-P", str(worker)], capture_output=True, text=True, check=True)
    for pid in [worker, *map(int, found.stdout.split())]:
        os.kill(pid, signal.SIGKILL)
    cluster.processes["worker0"].wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of its own."""
    prepare()
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    try:
        cluster.wait()
        yield cluster
    finally:
        cluster.stop()


def test_a_killed_worker_costs_time_or_one_charge_and_never_a_second_release(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, run = list[tuple[Aggregate, Cells]](), Spark.run

    def record(source: Spark, plan: Aggregate) -> Cells:
        cells = run(source, plan)
        seen.append((plan, cells))
        return cells

    monkeypatch.setattr(Spark, "run", record)
    write_visits(tmp_path / "visits", 1_000_000)
    (tmp_path / "clinic.toml").write_text(
        POLICY.format(
            address=cluster.address,
            folder=tmp_path / "visits",
            regions=", ".join(f'"{name}"' for name in REGIONS),
        )
    )

    def ask(least: int) -> float:
        began = time.monotonic()
        with contextlib.suppress(SourceError):  # the charged failure
            db.query(SQL.format(least), epsilon=1)
        return time.monotonic() - began

    with hr.open(tmp_path / "clinic.toml", deadline=300) as db:
        ask(1)
        before = len(db.ledger.entries())
        undisturbed = ask(2)
        killer = threading.Timer(undisturbed / 3, kill_worker, [cluster])
        killer.start()
        killed = ask(3)
        killer.join()
        kinds = [entry.kind for entry in db.ledger.entries()[before:]]
        assert kinds.count("charge") == 2
        assert kinds.count("answer") == len(seen) - 1
        assert killed < 300
        print(f"undisturbed {undisturbed:.1f} s, killed {killed:.1f} s, {len(seen)} answered")
        cluster.start_worker(0)
        plan, cells = seen[-1]
        again = run(db.source, plan)  # type: ignore[arg-type]
        assert list(map(list, again.keys)) == list(map(list, cells.keys))
        assert [one.tolist() for one in again.numbers] == [one.tolist() for one in cells.numbers]
