from __future__ import annotations

import fcntl
import math
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.helpers_engine_answers import answer
from engines.helpers_visits import ANSWER, BY_CITY, ROWS, VISITS, question, visits
from hedgerow.engines.compile import plan as compile
from hedgerow.engines.data_source import SOURCE_FAILED
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.process.engine_process import (
    EngineProcess,
    IsolatedDuckDB,
    RequestFailed,
)
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.framing import ChannelBroken
from hedgerow.engines.statement import Statement
from hedgerow.errors import InvalidArgument, SourceError, Unsupported
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant


@pytest.fixture(scope="module")
def worker() -> Iterator[IsolatedDuckDB]:
    """One for all tests: whatever they do to it, it must answer the next one."""
    made = IsolatedDuckDB(visits(), threads=1, deadline=30)
    yield made
    made.close()


def pid(worker: IsolatedDuckDB) -> int:
    return worker._engine._process.pid


def fails(worker: IsolatedDuckDB, plan: Aggregate = BY_CITY) -> None:
    with pytest.raises(SourceError) as caught:
        worker.run(plan)
    assert str(caught.value) == SOURCE_FAILED
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_the_engine_process_answers_like_the_engine_in_this_process(worker: IsolatedDuckDB) -> None:
    here = DuckDB(visits())
    assert answer(worker, BY_CITY) == answer(here, BY_CITY) == ANSWER
    assert answer(worker, question("age", "pay")) == answer(here, question("age", "pay"))
    assert worker.schema("visits") == here.schema("visits")
    here.close()
    with pytest.raises(InvalidArgument, match="name of a registered table"):
        worker.schema("others")


def test_sandbox_layers_are_reported_also_after_a_restart(
    worker: IsolatedDuckDB,
) -> None:
    before = worker.layers
    assert [layer.name for layer in before] == ["network", "landlock", "capabilities", "seccomp"]
    assert all(layer.detail for layer in before)
    worker._engine.kill()
    assert answer(worker, BY_CITY) == ANSWER
    assert worker.layers == before


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_are_read_by_the_child(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"vïsits.{kind}"
    if kind == "csv":
        path.write_text("id,age,city,pay\n1,30,a,1.5\n1,32,a,\n2,40,b,7\n", encoding="utf-8")
    else:
        pq.write_table(
            pa.table(
                {
                    "id": [1, 1, 2],
                    "age": [30, 32, 40],
                    "city": ["a", "a", "b"],
                    "pay": [1.5, None, 7.0],
                }
            ),
            path,
        )
    worker = IsolatedDuckDB({"visits": RegisteredTable(path, VISITS)})
    assert answer(worker, BY_CITY) == {("a",): (1, 31), ("b",): (1, 40), ("z",): (0, 0)}
    worker.close()


@pytest.mark.long
def test_the_engine_process_is_killed_at_the_deadline_and_restarted() -> None:
    worker = IsolatedDuckDB(visits(), deadline=0.5)
    first = pid(worker)
    os.kill(first, signal.SIGSTOP)  # as slow as it gets
    fails(worker)
    assert not Path(f"/proc/{first}").exists()
    worker.deadline = 30.0  # so that a busy machine has the time to answer
    assert answer(worker, BY_CITY) == ANSWER
    assert pid(worker) != first
    worker.close()


def test_all_statements_of_a_question_share_its_deadline(
    worker: IsolatedDuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    within = EngineProcess.set_timeout
    monkeypatch.setattr(
        EngineProcess,
        "set_timeout",
        lambda child, seconds: (given.append(seconds), within(child, seconds)),
    )
    measures = (Measure("rows"), Measure("distinct", "age"), Measure("distinct", "pay"))
    assert answer(worker, question("city", measures=measures)) == {
        ("a",): (1, 1, 1),
        ("b",): (2, 2, 1),
        ("c",): (1, 0, 1),
    }
    assert len(given) == 3
    assert worker.deadline >= given[0] > given[1] > given[2] > 0


def test_a_child_that_died_is_started_again(worker: IsolatedDuckDB) -> None:
    first = pid(worker)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert answer(worker, BY_CITY) == ANSWER
    assert pid(worker) != first


def unread(worker: IsolatedDuckDB) -> int:
    """How much was written to the child that it has not read."""
    return int.from_bytes(
        fcntl.ioctl(worker._engine._inlet, termios.FIONREAD, bytes(4)), sys.byteorder
    )


def stopped(worker: IsolatedDuckDB) -> bool:
    """Whether every thread of the child stands still."""
    told = [(task / "stat").read_text() for task in Path(f"/proc/{pid(worker)}/task").iterdir()]
    return all(line.rpartition(")")[2].split()[0] == "T" for line in told)


def test_a_child_that_dies_while_it_answers_is_an_error_like_any_other(
    worker: IsolatedDuckDB,
) -> None:
    os.kill(pid(worker), signal.SIGSTOP)
    while not stopped(worker):  # a thread that still runs would read the question
        time.sleep(0.001)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(fails, worker)
        while not unread(worker) and not asked.done():
            time.sleep(0.001)
        os.kill(pid(worker), signal.SIGKILL)
        asked.result()
    assert answer(worker, BY_CITY) == ANSWER


def test_an_answer_of_another_shape_ends_the_child(worker: IsolatedDuckDB) -> None:
    first = pid(worker)
    with pytest.raises(ChannelBroken):
        worker._engine.run_statement(Statement("SELECT 'a' AS k, 1 AS n", ("integer",), (False,)))
    assert answer(worker, BY_CITY) == ANSWER
    assert pid(worker) != first


PLANTED = (
    f"SELECT COUNT(*) FROM read_text('{__file__}')",
    "COPY (SELECT 1) TO 'out.csv'",
    "no sql",
    "SELECT error('x')",
)


@pytest.mark.parametrize("sql", PLANTED, ids=["reads", "writes", "unread", "raises"])
def test_statements_that_fail_leave_it_alive_and_silent(sql: str, worker: IsolatedDuckDB) -> None:
    before = pid(worker)
    with pytest.raises(RequestFailed) as caught:
        worker._engine.run_statement(Statement(sql, (), (False,)))
    assert str(caught.value) == ""
    assert pid(worker) == before
    assert answer(worker, BY_CITY) == ANSWER


@pytest.mark.long
def test_memory_is_capped() -> None:
    count = 1_000_000
    data = pa.table(
        {
            "id": range(count),
            "age": [1] * count,
            "city": ["a"] * count,
            "pay": [float(i) for i in range(count)],
        }
    )
    worker = IsolatedDuckDB({"visits": RegisteredTable(data, VISITS)}, threads=1, memory=30_000_000)
    fails(worker, question("pay", caps=(1, 1)))
    few = Filter(Table(VISITS), Call(">", (ColumnRef("age"), Constant(50, "integer"))))
    assert answer(worker, Aggregate(Group(Bound(few, (), 1, 1)), (Measure("units"),))) == {(): (0,)}
    worker.close()


def test_several_threads_take_turns(worker: IsolatedDuckDB) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: answer(worker, BY_CITY), range(12))) == [ANSWER] * 12


def test_a_plan_that_cannot_be_asked_is_refused_before_the_child_hears_of_it(
    worker: IsolatedDuckDB,
) -> None:
    rows = Filter(Table(VISITS), Call("=", (ColumnRef("city"), Constant("\ud800", "text"))))
    for verb in (worker.prepare, worker.run):
        with pytest.raises(Unsupported, match="surrogate"):
            verb(Aggregate(Group(Bound(rows, (), 1, 1)), (Measure("units"),)))


def test_a_prepared_plan_is_not_compiled_again(
    worker: IsolatedDuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.prepare(BY_CITY)
    monkeypatch.setattr(compile, "compile_plan", None)
    assert answer(worker, BY_CITY) == ANSWER


@pytest.mark.long
def test_problems_of_tables_are_raised_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,id\n")
    with pytest.raises(SourceError, match=r"first line of t\.csv"):
        IsolatedDuckDB({"visits": RegisteredTable(path, VISITS)})
    path.write_text("id,age,city,pay\n1,2\n")
    with pytest.raises(SourceError, match="every line needs as many values"):
        IsolatedDuckDB({"visits": RegisteredTable(path, VISITS)})
    with pytest.raises(SourceError, match="no column city"):
        IsolatedDuckDB({"visits": RegisteredTable(pa.table({"id": [1], "age": [1]}), VISITS)})


@pytest.mark.long
def test_a_child_that_starts_again_reads_the_file_that_was_accepted_or_none(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,age,city,pay\n1,2,a,3\n")
    table = RegisteredTable(path, VISITS)
    worker = IsolatedDuckDB({"visits": replace(table, accepted_stamp=table.stamp)})
    try:
        worker._engine.kill()
        answer(worker, BY_CITY)
        worker.prepare(BY_CITY)  # the charge comes after this, and the file changes in between
        path.write_text("id,age,city,pay\n1,2,a,4\n2,2,a,3\n")
        worker._engine.kill()
        with pytest.raises(SourceError, match="failed while answering"):
            worker.run(BY_CITY)
    finally:
        worker.close()


def test_a_child_that_does_not_start_in_time_is_an_error() -> None:
    with pytest.raises(SourceError, match="could not be started, or took too long"):
        IsolatedDuckDB(visits(), opening=0.001)


def test_a_file_that_changed_its_columns_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(ROWS), path)
    worker = IsolatedDuckDB({"visits": RegisteredTable(path, VISITS)})
    pq.write_table(pa.table({**ROWS, "more": [1] * 6}), path)
    os.kill(pid(worker), signal.SIGKILL)
    os.waitid(os.P_PID, pid(worker), os.WEXITED | os.WNOWAIT)
    fails(worker)
    worker.close()


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, "60"])
def test_deadlines_are_seconds(seconds: float) -> None:
    for name in ("deadline", "opening"):
        with pytest.raises(InvalidArgument, match="must be a number of seconds above 0"):
            IsolatedDuckDB(visits(), **{name: seconds})


def test_after_closing_nothing_is_answered() -> None:
    worker = IsolatedDuckDB(visits())
    worker.close()
    worker.close()
    assert not Path(f"/proc/{pid(worker)}").exists()
    with pytest.raises(SourceError, match="is closed"):
        worker.run(BY_CITY)


SCRIPT = """
import os, sys, time
sys.path.insert(0, {path!r})
from engines.helpers_visits import BY_CITY, visits
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
worker = IsolatedDuckDB(visits())
{more}
"""
PARENT = """
print(worker._engine._process.pid, flush=True)
time.sleep(600)
"""
FORK = """
before, child = worker.run(BY_CITY).numbers[0].tolist(), worker._engine._process.pid
forked = os.fork()
after = worker.run(BY_CITY).numbers[0].tolist()
print(before == after, child == worker._engine._process.pid, flush=True)
if not forked:
    os._exit(0)
os.waitpid(forked, 0)
worker.close()
"""


def start(more: str) -> subprocess.Popen[str]:
    """A process of its own that has a worker w."""
    tests = str(Path(__file__).parents[3])
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(path=tests, more=more)],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long
def test_the_child_ends_with_its_parent() -> None:
    with start(PARENT) as parent:
        assert parent.stdout is not None
        child = Path(f"/proc/{int(parent.stdout.readline())}")
        assert child.exists()
        parent.kill()
        parent.wait()
        until = time.monotonic() + 60
        while (
            child.exists()
            and "zombie" not in (child / "status").read_text()
            and time.monotonic() < until
        ):
            time.sleep(0.01)
        assert not child.exists() or "zombie" in (child / "status").read_text()


@pytest.mark.long
def test_after_a_fork_each_process_has_a_child_of_its_own() -> None:
    with start(FORK) as process:
        assert process.stdout is not None
        lines = sorted(process.stdout.read().split("\n"))
    assert lines == ["", "True False", "True True"]
