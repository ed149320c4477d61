"""How far a stream went, kept outside its state file: an older state that is put back in place is
told from the newest one by it.

It only moves forward, and it is on disk before an answer is given away. ``head`` is a hash of all
answers so far: a state that was put back, and went on elsewhere with other noise, has as many
answers, but others.

The file has two pages, written in turn and synced: one that a crash left half written does not
count, and the other is one answer behind, which was not given away.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from hedgerow.errors import SourceError
from hedgerow.ledger.durable_files import lock_folder, sync_to_disk

__all__ = ["StreamAnchor", "hash_next_answer"]

_LOCK_TIMEOUT = 30.0
_PAGE_SIZE = 8192
_STORED_KEYS = ("stream", "number", "head", "state")


@dataclass(frozen=True, slots=True)
class StreamAnchor:
    """Which stream, how many of its elements were answered, the hash of these answers, and where
    its state is.
    """

    stream: str
    number: int
    head: str
    state: str

    @staticmethod
    def default_path(state: Path) -> Path:
        """Where the anchor of a state file is, unless it was put elsewhere."""
        return state.with_name(state.name + ".anchor")

    @classmethod
    def read(cls, place: Path) -> StreamAnchor | None:
        """The anchor there; None where there is none."""
        try:
            held = place.read_bytes()
        except FileNotFoundError:
            return None
        pages = [cls._parse_page(held[:_PAGE_SIZE]), cls._parse_page(held[_PAGE_SIZE:])]
        found = [page for page in pages if page is not None]
        if not found:
            raise SourceError(
                f"The anchor of the stream, '{place}', is damaged. Put it back from a copy, or"
                " declare a new stream."
            )
        return max(found, key=lambda page: page.number)

    @classmethod
    def _parse_page(cls, page: bytes) -> StreamAnchor | None:
        """What a page says, if it was written to its end."""
        try:
            text, _, digest = page.decode().strip().rpartition(" ")
            stored = json.loads(text)
            known = set(stored) == set(_STORED_KEYS) and digest == _hash_text(text)
            return cls(*(stored[key] for key in _STORED_KEYS)) if known else None
        except (TypeError, ValueError):
            return None

    def write(self, place: Path) -> None:
        """Put it on disk. Call it alone."""
        values = (self.stream, self.number, self.head, self.state)
        text = json.dumps(dict(zip(_STORED_KEYS, values, strict=True)))
        file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(
                file,
                f"{text} {_hash_text(text)}".encode().ljust(_PAGE_SIZE),
                _PAGE_SIZE * (self.number % 2),
            )
            os.fsync(file)
        finally:
            os.close(file)

    def create(self, place: Path) -> None:
        """Write the anchor of a new stream; call it alone. What a crash left is replaced: an anchor
        without a state, or a first page that is not whole."""
        torn = (
            place.exists()
            and place.stat().st_size <= _PAGE_SIZE
            and StreamAnchor._parse_page(place.read_bytes()) is None
        )
        held = None if torn else StreamAnchor.read(place)
        if held is not None and (held.number or Path(held.state).exists()):
            raise SourceError(
                f"There was a stream here: its anchor, '{place}', knows of {held.number:,} answers."
                f" Go on with its file, '{held.state}'."
            )
        self.write(place)
        sync_to_disk(place.parent)

    def advance(self, place: Path) -> None:
        """Write it unless another process was faster; an anchor never goes back, and never
        changes to another stream.
        """
        with lock_folder(place.parent, _LOCK_TIMEOUT):
            held = StreamAnchor.read(place)
            if held is not None and held.stream == self.stream and held.number < self.number:
                self.write(place)


def hash_next_answer(head: str, number: int, told: float) -> str:
    """The hash of all answers up to this one, from the hash of those before."""
    return hashlib.sha256(f"{head} {number} {told!r}".encode()).hexdigest()


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
