"""A disk that is watched: SQLite writes through it, and it can fail, kill the process, or lose
what was not synced.
"""

from __future__ import annotations

import dataclasses
import errno
import itertools
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from hedgerow.errors import HedgerowError, LedgerError
from hedgerow.ledger.anchor import Anchor, identify_file
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.sqlite import Ledger
from ledger.making import pay, policy

SECTOR = 512
Event = tuple[Any, ...]


class Watched(apsw.VFS):
    """Tells ``seen`` of every step before it is taken: ("write", name, offset, bytes), ("sync",
    name), ("truncate", name, size), ("delete", name). What ``seen`` raises, SQLite gets."""

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
        self.seen, self.name = (
            seen,
            os.path.basename(name.filename() if isinstance(name, apsw.URIFilename) else name or ""),
        )
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


class Quiet(apsw.Connection):
    """Tells of no error at closing, as SQLite does not; only the disk of these tests would."""

    def close(self, force: bool = False) -> None:
        with suppress(apsw.Error):
            super().close(force)


class Stroke:
    """One step on the disk fails, by its number; with ``lasting``, all that follow fail as well."""

    def __init__(self, step: int, lasting: bool) -> None:
        self.left, self.lasting = step, lasting

    def __call__(self, _: Event, error: Callable[[], Exception]) -> None:
        self.left -= 1
        if self.left == 0 or (self.lasting and self.left < 0):
            raise error()


def struck(
    home: Path,
    ready: Callable[[Path], None],
    act: Callable[[Path], object],
    again: Callable[[Path], None],
    kind: type[apsw.Connection] = Quiet,
    holder: type = Ledger,
) -> int:
    """How many steps there are to ``act``; each fails in turn, alone and with all that follow,
    and ``again`` must find all well then.
    """
    steps = 0
    for lasting, error in ((False, apsw.IOError), (True, apsw.FullError)):
        for step in itertools.count(1):
            path = home / f"{step}-{lasting}" / "clinic.ledger"
            path.parent.mkdir()
            ready(path)
            stroke = Stroke(step, lasting)
            disk = Watched("struck", partial(stroke, error=lambda error=error: error("planted")))
            with (
                pytest.MonkeyPatch.context() as patched,
                beside(partial(stroke, error=lambda: OSError(errno.EIO, "planted"))),
            ):
                patched.setattr(holder, "_vfs", "struck")
                patched.setattr(apsw, "Connection", kind)
                with suppress(HedgerowError):
                    act(path)
            disk.unregister()
            again(path)
            if stroke.left > 0:
                break
            steps += 1
    return steps


# What SQLite does not care about (a log that cannot be deleted), its Python side tells nobody but
# the interpreter.
ignored = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Trouble:
    """While it is on, every sync fails, and the system counts what was to be synced as written
    all the same.
    """

    def __init__(self) -> None:
        self.on = False


def record(
    folder: Path, charges: int, synchronous: str = "FULL", *, fails: int = -1
) -> list[Event]:
    """Everything a run of charges does to its files, from the first one on, with ("ready",) and
    ("returned", entry) in between.

    Checkpoints come often, and the ledger is closed and opened again half-way, so that the log is
    reset, deleted and made anew. At the charge of the number ``fails`` the disk is in trouble:
    nobody gets that charge, and the process goes on.
    """
    events: list[Event] = []
    trouble = Trouble()
    path = folder / "run.ledger"

    def note(event: Event, error: type[Exception] = apsw.IOError) -> None:
        if trouble.on and event[0] == "sync":
            events.append(("failed", *event[1:]))
            raise error("planted")
        events.append(event)

    class Recorded(Ledger):
        _vfs = f"recorded-{synchronous}"
        _synchronous = synchronous

        def _connect(self, file: Path, flags: int) -> apsw.Connection:
            db = super()._connect(file, flags)
            db.execute("PRAGMA wal_autocheckpoint = 12")
            return db

    def charge(ledger: Ledger, turn: int, question: str) -> None:
        trouble.on = turn == fails
        with suppress(LedgerError) if trouble.on else nullcontext():
            note(("returned", pay(ledger, question=question)))
        trouble.on = False

    disk = Watched(f"recorded-{synchronous}", note)
    try:
        with beside(partial(note, error=OSError)), Recorded.open(path, create=True) as ledger:
            note(("ready",))
            note(("returned", ledger.accept_policy(**policy(100))))
            for turn in range(charges // 2):
                charge(ledger, turn, f"q{turn}" + "x" * (turn % 7 * 300))
        with beside(partial(note, error=OSError)), Recorded.open(path, create=False) as ledger:
            for turn in range(charges // 2, charges):
                charge(ledger, turn, f"q{turn}")
    finally:
        disk.unregister()
    return events


@contextmanager
def beside(note: Callable[[Event], None]) -> Iterator[None]:
    """Take note of what is done on disk beside SQLite as well."""
    pwrite, fsync, replace, unlink = os.pwrite, os.fsync, os.replace, os.unlink

    def named(held: int) -> Path:
        return Path(os.readlink(f"/proc/self/fd/{held}"))

    def noted_write(held: int, data: bytes, offset: int) -> int:
        note(("write", named(held).name, offset, bytes(data)))
        return pwrite(held, data, offset)

    def noted_sync(held: int) -> None:
        place = named(held)
        note(("sync", "" if place.is_dir() else place.name))
        fsync(held)

    def noted_replace(old: Path, new: Path) -> None:
        note(("rename", Path(old).name, Path(new).name))
        replace(old, new)

    def noted_unlink(place: Path) -> None:
        if Path(place).exists():
            note(("delete", Path(place).name))
        unlink(place)

    with pytest.MonkeyPatch.context() as patched:
        for name, done in (
            ("pwrite", noted_write),
            ("fsync", noted_sync),
            ("replace", noted_replace),
            ("unlink", noted_unlink),
        ):
            patched.setattr(os, name, done)
        yield


@dataclasses.dataclass
class _Content:
    """One file: what is surely on disk, what was written since, and the deleted file of the same
    name that may come back.
    """

    durable: bytes | None = None
    pending: list[Event] = dataclasses.field(default_factory=list)
    ghost: bytes | None = None

    def after_power_loss(self, chance: random.Random) -> bytes | None:
        if self.ghost is not None and chance.random() < 0.5:
            return self.ghost
        kept = _left_over(self.pending, chance)
        return _written(self.durable, kept) if kept else self.durable


class _Disk:
    """The files by their names, as processes see them, and as they are surely named; in between,
    renames in their order.
    """

    def __init__(self) -> None:
        self.names: dict[str, _Content] = {}
        self.known: dict[str, _Content] = {}
        self.renames: list[tuple[str, str, _Content]] = []

    def step(self, event: Event) -> None:
        match event:
            case ("rename", old, new):
                content = self.names[new] = self.names.pop(old)
                self.renames.append((old, new, content))
            case ("sync", ""):
                self.known, self.renames = dict(self.names), []
            case ("delete", name):
                self.names[name] = self.known[name] = _Content(ghost=self._of(name).durable)
            case ("sync", name):
                content = self._of(name)
                content.durable, content.pending = _written(content.durable, content.pending), []
                for other in (*self.names.values(), *self.known.values()):
                    # a later sync carries earlier deletions to disk, as journaling file systems do
                    other.ghost = None
            # the system takes the pages for written: no later sync will write them
            case ("failed", name):
                self._of(name).pending = []
            case _:
                self._of(event[1]).pending.append(event)

    def _of(self, name: str) -> _Content:
        if name not in self.names:
            self.names[name] = self.known[name] = _Content()
        return self.names[name]

    def after_power_loss(self, chance: random.Random) -> dict[str, bytes]:
        names = dict(self.known)
        for old, new, content in self.renames[: chance.randint(0, len(self.renames))]:
            names[new] = content
            names.pop(old, None)
        found = {name: content.after_power_loss(chance) for name, content in names.items()}
        return {name: content for name, content in found.items() if content is not None}


@dataclasses.dataclass(frozen=True)
class Image:
    """What a machine finds after power came back, and the entries that had been returned before
    it went.
    """

    files: dict[str, bytes]
    returned: tuple[Entry, ...]


def images(events: list[Event], count: int, chance: random.Random) -> Iterator[Image]:
    """``count`` images, evenly over the moments of the run."""
    disk, returned, drawn = _Disk(), list[Entry](), 0
    for place, event in enumerate(events, 1):
        if event[0] == "returned":
            returned.append(event[1])
        elif event[0] != "ready":
            disk.step(event)
        while drawn < count * place // len(events):
            yield Image(disk.after_power_loss(chance), tuple(returned))
            drawn += 1


def survives(image: Image, folder: Path) -> str:
    """Start from an image as if nothing had happened. Nothing, or what went wrong."""
    for old in folder.iterdir():
        old.unlink()
    for name, content in image.files.items():
        (folder / name).write_bytes(content)
    path = folder / "run.ledger"
    try:
        known = _same_file(path)
        with Ledger.open(path, create=True) as ledger:
            kept = set(ledger.entries())
    except LedgerError as problem:
        return str(problem)
    if image.returned and known < image.returned[-1].seq:
        return f"the anchor does not know entry {image.returned[-1].seq}"
    return (
        f"{len(set(image.returned) - kept)} entries are gone"
        if not set(image.returned) <= kept
        else ""
    )


def _same_file(path: Path) -> int:
    """How far the anchor knows. After a real loss it knows the file, by whichever name it comes
    back; here it is told of the new one.
    """
    held = Anchor.read(path)
    if held is None:
        return 0
    there = [file for file in (path, path.with_name("run.ledger.new")) if file.exists()]
    if there:
        dataclasses.replace(held, identity=identify_file(there[0])).write(path)
    return held.seq


def _left_over(pending: list[Event], chance: random.Random) -> list[Event]:
    """Some of what was not synced: nothing, a prefix, any subset, any sectors, in any order."""
    style = chance.choice(["lose", "prefix", "subset", "tear", "shuffle"])
    if style == "lose":
        return []
    if style == "prefix":
        return pending[: chance.randint(0, len(pending))]
    pieces = [
        piece for event in pending for piece in (_sectors(event) if style != "subset" else [event])
    ]
    kept = [piece for piece in pieces if chance.random() < 0.5]
    if style == "shuffle":
        chance.shuffle(kept)
    return kept


def _sectors(event: Event) -> list[Event]:
    if event[0] == "truncate":
        return [event]
    _, name, offset, data = event
    cuts = [
        offset,
        *range(offset // SECTOR * SECTOR + SECTOR, offset + len(data), SECTOR),
        offset + len(data),
    ]
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
