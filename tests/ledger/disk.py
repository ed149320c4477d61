"""A disk that is watched: SQLite writes through it, and it can fail, kill the process, or lose what was not synced."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

from hedgerow.errors import LedgerError
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.sqlite import Ledger
from ledger.making import pay, policy

SECTOR = 512
Event = tuple[Any, ...]


class Watched(apsw.VFS):
    """Tells ``seen`` of every step before it is taken: ("write", name, offset, bytes), ("sync", name), ("truncate", name, size),
    ("delete", name). What ``seen`` raises, SQLite gets."""

    def __init__(self, name: str, seen: Callable[[Event], None]) -> None:
        self.seen = seen
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 (SQLite's name)
        return _File(self.seen, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.seen(("delete", os.path.basename(filename)))
        super().xDelete(filename, syncdir)


class _File(apsw.VFSFile):
    def __init__(self, seen: Callable[[Event], None], name: Any, flags: list[int]) -> None:
        self.seen, self.name = seen, os.path.basename(name.filename() if isinstance(name, apsw.URIFilename) else name or "")
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self.seen(("write", self.name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.seen(("sync", self.name))
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.seen(("truncate", self.name, newsize))
        super().xTruncate(newsize)


def record(folder: Path, charges: int, synchronous: str = "FULL") -> list[Event]:
    """Everything a run of charges does to its files, with ("ready",), ("anchor", text) and ("returned", entry) in between.

    Checkpoints come often, and the ledger is closed and opened again half-way, so that the log is reset, deleted and made anew.
    """
    events: list[Event] = []
    path = folder / "run.ledger"

    def note(event: Event) -> None:
        place = Anchor.place(path)
        text = place.read_text(encoding="utf-8") if place.exists() else ""
        if ("anchor", text) not in events[-40:]:
            events.append(("anchor", text))
        events.append(event)

    class Recorded(Ledger):
        _vfs = f"recorded-{synchronous}"
        _synchronous = synchronous

        def _connect(self, file: Path, flags: int) -> apsw.Connection:
            db = super()._connect(file, flags)
            db.execute("PRAGMA wal_autocheckpoint = 12")
            return db

    disk = Watched(f"recorded-{synchronous}", note)
    try:
        with Recorded.open(path, create=True) as ledger:
            note(("ready",))
            note(("returned", ledger.accept(**policy(100))))
            for turn in range(charges // 2):
                note(("returned", pay(ledger, question=f"q{turn}" + "x" * (turn % 7 * 300))))
        with Recorded.open(path, create=False) as ledger:
            for turn in range(charges // 2, charges):
                note(("returned", pay(ledger, question=f"q{turn}")))
    finally:
        disk.unregister()
    return events


@dataclasses.dataclass
class _Content:
    """One file: what is surely on disk, what was written since, and the deleted file of the same name that may come back."""

    durable: bytes | None = None
    pending: list[Event] = dataclasses.field(default_factory=list)
    ghost: bytes | None = None

    def settled(self) -> bytes | None:
        return _written(self.durable, self.pending) if self.pending else self.durable

    def after_power_loss(self, chance: random.Random) -> bytes | None:
        if self.ghost is not None and chance.random() < 0.5:
            return self.ghost
        kept = _left_over(self.pending, chance)
        return _written(self.durable, kept) if kept else self.durable


@dataclasses.dataclass(frozen=True)
class Image:
    """What a machine finds after power came back, and the entries that had been returned before it went."""

    files: dict[str, bytes]
    anchor: str
    returned: tuple[Entry, ...]


def images(events: list[Event], count: int, chance: random.Random) -> Iterator[Image]:
    """About ``count`` images, evenly over the moments of the run."""
    files: dict[str, _Content] = {}
    anchor, returned, ready, drawn = "", [], False, 0
    start = events.index(("ready",))
    for place, event in enumerate(events):
        match event:
            case ("ready",):
                ready = True
                files = {name: _Content(content.settled()) for name, content in files.items() if content.settled() is not None}
            case ("anchor", text):
                anchor = text
            case ("returned", entry):
                returned.append(entry)
            case _:
                _step(files, event)
        while ready and drawn < count * (place - start) // (len(events) - 1 - start):
            found = {name: content.after_power_loss(chance) for name, content in files.items()}
            yield Image({name: content for name, content in found.items() if content is not None}, anchor, tuple(returned))
            drawn += 1


def survives(image: Image, folder: Path) -> str:
    """Start from an image as if nothing had happened. Nothing, or what went wrong."""
    for old in folder.iterdir():
        old.unlink()
    for name, content in image.files.items():
        (folder / name).write_bytes(content)
    path = folder / "run.ledger"
    there = path.stat()
    held = json.loads(image.anchor) | {"device": there.st_dev, "inode": there.st_ino}  # after a real loss these are the same
    Anchor.place(path).write_text(json.dumps(held), encoding="utf-8")
    try:
        with Ledger.open(path, create=False) as ledger:
            kept = set(ledger.entries())
    except LedgerError as problem:
        return str(problem)
    return f"{len(set(image.returned) - kept)} entries are gone" if not set(image.returned) <= kept else ""


def _step(files: dict[str, _Content], event: Event) -> None:
    name = event[1].replace(".new", "")  # a ledger is built under another name and put in place when it is whole
    content = files.setdefault(name, _Content())
    if event[0] == "sync":
        content.durable, content.pending = content.settled(), []
        for other in files.values():  # a later sync carries earlier deletions to disk, as journaling file systems do
            other.ghost = None
    elif event[0] == "delete":
        files[name] = _Content(ghost=content.durable)
    else:
        content.pending.append(event)


def _left_over(pending: list[Event], chance: random.Random) -> list[Event]:
    """Some of what was not synced: nothing, a prefix, any subset, any sectors, in any order."""
    style = chance.choice(["lose", "prefix", "subset", "tear", "shuffle"])
    if style == "lose":
        return []
    if style == "prefix":
        return pending[: chance.randint(0, len(pending))]
    pieces = [piece for event in pending for piece in (_sectors(event) if style != "subset" else [event])]
    kept = [piece for piece in pieces if chance.random() < 0.5]
    if style == "shuffle":
        chance.shuffle(kept)
    return kept


def _sectors(event: Event) -> list[Event]:
    if event[0] == "truncate":
        return [event]
    _, name, offset, data = event
    cuts = [offset, *range(offset // SECTOR * SECTOR + SECTOR, offset + len(data), SECTOR), offset + len(data)]
    return [("write", name, a, data[a - offset : b - offset]) for a, b in itertools.pairwise(cuts)]


def _written(durable: bytes | None, events: list[Event]) -> bytes:
    content = bytearray(durable or b"")
    for event in events:
        if event[0] == "truncate":
            del content[event[2] :]
            content.extend(bytes(event[2] - len(content)))
        else:
            _, _, offset, data = event
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(data)] = data
    return bytes(content)
