"""The store: a batch counts once and whole, and is on disk before it is acknowledged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry

METRIC = Metric.of("colour", KAry(3, 40_000), epoch=5)
OTHER = Metric.of("shape", KAry(2, 40_000))


def one(key: str, *counters: int, metric: Metric = METRIC) -> BatchCounters:
    return BatchCounters(metric, key.encode(), np.array(counters, np.int64))


@pytest.fixture
def store(tmp_path: Path) -> CounterStore:
    return CounterStore(tmp_path / "counts")


def test_batches_add_up_and_survive(store: CounterStore) -> None:
    assert store.read_counters(METRIC).tolist() == [0, 0, 0, 0]
    assert store.add(
        [one("a", 1, 0, 2, 3), one("b", 1, 1, 0, 2), one("c", 4, 1, 5, metric=OTHER)]
    ) == [True, True, True]
    assert store.add([one("d", 0, 0, 1, 1)]) == [True]
    store.close()
    with CounterStore(store.path, create=False) as again:
        assert again.read_counters(METRIC).tolist() == [2, 1, 3, 6]
        assert again.read_counters(OTHER).tolist() == [4, 1, 5]
        assert again.list_metrics() == [METRIC, OTHER]
        assert (
            again.count_reports(METRIC),
            again.count_reports(OTHER),
            again.count_reports(replace(METRIC, epoch=4)),
        ) == (6, 5, 0)


def test_a_key_is_counted_once(store: CounterStore) -> None:
    assert store.add([one("a", 1, 0, 0, 1), one("a", 1, 0, 0, 1)]) == [True, False]
    assert store.add([one("a", 0, 9, 0, 9), one("b", 0, 1, 0, 1)]) == [False, True]
    store.close()
    with CounterStore(store.path) as again:
        assert again.add([one("b", 0, 1, 0, 1)]) == [False]
        assert again.read_counters(METRIC).tolist() == [1, 1, 0, 2]
        # keys of different metrics do not meet
        assert again.add([one("a", 1, 0, 1, metric=OTHER)]) == [True]


def test_epochs_are_apart(store: CounterStore) -> None:
    later = replace(METRIC, epoch=6)
    store.add([one("a", 1, 0, 0, 1), one("a", 0, 2, 0, 2, metric=later)])
    assert store.read_counters(METRIC).tolist() == [1, 0, 0, 1]
    assert store.read_counters(later).tolist() == [0, 2, 0, 2]
    assert store.list_metrics() == [METRIC, later]


def test_many_counters_lie_in_pieces_of_which_few_are_written(store: CounterStore) -> None:
    wide = Metric.of("word", KAry(1_800, 40_000))
    total = np.zeros(1_801, np.int64)
    for turn, codes in enumerate([[0, 511, 512], [5], [1_799, 1_799], list(range(1_800))]):
        counters = np.append(np.bincount(codes, minlength=1_800), len(codes)).astype(np.int64)
        total += counters
        before = store._require_connection().total_changes()
        store.add([BatchCounters(wide, b"%d" % turn, counters)])
        # A row for the key, one for the metric at first, and one for each piece; the last has the
        # number of reports.
        assert (
            store._require_connection().total_changes() - before
            == [1 + 1 + 3, 1 + 2, 1 + 1, 1 + 4][turn]
        )
        assert np.array_equal(store.read_counters(wide), total)


def test_a_transaction_that_fails_leaves_nothing(store: CounterStore) -> None:
    store.add([one("a", (1 << 62) - 1, 0, 0, 1)])
    with pytest.raises(Refused, match=r"less than 2\^62"):
        store.add([one("c", 0, 0, 0, 1, metric=replace(METRIC, epoch=0)), one("c", 1, 0, 0, 1)])
    assert store.list_metrics() == [METRIC]
    assert store.read_counters(METRIC).tolist() == [(1 << 62) - 1, 0, 0, 1]
    assert store.add([one("c", 0, 1, 0, 1, metric=replace(METRIC, epoch=0))]) == [True]


def test_two_shards_merged_equal_one(tmp_path: Path) -> None:
    scheme = METRIC.scheme
    batches = [scheme.aggregate(scheme.encode(np.arange(50) % 3)) for _ in range(12)]
    whole, left, right = (CounterStore(tmp_path / name) for name in ("whole", "left", "right"))
    for number, counters in enumerate(batches):
        addition = BatchCounters(METRIC, b"key %d" % number, counters)
        whole.add([addition])
        (left if number % 3 else right).add([addition])
    right.add([one("only here", 1, 2, 3, metric=OTHER)])
    left.merge(right)
    assert np.array_equal(left.read_counters(METRIC), whole.read_counters(METRIC))
    assert left.read_counters(METRIC)[-1] == 600
    assert left.read_counters(OTHER).tolist() == [1, 2, 3]
    assert (
        left.add(
            [
                BatchCounters(METRIC, b"key %d" % number, counters)
                for number, counters in enumerate(batches)
            ]
        )
        == [False] * 12
    )


def test_a_batch_in_both_shards_is_found(tmp_path: Path) -> None:
    left, right = CounterStore(tmp_path / "left"), CounterStore(tmp_path / "right")
    left.add([one("a", 1, 0, 0, 1)])
    right.add([one("b", 0, 1, 0, 1), one("a", 1, 0, 0, 1)])
    with pytest.raises(Refused, match="have a batch in common"):
        left.merge(right)
    assert left.read_counters(METRIC).tolist() == [1, 0, 0, 1]
    assert left.add([one("b", 0, 1, 0, 1)]) == [True]  # not even its key was taken


def test_the_same_shard_is_not_added_twice(tmp_path: Path) -> None:
    left, right = CounterStore(tmp_path / "left"), CounterStore(tmp_path / "right")
    right.add([one("a", 1, 0, 0, 1)])
    left.merge(right)
    for again in (right, left):
        with pytest.raises(Refused, match="merged before"):
            left.merge(again)
    assert left.read_counters(METRIC).tolist() == [1, 0, 0, 1]


def test_nothing_of_a_key_can_be_read(store: CounterStore) -> None:
    store.add([one(f"alice@example.org/{number}", 1, 0, 0, 1) for number in range(9)])
    held = b"".join(file.read_bytes() for file in store.path.parent.iterdir())
    assert b"alice" not in held
    db = store._require_connection()
    marks = [mark for (mark,) in db.execute("SELECT key FROM batches")]
    # in no order of arrival, and there is no hidden number of a row that would tell it
    assert marks == sorted(marks)
    assert {len(mark) for mark in marks} == {16}
    columns = {
        name
        for (name,) in db.execute(
            "SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'"
        )
    }
    assert columns == {"hash", "epoch", "spec", "piece", "sums", "key"}


def test_every_commit_is_synced(store: CounterStore) -> None:
    db = store._require_connection()
    assert db.execute("PRAGMA synchronous").get == 2  # FULL
    assert db.execute("PRAGMA journal_mode").get == "wal"
    assert store.path.stat().st_mode & 0o777 == 0o600


def test_threads_and_processes_share_it(store: CounterStore) -> None:
    stores = [store, store, CounterStore(store.path)]

    def work(number: int) -> None:
        for turn in range(20):
            stores[number].add([one(f"{number} {turn}", 1, 0, 0, 1)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read_counters(METRIC).tolist() == [60, 0, 0, 60]


@pytest.mark.parametrize(
    ("key", "counters", "told"),
    [
        ("", np.zeros(4, np.int64), "key must not be empty"),
        ("a", np.zeros(3, np.int64), "must be 4 whole numbers"),
        ("a", np.zeros(4, np.int32), "must be 4 whole numbers"),
    ],
)
def test_an_addition_fits_its_metric(key: str, counters: np.ndarray, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        BatchCounters(METRIC, key.encode(), counters)


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="There is no store"):
        CounterStore(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()
    with pytest.raises(SourceError, match=r"folder .* does not exist"):
        CounterStore(tmp_path / "no" / "store")
    text = tmp_path / "text"
    text.write_bytes(b"not a database, and long enough to be looked at as one" * 100)
    with pytest.raises(SourceError, match="not a store, or is damaged"):
        CounterStore(text)
    foreign = tmp_path / "foreign"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE people (name TEXT)")
    db.close()
    before = foreign.read_bytes()
    with pytest.raises(SourceError, match="not a store of this version"):
        CounterStore(foreign)
    assert foreign.read_bytes() == before


def test_damaged_counters_are_noticed(store: CounterStore) -> None:
    store.add([one("a", 1, 0, 0, 1)])
    for change in ("sums = x'00'", "piece = 1"):
        store._require_connection().execute(f"UPDATE counters SET {change}")
        with pytest.raises(SourceError, match="does not fit its protocol"):
            store.read_counters(METRIC)
    store._require_connection().execute("DROP TABLE counters")
    with pytest.raises(SourceError, match="is damaged"):
        store.read_counters(METRIC)


def test_a_closed_or_busy_store_says_so(store: CounterStore) -> None:
    other = CounterStore(store.path, wait=0.01)
    store._require_connection().execute("BEGIN IMMEDIATE")
    with pytest.raises(SourceError, match="locked by another process"):
        other.add([one("a", 1, 0, 0, 1)])
    store._require_connection().execute("ROLLBACK")
    store.close()
    store.close()
    with pytest.raises(SourceError, match="is closed"):
        store.read_counters(METRIC)


def test_nobody_else_begins_to_write_while_somebody_looks(store: CounterStore) -> None:
    other = apsw.Connection(str(store.path))
    other.set_busy_timeout(0)
    with store._transaction(), pytest.raises(apsw.BusyError):
        other.execute("BEGIN IMMEDIATE")
    other.close()


def test_a_full_or_broken_disk_says_so(store: CounterStore) -> None:
    store._require_connection().execute("PRAGMA max_page_count = 1")
    with pytest.raises(SourceError, match=r"is on a full disk"):
        store.add([one(str(number), 1, 0, 0, 1) for number in range(2_000)])
    assert store.read_counters(METRIC).tolist() == [0, 0, 0, 0]
    store._require_connection().execute("PRAGMA query_only = 1")
    with pytest.raises(SourceError, match="cannot be read or written"):
        store.add([one("a", 1, 0, 0, 1)])


def test_a_forked_child_opens_it_anew(store: CounterStore) -> None:
    child = os.fork()
    if child == 0:
        try:
            store.read_counters(METRIC)
        except SourceError as error:
            os._exit(7 if "another process" in str(error) else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.long
def test_killed_at_every_step_on_the_disk_nothing_is_lost_or_counted_twice(tmp_path: Path) -> None:
    tests = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, str(tests / "local" / "killing.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    deaths, acknowledged, repeated = map(int, run.stdout.split())
    assert deaths > 30
    assert acknowledged > deaths
    assert repeated > 0  # some died between the commit and the word about it
