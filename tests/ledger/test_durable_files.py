"""Files beside the database: alone, on disk, whole, and known from their copies."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger import durable_files as files
from hedgerow.ledger.durable_files import (
    lock_folder,
    read_birth_time,
    replace_file,
    rewrite_file,
    sync_to_disk,
)
from ledger.disk import Event, beside


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "x"
    made.write_bytes(b"some content")
    return made


def test_a_folder_lock_is_exclusive(tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path, 1),
        pytest.raises(LedgerError, match=r"was locked for 0\.01 seconds"),
        lock_folder(tmp_path, 0.01),
    ):
        pass
    with lock_folder(tmp_path, 0):
        pass


def test_sync_takes_files_and_folders(file: Path) -> None:
    sync_to_disk(file)
    sync_to_disk(file.parent)
    with pytest.raises(FileNotFoundError):
        sync_to_disk(file.with_name("none"))


def test_a_small_file_is_put_in_place_whole_synced_and_private(tmp_path: Path) -> None:
    place, steps = tmp_path / "note", list[Event]()
    (tmp_path / "note.new").write_text("half of it, left by a crash")
    with beside(steps.append):
        replace_file(place, "text")
    assert place.read_text() == "text"
    assert place.stat().st_mode & 0o777 == 0o600
    assert steps == [
        ("delete", "note.new"),
        ("write", "note.new", 0, b"text"),
        ("sync", "note.new"),
        ("rename", "note.new", "note"),
        ("sync", ""),
    ]


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda held, data, offset: whole(held, data[:3], offset))
    replace_file(tmp_path / "note", "a longer text")
    assert (tmp_path / "note").read_text() == "a longer text"


def test_a_rewritten_file_is_the_same_and_synced(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_BLOCK_SIZE", 5)
    steps = list[Event]()
    with beside(steps.append):
        rewrite_file(file)
        rewrite_file(file.with_name("none"))
    assert file.read_bytes() == b"some content"
    assert steps == [
        ("write", "x", 0, b"some "),
        ("write", "x", 5, b"conte"),
        ("write", "x", 10, b"nt"),
        ("sync", "x"),
    ]


def test_no_copy_is_born_with_its_original(file: Path) -> None:
    first = read_birth_time(file)
    shutil.copy2(file, file.with_name("copy"))
    assert read_birth_time(file) == first
    assert first is None or read_birth_time(file.with_name("copy")) != first
    assert read_birth_time(file.with_name("none")) is None


def test_an_unavailable_birth_time_is_none(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    assert read_birth_time(file) is None
    # it answers, but not this
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(statx=lambda *_: 0))
    assert read_birth_time(file) is None
