"""Acceptance of data versions: the .csv files of a policy, validated and recorded in the ledger.

A file is validated once for each version that the custodian declares, and recorded with its size
and a keyed digest. It stays accepted while its stamp (inode, size, modification times) is the
recorded one; if the stamp differs, as after a copy, the digest decides. Versions are declared and
never inferred: other bytes under an accepted version are refused.

The numbers of malformed lines are data. Only the custodian's commands show them.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hedgerow.engines.duckdb.tables.csv_header import read_csv_header
from hedgerow.engines.duckdb.tables.csv_validation import (
    CsvScan,
    digest_file,
    format_bad_lines,
    scan_csv,
)
from hedgerow.errors import SourceError
from hedgerow.policy import Policy, TableRule

__all__ = ["DataFiles"]

FileRecord = Mapping[str, Any]
_FileStamp = tuple[int, int, int, int]


class _ScannedFile(NamedTuple):
    key: str
    stamp: _FileStamp
    scan: CsvScan


class DataFiles:
    """The .csv files of a policy; with ``to_custodian``, errors name the malformed lines."""

    def __init__(self, policy: Policy, *, to_custodian: bool = False) -> None:
        self._files = [
            (table, policy.source_path(table))
            for table in policy.tables
            if table.source.lower().endswith(".csv")
        ]
        self._to_custodian = to_custodian
        self._scanned: dict[str, _ScannedFile] = {}
        self.stamps: dict[str, tuple[int, int, int]] = {}

    def accept(self, known: Mapping[tuple[str, str], FileRecord]) -> dict[str, FileRecord]:
        """Return a record for each existing file without one in the ledger, whose records are
        ``known``; refuse files that cannot be accepted. Afterwards ``stamps`` has the stamp of each
        table's file."""
        fresh: dict[str, FileRecord] = {}
        for table, path in self._files:
            if path.is_file():
                record = known.get((table.name.casefold(), table.version))
                if record is None or record["multiline"] != table.multiline:
                    fresh[table.name.casefold()] = self._validate(table, path, record)
                else:
                    self._check_same(table, path, record)
        return fresh

    def check_lines(self) -> None:
        """Refuse malformed files, even those that the ledger has accepted."""
        for table, path in self._files:
            if path.is_file():
                self._scanned[table.name] = self._scan(table, path, secrets.token_hex(32))

    def _validate(self, table: TableRule, path: Path, record: FileRecord | None) -> FileRecord:
        """Return the new record of a file; the bytes of a version never change after its first
        record."""
        done = self._scanned.get(table.name)
        if record is not None or done is None or done.stamp != _read_stamp(path):
            done = self._scan(
                table, path, secrets.token_hex(32) if record is None else record["key"]
            )
        if record is not None and (done.scan.size, done.scan.digest) != (
            record["size"],
            record["digest"],
        ):
            raise _build_change_error(table, path)
        self._scanned[table.name] = done
        self.stamps[table.name] = done.stamp[:3]
        bytes_ = {
            "key": done.key,
            "size": done.scan.size,
            "digest": done.scan.digest,
            "stamp": list(done.stamp),
        }
        return {"version": table.version, "multiline": table.multiline, **bytes_}

    def _scan(self, table: TableRule, path: Path, key: str) -> _ScannedFile:
        stamp = _read_stamp(path)
        scan = scan_csv(
            path, len(read_csv_header(path)), multiline=table.multiline, key=bytes.fromhex(key)
        )
        if _read_stamp(path) != stamp:
            raise SourceError(f"{path.name} changed while it was read. Try again.")
        if scan.bad_lines:
            problem = "it is malformed. The custodian can run 'hedgerow check' to see where."
            if self._to_custodian:
                problem = format_bad_lines(scan.bad_lines)
            raise SourceError(
                f"{path.name} cannot be accepted as version {table.version!r} of {table.name}:"
                f" {problem}"
            )
        return _ScannedFile(key, stamp, scan)

    def _check_same(self, table: TableRule, path: Path, record: FileRecord) -> None:
        """Refuse a file that differs from its record; its bytes are read only if its stamp
        differs."""
        stamp = _read_stamp(path)
        if stamp != tuple(record["stamp"]):
            same = (
                stamp[1] == record["size"]
                and digest_file(path, bytes.fromhex(record["key"])) == record["digest"]
            )
            if not same or _read_stamp(path) != stamp:
                if self._to_custodian:
                    # A custodian who declares a new version should see malformed lines first.
                    self._scan(table, path, record["key"])
                raise _build_change_error(table, path)
        self.stamps[table.name] = stamp[:3]


def _read_stamp(path: Path) -> _FileStamp:
    """Return the stamp of a file: it changes when the file is replaced or written to, and its last
    number also when only its name or mode changes."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _build_change_error(table: TableRule, path: Path) -> SourceError:
    return SourceError(
        f"{path.name} is not the file that was accepted as version {table.version!r} of"
        f" {table.name}. If the data have changed, the custodian must declare a new version in the"
        " policy."
    )
