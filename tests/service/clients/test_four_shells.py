"""The same questions and refusals in Python, on the command line, over HTTP and over the PostgreSQL
protocol: the same numbers, the same words, the same price."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

import hedgerow as hr
from hedgerow.cli import main
from hedgerow.database.database import Database
from hedgerow.errors import HedgerowError
from service.helpers_service import RunningService

# Each is asked with four numbers, and first in another shell each time.
QUESTIONS = (
    "SELECT region, COUNT(*) AS n, AVG(age) AS mean FROM visits WHERE age > {} GROUP BY region",
    "SELECT SUM(hours) AS s, COUNT(DISTINCT patient) AS n FROM shifts WHERE hours < {}",
    "SELECT MEDIAN(age) AS m, MAX(age) AS top FROM visits WHERE age <> {}",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.125) COUNT(*) FROM visits WHERE age = {}",
    "SELECT region, COUNT(*) AS n FROM visits WHERE age < {} GROUP BY region"
    " HAVING COUNT(*) > 0 ORDER BY n DESC LIMIT 1",
)
# Two pieces, and SQL over their answers.
SPLIT = (
    "SELECT region, n * 100.0 / SUM(n) OVER () AS share FROM (SELECT region, COUNT(*) AS n"
    " FROM visits WHERE age < {} GROUP BY region) t ORDER BY region"
)
NUMBERS = (25, 26, 27, 28)
FREE = (
    "SELECT region FROM visits GROUP BY region",
    "SELECT COUNT(*) FROM visits WHERE region = 'west'",
    "SELECT name, max_groups FROM hedgerow.tables ORDER BY name",
)
# Who asks, and what.
REFUSALS = (
    ("ana", "SELECT * FROM visits"),
    ("ana", "SELECT age FROM visits LIMIT 10000"),
    ("ana", "SELECT COUNT(*) FROM nothing"),
    ("ana", "SELECT COUNT(nothing) FROM visits"),
    ("ana", "SELECT patient, COUNT(*) FROM visits GROUP BY patient"),
    ("ana", "SELECT COUNT(*) FROM visits WHERE patient = 7"),
    ("ana", "SELECT COUNT(*) FROM visits WHERE age > 'old'"),
    ("ana", "SELECT COUNT(*) FROM visits WHERE"),
    ("ana", "SELECT SUM(region) FROM visits"),
    ("ana", "SELECT NONSENSE(age) FROM visits"),
    ("ana", "SELECT COUNT(*) FROM visits, shifts"),
    ("ana", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 101) COUNT(*) FROM visits"),
    ("ana", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = -1) COUNT(*) FROM visits"),
    ("ana", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilom = 1) COUNT(*) FROM visits"),
    ("ben", "SELECT COUNT(*) FROM shifts"),
    ("ben", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 90) COUNT(*) FROM visits"),
    ("eve", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 50) SUM(age) FROM visits"),
)
PRICE_NOTES = ("Cost: epsilon", "Answered before, free now")
SHELLS = ("Python", "command line", "HTTP", "PostgreSQL")


@dataclass
class Reply:
    """What a shell shows: rows and notes, or an error."""

    rows: list[tuple[Any, ...]] | None = None
    notes: list[str] | None = None
    error: str | None = None


class Shells:
    """Four ways to one database; those within this process share what they have opened."""

    def __init__(
        self, running: RunningService, database: Database, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.running, self.database, self._capsys = running, database, capsys
        self.ledger = running.service._database.ledger
        self.prices: list[str] = []  # as the PostgreSQL protocol names them

    def ask(self, shell: str, who: str, sql: str) -> Reply:
        ask = {
            "Python": self._ask_python,
            "command line": self._ask_command_line,
            "HTTP": self._ask_http,
            "PostgreSQL": self._ask_postgresql,
        }
        return ask[shell](who, sql)

    def list_charges(self) -> list[Any]:
        charges = [one for one in self.ledger.entries() if one.kind == "charge"]
        return [{**one.body, "seq": one.seq} for one in charges]

    def _ask_python(self, who: str, sql: str) -> Reply:
        try:
            answer = self.database.query(sql, analyst=who)
        except HedgerowError as error:
            return Reply(error=str(error))
        return Reply([tuple(row.values()) for row in answer.rows], list(answer.notes))

    def _ask_command_line(self, who: str, sql: str) -> Reply:
        path = str(self.running.service.settings.policy)
        main(["query", path, sql, "--analyst", who, "--json"])
        return self._read(json.loads(self._capsys.readouterr().out))

    def _ask_http(self, who: str, sql: str) -> Reply:
        return self._read(self.running.ask(who, sql).document, self._added)

    @staticmethod
    def _read(document: Any, added: tuple[str, ...] = ()) -> Reply:
        if "rows" not in document:
            error = document["error"]
            return Reply(error=document["detail"] if isinstance(error, str) else error["message"])
        notes = [note for note in document["notes"] if note not in added]
        return Reply([tuple(row.values()) for row in document["rows"]], notes)

    def _ask_postgresql(self, who: str, sql: str) -> Reply:
        notes: list[str] = []
        with psycopg.connect(
            host="127.0.0.1",
            port=self.running.pg_port,
            user=who,
            password=self.running.tokens[who],
            dbname="clinic",
            autocommit=True,
        ) as connection:
            connection.add_notice_handler(lambda note: notes.append(str(note.message_primary)))
            try:
                rows = connection.execute(sql.encode()).fetchall()
            except psycopg.Error as error:
                shown = error.diag
                lines = (
                    shown.message_primary,
                    (shown.message_detail or "")[1:],
                    shown.message_hint,
                )
                return Reply(error="\n".join(line for line in lines if line))
        # The others have a line or a field of their own for the price.
        self.prices += [note for note in notes if note.startswith(PRICE_NOTES)]
        notes = [note for note in notes if not note.startswith(PRICE_NOTES)]
        return Reply(rows, [note for note in notes if note not in self._added])

    @property
    def _added(self) -> tuple[str, ...]:
        """What the service alone says, about the time of its answers."""
        return self.running.service.settings.departures.notes


@pytest.fixture(autouse=True)
def _nothing_is_charged() -> None:
    """Replace the fixture of the other tests here: these questions are charged."""


@pytest.fixture(scope="module")
def database(running: RunningService) -> Iterator[Database]:
    with hr.open(running.service.settings.policy) as opened:
        yield opened


class OpenedDatabase:
    """The database of Python as the command line opens it, for one analyst."""

    def __init__(self, database: Database, analyst: str | None) -> None:
        self._database, self._analyst = database, analyst
        self.policy = database.policy

    def __enter__(self) -> OpenedDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def query(self, sql: str, **options: Any) -> Any:
        return self._database.query(sql, analyst=self._analyst, **options)


@pytest.fixture
def shells(
    running: RunningService,
    database: Database,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Shells:
    monkeypatch.setattr(hr, "open", lambda _, analyst: OpenedDatabase(database, analyst))
    return Shells(running, database, capsys)


@pytest.mark.parametrize(
    ("question", "numbers"), [*((one, NUMBERS) for one in QUESTIONS), (SPLIT, (29,))]
)
def test_one_shell_pays_and_all_show_the_same(
    shells: Shells, question: str, numbers: tuple[int, ...]
) -> None:
    prices = []
    for first, number in enumerate(numbers):
        sql, before = question.format(number), len(shells.list_charges())
        order = SHELLS[first:] + SHELLS[:first]
        replies = [shells.ask(shell, "ana", sql) for shell in order]
        assert replies[0].error is None
        assert replies == [replies[0]] * 4, order
        paid = shells.list_charges()[before:]
        assert {one["analyst"] for one in paid} == {"ana"}
        prices.append([one["epsilon"] for one in paid])
    assert len(prices[0]) >= 1
    assert prices == [prices[0]] * len(numbers)  # whichever shell asked first
    pays = [SHELLS[first] == "PostgreSQL" for first in range(len(numbers))]
    assert [price.startswith("Cost:") for price in shells.prices] == pays


@pytest.mark.parametrize("sql", FREE)
def test_a_free_answer_is_free_in_all_shells(shells: Shells, sql: str) -> None:
    before = shells.list_charges()
    replies = [shells.ask(shell, "ana", sql) for shell in SHELLS]
    assert replies[0].rows
    assert replies == [replies[0]] * 4
    assert shells.list_charges() == before


@pytest.mark.parametrize(("who", "sql"), REFUSALS)
def test_a_refusal_has_the_same_words_in_all_shells(shells: Shells, who: str, sql: str) -> None:
    before = shells.list_charges()
    replies = [shells.ask(shell, who, sql) for shell in SHELLS]
    assert replies[0].error
    assert replies == [replies[0]] * 4
    assert shells.list_charges() == before


def test_the_command_line_by_itself_gets_the_stored_answer(
    running: RunningService, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = QUESTIONS[0].format(NUMBERS[0])
    stored = database.query(sql, analyst="ana")
    assert (
        main(["query", str(running.service.settings.policy), sql, "--analyst", "ana", "--json"])
        == 0
    )
    shown = json.loads(capsys.readouterr().out)
    assert shown["rows"] == stored.rows
    assert shown["receipt"]["entry"] == stored.receipt.entry
    assert shown["receipt"]["reused"] is True
