"""A service as an operator runs it: with TLS, a certificate that is renewed, logs, and an end."""

from __future__ import annotations

import http.client
import json
import select
import signal
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from bench.serving import ServeProcess, add_analysts

from hedgerow.cli.app import main
from hedgerow.ledger.sqlite_file import read_entries
from hedgerow.service.server import find_free_port
from service.helpers_service import write_certificate, write_clinic

pytestmark = pytest.mark.long


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.05)


class Operator:
    """Somebody who runs a service with a certificate of localhost, and asks it."""

    def __init__(self, folder: Path) -> None:
        self.policy = write_clinic(folder)
        tokens = add_analysts(self.policy, ["ana", "eve"])
        self.token, self.other_token = tokens["ana"], tokens["eve"]
        self.certificate, self.key = write_certificate(folder)
        self.trusted = folder / "trusted.pem"
        self.trust()
        port = find_free_port("127.0.0.1", 19_900)
        tls = ("--tls-cert", str(self.certificate), "--tls-key", str(self.key))
        self.service = ServeProcess(
            self.policy,
            port,
            find_free_port("127.0.0.1", port + 1),
            (*tls, "--answer-seconds", "3"),
        )
        self.service.start()
        self.log = self.policy.with_name(f"log-{port}")
        wait_for(self.is_served_as_trusted)

    def trust(self) -> None:
        """Trust the certificate that the file holds now, and no other."""
        self.trusted.write_bytes(self.certificate.read_bytes())

    def fetch(
        self, method: str, path: str, body: object = None, token: str | None = None
    ) -> tuple[int, bytes]:
        context = ssl.create_default_context(cafile=str(self.trusted))
        connection = http.client.HTTPSConnection(
            "localhost", self.service.port, timeout=60, context=context
        )
        headers = {
            "Authorization": f"Bearer {token or self.token}",
            "Content-Type": "application/json",
        }
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def is_served_as_trusted(self) -> bool:
        """Return whether both protocols show the certificate that is trusted."""
        try:
            is_ready = self.fetch("GET", "/readyz")[0] == 200
        except OSError:
            return False
        with self.connect("ana", self.token) as connection:
            return is_ready and connection.pgconn.ssl_in_use

    def connect(self, name: str, token: str) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host="localhost",
            port=self.service.pg_port,
            user=name,
            password=token,
            dbname="clinic",
            sslmode="verify-full",
            sslrootcert=str(self.trusted),
            autocommit=True,
        )

    def signal(self, number: signal.Signals) -> None:
        assert self.service.process is not None
        self.service.process.send_signal(number)

    def list_events(self) -> list[str]:
        """Return the events of the log, every line of which is JSON."""
        lines = self.log.read_text().splitlines()
        return [json.loads(line)["event"] for line in lines if line.startswith("{")]


def test_a_service_renews_its_certificate_and_ends_when_all_is_answered(tmp_path: Path) -> None:
    operator = Operator(tmp_path)
    write_certificate(tmp_path)
    assert operator.is_served_as_trusted()  # still the old one
    operator.trust()
    operator.signal(signal.SIGHUP)
    wait_for(operator.is_served_as_trusted)

    # A key that does not fit changes nothing.
    operator.key.write_text("no key")
    operator.signal(signal.SIGHUP)
    wait_for(
        lambda: (
            "the certificate files cannot be read; the old ones stay in use"
            in (operator.list_events())
        )
    )
    assert operator.is_served_as_trusted()

    # What another process takes away ends here, also where nothing is asked.
    idle = operator.connect("eve", operator.other_token)
    assert operator.fetch("GET", "/api/v1/tables", token=operator.other_token)[0] == 200
    assert main(["account", "disable", str(operator.policy), "eve"]) == 0
    assert operator.fetch("GET", "/api/v1/tables", token=operator.other_token)[0] == 401
    wait_for(lambda: bool(select.select([idle.fileno()], [], [], 0)[0]))
    with pytest.raises(psycopg.OperationalError, match="account is disabled"):
        idle.execute("SELECT 1")
    idle.close()

    # What was charged is answered before the service ends; nothing new begins.
    sql = "SELECT COUNT(*) AS n FROM visits WHERE region = 'north' AND age <> 77"
    found: list[tuple[int, bytes]] = []
    asking = threading.Thread(
        target=lambda: found.append(operator.fetch("POST", "/api/v1/query", {"sql": sql}))
    )
    asking.start()
    ledger = operator.policy.with_name("clinic.ledger")
    wait_for(lambda: any(entry.kind == "charge" for entry in read_entries(ledger)))
    operator.signal(signal.SIGTERM)
    asking.join()
    ((status, body),) = found
    assert status == 200
    assert json.loads(body)["receipt"]["reused"] is False
    assert operator.service.process is not None
    assert operator.service.process.wait(60) in (0, -signal.SIGTERM)
    assert [entry.kind for entry in read_entries(ledger)][-2:] == ["charge", "answer"]
    log = operator.log.read_text()
    assert "Traceback" not in log
    for literal in ("north", "77", "SELECT", operator.token):
        assert literal not in log
