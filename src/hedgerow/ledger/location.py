"""The location of a ledger: a file on a disk of this machine, or a table in a database server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hedgerow.errors import LedgerError

__all__ = ["NETWORK_FILE_SYSTEMS", "Location", "ServerLocation", "resolve_ledger_path"]

NETWORK_FILE_SYSTEMS = frozenset({"afs", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs"})
"""File systems over a network: their locks and syncs are not reliable enough for a ledger."""

_MOUNT_TABLE = Path("/proc/mounts")


@dataclass(frozen=True, slots=True)
class ServerLocation:
    """A ledger in a database server: its address without a password, its schema there, its name for
    people, and the local path that its anchor stands beside.
    """

    address: str
    schema: str
    name: str
    path: Path


Location = str | Path | ServerLocation


def resolve_ledger_path(place: Location, mounts: Path = _MOUNT_TABLE) -> Path:
    """Return the real path of a ledger file, or that beside which the anchor of one in a server
    stands; raise LedgerError where neither can be kept.
    """
    file = Path(place.path if isinstance(place, ServerLocation) else place).resolve()
    if file.is_dir():
        raise LedgerError(f"The ledger '{file}' is a folder. Name a file.")
    if not file.parent.is_dir():
        raise LedgerError(
            f"The folder '{file.parent}' of the ledger does not exist. Create it first."
        )
    # SQLite names its log after the file: two names would mean two logs.
    if file.exists() and file.stat().st_nlink > 1:
        raise LedgerError(f"The ledger '{file}' has several names (hard links). Remove the others.")
    kind = _find_file_system(file, mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        raise LedgerError(
            f"The ledger '{file}' is on a network file system ({kind}), where locks are not"
            " reliable. Put it on a local disk."
        )
    return file


def _find_file_system(file: Path, mounts: Path) -> str:
    """Return the type of the innermost mount above ``file``; empty if the system does not tell."""
    if not mounts.exists():
        return ""
    found = {"": ""}
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        _, point, kind, *_ = line.split(" ")
        # The kernel writes blanks in mount points as octal escapes. A later mount on the same point
        # hides the earlier one.
        point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        if file.is_relative_to(point):
            found[point] = kind
    return found[max(found, key=len)]
