"""The sample clinic: made-up patients in a CSV file, the same on every machine.

The patients are invented, so nothing here needs protecting and nothing is random: every value is read off a SHA-256 hash of its own
name. (Noise is another matter; it always comes from the operating system.)

The folder is treated as the reader's, not ours: ``prepare`` writes one file, and refuses to touch a folder that holds anything else.
"""

from __future__ import annotations

import csv
import hashlib
import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from hedgerow.errors import Refused, SourceError

__all__ = ["DIAGNOSES", "FILE", "OLDEST", "REGIONS", "Clinic", "Visit", "invent", "prepare"]

FILE = "visits.csv"
DIAGNOSES = ("asthma", "back pain", "diabetes", "flu", "fracture", "hypertension", "migraine", "pneumonia")
REGIONS = ("north", "south", "east", "west")
OLDEST = 110  # declared by the custodian, not read off the data

_PATIENTS = 1200
_AGES = ((0, 24), (16, 72), (48, 98))
_SHARES = (18, 47, 35)
_COMMON = {  # how common a diagnosis is among children, adults and the old
    "asthma": (5, 3, 2),
    "back pain": (0, 6, 4),
    "diabetes": (1, 2, 6),
    "flu": (7, 5, 3),
    "fracture": (4, 2, 2),
    "hypertension": (0, 5, 11),
    "migraine": (2, 4, 1),
    "pneumonia": (2, 1, 3),
}


class Visit(NamedTuple):
    """One row of the file."""

    patient_id: str
    age: int
    region: str
    month: str
    diagnosis: str
    cost: int


@dataclass(frozen=True)
class Clinic:
    """What only the custodian sees."""

    visits: tuple[Visit, ...]

    @cached_property
    def ages(self) -> tuple[int, ...]:
        """One age for each patient, that of the first row, moved into the declared range."""
        first = {visit.patient_id: visit.age for visit in reversed(self.visits)}
        return tuple(min(max(age, 0), OLDEST) for age in first.values())

    @cached_property
    def diagnosed(self) -> tuple[int, ...]:
        """For each diagnosis the number of patients who have had it; a patient counts once however often she came."""
        pairs = {(visit.patient_id, visit.diagnosis) for visit in self.visits}
        had = [diagnosis for _, diagnosis in pairs]
        return tuple(had.count(diagnosis) for diagnosis in DIAGNOSES)

    def without(self, patient_id: str) -> tuple[Visit, ...]:
        """A neighbour: the same clinic, had this patient never come."""
        return tuple(visit for visit in self.visits if visit.patient_id != patient_id)


def invent() -> Clinic:
    """The clinic that every fresh demo starts from."""
    return Clinic(tuple(visit for number in range(1, _PATIENTS + 1) for visit in _visits_of(f"P{number:04d}")))


def prepare(folder: Path, *, reset: bool = False) -> tuple[Clinic, bool]:
    """The clinic in ``folder``, and whether it was made just now: it is read where it is there and made where it is not.

    ``reset`` makes it anew. Nothing that this demo did not make is ever overwritten: then the answer is ``Refused``.
    """
    path = folder / FILE
    try:
        if path.is_file() and not reset:
            return _read(path), False
        _refuse_foreign(folder)
        folder.mkdir(exist_ok=True)
        _write(path, clinic := invent())
    except OSError as failure:
        raise SourceError(f"The sample clinic cannot be made in {folder}: {failure.strerror}. Run the demo in another folder.") from failure
    return clinic, True


def _refuse_foreign(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Refused(f"{folder} is not a folder that this demo made. Run the demo in another folder.")
    found = sorted(entry.name for entry in folder.iterdir() if not _ours(entry)) if folder.exists() else []
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise Refused(f"{folder} holds {found[0]}{more}, which this demo did not make. Move that away, or run the demo in another folder.")


def _ours(path: Path) -> bool:
    """A file of our name that starts with our columns; whoever played with its rows may still start over."""
    if path.name != FILE or path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(200).rstrip(b"\r\n") == ",".join(Visit._fields).encode()


def _read(path: Path) -> Clinic:
    if not _ours(path):
        raise Refused(f"{path} is not a file that this demo made. Move it away, or run the demo in another folder.")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            _, *rows = csv.reader(file)
        return Clinic(tuple(Visit(who, int(age), region, month, diagnosis, int(cost)) for who, age, region, month, diagnosis, cost in rows))
    except ValueError:  # also text that is no UTF-8; neither the message nor its cause may quote a row
        raise SourceError(f"{path} can no longer be read. Run 'hedgerow demo --reset' to make it anew.") from None


def _write(path: Path, clinic: Clinic) -> None:
    """In one step: a demo that is interrupted leaves the old file or the new one."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with fresh.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Visit._fields)
        writer.writerows(clinic.visits)
    fresh.replace(path)


def _visits_of(patient: str) -> list[Visit]:
    band = _weighted(_SHARES, patient, "band")
    youngest, oldest = _AGES[band]
    # The mean of two throws: the middle of a band is more common than its ends.
    age = youngest + (_pick(oldest - youngest + 1, patient, "age") + _pick(oldest - youngest + 1, patient, "again")) // 2
    region = REGIONS[_weighted((4, 3, 2, 1), patient, "region")]
    visits = []
    for number in range(1 + _weighted((5, 3, 2, 1), patient, "visits")):
        diagnosis = DIAGNOSES[_weighted([_COMMON[name][band] for name in DIAGNOSES], patient, number, "diagnosis")]
        month, cost = 1 + _pick(12, patient, number, "month"), 20 + _pick(90, patient, number) * _pick(90, patient, number, "cost")
        visits.append(Visit(patient, age, region, f"2026-{month:02d}", diagnosis, cost))
    return visits


def _pick(bound: int, *name: object) -> int:
    """A number below ``bound`` that depends on the name alone."""
    digest = hashlib.sha256("/".join(map(str, name)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % bound


def _weighted(weights: Sequence[int], *name: object) -> int:
    """A place, the more often the larger its weight."""
    return bisect_right(list(accumulate(weights)), _pick(sum(weights), *name))
