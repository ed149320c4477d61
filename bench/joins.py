"""A join of events with a table of people, on their id: COUNT and SUM by town, against DuckDB on
the same SQL without any privacy.

By person the rows of everybody are bounded. So there are two more to compare with: hand-written SQL
that bounds in the same way, the faster of two ways to say it, and the least that any bounding has
to do, a line for each person. By row the other table is public.
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
INSIDE = (
    f"CAST(round(CASE WHEN value < 0 THEN 0 WHEN value > {LARGEST} THEN {LARGEST} ELSE value END *"
    f" {STEPS}) AS BIGINT)"
)
QUESTION = (
    "SELECT town, COUNT(*) AS n, SUM(value) AS total FROM events JOIN people ON events.user_id ="
    " people.user_id GROUP BY town"
)
BY_PERSON, BY_ROW = "by person", "by row"
# A person has one town in truth, which the policy does not say.
_TOGETHER = """
SELECT k, CAST(sum(least(n, {most})) AS BIGINT),
  CAST(sum(CASE WHEN n > {most} THEN s * {most} // n ELSE s END) AS BIGINT)
FROM (SELECT u, k, n, s FROM (
        SELECT e.user_id AS u, p.town AS k, count(*) AS n, CAST(sum({steps}) AS BIGINT) AS s
        FROM {events} AS e JOIN {people} AS p ON e.user_id = p.user_id WHERE e.user_id IS NOT NULL
          GROUP BY e.user_id, p.town)
      QUALIFY row_number() OVER (PARTITION BY u ORDER BY hash(u, k), k) <= {groups})
GROUP BY k"""
_APART = """
SELECT k, CAST(sum(least(n * m, {most})) AS BIGINT),
  CAST(sum(CASE WHEN n * m > {most} THEN s * {most} // n ELSE s * m END) AS BIGINT)
FROM (SELECT * FROM (SELECT user_id AS u, town AS k, count(*) AS m FROM {people}
  WHERE user_id IS NOT NULL GROUP BY user_id, town)
      QUALIFY row_number() OVER (PARTITION BY u ORDER BY hash(u, k), k) <= {groups})
JOIN (SELECT user_id AS u, count(*) AS n, CAST(sum({steps}) AS BIGINT) AS s FROM {events}
  GROUP BY user_id) USING (u)
GROUP BY k"""
# Whatever is said about people afterwards, what each of them has must be known first.
_LEAST = """
SELECT count(*), max(n), max(s) FROM (
  SELECT user_id, count(*) AS n, CAST(sum({steps}) AS BIGINT) AS s FROM {events}
    WHERE user_id IS NOT NULL GROUP BY user_id)"""


# All sections are called alike.
def joins(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Milliseconds and megabytes."""
    rows, rounds = (2_000, 1) if quick else (10_000_000, 3)
    times = {unit: _times(rows, rounds, unit) for unit in (BY_PERSON, BY_ROW)}
    return Section(
        f"Joins: COUNT and SUM by {TOWNS} towns, {rows:,} events beside {rows // 10:,} people",
        [*times.values(), *(_memory(rows, unit) for unit in times)],
        [
            worst(
                "by row: at most 1.5 times the same SQL without privacy",
                1.5,
                [times[BY_ROW]],
                "ours / plain",
            ),
            worst(
                "by person: at most 1.5 times the same bounding without privacy",
                1.5,
                [times[BY_PERSON]],
                "ours / bounded",
            ),
            worst(
                "by person: at most 1.5 times SQL that bounds nobody",
                1.5,
                [times[BY_PERSON]],
                "ours / plain",
            ),
        ],
        [
            (
                f"By person: in at most {GROUPS_EACH} towns, for at most {ROWS_EACH} rows in each."
                " Bounded: by hand, without noise."
            ),
            (
                "Least: nothing but the rows and the sum of each person, without the join. All SQL"
                " that bounds people has to do it."
            ),
            "By row: every event is somebody else's, and the people are a public table.",
            (
                "From Parquet on disk, warm, each question with an empty ledger; the towns are"
                " declared."
            ),
            (
                "Memory: the largest resident sets of the process and its children together, the"
                " interpreter included in all of them."
            ),
        ],
    )


def people_of(rows: int) -> Path:
    """A file of everybody that ``rows`` events may be of, with a town each; made when it is not
    there.
    """
    path = FOLDER / f"people-{MAKING}-{rows}.parquet"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        ids = np.random.default_rng(rows).permutation(max(rows // 10, 1))
        half_made = path.with_suffix(f".{os.getpid()}")
        parquet.write_table(
            pa.table({"user_id": ids, "town": [f"town {i % TOWNS:03}" for i in ids.tolist()]}),
            half_made,
        )
        half_made.replace(path)
    return path


def towns() -> list[str]:
    """The declared ones: all of them."""
    return [f"town {i:03}" for i in range(TOWNS)]


def sides(rows: int) -> dict[str, str]:
    """The question as plain SQL, bounded by hand in two ways, and the least of it."""
    tables = {
        name: f"read_parquet('{path}')"
        for name, path in (("events", events(rows)), ("people", people_of(rows)))
    }
    filled = {"most": ROWS_EACH, "groups": GROUPS_EACH, "steps": INSIDE, **tables}
    return {
        "plain": (
            QUESTION.replace("FROM events", f"FROM {tables['events']} AS events").replace(
                "people ON", f"{tables['people']} AS people ON"
            )
        ),
        "together": _TOGETHER.format(**filled),
        "apart": _APART.format(**filled),
        "least": _LEAST.format(**filled),
    }


def page(rows: int, unit: str = BY_PERSON) -> str:
    """The policy."""
    units = max(rows // 10, 1)
    person = f"""\
unit = "user_id"
neighbours = "add-remove"
max_units = {units}
"""
    bounds = f"max_groups = {GROUPS_EACH}\nmax_rows_per_group = {ROWS_EACH}\n"
    events_of = (
        f"{person}{bounds}"
        if unit == BY_PERSON
        else f'unit = "row"\nneighbours = "add-remove"\nmax_rows = {rows}\n'
    )
    people = (
        f"{person}max_groups = 1\nmax_rows_per_group = 1\n"
        if unit == BY_PERSON
        else 'public = true\nunique = "user_id"\n'
    )
    return f"""\
[database]
name = "joins"
ledger = "joins.ledger"
[budget]
epsilon = 10
[tables.events]
source = "{events(rows)}"
{events_of}[tables.events.columns]
value = {{ type = "real", min = 0, max = {LARGEST}, step = {1 / STEPS!r} }}
[tables.people]
source = "{people_of(rows)}"
{people}[tables.people.columns]
town = {{ values = [{", ".join(f'"{town}"' for town in towns())}] }}
"""


def _asked(rows: int, unit: str) -> dict[str, str]:
    found = sides(rows)
    return found if unit == BY_PERSON else {"plain": found["plain"]}


def _times(rows: int, rounds: int, unit: str) -> Row:
    with duckdb.connect() as connection, running(page(rows, unit)) as engine:
        contenders = {
            name: Contender(of(lambda sql=sql: connection.execute(sql).fetchall()), rounds=rounds)
            for name, sql in _asked(rows, unit).items()
        }
        contenders["hedgerow"] = Contender(engine.asking(QUESTION, EPSILON), rounds=rounds)
        return _row(
            "milliseconds",
            unit,
            {
                name: None if taken is None else taken * 1e3
                for name, taken in fastest(contenders).items()
            },
        )


def _memory(rows: int, unit: str) -> Row:
    with TemporaryDirectory() as folder:
        (policy := Path(folder) / "joins.toml").write_text(page(rows, unit), encoding="utf-8")
        ours = peak_of_database(policy, QUESTION, EPSILON)
    return _row(
        "peak of memory, MB",
        unit,
        {**{name: peak_of_sql(sql) for name, sql in _asked(rows, unit).items()}, "hedgerow": ours},
    )


def _row(what: str, unit: str, found: dict[str, float | None]) -> Row:
    ours, plain, least = found["hedgerow"], found["plain"], found.get("least")
    bounded = min(
        (taken for name in ("together", "apart") if (taken := found.get(name)) is not None),
        default=None,
    )
    ratios = {
        "ours / plain": ratio(ours, plain),
        "ours / bounded": ratio(ours, bounded),
        "least / plain": ratio(least, plain),
    }
    return {
        "what": what,
        "unit": unit,
        "hedgerow": ours,
        "plain": plain,
        "bounded": bounded,
        "least": least,
        **ratios,
    }
