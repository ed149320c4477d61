"""Processes that die, disks that fail or are full, power that goes: nothing that was charged is
lost.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger import anchor, sqlite
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.ledger.recovery import backup, restore
from hedgerow.ledger.sqlite import Ledger
from ledger.disk import Event, Quiet, Watched, ignored, images, record, struck, survives
from ledger.filed import TESTS, made, program
from ledger.making import TENTH, pay, policy, quick_folder


@pytest.mark.long
def test_every_answer_received_was_charged_wherever_the_process_dies(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as folder:
        deaths, answers = map(int, program("killing.py", folder).split())
    assert deaths > 90
    assert answers > deaths


@pytest.mark.long
def test_power_loss_loses_no_charge_that_returned(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as run, quick_folder(tmp_path) as folder:
        problems = [
            survives(image, folder) for image in images(record(run, 40), 500, random.Random(1))
        ]
    assert len(problems) == 500  # tests/slow looks at a hundred thousand
    assert set(problems) == {""}


@pytest.mark.long
def test_the_same_images_show_the_losses_of_lazy_syncs(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as run, quick_folder(tmp_path) as folder:
        problems = [
            survives(image, folder)
            for image in images(record(run, 20, "NORMAL"), 200, random.Random(1))
        ]
    assert sum(bool(problem) for problem in problems) > 50


def found(folder: Path, charges: int, count: int, *, fails: int = -1) -> set[str]:
    """What goes wrong in images of a run."""
    with quick_folder(folder) as run, quick_folder(folder) as home:
        return {
            survives(image, home)
            for image in images(record(run, charges, fails=fails), count, random.Random(1))
        } - {""}


def test_power_loss_while_a_ledger_is_made(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as run, quick_folder(tmp_path) as folder:
        events = record(run, 0)
        events = events[: events.index(("ready",))]
        assert {
            ("sync", "run.ledger.new"),
            ("sync", "run.ledger.anchor.new"),
            ("rename", "run.ledger.new", "run.ledger"),
        } <= set(events)
        assert {survives(image, folder) for image in images(events, 100, random.Random(1))} == {""}


def put_without_sync(place: Path, text: str) -> None:
    """The anchor is replaced by a file whose content may still be in memory."""
    draft = place.with_name(place.name + ".new")
    held = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.pwrite(held, text.encode(), 0)
    os.close(held)
    os.replace(draft, place)
    sync_to_disk(place.parent)


def put_without_a_name(place: Path, text: str) -> None:
    """The content is synced, and its new name is not."""
    draft = place.with_name(place.name + ".new")
    held = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.pwrite(held, text.encode(), 0)
    os.fsync(held)
    os.close(held)
    os.replace(draft, place)


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (put_without_sync, "The anchor of the ledger"),
        (put_without_a_name, "the anchor does not know entry"),
    ],
)
def test_the_images_show_an_anchor_that_is_not_synced(
    tmp_path: Path, mistake: Callable[[Path, str], None], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchor, "replace_file", mistake)
    assert any(told in problem for problem in found(tmp_path, 4, 80))


def test_power_loss_after_a_sync_that_failed_loses_no_charge_that_returned(tmp_path: Path) -> None:
    assert found(tmp_path, 6, 150, fails=2) == set()


def test_the_images_show_a_log_that_is_only_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "rewrite_file", lambda _: None)
    assert any("rolled back" in problem for problem in found(tmp_path, 6, 150, fails=2))


def test_an_entry_in_doubt_goes_to_a_new_file_before_anything_is_answered(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as run:
        events = record(run, 3, fails=1)
        with Ledger.open(run / "run.ledger", create=False) as ledger:
            assert ledger.state.budget("patients").charged == 3 * TENTH  # one of them in vain
    failed = max(place for place, event in enumerate(events) if event[0] == "failed")
    told = next(
        place for place, event in enumerate(events) if place > failed and event[0] == "returned"
    )
    steps = [event[:2] for event in events[failed:told]]
    kept = [
        ("write", "run.ledger.tail.new"),
        ("sync", "run.ledger.tail.new"),
        ("rename", "run.ledger.tail.new"),
        ("sync", ""),
    ]
    places = [steps.index(step) for step in kept]
    assert places == sorted(places)
    assert steps.index(("sync", "run.ledger-wal")) > places[-1]


def _usable(path: Path) -> None:
    with Ledger.open(path, create=True) as ledger:
        ledger.accept_policy(**policy())
        pay(ledger)
    assert verify(path).sound


@ignored
def test_a_ledger_is_created_atomically_at_any_failing_step(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as home:
        assert (
            struck(
                home, lambda _: None, lambda path: Ledger.open(path, create=True).close(), _usable
            )
            > 30
        )


@ignored
def test_the_steps_show_a_log_that_is_left_behind(tmp_path: Path) -> None:
    """The checkpoint is left to closing, which tells of no error: the file is put in place
    without what its log holds.
    """

    class Hasty(Quiet):
        def wal_checkpoint(self, *_: object, **__: object) -> tuple[int, int]:
            return 0, 0

    with (
        quick_folder(tmp_path) as home,
        pytest.raises(LedgerError, match="is not a ledger, or is damaged"),
    ):
        struck(
            home,
            lambda _: None,
            lambda path: Ledger.open(path, create=True).close(),
            _usable,
            Hasty,
        )


def _lost(path: Path) -> None:
    backup(made(path), path.with_name("copy"))
    path.unlink()


def _restored(path: Path) -> None:
    try:
        Ledger.open(path, create=False).close()
    except LedgerError:
        assert not path.exists()
        restore(path.with_name("copy"), path, "again")
    with Ledger.open(path, create=False) as ledger:
        assert ledger.state.budget("patients").charged == 3 * TENTH
        assert [entry.kind for entry in ledger.entries()].count("adopt") == 1
    assert verify(path).sound


@pytest.mark.long
@ignored
def test_a_restore_is_atomic_at_any_failing_step(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as home:
        assert (
            struck(home, _lost, lambda path: restore(path.with_name("copy"), path, "x"), _restored)
            > 30
        )


def _closed(path: Path) -> None:
    try:
        Ledger.open(path, create=False).close()
    except LedgerError:
        assert not path.exists()
        Ledger.adopt(path, "again", lost=True)
    with Ledger.open(path, create=False) as ledger:
        assert ledger.state.unit_loss("patients").epsilon == 1
        assert [entry.kind for entry in ledger.entries()] == ["open", "exhausted"]
    assert verify(path).sound


@pytest.mark.long
@ignored
def test_a_lost_ledger_restarts_atomically_at_any_failing_step(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as home:
        assert struck(home, _lost, lambda path: Ledger.adopt(path, "x", lost=True), _closed) > 30


class Faulty(Ledger):
    _vfs = "faulty"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (apsw.FullError, r"disk of the ledger.*is full\. Make room"),
        (apsw.IOError, "cannot be read and written"),
    ],
)
@pytest.mark.parametrize("step", ["write", "sync"])
def test_a_failing_disk_loses_nothing_and_the_ledger_stays_usable(
    path: Path, error: type[apsw.Error], told: str, step: str
) -> None:
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
        assert ledger.state.budget("patients").charged == charges * TENTH
        assert charges == 5  # what was in doubt counts as charged
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
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    done, told = run.stdout.split(" ", 1)
    assert "no charge is lost" in told or "is full" in told
    with Ledger.open(path, create=False) as ledger:
        assert 0 < int(done) <= sum(entry.kind == "charge" for entry in ledger.entries())
        assert ledger.state.budget("patients").charged.epsilon >= int(done) * Fraction(1, 10)


def test_an_anchor_that_cannot_be_written_stops_the_charge(path: Path) -> None:
    made(path, 0)
    with Ledger.open(path, create=False) as ledger:
        obstacle = path.with_name("clinic.ledger.anchor.new")
        obstacle.mkdir()
        with pytest.raises(LedgerError, match="cannot be read and written"):
            pay(ledger)
        obstacle.rmdir()
        # The charge is in the ledger, unanswered; the anchor catches up with it.
        assert ledger.state.budget("patients").charged == TENTH
        pay(ledger)
    held = Anchor.read(path)
    assert held is not None
    assert held.seq == 4


def test_an_unreadable_anchor_is_refused(path: Path) -> None:
    Anchor.path_for(made(path)).write_text("{", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"anchor of the ledger.*cannot be read"):
        Ledger.open(path, create=False)


def test_the_anchor_names_the_last_entry(path: Path) -> None:
    with Ledger.open(made(path), create=False) as ledger:
        entry = pay(ledger)
        held = json.loads(Anchor.path_for(path).read_text(encoding="utf-8"))
        assert (held["seq"], held["hash"], held["ledger"]) == (
            entry.seq,
            entry.hash,
            ledger.state.ledger,
        )
        assert (held["device"], held["inode"]) == (path.stat().st_dev, path.stat().st_ino)
