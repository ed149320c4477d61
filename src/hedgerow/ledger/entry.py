"""One entry of the ledger, and the hash chain that ties it to the entry before.

``hash`` is SHA-256 over (ledger id, seq, kind, time, text of the body, previous hash), each written
with its length in front, so that no two entries give the same bytes. ``previous`` is the hash of
the entry before: to change an entry, all that follow must be changed too, and the last hash is also
stored outside the file (``anchor``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hedgerow.errors import InvalidArgument, LedgerError

__all__ = ["RESTORE_HINT", "TIME_FORMAT", "Entry", "encode_canonical", "format_now"]

RESTORE_HINT = (
    "Restore the newest intact copy with 'hedgerow ledger restore POLICY COPY'. If entries are lost"
    " for good, 'hedgerow ledger adopt POLICY --lost' goes on with all budgets closed."
)
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


@dataclass(frozen=True, slots=True)
class Entry:
    """An immutable entry. ``text`` is the body as canonical JSON; numbers in it are exact text,
    "p/q".
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
            raise LedgerError(
                f"Entry {self.seq} of the ledger holds something other than text. {RESTORE_HINT}"
            )

    @classmethod
    def build(
        cls, ledger: str, seq: int, kind: str, body: Mapping[str, object], previous: str, time: str
    ) -> Entry:
        """Build an entry with its hash."""
        text = encode_canonical(body)
        return cls(
            seq, kind, time, text, previous, _compute_hash(ledger, seq, kind, time, text, previous)
        )

    @property
    def body(self) -> dict[str, Any]:
        """The decoded body; a new dict each time."""
        return dict(json.loads(self.text))

    @property
    def columns(self) -> tuple[int, str, str, str, str, str]:
        """The stored columns, in the order of the table."""
        return self.seq, self.kind, self.time, self.text, self.previous, self.hash

    def has_valid_hash(self, ledger: str) -> bool:
        """Return whether the hash fits the content, in the ledger of this id."""
        return self.hash == _compute_hash(
            ledger, self.seq, self.kind, self.time, self.text, self.previous
        )


def encode_canonical(body: Mapping[str, object]) -> str:
    """Return sorted, compact ASCII JSON: one text for one meaning."""
    try:
        return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise InvalidArgument(
            "body", "must be plain JSON: dicts, lists, text and finite numbers"
        ) from None


def format_now() -> str:
    """Return the time in UTC, always in 27 characters, so that text sorts as time does."""
    return datetime.now(UTC).strftime(TIME_FORMAT)


def _compute_hash(*fields: object) -> str:
    written = "".join(f"{len(text)}:{text}" for text in map(str, fields))
    return hashlib.sha256(written.encode()).hexdigest()
