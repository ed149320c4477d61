"""Ledger files to try things on, and programs that run beside a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import apsw

from hedgerow.ledger.sqlite import Ledger
from hedgerow.ledger.sqlite_file import read_entries
from ledger.making import pay, policy

TESTS = Path(__file__).parents[1]


def made(path: Path, questions: int = 3) -> Path:
    """A ledger with a policy and some answered questions: entries 1, 2, then two for each
    question.
    """
    with Ledger.open(path, create=True) as ledger:
        ledger.accept_policy(**policy())
        for number in range(questions):
            ledger.answer(pay(ledger, question=f"q{number}"), f"answer {number}")
    return path


def change(path: Path, statement: str, *values: object) -> None:
    """What somebody with write access does to the file."""
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute(statement, values)
    db.execute("PRAGMA journal_mode = WAL")
    db.close()


def overwrite(path: Path, content: bytes) -> None:
    """Other content in the same file: the inode stays."""
    path.write_bytes(content)


def program(name: str, *arguments: object) -> str:
    """Run a helper in an interpreter of its own: it forks, and a process with threads should
    not.
    """
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, str(TESTS / "ledger" / name), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


def race(folder: Path, mode: str) -> tuple[int, int]:
    """How many charges were granted, and how many are in the file."""
    granted = int(program("racing.py", folder / "race.ledger", mode))
    return granted, sum(entry.kind == "charge" for entry in read_entries(folder / "race.ledger"))
