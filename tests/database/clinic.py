"""A small clinic for the tests of the database: rows, the policy that protects them, and the
answer without noise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.database import Database

POLICY = """
[database]
name = "clinic"

[budget]
epsilon = 3.0
delta = 1e-9
default_epsilon = 0.1
max_epsilon_per_query = 1.0

[tables.visits]
source = "visits.parquet"
unit = "patient_id"
neighbours = "add-remove"
max_units = 100_000
max_groups = 2
max_rows_per_group = 3
[tables.visits.columns]
age = { type = "integer", min = 0, max = 110 }
cost = { type = "real", min = 0, max = 1000, step = 0.01 }
region = { values = ["north", "south", "east", "west"] }
note = { hidden = true }

[tables.regions]
source = "regions.csv"
public = true

[analysts.ana]
max_epsilon = 0.5

[analysts.bob]
"""
REGIONS = ("north", "south", "east")


def visits(patients: int = 400, each: int = 2) -> pa.Table:
    """Patients in turn, ``each`` visits apiece."""
    ids = [n for n in range(patients) for _ in range(each)]
    return pa.table(
        {
            "patient_id": ids,
            "age": [20 + n % 60 for n in ids],
            "cost": [float(10 + n % 90) for n in ids],
            "region": [REGIONS[n % 3] for n in ids],
            "city": [f"city {n % 2}" for n in ids],
            "note": ["private" for _ in ids],
        }
    )


def write(folder: Path, policy: str = POLICY, table: pa.Table | None = None) -> Path:
    """The folder of a custodian; gives the path of the policy."""
    folder.mkdir(exist_ok=True)
    pq.write_table(visits() if table is None else table, folder / "visits.parquet")
    (folder / "regions.csv").write_text("region,country\nnorth,A\nsouth,B\n")
    (folder / "clinic.toml").write_text(policy)
    return folder / "clinic.toml"


@contextmanager
def exactly(table: pa.Table | None = None, **changes: Any) -> Iterator[Database]:
    """A database whose noise is so small that answers are exact with overwhelming probability."""
    arguments: dict[str, Any] = {
        "unit": "patient_id",
        "neighbours": "add-remove",
        "columns": {
            "age": (0, 110),
            "cost": {"type": "real", "min": 0, "max": 1000, "step": 1},
            "region": ["north", "south", "east", "west"],
        },
        "epsilon": 10_000,
        "delta": 1e-9,
        "max_groups": 2,
        "max_rows_per_group": 3,
    }
    with protect(visits() if table is None else table, **{**arguments, **changes}) as db:
        yield db


def ask(db: Database, sql: str, epsilon: Any = 4500) -> list[dict[str, Any]]:
    answer = db.query(sql, epsilon=epsilon)
    assert isinstance(answer, Answer)
    return answer.rows


def answered(db: Database, sql: str, epsilon: Any) -> Answer:
    answer = db.query(sql, epsilon=epsilon)
    assert isinstance(answer, Answer)
    return answer


def stored(db: Database) -> list[dict[str, Any]]:
    """What the ledger holds of each answer, in order."""
    return [
        json.loads(entry.body["payload"]) for entry in db.ledger.entries() if entry.kind == "answer"
    ]
