"""The shell as a user meets it: at a terminal, and in a pipe."""

from __future__ import annotations

import codecs
import fcntl
import io
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.helpers_clinic import write_clinic
from hedgerow.cli.app import main

COUNT = "SELECT COUNT(*) AS n FROM visits"


class Terminal:
    """A shell at a terminal of its own; ``shown`` is what it printed since the last wait.

    Wait for a prompt before typing: what is typed ahead passes another mode of the terminal.
    """

    def __init__(self, policy: Path) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hedgerow", "shell", str(policy)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "XDG_STATE_HOME": str(policy.parent), "TERM": "dumb"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.shown = ""
        # A read may end in the middle of a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, text: str, press: str = "") -> str:
        """Read until a text appears, and return everything before it. A key is pressed again where
        nothing follows it, as people do: Ctrl-C counts only once the line is being read.
        """
        deadline = time.monotonic() + 120
        self.type(press)
        while text not in self.shown:
            left = max(0, deadline - time.monotonic())
            ready, _, _ = select.select([self.master], [], [], min(10, left) if press else left)
            if not ready and press and left > 0:
                self.type(press)
                continue
            assert ready, f"{text!r} is not in {self.shown!r}"
            self.shown += self.decoder.decode(os.read(self.master, 4096))
        before, _, self.shown = self.shown.partition(text)
        return before

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(write_clinic(tmp_path))
    yield opened
    opened.close()


@pytest.mark.long
def test_a_conversation(terminal: Terminal, tmp_path: Path) -> None:
    terminal.wait_for("clinic> ")
    terminal.type("SELECT COUNT(*)\r")  # a statement ends at its semicolon
    terminal.wait_for("… ")
    terminal.wait_for("clinic> ", press="\x03")  # Ctrl-C drops it
    terminal.type("SELECT COUNT(*) AS n FROM vis\t;\r")  # Tab completes the table
    assert "epsilon 0.25" in terminal.wait_for("[y/N] ")
    terminal.type("n\r")
    assert "Nothing was charged." in terminal.wait_for("clinic> ")
    terminal.type("\x1b[A\r")  # the statement before, from the history
    terminal.wait_for("[y/N] ")
    terminal.type("y\r")
    terminal.wait_for("95 % interval")
    assert "Cost: epsilon 0.25" in terminal.wait_for("clinic> ")
    terminal.type("\\budget\r")
    assert "spent 0.25" in terminal.wait_for("clinic> ")
    terminal.type("SELECT * FROM visits;\r")
    assert "Error: SELECT * returns individual rows" in terminal.wait_for("clinic> ")
    terminal.type("\x04")  # Ctrl-D leaves
    assert terminal.process.wait(60) == 0
    history = tmp_path / "hedgerow" / "shell_history"
    assert history.read_text(encoding="utf-8").splitlines() == [
        "SELECT COUNT(*) AS n FROM visits;",
        "SELECT COUNT(*) AS n FROM visits;",
        "SELECT * FROM visits;",
    ]


def run_pipe(monkeypatch: pytest.MonkeyPatch, policy: Path, text: str, *options: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return main(["shell", str(policy), *options])


@pytest.mark.long
def test_a_pipe_is_answered_until_its_first_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = write_clinic(tmp_path)
    text = f"\\d\n{COUNT}\n;\n\n-- the last one\n{COUNT} WHERE age > 30"
    assert run_pipe(monkeypatch, policy, text, "--epsilon", "0.1") == 0
    shown, errors = capsys.readouterr()
    assert shown.count("Cost: epsilon 0.1") == 2
    assert (">" in shown, errors) == (False, "")
    assert run_pipe(monkeypatch, policy, f"SELECT age FROM visits; {COUNT} WHERE age > 1;") == 3
    assert run_pipe(monkeypatch, policy, f"\\q\n{COUNT} WHERE age > 1;") == 0
    assert run_pipe(monkeypatch, policy, "SELECT 'open") == 3
    assert "Cost" not in capsys.readouterr().out
    assert run_pipe(monkeypatch, policy, "\\budget") == 0
    assert "spent 0.2," in capsys.readouterr().out
