"""A real database that is asked five questions, killed by SIGKILL at its k-th step on the disk.

Run as a program: asking.py FOLDER FIRST EACH MISTAKE. The k are FIRST, FIRST + EACH, … to the end
of the run; a step is what it is in ``killing``. After each death the database is opened as after
any restart. Prints the number of deaths and of answers that were received before them, and stops
with an error at the first answer that was not charged, is lost, or differs when it is asked for
again. A MISTAKE is planted first, to see that it is found.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from fate import VFS, life
from hedgerow.database import Database
from hedgerow.database import open as open_policy
from hedgerow.database import open_database as opening
from hedgerow.database.query import run
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.memory import MemoryLedger
from hedgerow.ledger.sqlite import Ledger
from ledger.killing import BESIDE

POLICY = """
[database]
name = "clinic"
ledger = "clinic.ledger"
[budget]
epsilon = 1
[tables.visits]
source = "visits.csv"
unit = "patient"
neighbours = "add-remove"
max_units = 1000
max_groups = 1
max_rows_per_group = 1
[tables.visits.columns]
patient = { type = "integer" }
age = { type = "integer", min = 0, max = 110 }
region = { values = ["north", "south"] }
"""
QUESTIONS = (
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT SUM(age) AS n FROM visits",
    "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
    "SELECT COUNT(*) AS n FROM visits WHERE age > 50",
    "SELECT MEDIAN(age) AS n FROM visits",
)
EACH = Fraction(1, 10)


def made(folder: Path) -> Path:
    lines = [f"{n},{n * 7 % 90},{('north', 'south')[n % 2]}" for n in range(40)]
    (folder / "visits.csv").write_text("\n".join(["patient,age,region", *lines, ""]))
    (folder / "clinic.toml").write_text(POLICY)
    return folder / "clinic.toml"


def asked(db: Database, number: int, request: str | None) -> str:
    """The answer as an analyst gets it."""
    return json.dumps(
        db.query(QUESTIONS[number], epsilon=EACH, request=request).rows  # type: ignore[union-attr]
    )


def ask(policy: Path, tell: int, mistake: str) -> None:
    """Open the database, ask, and say each answer once it is received."""
    Ledger._vfs = VFS
    after = MISTAKES[mistake]()
    with open_policy(policy, in_process=True) as db:
        for number in range(len(QUESTIONS)):
            os.write(tell, f"{asked(db, number, f'r{number}')}\n".encode())
            after()


def nothing() -> Callable[[], object]:
    return lambda: None


def anchor_in_place() -> Callable[[], object]:
    """The anchor is written over, and for a moment there is half of one."""
    Anchor.write = lambda self, ledger: Anchor.path_for(  # type: ignore[method-assign]
        ledger
    ).write_text(json.dumps(asdict(self)))
    return lambda: None


def charge_after_answer() -> Callable[[], object]:
    """Answered on the strength of a ledger in memory, and charged to the real one when the
    answer is out.
    """
    real, left = run.release, list[Callable[[], object]]()

    class Held(MemoryLedger):
        real: Ledger

        def charge(self, *loss: Any, **about: Any) -> Entry:
            self.late = partial(self.real.charge, *loss, **about)
            return super().charge(*loss, **about)

        def answer(self, entry: Entry, payload: str, **about: Any) -> Entry:
            left.append(lambda: self.real.answer(self.late(), payload, **about))
            return super().answer(entry, payload, **about)

    def release(plan: Any, source: Any, ledger: Ledger, *more: Any) -> Any:
        memory, policy = Held(), opening._read_accepted_policy(ledger)
        memory.real = ledger
        assert policy is not None
        opening._enter_policy(policy, memory)
        return real(plan, source, memory, *more)

    run.release = release  # type: ignore[assignment, attr-defined]
    return lambda: left.pop()()


MISTAKES = {work.__name__: work for work in (nothing, anchor_in_place, charge_after_answer)}


def check(policy: Path, received: list[str]) -> None:
    """Every answer that was received was paid for and is there; going on, each question is paid
    for once, and free from then on.
    """
    path = policy.with_name("clinic.ledger")
    if path.exists():  # it is put in place whole, so that it verifies as the crash left it
        assert verify(path).sound, verify(path).problem
    else:
        assert not received
    with open_policy(policy, in_process=True) as db:
        entries = db.ledger.entries()
        answered = [entry.body["charge"] for entry in entries if entry.kind == "answer"]
        charges = {entry.body["request"]: entry.seq for entry in entries if entry.kind == "charge"}
        assert [charges[f"r{number}"] for number in range(len(received))] == answered[
            : len(received)
        ]
        assert spent(db) == len(charges) * EACH
        assert len(received) <= len(answered) <= len(charges) <= len(received) + 1
        assert [asked(db, number, None) for number in range(len(received))] == received
        assert spent(db) == len(charges) * EACH
        again = [asked(db, number, f"r{number}") for number in range(len(QUESTIONS))]
        assert again[: len(received)] == received
        assert spent(db) == len(QUESTIONS) * EACH
        assert [asked(db, number, None) for number in range(len(QUESTIONS))] == again
        assert spent(db) == len(QUESTIONS) * EACH
        assert [entry.hash for entry in db.ledger.entries()[: len(entries)]] == [
            entry.hash for entry in entries
        ]
    assert verify(path).sound, verify(path).problem


def spent(db: Database) -> object:
    return db.ledger.state.budget(db.policy.budgets[0].population).charged.epsilon


def apart(work: Callable[[], None]) -> None:
    """In a process of its own: this one never starts an engine, whose threads a fork would lose."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def main(folder: str, first: str, each: str, mistake: str) -> None:
    deaths = answers = 0
    for step in itertools.count(int(first), int(each)):
        home = Path(folder) / str(step)
        home.mkdir()
        policy = made(home)
        heard, died = life(
            home / "clinic.ledger", step, partial(ask, policy, mistake=mistake), *BESIDE
        )
        received = heard.decode().splitlines()
        apart(partial(check, policy, received))
        if not died:
            break
        deaths, answers = deaths + 1, answers + len(received)
    print(deaths, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
