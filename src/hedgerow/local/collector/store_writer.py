"""The single thread that writes to the store.

Batches that arrive while it writes share the next transaction, and so one sync of the disk.
"""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from contextlib import AbstractContextManager

from hedgerow.errors import SourceError
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore

__all__ = ["StoreWriter"]

_MAX_BATCHES_PER_TRANSACTION = 256


class StoreWriter(AbstractContextManager["StoreWriter"]):
    """The writer of a store. It takes additions from any thread, and resolves the future of each
    once it is on disk.
    """

    def __init__(self, store: CounterStore) -> None:
        self.store = store
        self._queue: queue.SimpleQueue[tuple[BatchCounters, Future[bool]] | None] = (
            queue.SimpleQueue()
        )
        self._close_lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="hedgerow-writer", daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, addition: BatchCounters) -> Future[bool]:
        """Queue an addition and return a future: True once it is counted and on disk, False if its
        key was counted before.
        """
        outcome: Future[bool] = Future()
        # not cancellable from here on: it may already be on disk
        outcome.set_running_or_notify_cancel()
        with self._close_lock:
            if self._closed:
                raise SourceError(
                    "The collector is closing. Send the batch again, under the same key."
                )
            self._queue.put((addition, outcome))
        return outcome

    def close(self) -> None:
        """Write the waiting additions, and stop."""
        with self._close_lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            taken = [self._queue.get()]
            # no other thread takes from the queue
            while len(taken) < _MAX_BATCHES_PER_TRANSACTION and not self._queue.empty():
                taken.append(self._queue.get())
            going = taken[-1] is not None  # None is always the last item
            self._write([item for item in taken if item is not None])

    def _write(self, items: list[tuple[BatchCounters, Future[bool]]]) -> None:
        try:
            counted = self.store.add([addition for addition, _ in items])
        except Exception as error:
            if len(items) == 1:
                items[0][1].set_exception(error)
            else:  # a faulty addition must not lose the others
                for item in items:
                    self._write([item])
            return
        for (_, outcome), fresh in zip(items, counted, strict=True):
            outcome.set_result(fresh)
