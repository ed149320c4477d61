"""A join of events with the people they belong to, on the id: COUNT and SUM by town, against DuckDB on the same SQL without any privacy,
and against hand-written SQL that bounds every person in the same way.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from bench.bounded import GROUPS_EACH, ROWS_EACH, STEPS
from bench.clock import Contender, fastest, of
from bench.engine import running
from bench.events import FOLDER, LARGEST, events
from bench.memory import peak_of_database, peak_of_sql
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst

__all__ = ["joins", "people_of", "sides", "towns"]

TOWNS = 100
MAKING = 1
EPSILON = 1.0
INSIDE = f"CAST(round(CASE WHEN value < 0 THEN 0 WHEN value > {LARGEST} THEN {LARGEST} ELSE value END * {STEPS}) AS BIGINT)"
QUESTION = "SELECT town, COUNT(*) AS n, SUM(value) AS total FROM events JOIN people ON events.user_id = people.user_id GROUP BY town"
# Of few lines a person the window costs little; a person has one town in truth, which the policy does not say.
_BOUNDED = """
SELECT k, CAST(sum(least(n, {most})) AS BIGINT), CAST(sum(CASE WHEN n > {most} THEN s * {most} // n ELSE s END) AS BIGINT)
FROM (SELECT u, k, n, s FROM (
        SELECT e.user_id AS u, p.town AS k, count(*) AS n, CAST(sum({steps}) AS BIGINT) AS s
        FROM {events} AS e JOIN {people} AS p ON e.user_id = p.user_id WHERE e.user_id IS NOT NULL GROUP BY e.user_id, p.town)
      QUALIFY row_number() OVER (PARTITION BY u ORDER BY hash(u, k), k) <= {groups})
GROUP BY k"""


def joins(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001 - all sections are called alike
    """Milliseconds and megabytes."""
    rows, rounds = (2_000, 1) if quick else (10_000_000, 3)
    found = [_times(rows, rounds), _memory(rows)]
    return Section(
        f"Joins: COUNT and SUM by {TOWNS} towns, {rows:,} events beside {rows // 10:,} people",
        found,
        [worst("at most 1.5 times the same SQL without privacy", 1.5, found[:1], "ours / plain")],
        [
            f"A person counts in at most {GROUPS_EACH} towns, and for at most {ROWS_EACH} rows in each. Bounded: by hand, without noise.",
            "From Parquet on disk, warm, each question with an empty ledger; the towns are declared.",
            "Memory: the largest resident sets of the process and its children together, the interpreter included in all three.",
        ],
    )


def people_of(rows: int) -> Path:
    """A file of everybody that ``rows`` events may be of, with a town each; made when it is not there."""
    path = FOLDER / f"people-{MAKING}-{rows}.parquet"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        ids = np.random.default_rng(rows).permutation(max(rows // 10, 1))
        half_made = path.with_suffix(f".{os.getpid()}")
        parquet.write_table(pa.table({"user_id": ids, "town": [f"town {i % TOWNS:03}" for i in ids.tolist()]}), half_made)
        half_made.replace(path)
    return path


def towns() -> list[str]:
    """The declared ones: all of them."""
    return [f"town {i:03}" for i in range(TOWNS)]


def sides(rows: int) -> dict[str, str]:
    """The question as plain SQL, and bounded by hand."""
    tables = {name: f"read_parquet('{path}')" for name, path in (("events", events(rows)), ("people", people_of(rows)))}
    return {
        "plain": QUESTION.replace("FROM events", f"FROM {tables['events']} AS events").replace(
            "people ON", f"{tables['people']} AS people ON"
        ),
        "bounded": _BOUNDED.format(most=ROWS_EACH, groups=GROUPS_EACH, steps=INSIDE, **tables),
    }


def page(rows: int) -> str:
    """The policy."""
    units = max(rows // 10, 1)
    return f"""\
[database]
name = "joins"
ledger = "joins.ledger"
[budget]
epsilon = 10
[tables.events]
source = "{events(rows)}"
unit = "user_id"
neighbours = "add-remove"
max_units = {units}
max_groups = {GROUPS_EACH}
max_rows_per_group = {ROWS_EACH}
[tables.events.columns]
value = {{ type = "real", min = 0, max = {LARGEST}, step = {1 / STEPS!r} }}
[tables.people]
source = "{people_of(rows)}"
unit = "user_id"
neighbours = "add-remove"
max_units = {units}
max_groups = 1
max_rows_per_group = 1
[tables.people.columns]
town = {{ values = [{", ".join(f'"{town}"' for town in towns())}] }}
"""


def _times(rows: int, rounds: int) -> Row:
    with duckdb.connect() as connection, running(page(rows)) as engine:
        contenders = {
            name: Contender(of(lambda sql=sql: connection.execute(sql).fetchall()), rounds=rounds) for name, sql in sides(rows).items()
        }
        contenders["hedgerow"] = Contender(engine.asking(QUESTION, EPSILON), rounds=rounds)
        return _row("milliseconds", {name: None if taken is None else taken * 1e3 for name, taken in fastest(contenders).items()})


def _memory(rows: int) -> Row:
    with TemporaryDirectory() as folder:
        (policy := Path(folder) / "joins.toml").write_text(page(rows), encoding="utf-8")
        ours = peak_of_database(policy, QUESTION, EPSILON)
    return _row("peak of memory, MB", {**{name: peak_of_sql(sql) for name, sql in sides(rows).items()}, "hedgerow": ours})


def _row(what: str, found: dict[str, float | None]) -> Row:
    ours, plain, bounded = found["hedgerow"], found["plain"], found["bounded"]
    ratios = {"ours / plain": ratio(ours, plain), "ours / bounded": ratio(ours, bounded)}
    return {"what": what, "hedgerow": ours, "plain": plain, "bounded": bounded, **ratios}
