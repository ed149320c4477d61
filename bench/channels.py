"""Does the time of a response say whether one person is in the data? Two services, whose data
differ in one person, are asked in turns; a distinguisher that knows all their times is scored.

The person makes the work large: a heavy branch of CASE for one row, a join key that matches many
rows of a public table, or a million rows. Without the schedule a few requests tell the two apart.
"""

from __future__ import annotations

import os
import random
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.peers import Peers
from bench.report import Row, Section, Target
from bench.serving import HttpClient, ServeProcess, WireClient, add_analysts, serve_together

__all__ = ["channels", "compute_auc"]

PEOPLE, WORKERS, MANY_ROWS, HOT_ROWS = 2_000, 4, 1_000_000, 400_000
SLOT_SECONDS = 1.0
PROTOCOLS = ("HTTP", "PostgreSQL")
# On which data: the second of each pair has one more person.
WITHOUT, WITH = 0, 1
POLICY = """\
[database]
name = "channels"
max_failures = 1000000

[budget]
epsilon = 10000
default_epsilon = 0.001

[tables.visits]
source = "visits.parquet"
unit = "person"
neighbours = "add-remove"
population = "people"
max_units = 10_000
max_rows = 2_000_000
max_groups = 1
max_rows_per_group = 5
[tables.visits.columns]
person = { type = "integer" }
day = { type = "integer", min = 0, max = 1_000_000_000 }
age = { type = "integer", min = 0, max = 110 }
code = { type = "integer", min = 0, max = 1000 }
name = { type = "text" }
note = { type = "text", max_length = 5_000_000 }

[tables.codes]
source = "codes.parquet"
public = true
"""
TARGET: dict[str, Any] = {"person": PEOPLE, "day": 5, "age": 50, "code": 0, "name": "T"}


@dataclass(frozen=True, slots=True)
class Attack:
    """A question whose work depends on one person; ``{}`` makes each one new."""

    sql: str
    note: str = "short"
    rows: int = 1


ATTACKS: Mapping[str, Attack] = {
    "a heavy branch of CASE": Attack(
        "SELECT SUM(CASE WHEN name = 'T' THEN LEAST(LENGTH(REGEXP_REPLACE(LOWER(note),"
        " '[a-z]+[0-9]', 'xy', 'g')), 9) ELSE 1 END) AS n FROM visits WHERE day <> {}",
        note="aB1 " * 300_000,
    ),
    "a hot join key": Attack(
        "SELECT COUNT(*) AS n FROM visits JOIN codes ON visits.code = codes.code"
        " WHERE label + day <> {}"
    ),
    "a million rows": Attack("SELECT SUM(age) AS n FROM visits WHERE day <> {}", rows=MANY_ROWS),
}


def channels(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Distinguish two data sets by the times of responses."""
    requests = 4 if quick else int(os.environ.get("REQUESTS", "2000"))
    rows = [row for name in ATTACKS for row in measure_attack(name, requests)]
    fixed = [row for row in rows if row["responses leave"] == "on schedule"]
    loose = [row for row in rows if row["responses leave"] == "when ready"]
    return Section(
        "Channels: does the time of a response tell whether one person is in the data?",
        rows,
        [
            _judge("AUC of response times at most 0.55 on schedule", 0.55, fixed),
            _judge(
                "without the schedule somebody would see it: AUC at least 0.7", 0.7, loose, True
            ),
        ],
        [
            f"Each request is a new question to {SLOT_SECONDS:g}-second slots, from {WORKERS}"
            " connections at once, in turns on both data sets. The AUC is of whichever direction"
            " tells more; chance alone gives 0.5 plus about the standard error.",
            "REQUESTS=200 makes it shorter.",
        ],
    )


def _judge(text: str, limit: float, rows: Sequence[Row], at_least: bool = False) -> Target:
    """Judge the attack that tells most."""
    value, where = max((float(row["AUC"] or 0), str(row["the person has"])) for row in rows)
    return Target(text, limit, value, where, at_least)


def measure_attack(name: str, requests: int) -> list[Row]:
    """Measure an attack on a service that keeps its schedule, and on one that does not."""
    rows: list[Row] = []
    for label, count, options in (
        ("on schedule", requests, ("--answer-seconds", f"{SLOT_SECONDS:g}")),
        ("when ready", max(2, requests // 20), ("--untimed",)),
    ):
        taken = _Distinguisher(ATTACKS[name], count).run(options)
        for protocol in PROTOCOLS:
            sides = taken[protocol, WITHOUT], taken[protocol, WITH]
            auc, error = compute_auc(*sides)
            rows.append(
                {
                    "the person has": name,
                    "protocol": protocol,
                    "responses leave": label,
                    "a side": f"{min(map(len, sides)):,}",
                    "median without, ms": float(np.median(sides[WITHOUT]) * 1e3),
                    "with, ms": float(np.median(sides[WITH]) * 1e3),
                    "AUC": auc,
                    "standard error": error,
                }
            )
    return rows


def compute_auc(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return the area under the curve of the best threshold test between two samples, in the
    direction that tells more, and its standard error if nothing tells anything."""
    n, m = len(first), len(second)
    values = np.concatenate([first, second])
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    area = (ranks[n:].sum() - m * (m + 1) / 2) / (n * m)
    return float(max(area, 1 - area)), float(((n + m + 1) / (12 * n * m)) ** 0.5)


@dataclass
class _Distinguisher:
    """Asks both services in turns, half of it over each protocol."""

    attack: Attack
    requests: int  # a side
    taken: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, options: Sequence[str]) -> dict[tuple[str, int], list[float]]:
        """Return the seconds of all responses by protocol and side."""
        with (
            tempfile.TemporaryDirectory() as folder,
            _serve_pair(Path(folder), self.attack, options) as (processes, tokens),
        ):
            turns = [
                (PROTOCOLS[number // 2 % 2], number % 2, number + 1_000)
                for number in range(2 * self.requests)
            ]
            random.shuffle(turns)
            errors: list[BaseException] = []

            def work(worker: int) -> None:
                try:
                    self._ask(turns[worker::WORKERS], processes, tokens)
                except BaseException as error:
                    errors.append(error)

            threads = [
                threading.Thread(target=work, args=(worker,), daemon=True)
                for worker in range(WORKERS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if errors:
                raise errors[0]
        return self.taken

    def _ask(
        self,
        turns: Sequence[tuple[str, int, int]],
        processes: Sequence[ServeProcess],
        tokens: Sequence[str],
    ) -> None:
        clients = {
            (protocol, side): build(processes[side], "ana", tokens[side], "channels")
            for side in (WITHOUT, WITH)
            for protocol, build in (("HTTP", HttpClient), ("PostgreSQL", WireClient))
        }
        for place, client in enumerate(clients.values()):  # so that all engines are started
            client.ask(self.attack.sql.replace("{}", str(turns[0][2] * 10_000 + place)))
        for protocol, side, number in turns:
            sql = self.attack.sql.replace("{}", str(number))
            start = perf_counter()
            clients[protocol, side].ask(sql)
            seconds = perf_counter() - start
            with self._lock:
                self.taken[protocol, side].append(seconds)


@contextmanager
def _serve_pair(
    folder: Path, attack: Attack, options: Sequence[str]
) -> Iterator[tuple[list[ServeProcess], list[str]]]:
    """Serve the data without the person, and with them."""
    policies, tokens = [], []
    for side in (WITHOUT, WITH):
        policy = _write_data(folder / str(side), attack if side == WITH else None)
        policies.append(policy)
        tokens.append(add_analysts(policy, ["ana"])["ana"])
    options = [*options, "--engines", str(WORKERS)]
    with (
        serve_together(policies[WITHOUT], 1, *options) as first,
        serve_together(policies[WITH], 1, *options) as second,
    ):
        yield [*first, *second], tokens


def _write_data(folder: Path, attack: Attack | None) -> Path:
    """Write the data, with the person of an attack or without."""
    folder.mkdir()
    chance = np.random.default_rng(7)
    columns: dict[str, list[Any]] = {
        "person": list(range(PEOPLE)),
        "day": chance.integers(0, 10**9, PEOPLE).tolist(),
        "age": chance.integers(0, 110, PEOPLE).tolist(),
        "code": [1 + number % 900 for number in range(PEOPLE)],
        "name": ["x"] * PEOPLE,
        "note": ["short"] * PEOPLE,
    }
    if attack is not None:
        person = TARGET | {"note": attack.note}
        for name, column in columns.items():
            column += [person[name]] * attack.rows
    pq.write_table(pa.table(columns), folder / "visits.parquet")
    codes = [0] * HOT_ROWS + list(range(1, 901))
    pq.write_table(
        pa.table({"code": codes, "label": list(range(len(codes)))}), folder / "codes.parquet"
    )
    (folder / "channels.toml").write_text(POLICY, encoding="utf-8")
    return folder / "channels.toml"
