"""Ten quantiles of ten million values at once, against DuckDB's own ``quantile_cont`` with a
list of ten, which protects nobody.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bench.bounded import ROWS_EACH, STEPS
from bench.clock import Contender, fastest, of
from bench.engine import running
from bench.events import LARGEST, events
from bench.memory import peak_of_database, peak_of_sql
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst

__all__ = ["quantiles"]

SHARES = tuple(f"0.{percent:02}" for percent in range(5, 100, 10))
QUESTION = (
    "SELECT"
    f" {', '.join(f'QUANTILE(value, {share}) AS q{place}' for place, share in enumerate(SHARES))}"
    " FROM events"
)
EPSILON = 1.0
ROW, PERSON = "by row", "by person"
UNITS = {ROW: "row", PERSON: "user_id"}
TIMES = "ours / DuckDB"


# All sections are called alike.
def quantiles(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Milliseconds and megabytes."""
    rows, rounds = (2_000, 1) if quick else (10_000_000, 3)
    plain = (
        f"SELECT quantile_cont(value, [{', '.join(SHARES)}]) FROM read_parquet('{events(rows)}')"
    )
    timed = _times(rows, rounds, plain)
    return Section(
        f"Quantiles: {len(SHARES)} of {rows:,} values at once",
        [*timed, *_memory(rows, plain)],
        [worst("at most 5 times quantile_cont with a list", 5, timed, TIMES)],
        [
            (
                f"By person: at most {ROWS_EACH} values each. Statement: what we ask DuckDB, in"
                " this process, without noise."
            ),
            "From Parquet on disk, warm, each question with an empty ledger.",
            (
                "Memory: the largest resident sets of the process and its children together, the"
                " interpreter included in all."
            ),
        ],
    )


def page(rows: int, unit: str) -> str:
    """The policy."""
    caps = "" if unit == "row" else f"max_groups = 1\nmax_rows_per_group = {ROWS_EACH}"
    return f"""\
[database]
name = "events"
ledger = "events.ledger"
[budget]
epsilon = 10
[tables.events]
source = "{events(rows)}"
unit = "{unit}"
neighbours = "add-remove"
max_units = {rows}
max_rows = {rows}
{caps}
[tables.events.columns]
value = {{ type = "real", min = 0, max = {LARGEST}, step = {1 / STEPS!r} }}
"""


def _times(rows: int, rounds: int, plain: str) -> list[Row]:
    with (
        duckdb.connect() as connection,
        running(page(rows, "row")) as by_row,
        running(page(rows, "user_id")) as by_person,
    ):
        contenders = {
            "DuckDB": Contender(of(lambda: connection.execute(plain).fetchall()), rounds=rounds)
        }
        for kind, engine in ((ROW, by_row), (PERSON, by_person)):
            contenders[kind] = Contender(engine.asking(QUESTION, EPSILON), rounds=rounds)
            contenders[f"{kind}, statement"] = Contender(of(engine.bare(QUESTION)), rounds=rounds)
        found = {
            name: None if taken is None else taken * 1e3
            for name, taken in fastest(contenders).items()
        }
    return [
        _row("milliseconds", kind, found[kind], found["DuckDB"], found[f"{kind}, statement"])
        for kind in UNITS
    ]


def _memory(rows: int, plain: str) -> list[Row]:
    engine, found = peak_of_sql(plain), []
    with TemporaryDirectory() as folder:
        for kind, unit in UNITS.items():
            (place := Path(folder) / unit).mkdir()
            (place / "events.toml").write_text(page(rows, unit), encoding="utf-8")
            found.append(
                _row(
                    "peak of memory, MB",
                    kind,
                    peak_of_database(place / "events.toml", QUESTION, EPSILON),
                    engine,
                    None,
                )
            )
    return found


def _row(
    what: str, kind: str, ours: float | None, engine: float | None, statement: float | None
) -> Row:
    return {
        "what": what,
        "unit": kind,
        "hedgerow": ours,
        "DuckDB": engine,
        "statement": statement,
        TIMES: ratio(ours, engine),
    }
