"""A small clinic behind a running service, and a plain HTTP client for it."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from hedgerow.service.accounts.records import Role
from hedgerow.service.departures import Departures, TimingPromise
from hedgerow.service.query_service import QueryService
from hedgerow.service.server import find_free_port, serve
from hedgerow.service.settings import RequestLimits, ServiceSettings

PASSWORD = "a long enough password"
POLICY = """\
[database]
name = "clinic"

[budget]
epsilon = 100
delta = 1e-9
default_epsilon = 0.5

[tables.visits]
source = "visits.csv"
unit = "patient"
neighbours = "add-remove"
population = "patients"
max_units = 1000
max_groups = 2
max_rows_per_group = 2
[tables.visits.columns]
patient = { type = "integer" }
age = { type = "integer", min = 0, max = 110 }
region = { values = ["north", "south"] }

[tables.shifts]
source = "shifts.csv"
unit = "patient"
neighbours = "add-remove"
population = "patients"
max_units = 1000
max_groups = 1
max_rows_per_group = 1
[tables.shifts.columns]
patient = { type = "integer" }
hours = { type = "integer", min = 0, max = 24 }

[analysts.ana]

[analysts.ben]
tables = ["visits"]
max_epsilon = 2

[analysts.eve]
max_epsilon_per_day = 1
"""
COUNT = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate of localhost that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


def write_clinic(folder: Path) -> Path:
    """Write the policy and its data, and return the policy's path."""
    visits = [f"{row // 2},{row % 90},{'north' if row % 3 else 'south'}" for row in range(400)]
    shifts = [f"{row},{row % 12}" for row in range(200)]
    (folder / "visits.csv").write_text("patient,age,region\n" + "\n".join(visits) + "\n")
    (folder / "shifts.csv").write_text("patient,hours\n" + "\n".join(shifts) + "\n")
    (folder / "clinic.toml").write_text(POLICY)
    return folder / "clinic.toml"


def make_service(
    folder: Path,
    departures: Departures | None = None,
    more: Mapping[str, Any] | None = None,
    **limits: Any,
) -> QueryService:
    """Open a service over the clinic, with one account for each role and each declared analyst.
    ``more`` holds further settings. All tests of a process share the minute of one analyst, so that
    limit is out of their way unless they set it."""
    settings = ServiceSettings(
        write_clinic(folder),
        # Far apart for the processes of a test run, which look for free ports at the same time.
        port=find_free_port("127.0.0.1", 10_000 + os.getpid() % 500 * 40),
        pg_port=find_free_port("127.0.0.1", 10_020 + os.getpid() % 500 * 40),
        departures=departures or Departures(TimingPromise.none, run_seconds=20.0),
        limits=RequestLimits(**{"engines": 1, "requests_per_minute": 10**9, **limits}),
        **(more or {}),
    )
    service = QueryService(settings)
    for name, role in (
        ("carl", Role.custodian),
        ("aude", Role.auditor),
        ("ana", Role.analyst),
        ("ben", Role.analyst),
        ("eve", Role.analyst),
    ):
        service.accounts.add_account(name, role, None, "test")
    return service


@dataclass
class HttpAnswer:
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    all_cookies: str = ""  # of all headers Set-Cookie

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class RunningService:
    """A service in a thread of its own, with a token for each account."""

    service: QueryService
    tokens: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for account in self.service.accounts.list_accounts():
            text, _ = self.service.accounts.add_token(account.name, "test", "test")
            self.tokens[account.name] = text
        started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()

        def work() -> None:
            serving = serve(self.service, self.service.settings, started.set, self._stopping)
            self._loop.run_until_complete(serving)
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        assert started.wait(60)

    @property
    def port(self) -> int:
        return self.service.settings.port

    @property
    def pg_port(self) -> int:
        return self.service.settings.pg_port

    def request(
        self,
        method: str,
        path: str,
        *,
        who: str | None = None,
        token: str | None = None,
        cookie: str | None = None,
        body: object = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """Send one request and read its response."""
        sent = dict(headers or {})
        bearer = token if who is None else self.tokens[who]
        if bearer is not None:
            sent["Authorization"] = f"Bearer {bearer}"
        if cookie is not None:
            sent["Cookie"] = f"hedgerow_session={cookie}"
        data: bytes | None = None
        if form is not None:
            data = urlencode(form).encode()
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        elif body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            cookies = "\n".join(response.headers.get_all("set-cookie") or [])
            return HttpAnswer(
                response.status, dict(response.getheaders()), response.read(), cookies
            )
        finally:
            connection.close()

    def ask(self, who: str, sql: str, **more: object) -> HttpAnswer:
        """Ask a question over HTTP."""
        return self.request("POST", "/api/v1/query", who=who, body={"sql": sql, **more})

    def stop(self) -> None:
        """Stop the server and close the service."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(60)
        self.service.close()
