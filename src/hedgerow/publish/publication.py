"""A publication: a folder with the table that was published, a receipt, and a report for people.

    NAME/data.parquet     the table; readable by anything, and usable as a public table of a policy
    NAME/receipt.json     what it is, what it cost, where the ledger has it, the digest of the table
    NAME/report.html      all of that for people, with pictures, in one file

It is made beside its place, under a name that says so, and moved there when it is whole: what has no receipt was never published. What was
paid for and measured is kept there, for its owner alone, until it is moved: whatever fails on the way, it is finished later, for nothing.
One payment buys one table. A run that died before the ledger knew what it had made is gone on with by the next one for the same charge,
which measures again only if nothing whole was left.
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

from hedgerow.answers.frames import Frames
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.publish.derived import Histogram

__all__ = ["DATA", "FORMAT", "RECEIPT", "REPORT", "Publication", "Workshop"]

FORMAT: Final = 1
DATA, RECEIPT, REPORT = "data.parquet", "receipt.json", "report.html"
_UNFINISHED: Final = "unfinished.json"  # the receipt, with the hash of the charge instead of the entry of the ledger
_CHARGE: Final = "charge"


@dataclass(frozen=True, slots=True, eq=False)
class Publication(Frames):
    """A published table. Everything in it is public."""

    path: Path
    receipt: Mapping[str, Any]

    @classmethod
    def load(cls, path: str | Path) -> Publication:
        """The publication of a folder, if it is whole and as it was published."""
        folder = Path(path)
        try:
            receipt = json.loads((folder / RECEIPT).read_text(encoding="utf-8"))
            if receipt["format"] != FORMAT:
                raise SourceError(f"{folder / RECEIPT} has format {receipt['format']}; this version of Hedgerow reads format {FORMAT}.")
            whole = receipt["data"] == _digest(folder / DATA)
        except (OSError, ValueError, KeyError, TypeError):
            raise SourceError(f"{folder} is no publication: it needs a {RECEIPT} and a {DATA}.") from None
        if not whole:
            raise SourceError(f"{folder / DATA} is not what was published: its digest is not that of the receipt.")
        return cls(folder, receipt)

    @property
    def kind(self) -> str:
        """Which kind of publication it is."""
        return str(self.receipt["kind"])

    @property
    def domain(self) -> Domain:
        """The attributes, and the codes they have."""
        return Domain(tuple(map(Attribute.from_dict, self.receipt["attributes"])))

    @property
    def facts(self) -> Mapping[str, Any]:
        """What else is known about how it was made."""
        facts: Mapping[str, Any] = self.receipt["facts"]
        return facts

    @property
    def cost(self) -> Loss:
        """What was charged for it."""
        return Loss.from_dict(self.receipt["cost"])

    def histogram(self, name: str | None = None) -> Histogram:
        """What the counts of one column say: its mean, variance, quantiles and density, each with its interval."""
        from hedgerow.publish.derived import Histogram

        if self.kind != "histogram":
            raise InvalidArgument("publication", "must be a histogram", self.kind)
        return Histogram.of(self.domain, self.to_arrow(), self.facts, name or self.domain.names[0])

    def to_arrow(self) -> Any:
        """The table."""
        return _read(self.path)

    @property
    def rows(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """The lines of the table."""
        lines: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return lines

    def __repr__(self) -> str:
        return f"{self.kind} of {self.receipt['table']} ({', '.join(self.domain.names)}) in {self.path}, for {self.cost}"


class Workshop:
    """Where a publication is made, beside the ``place`` where it will be."""

    def __init__(self, place: str | Path) -> None:
        self.place = self._bench = Path(place)
        self._paid = False
        self._emptied: Path | None = None
        self._held: int | None = None  # a lock on the bench: whoever gets it knows that nobody works there any more

    def check(self) -> None:
        """Refuses a place that is taken, or where nothing can be written, before anything is paid."""
        if self.place.exists():
            raise InvalidArgument("to", "must be a new folder: there is something already", str(self.place))
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            self._bench = Path(tempfile.mkdtemp(prefix=f".{self.place.name}.", suffix=".unpublished", dir=self.place.parent))
            self._held = _locked(self._bench)
        except OSError as problem:
            raise InvalidArgument("to", f"must be where a folder can be made: {problem.strerror}", str(self.place)) from None

    def keep(self, table: pa.Table, receipt: Mapping[str, Any], charge: str) -> dict[str, str]:
        """Writes the table down, for good, with what the receipt will say and the hash of the charge that paid for it. What this gives goes
        to the ledger: where all that is, and the digests that it is known by. From here on only ``drop`` throws it away."""
        import pyarrow as pa
        from pyarrow import parquet

        written = pa.BufferOutputStream()
        parquet.write_table(table, written, compression="zstd")
        data = written.getvalue()
        # Whose it is comes first: what is left half written can be told from what is whole.
        self._note({**receipt, "data": hashlib.sha256(data).hexdigest()}, charge)
        (self._bench / DATA).write_bytes(data)
        return self._kept()

    def adopt(self, charge: str) -> dict[str, str] | None:
        """What ``keep`` gave, or was about to, in a run for the same charge that died before the ledger knew of it; None if there is none.
        What is not whole was never seen, and is thrown away."""
        for left in self.place.parent.glob(f".{glob.escape(self.place.name)}.*.unpublished"):
            held = None if left.is_symlink() else _locked(left)
            if held is None:  # somebody is at work there, or we are
                continue
            try:
                noted = json.loads((left / _UNFINISHED).read_text(encoding="utf-8"))
                mine, whole = noted[_CHARGE] == charge, _digest(left / DATA) == noted["data"]
            except (OSError, ValueError, KeyError, TypeError):
                mine = whole = False
            if not mine:
                os.close(held)
            elif not whole:
                shutil.rmtree(left, ignore_errors=True)
                os.close(held)
            else:
                self.drop()
                self.give_up()
                self._bench, self._held = left, held
                return self._kept()
        return None

    def _note(self, receipt: Mapping[str, Any], charge: str) -> None:
        (self._bench / _UNFINISHED).write_text(json.dumps({**receipt, _CHARGE: charge}), encoding="utf-8")

    def _kept(self) -> dict[str, str]:
        for path in (self._bench / DATA, self._bench / _UNFINISHED, self._bench, self._bench.parent):
            _sync(path)
        self._paid = True
        made = {"place": self.place, "left": self._bench}
        return {name: str(path.absolute()) for name, path in made.items()} | {
            "data": _digest(self._bench / DATA),
            "unfinished": _digest(self._bench / _UNFINISHED),
        }

    def take(self, held: Mapping[str, str]) -> bool:
        """Takes over what an earlier run had kept and not finished, if it is still there as the ledger knows it."""
        left = Path(held["left"])
        try:
            for name, known in ((DATA, held["data"]), (_UNFINISHED, held["unfinished"])):
                shutil.copyfile(left / name, self._bench / name)
                if _digest(self._bench / name) != known:
                    return False
        except OSError:
            return False
        # Where it was to go at first it is found from now on; anywhere else the ledger does not know, and what it knows is kept.
        self._emptied = left if Path(held["place"]) == self.place.absolute() else None
        return True

    @property
    def unfinished(self) -> dict[str, Any]:
        """What the receipt will say, as it was kept, but for the entry of the ledger."""
        found: dict[str, Any] = json.loads((self._bench / _UNFINISHED).read_text(encoding="utf-8"))
        del found[_CHARGE]
        return found

    @property
    def table(self) -> pa.Table:
        """The table, as it was kept."""
        return _read(self._bench)

    def finish(self, receipt: Mapping[str, Any], report: str) -> Publication:
        """Adds receipt and report, and moves all of it into place."""
        for name, text in ((REPORT, report), (RECEIPT, json.dumps(receipt, indent=2, ensure_ascii=False) + "\n")):
            (self._bench / name).write_text(text, encoding="utf-8")
            _sync(self._bench / name)
        _sync(self._bench)
        os.rename(self._bench, self.place)
        self._bench = self.place
        (self.place / _UNFINISHED).unlink()
        self.place.chmod(0o755)
        _sync(self.place.parent)
        if self._emptied is not None:
            shutil.rmtree(self._emptied, ignore_errors=True)
        return Publication(self.place, receipt)

    def copy(self, earlier: Publication, held: Mapping[str, str], charge: str) -> bool:
        """Takes what was published, if table and receipt are still as the ledger knows them: these two, nothing else that lies there."""
        try:
            shutil.copyfile(earlier.path / DATA, self._bench / DATA)
        except OSError:
            return False
        self._note({name: said for name, said in earlier.receipt.items() if name != "ledger"}, charge)
        return all(_digest(self._bench / name) == held[known] for name, known in ((DATA, "data"), (_UNFINISHED, "unfinished")))

    def drop(self) -> None:
        """What was kept is not wanted after all."""
        self._paid = False

    def give_up(self) -> None:
        """Leaves nothing behind but what was paid for and is not in its place."""
        if self._bench != self.place and not self._paid:
            shutil.rmtree(self._bench, ignore_errors=True)
        if self._held is not None:
            os.close(self._held)
            self._held = None


def _read(folder: Path) -> pa.Table:
    from pyarrow import parquet

    return parquet.read_table(folder / DATA)


def _digest(file: Path) -> str:
    with file.open("rb") as held:
        return hashlib.file_digest(held, "sha256").hexdigest()


def _locked(folder: Path) -> int | None:
    """A lock on a folder, as long as this is not closed; None if somebody has it."""
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


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
