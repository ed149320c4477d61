"""A ledger in a store with an anchor outside it: what its stores share.

Opening, creating, adopting and restoring are the same whatever holds the entries: read them, apply
the rules, compare them with the anchor, and refuse what does not fit. A store adds how it reads and
writes entries, how it is held alone, and what identifies it.
"""

from __future__ import annotations

import os
import threading
import weakref
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import ClassVar, Self

from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.entry import RESTORE_HINT, Entry
from hedgerow.ledger.entry_bodies import compute_larger_loss
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.ledger_id import create_ledger_id
from hedgerow.ledger.location import Location, resolve_ledger_path
from hedgerow.ledger.rules import FORMAT, LedgerState
from hedgerow.privacy.loss import Loss

__all__ = ["AnchoredLedger", "append_entries"]

_NO_LOSS = Loss(Fraction(0))


class AnchoredLedger(LedgerBase):
    """A durable ledger. Several processes and threads may share it, and a forked child may go on
    using it.
    """

    _moved_hint: ClassVar[str]  # about a store that is not the anchored one
    _anchor_hint: ClassVar[str] = RESTORE_HINT  # what to do without an anchor

    def __init__(self, place: Location, *, wait: float = 30.0) -> None:
        self.path = resolve_ledger_path(place)
        self.name = str(self.path)
        self._wait = wait
        self._lock = threading.RLock()
        self._state = LedgerState()
        self._closed = False
        with _REGISTRY_LOCK:
            _OPEN_LEDGERS.add(self)

    @classmethod
    def open(cls, place: Location, *, create: bool, wait: float = 30.0) -> Self:
        """Open a ledger and verify it from its first entry to its last. With ``create``, create one
        where there never was one.

        ``wait`` is the number of seconds to wait for other processes.
        """
        ledger = cls(place, wait=wait)
        try:
            ledger._finish_creation()
            if create:
                ledger._create()
            # Without the write lock, so that a long ledger does not keep others waiting.
            ledger._catch_up()
            with ledger._transaction():  # moves an anchor that a crash left behind
                return ledger
        except BaseException:
            ledger.close()
            raise

    @classmethod
    def adopt(
        cls,
        place: Location,
        note: str,
        *,
        lost: bool = False,
        spent: Mapping[str, Loss] | None = None,
        wait: float = 30.0,
    ) -> Entry:
        """Adopt a ledger that was moved or restored: the custodian vouches that no other copy is in
        use.

        With ``lost``, entries that the anchor knows are gone: every budget is closed, up to the
        largest total it ever had. The same holds when the whole ledger is gone; its successor
        starts closed. ``spent`` is the custodian's declaration that a population has lost no more
        than that so far. Broken chains and foreign ledgers are refused in any case.
        """
        with cls(place, wait=wait) as ledger:
            ledger._finish_creation()
            anchor = Anchor.read(ledger.path)
            if lost and anchor is not None and not ledger._has_store():
                return ledger._create_closed(note, {}, spent)
            with ledger._transaction(trusting=True):
                whole = anchor is not None and ledger._read_hash(anchor.seq) == anchor.hash
                return ledger._append(*ledger._build_adoption(anchor, note, whole, lost, spent))

    @property
    def state(self) -> LedgerState:
        """The state after all entries, including those of other processes."""
        self._catch_up()
        return self._state

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            self._closed = True
            self._disconnect()

    # What a store adds

    @classmethod
    @abstractmethod
    def inspect(cls, place: Location) -> tuple[Iterable[Entry], Mapping[str, object]]:
        """Return the stored entries, unverified, and the identity of the store; nothing is
        written."""

    @abstractmethod
    def _transaction(self, *, trusting: bool = False) -> AbstractContextManager[None]:
        """Hold the store alone; with ``trusting``, compare nothing with the anchor, and write a new
        one.
        """

    @abstractmethod
    def _hold_creation(self) -> AbstractContextManager[None]:
        """Keep everybody else from creating the ledger."""

    @abstractmethod
    def _has_store(self) -> bool:
        """Return whether there are entries."""

    @abstractmethod
    def _install(self, state: LedgerState, entries: Iterable[Entry]) -> None:
        """Create the ledger with these entries and its anchor, whole or not at all."""

    @abstractmethod
    def _finish_creation(self) -> None:
        """Repeat what a crash interrupted in ``_install``."""

    @abstractmethod
    def _catch_up(self) -> None:
        """Read the entries of other processes."""

    @abstractmethod
    def _read_hash(self, seq: int) -> object:
        """Return the stored hash of an entry; None if there is no such entry."""

    @abstractmethod
    def _identify(self) -> Mapping[str, object]:
        """Return the identity of the store."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Let go of the store; the next use connects again."""

    # Creating

    def _create(self) -> None:
        """Create the ledger, unless it exists. An anchor without its ledger means that one was
        lost, not that there was none.
        """
        with self._hold_creation():
            if not self._has_store() and Anchor.read(self.path) is None:
                state, body = LedgerState(), {"ledger": create_ledger_id(), "format": FORMAT}
                self._install(state, append_entries(state, ("open", body)))

    def _create_closed(
        self, note: str, totals: Mapping[str, Loss], declared: Mapping[str, Loss] | None
    ) -> Entry:
        """Create a ledger that records a loss before it serves, in the place of a lost one."""
        self._finish_creation()
        with self._hold_creation():
            self._check_free()
            anchor = Anchor.read(self.path)
            state, name = LedgerState(), create_ledger_id() if anchor is None else anchor.ledger
            begun = ("open", {"ledger": name, "format": FORMAT})
            entries = append_entries(
                state, begun, ("exhausted", _build_exhausted_body(note, totals, anchor, declared))
            )
            self._install(state, entries)
        return entries[-1]

    def _restore_copy(
        self, kept: list[Entry], note: str, lost: bool, declared: Mapping[str, Loss] | None
    ) -> Entry:
        """Put a copy of the ledger in its place, with an entry that records it."""
        self._finish_creation()
        with self._hold_creation():
            self._check_free()
            anchor, state = Anchor.read(self.path), LedgerState()
            state.replay(kept)
            whole = anchor is not None and any(
                (entry.seq, entry.hash) == (anchor.seq, anchor.hash) for entry in kept
            )
            _check_copy(anchor, state, whole, lost)
            self._state = state
            made = append_entries(state, self._build_adoption(anchor, note, whole, lost, declared))
            self._install(state, [*kept, *made])
        return made[-1]

    def _receive(self, kept: list[Entry]) -> Entry:
        """Copy a ledger that was moved here, and return the entry of its arrival."""
        with self._hold_creation():
            if not self._has_store() or self._read_hash(kept[-1].seq) != kept[-1].hash:
                self._check_free()
                state = LedgerState()
                state.replay(kept)
                made = append_entries(state, ("arrived", {"at": self.name}))
                self._install(state, [*kept, *made])
        self._catch_up()
        return self._read_entry(kept[-1].seq + 1)

    def _check_free(self) -> None:
        if self._has_store():
            raise LedgerError(
                f"There is a ledger at '{self.name}' already, and it is never overwritten. Move it"
                " away first."
            )

    # Reading and comparing

    def _replay(self, entries: Iterator[Entry]) -> None:
        """Apply the stored entries from our own last one on."""
        state = self._state
        # Our own last entry comes first, unless an older copy was put in its place.
        if state.seq:
            last = next(entries, None)
            if last is None or (last.seq, last.hash) != (state.seq, state.head):
                raise LedgerError(
                    f"Entry {state.seq} of the ledger was removed or changed: it was rolled back"
                    f" while open. {RESTORE_HINT}"
                )
        state.replay(entries)
        if not state.seq:
            raise LedgerError(f"Entry 1 of the ledger is missing. {RESTORE_HINT}")

    def _check_anchor(self, anchor: Anchor | None) -> None:
        """Refuse a store that is not the anchored one, or lacks an entry that the anchor knows."""
        if anchor is None:
            raise LedgerError(
                f"The anchor of the ledger, '{Anchor.path_for(self.path)}', is missing."
                f" {self._anchor_hint}"
            )
        self._check_ledger_id(anchor)
        if self._state.seq < anchor.seq:
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger is missing: it was rolled back"
                f" from entry {anchor.seq}. {RESTORE_HINT}"
            )
        if self._read_hash(anchor.seq) != anchor.hash:
            raise LedgerError(
                f"Entry {anchor.seq} of the ledger differs from the one that was written: the"
                f" ledger was rolled back and continued. {RESTORE_HINT}"
            )
        if not anchor.is_same_store(self._identify()):
            raise LedgerError(
                f"The ledger '{self.name}' is a copy: two copies would spend one budget twice."
                f" {self._moved_hint} If no other copy is in use, the custodian runs 'hedgerow"
                " ledger adopt'."
            )

    def _check_ledger_id(self, anchor: Anchor) -> None:
        if anchor.ledger != self._state.ledger:
            raise LedgerError(
                f"The ledger '{self.name}' was replaced: its entry 1 opens another ledger. Put the"
                " right one back."
            )

    def _check_stored(self, entry: Entry | None, seq: int) -> Entry:
        """Return an entry that was read alone; refuse one that is gone or was changed."""
        if entry is None or entry.seq != seq or not entry.has_valid_hash(self._state.ledger):
            raise LedgerError(
                f"Entry {seq} of the ledger was removed or changed while it was open."
                f" {RESTORE_HINT}"
            )
        return entry

    def _build_adoption(
        self,
        anchor: Anchor | None,
        note: str,
        whole: bool,
        lost: bool,
        declared: Mapping[str, Loss] | None,
    ) -> tuple[str, dict[str, object]]:
        """Return kind and body of the entry by which the custodian vouches for a ledger; a
        ``whole`` one has all that the anchor knows.
        """
        if anchor is not None:
            self._check_ledger_id(anchor)
        if lost:
            return "exhausted", _build_exhausted_body(
                note, self._state.largest_totals, anchor, declared
            )
        if not whole:
            raise LedgerError(
                f"Entry {self._state.seq + 1} of the ledger may be lost: the anchor is missing or"
                f" knows a later entry. {RESTORE_HINT}"
            )
        return "adopt", {"note": note}

    def _reset(self) -> None:
        """Forget everything after a failure half-way, and read it anew next time."""
        self._disconnect()
        self._state = LedgerState()


def append_entries(state: LedgerState, *bodies: tuple[str, dict[str, object]]) -> list[Entry]:
    """Append entries to a state, and return them."""
    made = []
    for kind, body in bodies:
        made.append(state.build_entry(kind, body))
        state.apply(made[-1])
    return made


def _check_copy(anchor: Anchor | None, state: LedgerState, whole: bool, lost: bool) -> None:
    """Refuse a copy whose completeness and the custodian's declaration of a loss contradict each
    other.
    """
    if whole and lost:
        raise LedgerError(
            "The copy has every entry that the anchor knows: nothing is lost. Restore it without"
            " '--lost'."
        )
    if not whole and not lost:
        known = (
            "there is no anchor to compare it with"
            if anchor is None
            else f"the anchor knows entry {anchor.seq}"
        )
        raise LedgerError(
            f"The copy ends with entry {state.seq}, and {known}: charges may be lost. Restore a"
            " newer copy. If there is none, '--lost' declares the loss and goes on with all budgets"
            " closed."
        )


def _build_exhausted_body(
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


_OPEN_LEDGERS: weakref.WeakSet[AnchoredLedger] = weakref.WeakSet()
_LOCKED_LEDGERS: list[AnchoredLedger] = []
_REGISTRY_LOCK = threading.Lock()


def _before_fork() -> None:
    """Let go of all stores: no connection may be carried through a fork. A child would trust the
    locks of its parent's SQLite, and talk to a server on its parent's connection.
    """
    _REGISTRY_LOCK.acquire()
    for ledger in tuple(_OPEN_LEDGERS):
        ledger._lock.acquire()
        ledger._disconnect()
        _LOCKED_LEDGERS.append(ledger)


def _after_fork() -> None:
    while _LOCKED_LEDGERS:
        _LOCKED_LEDGERS.pop()._lock.release()
    _REGISTRY_LOCK.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
