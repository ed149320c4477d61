"""The ledger file: durable, shared, and suspicious of every way in which a file can be another than it was."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.book import Book
from hedgerow.ledger.recount import verify
from hedgerow.ledger.sqlite import Ledger, entries_of
from hedgerow.privacy.loss import Loss
from ledger.disk import Event, Watched, images, record, survives
from ledger.making import TENTH, pay, policy, quick_folder
from ledger.racing import UNITS

TESTS = Path(__file__).parents[1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic.ledger"


def made(path: Path, questions: int = 3) -> Path:
    """A ledger with a policy and some answered questions: entries 1, 2, then two for each question."""
    with Ledger.open(path, create=True) as ledger:
        ledger.accept(**policy())
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
    """Run a helper in an interpreter of its own: it forks, and a process with threads should not."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, str(TESTS / "ledger" / name), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


# Opening and making


def test_what_was_written_is_there_again(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        assert [entry.kind for entry in ledger.entries()] == ["open", "policy", *["charge", "answer"] * 3]
        assert ledger.book.budget("patients").charged == 3 * TENTH
        ((charge, payload),) = ledger.answers("q1", "1")
        assert (charge.seq, payload) == (5, "answer 1")
        assert ledger.outcome(charge) == ledger.entries()[5]
    assert sorted(os.listdir(path.parent)) == ["clinic.ledger", "clinic.ledger.anchor"]


def test_the_file_is_a_write_ahead_log_with_full_syncs(path: Path) -> None:
    with Ledger.open(made(path), create=True) as ledger:
        db = ledger._connection()
        assert (db.execute("PRAGMA journal_mode").get, db.execute("PRAGMA synchronous").get) == ("wal", 2)


def test_a_missing_ledger_is_made_only_when_asked(path: Path) -> None:
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(path, create=False)
    assert os.listdir(path.parent) == []


def test_a_ledger_that_is_gone_is_not_made_anew(path: Path) -> None:
    made(path).unlink()
    for create in (True, False):
        with pytest.raises(LedgerError, match=r"is missing\. Put the newest copy back.*adopt --lost"):
            Ledger.open(path, create=create)
    assert not path.exists()


def test_making_goes_on_where_a_crash_interrupted_it(path: Path) -> None:
    made(path, 0)
    draft = path.with_name("clinic.ledger.new")
    with Ledger.open(path.with_name("other.ledger"), create=True) as other:
        name = other.book.ledger
    path.with_name("other.ledger").rename(draft)
    path.with_name("other.ledger.anchor").rename(Anchor.place(path))
    path.unlink()
    with Ledger.open(path, create=True) as ledger:  # the anchor was written, the file not yet put in place
        assert ledger.book.ledger == name
    path.rename(draft)
    shutil.copy(draft, path)
    draft.unlink()
    path.rename(draft)
    with pytest.raises(LedgerError, match="is missing"):  # another file than the anchor knows
        Ledger.open(path, create=True)


def test_leftovers_of_a_crash_before_the_anchor_are_swept_away(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(f"clinic.ledger.new{end}").write_bytes(b"half")
    made(path)
    assert verify(path).sound


def test_two_who_make_a_ledger_at_once_make_one(path: Path) -> None:
    found: list[str] = []

    def make() -> None:
        with Ledger.open(path, create=True) as ledger:
            found.append(ledger.book.ledger)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_closed_ledger_says_so(path: Path) -> None:
    ledger = Ledger.open(path, create=True)
    ledger.close()
    ledger.close()
    for use in (ledger.entries, lambda: ledger.book, lambda: ledger.accept(**policy())):
        with pytest.raises(LedgerError, match="is closed"):
            use()


# Things that are no ledger


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be read as one" * 40])
def test_another_file_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for use in (lambda: Ledger.open(path, create=True), lambda: Ledger.adopt(path, "mine")):
        with pytest.raises(LedgerError, match="is not a ledger, or is damaged"):
            use()
    assert path.read_bytes() == content


def test_a_folder_where_nothing_can_be_made_is_refused() -> None:
    with pytest.raises(LedgerError, match="cannot be read and written"):
        Ledger.open("/proc/clinic.ledger", create=True)


def test_a_ledger_without_entries_is_refused(path: Path) -> None:
    change(made(path), "DELETE FROM entries")
    with pytest.raises(LedgerError, match="Entry 1 of the ledger is missing"):
        Ledger.open(path, create=False)


# Attacks on the file


@pytest.mark.parametrize("column", ["kind", "time", "body", "previous", "hash"])
@pytest.mark.parametrize("seq", [1, 2, 5, 8])
def test_an_edited_entry_is_named(path: Path, column: str, seq: int) -> None:
    change(made(path), f"UPDATE entries SET {column} = {column} || 'x' WHERE seq = ?", seq)
    for use in (lambda: Ledger.open(path, create=False), lambda: Ledger.adopt(path, "fine", lost=True)):
        with pytest.raises(LedgerError, match=f"^Entry {seq} "):
            use()
    assert verify(path).first_bad == seq


def test_a_renumbered_entry_is_named(path: Path) -> None:
    change(made(path), "UPDATE entries SET seq = 20 WHERE seq = 8")
    with pytest.raises(LedgerError, match="Entry 8 of the ledger is missing"):
        Ledger.open(path, create=False)


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    change(made(path), "UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
    with pytest.raises(LedgerError, match="Entry 4 of the ledger cannot be read: the file is damaged"):
        Ledger.open(path, create=False)
    assert verify(path).first_bad == 4


def test_a_deleted_entry_is_named(path: Path) -> None:
    change(made(path), "DELETE FROM entries WHERE seq = 5")
    with pytest.raises(LedgerError, match="Entry 5 of the ledger is missing"):
        Ledger.open(path, create=False)


def test_damaged_pages_are_refused(path: Path) -> None:
    content = made(path).read_bytes()
    refused = 0
    for place in range(100, len(content), 997):
        overwrite(path, content[:place] + bytes(64) + content[place + 64 :])
        try:
            Ledger.open(path, create=False).close()
        except LedgerError:
            refused += 1
        else:  # a stretch that was empty anyway: all entries are still there
            assert verify(path).sound
        path.with_name("clinic.ledger-wal").unlink(missing_ok=True)
    assert refused > 3


def cut_off(path: Path, copy: Path) -> None:
    change(path, "DELETE FROM entries WHERE seq > 6")


def rolled_back(path: Path, copy: Path) -> None:
    overwrite(path, copy.read_bytes())


def put_back(path: Path, copy: Path) -> None:
    copy.rename(path)


@pytest.mark.parametrize("attack", [cut_off, rolled_back, put_back])
def test_a_shortened_ledger_is_refused(path: Path, attack: Callable[[Path, Path], None]) -> None:
    copy = path.with_name("backup")
    shutil.copy(made(path, 2), copy)
    with Ledger.open(path, create=False) as ledger:
        pay(ledger)
    attack(path, copy)
    for create in (True, False):
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is missing: it was rolled back from entry 7"):
            Ledger.open(path, create=create)
    with pytest.raises(LedgerError, match="Entry 7 of the ledger may be lost"):
        Ledger.adopt(path, "looks good")
    assert verify(path).first_bad == 7


def test_a_ledger_rolled_back_under_an_open_one_is_refused(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        change_while_open(path, "DELETE FROM entries WHERE seq > 6")
        with pytest.raises(LedgerError, match="Entry 8 of the ledger is gone or changed"):
            pay(ledger)
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is missing"):
            pay(ledger)


def change_while_open(path: Path, statement: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()


def test_a_ledger_rolled_back_and_written_on_is_refused(path: Path) -> None:
    made(path, 2)
    anchor = Anchor.place(path).read_bytes()
    with Ledger.open(path, create=False) as ledger:
        pay(ledger, question="the real one")
    later = Anchor.place(path).read_bytes()
    change(path, "DELETE FROM entries WHERE seq > 6")
    Anchor.place(path).write_bytes(anchor)
    with Ledger.open(path, create=False) as ledger:
        pay(ledger, question="another")
        Anchor.place(path).write_bytes(later)
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is another than was written"):
            pay(ledger)
    assert verify(path).first_bad == 7


def test_a_copy_is_refused_until_it_is_adopted(path: Path) -> None:
    made(path)
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)
    for use in (lambda: Ledger.open(path, create=False), lambda: Ledger.open(path, create=True)):
        with pytest.raises(LedgerError, match=r"is a copy: two copies would spend one budget twice.*'hedgerow ledger adopt'"):
            use()
    assert "copy" in verify(path).problem
    entry = Ledger.adopt(path, "disk replaced; the old one was destroyed")
    assert (entry.kind, entry.body) == ("adopt", {"note": "disk replaced; the old one was destroyed"})
    with Ledger.open(path, create=False) as ledger:
        assert ledger.book.budget("patients").charged == 3 * TENTH
        pay(ledger)
    assert verify(path).sound


def test_a_clone_with_its_anchor_is_refused(path: Path) -> None:
    clone = path.with_name("clone.ledger")
    shutil.copy(made(path), clone)
    shutil.copy(Anchor.place(path), Anchor.place(clone))
    with pytest.raises(LedgerError, match="is a copy"):
        Ledger.open(clone, create=False)


def test_a_file_replaced_under_an_open_ledger_is_refused(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        shutil.copy(path, path.with_name("copy"))
        path.with_name("copy").rename(path)
        with pytest.raises(LedgerError, match="is a copy"):
            pay(ledger)


def test_a_swapped_ledger_is_refused_and_cannot_be_adopted(path: Path) -> None:
    other = made(path.with_name("other.ledger"))
    made(path)
    overwrite(path, other.read_bytes())
    for use in (lambda: Ledger.open(path, create=False), lambda: Ledger.adopt(path, "x"), lambda: Ledger.adopt(path, "x", lost=True)):
        with pytest.raises(LedgerError, match="was swapped: its entry 1 opens another ledger"):
            use()
    assert verify(path).first_bad == 1


def test_without_its_anchor_a_ledger_is_refused(path: Path) -> None:
    Anchor.place(made(path, 0)).unlink()
    for create in (True, False):
        with pytest.raises(LedgerError, match=r"The anchor of the ledger.*is missing"):
            Ledger.open(path, create=create)
    with pytest.raises(LedgerError, match="may be lost: the anchor is missing or knows more"):
        Ledger.adopt(path, "x")
    Ledger.adopt(path, "the anchor was deleted", lost=True)
    with Ledger.open(path, create=False) as ledger, pytest.raises(BudgetExceeded):
        pay(ledger)


def test_an_entry_edited_under_an_open_ledger_is_not_given_out(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        change_while_open(path, "UPDATE entries SET body = '{}' WHERE seq = 4")
        with pytest.raises(LedgerError, match="Entry 4 of the ledger is gone or was changed while it was open"):
            ledger.answers("q0", "1")
        change_while_open(path, "UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
        with pytest.raises(LedgerError, match="is damaged"):
            ledger.answers("q0", "1")
        change_while_open(path, "DELETE FROM entries WHERE seq = 4")
        with pytest.raises(LedgerError, match="Entry 4 of the ledger is gone"):
            ledger.answers("q0", "1")


def test_an_answer_that_vanishes_while_it_is_looked_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(path)
    with Ledger.open(path, create=False) as ledger:
        book = ledger.book
        monkeypatch.setattr(Ledger, "book", book)  # as if it had been read just before the file was cut off
        change_while_open(path, "DELETE FROM entries WHERE seq > 6")
        with pytest.raises(LedgerError, match="Entry 7 of the ledger is gone"):
            ledger.answers("q2", "1")


# Loss


def test_lost_charges_close_the_budget_until_it_is_raised(path: Path) -> None:
    copy = path.with_name("backup")
    shutil.copy(made(path, 1), copy)
    with Ledger.open(path, create=False) as ledger:
        ledger.accept(
            **policy(2, budgets={"patients": policy()["budgets"]["patients"] | {"epsilon": 2}, "staff": policy()["budgets"]["patients"]})
        )
        pay(ledger, Loss(Fraction(3, 2)))
    copy.rename(path)
    entry = Ledger.adopt(path, "restored from Monday", lost=True)
    assert entry.kind == "exhausted"
    with Ledger.open(path, create=False) as ledger:
        with pytest.raises(BudgetExceeded, match="The budget does not cover"):
            pay(ledger)
        # The lost policy had raised the budget to 2, and another population had come: both count as spent.
        assert entry.body["spent"] == {"patients": Loss(Fraction(2)).to_dict(), "staff": Loss(Fraction(1)).to_dict()}
        both = {name: policy()["budgets"]["patients"] | {"epsilon": 3} for name in ("patients", "staff")}
        ledger.accept(**policy(budgets=both))
        assert ledger.book.budget("patients").view.left == 1
        assert ledger.book.budget("staff").view.left == 2
    assert verify(path).sound


def test_a_lost_file_starts_again_with_closed_budgets(path: Path) -> None:
    made(path).unlink()
    with pytest.raises(LedgerError, match="is missing"):
        Ledger.adopt(path, "x")
    assert Ledger.adopt(path, "the disk died", lost=True).seq == 2
    with Ledger.open(path, create=True) as ledger:
        ledger.accept(**policy())
        with pytest.raises(BudgetExceeded):
            pay(ledger)
        ledger.accept(**policy(1.1))
        pay(ledger)
    assert verify(path).sound
    Anchor.place(path).unlink()
    path.unlink()
    with pytest.raises(LedgerError, match="There is no ledger"):
        Ledger.adopt(path, "x", lost=True)


# Sharing


def test_two_objects_see_each_other(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False) as one, Ledger.open(path, create=False) as two:
        charge = pay(one, Loss(Fraction(6, 10)), request="r")
        assert two.book.budget("patients").charged.epsilon == Fraction(9, 10)
        assert pay(two, Loss(Fraction(6, 10)), request="r") == charge
        two.answer(charge, "x")
        assert one.answers("q", "1") == [(charge, "x")]
        with pytest.raises(BudgetExceeded):
            pay(one, Loss(Fraction(2, 10)))
        pay(one)
        assert [entry.seq for entry in one.entries()] == list(range(1, 12))


def test_who_waits_too_long_is_told(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False, wait=0.05) as ledger:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="in use by another process that does not let go"):
            pay(ledger)
        other.execute("ROLLBACK")
        other.close()
        pay(ledger)


def test_a_ledger_goes_through_a_fork(path: Path) -> None:
    made(path, 0)
    code = f"""
import os
from pathlib import Path
from ledger.making import pay
from hedgerow.ledger import Ledger
ledger = Ledger.open({str(path)!r}, create=False)
pay(ledger)
for _ in range(2):
    child = os.fork()
    if child == 0:
        pay(ledger)
        os._exit(0)
    pay(ledger)
    assert os.waitpid(child, 0)[1] == 0
print(ledger.book.budget("patients").charged.epsilon)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(TESTS)}
    )
    assert (run.stdout, run.stderr) == ("1/2\n", "")


def test_forking_lets_go_of_the_file_and_of_the_lock(path: Path) -> None:
    from hedgerow.ledger import sqlite

    with Ledger.open(made(path), create=False) as ledger:
        assert ledger._db is not None
        sqlite._before_fork()
        assert ledger._db is None
        taken: list[bool] = []
        thread = threading.Thread(target=lambda: taken.append(ledger._lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        assert taken == [False]
        sqlite._after_fork()
        pay(ledger)


def test_a_connection_carried_into_another_process_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(made(path), create=False) as ledger:
        monkeypatch.setattr(ledger, "_pid", -1)
        with pytest.raises(LedgerError, match="carried into another process"):
            pay(ledger)


@pytest.mark.parametrize("mode", ["own", "inherited"])
def test_eight_processes_never_spend_more_than_there_is(tmp_path: Path, mode: str) -> None:
    with quick_folder(tmp_path) as folder:
        assert race(folder, mode) == (UNITS, UNITS)
        with Ledger.open(folder / "race.ledger", create=False) as ledger:
            assert ledger.book.budget("patients").charged.epsilon == 1
        assert verify(folder / "race.ledger").sound


def test_the_race_catches_who_looks_first_and_writes_later(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as folder:
        granted, stored = race(folder, "careless")
        assert granted > UNITS or stored > UNITS
        with pytest.raises(LedgerError, match=f"Entry {UNITS + 3} of the ledger breaks its rules"):
            Ledger.open(folder / "race.ledger", create=False)


def race(folder: Path, mode: str) -> tuple[int, int]:
    """How many charges were granted, and how many are in the file."""
    granted = int(program("racing.py", folder / "race.ledger", mode))
    return granted, sum(entry.kind == "charge" for entry in entries_of(folder / "race.ledger"))


# Faults


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
