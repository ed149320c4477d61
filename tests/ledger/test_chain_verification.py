"""The second opinion."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger import chain_verification as recount
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.chain_verification import VerificationReport, verify
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.sqlite import Ledger
from hedgerow.ledger.sqlite_file import read_entries
from hedgerow.privacy.loss import Loss
from ledger.making import pay, policy, terms


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "clinic.ledger"
    with Ledger.open(file, create=True) as ledger:
        ledger.accept_policy(
            **policy(3, 1e-6, budgets={"patients": terms(3, 1e-6), "staff": terms()})
        )
        pay(ledger, Loss(Fraction(1, 3), Fraction(1, 10**9)))
        pay(
            ledger,
            Loss(math.inf, Fraction(0), Fraction(1, 1000)),
            also={"staff": Loss(Fraction(1, 7))},
        )
        ledger.answer(pay(ledger), "x")
    return file


def test_sums_and_head(path: Path) -> None:
    report = verify(path)
    assert (report.sound, report.problem, report.first_bad, report.entries) == (True, "", None, 6)
    assert report.head == list(read_entries(path))[-1].hash
    with Ledger.open(path, create=False) as ledger:
        charged = ledger.state.budget("patients").charged
        assert report.spent["patients"] == {
            "epsilon": math.inf,
            "delta": Fraction(1, 10**9),
            "rho": charged.rho,
        }
        assert report.spent["staff"]["epsilon"] == Fraction(1, 7)
        assert report.ledger == ledger.state.ledger


def test_the_report_as_text_and_as_json(path: Path) -> None:
    report = verify(path)
    held = report.to_dict()
    assert json.loads(json.dumps(held)) == held
    assert held["sound"] is True
    assert held["spent"]["staff"]["epsilon"] == "1/7"  # type: ignore[index]
    assert str(report).splitlines()[0] == f"Ledger {report.ledger}: 6 entries, nothing is wrong"
    assert "staff: spent epsilon 0.142857142858" in str(report)
    assert "patients: spent no pure epsilon, delta 0.000000001, rho " in str(report)
    assert str(VerificationReport(problem="broken")).endswith("broken")


def test_sums_of_any_length_are_reported() -> None:
    small, large = Fraction(1, 3**10_000), Fraction(10**5000)
    report = VerificationReport(
        spent={"patients": {"epsilon": small, "delta": large, "rho": math.inf}}
    )
    told = report.to_dict()["spent"]["patients"]  # type: ignore[index]
    assert told["epsilon"].endswith("E-4772")
    assert Fraction(small) < Fraction(told["epsilon"]) < small * Fraction(1_000_001, 1_000_000)
    assert (told["delta"], told["rho"]) == ("1." + "0" * 29 + "E+5000", "inf")
    assert "patients: spent epsilon 0.000000000001, delta 1.000" in str(report)


def test_the_file_is_not_written_to(path: Path) -> None:
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert verify(path).sound
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_verification_reads_beside_a_writer(path: Path) -> None:
    with Ledger.open(path, create=False) as ledger:
        pay(ledger)
        assert verify(path).entries == 7
        pay(ledger)
        assert verify(path).sound


def test_a_chain_made_anew_is_caught_by_the_rules(path: Path) -> None:
    """Whoever recomputes every hash still cannot overdraw a budget unseen, nor keep the anchor."""
    kept = list(read_entries(path))
    whole = kept[2].body | {"charges": {"staff": Loss(Fraction(2)).to_dict()}}
    rewrite(
        path,
        [
            *kept[:2],
            Entry.build(kept[0].body["ledger"], 3, "charge", whole, kept[1].hash, kept[2].time),
        ],
    )
    report = verify(path)
    assert report.first_bad == 3
    assert "does not cover it" in report.problem
    with pytest.raises(LedgerError, match="Entry 3 of the ledger breaks its rules"):
        Ledger.open(path, create=False)


def test_sums_that_differ_are_seen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = recount._parse_number
    monkeypatch.setattr(recount, "_parse_number", lambda text: real(text) * 2)
    report = verify(path)
    assert not report.sound
    assert "do not add up" in report.problem


def test_the_anchor_is_compared(path: Path) -> None:
    place = Anchor.path_for(path)
    held = json.loads(place.read_text(encoding="utf-8"))
    for change, bad, told in [
        ({"ledger": "0" * 32}, 1, "another ledger"),
        ({"seq": 9}, 7, "Entry 7 of the ledger is missing: the anchor knows entry 9"),
        ({"hash": "0" * 64}, 6, "Entry 6 of the ledger differs"),
        ({"inode": 1}, 7, "is a copy"),
    ]:
        place.write_text(json.dumps(held | change), encoding="utf-8")
        report = verify(path)
        assert (report.first_bad, told in report.problem) == (bad, True), report.problem
    place.unlink()
    assert "anchor of the ledger is missing" in verify(path).problem


def test_after_a_loss_the_sums_are_the_closed_ones(path: Path) -> None:
    Ledger.adopt(path, "x", lost=True)
    report = verify(path)
    assert report.sound
    assert report.spent["patients"]["epsilon"] == 3
    assert report.spent["staff"]["epsilon"] == 1


def test_a_file_that_is_not_a_ledger_is_reported(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("nothing like it" * 100, encoding="utf-8")
    assert "is not a ledger" in verify(tmp_path / "text").problem
    assert not verify(tmp_path / "missing").sound
    with pytest.raises(LedgerError, match="is a folder"):
        verify(tmp_path)


def rewrite(path: Path, entries: list[Entry]) -> None:
    db = apsw.Connection(str(path))
    db.execute("DELETE FROM entries")
    for entry in entries:
        db.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
            (entry.seq, entry.kind, entry.time, entry.text, entry.previous, entry.hash),
        )
    db.close()
