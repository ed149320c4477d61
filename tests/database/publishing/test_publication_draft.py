"""Drafts of publications: charged once, finished after a crash, and never seen twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from database.survey import write_survey
from hedgerow.errors import (
    BudgetExceeded,
    LedgerError,
    Refused,
    SourceError,
)
from hedgerow.publish.output.publication import StagingFolder

KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "histogram": (["region", "age"], {"bins": {"age": 10}}),
    "cdf": ("age", {}),
    "marginals": (["region", "smokes"], {}),
    "queries": (["smokes", "region = 'north'"], {}),
    "synthetic": (["region", "smokes"], {}),
}


def opened(folder: Path, **options: Any) -> hr.Database:
    return hr.open(write_survey(folder, **options), in_process=True)


def test_the_same_again_costs_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        first = db.publish.histogram("people", "region", epsilon=2).to(tmp_path / "a")
        spent = db.budget.spent
        second = db.publish.histogram("people", "region", epsilon=2).to(tmp_path / "b")
        assert db.budget.spent == spent
        assert second.to_arrow().equals(first.to_arrow())
        # At a smaller epsilon the better one is there already; at a larger one it is paid.
        assert (
            db.publish.histogram("people", "region", epsilon=1)
            .to(tmp_path / "c")
            .to_arrow()
            .equals(first.to_arrow())
        )
        assert db.budget.spent == spent
        # What is gone, or was changed, has to be made anew.
        shutil.rmtree(tmp_path / "a")
        db.publish.histogram("people", "region", epsilon=2).to(tmp_path / "d")
        assert db.budget.spent == spent + 2


def test_a_request_key_is_charged_once(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        draft = db.publish.histogram("people", "region", epsilon=2)
        draft.to(tmp_path / "a", request="r")
        shutil.rmtree(tmp_path / "a")
        with pytest.raises(Refused, match="published before"):
            draft.to(tmp_path / "a", request="r")
        assert db.budget.spent == 2
        assert not (tmp_path / "a").exists()


def test_a_failed_run_is_charged_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as db:
        draft = db.publish.histogram("people", "region", epsilon=2)
        monkeypatch.setattr(
            "hedgerow.publish.output.publication.StagingFolder.save", lambda *_: 1 / 0
        )
        with pytest.raises(SourceError, match="charged"):
            draft.to(tmp_path / "a")
        assert db.budget.spent == 2
        assert not [
            path for path in tmp_path.iterdir() if path.name == "a" or "unpublished" in path.name
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_paid_publication_that_was_not_moved_is_finished_later_for_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The disk is full when the receipt is written, then somebody interrupts; all that is left
    is hidden, and the ledger knows it.
    """
    columns, options = KINDS[kind]
    with opened(tmp_path) as db, monkeypatch.context() as patch:
        draft = getattr(db.publish, kind)("people", columns, epsilon=2, **options)
        patch.setattr(os, "rename", raising(OSError(28, "No space left on device")))
        with pytest.raises(
            SourceError,
            match=(
                r"No space left on device\. Make room for it and publish it again, which costs"
                r" nothing"
            ),
        ):
            draft.to(tmp_path / "a")
        patch.setattr(os, "rename", raising(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            draft.to(tmp_path / "a")
        assert not (tmp_path / "a").exists()
        (left,) = [path for path in tmp_path.iterdir() if "unpublished" in path.name]
        assert left.stat().st_mode & 0o777 == 0o700
    with hr.open(tmp_path / "survey.toml", in_process=True) as db:
        # Also by somebody who asks for less; what is told is what was paid.
        less = getattr(db.publish, kind)("people", columns, epsilon=1, **options)
        again = less.to(tmp_path / "a")
        assert db.budget.spent == 2
        (charge,) = [entry for entry in db.ledger.entries() if entry.kind == "charge"]
        assert again.receipt["ledger"] == {
            "entry": charge.seq,
            "hash": charge.hash,
            "time": charge.time,
        }
        assert Fraction(again.receipt["epsilon"]) == 2
        assert (tmp_path / "a" / "report.html").read_text().endswith("</html>\n")
        assert not [path for path in tmp_path.iterdir() if "unpublished" in path.name]
        # and found there from now on
        assert less.to(tmp_path / "b").to_arrow().equals(again.to_arrow())
        assert db.budget.spent == 2


def raising(problem: BaseException) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise problem

    return fail


def test_killed_before_it_is_in_place_it_is_finished_later_for_nothing(tmp_path: Path) -> None:
    """kill -9 between the ledger's answer and the last step."""
    policy = write_survey(tmp_path)
    program = f"""
import os, signal
import hedgerow as hr
with hr.open({str(policy)!r}, in_process=True) as db:
    draft = db.publish.histogram("people", "region", epsilon=2)
    os.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    draft.to({str(tmp_path / "a")!r})
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    with hr.open(policy, in_process=True) as db:
        assert db.budget.spent == 2
        assert not (tmp_path / "a").exists()
        assert (
            db.publish.histogram("people", "region", epsilon=2).to(tmp_path / "a").rows[0]["region"]
            == "north"
        )
        assert db.budget.spent == 2


@pytest.mark.parametrize("trouble", [LedgerError("The disk is full."), KeyboardInterrupt()])
def test_one_payment_buys_one_table_however_often_it_is_tried(
    tmp_path: Path, trouble: BaseException
) -> None:
    """The ledger cannot write down what was made: the same request again goes on with that, and
    does not measure anew.
    """
    with opened(tmp_path) as db:
        draft = db.publish.histogram("people", "region", epsilon=2)
        for _ in range(3):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(type(db.ledger), "answer", raising(trouble))
                with pytest.raises(type(trouble)):
                    draft.to(tmp_path / "a", request="r")
            (left,) = tmp_path.glob(".a.*.unpublished")
            table = (left / "data.parquet").read_bytes()
        with pytest.raises(
            Refused, match=r"first published to .*/a\. Publish it there, or without the request key"
        ):
            draft.to(tmp_path / "b", request="r")
        draft.to(tmp_path / "a", request="r")
        assert (tmp_path / "a" / "data.parquet").read_bytes() == table
        assert not list(tmp_path.glob(".?.*.unpublished"))
        assert db.budget.spent == 2
        assert not any(
            str(tmp_path) in str(row) for row in db.query("SELECT about FROM hedgerow.ledger").rows
        )


def test_progress_is_reported_while_a_publication_is_built(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        for kind, (columns, options) in KINDS.items():
            heard: list[tuple[int, int]] = []
            draft = getattr(db.publish, kind)("people", columns, epsilon=2, **options)
            draft.to(tmp_path / kind, tell=lambda done, of, heard=heard: heard.append((done, of)))
            assert heard[-1][0] == heard[-1][1] > 0
            assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_an_insufficient_budget_is_reported_before_any_charge(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        for number in range(5):
            db.publish.histogram("people", "region", epsilon=20, where=f"age > {number}").to(
                tmp_path / str(number)
            )
        with pytest.raises(BudgetExceeded, match="it asks for epsilon 1 with 0 left"):
            db.publish.histogram("people", "smokes", epsilon=1).to(tmp_path / "a")
        assert not (tmp_path / "a").exists()


def test_one_of_two_runs_for_one_payment_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both draw noise; the ledger keeps the first answer, and what the second made is not moved
    into place.
    """
    meet = threading.Barrier(2)
    plain = StagingFolder.save

    def keep(self: StagingFolder, *made: Any) -> dict[str, str]:
        meet.wait(30)
        return plain(self, *made)

    monkeypatch.setattr(StagingFolder, "save", keep)
    with opened(tmp_path) as db:
        draft, seen = db.publish.histogram("people", "region", epsilon=2), []

        def run() -> None:
            try:
                seen.append(draft.to(tmp_path / "a", request="r"))
            except Refused as refusal:
                seen.append(refusal)

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(type(one).__name__ for one in seen) == ["Publication", "Refused"]
        assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 1
        assert db.budget.spent == 2
