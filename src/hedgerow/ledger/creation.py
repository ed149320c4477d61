"""New ledger files: built under another name, anchored, and only then renamed into place.

So there is never a ledger without its anchor, and an anchor without its ledger means that one was
lost (docs/decisions/0005-ledger.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hedgerow.ledger.anchor import Anchor, identify_file
from hedgerow.ledger.anchored_ledger import AnchoredLedger
from hedgerow.ledger.durable_files import lock_folder, sync_to_disk
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.location import Location, resolve_ledger_path
from hedgerow.ledger.rules import LedgerState
from hedgerow.ledger.sqlite_file import (
    OPEN_NEW,
    Connection,
    connect,
    explain_errors,
    fill_file,
    read_entries,
)

__all__ = ["NewLedgerFile"]


class NewLedgerFile(AnchoredLedger):
    """A ledger whose file may have to be created, or restored, at ``path``."""

    _vfs: str | None = None
    _synchronous = "FULL"
    _pid = 0

    @classmethod
    def inspect(cls, place: Location) -> tuple[Iterator[Entry], dict[str, object]]:
        """Return the stored entries, unverified, and the identity of the file."""
        file = resolve_ledger_path(place)
        with explain_errors(file):
            return read_entries(file), identify_file(file)

    def _connect(self, file: Path, flags: int) -> Connection:
        db = connect(file, flags, self._vfs)
        db.set_busy_timeout(int(self._wait * 1000))
        # On macOS a plain sync stops at the memory of the drive; fullfsync reaches the platter.
        db.execute(
            f"PRAGMA synchronous = {self._synchronous}; PRAGMA fullfsync = 1; PRAGMA"
            " checkpoint_fullfsync = 1"
        )
        self._pid = os.getpid()
        return db

    @contextmanager
    def _hold_creation(self) -> Iterator[None]:
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            yield

    def _has_store(self) -> bool:
        return self.path.exists()

    def _identify(self) -> dict[str, object]:
        return identify_file(self.path)

    def _finish_creation(self) -> None:
        """Rename a draft that a crash left between its anchor and its name."""
        if not self._draft_path.exists() or self.path.exists():
            return
        with self._hold_creation():
            anchor = Anchor.read(self.path)
            if (
                anchor is not None
                and not self.path.exists()
                and self._draft_path.exists()
                and anchor.is_same_store(identify_file(self._draft_path))
            ):
                # Again, because the last step of the first writing may have failed.
                anchor.write(self.path)
                self._rename_draft()

    def _install(self, state: LedgerState, entries: Iterable[Entry]) -> None:
        """Create a ledger with these entries. Before the anchor nothing has happened; after it the
        file exists, at the latest by ``_finish_creation``.
        """
        try:
            self._write_draft(entries)
        except BaseException:
            self._remove_draft()
            raise
        Anchor.from_state(state, identify_file(self._draft_path)).write(self.path)
        self._rename_draft()

    def _write_draft(self, entries: Iterable[Entry]) -> None:
        """Write a draft that is one file, closed and synced: neither a log nor the journal of the
        switch to one may be needed.
        """
        self._remove_draft()
        db = self._connect(self._draft_path, OPEN_NEW)
        try:
            fill_file(db, entries)
        finally:
            db.close(True)
        sync_to_disk(self._draft_path)

    def _remove_draft(self) -> None:
        for end in ("", "-wal", "-shm", "-journal"):
            self._draft_path.with_name(self._draft_path.name + end).unlink(missing_ok=True)

    def _rename_draft(self) -> None:
        # Questions and their times are confidential.
        self._draft_path.chmod(0o600)
        os.replace(self._draft_path, self.path)
        sync_to_disk(self.path.parent)

    @property
    def _draft_path(self) -> Path:
        return self.path.with_name(self.path.name + ".new")
