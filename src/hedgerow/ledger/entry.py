"""One line of the ledger, and how it is tied to the line before.

``hash`` is SHA-256 over (ledger id, seq, kind, time, text of the body, previous hash), each written
with its length in front, so that no two entries give the same bytes. ``previous`` is the hash of
the entry before: whoever changes an entry must change all that follow, and the last hash also
stands outside the file (``anchor.py``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hedgerow.errors import InvalidArgument, LedgerError

__all__ = ["Entry", "encode_canonical", "format_now"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A record that is never changed. ``text`` is the body as canonical JSON; numbers in it are
    exact text, "p/q".
    """

    seq: int
    kind: str
    time: str
    text: str
    previous: str
    hash: str

    def __post_init__(self) -> None:
        texts = (self.kind, self.time, self.text, self.previous, self.hash)
        if type(self.seq) is not int or not all(type(item) is str for item in texts):
            raise LedgerError(f"Entry {self.seq} of the ledger holds something other than text.")

    @classmethod
    def build(
        cls, ledger: str, seq: int, kind: str, body: Mapping[str, object], previous: str, time: str
    ) -> Entry:
        """The entry with its hash filled in."""
        text = encode_canonical(body)
        return cls(
            seq, kind, time, text, previous, _compute_hash(ledger, seq, kind, time, text, previous)
        )

    @property
    def body(self) -> dict[str, Any]:
        """What the entry says; a new dict each time."""
        return dict(json.loads(self.text))

    def has_valid_hash(self, ledger: str) -> bool:
        """Whether the hash is the one of this content, in the ledger of this id."""
        return self.hash == _compute_hash(
            ledger, self.seq, self.kind, self.time, self.text, self.previous
        )


def encode_canonical(body: Mapping[str, object]) -> str:
    """Sorted, compact ASCII JSON: one text for one meaning."""
    try:
        return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise InvalidArgument(
            "body", "must be plain JSON: dicts, lists, text, finite numbers"
        ) from None


def format_now() -> str:
    """The time in UTC, always 27 characters, so that text sorts as time does."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _compute_hash(*fields: object) -> str:
    written = "".join(f"{len(text)}:{text}" for text in map(str, fields))
    return hashlib.sha256(written.encode()).hexdigest()
