"""A run of five questions, killed by SIGKILL at its k-th step on the disk, for every k. Run as a
program: killing.py FOLDER.

A step is a write, sync, truncation or deletion by SQLite, a write, sync or replacement of the
anchor, or the naming of a new ledger; writes are left half done. After each death the ledger is
opened as after any restart. Prints the number of deaths, and stops with an error at the first lost
charge.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fate import VFS, deaths, life
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.sqlite import Ledger
from ledger.making import TENTH, pay, policy

QUESTIONS = 5
# what is done on disk beside SQLite
BESIDE = ((os, "fsync"), (os, "replace"), (os, "pwrite"), (Path, "write_text"))


class Killed(Ledger):
    _vfs = VFS


def run(path: Path, ledger: Ledger, tell: int | None) -> None:
    """Ask the five questions, each under its own key; say that an answer was received once the
    ledger has it.
    """
    if ledger.state.policy is None:
        ledger.accept_policy(**policy())
    for number in range(QUESTIONS):
        charge = pay(ledger, question=f"q{number}", request=f"r{number}")
        ledger.answer(charge, f"answer {number}")
        if tell is not None:
            os.write(tell, bytes([number]))


def ask(path: Path, tell: int) -> None:
    with Killed.open(path, create=True) as ledger:
        run(path, ledger, tell)


def check(path: Path, received: list[int]) -> None:
    """Every answer that was received is there, and was paid for; going on, each question is paid
    for once.
    """
    with Ledger.open(path, create=True) as ledger:
        for number in received:
            assert [payload for _, payload in ledger.answers(f"q{number}", "1")] == [
                f"answer {number}"
            ], number
        if ledger.state.policy is not None:
            assert ledger.state.budget("patients").charged.epsilon >= len(received) * TENTH.epsilon
        run(path, ledger, None)
        assert ledger.state.budget("patients").charged.epsilon == QUESTIONS * TENTH.epsilon
    assert verify(path).sound, verify(path).problem


def main(folder: str) -> None:
    answers = 0

    def once(home: Path, step: int) -> bool:
        nonlocal answers
        path = home / "run.ledger"
        received, died = life(path, step, lambda tell: ask(path, tell), *BESIDE)
        check(path, list(received))
        answers += len(received)
        return died

    print(deaths(folder, once), answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
