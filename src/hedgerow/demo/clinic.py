"""The folder of the sample clinic: data, a policy, and the ledger that the tour opens beside them.

The folder is treated as the reader's, not ours: ``prepare_clinic`` writes its own files and no
others, and refuses to begin in a folder that holds anything else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from hedgerow.demo.sample_data import REGIONS, invent_patients, invent_regions, invent_visits
from hedgerow.errors import Refused, SourceError

__all__ = ["POLICY_FILE", "prepare_clinic"]

POLICY_FILE = "clinic.toml"
_MARKER_LINE = (
    "# The sample clinic of 'hedgerow demo': the people are made up, the privacy is real."
)
_REGIONS = json.dumps(list(REGIONS))
_POLICY_TEXT = f"""{_MARKER_LINE}
# Play with it: hedgerow query demo/clinic.toml --custodian "SELECT …". To start over: hedgerow demo --reset.

[database]
name   = "clinic"
engine = "duckdb"                      # the data stay in their files; DuckDB reads them
ledger = "clinic.ledger"               # what was asked and what it cost, beside this file

[budget]                               # one for these people, whoever asks
epsilon = 3.0                          # what each of them may lose in all, over all questions ever
delta   = 1e-9                         # the chance that this fails; pays for keys that nobody declared
default_epsilon = 0.1                  # a question that names none
default_delta   = 1e-12
max_epsilon_per_query = 1.0            # no single question may cost more
noise   = "laplace"

[tables.patients]
source     = "patients.parquet"
unit       = "patient_id"              # who is protected: a person, with all her rows
neighbours = "add-remove"              # also hides whether she is in the data at all
population = "patients"                # tables about the same people share one budget
version    = "2026-12"                 # changed by hand when the data change
max_units  = 1_000_000                 # public upper bounds, not counts of these data
max_groups = 1                         # a patient has one row here
max_rows_per_group = 1

[tables.patients.columns]              # bounds are what everybody knows, not what the data show
age    = {{ type = "integer", min = 0, max = 110 }}
sex    = {{ values = ["female", "male"] }}
region = {{ values = {_REGIONS} }}
smoker = {{ type = "boolean" }}
bmi    = {{ type = "real", min = 10, max = 60, step = 0.1 }}
insurance_number = {{ hidden = true }}   # no question may touch it

[tables.visits]
source     = "visits.parquet"
unit       = "patient_id"
neighbours = "add-remove"
population = "patients"
version    = "2026-12"
max_units  = 1_000_000
max_groups = 3                         # groups that one patient may touch in one answer
max_rows_per_group = 5                 # and her rows that count in each

[tables.visits.columns]
day    = {{ type = "date", values = "2026-01-01 … 2026-12-31" }}
region = {{ values = {_REGIONS} }}
age    = {{ type = "integer", min = 0, max = 110 }}
smoker = {{ type = "boolean" }}
cost   = {{ type = "real", min = 0, max = 10_000, step = 0.01 }}
# Nothing is said about diagnosis (counted, and grouped by where enough people share a value) and length_of_stay.

[tables.regions]
source = "regions.csv"
public = true                          # about places: protects nobody

[analysts.ana]
max_epsilon = 3.0                      # quotas inside the one budget

[analysts.mallory]
max_epsilon = 0.5
"""
_DATA_FILES = ("patients.parquet", "visits.parquet", "regions.csv")
# what this demo made before it had a database
_LEGACY_DATA = ("visits.csv", "patient_id,age,region,month,diagnosis,cost")
_LEDGER_FILES = tuple(f"clinic.ledger{end}" for end in ("", ".anchor", "-wal", "-shm", "-journal"))


def prepare_clinic(folder: Path, *, reset: bool = False) -> tuple[Path, bool]:
    """The policy of the clinic in ``folder``, and whether it was made just now: it is used where it
    is there and made where it is not.

    ``reset`` makes everything anew, the ledger included: these people are made up. Nothing that
    this demo did not make is ever overwritten: then the answer is ``Refused``.
    """
    policy = folder / POLICY_FILE
    try:
        if (
            not reset
            and _is_demo_policy(policy)
            and all((folder / name).is_file() for name in _DATA_FILES)
        ):
            return policy, False
        _refuse_foreign(folder)
        folder.mkdir(exist_ok=True)
        if reset:
            for name in _LEDGER_FILES:
                (folder / name).unlink(missing_ok=True)
        _write_clinic(folder, anew=reset)
    except OSError as failure:
        raise SourceError(
            f"The sample clinic cannot be made in {folder}: {failure.strerror}. Run the demo in"
            " another folder."
        ) from failure
    return policy, True


def _write_clinic(folder: Path, *, anew: bool) -> None:
    """The policy first: it marks the folder as ours, should anything interrupt the rest. A
    policy that was edited stays.
    """
    if anew or not _is_demo_policy(folder / POLICY_FILE):
        _write_atomically(
            folder / POLICY_FILE, lambda path: path.write_text(_POLICY_TEXT, encoding="utf-8")
        )
    patients = invent_patients()
    _write_atomically(folder / _DATA_FILES[0], lambda path: pq.write_table(patients, path))
    _write_atomically(
        folder / _DATA_FILES[1], lambda path: pq.write_table(invent_visits(patients), path)
    )
    _write_atomically(
        folder / _DATA_FILES[2], lambda path: path.write_text(invent_regions(), encoding="utf-8")
    )


def _write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """In one step: a demo that is interrupted leaves the old file or the new one."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        write(fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _refuse_foreign(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Refused(
            f"{folder} is not a folder that this demo made. Run the demo in another folder."
        )
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name) if folder.exists() else []
    ours = (
        {_LEGACY_DATA[0]} if _has_first_line(folder / _LEGACY_DATA[0], _LEGACY_DATA[1]) else set()
    )
    ours |= (
        {POLICY_FILE, *_DATA_FILES, *_LEDGER_FILES}
        if _is_demo_policy(folder / POLICY_FILE)
        else set()
    )
    found = [
        entry.name
        for entry in entries
        if entry.name not in ours or entry.is_symlink() or not entry.is_file()
    ]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise Refused(
            f"{folder} holds {found[0]}{more}, which this demo did not make. Move that away, or run"
            " the demo in another folder."
        )


def _is_demo_policy(policy: Path) -> bool:
    """A policy that begins with our line; whoever plays with the rest of it may still start
    over.
    """
    return _has_first_line(policy, _MARKER_LINE)


def _has_first_line(path: Path, line: str) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(200).rstrip(b"\r\n") == line.encode()
