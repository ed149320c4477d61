"""``hedgerow serve`` in processes of its own, which can be killed, paused and started again."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "HttpClient",
    "ServeProcess",
    "WireClient",
    "add_analysts",
    "fetch",
    "serve_together",
]


def add_analysts(policy: Path, names: Sequence[str]) -> dict[str, str]:
    """Add analysts to a policy; return a token for each."""
    # Imported here, or every other section would wait for the packages of the service.
    from hedgerow.service.accounts.records import Role
    from hedgerow.service.query_service import QueryService
    from hedgerow.service.settings import RequestLimits, ServiceSettings

    settings = ServiceSettings(policy, limits=RequestLimits(engines=1))
    with closing(QueryService(settings)) as service:
        for name in names:
            service.accounts.add_account(name, Role.analyst, None, "bench")
        return {name: service.accounts.add_token(name, "bench", "bench")[0] for name in names}


@dataclass
class ServeProcess:
    """One ``hedgerow serve``, which can be killed, paused and started again on its ports."""

    policy: Path
    port: int
    pg_port: int
    options: Sequence[str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        command = [sys.executable, "-m", "hedgerow", "serve", str(self.policy)]
        command += ["--port", str(self.port), "--pg-port", str(self.pg_port), *self.options]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    @property
    def _log(self) -> Path:
        return self.policy.with_name(f"log-{self.port}")

    def wait_until_ready(self) -> None:
        """Wait until it answers."""
        until = time.monotonic() + 120
        while True:
            with suppress(OSError, http.client.HTTPException):
                if fetch(self.port, "GET", "/readyz")[0] == 200:
                    return
            assert self.process is not None
            assert self.process.poll() is None, self._log.read_text(encoding="utf-8")[-2000:]
            assert time.monotonic() < until, "it is not ready"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it; its engines must end with it, and it starts again without help."""
        assert self.process is not None
        engines = list_descendants(self.process.pid)
        self.process.kill()
        self.process.wait()
        until = time.monotonic() + 60
        while any(is_running(pid) for pid in engines):
            assert time.monotonic() < until, "an engine outlived its service"
            time.sleep(0.05)
        self.start()

    def read_memory(self) -> int:
        """Return the resident bytes of the process itself."""
        assert self.process is not None
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def pause(self, seconds: float) -> None:
        """Stop it for a while with all that it holds."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Stop it as an operator does; kill it if it hangs."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(90)
                return
            self.process.kill()
            self.process.wait()


def list_descendants(pid: int) -> list[int]:
    """Return the processes that a process started, and that these started."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            children = [int(one) for one in (task / "children").read_text().split()]
            found += children + [deeper for one in children for deeper in list_descendants(one)]
    return found


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def serve_together(policy: Path, number: int, *options: str) -> Iterator[list[ServeProcess]]:
    """Serve a policy by several processes."""
    from hedgerow.service.server import find_free_port

    first = 20_000 + os.getpid() % 300 * 40  # below the ports of outgoing connections
    started = []
    for place in range(number):
        port = find_free_port("127.0.0.1", first + 4 * place)
        pg_port = find_free_port("127.0.0.1", port + 1)
        started.append(ServeProcess(policy, port, pg_port, options))
    try:
        for one in started:
            one.start()
        for one in started:
            one.wait_until_ready()
        yield started
    finally:
        for one in started:
            one.stop()


def fetch(
    port: int, method: str, path: str, token: str = "", body: object = None
) -> tuple[int, Any]:
    """Send a request; return its status and its document."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=90)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


class HttpClient:
    """An analyst's connection over HTTP, which is kept open."""

    def __init__(self, process: ServeProcess, name: str, token: str, database: str) -> None:
        del name, database  # the token says all
        self._connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=120)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, sql: str) -> None:
        """Ask a question; a run that failed is an answer, too."""
        try:
            status, body = self._send(sql)
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
            self._connection.close()  # it was idle for too long, and opens again
            status, body = self._send(sql)
        if status not in (200, 503):
            raise AssertionError(body)

    def _send(self, sql: str) -> tuple[int, bytes]:
        self._connection.request("POST", "/api/v1/query", json.dumps({"sql": sql}), self._headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class WireClient:
    """An analyst's connection over the PostgreSQL protocol."""

    def __init__(self, process: ServeProcess, name: str, token: str, database: str) -> None:
        import psycopg

        self._failure = psycopg.errors.SystemError
        self._connection = psycopg.connect(
            host="127.0.0.1",
            port=process.pg_port,
            user=name,
            password=token,
            dbname=database,
            autocommit=True,
        )

    def ask(self, sql: str) -> None:
        """Ask a question; a run that failed is an answer, too."""
        with suppress(self._failure):
            self._connection.execute(sql).fetchall()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
