"""What would raise on one person's row alone tells nothing: the same status, words and price
with that person and without.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from database.attacks.raising import CALM, POISON, QUIET, RAISING, table
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.database import Database
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import HedgerowError, SourceError, Unbounded, Unsupported

FORMS = (
    "SELECT COUNT({}) FROM data",
    "SELECT COUNT(*) FROM data WHERE ({}) IS NOT NULL",
    "SELECT SUM({}), AVG({}) FROM data",
    "SELECT ({}), COUNT(*) FROM data GROUP BY ({})",
    "SELECT b, SUM(i) FROM data WHERE ({}) > 1 GROUP BY b",
)
COLUMNS = {"i": (-10, 10), "k": (0, 100), "r": {"type": "real", "min": -8, "max": 8, "step": 0.5}}


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Database, Database]]:
    """Without the person, and with them."""
    arguments = {
        "unit": "id",
        "neighbours": "add-remove",
        "columns": COLUMNS,
        "epsilon": 10_000,
        "max_groups": 3,
        "max_rows_per_group": 1,
        "delta": 0.01,
        "max_units": 9,
    }
    with (
        protect(table(CALM), **arguments) as calm,
        protect(table(CALM + POISON), **arguments) as poisoned,
    ):
        yield calm, poisoned


def outcome(db: Database, sql: str) -> tuple[object, ...]:
    """All that an analyst could see, noisy numbers aside (and keys that are not declared, which
    noise decides on).
    """
    before, spent = len(db.ledger.entries()), db.budget
    try:
        answer = db.query(sql, epsilon=0.001)
    except HedgerowError as error:
        seen: tuple[object, ...] = (
            type(error),
            str(error),
            repr(error.__cause__),
            repr(error.__context__),
        )
    else:
        if isinstance(answer, ExactTable):  # never true, whatever the data
            return "exact", answer.types, answer.rows, len(db.ledger.entries()) == before
        assert isinstance(answer, Answer)
        open_keys = "GROUP BY" in sql and "GROUP BY b" not in sql
        seen = (
            "answered",
            answer.columns,
            None if open_keys else len(answer),
            answer.notes,
            answer.cost,
            answer.receipt.reused,
        )
    entries = [
        (entry.kind, entry.body if entry.kind == "charge" else None)
        for entry in db.ledger.entries()[before:]
    ]
    return (*seen, entries, spent != db.budget)


@pytest.mark.parametrize("expression", [*RAISING, *QUIET])
def test_outcomes_do_not_distinguish_neighbouring_data_sets(
    pair: tuple[Database, Database], expression: str
) -> None:
    for form in FORMS:
        sql = form.replace("{}", expression)
        one, other = (outcome(db, sql) for db in pair)
        assert one == other
        assert one[0] in ("answered", "exact", Unsupported, Unbounded)  # and never a failed source
        if one[0] not in ("answered", "exact"):
            assert one[-2:] == ([], False)  # refused before anything was charged


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.register("calm", table(CALM))
        connection.register("poisoned", table(CALM + POISON))
        yield connection


@pytest.mark.parametrize("expression", RAISING)
def test_plain_duckdb_does_raise(plain: duckdb.DuckDBPyConnection, expression: str) -> None:
    sql = f"SELECT COUNT(x), MIN(HASH(x)) FROM (SELECT ({expression}) AS x FROM data)"
    plain.execute("CREATE OR REPLACE TEMP VIEW data AS FROM calm")
    plain.execute(sql).fetchall()
    plain.execute("CREATE OR REPLACE TEMP VIEW data AS FROM poisoned")
    with pytest.raises(duckdb.Error):
        plain.execute(sql).fetchall()


def test_the_list_is_long_and_much_of_it_is_answered(pair: tuple[Database, Database]) -> None:
    """Refusing everything would be no feat: some of what raises in plain DuckDB is answered
    here.
    """
    assert len(set(RAISING)) >= 60
    answered = [e for e in RAISING if outcome(pair[1], FORMS[0].replace("{}", e))[0] == "answered"]
    assert len(answered) >= 20


def test_all_source_failures_have_the_same_message(
    pair: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should an engine raise after all, its words do not come through, and the question stays
    charged.
    """
    seen = []
    for db, words in zip(
        pair, ("Conversion Error: 'secret'", "Out of Range Error: 9223372036854775807"), strict=True
    ):

        def broken(statement: object, words: str = words) -> None:
            raise duckdb.ConversionException(words)

        monkeypatch.setattr(
            db.source._session,  # type: ignore[attr-defined]
            "run_statement",
            broken,
        )
        seen.append(outcome(db, "SELECT COUNT(*) FROM data WHERE i = 3"))
    assert seen[0] == seen[1]
    assert seen[0][0] is SourceError
    assert seen[0][-1] is True
    assert not any(word in str(seen[0]) for word in ("secret", "Conversion", "9223372036854775807"))
