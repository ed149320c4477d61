"""The anchor of a stream: its progress, stored outside the state file, to detect a restored older
state.

The anchor only moves forward, and it is on disk before an answer is returned. ``head`` is a hash of
all answers so far: a restored state that went on elsewhere with other noise may have as many
answers, but they are different.

The file has two pages, written in turn and synced. A page that a crash left half written does not
count; the other one is then behind by one answer, which was never returned.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from hedgerow.errors import SourceError
from hedgerow.ledger.durable_files import lock_folder, sync_to_disk

__all__ = ["StreamAnchor", "hash_next_answer"]

_LOCK_TIMEOUT = 30.0
_PAGE_SIZE = 8192


@dataclass(frozen=True, slots=True)
class StreamAnchor:
    """The name of a stream, the number of its answered elements, the hash of these answers, and the
    path of its state.
    """

    stream: str
    number: int
    head: str
    state: str

    @staticmethod
    def default_path(state: Path) -> Path:
        """Return the default path of the anchor of a state file."""
        return state.with_name(state.name + ".anchor")

    @classmethod
    def read(cls, place: Path) -> StreamAnchor | None:
        """Return the anchor at this path, or None if there is none."""
        try:
            held = place.read_bytes()
        except FileNotFoundError:
            return None
        pages = [cls._parse_page(held[:_PAGE_SIZE]), cls._parse_page(held[_PAGE_SIZE:])]
        whole = [page for page in pages if page is not None]
        if not whole:
            raise SourceError(
                f"The anchor of the stream, '{place}', is damaged. Restore it from a copy, or"
                " declare a new stream."
            )
        return max(whole, key=lambda page: page.number)

    @classmethod
    def _parse_page(cls, page: bytes) -> StreamAnchor | None:
        """Return the anchor of a page, or None if it was not written to its end."""
        try:
            text, _, digest = page.decode().strip().rpartition(" ")
            return cls(**json.loads(text)) if digest == _hash_text(text) else None
        except (TypeError, ValueError):
            return None

    def write(self, place: Path) -> None:
        """Write the anchor to disk; the caller holds the lock."""
        text = json.dumps(asdict(self))
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
        """Write the anchor of a new stream; the caller holds the lock. The remains of a crash are
        replaced: an anchor without a state, or an incomplete first page.
        """
        torn = (
            place.exists()
            and place.stat().st_size <= _PAGE_SIZE
            and StreamAnchor._parse_page(place.read_bytes()) is None
        )
        held = None if torn else StreamAnchor.read(place)
        if held is not None and (held.number or Path(held.state).exists()):
            raise SourceError(
                f"There was a stream here: its anchor, '{place}', records {held.number:,} answers."
                f" Open its state file, '{held.state}', instead."
            )
        self.write(place)
        sync_to_disk(place.parent)

    def advance(self, place: Path) -> None:
        """Write the anchor unless another process was faster. An anchor never goes back and never
        changes to another stream.
        """
        with lock_folder(place.parent, _LOCK_TIMEOUT):
            held = StreamAnchor.read(place)
            if held is not None and held.stream == self.stream and held.number < self.number:
                self.write(place)


def hash_next_answer(head: str, number: int, answer: float) -> str:
    """Return the hash of all answers up to this one, from the hash of those before."""
    return hashlib.sha256(f"{head} {number} {answer!r}".encode()).hexdigest()


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
