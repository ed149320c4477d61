"""New ledger files: built under another name, anchored, and only then renamed into place.

So there is never a ledger without its anchor, and an anchor without its ledger means that one was
lost (docs/decisions/0005-ledger.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.durable_files import lock_folder, sync_to_disk
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.ledger_id import create_ledger_id
from hedgerow.ledger.rules import FORMAT, LedgerState, compute_larger_loss
from hedgerow.ledger.sqlite_file import OPEN_NEW, Connection, connect, explain_errors, fill_file
from hedgerow.privacy.loss import Loss

__all__ = ["NewLedgerFile", "append_entries", "build_exhausted_body"]

_NO_LOSS = Loss(Fraction(0))


class NewLedgerFile(LedgerBase):
    """A ledger whose file may have to be created, or restored, at ``path``."""

    path: Path
    _vfs: str | None = None
    _synchronous = "FULL"
    _wait: float
    _pid = 0

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

    def _create(self) -> None:
        """Create the file, unless it exists. An anchor without its file means that a ledger was
        lost, not that there was none.
        """
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            if not self.path.exists() and Anchor.read(self.path) is None:
                state, body = LedgerState(), {"ledger": create_ledger_id(), "format": FORMAT}
                self._install(state, append_entries(state, ("open", body)))

    def _finish_creation(self) -> None:
        """Rename a draft that a crash left between its anchor and its name."""
        if not self._draft_path.exists() or self.path.exists():
            return
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            anchor = Anchor.read(self.path)
            if (
                anchor is not None
                and not self.path.exists()
                and self._draft_path.exists()
                and anchor.is_same_file(self._draft_path)
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
        Anchor.from_state(state, self._draft_path).write(self.path)
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

    def _create_closed(
        self, note: str, totals: Mapping[str, Loss], declared: Mapping[str, Loss] | None
    ) -> Entry:
        """Create a ledger that records a loss before it serves, in the place of a lost one."""
        self._finish_creation()
        with explain_errors(self.path), lock_folder(self.path.parent, self._wait):
            self._check_free()
            anchor = Anchor.read(self.path)
            state, name = LedgerState(), create_ledger_id() if anchor is None else anchor.ledger
            begun = ("open", {"ledger": name, "format": FORMAT})
            entries = append_entries(
                state, begun, ("exhausted", build_exhausted_body(note, totals, anchor, declared))
            )
            self._install(state, entries)
        return entries[-1]

    def _check_free(self) -> None:
        if self.path.exists():
            raise LedgerError(
                f"There is a ledger at '{self.path}' already, and it is never overwritten. Move it"
                " away first."
            )

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


def append_entries(state: LedgerState, *bodies: tuple[str, dict[str, object]]) -> list[Entry]:
    """Append entries to a state, and return them."""
    made = []
    for kind, body in bodies:
        made.append(state.build_entry(kind, body))
        state.apply(made[-1])
    return made


def build_exhausted_body(
    note: str, peaks: Mapping[str, Loss], anchor: Anchor | None, declared: Mapping[str, Loss] | None
) -> dict[str, object]:
    """Build the body of the entry that closes all budgets, at the largest known totals or as
    declared.
    """
    spent = dict(peaks)
    for name, held in (anchor.peaks if anchor else {}).items():
        spent[name] = compute_larger_loss(spent.get(name, _NO_LOSS), Loss.from_dict(held))
    named = dict(declared or {})
    for name, loss in named.items():
        if name not in spent or not isinstance(loss, Loss):
            raise InvalidArgument(
                "spent",
                "must be a Loss for a population that the ledger knows:"
                f" {', '.join(sorted(spent))}",
                name,
            )
    body: dict[str, object] = {
        "note": note,
        "spent": {name: loss.to_dict() for name, loss in (spent | named).items()},
    }
    if anchor and anchor.sources:
        body["sources"] = dict(anchor.sources)
    return body | ({"declared": sorted(named)} if named else {})
