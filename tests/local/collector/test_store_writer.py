"""The writer: one outcome per batch once it is on disk, and a faulty batch affects no other."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from hedgerow.errors import Refused, SourceError
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.collector.store_writer import StoreWriter
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry

METRIC = Metric.of("colour", KAry(3, 40_000))


def one(key: str, *counters: int) -> BatchCounters:
    return BatchCounters(METRIC, key.encode(), np.array(counters, np.int64))


@pytest.fixture
def store(tmp_path: Path) -> CounterStore:
    return CounterStore(tmp_path / "counts")


def test_many_threads_add(store: CounterStore) -> None:
    told: list[bool] = []

    def work(number: int) -> None:
        told.extend(
            writer.add(one(f"{turn}", 1, 0, 0, 1)).result() for turn in range(number, 60 + number)
        )

    with StoreWriter(store) as writer:
        threads = [threading.Thread(target=work, args=(number,)) for number in (0, 10, 20, 30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (told.count(True), told.count(False)) == (90, 150)
    assert store.read_counters(METRIC).tolist() == [90, 0, 0, 90]


def test_waiting_batches_share_a_transaction_and_closing_writes_them(store: CounterStore) -> None:
    seen: list[int] = []
    held = threading.Event()

    class Slow(CounterStore):
        def add(self, additions: object) -> list[bool]:
            held.wait()
            seen.append(len(additions))  # type: ignore[arg-type]
            return super().add(additions)  # type: ignore[arg-type]

    writer = StoreWriter(Slow(store.path))
    # whatever it takes first, 256 are left
    futures = [writer.add(one(str(number), 1, 0, 0, 1)) for number in range(600)]
    assert not any(future.done() for future in futures)
    held.set()
    writer.close()
    assert all(future.result(timeout=0) for future in futures)
    assert sum(seen) == 600
    assert max(seen) == 256
    assert store.read_counters(METRIC).tolist() == [600, 0, 0, 600]
    writer.close()
    with pytest.raises(SourceError, match="is closing"):
        writer.add(one("late", 1, 0, 0, 1))


def test_a_batch_that_is_taken_cannot_be_called_off(store: CounterStore) -> None:
    with StoreWriter(store) as writer:
        assert not writer.add(one("a", 1, 0, 0, 1)).cancel()
    assert store.read_counters(METRIC).tolist() == [1, 0, 0, 1]


def test_a_batch_that_fails_does_not_take_others_along(store: CounterStore) -> None:
    # nothing is written until all of them wait
    store._require_connection().execute("BEGIN IMMEDIATE")
    with StoreWriter(CounterStore(store.path)) as writer:
        told = [
            writer.add(one(key, count, 0, 0, 1))
            for key, count in (("a", (1 << 62) - 2), ("b", 1), ("c", 1), ("a", 1))
        ]
        store._require_connection().execute("ROLLBACK")
        assert [told[number].result() for number in (0, 1, 3)] == [True, True, False]
        with pytest.raises(Refused, match="counters are full"):
            told[2].result()
        store._require_connection().execute("DROP TABLE batches")
        with pytest.raises(SourceError, match="is damaged"):
            writer.add(one("c", 0, 0, 0, 1)).result()
