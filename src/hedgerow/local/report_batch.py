"""Batches of reports of one metric, packed or as JSON.

Packed, numbers in network order::

    8 bytes    hash of the metric
    2 bytes    size of one record, s
    n * s      the records, at least one

As JSON, in ASCII, the same thing is ``{"metric": "<hash, 16 hex digits>", "reports": ["<record, hex
digits>", …]}``.

A batch does not identify its sender. The hash covers protocol, parameters and epoch, so that
reports made under other parameters are never added to these.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import Records

__all__ = ["ReportBatch"]

_HEADER = struct.Struct(">8sH")
_HASH_BYTES = 8
_MAX_SHOWN_CHARACTERS = 64  # of a text in an error message, which shortens it further
_MAX_PUNCTUATION = {b"{": 1, b"[": 1, b":": 2}  # of a well-formed batch in JSON


@dataclass(frozen=True, slots=True, eq=False)
class ReportBatch:
    """The records of one metric, one per row."""

    metric: bytes
    records: Records

    def __post_init__(self) -> None:
        if len(self.metric) != _HASH_BYTES:
            raise InvalidArgument("metric", f"must be a hash of {_HASH_BYTES} bytes", self.metric)
        shape = self.records.shape
        if (
            self.records.dtype != np.uint8
            or len(shape) != 2
            or not shape[0]
            or not 0 < shape[1] < 1 << 16
        ):
            raise InvalidArgument(
                "records", "must be rows of bytes, at least one, of 1 to 65,535 bytes each", shape
            )

    def __len__(self) -> int:
        return len(self.records)

    def to_bytes(self) -> bytes:
        """Return the packed form."""
        return _HEADER.pack(self.metric, self.records.shape[1]) + self.records.tobytes()

    @classmethod
    def from_bytes(cls, body: bytes) -> ReportBatch:
        """Read the packed form; refuse a truncated body.

        A body cut exactly between two records cannot be recognised as truncated.
        """
        if len(body) < _HEADER.size:
            raise InvalidArgument(
                "batch",
                f"must begin with {_HEADER.size} bytes, the metric's hash and the record size; it"
                " was truncated",
            )
        metric, size = _HEADER.unpack_from(body)
        held = len(body) - _HEADER.size
        if not size:
            raise InvalidArgument(
                "batch", "must have records of at least 1 byte; its header says 0"
            )
        if not held or held % size:
            raise InvalidArgument(
                "batch", f"must hold whole records of {size} bytes; it was truncated", held
            )
        return cls(metric, np.frombuffer(body, np.uint8, offset=_HEADER.size).reshape(-1, size))

    def to_json(self) -> str:
        """Return the JSON form."""
        return json.dumps(
            {"metric": self.metric.hex(), "reports": [row.tobytes().hex() for row in self.records]}
        )

    @classmethod
    def from_json(cls, body: bytes) -> ReportBatch:
        """Read the JSON form.

        Bodies with more punctuation than a batch has are refused unparsed: parsing them could take
        thirty times their size in memory.
        """
        if not body.isascii():
            raise InvalidArgument("batch", "must be JSON in ASCII; it has other bytes")
        plain = all(body.count(mark) <= most for mark, most in _MAX_PUNCTUATION.items())
        try:
            given = (
                json.loads(body.decode("ascii"), object_pairs_hook=_build_unique_object)
                if plain
                else None
            )
        except (ValueError, RecursionError):
            raise InvalidArgument(
                "batch", "must be valid JSON; it may have been truncated"
            ) from None
        if not isinstance(given, dict) or given.keys() != {"metric", "reports"}:
            raise InvalidArgument(
                "batch", 'must be an object with "metric" and "reports", each exactly once'
            )
        reports = given["reports"]
        if (
            not isinstance(reports, list)
            or not reports
            or not all(isinstance(report, str) for report in reports)
        ):
            raise InvalidArgument("reports", "must be a list of texts, at least one")
        return cls(_parse_hash(given["metric"]), _parse_records(reports))


def _build_unique_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object, or an empty one if a key is repeated: JSON readers disagree which counts."""
    held = dict(pairs)
    return held if len(held) == len(pairs) else {}


def _parse_hash(text: object) -> bytes:
    if not isinstance(text, str) or len(text) != 2 * _HASH_BYTES:
        # Shortened before it is formatted: escapes could take many times the text's length.
        raise InvalidArgument(
            "metric",
            f"must be {2 * _HASH_BYTES} hex digits",
            text[:_MAX_SHOWN_CHARACTERS] if isinstance(text, str) else text,
        )
    return _parse_hex(text, "metric")


def _parse_records(reports: list[str]) -> Records:
    digits = len(reports[0])
    if not 0 < digits < 1 << 17 or digits % 2 or {len(report) for report in reports} != {digits}:
        raise InvalidArgument("reports", "must all have the same even number of hex digits")
    return np.frombuffer(_parse_hex("".join(reports), "reports"), np.uint8).reshape(-1, digits // 2)


def _parse_hex(text: str, argument: str) -> bytes:
    """Parse hex digits strictly; ``bytes.fromhex`` alone would accept blanks between them."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if 2 * len(found) != len(text):
        raise InvalidArgument(argument, "must be hex digits")
    return found
