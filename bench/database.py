"""A question to the private database: COUNT, SUM and AVG by group, against DuckDB doing the same
bounding without any privacy.

By person: at most 3 groups each and 5 rows in a group; the limit is the fastest hand-written SQL
(``bench.bounded``), over the same file: ids and groups are numbers, and once more text. By row: a
plain GROUP BY. What an answer costs beyond the engine (parsing, ledger, noise, a process of its
own) should be a small constant.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import duckdb

import hedgerow
from bench.bounded import GROUPS_EACH, ROWS_EACH, STEPS, bounded, plain
from bench.clock import Contender, Round, fastest, of
from bench.events import GROUPS, LARGEST, events, groups_spelled
from bench.memory import peak_of_database, peak_of_sql
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst

__all__ = ["DELTA", "EPSILON", "QUESTION", "asking", "database", "policy"]

QUESTION = (
    "SELECT grp, COUNT(*) AS n, SUM(value) AS total, AVG(value) AS mean FROM events GROUP BY grp"
)
# another question: the same one again would be answered from the ledger
WARM_UP = "SELECT COUNT(*) AS n FROM events"
EPSILON, DELTA = 1.0, 1e-6
PERSON, DECLARED, TEXT, ROW = (
    "by person",
    "by person, declared keys",
    "by person, all of it text",
    "by row",
)
MEMORY, AGAIN = "peak of memory, by person, MB", "the same question again, ms"


# All sections are called alike.
def database(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Milliseconds and megabytes."""
    # rounds of each
    sizes = {1_000: 1, 2_000: 1} if quick else {100_000: 5, 1_000_000: 5, 10_000_000: 3}
    small, *large = sizes
    person = {
        size: [*_by_person(size, rounds), *_of_text(size, rounds)] for size, rounds in sizes.items()
    }
    by_row = [_by_row(size, rounds) for size, rounds in sizes.items()]
    memory, again = [_memory(size) for size in large], _again(large[0], sizes[small])
    return Section(
        "Database: COUNT, SUM and AVG by 1,000 groups, milliseconds a question",
        [
            *(row for kind in zip(*person.values(), strict=True) for row in kind),
            *by_row,
            *memory,
            again,
        ],
        [
            worst(
                "by person, from a million rows: at most 1.3 times the limit plus 100 ms (share of"
                " that)",
                1,
                [row for size in large for row in person[size]],
                "share",
            ),
            worst(
                "by row: at most twice a plain GROUP BY plus 50 ms (share of that)",
                1,
                by_row,
                "share",
            ),
            worst("peak of memory at most 1.5 times DuckDB's", 1.5, memory, "ours / DuckDB"),
            worst("the same question again in 5 ms", 5, [again], "hedgerow"),
        ],
        _notes(),
        [
            ("what", "rows", "hedgerow", "DuckDB", "ours / DuckDB", "share"),
            ("what", "rows", "way", "ns a row", "DuckDB, ns a row"),
        ],
    )


def _notes() -> list[str]:
    return [
        (
            f"By person: at most {GROUPS_EACH} groups each, {ROWS_EACH} rows in a group; DuckDB is"
            " the fastest of the ways to say so in SQL."
        ),
        (
            "From Parquet on disk, warm; each question is put to a database that was just opened"
            " and has answered another one."
        ),
        (
            "Share: of the time or memory that the target allows. ns a row: the same at every size"
            " where the time is linear."
        ),
        (
            "Memory: the largest resident sets of the process and its children together, the"
            " interpreter included in both."
        ),
    ]


def _row(
    what: str,
    size: int,
    ours: float | None,
    engine: float | None,
    allowed: float | None,
    way: str = "–",
) -> Row:
    timed = what in (PERSON, DECLARED, TEXT, ROW)
    return {
        "what": what, "rows": f"{size:,}", "way": way, "hedgerow": ours, "DuckDB": engine,
        "ours / DuckDB": ratio(ours, engine), "share": ratio(ours, allowed),
        "ns a row": ours * 1e6 / size if timed and ours is not None else None,
        "DuckDB, ns a row": engine * 1e6 / size if timed and engine is not None else None,
    }  # fmt: skip


def _by_person(size: int, rounds: int) -> list[Row]:
    """One limit for both kinds of keys: contenders take turns."""
    ours = {kind: {"declared": kind == DECLARED} for kind in (PERSON, DECLARED)}
    taken = _taken(size, bounded(f"read_parquet('{events(size)}')"), ours, rounds)
    way = min((name for name in taken if name not in ours), key=lambda name: taken[name])
    return [
        _row(kind, size, taken.get(kind), taken[way], 1.3 * taken[way] + 100, way) for kind in ours
    ]


def _of_text(size: int, rounds: int) -> list[Row]:
    taken = _taken(
        size,
        bounded(f"read_parquet('{events(size, text=True)}')"),
        {TEXT: {"text": True, "declared": True}},
        rounds,
    )
    way = min((name for name in taken if name != TEXT), key=lambda name: taken[name])
    return [_row(TEXT, size, taken.get(TEXT), taken[way], 1.3 * taken[way] + 100, way)]


def _by_row(size: int, rounds: int) -> Row:
    taken = _taken(
        size, {"plain": plain(f"read_parquet('{events(size)}')")}, {ROW: {"unit": "row"}}, rounds
    )
    return _row(ROW, size, taken.get(ROW), taken["plain"], 2 * taken["plain"] + 50, "plain")


def _taken(
    size: int, ways: dict[str, str], ours: dict[str, dict[str, Any]], rounds: int
) -> dict[str, float]:
    """Milliseconds of each way to say it in SQL, and of Hedgerow."""
    with duckdb.connect() as connection, TemporaryDirectory() as folder:
        contenders = {
            way: Contender(of(_fetching(connection, sql)), rounds=rounds)
            for way, sql in ways.items()
        }
        for kind, options in ours.items():
            (place := Path(folder) / kind).mkdir()
            contenders[kind] = Contender(asking(size, place, **options), rounds=rounds)
        return {
            name: seconds * 1e3
            for name, seconds in fastest(contenders).items()
            if seconds is not None
        }


def _fetching(connection: duckdb.DuckDBPyConnection, sql: str) -> Callable[[], object]:
    return lambda: connection.execute(sql).fetchall()


def policy(
    size: int,
    *,
    unit: str = "user_id",
    declared: bool = False,
    text: bool = False,
    noise: str = "laplace",
) -> str:
    """A policy page for so many events. Delta stays below one unit's share, so it is smaller
    than ``DELTA`` where there are many.
    """
    units = size if unit == "row" else size // 10
    bounds = (
        f"max_groups = {GROUPS_EACH}\nmax_rows_per_group = {ROWS_EACH}" if unit != "row" else ""
    )
    groups = json.dumps(groups_spelled() if text else list(range(1, GROUPS + 1)))
    keys = f"grp = {{ values = {groups} }}" if declared else ""
    return f"""\
[database]
name = "events"
ledger = "events.ledger"
[budget]
epsilon = 10
delta = {0.9 / units!r}
default_delta = {min(DELTA, 0.3 / units)!r}
max_epsilon_per_query = 2
noise = "{noise}"
[tables.events]
source = "{events(size, text=text)}"
unit = "{unit}"
neighbours = "add-remove"
max_units = {units}
max_rows = {size}
{bounds}
[tables.events.columns]
value = {{ type = "real", min = 0, max = {LARGEST}, step = {1 / STEPS!r} }}
{keys}
"""


def asking(size: int, folder: Path, *, again: bool = False, **options: Any) -> Round:
    """Rounds that open a database with a fresh ledger and the ``options`` of ``policy``, warm it
    up, and time one question; ``again``: the second time it is asked."""
    rounds = 0

    def seconds() -> float:
        nonlocal rounds
        rounds += 1
        place = folder / str(rounds)
        place.mkdir()
        (place / "events.toml").write_text(policy(size, **options), encoding="utf-8")
        with closing(hedgerow.open(place / "events.toml")) as opened:
            opened.query(WARM_UP, epsilon=0.1)
            if again:
                opened.query(QUESTION, epsilon=EPSILON)
            start = perf_counter()
            opened.query(QUESTION, epsilon=EPSILON)
            return perf_counter() - start

    return seconds


def _again(size: int, rounds: int) -> Row:
    with TemporaryDirectory() as folder:
        found = fastest(
            {"hedgerow": Contender(asking(size, Path(folder), again=True), rounds=rounds)}
        )["hedgerow"]
    return _row(AGAIN, size, None if found is None else found * 1e3, None, 5.0)


def _memory(size: int) -> Row:
    engine = peak_of_sql(bounded(f"read_parquet('{events(size)}')")["row_number"])
    with TemporaryDirectory() as folder:
        page = Path(folder) / "events.toml"
        page.write_text(policy(size), encoding="utf-8")
        ours = peak_of_database(page, QUESTION, EPSILON)
    return _row(MEMORY, size, ours, engine, 1.5 * engine, "row_number")
