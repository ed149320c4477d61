"""The anchor: written whole, moved forward only, and alone."""

from __future__ import annotations

import dataclasses
import json
import os
from fractions import Fraction
from pathlib import Path

import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger import durable_files as files
from hedgerow.ledger.anchor import Anchor, identify_file
from hedgerow.privacy.loss import Loss
from ledger.making import cost, opened, rule


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "x.ledger"
    made.write_bytes(b"")
    return made


def anchor(file: Path) -> Anchor:
    return Anchor.from_state(
        opened(("policy", rule("2/1", "1/1000")), ("charge", cost())), identify_file(file)
    )


def test_a_written_anchor_is_read_back(file: Path) -> None:
    made = anchor(file)
    made.write(file)
    assert Anchor.read(file) == made
    assert made.seq == 3
    assert made.peaks == {"patients": Loss(Fraction(2), Fraction(1, 1000)).to_dict()}
    assert sorted(os.listdir(file.parent)) == ["x.ledger", "x.ledger.anchor"]


def test_a_ledger_without_an_anchor_has_none(file: Path) -> None:
    assert Anchor.read(file) is None


def test_an_anchor_distinguishes_the_file_from_its_copy(file: Path) -> None:
    copy = file.with_name("copy")
    copy.write_bytes(b"")
    made = anchor(file)
    assert made.is_same_store(identify_file(file))
    assert not made.is_same_store(identify_file(copy))
    os.rename(copy, file)
    assert not made.is_same_store(identify_file(file))


def test_a_file_that_got_the_number_of_the_deleted_one_is_another(file: Path) -> None:
    """As ext4 gives it away: device and inode agree, and only the birth does not."""
    made = anchor(file)
    seen = identify_file(file)
    assert made.identity["born"] == files.read_birth_time(file)
    assert not dataclasses.replace(made, identity={**seen, "born": 1}).is_same_store(seen)
    # where systems do not tell
    assert dataclasses.replace(made, identity={**seen, "born": None}).is_same_store(seen)
    made.write(file)
    held = json.loads(Anchor.path_for(file).read_text(encoding="utf-8"))
    del held["born"]  # as in anchors of an earlier version
    Anchor.path_for(file).write_text(json.dumps(held), encoding="utf-8")
    earlier = Anchor.read(file)
    assert earlier is not None
    assert earlier.is_same_store(seen)
    assert not earlier.is_same_store({**seen, "inode": 1})
    del held["inode"]
    Anchor.path_for(file).write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(LedgerError, match="cannot be read"):
        Anchor.read(file)


def test_a_replaced_file_is_readable_by_its_owner_only(file: Path) -> None:
    Anchor.path_for(file).write_text("{}", encoding="utf-8")
    Anchor.path_for(file).chmod(0o644)
    anchor(file).write(file)
    assert Anchor.path_for(file).stat().st_mode & 0o777 == 0o600


def test_an_anchor_only_moves_forward(file: Path) -> None:
    made = anchor(file)
    made.advance(file)
    dataclasses.replace(made, seq=2, hash="old").advance(file)
    assert Anchor.read(file) == made
    further = dataclasses.replace(made, seq=4, hash="new")
    further.advance(file)
    assert Anchor.read(file) == further


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"ledger": "a"}'])
def test_an_unreadable_file_is_refused(file: Path, text: str) -> None:
    Anchor.path_for(file).write_text(text, encoding="utf-8")
    with pytest.raises(LedgerError, match="cannot be read"):
        Anchor.read(file)


def test_a_folder_in_its_place_is_refused(file: Path) -> None:
    Anchor.path_for(file).mkdir()
    with pytest.raises(LedgerError, match="cannot be read"):
        Anchor.read(file)


def test_broken_totals_are_refused(file: Path) -> None:
    for peaks in ({"patients": {"epsilon": "lots"}}, {"patients": 3}, []):
        dataclasses.replace(anchor(file), peaks=peaks).write(file)  # type: ignore[arg-type]
        with pytest.raises(LedgerError, match="cannot be read"):
            Anchor.read(file)


def test_an_anchor_remembers_sources_and_earlier_versions_had_none(file: Path) -> None:
    made = Anchor.from_state(
        opened(
            ("policy", rule(sources={"a.csv": "patients"})),
            ("policy", rule(sources={"b.csv": "patients"})),
        ),
        identify_file(file),
    )
    assert made.sources == {"a.csv": "patients", "b.csv": "patients"}
    made.write(file)
    assert Anchor.read(file) == made
    held = json.loads(Anchor.path_for(file).read_text(encoding="utf-8"))
    for sources in (3, [3], None, {"a.csv": 3}):
        Anchor.path_for(file).write_text(json.dumps(held | {"sources": sources}), encoding="utf-8")
        with pytest.raises(LedgerError, match="cannot be read"):
            Anchor.read(file)
    del held["sources"]
    Anchor.path_for(file).write_text(json.dumps(held), encoding="utf-8")
    assert Anchor.read(file) == dataclasses.replace(made, sources={})


def test_a_draft_left_by_a_crash_does_not_block(file: Path) -> None:
    file.with_name("x.ledger.anchor.new").write_text("half of it", encoding="utf-8")
    anchor(file).write(file)
    assert Anchor.read(file) == anchor(file)
