"""A stream is paid for in the ledger before its first element, once, and goes on after a
restart.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hedgerow as hr
from database.survey import write_survey
from hedgerow.database.publishing.stream_draft import StreamDraft
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused, SourceError
from hedgerow.privacy.loss import Loss
from hedgerow.publish.streaming.state_file import StateFile
from hedgerow.publish.streaming.stream import Stream

TERMS = {"horizon": 100, "lower": 0, "upper": 5}


@pytest.fixture(autouse=True)
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power is cut here: what is only in the machine's memory is kept too."""
    monkeypatch.setattr(StateFile, "_synchronous", "OFF")
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_stream_is_charged_when_it_begins(tmp_path: Path, noise: str) -> None:
    with hr.open(write_survey(tmp_path, noise=noise), in_process=True) as db:
        draft = db.publish.continual("meter", **TERMS, epsilon=10)
        assert not [entry for entry in db.ledger.entries() if entry.kind == "charge"]
        assert repr(draft).startswith("Stream meter: 100 numbers from 0 to 5.\nCost: ")
        assert draft.expected[0].rms <= draft.expected[-1].rms
        with draft.begin(tmp_path / "meter.stream") as stream:
            first = [stream.add(3) for _ in range(10)]
        (charge,) = [entry for entry in db.ledger.entries() if entry.kind == "charge"]
        assert Loss.from_dict(charge.body["charges"]["people"]) == draft.cost
        assert charge.body["about"] == {"stream": "meter", "horizon": 100}
    with Stream.open(tmp_path / "meter.stream") as stream:
        assert stream.answers() == first
        rest = [stream.add(3) for _ in range(90)]
        assert (
            np.abs(np.array(first + rest) - 3 * np.arange(1, 101)).max()
            < 40 * draft.expected[0].rms
        )
        with pytest.raises(Refused):
            stream.add(3)


def test_a_stream_begins_once(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        draft = db.publish.continual("meter", **TERMS, epsilon=1)
        draft.begin(tmp_path / "a").close()
        with pytest.raises(InvalidArgument, match="must be a new file"):
            draft.begin(tmp_path / "a")
        with pytest.raises(Refused, match="has begun already"):
            draft.begin(tmp_path / "b")
        with pytest.raises(InvalidArgument, match="in a folder that exists"):
            db.publish.continual("other", **TERMS).begin(tmp_path / "none" / "a")
        assert db.budget.spent == 1


def test_the_anchor_of_a_stream_lies_beside_the_ledger(tmp_path: Path) -> None:
    """So the whole folder of the stream may be put back, and it is noticed."""
    (tmp_path / "streams").mkdir()
    path = tmp_path / "streams" / "meter"
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        stream = db.publish.continual("meter", **TERMS, epsilon=1).begin(path)
    stream.add(3)
    stream.close()
    assert [file.name for file in path.parent.iterdir()] == ["meter"]
    early = path.read_bytes()
    with Stream.open(path) as stream:
        stream.add(3)
    path.write_bytes(early)
    with pytest.raises(SourceError, match="not the newest state"):
        Stream.open(path)


def test_a_stream_that_could_not_begin_is_begun_later_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise SourceError("The disk is full.")

    with hr.open(write_survey(tmp_path), in_process=True) as db:
        draft = db.publish.continual("meter", **TERMS, epsilon=1)
        with monkeypatch.context() as patch:
            patch.setattr(Stream, "create", full)
            with pytest.raises(SourceError, match="full"):
                draft.begin(tmp_path / "a")
        with draft.begin(tmp_path / "a") as stream:
            stream.add(3)
        assert db.budget.spent == 1


def test_one_of_two_concurrent_starts_begins_the_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second has looked before the first was entered. Nothing that it makes can tell
    anything, and the first goes on.
    """
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        draft = db.publish.continual("meter", **TERMS, epsilon=1)
        draft.begin(tmp_path / "a").close()
        monkeypatch.setattr(type(db.ledger), "answers", lambda *_: [])
        with pytest.raises(SourceError, match="Open its state file"):
            draft.begin(tmp_path / "b")
        assert not (tmp_path / "b").exists()
        # as if it could be missed: the ledger still has one answer
        monkeypatch.setattr(StreamDraft, "_find_anchor_path", lambda *_: None)
        with pytest.raises(Refused, match="began elsewhere just now"):
            draft.begin(tmp_path / "c")
        assert db.budget.spent == 1
    with Stream.open(tmp_path / "a") as stream:
        stream.add(3)


def test_without_a_ledger_file_the_anchor_lies_beside_the_stream(tmp_path: Path) -> None:
    db = hr.protect(
        pd.DataFrame({"id": range(9), "x": 1}),
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"x": (0, 1)},
        epsilon=3.0,
    )
    db.publish.continual("meter", **TERMS, epsilon=1).begin(tmp_path / "meter").close()
    assert (tmp_path / "meter.anchor").exists()


def test_invalid_populations_prices_and_bounds_are_refused(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        with pytest.raises(InvalidArgument, match="must be one of people"):
            db.publish.continual("meter", **TERMS, population="cats")
        with pytest.raises(Refused, match="at most epsilon 20"):
            db.publish.continual("meter", **TERMS, epsilon=21)
        with pytest.raises(InvalidArgument, match="upper"):
            db.publish.continual("meter", horizon=5, lower=3, upper=3)
        for number in range(5):
            db.publish.continual(f"m{number}", **TERMS, epsilon=20).begin(
                tmp_path / f"m{number}"
            ).close()
        with pytest.raises(BudgetExceeded):
            db.publish.continual("more", **TERMS).begin(tmp_path / "more")
        assert not (tmp_path / "more").exists()
