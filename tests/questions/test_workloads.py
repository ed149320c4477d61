"""333 statements in the style of public workloads: each is answered, or refused for the reason that
stands beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.database import Database, open
from hedgerow.errors import Refused

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.workloads import STYLES, WorkloadStatement, read_statements, write_workload

ALL = [statement for workload in STYLES for statement in read_statements(workload)]
# Of each reason, what the refusal says.
REASONS = {
    "individual rows": r"individual rows|neither in GROUP BY nor inside|is the privacy id",
    "reveals ids": r"(is|with) the privacy id",
    "needs a cap": r"max_rows_per_join_key|joins? = |not joined on the privacy id",
    "NULL-extended": r"NULL|public rows without a match",
    "invalid SQL": r"neither in GROUP BY nor inside|needs numbers|There is no (table|column)",
    "not deterministic": r"not supported",
    "not a question": r"read-only",
    "not supported": r"not supported|only allowed in COUNT",
    "hidden column": r"has no column",
    "individual values": r"bounds|values",
    "STRLEN(url) needs bounds": r"needs bounds",
}


class Databases(dict[str, Database]):
    """Databases that are opened on first use: a worker need not open all."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory

    def __missing__(self, workload: str) -> Database:
        folder = self._factory.mktemp(workload)
        self[workload] = open(write_workload(workload, folder), in_process=True)
        return self[workload]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    opened = Databases(tmp_path_factory)
    yield opened
    for db in opened.values():
        db.close()


def test_there_are_300_statements_and_one_in_eight_is_rightly_refused() -> None:
    refused = [statement for statement in ALL if statement.refused]
    assert len({statement.sql for statement in ALL}) == len(ALL) >= 300
    assert len(refused) <= len(ALL) / 8
    assert {statement.refused for statement in refused} == set(REASONS)


@pytest.mark.long
@pytest.mark.parametrize("statement", [one for one in ALL if one.refused is None], ids=str)
def test_a_statement_is_answered(statement: WorkloadStatement, databases: Databases) -> None:
    answer = databases[statement.workload].query(statement.sql)
    assert answer.columns
    assert all(tuple(row) == tuple(answer.columns) for row in answer.rows)


@pytest.mark.long
@pytest.mark.parametrize("statement", [one for one in ALL if one.refused], ids=str)
def test_a_refusal_names_its_reason_and_is_free(
    statement: WorkloadStatement, databases: Databases
) -> None:
    db = databases[statement.workload]
    assert statement.refused is not None
    spent = db.budget
    with pytest.raises(Refused) as refusal:
        db.query(statement.sql)
    assert re.search(REASONS[statement.refused], str(refusal.value)), refusal.value
    assert db.budget == spent
