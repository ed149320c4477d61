"""The sample clinic as a service in a terminal; without one: see ``tests/cli/test_demo.py``."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from hedgerow.demo.clinic import prepare_clinic

HEDGEROW = "import sys; from hedgerow.cli import main; sys.exit(main())"


class _Redirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def log_in(address: str, name: str, password: str) -> int:
    form = urlencode({"name": name, "password": password}).encode()
    try:
        with build_opener(_Redirects).open(Request(f"{address}/login", form), timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def read_until(descriptor: int, words: str) -> str:
    shown = b""
    while words.encode() not in shown:
        shown += os.read(descriptor, 4096)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())


@pytest.mark.long
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGHUP])  # Ctrl-C, and a closed window
def test_it_serves_a_terminal_until_it_is_interrupted(tmp_path: Path, end: signal.Signals) -> None:
    policy, _ = prepare_clinic(tmp_path / "demo")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", HEDGEROW, "demo"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"COLUMNS": "100"},
    ) as process:
        try:
            text = read_until(ours, "Press Ctrl-C to stop.")
            (address,) = set(re.findall(r"http://\S+", text))
            passwords = json.loads((tmp_path / "demo" / "logins.json").read_text())["passwords"]
            for name, password in passwords.items():
                assert password in text
                assert log_in(address, name, password) == 303
            assert log_in(address, "ana", "wrong") == 401
            assert re.search(r"PGPASSWORD=hr_\S+ psql -h 127.0.0.1 -p \d+ -U ana clinic", text)
            process.send_signal(end)
            assert "The clinic and its ledger stay in demo" in read_until(ours, "stay in demo")
            assert process.wait(60) == 0
        finally:
            process.kill()
            os.close(ours)
            os.close(theirs)
    assert prepare_clinic(tmp_path / "demo", reset=True) == (policy, True)
    assert sorted(entry.name for entry in (tmp_path / "demo").iterdir()) == [
        *("clinic.toml", "patients.parquet", "regions.csv", "visits.parquet")
    ]
