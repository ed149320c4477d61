"""TPC-H at scale factor 1 with the customer as the unit: nine of its questions, how long they take
and how far off they are.

Seconds are compared with DuckDB on the original SQL, which protects nobody, and with our own
statements without noise. Errors are relative to the exact result: of noise and clipping together at
two epsilons, and of clipping alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from bench.clock import Contender, fastest, of
from bench.engine import Engine, running
from bench.peers import Peers
from bench.report import Row, Section, ratio
from bench.tpch.page import page
from bench.tpch.questions import QUESTIONS, Asked
from bench.tpch.tables import NAMES, Missing, generated, tiny

__all__ = ["relative_errors", "tpch"]

EPSILONS = (1.0, 0.5)
NO_NOISE = 10_000  # the largest epsilon there is
CLIPPED, LIMITED = "clipped", "limits: clipped"
Key = tuple[Any, ...]


def tpch(peers: Peers, *, quick: bool = False) -> Section:
    """Milliseconds, and medians of relative errors in percent."""
    try:
        with TemporaryDirectory() as folder:
            rows = _rows(
                tiny(Path(folder)) if quick else generated(), 1 if quick else 3, 2 if quick else 41
            )
    except Missing as reason:
        peers.left_out["TPC-H"] = str(reason)
        rows = [_row(asked, {}, {}) for asked in QUESTIONS]
    times = (
        "question",
        "hedgerow, ms",
        "DuckDB, ms",
        "statement, ms",
        "ours / DuckDB",
        "ours / statement",
    )
    errors = (
        "question",
        *(name for name in rows[0] if name.startswith((CLIPPED, "epsilon", "limits"))),
    )
    return Section(
        "TPC-H, scale factor 1, the customer is the unit",
        rows,
        [],
        [
            (
                "DuckDB: the original SQL, no privacy. Statement: what we ask DuckDB, bounded,"
                " without noise. All from Parquet, warm."
            ),
            (
                "Errors in percent of the exact value: the median over all numbers of an answer,"
                " and over its runs. Clipped: without noise."
            ),
            (
                "Limits: asked with contribution_bounds_per_group and max_groups_contributed,"
                " chosen with a look at the data: good guesses."
            ),
            *(
                f"{asked.number}: {asked.change}."
                for asked in QUESTIONS
                if asked.private != asked.sql
            ),
        ],
        [times, errors],
    )


def _rows(folder: Path, rounds: int, runs: int) -> list[Row]:
    with duckdb.connect() as connection, running(page(folder, "10_000")) as engine:
        for name in NAMES:
            connection.execute(
                f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{folder / name}.parquet')"
            )
        return [
            _row(
                asked,
                _times(asked, connection, engine, rounds),
                _errors(asked, connection, engine, runs),
            )
            for asked in QUESTIONS
        ]


def _times(
    asked: Asked, connection: duckdb.DuckDBPyConnection, engine: Engine, rounds: int
) -> dict[str, float | None]:
    contenders = {
        "DuckDB": Contender(of(lambda: connection.execute(asked.sql).fetchall()), rounds=rounds),
        "statement": Contender(of(engine.bare(asked.private)), rounds=rounds),
        "hedgerow": Contender(engine.asking(asked.private, EPSILONS[0]), rounds=rounds),
    }
    return {
        name: None if taken is None else taken * 1e3 for name, taken in fastest(contenders).items()
    }


def _errors(
    asked: Asked, connection: duckdb.DuckDBPyConnection, engine: Engine, runs: int
) -> dict[str, float | None]:
    exact = {
        row[: asked.keys]: row[asked.keys :]
        for row in connection.execute(asked.all_cells).fetchall()
    }
    found = {}
    for before, sql in (("", asked.private), ("limits: ", asked.closer)):
        if sql is not None:
            answer = _answering(engine, sql)
            found[f"{before}{CLIPPED}"] = _typical(answer, NO_NOISE, 1, exact, asked.keys)
            found |= {
                f"{before}epsilon {epsilon:g}": _typical(answer, epsilon, runs, exact, asked.keys)
                for epsilon in EPSILONS
            }
    return found


def _answering(engine: Engine, sql: str) -> Callable[[float], list[dict[str, Any]]]:
    return lambda epsilon: engine.answer(sql, epsilon).rows


def _typical(
    answer: Callable[[float], list[dict[str, Any]]],
    epsilon: float,
    runs: int,
    exact: Mapping[Key, Key],
    keys: int,
) -> float | None:
    """The median error in percent; None where no group came out at all."""
    found = [
        100 * error for _ in range(runs) for error in relative_errors(answer(epsilon), exact, keys)
    ]
    return median(found) if found else None


def relative_errors(
    rows: list[dict[str, Any]], exact: Mapping[Key, Key], keys: int
) -> Iterator[float]:
    """Of every number of an answer that has an exact value other than 0. Declared keys that
    nothing belongs to have none.
    """
    for row in rows:
        values = tuple(row.values())
        for noisy, true in zip(values[keys:], exact.get(values[:keys], ()), strict=False):
            if true and noisy is not None:
                yield abs(float(noisy) / float(true) - 1)


def _row(
    asked: Asked, taken: Mapping[str, float | None], errors: Mapping[str, float | None]
) -> Row:
    columns = [
        f"{before}{what}"
        for before in ("", "limits: ")
        for what in (CLIPPED, *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    ]
    return {
        "question": f"Q{asked.number}",
        **{f"{name}, ms": taken.get(name) for name in ("hedgerow", "DuckDB", "statement")},
        "ours / DuckDB": ratio(taken.get("hedgerow"), taken.get("DuckDB")),
        "ours / statement": ratio(taken.get("hedgerow"), taken.get("statement")),
        **{name: errors.get(name) for name in columns},
    }
