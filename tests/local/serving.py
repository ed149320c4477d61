"""A real collector in a process of its own, and plain HTTP to it."""

from __future__ import annotations

import http.client
import json
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hedgerow.local.metric import Metric
from hedgerow.local.report_batch import ReportBatch

PACKED, JSON = "application/octet-stream", "application/json"


@dataclass
class Served:
    """The process, and where it listens."""

    process: subprocess.Popen[str]
    host: str
    port: int

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=60)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        connection = self.connect()
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def send(
        self, body: bytes, key: str | None = None, kind: str = PACKED, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        key = secrets.token_hex(16) if key is None else key
        status, text = self.ask(
            "POST", "/v1/reports", body, {"Content-Type": kind, "Batch-Key": key, **headers}
        )
        return status, json.loads(text)

    def counts(self) -> dict[tuple[str, int], int]:
        status, text = self.ask("GET", "/v1/metrics")
        assert status == 200, text
        return {(row["id"], row["epoch"]): row["reports"] for row in json.loads(text)["metrics"]}


def packed(metric: Metric, values: Any) -> bytes:
    return ReportBatch(metric.hash, metric.scheme.encode(values)).to_bytes()


@contextmanager
def serving(
    store: Path,
    *metrics: Metric,
    log: Path | None = None,
    late: int = 1,
    candidates: str | None = None,
) -> Iterator[Served]:
    """Run ``hedgerow local collect`` on a free port of this machine; its standard error goes to
    ``log``.
    """
    files = []
    for number, metric in enumerate(metrics):
        files.append(store.with_name(f"{store.name}.{number}.json"))
        files[-1].write_text(metric.to_json(), encoding="ascii")
    code = "import sys; from hedgerow.cli import main; sys.exit(main())"
    words = [
        "local",
        "collect",
        *map(str, files),
        "--store",
        str(store),
        "--port",
        "0",
        "--late",
        str(late),
        "--json",
    ]
    words += [] if candidates is None else ["--candidates", candidates]
    with open(log or store.with_name(f"{store.name}.log"), "a", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    try:
        lines = ""
        for line in process.stdout:
            lines += line
            if line == "}\n":
                break
        place = urlsplit(json.loads(lines)["address"])
        assert place.hostname is not None
        assert place.port is not None
        yield Served(process, place.hostname, place.port)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        process.stdout.close()
