"""The tables that SQL over noisy answers may read."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp, parse_one

from database.clinic import exactly
from hedgerow.database.query import answer_tables
from hedgerow.database.query.answer_tables import AnswerTables
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import Refused
from hedgerow.plan.values import Value
from hedgerow.sql.postprocessing.constants import QueryConstant
from hedgerow.sql.syntax.privacy_clause import tokenise_query


def build_tables() -> AnswerTables:
    with exactly(epsilon=1) as db:
        tables = AnswerTables(db.policy, db.catalog, tokenise_query("SELECT 1"))
    tables.add_columns("answer 0", {"n": "integer"})
    return tables


def read(sql: str) -> exp.Query:
    found = parse_one(sql, dialect="duckdb")
    assert isinstance(found, exp.Query)
    return found


def test_no_protected_table_is_in_their_catalog() -> None:
    tables = build_tables()
    assert list(tables.catalog.tables) == ["answer 0"]
    with pytest.raises(Refused, match="no table data"):
        tables.read_query(read("SELECT * FROM data"))


def test_a_constant_waits_for_the_answers_that_it_reads() -> None:
    tables = build_tables()
    constant = QueryConstant("c", read('SELECT MAX(n) FROM "answer 0"'), 1)
    assert not tables.compute_values([constant])
    tables.add_rows("answer 0", {"n": "integer"}, [{"n": 3}, {"n": 5}])
    assert tables.compute_values([constant])
    assert tables.compute_values([constant])
    assert tables.values == {"c": 5}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "no value"),
        ([{"x": None}], "no value"),
        ([{"x": float("nan")}], "no value"),
        ([{"x": 1.0}, {"x": 2.0}], "2 rows"),
    ],
)
def test_a_result_that_is_not_one_value_is_refused(
    monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, Value]], words: str
) -> None:
    def answer(*_: Any) -> ExactTable:
        return ExactTable({"x": "real"}, rows)

    monkeypatch.setattr(answer_tables, "run_public_query", answer)
    tables = build_tables()
    tables.add_rows("answer 0", {"n": "integer"}, [])
    with pytest.raises(Refused, match=words):
        tables.compute_values([QueryConstant("c", read('SELECT n FROM "answer 0"'), 1)])


@pytest.mark.parametrize("sql", ["SELECT 'a'", "SELECT TRUE", "SELECT DATE '2026-01-01'"])
def test_a_constant_of_another_type_is_refused(sql: str) -> None:
    with pytest.raises(Refused, match="type"):
        build_tables().compute_values([QueryConstant("c", read(sql), 1)])
