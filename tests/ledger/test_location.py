"""Where a ledger may lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hedgerow.errors import LedgerError
from hedgerow.ledger.location import NETWORK_FILE_SYSTEMS, ServerLocation, resolve_ledger_path


def mounts(folder: Path, *lines: str) -> Path:
    file = folder / "mounts"
    file.write_text("".join(f"{line} rw 0 0\n" for line in lines), encoding="utf-8")
    return file


def test_a_local_file_is_found_through_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert (
        resolve_ledger_path(tmp_path / "link" / "x.ledger")
        == (tmp_path / "real" / "x.ledger").resolve()
    )
    assert resolve_ledger_path(str(tmp_path / "x.ledger")) == (tmp_path / "x.ledger").resolve()


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"is a folder\. Name a file"):
        resolve_ledger_path(tmp_path)
    with pytest.raises(LedgerError, match="does not exist"):
        resolve_ledger_path(tmp_path / "none" / "x.ledger")


def test_a_file_of_two_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.ledger").touch()
    assert resolve_ledger_path(tmp_path / "x.ledger")
    os.link(tmp_path / "x.ledger", tmp_path / "y.ledger")
    for name in ("x.ledger", "y.ledger"):
        with pytest.raises(LedgerError, match="has several names"):
            resolve_ledger_path(tmp_path / name)


@pytest.mark.parametrize("kind", sorted(NETWORK_FILE_SYSTEMS))
def test_network_file_systems_are_refused(tmp_path: Path, kind: str) -> None:
    table = mounts(tmp_path, "/dev/sda1 / ext4", f"server:/x {tmp_path.resolve()} {kind}")
    with pytest.raises(LedgerError, match=rf"network file system \({kind}\)"):
        resolve_ledger_path(tmp_path / "x.ledger", table)


def test_the_innermost_mount_counts_and_a_later_one_hides_an_earlier(tmp_path: Path) -> None:
    here = tmp_path.resolve()
    (here / "a disk").mkdir()
    inner = mounts(tmp_path, "server:/x / nfs4", f"/dev/sdb1 {here}/a\\040disk ext4")
    assert resolve_ledger_path(here / "a disk" / "x.ledger", inner).name == "x.ledger"
    with pytest.raises(LedgerError, match="nfs4"):
        resolve_ledger_path(here / "x.ledger", inner)
    assert resolve_ledger_path(
        here / "x.ledger", mounts(tmp_path, f"server:/x {here} nfs", f"/dev/sdb1 {here} ext4")
    )


def test_a_path_of_unknown_mount_type_is_accepted(tmp_path: Path) -> None:
    assert resolve_ledger_path(tmp_path / "x.ledger", tmp_path / "nothing")
    assert resolve_ledger_path(tmp_path / "x.ledger", mounts(tmp_path))


def test_a_ledger_in_a_server_has_a_local_path_for_its_anchor(tmp_path: Path) -> None:
    place = ServerLocation("postgresql://db/x", "house", "db/x house", tmp_path / "db-x.ledger")
    assert resolve_ledger_path(place) == (tmp_path / "db-x.ledger").resolve()
    with pytest.raises(LedgerError, match="does not exist"):
        resolve_ledger_path(ServerLocation("", "house", "x", tmp_path / "none" / "x.ledger"))
