"""One ledger file, many who use it: objects, threads, forks, processes."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.sqlite import Ledger
from hedgerow.privacy.loss import Loss
from ledger.filed import TESTS, made, race
from ledger.making import pay, quick_folder
from ledger.racing import UNITS


def test_a_lock_that_is_held_too_long_is_reported(path: Path) -> None:
    made(path)
    with Ledger.open(path, create=False, wait=0.05) as ledger:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is locked by another process"):
            pay(ledger)
        other.execute("ROLLBACK")
        other.close()
        pay(ledger)


def test_no_other_writer_starts_while_the_ledger_is_read(path: Path) -> None:
    """The lock comes before the look, not with the first word that is written: what was seen is
    still true then.
    """
    other = apsw.Connection(str(made(path)))
    other.set_busy_timeout(0)
    with Ledger.open(path, create=False) as ledger:
        with ledger._transaction(), pytest.raises(apsw.BusyError):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    other.close()


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
print(ledger.state.budget("patients").charged.epsilon)
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert (run.stdout, run.stderr) == ("1/2\n", "")


def test_a_connection_carried_into_another_process_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(made(path), create=False) as ledger:
        monkeypatch.setattr(ledger, "_pid", -1)
        with pytest.raises(LedgerError, match="carried into another process"):
            pay(ledger)


@pytest.mark.parametrize("mode", ["own", "inherited"])
def test_eight_processes_never_spend_more_than_there_is(tmp_path: Path, mode: str) -> None:
    with quick_folder(tmp_path) as folder:
        assert race(folder, mode) == (UNITS, UNITS)
        with Ledger.open(folder / "race.ledger", create=False) as ledger:
            assert ledger.state.budget("patients").charged.epsilon == 1
        assert verify(folder / "race.ledger").sound


def test_two_populations_are_charged_together_or_not_at_all(tmp_path: Path) -> None:
    """One has 40 shares, the other 60: eight processes get 40 charges to both, and nothing is
    charged to one alone.
    """
    with quick_folder(tmp_path) as folder:
        assert race(folder, "both") == (UNITS * 2 // 3, UNITS * 2 // 3)
        with Ledger.open(folder / "race.ledger", create=False) as ledger:
            spent = {name: ledger.state.unit_loss(name).epsilon for name in ("patients", "staff")}
            assert spent == dict.fromkeys(("patients", "staff"), Fraction(2, 3))
            pay(ledger, Loss(Fraction(1, 3)))  # what is left to the one is still there
        assert verify(folder / "race.ledger").sound


def test_the_race_catches_who_looks_first_and_writes_later(tmp_path: Path) -> None:
    with quick_folder(tmp_path) as folder:
        granted, stored = race(folder, "careless")
        assert granted > UNITS or stored > UNITS
        with pytest.raises(LedgerError, match=f"Entry {UNITS + 3} of the ledger breaks its rules"):
            Ledger.open(folder / "race.ledger", create=False)
