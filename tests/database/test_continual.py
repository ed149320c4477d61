"""A stream is paid for in the ledger before its first element, once, and goes on after a restart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hedgerow as hr
from database.survey import write_survey
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.privacy.loss import Loss
from hedgerow.publish.continual import Stream

TERMS = {"horizon": 100, "lower": 0, "upper": 5}


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
        assert np.abs(np.array(first + rest) - 3 * np.arange(1, 101)).max() < 40 * draft.expected[0].rms
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
        with pytest.raises(InvalidArgument, match="in a folder that there is"):
            db.publish.continual("other", **TERMS).begin(tmp_path / "none" / "a")
        assert db.budget.spent == 1


def test_what_is_refused(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path), in_process=True) as db:
        with pytest.raises(InvalidArgument, match="must be one of people"):
            db.publish.continual("meter", **TERMS, population="cats")
        with pytest.raises(Refused, match="at most epsilon 20"):
            db.publish.continual("meter", **TERMS, epsilon=21)
        with pytest.raises(InvalidArgument, match="upper"):
            db.publish.continual("meter", horizon=5, lower=3, upper=3)
        for number in range(5):
            db.publish.continual(f"m{number}", **TERMS, epsilon=20).begin(tmp_path / f"m{number}").close()
        with pytest.raises(BudgetExceeded):
            db.publish.continual("more", **TERMS).begin(tmp_path / "more")
        assert not (tmp_path / "more").exists()
