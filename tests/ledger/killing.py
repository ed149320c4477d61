"""A run of five questions, killed by SIGKILL at its k-th step on the disk, for every k. Run as a program: killing.py FOLDER.

A step is a write, sync, truncation or deletion by SQLite, or a sync or replacement by the anchor; writes are left half done. After
each death the ledger is opened as after any restart. Prints the number of deaths, and stops with an error at the first lost charge.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from hedgerow.ledger.recount import verify
from hedgerow.ledger.sqlite import Ledger
from ledger.disk import Event, Watched
from ledger.making import TENTH, pay, policy

QUESTIONS = 5


class Killed(Ledger):
    _vfs = "killing"


class Fate:
    """Kills this process at the step of this number."""

    def __init__(self, path: Path, steps: int) -> None:
        self.path, self.left = path, steps

    def __call__(self, event: Event) -> None:
        self.left -= 1
        if self.left == 0:
            if event[0] == "write":
                self.half(event)
            os.kill(os.getpid(), signal.SIGKILL)

    def half(self, event: Event) -> None:
        file = os.open(self.path.with_name(event[1]), os.O_WRONLY | os.O_CREAT)
        os.pwrite(file, event[3][: len(event[3]) // 2], event[2])

    def watch(self, name: str) -> None:
        """Count what the anchor does as well."""
        real = getattr(os, name)

        def counted(*args: Any) -> Any:
            self((name, *args))
            return real(*args)

        setattr(os, name, counted)


def run(path: Path, ledger: Ledger, tell: int | None) -> None:
    """Ask the five questions, each under its own key; say that an answer was received once the ledger has it."""
    if ledger.book.policy is None:
        ledger.accept(**policy())
    for number in range(QUESTIONS):
        charge = pay(ledger, question=f"q{number}", request=f"r{number}")
        ledger.answer(charge, f"answer {number}")
        if tell is not None:
            os.write(tell, bytes([number]))


def life(path: Path, steps: int) -> tuple[list[int], bool]:
    """The answers that were received before the process died, and whether it died."""
    told = os.pipe()
    child = os.fork()
    if child == 0:
        fate = Fate(path, steps)
        disk = Watched("killing", fate)
        for name in ("fsync", "replace"):
            fate.watch(name)
        with Killed.open(path, create=True) as ledger:
            run(path, ledger, told[1])
        disk.unregister()
        os._exit(0)
    os.close(told[1])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    received = list(b"".join(iter(lambda: os.read(told[0], 64), b"")))
    os.close(told[0])
    assert status in (0, -signal.SIGKILL), status
    return received, status != 0


def check(path: Path, received: list[int]) -> None:
    """Every answer that was received is there, and was paid for; going on, each question is paid for once."""
    with Ledger.open(path, create=True) as ledger:
        for number in received:
            assert [payload for _, payload in ledger.answers(f"q{number}", "1")] == [f"answer {number}"], number
        if ledger.book.policy is not None:
            assert ledger.book.budget("patients").charged.epsilon >= len(received) * TENTH.epsilon
        run(path, ledger, None)
        assert ledger.book.budget("patients").charged.epsilon == QUESTIONS * TENTH.epsilon
    assert verify(path).sound, verify(path).problem


def main(folder: str) -> None:
    step, died, answers = 0, True, 0
    while died:
        step += 1
        home = Path(folder) / str(step)
        home.mkdir()
        received, died = life(home / "run.ledger", step)
        check(home / "run.ledger", received)
        answers += len(received)
    print(step - 1, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
