"""A crowd that asks several processes over both protocols until the budget is exhausted, while
processes are killed and paused; and the comparison of all that was received with the ledger."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from bench.serving import ServeProcess, add_analysts, fetch, serve_together

import hedgerow
from hedgerow.errors import BudgetExceeded
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.sqlite_file import read_entries
from service.processes.helpers_processes import EPSILON, NAMES, write_small_budget

TABLES = (("visits", "age"), ("shifts", "hours"))


@dataclass
class AskedQuestion:
    """An answer that somebody received; ``entry`` is that of its charge, where the protocol shows
    it, and ``key`` its request key."""

    sql: str
    rows: list[tuple[Any, ...]]
    entry: int | None = None
    key: str | None = None


@dataclass
class Crowd:
    """People who ask at all processes until the budget is exhausted, and what they received."""

    processes: Sequence[ServeProcess]
    tokens: dict[str, str]
    variety: int  # of the questions, so that many people ask the same
    received: list[AskedQuestion] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    lost: int = 0  # connections that broke
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask_until_exhausted(self, people: int, disturb: Callable[[], None]) -> None:
        """Let ``people`` ask, each over both protocols, and call ``disturb`` meanwhile."""
        threads = [
            threading.Thread(target=self._ask_until_exhausted, args=(number,), daemon=True)
            for number in range(people)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            disturb()
            time.sleep(0.01)
        for thread in threads:
            thread.join()

    def _ask_until_exhausted(self, number: int) -> None:
        name = NAMES[number % len(NAMES)]
        chance = random.Random(number)
        for turn in count():
            sql = make_question(chance.randrange(self.variety))
            ask = self._ask_http if chance.random() < 0.5 else self._ask_wire
            if not ask(name, sql, f"{number}-{turn}", chance):
                return

    def _ask_http(self, name: str, sql: str, key: str, chance: random.Random) -> bool:
        """Ask under a request key until there is an answer; return False without a budget."""
        while True:
            process = chance.choice(self.processes)
            body = {"sql": sql, "epsilon": EPSILON, "request": key}
            try:
                found = fetch(process.port, "POST", "/api/v1/query", self.tokens[name], body)
            except (OSError, http.client.HTTPException, ValueError):
                self._note_loss()
                continue
            status, document = found
            if status == 200:
                rows = [tuple(row.values()) for row in document["rows"]]
                entry = document["receipt"]["entry"]
                self._note(AskedQuestion(sql, rows, entry, key))
                return True
            if not self._note_refusal(str(status)):
                return status != 402

    def _ask_wire(self, name: str, sql: str, key: str, chance: random.Random) -> bool:
        """Ask over the PostgreSQL protocol; return False without a budget."""
        while True:
            process = chance.choice(self.processes)
            try:
                with psycopg.connect(
                    host="127.0.0.1",
                    port=process.pg_port,
                    user=name,
                    password=self.tokens[name],
                    dbname="clinic",
                    autocommit=True,
                    connect_timeout=90,
                ) as connection:
                    rows = connection.execute(sql).fetchall()
            except psycopg.Error as error:
                if error.sqlstate is None or error.sqlstate.startswith("57P"):
                    self._note_loss()
                elif not self._note_refusal(error.sqlstate):
                    return error.sqlstate != "53400"
                continue
            self._note(AskedQuestion(sql, rows))
            return True

    def _note(self, answer: AskedQuestion) -> None:
        with self._lock:
            self.received.append(answer)

    def _note_loss(self) -> None:
        with self._lock:
            self.lost += 1
        time.sleep(0.1)

    def _note_refusal(self, code: str) -> bool:
        """Count a refusal; return whether to try again."""
        with self._lock:
            self.refused[code] += 1
        is_late = code in ("429", "53300")
        if is_late:
            time.sleep(0.3)
        return is_late


def check_request_keys(crowd: Crowd) -> None:
    """Check that a key belongs to one question of one account, whichever process sees it first."""

    def ask(name: str, place: int) -> tuple[str, int]:
        sql = f"SELECT COUNT(*) AS n FROM visits WHERE age < {70 + place % 4}"
        body = {"sql": sql, "epsilon": EPSILON, "request": "report"}
        port = crowd.processes[place % len(crowd.processes)].port
        status, document = fetch(port, "POST", "/api/v1/query", crowd.tokens[name], body)
        if status == 200:
            rows = [tuple(row.values()) for row in document["rows"]]
            crowd.received.append(AskedQuestion(sql, rows, document["receipt"]["entry"], "report"))
        return sql, status

    with ThreadPoolExecutor(8) as pool:
        sent = {name: [pool.submit(ask, name, place) for place in range(8)] for name in NAMES[:2]}
        for asked in sent.values():
            found = [one.result() for one in asked]
            answered = {sql for sql, status in found if status == 200}
            assert len(answered) == 1
            assert {status for sql, status in found if sql not in answered} == {409}


def make_question(number: int) -> str:
    """Make a question of its own for each number."""
    table, column = TABLES[number % 2]
    low, width = divmod(number // 2, 20)
    return f"SELECT COUNT(*) AS n FROM {table} WHERE {column} BETWEEN {low} AND {low + width + 1}"


def check_released(policy: Path, crowd: Crowd, questions: int) -> None:
    """Check what was received against the ledger."""
    path = policy.with_name("clinic.ledger")
    assert verify(path).problem == ""
    entries = read_entries(path)
    charges = {entry.seq: entry for entry in entries if entry.kind == "charge"}
    spent = sum(
        Fraction(loss["epsilon"])
        for entry in charges.values()
        for loss in entry.body["charges"].values()
    )
    assert spent == Fraction(questions, 16)  # the whole budget, exactly
    outcomes = [entry.body["charge"] for entry in entries if entry.kind in ("answer", "failure")]
    assert len(outcomes) == len(set(outcomes))
    bodies = [one.body for one in charges.values() if one.body["request"] is not None]
    keys = [(body["analyst"], body["request"]) for body in bodies]
    assert len(keys) == len(set(keys))

    answers = defaultdict(set)
    for one in crowd.received:
        answers[one.sql].add(tuple(one.rows))
        if one.entry is not None:
            assert Fraction(charges[one.entry].body["epsilon"]) == Fraction(EPSILON)
    # Nothing is left, so only what was charged has an answer: the one that everybody received.
    with hedgerow.open(policy) as database:
        for sql, received in answers.items():
            stored = database.query(sql, epsilon=Fraction(EPSILON))
            assert received == {tuple(tuple(row.values()) for row in stored.rows)}
        with pytest.raises(BudgetExceeded):
            database.query("SELECT AVG(age) FROM visits", epsilon=Fraction(EPSILON))


def run_crowd(
    folder: Path, options: Sequence[str], *, processes: int, people: int, questions: int
) -> Crowd:
    """Let people ask ``hedgerow serve`` with these options until nothing is left, and check what
    they received."""
    policy = write_small_budget(folder, questions)
    tokens = add_analysts(policy, NAMES)
    chance, disturbed = random.Random(processes), []
    with serve_together(policy, processes, *options) as started:
        crowd = Crowd(started, tokens, 2 * questions)
        check_request_keys(crowd)

        def disturb() -> None:
            if len(crowd.received) < (len(disturbed) + 1) * questions / 8:
                return
            process = chance.choice(started)
            if len(disturbed) % 2:
                process.pause(chance.random())
            else:
                process.kill()
                process.wait_until_ready()
            disturbed.append(process)

        crowd.ask_until_exhausted(people, disturb)
    assert len(disturbed) >= 2
    assert crowd.refused.keys() & {"402", "53400"}
    assert crowd.refused.keys() <= {"402", "53400", "429", "53300"}
    check_released(policy, crowd, questions)
    return crowd
