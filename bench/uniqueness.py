"""How many rows every set of up to four of twelve columns makes unique: against a loop over the
sets in pandas and one in DuckDB, and beside a single GROUP BY of all twelve, which is as little as
anybody could ask of an engine.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Sequence
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.report import Cell, Row, Section, Target, ratio
from hedgerow.risk.table.uniqueness import uniqueness as measured

__all__ = ["people", "uniqueness"]

# What a registry knows of people, and how many different values it has; frequent ones are more
# frequent, as among people.
COLUMNS = {
    "postcode": 1000, "birthday": 366, "birth_year": 100, "occupation": 80, "country": 41,
    "education": 16, "insurer": 15,
    "income_band": 10, "household": 7, "marital": 6, "blood_group": 5, "sex": 2,
}  # fmt: skip
SIZE = 4
ROOT = Path(__file__).parents[1]
_EVERY = 10  # of the sets that loops over them are timed on
_MEMORY = """
import sys
from bench.uniqueness import measured, people
measured(people(int(sys.argv[1])), size=int(sys.argv[2]))
told = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print(int(told["VmHWM"].split()[0]) / 1024)
"""


# All sections are called alike.
def uniqueness(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Seconds, megabytes, and how they compare."""
    rows, size, rounds = (2_000, 2, 1) if quick else (1_000_000, SIZE, 3)
    table = people(rows)
    taken = _times(table, size, rounds)
    ours, loop, other, once = (taken[name] for name in ("hedgerow", "pandas", "DuckDB", "GROUP BY"))
    found: list[Row] = [
        {
            "what": f"{sum(comb(len(COLUMNS), each) for each in range(1, size + 1)):,} sets, s",
            "hedgerow": ours,
            "loop in pandas": loop, "loop in DuckDB": other, "one GROUP BY": once,
            "pandas / ours": ratio(loop, ours),
            "DuckDB / ours": ratio(other, ours), "ours / GROUP BY": ratio(ours, once),
        },
    ]  # fmt: skip
    peak = _peak(rows, size)
    found.append({**dict.fromkeys(found[0]), "what": "peak of memory, MB", "hedgerow": peak})
    return Section(
        f"Uniqueness: all sets of up to {size} of {len(COLUMNS)} columns, {rows:,} rows",
        found,
        [
            Target(
                "at least 10 times as fast as a loop over the sets in pandas",
                10, _figure(found[0]["pandas / ours"]), at_least=True,
            ),
            Target(
                "at most 100 times one GROUP BY of all columns",
                100, _figure(found[0]["ours / GROUP BY"]),
            ),
            Target("under 4,000 MB of memory", 4000, peak),
        ],
        [
            "Hedgerow: from an Arrow table, reading and coding it included, to unique rows and"
            " classes of every set; ids that it made are "
            "thrown away each time. Memory: of a fresh interpreter, the table included.",
            "Loops: (groupby(set).size() == 1).sum(), and the same as SQL, on data loaded before;"
            f" timed on every {_EVERY}th set, times "
            f"{_EVERY}. What they count is compared with what hedgerow counts.",
        ],
    )  # fmt: skip


def people(rows: int) -> pa.Table:
    """Rows that share few values with many and many values with few."""
    drawn = np.random.default_rng(12)
    made = {}
    for name, size in COLUMNS.items():
        weights = np.arange(1, size + 1) ** -0.7
        made[name] = drawn.choice(size, rows, p=weights / weights.sum())
    return pa.table(made)


def _times(table: pa.Table, size: int, rounds: int) -> dict[str, float | None]:
    """Seconds for all sets."""
    sets = [
        each
        for many in range(1, size + 1)
        for each in itertools.combinations(table.column_names, many)
    ]
    some, frame = sets[::_EVERY], table.to_pandas()
    exact = {each.columns: each.unique for each in measured(table, size=size).subsets}
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")

        def in_pandas(columns: Sequence[str]) -> int:
            return int((frame.groupby(list(columns), sort=False).size() == 1).sum())

        def in_sql(columns: Sequence[str]) -> int:
            counted = f"SELECT count(*) AS n FROM people GROUP BY {', '.join(columns)}"
            (found,) = connection.execute(
                f"SELECT count(*) FROM ({counted}) WHERE n = 1"
            ).fetchall()
            return int(found[0])

        return fastest(
            {
                "hedgerow": Contender(
                    of(lambda: measured(table, size=size)), rounds=rounds, warm=False
                ),
                "GROUP BY": Contender(of(lambda: in_sql(table.column_names)), rounds=rounds),
                "DuckDB": Contender(
                    _loop(in_sql, some, exact, len(sets)), rounds=rounds, warm=False
                ),
                "pandas": Contender(
                    _loop(in_pandas, some, exact, len(sets)), rounds=rounds, warm=False
                ),
            }
        )


def _loop(
    count: Any, some: Sequence[tuple[str, ...]], exact: dict[tuple[str, ...], int], sets: int
) -> Any:
    """A round that counts some of the sets, and gives the seconds that all would take."""

    def seconds() -> float:
        start = perf_counter()
        found = [count(each) for each in some]
        taken = perf_counter() - start
        assert found == [exact[each] for each in some]
        return taken * sets / len(some)

    return seconds


def _peak(rows: int, size: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(rows), str(size)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return float(done.stdout.splitlines()[-1])


def _figure(cell: Cell) -> float | None:
    return cell if isinstance(cell, float) else None
