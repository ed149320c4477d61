"""A survey for the tests of publishing: people with a row or two, under either noise and
relation, beside a public list of regions.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

REGIONS = ("north", "south", "east")

POLICY = """
[database]
name = "survey"

[budget]
epsilon = 100
{delta}
default_epsilon = 1
max_epsilon_per_query = 20
noise = "{noise}"

[tables.people]
source = "people.parquet"
unit = "{unit}"
neighbours = "{neighbours}"
version = "2026"
max_units = 100_000
{caps}
[tables.people.columns]
age = {{ type = "integer", min = 0, max = 99 }}
income = {{ type = "real", min = 0, max = 1000 }}
region = {{ values = ["north", "south", "east"] }}
smokes = {{ type = "boolean" }}
day = {{ type = "date", values = "2026-01-01 … 2026-01-31" }}
note = {{ hidden = true }}

[tables.regions]
source = "regions.csv"
public = true

[analysts.ana]
max_epsilon = 3
"""


def write_survey(
    folder: Path,
    *,
    rows: int = 600,
    noise: str = "laplace",
    unit: str = "who",
    neighbours: str = "add-remove",
    more: str = "",
) -> Path:
    """The files and the policy. Everybody has one row, but for the last hundred rows, which are
    second rows.
    """
    from datetime import date, timedelta

    who = [n if n < rows - 100 else n - rows + 100 for n in range(rows)]
    table = {
        "who": who,
        "age": [(7 * n) % 100 for n in range(rows)],
        "income": [(13 * n) % 1000 + 0.5 for n in range(rows)],
        "region": [REGIONS[n % 3] if n % 50 else "elsewhere" for n in range(rows)],
        "smokes": [n % 4 == 0 for n in range(rows)],
        "day": [date(2026, 1, 1) + timedelta(days=n % 31) for n in range(rows)],
        "note": [f"secret {n}" for n in range(rows)],
    }
    pq.write_table(pa.table(table), folder / "people.parquet")
    (folder / "regions.csv").write_text("region,people,area\nnorth,100,5.5\nsouth,200,7\neast,,1\n")
    policy = folder / "survey.toml"
    delta = "" if noise == "laplace" else "delta = 1e-9"
    caps = "" if unit == "row" else "max_groups = 2\nmax_rows_per_group = 1"
    policy.write_text(
        POLICY.format(noise=noise, delta=delta, unit=unit, neighbours=neighbours, caps=caps) + more
    )
    return policy
