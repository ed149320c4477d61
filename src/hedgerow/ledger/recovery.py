"""Backup, restore and loss of a ledger: the custodian's procedures (docs/ledger.md).

None of these opens a fresh budget. Whatever is not known to be unspent counts as spent, unless the
custodian declares an amount, and that declaration is an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.anchored_ledger import AnchoredLedger
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.location import Location, ServerLocation
from hedgerow.ledger.rules import LedgerState
from hedgerow.ledger.sqlite import Ledger
from hedgerow.ledger.sqlite_file import copy_entries, explain_errors, read_entries
from hedgerow.privacy.loss import Loss

__all__ = ["backup", "begin_after_loss", "find_store", "list_sources", "move", "restore"]


def find_store(place: Location) -> type[AnchoredLedger]:
    """Return the kind of store at a place. A driver is imported only when it is needed."""
    if not isinstance(place, ServerLocation):
        return Ledger
    try:
        from hedgerow.ledger.postgresql.store import PostgresLedger
    except ImportError:
        raise LedgerError(
            "A ledger in PostgreSQL needs its driver. Install it: pip install 'hedgerow[postgres]'."
        ) from None
    return PostgresLedger


def backup(place: Location, target: str | Path, *, wait: float = 30.0) -> Entry:
    """Copy a ledger in use to the new file ``target``, and return the last entry of the copy.

    The copy is verified from its first entry to its last, and on disk when this returns. Keep the
    number and the hash of the entry elsewhere. A copy has no anchor: it answers nothing until it is
    restored.
    """
    goal = Path(target)
    draft = goal.with_name(goal.name + ".new")
    with find_store(place).open(place, create=False, wait=wait) as ledger, explain_errors(goal):
        if goal.exists():
            raise LedgerError(
                f"'{goal}' exists already, and a copy never replaces a file. Name a new file."
            )
        draft.unlink(missing_ok=True)
        try:
            copy_entries(ledger.entries(), draft)
            last = _check_copy(draft)
            draft.rename(goal)
            sync_to_disk(goal.parent)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    return last


def _check_copy(copy: Path) -> Entry:
    """Return the last entry of a copy in which every rule holds."""
    kept = list(read_entries(copy))
    LedgerState().replay(kept)
    return kept[-1]


def restore(
    copy: str | Path,
    place: Location,
    note: str,
    *,
    lost: bool = False,
    spent: Mapping[str, Loss] | None = None,
    wait: float = 30.0,
) -> Entry:
    """Put a copy in the place of a ledger that is gone, and return the entry that records it.

    A copy that is older than the anchor, or that no anchor confirms, is refused unless the
    custodian declares the loss: with ``lost`` every budget counts as spent up to the largest total
    it ever had, or up to the amount that ``spent`` declares for it.
    """
    if spent and not lost:
        raise InvalidArgument("spent", "is for a loss; pass lost=True as well", sorted(spent))
    with find_store(place)(place, wait=wait) as ledger:
        return ledger._restore_copy(list(read_entries(Path(copy))), note, lost, spent)


def move(source: Location, target: Location, note: str, *, wait: float = 30.0) -> Entry:
    """Move a ledger to another store, and return the entry with which it goes on there.

    The source is closed by an entry that names its successor, and only then are its entries copied.
    After a crash in between neither is open; the same call again finishes the move.
    """
    with (
        find_store(source).open(source, create=False, wait=wait) as ledger,
        find_store(target)(target, wait=wait) as successor,
    ):
        successor._finish_creation()
        if ledger.state.successor != successor.name:
            successor._check_free()
            with ledger._transaction():
                ledger._append("moved", {"to": successor.name, "note": note})
        return successor._receive(ledger.entries())


def begin_after_loss(
    place: Location,
    note: str,
    totals: Mapping[str, Loss],
    *,
    spent: Mapping[str, Loss] | None = None,
    wait: float = 30.0,
) -> Entry:
    """Begin a ledger where one was lost and no copy is left, and return its entry about the loss.

    ``totals`` is the total of each population, as far as anybody knows; all of it counts as spent,
    and more if an anchor has a larger total. ``spent`` declares less for some of them. Later
    policies open what they add to that.
    """
    if not totals or not all(isinstance(total, Loss) for total in totals.values()):
        raise InvalidArgument("totals", "must be a Loss for at least one population")
    with find_store(place)(place, wait=wait) as ledger:
        return ledger._create_closed(note, totals, spent)


def list_sources(path: str | Path) -> frozenset[str]:
    """Return the sources that a ledger was ever declared for, according to its file or its anchor,
    without writing to or trusting either. A ledger in a server has the anchor only.
    """
    file = Path(path)
    sources = set[str]()
    with suppress(LedgerError):
        anchor = Anchor.read(file)
        sources.update(anchor.sources if anchor else ())
    with suppress(LedgerError, ValueError, KeyError, TypeError, AttributeError):
        sources.update(
            source
            for entry in read_entries(file)
            if entry.kind == "policy"
            for source in entry.body["sources"]
        )
    return frozenset(sources)
