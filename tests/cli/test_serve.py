"""``hedgerow serve`` as a process of its own: it starts, answers, logs no data and stops."""

from __future__ import annotations

import importlib.util
import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from hedgerow.cli.app import main
from hedgerow.service.server import find_free_port
from service.helpers_service import write_clinic


@pytest.mark.long
def test_it_serves_until_it_is_stopped(tmp_path: Path) -> None:
    policy = write_clinic(tmp_path)
    port, pg_port = find_free_port("127.0.0.1", 19_800), find_free_port("127.0.0.1", 16_433)
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "hedgerow", "serve", str(policy), "--untimed"),
            *("--port", str(port), "--pg-port", str(pg_port)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [process.stdout.readline() for _ in range(6)]
        assert "Hedgerow serves clinic" in lines[0]
        assert f"http://127.0.0.1:{port}" in lines[1]
        assert "may depend on the data" in lines[3]
        assert "There are no accounts yet" in lines[4]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as answer:
            assert json.load(answer) == {"status": "ready"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM)
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "--tls-cert"),
        (["--tls-cert", "c.pem"], "both"),
        (["--engines", "0"], "1 to 64"),
        (["--answer-seconds", "0"], "run_seconds"),
    ],
)
def test_settings_that_are_not_safe_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["serve", str(write_clinic(tmp_path)), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = ["serve", str(write_clinic(tmp_path)), "--port", "19899", "--pg-port", port]
        assert main(words) == 2
    assert "pg-port must be free: choose another" in capsys.readouterr().err


def test_the_extra_is_named_where_it_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["serve", str(write_clinic(tmp_path))]) == 2
    assert "pip install 'hedgerow[serve]'" in capsys.readouterr().err
