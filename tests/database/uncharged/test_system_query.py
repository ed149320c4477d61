"""System tables: which questions are about them, what is worked out, what is refused, and that
nothing is charged.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from database.clinic import write
from hedgerow.database import Database, open
from hedgerow.database.uncharged.system_query import answer_system_query, is_system_query
from hedgerow.database.uncharged.system_tables import SYSTEM_TABLES
from hedgerow.errors import Refused


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path: Path = tmp_path_factory.mktemp("clinic")
    with open(write(path)) as opened:
        yield opened


def ask(db: Database, sql: str) -> list[dict[str, Any]]:
    return answer_system_query(sql, db, None).rows


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM hedgerow.budget",
        'select left from "HEDGEROW" . budget',
        "SELECT COUNT(*) FROM visits JOIN hedgerow.budget ON 1 = 1",
        "EXPLAIN PRIVACY SELECT * FROM hedgerow.tables",
        "SELECT * FROM hedgerow.nothing;",
    ],
)
def test_a_system_table_is_known_by_its_schema(sql: str) -> None:
    assert is_system_query(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM hedgerow",
        "SELECT COUNT(*) FROM visits WHERE region = 'FROM hedgerow.budget'",
        "SELECT COUNT(*) FROM visits -- FROM hedgerow.budget",
        "SELECT EXTRACT(YEAR FROM hedgerow.day), COUNT(*) FROM visits hedgerow GROUP BY 1",
        "SELECT COUNT(*) FROM (SELECT * FROM hedgerow.budget)",
        "SELECT 'open",
        "DROP TABLE hedgerow.budget",
        "FROM 'hedgerow'.x",
        "",
    ],
)
def test_everything_else_is_not(sql: str) -> None:
    assert not is_system_query(sql)


def test_a_question_that_is_not_text_is_not_a_system_query() -> None:
    assert not is_system_query(5)  # type: ignore[arg-type]


def test_every_table_can_be_asked_by_its_name(db: Database) -> None:
    for table in SYSTEM_TABLES:
        assert ask(db, f"SELECT COUNT(*) AS n FROM hedgerow.{table}")[0]["n"] > 0
    region = (
        "SELECT value_list FROM hedgerow.columns WHERE \"table\" = 'visits' AND name = 'region'"
    )
    assert ask(db, region) == [{"value_list": "'north', 'south', 'east', 'west'"}]


def test_columns_conditions_order_and_limit(db: Database) -> None:
    assert ask(db, "SELECT name, max_groups AS caps FROM hedgerow.tables WHERE NOT public") == [
        {"name": "visits", "caps": 2}
    ]
    assert ask(db, "SELECT currency FROM hedgerow.budget ORDER BY currency") == [
        {"currency": "delta"},
        {"currency": "epsilon"},
        {"currency": "rho"},
    ]
    falling = ask(
        db,
        "SELECT b.currency AS c, b.left FROM hedgerow.budget AS b ORDER BY c DESC LIMIT 1 OFFSET 1",
    )
    assert falling == [{"c": "epsilon", "left": 3.0}]
    named = (
        "SELECT name FROM hedgerow.columns WHERE \"table\" = 'visits' AND (name LIKE 'a%' OR name"
        " IN ('cost')) ORDER BY 'x', name"
    )
    with pytest.raises(Refused, match="sorted by columns"):
        ask(db, named)
    assert ask(db, named.replace("'x', ", "")) == [{"name": "age"}, {"name": "cost"}]
    assert ask(
        db,
        "SELECT COUNT(*) AS n FROM hedgerow.columns WHERE max BETWEEN '1' AND '2' AND NOT is_unit",
    ) == [{"n": 2}]
    assert ask(
        db,
        "SELECT COUNT(*) FROM hedgerow.budget WHERE currency = 'epsilon' AND total = 3 AND left"
        " >= 2.5",
    ) == [{"count": 1}]


def test_null_comes_last_or_where_it_is_wanted(db: Database) -> None:
    ordered = "SELECT name FROM hedgerow.tables ORDER BY population"
    assert [row["name"] for row in ask(db, ordered)] == ["visits", "regions"]
    assert [row["name"] for row in ask(db, ordered + " NULLS FIRST")] == ["regions", "visits"]
    assert ask(db, "SELECT name FROM hedgerow.tables WHERE population IS NULL") == [
        {"name": "regions"}
    ]
    assert ask(db, "SELECT name FROM hedgerow.tables WHERE max_groups > 1") == [{"name": "visits"}]


def test_a_star_is_every_column(db: Database) -> None:
    found = answer_system_query("SELECT * FROM hedgerow.tables", db, None)
    assert found.columns[:3] == ("name", "population", "unit_kind")
    assert answer_system_query("SELECT t.* FROM hedgerow.tables t", db, None).rows == found.rows
    assert len(found) == 2


def test_nothing_is_charged_and_no_engine_starts(db: Database) -> None:
    before = len(db.ledger.entries())
    assert answer_system_query("SELECT * FROM hedgerow.ledger", db, None).cost.epsilon == 0
    assert answer_system_query("SELECT * FROM hedgerow.ledger", db, "ana").rows == []
    assert len(db.ledger.entries()) == before
    assert db._engine is None


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("EXPLAIN PRIVACY SELECT * FROM hedgerow.budget", "cost nothing"),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) * FROM hedgerow.budget",
            "cost nothing",
        ),
        (
            "SELECT * FROM hedgerow.bugdet",
            r"no system table bugdet[\s\S]*Did you mean hedgerow.budget",
        ),
        ("SELECT * FROM hedgerow.xyz", "Use hedgerow.budget, hedgerow.ledger"),
        ("SELECT * FROM other.hedgerow.budget", "must be the only table"),
        (
            "SELECT * FROM (SELECT 1) AS x JOIN hedgerow.budget ON TRUE",
            "cannot be joined",
        ),
        ("SELECT * FROM hedgerow.budget, hedgerow.tables", "cannot be joined"),
        ("SELECT * FROM hedgerow.budget WHERE total + 1 > 2", "limited to comparisons"),
        ("SELECT * FROM hedgerow.budget WHERE total > (SELECT 1)", "limited to comparisons"),
        ("SELECT * FROM hedgerow.budget WHERE currency", "needs a condition"),
        ("SELECT * FROM hedgerow.budget WHERE nothing = 1", "nothing"),
        ("SELECT total + 1 FROM hedgerow.budget", "show columns unchanged"),
        ("SELECT COUNT(*), total FROM hedgerow.budget", "show columns unchanged"),
        ("SELECT COUNT(total) FROM hedgerow.budget", "show columns unchanged"),
        ("SELECT total, * FROM hedgerow.budget", "total is selected twice"),
        ("SELECT * EXCLUDE (total) FROM hedgerow.budget", "no EXCEPT or REPLACE"),
        ("SELECT unknown FROM hedgerow.budget", "unknown"),
        ("SELECT population FROM hedgerow.budget GROUP BY population", "GROUP"),
        ("SELECT DISTINCT population FROM hedgerow.budget", "DISTINCT"),
        ("SELECT * FROM hedgerow.budget ORDER BY total + 1", "sorted by columns"),
        ("SELECT * FROM hedgerow.budget LIMIT 1 + 1", "LIMIT needs a number"),
        ("SELECT * FROM hedgerow.budget LIMIT 1 OFFSET 'a'", "OFFSET needs a number"),
        ("SELECT * FROM hedgerow.budget UNION ALL SELECT * FROM hedgerow.budget", "single SELECT"),
        ("SELECT * FROM hedgerow.budget WHERE", "is not valid SQL"),
    ],
)
def test_everything_else_is_refused_in_a_sentence(db: Database, sql: str, told: str) -> None:
    assert is_system_query(sql) or "other." in sql
    with pytest.raises(Refused, match=told):
        answer_system_query(sql, db, None)
