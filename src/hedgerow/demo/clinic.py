"""The folder of the sample clinic: data, policy and the ledger beside them.

``prepare_clinic`` writes its own files and no others, and refuses a folder that holds anything
else.
"""

from __future__ import annotations

import json
import os
import shutil
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
# Play with it: hedgerow query demo/clinic.toml --custodian "SELECT …"
# Start over:   hedgerow demo --reset

[database]
name   = "clinic"
engine = "duckdb"                      # the data stay in their files; DuckDB reads them
ledger = "clinic.ledger"               # every question and its cost, beside this file

[budget]                               # one for these people, whoever asks
epsilon = 3.0                          # the total for all questions ever
delta   = 1e-9                         # the chance that this fails; pays for unlisted groups
default_epsilon = 0.1                  # for questions that name none
default_delta   = 1e-12
max_epsilon_per_query = 1.0            # no single question may cost more
noise   = "laplace"

[tables.patients]
source     = "patients.parquet"
unit       = "patient_id"              # the privacy id: a person with all her rows
neighbours = "add-remove"              # also hides whether she is in the data
population = "patients"                # tables about the same people share one budget
version    = "2026-12"                 # change it when the data change
max_units  = 1_000_000                 # a public upper bound, not a count of these data
max_groups = 1                         # a patient has one row here
max_rows_per_group = 1

[tables.patients.columns]              # bounds are common knowledge, not read from data
age    = {{ type = "integer", min = 0, max = 110 }}
sex    = {{ values = ["female", "male"] }}
region = {{ values = {_REGIONS} }}
smoker = {{ type = "boolean" }}
bmi    = {{ type = "real", min = 10, max = 60, step = 0.1 }}
insurance_number = {{ hidden = true }}   # no question may use it

[tables.visits]
source     = "visits.parquet"
unit       = "patient_id"
neighbours = "add-remove"
population = "patients"
version    = "2026-12"
max_units  = 1_000_000
max_groups = 3                         # groups of one answer a patient contributes to
max_rows_per_group = 5                 # and her rows in each of them

[tables.visits.columns]
day    = {{ type = "date", values = "2026-01-01 … 2026-12-31" }}
region = {{ values = {_REGIONS} }}
age    = {{ type = "integer", min = 0, max = 110 }}
smoker = {{ type = "boolean" }}
cost   = {{ type = "real", min = 0, max = 10_000, step = 0.01 }}
# diagnosis and length_of_stay are not declared: they can be counted, and grouped by where enough
# people share a value.

[tables.regions]
source = "regions.csv"
public = true                          # about places, so nobody needs protection
[tables.regions.columns]
hospitals = {{ type = "integer" }}       # a .csv file is text until a type is declared

[analysts.ana]
max_epsilon = 3.0                      # a quota inside the one budget

[analysts.mallory]
max_epsilon = 0.5
"""
_DATA_FILES = ("patients.parquet", "visits.parquet", "regions.csv")
# what is written beside them while the clinic is asked and served
_STATE_PREFIXES = ("clinic.ledger", "clinic.accounts", "logins.json")
# the data of an older version of this demo, which had no database
_LEGACY_DATA = ("visits.csv", "patient_id,age,region,month,diagnosis,cost")


def prepare_clinic(folder: Path, *, reset: bool = False) -> tuple[Path, bool]:
    """Return the policy of the clinic in ``folder``, and whether it was created just now.

    ``reset`` creates everything anew, the ledger included: these people are made up. Files that the
    demo did not create are never overwritten: then it raises ``Refused``.
    """
    policy = folder / POLICY_FILE
    try:
        complete = all((folder / name).is_file() for name in _DATA_FILES)
        if complete and not reset and _is_demo_policy(policy):
            return policy, False
        _refuse_foreign(folder)
        folder.mkdir(exist_ok=True)
        if reset:
            _remove_state(folder)
        _write_clinic(folder, anew=reset)
    except OSError as failure:
        raise SourceError(
            f"The sample clinic cannot be created in {folder}: {failure.strerror}. Run the demo in"
            " another folder."
        ) from failure
    return policy, True


def _write_clinic(folder: Path, *, anew: bool) -> None:
    """Write the policy first: it marks the folder as the demo's if the rest is interrupted.

    A policy that was edited stays.
    """
    if anew or not _is_demo_policy(folder / POLICY_FILE):
        _write_atomically(folder / POLICY_FILE, lambda path: _write_text(path, _POLICY_TEXT))
    patients = invent_patients()
    patients_file, visits_file, regions_file = (folder / name for name in _DATA_FILES)
    _write_atomically(patients_file, lambda path: pq.write_table(patients, path))
    _write_atomically(visits_file, lambda path: pq.write_table(invent_visits(patients), path))
    _write_atomically(regions_file, lambda path: _write_text(path, invent_regions()))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file in one step: after an interruption it is the old file or the new one."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        write(fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _refuse_foreign(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Refused(f"{folder} was not created by this demo. Run the demo in another folder.")
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name) if folder.exists() else []
    known: set[str] = set()
    if _has_first_line(folder / _LEGACY_DATA[0], _LEGACY_DATA[1]):
        known.add(_LEGACY_DATA[0])
    if _is_demo_policy(folder / POLICY_FILE):
        known |= {POLICY_FILE, *_DATA_FILES, *(entry.name for entry in _list_state(folder))}
    foreign = [
        entry.name
        for entry in entries
        if entry.name not in known
        or entry.is_symlink()
        or not (entry.is_file() or _is_locks(entry))
    ]
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise Refused(
            f"{folder} holds {foreign[0]}{more}, which this demo did not create. Move it away, or"
            " run the demo in another folder."
        )


def _list_state(folder: Path) -> list[Path]:
    """List the ledger, the accounts and the files beside them."""
    entries = folder.iterdir() if folder.is_dir() else ()
    return [entry for entry in entries if entry.name.startswith(_STATE_PREFIXES)]


def _is_locks(entry: Path) -> bool:
    """Return whether an entry is the folder of the ledger's lock files."""
    return entry.is_dir() and entry.name.startswith(_STATE_PREFIXES[0])


def _remove_state(folder: Path) -> None:
    for entry in _list_state(folder):
        if _is_locks(entry):
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _is_demo_policy(policy: Path) -> bool:
    """Return whether a policy begins with the demo's line; the rest may have been edited."""
    return _has_first_line(policy, _MARKER_LINE)


def _has_first_line(path: Path, line: str) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(200).rstrip(b"\r\n") == line.encode()
