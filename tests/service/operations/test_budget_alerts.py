from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.ledger import MemoryLedger
from hedgerow.service.accounts import user_tables
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.operations import budget_alerts
from hedgerow.service.operations.budget_alerts import AlertSettings, BudgetAlerts, compute_percent


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[AccountFile]:
    file = AccountFile(tmp_path / "clinic.accounts", MemoryLedger())
    yield file
    file.close()


def spend(spent: str, total: str = "4") -> dict[str, Any]:
    return {"patients": {"total": total, "spent": spent, "left": "…"}}


@pytest.fixture
def received() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A webhook: its address, and what it received."""
    found: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            found.append(json.loads(self.rfile.read(size)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/hook", found
    server.shutdown()
    server.server_close()


def test_each_threshold_alerts_once_whoever_looks(
    tables: AccountFile, received: tuple[str, list[dict[str, Any]]]
) -> None:
    url, found = received
    budget = spend("1.9")
    settings = AlertSettings(webhook=url)
    # Two processes over one file.
    watchers = [
        BudgetAlerts(settings, "clinic", lambda: budget, file)
        for file in (tables, AccountFile(tables.place, MemoryLedger()))
    ]

    def check() -> list[int]:
        for watcher in watchers * 2:
            watcher.check()
        return [one["percent"] for one in found]

    assert check() == []
    budget = spend("2")
    assert check() == [50]
    budget = spend("4")
    assert check() == [50, 80, 100]
    budget = spend("4", total="8")  # a raised budget
    assert check() == [50, 80, 100, 50]
    assert found[0]["population"] == "patients"
    assert found[0]["text"] == "50 % of the budget of patients in clinic is spent."
    watchers[1]._tables.close()


def test_a_command_gets_the_alert(tables: AccountFile, tmp_path: Path) -> None:
    script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(str(sys.argv[2:]))"
    command = (sys.executable, "-c", script, str(tmp_path / "told"))
    BudgetAlerts(AlertSettings(command), "clinic", lambda: spend("3.2"), tables).check()
    assert (tmp_path / "told").read_text() == "['patients', '80']"


def test_an_alert_that_fails_is_tried_again_and_logged_without_its_address(
    tables: AccountFile, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = time.time()
    monkeypatch.setattr(user_tables.time, "time", lambda: now)
    settings = AlertSettings(webhook="http://127.0.0.1:9/secret")
    alerts = BudgetAlerts(settings, "clinic", lambda: spend("2"), tables)
    logging.getLogger("hedgerow.service").propagate = True
    for _ in range(2):
        alerts.check()
        alerts.check()
        now += 61
    failures = [one.getMessage() for one in caplog.records]
    assert failures == ["the alert at 50 % failed: URLError"] * 2
    failing = BudgetAlerts(AlertSettings(("false",)), "clinic", lambda: spend("2"), tables)
    failing.check()
    assert "secret" not in caplog.text
    assert caplog.records[-1].getMessage() == "the alert at 50 % failed: CalledProcessError"


def test_the_thread_watches_until_it_is_stopped(
    tables: AccountFile,
    received: tuple[str, list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget_alerts, "_SECONDS", 0.01)
    looks = []

    def read() -> dict[str, Any]:
        looks.append(None)
        if len(looks) == 2:
            raise SourceError("a passing trouble")
        return spend("0" if len(looks) < 4 else "2")

    alerts = BudgetAlerts(AlertSettings(webhook=received[0]), "clinic", read, tables)
    alerts.start()
    until = time.monotonic() + 30
    while not received[1] and time.monotonic() < until:
        time.sleep(0.01)
    alerts.stop()
    assert len(received[1]) == 1
    silent = BudgetAlerts(AlertSettings(), "clinic", read, tables)
    silent.start()
    silent.stop()


@pytest.mark.parametrize(
    ("epsilon", "rho", "delta", "percent"),
    [("1", "1", "0", 50), ("inf", "1", "0", 50), ("1", "2", "0", 50), ("0", "0", "2", 100)],
)
def test_a_question_needs_delta_and_either_epsilon_or_rho(
    epsilon: str, rho: str, delta: str, percent: int
) -> None:
    spent = {"epsilon": epsilon, "rho": rho, "delta": delta}
    budget = {name: {"total": "2", "spent": value} for name, value in spent.items()}
    assert compute_percent(budget) == percent
    assert compute_percent({"total": "0", "spent": "0"}) == 0


def test_a_webhook_is_encrypted_or_local() -> None:
    with pytest.raises(InvalidArgument, match="https"):
        AlertSettings(webhook="http://chat.example/secret")
