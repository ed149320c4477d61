"""A small file of visits and the answers that make a policy of it."""

from __future__ import annotations

from pathlib import Path

ANSWERS = """
[budget]
epsilon = 1.0
delta = 1e-9
default_epsilon = 0.25

[tables.visits]
unit = "patient_id"
neighbours = "add-remove"
max_units = 100_000
max_groups = 2
max_rows_per_group = 1

[tables.visits.columns]
age = { type = "integer", min = 0, max = 110 }
cost = { type = "real", min = 0, max = 1000, step = 0.01 }
region = { values = ["north", "south"] }
"""


def write_visits(path: Path, patients: int = 400) -> None:
    """Patients in turn, north and south."""
    rows = [f"{n},{20 + n % 60},{n % 90}.5,{('north', 'south')[n % 2]},private" for n in range(patients)]
    path.write_text("patient_id,age,cost,region,note\n" + "\n".join(rows) + "\n", encoding="utf-8")


def write_clinic(folder: Path) -> Path:
    """The file and its policy."""
    write_visits(folder / "visits.csv")
    policy = folder / "clinic.toml"
    policy.write_text('[database]\nname = "clinic"\n' + ANSWERS.replace("[tables.visits]\n", '[tables.visits]\nsource = "visits.csv"\n'))
    return policy
