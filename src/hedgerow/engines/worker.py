"""DuckDB in a child process that can be killed: after a deadline, with its memory capped, with nothing of this process in reach.

The child is started afresh, not forked, and gets the tables and statements through a pipe. It is started again at the next use after it
was killed or has died. Whatever goes wrong while it answers, the error is the same.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.engines.catalogue import Catalogue, Registered, Stocked, stamped, stock
from hedgerow.engines.decode import gathered
from hedgerow.engines.desk import Attached, Layer, Limits
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.fetch import Columns
from hedgerow.engines.source import FAILED, Cells
from hedgerow.engines.statement import Statement
from hedgerow.engines.unpacking import unpacked
from hedgerow.engines.wire import Broken, Message, receive, send
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Child", "Failed", "Worker"]

_START: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from hedgerow.engines.child import main; main()"
_ROOM: Final = 4 * 2**30  # address space beside the memory of the engine: libraries, stacks of threads, what the allocator sets aside


class Child:
    """One process. A request that fails for any reason but a polite answer ends it."""

    def __init__(self, paths: list[Path], limits: Limits, seconds: float, rows: int = 0) -> None:
        path = json.dumps([str(Path(entry).resolve()) for entry in sys.path if entry])
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", _START, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback may quote data
            env={"OPENBLAS_NUM_THREADS": "1"},
            cwd="/",
            start_new_session=True,  # a Ctrl-C at the terminal is for us, not for it
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inlet, self._outlet = self._process.stdin.fileno(), self._process.stdout.fileno()
        for descriptor in (self._inlet, self._outlet):
            os.set_blocking(descriptor, False)
        self._seconds = seconds
        self.end = weakref.finalize(self, _end, self._process)
        most = {"threads": limits.threads, "memory": limits.memory, "space": limits.room + _ROOM}
        header, _ = self._ask({"paths": [str(path) for path in paths], "rows": rows, **most}, b"")
        self.layers = tuple(Layer(str(name), active is True, str(detail)) for name, active, detail in header["layers"])

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return bool(self.end.alive) and self._process.poll() is None

    def within(self, seconds: float) -> None:
        """From now on every request must be answered in this time."""
        self._seconds = seconds

    def attach_object(self, relation: str, table: pa.Table) -> Attached:
        """A relation over an Arrow table, which is sent."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return self._attach({"do": "object", "relation": relation}, memoryview(sink.getvalue()))

    def attach_file(self, relation: str, path: Path) -> Attached:
        """A relation over a file."""
        return self._attach({"do": "file", "relation": relation, "path": str(path)})

    def store(self, relation: str, query: str) -> Attached:
        """A relation that keeps the result of a query."""
        return self._attach({"do": "store", "relation": relation, "query": query})

    def vouch(self, relation: str, names: Sequence[str]) -> bool:
        """Whether these columns hold what the engine takes for granted about them."""
        header, _ = self._ask({"do": "vouch", "relation": relation, "names": list(names)}, b"")
        return header["sound"] is True

    def answer(self, statement: Statement) -> Columns:
        """Keys and numbers of a statement."""
        request = {"do": "answer", **statement._asdict()}
        try:
            return unpacked(self._ask(request, b""), statement)
        except Broken:
            self.end()
            raise

    def _attach(self, request: dict[str, Any], payload: bytes | memoryview = b"") -> Attached:
        header, _ = self._ask(request, payload)
        return Attached(request["relation"], tuple((str(name), str(type_)) for name, type_ in header["columns"]))

    def _ask(self, request: dict[str, Any], payload: bytes | memoryview) -> Message:
        until = time.monotonic() + self._seconds
        try:
            send(self._inlet, request, payload, until)
            header, found = receive(self._outlet, until)
        except BaseException:  # an interrupt as well: the answer that is still to come must not be taken for the next one
            self.end()
            raise
        if header.get("ok") is not True:
            words = header.get("words")
            raise SourceError(words) if isinstance(words, str) else Failed
        return header, found


class Failed(Exception):
    """The child could not do it, and lives on."""


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


class Worker(Stocked):
    """Answers plans like ``DuckDB``, from a child process.

    ``deadline`` is how many seconds a question may take, ``opening`` how many each table at the start. ``memory`` (bytes) limits the
    engine, and with some room its whole process. Several threads may ask; they take turns.
    """

    def __init__(
        self,
        tables: Mapping[str, Registered],
        *,
        threads: int | None = None,
        memory: int | None = None,
        deadline: float = 60.0,
        opening: float = 600.0,
    ) -> None:
        for name, seconds in (("deadline", deadline), ("opening", opening)):
            if not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
                raise InvalidArgument(name, "must be a number of seconds above 0", seconds)
        self._tables, self._limits = dict(tables), Limits(threads, memory)
        self._deadline, self._opening = deadline, opening
        self._guard = threading.Lock()
        self._closed = False
        stamps = stamped(tables)  # before they are looked at
        try:
            self._child, catalogue = self._start()
        except (Broken, Failed):
            raise SourceError("The process that reads the data could not be started, or took too long to open them.") from None
        self._process = os.getpid()
        self._take(catalogue, DUCKDB, stamps)

    @property
    def deadline(self) -> float:
        """Return how many seconds a question may take."""
        return self._deadline

    @property
    def limits(self) -> Limits:
        """Return the limits of the child."""
        return self._limits

    def run(self, plan: Aggregate) -> Cells:
        """The whole numbers of every group."""
        compiled = self._compiled(plan)
        with self._guard:
            if self._closed:
                raise SourceError("The data source is closed.")
            with contextlib.suppress(Exception):
                return gathered(plan, compiled, self._answering(self._ready()))
        raise SourceError(FAILED)

    def _answering(self, child: Child) -> Callable[[Statement], Columns]:
        """All statements of a question share its deadline."""
        until = time.monotonic() + self._deadline

        def answer(statement: Statement) -> Columns:
            child.within(until - time.monotonic())
            return child.answer(statement)

        return answer

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers that keep the child from writing, as it reported them when it started."""
        return self._child.layers

    def close(self) -> None:
        """Ends the child. Waits for a question that is being answered."""
        with self._guard:
            self._closed = True
            self._child.end()

    def _ready(self) -> Child:
        # After a fork both processes would talk through one pipe; the new one gets a child of its own.
        if self._process != os.getpid():
            self._child.end.detach()
            self._child, found = self._start()
            self._process = os.getpid()
        elif not self._child.alive:
            self._child.end()
            self._child, found = self._start()
        else:
            return self._child
        if found != self._catalogue or self._find_changed():  # after it was read: what the child holds is what was accepted
            self._child.end()
            raise Broken
        return self._child

    def _start(self) -> tuple[Child, Catalogue]:
        paths = [table.path for table in self._tables.values() if table.path is not None]
        child = Child(paths, self._limits, self._opening, sum(table.rows for table in self._tables.values()))
        try:
            catalogue = stock(child, self._tables, DUCKDB)
        except BaseException:
            child.end()
            raise
        child.within(self._deadline)
        return child, catalogue
