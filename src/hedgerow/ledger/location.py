"""Where a ledger may lie: on a disk of this machine."""

from __future__ import annotations

from pathlib import Path

from hedgerow.errors import LedgerError

__all__ = ["NETWORK_FILE_SYSTEMS", "resolve_ledger_path"]

NETWORK_FILE_SYSTEMS = frozenset({"afs", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs"})
"""File systems over a network: their locks and syncs do not hold what a ledger needs."""

_MOUNT_TABLE = Path("/proc/mounts")


def resolve_ledger_path(path: str | Path, mounts: Path = _MOUNT_TABLE) -> Path:
    """The real place of ``path``, through links; LedgerError where a ledger cannot live."""
    file = Path(path).resolve()
    if file.is_dir():
        raise LedgerError(f"The ledger '{file}' is a folder; name a file.")
    if not file.parent.is_dir():
        raise LedgerError(
            f"The folder '{file.parent}' for the ledger does not exist. Make it first."
        )
    # SQLite names its log after the file: two names would be two logs
    if file.exists() and file.stat().st_nlink > 1:
        raise LedgerError(f"The ledger '{file}' has several names (hard links). Remove the others.")
    kind = _find_file_system(file, mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        raise LedgerError(
            f"The ledger '{file}' lies on a network file system ({kind}), where locks do not hold."
            " Put it on a local disk."
        )
    return file


def _find_file_system(file: Path, mounts: Path) -> str:
    """The type of the innermost mount above ``file``; nothing where the system does not say."""
    if not mounts.exists():
        return ""
    found = {"": ""}
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        _, point, kind, *_ = line.split(" ")
        # The kernel writes blanks and the like in mount points as octal escapes. A later mount on
        # the same point hides the earlier.
        point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        if file.is_relative_to(point):
            found[point] = kind
    return found[max(found, key=len)]
