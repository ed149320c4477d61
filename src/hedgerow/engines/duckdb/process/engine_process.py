"""DuckDB in a child process: killed at a deadline, its memory limited, nothing of this process in
reach.

The child is started afresh, not forked, and receives tables and statements through a pipe. After it
was killed or has died, the next use starts it again. Every failure while it answers raises the same
error.
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

from hedgerow.engines.data_source import SOURCE_FAILED, Cells
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.process.message_decoding import decode_result
from hedgerow.engines.duckdb.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.duckdb.tables.arrow_snapshot import serialize_table
from hedgerow.engines.duckdb.tables.registry import (
    RegisteredTable,
    TableBackedSource,
    TableRegistry,
    attach_tables,
    stamp_tables,
)
from hedgerow.engines.framing import ChannelBroken, Message, receive_message, send_message
from hedgerow.engines.result_cells import collect_cells
from hedgerow.engines.result_columns import ResultColumns
from hedgerow.engines.sandbox.layers import SandboxLayer
from hedgerow.engines.statement import Statement
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EngineProcess", "IsolatedDuckDB", "RequestFailed"]

_START_CODE: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from"
    " hedgerow.engines.duckdb.process.child_main import main; main()"
)
# address space beyond the memory of the engine: libraries, thread stacks, the allocator's reserve
_EXTRA_ADDRESS_SPACE: Final = 4 * 2**30


class EngineProcess:
    """A handle to one engine process; any failure other than a reported error kills the process."""

    def __init__(
        self, paths: list[Path], limits: EngineLimits, seconds: float, rows: int = 0
    ) -> None:
        path = json.dumps([str(Path(entry).resolve()) for entry in sys.path if entry])
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", _START_CODE, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback may quote data
            env={"OPENBLAS_NUM_THREADS": "1"},
            cwd="/",
            start_new_session=True,  # a Ctrl-C at the terminal ends this process, not the child
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inlet, self._outlet = self._process.stdin.fileno(), self._process.stdout.fileno()
        for descriptor in (self._inlet, self._outlet):
            os.set_blocking(descriptor, False)
        self._timeout = seconds
        self.kill = weakref.finalize(self, _kill_process, self._process)
        bounds = {
            "threads": limits.threads,
            "memory": limits.max_bytes,
            "space": limits.max_bytes + _EXTRA_ADDRESS_SPACE,
        }
        header, _ = self._request(
            {"paths": [str(path) for path in paths], "rows": rows, **bounds}, b""
        )
        self.layers = tuple(
            SandboxLayer(str(name), active is True, str(detail))
            for name, active, detail in header["layers"]
        )

    @property
    def is_alive(self) -> bool:
        """True while the process accepts requests."""
        return bool(self.kill.alive) and self._process.poll() is None

    def set_timeout(self, seconds: float) -> None:
        """Set the number of seconds within which every further request must be answered."""
        self._timeout = seconds

    def open_new_database(self) -> None:
        """Replace the database of the process by an empty one."""
        self._request({"do": "renew"}, b"")

    def attach_object(self, relation: str, table: pa.Table) -> AttachedRelation:
        return self._request_attach(
            {"do": "object", "relation": relation}, memoryview(serialize_table(table))
        )

    def attach_file(self, relation: str, path: Path) -> AttachedRelation:
        return self._request_attach({"do": "file", "relation": relation, "path": str(path)})

    def store_query(self, relation: str, query: str) -> AttachedRelation:
        return self._request_attach({"do": "store", "relation": relation, "query": query})

    def verify_statistics(self, relation: str, names: Sequence[str]) -> bool:
        header, _ = self._request({"do": "vouch", "relation": relation, "names": list(names)}, b"")
        return header["sound"] is True

    def run_statement(self, statement: Statement) -> ResultColumns:
        request = {"do": "answer", **statement._asdict()}
        try:
            return decode_result(self._request(request, b""), statement)
        except ChannelBroken:
            self.kill()
            raise

    def _request_attach(
        self, request: dict[str, Any], payload: bytes | memoryview = b""
    ) -> AttachedRelation:
        header, _ = self._request(request, payload)
        return AttachedRelation(
            request["relation"], tuple((str(name), str(type_)) for name, type_ in header["columns"])
        )

    def _request(self, request: dict[str, Any], payload: bytes | memoryview) -> Message:
        until = time.monotonic() + self._timeout
        try:
            send_message(self._inlet, request, payload, until)
            header, found = receive_message(self._outlet, until)
        # Also after an interrupt: the answer still to come must not be taken for the next one.
        except BaseException:
            self.kill()
            raise
        if header.get("ok") is not True:
            words = header.get("words")
            raise SourceError(words) if isinstance(words, str) else RequestFailed
        return header, found


class RequestFailed(Exception):
    """The engine process reported an error and is still running."""


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


class IsolatedDuckDB(TableBackedSource):
    """A source like ``DuckDB``, in a child process.

    ``deadline`` is the number of seconds for a query, ``opening`` for each table at the start.
    ``memory`` (bytes) limits the engine and, with some margin, its whole process. Several threads
    may query it; they take turns.
    """

    def __init__(
        self,
        tables: Mapping[str, RegisteredTable],
        *,
        threads: int | None = None,
        memory: int | None = None,
        deadline: float = 60.0,
        opening: float = 600.0,
    ) -> None:
        for name, seconds in (("deadline", deadline), ("opening", opening)):
            if not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
                raise InvalidArgument(name, "must be a number of seconds above 0", seconds)
        self._tables, self.limits = dict(tables), EngineLimits(threads, memory)
        self.deadline, self._opening_timeout = deadline, opening
        self._lock = threading.Lock()
        self._closed = False
        stamps = stamp_tables(tables)  # before they are read
        try:
            self._engine, registry = self._start_process()
        except (ChannelBroken, RequestFailed):
            raise SourceError(
                "The engine process could not be started, or took too long to open the data. Try"
                " again, or free some memory."
            ) from None
        self._owner_pid = os.getpid()
        self._use_registry(registry, DUCKDB, stamps)

    def run(self, plan: Aggregate) -> Cells:
        compiled = self._compile(plan)
        with self._lock:
            if self._closed:
                raise SourceError("The data source is closed. Open the database again.")
            with contextlib.suppress(Exception):
                return collect_cells(plan, compiled, self._make_runner(self._ensure_process()))
        raise SourceError(SOURCE_FAILED)

    def _make_runner(self, child: EngineProcess) -> Callable[[Statement], ResultColumns]:
        until = time.monotonic() + self.deadline

        def answer(statement: Statement) -> ResultColumns:
            child.set_timeout(until - time.monotonic())
            return child.run_statement(statement)

        return answer

    @property
    def layers(self) -> tuple[SandboxLayer, ...]:
        """The sandbox layers of the engine process, as it reported them at its start."""
        return self._engine.layers

    def close(self) -> None:
        """End the engine process, after the query that is running."""
        with self._lock:
            self._closed = True
            self._engine.kill()

    def restart_if_dead(self) -> None:
        """Start the engine process again if it was killed or has died, so that the next query need
        not wait for that. If it cannot be started, the next query fails."""
        with self._lock, contextlib.suppress(Exception):
            if not self._closed:
                self._ensure_process()

    def _ensure_process(self) -> EngineProcess:
        # After a fork both processes would share one pipe, so the new one starts its own child.
        if self._owner_pid != os.getpid():
            self._engine.kill.detach()
            self._engine, registry = self._start_process()
            self._owner_pid = os.getpid()
        elif not self._engine.is_alive:
            self._engine.kill()
            self._engine, registry = self._start_process()
        else:
            return self._engine
        # Checked after the files were read: the child must hold what was accepted.
        if registry != self._registry or self._find_changed():
            self._engine.kill()
            raise ChannelBroken
        return self._engine

    def _start_process(self) -> tuple[EngineProcess, TableRegistry]:
        paths = [table.path for table in self._tables.values() if table.path is not None]
        child = EngineProcess(
            paths,
            self.limits,
            self._opening_timeout,
            sum(table.row_count for table in self._tables.values()),
        )
        try:
            registry = attach_tables(child, self._tables, DUCKDB)
        except BaseException:
            child.kill()
            raise
        child.set_timeout(self.deadline)
        return child, registry
