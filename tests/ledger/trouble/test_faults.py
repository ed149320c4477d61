"""Processes that die, disks that fail or are full, power that goes: nothing that was charged is lost."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.book import Book
from hedgerow.ledger.recount import verify
from hedgerow.ledger.sqlite import Ledger
from hedgerow.privacy.loss import Loss
from ledger.disk import Event, Watched, images, record, survives
from ledger.filed import TESTS, made, program
from ledger.making import TENTH, pay, quick_folder


@pytest.mark.long
def test_every_answer_received_was_charged_wherever_the_process_dies(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as folder:
        deaths, answers = map(int, program("killing.py", folder).split())
    assert deaths > 90
    assert answers > deaths


@pytest.mark.long
def test_power_loss_loses_no_charge_that_returned(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as run, quick_folder(tmp_path) as folder:
        problems = [survives(image, folder) for image in images(record(run, 40), 2000, random.Random(1))]
    assert len(problems) == 2000
    assert set(problems) == {""}


@pytest.mark.long
def test_the_same_images_show_the_losses_of_lazy_syncs(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as run, quick_folder(tmp_path) as folder:
        problems = [survives(image, folder) for image in images(record(run, 20, "NORMAL"), 200, random.Random(1))]
    assert sum(bool(problem) for problem in problems) > 50


class Faulty(Ledger):
    _vfs = "faulty"


@pytest.mark.parametrize(
    ("error", "told"), [(apsw.FullError, r"disk of the ledger.*is full\. Make room"), (apsw.IOError, "cannot be read and written")]
)
@pytest.mark.parametrize("step", ["write", "sync"])
def test_a_failing_disk_loses_nothing_and_the_ledger_stays_usable(path: Path, error: type[apsw.Error], told: str, step: str) -> None:
    broken = False

    def seen(event: Event) -> None:
        if broken and event[0] == step:
            raise error("planted")

    made(path, 0)
    disk = Watched("faulty", seen)
    with Faulty.open(path, create=False) as ledger:
        first = pay(ledger)
        for _ in range(3):
            broken = True
            with pytest.raises(LedgerError, match=told):
                pay(ledger)
            broken = False
            assert first in ledger.entries()
        pay(ledger)
        charges = sum(entry.kind == "charge" for entry in ledger.entries())
        assert ledger.book.budget("patients").charged == charges * TENTH
        assert charges >= 2
    disk.unregister()
    assert verify(path).sound


def test_a_disk_without_room_for_more(path: Path) -> None:
    made(path, 0)
    code = f"""
import resource, signal
from hedgerow.errors import LedgerError
from hedgerow.ledger import Ledger
from ledger.making import pay
ledger = Ledger.open({str(path)!r}, create=False)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
done = 0
try:
    while True:
        pay(ledger, question="x" * 2000, analyst=str(done))
        done += 1
except LedgerError as problem:
    print(done, problem)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(TESTS)}
    )
    done, told = run.stdout.split(" ", 1)
    assert "What was charged is kept" in told or "is full" in told
    with Ledger.open(path, create=False) as ledger:
        assert 0 < int(done) <= sum(entry.kind == "charge" for entry in ledger.entries())
        assert ledger.book.budget("patients").charged.epsilon >= int(done) * Fraction(1, 10)


def test_an_anchor_that_cannot_be_written_stops_the_charge(path: Path) -> None:
    made(path, 0)
    with Ledger.open(path, create=False) as ledger:
        obstacle = path.with_name("clinic.ledger.anchor.new")
        obstacle.mkdir()
        with pytest.raises(LedgerError, match="cannot be read and written"):
            pay(ledger)
        obstacle.rmdir()
        # The charge is in the ledger, unanswered; the anchor catches up with it.
        assert ledger.book.budget("patients").charged == TENTH
        pay(ledger)
    held = Anchor.read(path)
    assert held is not None
    assert held.seq == 4


def test_an_unreadable_anchor_is_refused(path: Path) -> None:
    Anchor.place(made(path)).write_text("{", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"anchor of the ledger.*cannot be read"):
        Ledger.open(path, create=False)


def test_a_refusal_costs_no_second_reading(path: Path) -> None:
    with Ledger.open(made(path), create=False) as ledger:
        book = ledger.book
        with pytest.raises(BudgetExceeded):
            pay(ledger, Loss(Fraction(1)))
        assert ledger.book is book
        assert isinstance(book, Book)


def test_the_anchor_names_the_last_entry(path: Path) -> None:
    with Ledger.open(made(path), create=False) as ledger:
        entry = pay(ledger)
        held = json.loads(Anchor.place(path).read_text(encoding="utf-8"))
        assert (held["seq"], held["hash"], held["ledger"]) == (entry.seq, entry.hash, ledger.book.ledger)
        assert (held["device"], held["inode"]) == (path.stat().st_dev, path.stat().st_ino)
