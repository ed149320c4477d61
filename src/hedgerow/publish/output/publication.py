"""A publication: a folder with the published table, a receipt, and a report for people.

    NAME/data.parquet     the table, readable anywhere and usable as a public table of a policy
    NAME/receipt.json     its description, cost, ledger entry, and the digest of the table
    NAME/report.html      the same for people, with figures, in one file

The folder is built under another name beside its destination and moved there when it is complete:
a folder without a receipt was never published. Until then the paid measurements are kept there,
readable by their owner only. Whatever fails on the way, a later run finishes the publication at no
cost. One payment buys one table. If a run dies before the ledger knows its result, the next run for
the same charge continues, and measures again only if nothing complete was left.
"""

from __future__ import annotations

import fcntl
import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.answers.dataframes import FrameConversions
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.ledger.durable_files import sync_to_disk
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.publish.histogram_statistics import Histogram

__all__ = [
    "DATA_FILE",
    "RECEIPT_FILE",
    "RECEIPT_FORMAT",
    "REPORT_FILE",
    "Publication",
    "StagingFolder",
]

RECEIPT_FORMAT: Final = 1
DATA_FILE, RECEIPT_FILE, REPORT_FILE = "data.parquet", "receipt.json", "report.html"
# the receipt with the hash of the charge in place of the ledger entry
_UNFINISHED_FILE: Final = "unfinished.json"
_CHARGE_KEY: Final = "charge"


@dataclass(frozen=True, slots=True, eq=False)
class Publication(FrameConversions):
    """A published table. Everything in it is public."""

    path: Path
    receipt: Mapping[str, Any]

    @classmethod
    def load(cls, path: str | Path) -> Publication:
        """Load the publication of a folder, and refuse one that is incomplete or was changed."""
        folder = Path(path)
        try:
            receipt = json.loads((folder / RECEIPT_FILE).read_text(encoding="utf-8"))
            if receipt["format"] != RECEIPT_FORMAT:
                raise SourceError(
                    f"{folder / RECEIPT_FILE} has format {receipt['format']}; this version of"
                    f" Hedgerow reads format {RECEIPT_FORMAT}. Use a later version."
                )
            whole = receipt["data"] == _compute_digest(folder / DATA_FILE)
        except (OSError, ValueError, KeyError, TypeError):
            raise SourceError(
                f"{folder} is not a publication: it must contain {RECEIPT_FILE} and {DATA_FILE}."
                " Name the folder that was published."
            ) from None
        if not whole:
            raise SourceError(
                f"{folder / DATA_FILE} was changed: its digest differs from the receipt. Restore"
                " the published file."
            )
        return cls(folder, receipt)

    @property
    def kind(self) -> str:
        return str(self.receipt["kind"])

    @property
    def domain(self) -> Domain:
        """The attributes and their codes."""
        return Domain(tuple(map(Attribute.from_dict, self.receipt["attributes"])))

    @property
    def facts(self) -> Mapping[str, Any]:
        """Further facts about how it was measured."""
        facts: Mapping[str, Any] = self.receipt["facts"]
        return facts

    @property
    def cost(self) -> Loss:
        """The loss that was charged."""
        return Loss.from_dict(self.receipt["cost"])

    def histogram(self, name: str | None = None) -> Histogram:
        """Return the histogram of one column, with its mean, variance, quantiles and density, each
        with an interval.
        """
        from hedgerow.publish.histogram_statistics import Histogram

        if self.kind != "histogram":
            raise InvalidArgument("publication", "must be a histogram", self.kind)
        return Histogram.from_publication(
            self.domain, self.to_arrow(), self.facts, name or self.domain.names[0]
        )

    def to_arrow(self, *, intervals: bool = False) -> Any:  # noqa: ARG002
        """Return the published table, which always has the columns of its intervals."""
        return _read_table(self.path)

    @property
    def rows(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """The rows of the table."""
        lines: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return lines

    def __repr__(self) -> str:
        return (
            f"{self.kind} of {self.receipt['table']} ({', '.join(self.domain.names)}) in"
            f" {self.path}, for {self.cost}"
        )


class StagingFolder:
    """The folder in which a publication is built, beside its ``destination``."""

    def __init__(self, place: str | Path) -> None:
        self.destination = self._folder = Path(place)
        self._is_paid = False
        self._superseded: Path | None = None
        # a lock on the folder: whoever gets it knows that no process is building there
        self._lock: int | None = None

    def create(self) -> None:
        """Create the folder; refuse an existing or unwritable destination before anything is
        charged.
        """
        if self.destination.exists():
            raise InvalidArgument(
                "to", "must be a new folder; this path already exists", str(self.destination)
            )
        try:
            self.destination.parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(
                tempfile.mkdtemp(
                    prefix=f".{self.destination.name}.",
                    suffix=".unpublished",
                    dir=self.destination.parent,
                )
            )
            self._lock = _try_lock(self._folder)
        except OSError as problem:
            raise InvalidArgument(
                "to",
                f"must be a path where a folder can be created: {problem.strerror}",
                str(self.destination),
            ) from None

    def save(self, table: pa.Table, receipt: Mapping[str, Any], charge: str) -> dict[str, str]:
        """Save the table durably, with the future receipt and the hash of its charge. Return the
        paths and digests for the ledger. From here on only ``discard`` gives it up.
        """
        import pyarrow as pa
        from pyarrow import parquet

        written = pa.BufferOutputStream()
        parquet.write_table(table, written, compression="zstd")
        data = written.getvalue()
        # The charge is written first, so that a half-written table is recognised as such.
        self._write_unfinished({**receipt, "data": hashlib.sha256(data).hexdigest()}, charge)
        (self._folder / DATA_FILE).write_bytes(data)
        return self._sync_saved()

    def adopt_abandoned(self, charge: str) -> dict[str, str] | None:
        """Take over what a run for the same charge saved before it died, and return the result of
        its ``save``; None if there is nothing. Incomplete remains were never seen and are deleted.
        """
        for left in self.destination.parent.glob(
            f".{glob.escape(self.destination.name)}.*.unpublished"
        ):
            held = None if left.is_symlink() else _try_lock(left)
            if held is None:  # another process is building there, or this one
                continue
            try:
                noted = json.loads((left / _UNFINISHED_FILE).read_text(encoding="utf-8"))
                mine = noted[_CHARGE_KEY] == charge
                whole = _compute_digest(left / DATA_FILE) == noted["data"]
            except (OSError, ValueError, KeyError, TypeError):
                mine = whole = False
            if not mine:
                os.close(held)
            elif not whole:
                shutil.rmtree(left, ignore_errors=True)
                os.close(held)
            else:
                self.discard()
                self.clean_up()
                self._folder, self._lock = left, held
                return self._sync_saved()
        return None

    def _write_unfinished(self, receipt: Mapping[str, Any], charge: str) -> None:
        (self._folder / _UNFINISHED_FILE).write_text(
            json.dumps({**receipt, _CHARGE_KEY: charge}), encoding="utf-8"
        )

    def _sync_saved(self) -> dict[str, str]:
        for path in (
            self._folder / DATA_FILE,
            self._folder / _UNFINISHED_FILE,
            self._folder,
            self._folder.parent,
        ):
            sync_to_disk(path)
        self._is_paid = True
        made = {"place": self.destination, "left": self._folder}
        return {name: str(path.absolute()) for name, path in made.items()} | {
            "data": _compute_digest(self._folder / DATA_FILE),
            "unfinished": _compute_digest(self._folder / _UNFINISHED_FILE),
        }

    def take_over(self, held: Mapping[str, str]) -> bool:
        """Copy the saved but unfinished work of an earlier run; return whether it still matches the
        ledger.
        """
        left = Path(held["left"])
        try:
            for name, known in ((DATA_FILE, held["data"]), (_UNFINISHED_FILE, held["unfinished"])):
                shutil.copyfile(left / name, self._folder / name)
                if _compute_digest(self._folder / name) != known:
                    return False
        except OSError:
            return False
        # The ledger records one destination; only if it is this one may the saved work be deleted.
        self._superseded = left if Path(held["place"]) == self.destination.absolute() else None
        return True

    @property
    def unfinished_receipt(self) -> dict[str, Any]:
        """The saved receipt, without its ledger entry."""
        found: dict[str, Any] = json.loads(
            (self._folder / _UNFINISHED_FILE).read_text(encoding="utf-8")
        )
        del found[_CHARGE_KEY]
        return found

    @property
    def table(self) -> pa.Table:
        return _read_table(self._folder)

    def finish(self, receipt: Mapping[str, Any], report: str) -> Publication:
        """Add the receipt and the report, and move the folder to its destination."""
        for name, text in (
            (REPORT_FILE, report),
            (RECEIPT_FILE, json.dumps(receipt, indent=2, ensure_ascii=False) + "\n"),
        ):
            (self._folder / name).write_text(text, encoding="utf-8")
            sync_to_disk(self._folder / name)
        sync_to_disk(self._folder)
        os.rename(self._folder, self.destination)
        self._folder = self.destination
        (self.destination / _UNFINISHED_FILE).unlink()
        self.destination.chmod(0o755)
        sync_to_disk(self.destination.parent)
        if self._superseded is not None:
            shutil.rmtree(self._superseded, ignore_errors=True)
        return Publication(self.destination, receipt)

    def copy_published(self, earlier: Publication, held: Mapping[str, str], charge: str) -> bool:
        """Copy an earlier publication; return whether its table and receipt still match the ledger.
        No other file is copied.
        """
        try:
            shutil.copyfile(earlier.path / DATA_FILE, self._folder / DATA_FILE)
        except OSError:
            return False
        self._write_unfinished(
            {name: said for name, said in earlier.receipt.items() if name != "ledger"}, charge
        )
        return all(
            _compute_digest(self._folder / name) == held[known]
            for name, known in ((DATA_FILE, "data"), (_UNFINISHED_FILE, "unfinished"))
        )

    def discard(self) -> None:
        """Give up the saved work."""
        self._is_paid = False

    def clean_up(self) -> None:
        """Delete the folder, unless it holds paid work that is not at its destination yet."""
        if self._folder != self.destination and not self._is_paid:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _read_table(folder: Path) -> pa.Table:
    from pyarrow import parquet

    return parquet.read_table(folder / DATA_FILE)


def _compute_digest(file: Path) -> str:
    with file.open("rb") as held:
        return hashlib.file_digest(held, "sha256").hexdigest()


def _try_lock(folder: Path) -> int | None:
    """Return a lock on a folder, held until it is closed; None if another process has it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
