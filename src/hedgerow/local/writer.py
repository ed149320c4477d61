"""One thread that writes to the store: batches that arrive while it writes share the next transaction, and so one sync of the disk."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import Self

from hedgerow.errors import SourceError
from hedgerow.local.store import Addition, Store

__all__ = ["Writer"]

_TOGETHER = 256  # batches in one transaction at most


class Writer:
    """Takes additions from any thread; each one's future is settled once it is on disk."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._waiting: queue.SimpleQueue[tuple[Addition, Future[bool]] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="hedgerow-writer", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, addition: Addition) -> Future[bool]:
        """True once it was counted and is on disk, False if its key had been counted before."""
        told: Future[bool] = Future()
        told.set_running_or_notify_cancel()  # from here on it cannot be called off: it may be on disk already
        with self._gate:
            if self._closed:
                raise SourceError("The collector is closing. Send the batch again, under the same key.")
            self._waiting.put((addition, told))
        return told

    def close(self) -> None:
        """Write what is waiting, and stop."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        going = True
        while going:
            taken = [self._waiting.get()]
            while len(taken) < _TOGETHER and not self._waiting.empty():  # nobody else takes from it
                taken.append(self._waiting.get())
            going = taken[-1] is not None  # nothing is put in after the None
            self._write([item for item in taken if item is not None])

    def _write(self, items: list[tuple[Addition, Future[bool]]]) -> None:
        try:
            counted = self.store.add([addition for addition, _ in items])
        except Exception as error:
            if len(items) == 1:
                items[0][1].set_exception(error)
            else:  # what is wrong with one is no reason to lose the others
                for item in items:
                    self._write([item])
            return
        for (_, told), fresh in zip(items, counted, strict=True):
            told.set_result(fresh)
