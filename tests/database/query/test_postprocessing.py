"""Statements that are split: what they cost, what their SQL sees, and what they mean."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from database.clinic import REGIONS, exactly, visits, write
from database.query.helpers_split_statements import (
    OLDER,
    SHARES,
    TWO_TOTALS,
    compute_without_privacy,
    count_charges,
    list_kinds,
    repr_key,
)
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database import open
from hedgerow.database.query import answer_tables, postprocessing
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import BudgetExceeded, LedgerError, Refused, SourceError


@pytest.mark.parametrize(
    "sql",
    [
        SHARES,
        TWO_TOTALS,
        "SELECT region, RANK() OVER (ORDER BY COUNT(*) DESC, region) AS place FROM data"
        " WHERE region <> 'east' GROUP BY region",
        "SELECT region, n, SUM(n) OVER (ORDER BY region) FROM (SELECT region, COUNT(*) AS n FROM"
        " data GROUP BY region) t",
        "WITH a AS (SELECT region, COUNT(*) AS n FROM data GROUP BY region), t AS (SELECT SUM(n)"
        " AS total FROM a) SELECT a.region, a.n / t.total FROM a CROSS JOIN t",
        "WITH old AS (SELECT * FROM data WHERE age > 60), a AS (SELECT region, AVG(cost) AS m FROM"
        " old GROUP BY region), b AS (SELECT region, AVG(cost) AS m FROM data GROUP BY region)"
        " SELECT a.region, a.m - b.m FROM a JOIN b ON a.region = b.region",
        "SELECT MAX(n) - MIN(n) FROM (SELECT region, COUNT(*) AS n FROM data GROUP BY region) t",
        "SELECT COUNT(*) FROM (SELECT region, COUNT(*) AS n FROM data GROUP BY region) t"
        " WHERE n > 100",
        "SELECT 'all' AS region, COUNT(*) FROM data UNION ALL SELECT region, COUNT(*) FROM data"
        " GROUP BY region",
        "(SELECT COUNT(*) FROM data) UNION ALL (SELECT SUM(age) FROM data)",
        "SELECT * FROM (SELECT region, SUM(age) AS s FROM data GROUP BY region ORDER BY s DESC,"
        " region LIMIT 2) t",
        "SELECT COUNT(*), (SELECT AVG(cost) FROM data) FROM data",
        "SELECT region, COUNT(*) FROM data GROUP BY ROLLUP (region)",
        "SELECT region, age >= 50 AS old, COUNT(*) AS n, GROUPING(region) FROM data"
        " GROUP BY CUBE (region, old)",
        "SELECT region, age >= 50 AS old, SUM(age) FROM data GROUP BY GROUPING SETS ((region),"
        " (old), ()) HAVING COUNT(*) > 10",
        "SELECT region, COUNT(*) AS n FROM data GROUP BY region"
        " QUALIFY ROW_NUMBER() OVER (ORDER BY n DESC, region) <= 2",
        "SELECT CASE WHEN n > 100 THEN 'many' ELSE 'few' END AS size, COUNT(*) FROM (SELECT region,"
        " COUNT(*) AS n FROM data GROUP BY region) t GROUP BY 1",
        "SELECT region FROM (SELECT region, COUNT(*) AS n FROM data GROUP BY region) t"
        " WHERE n > (SELECT COUNT(*) / 5 FROM data)",
        "SELECT region, COUNT(*) FILTER (WHERE age > 50) / SUM(COUNT(*)) OVER () FROM data"
        " GROUP BY region",
        "SELECT region, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY region) FROM data GROUP BY region",
    ],
)
def test_a_statement_means_what_sql_means_where_noise_is_small(sql: str) -> None:
    exact = compute_without_privacy(sql)
    columns = {"age": (0, 110), "cost": {"type": "real", "min": 0, "max": 100, "step": 1}}
    with exactly(columns=columns | {"region": list(REGIONS)}) as db:
        answer = db.query(sql, epsilon=4500)
        assert isinstance(answer, PostprocessedAnswer)
        found = [tuple(row.values()) for row in answer.rows]
    for row, expected in zip(sorted(found, key=repr_key), sorted(exact, key=repr_key), strict=True):
        for value, wanted in zip(row, expected, strict=True):
            if isinstance(wanted, str | bool) or wanted is None:
                assert value == wanted
            else:
                assert float(value) == pytest.approx(float(wanted), rel=1e-3, abs=0.05)


def test_pieces_share_the_epsilon_and_are_charged_together() -> None:
    with exactly(epsilon=3) as db:
        answer = db.query(TWO_TOTALS, epsilon=1)
        assert isinstance(answer, PostprocessedAnswer)
        assert [piece.cost.epsilon for piece in answer.pieces] == [Fraction(1, 2)] * 2
        assert answer.cost.epsilon == 1
        assert db.budget.epsilon.spent == 1  # type: ignore[union-attr]
        assert count_charges(db) == 2
        again = db.query(TWO_TOTALS, epsilon=1)
        assert again.rows == answer.rows
        assert again.receipt.reused
        assert count_charges(db) == 2


def test_a_budget_that_covers_only_some_pieces_is_not_charged() -> None:
    with exactly(epsilon=1, delta=None) as db:
        db.query("SELECT SUM(age) FROM data", epsilon=Fraction(1, 2))
        with pytest.raises(BudgetExceeded):
            db.query(TWO_TOTALS, epsilon=1)
        assert count_charges(db) == 1
        assert db.query("SELECT COUNT(*) FROM data", epsilon=Fraction(1, 2)).rows


def test_a_quota_that_covers_only_some_pieces_is_not_charged(tmp_path: Path) -> None:
    with open(write(tmp_path / "clinic"), analyst="ana") as db:  # with a quota of 0.5
        sql = TWO_TOTALS.replace("data", "visits")
        with pytest.raises(BudgetExceeded, match="quota"):
            db.query(sql, epsilon=Fraction(3, 4))
        assert count_charges(db) == 0
        assert db.query(sql, epsilon=Fraction(1, 2)).rows


def test_a_piece_asked_alone_is_free_and_a_stored_piece_is_not_charged() -> None:
    with exactly(epsilon=3) as db:
        db.query(TWO_TOTALS, epsilon=1)
        alone = db.query("SELECT COUNT(*) FROM data", epsilon=Fraction(1, 2))
        assert isinstance(alone, Answer)
        assert alone.receipt.reused
        more = db.query(
            "SELECT (SELECT COUNT(*) FROM data) - (SELECT COUNT(*) FROM data WHERE age < 30)",
            epsilon=1,
        )
        assert more.cost.epsilon == Fraction(1, 2)


def test_one_request_is_charged_once_and_gives_one_answer() -> None:
    with exactly(epsilon=3) as db:
        first = db.query(TWO_TOTALS, epsilon=1, request="r1")
        again = db.query(TWO_TOTALS, epsilon=1, request="r1")
        assert first.rows == again.rows
        assert count_charges(db) == 2
        other = TWO_TOTALS.replace("50", "60")
        with pytest.raises(LedgerError, match="r1"):
            db.query(other, epsilon=1, request="r1")


def test_an_error_above_the_pieces_loses_nothing() -> None:
    with exactly(epsilon=3) as db:
        sql = "SELECT CAST(CAST(n AS TEXT) || 'x' AS INTEGER) FROM (SELECT COUNT(*) AS n FROM data)"
        with pytest.raises(SourceError, match="stored"):
            db.query(sql, epsilon=1)
        mended = db.query(sql.replace("CAST(CAST", "TRY_CAST(CAST"), epsilon=1)
        assert mended.receipt.reused
        assert count_charges(db) == 1


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nothing FROM (SELECT COUNT(*) AS n FROM data) t", "no column nothing"),
        ("SELECT RANDOM() FROM (SELECT COUNT(*) AS n FROM data) t", "not supported"),
        ("SELECT NOW(), n FROM (SELECT COUNT(*) AS n FROM data) t", "not supported"),
        ("SELECT n FROM (SELECT COUNT(*) AS n FROM data) t, range(3)", "plain table name"),
        (
            "WITH RECURSIVE t AS (SELECT COUNT(*) AS n FROM data UNION ALL SELECT n FROM t)"
            " SELECT * FROM t",
            "RECURSIVE",
        ),
        ("SELECT region, COUNT(*) OVER () FROM data", "region"),
        ("SELECT * FROM (SELECT patient_id, COUNT(*) FROM data GROUP BY patient_id) t", "SELECT"),
        ("SELECT a.age FROM data a, (SELECT COUNT(*) AS n FROM data) t", "."),
        ("SELECT (SELECT age FROM data) + COUNT(*) FROM data", "."),
        ("SELECT n FROM (SELECT COUNT(*) AS n FROM data) t JOIN data ON age = n", "."),
        ("SELECT n FROM (SELECT COUNT(*) AS n FROM data) t WHERE EXISTS (SELECT 1 FROM data)", "."),
        (
            "SELECT "
            + " + ".join(f"(SELECT COUNT(*) FROM data WHERE age > {n})" for n in range(25)),
            "25 private questions",
        ),
    ],
)
def test_refused_statements_are_not_charged(sql: str, words: str) -> None:
    with exactly(epsilon=3) as db:
        with pytest.raises(Refused, match=words):
            db.query(sql, epsilon=1)
        assert count_charges(db) == 0


def test_the_sql_above_the_pieces_sees_noisy_values_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    run = answer_tables.run_public_query

    def spy(query: Any, policy: Any, catalog: Any, frames: Any) -> Any:
        seen.extend(frames.values())
        assert all(entry.schema.unit is None for entry in catalog.tables.values())
        return run(query, policy, catalog, frames)

    monkeypatch.setattr(answer_tables, "run_public_query", spy)
    with exactly(epsilon=3) as db:
        answer = db.query(SHARES, epsilon=1)
        assert isinstance(answer, PostprocessedAnswer)
    noisy = [row["aggregate 0"] for row in answer.pieces[0].rows]
    assert seen[0].column("aggregate 0").to_pylist() == noisy


def test_a_released_scalar_is_a_constant_of_a_second_release() -> None:
    with exactly(epsilon=3) as db:
        answer = db.query(OLDER, epsilon=1)
        assert list_kinds(db) == ["charge", "charge", "answer", "answer"]
        assert answer.cost.epsilon == db.budget.epsilon.spent == 1  # type: ignore[union-attr]
        (mean,) = answer.pieces[0].rows[0].values()
        written = OLDER.replace("(SELECT AVG(age) FROM data)", repr(mean))
        alone = db.query(written, epsilon=Fraction(1, 2))
        assert isinstance(alone, Answer)
        assert alone.receipt.reused
        assert alone.rows == answer.rows == db.query(OLDER, epsilon=1).rows
        assert count_charges(db) == 2


def test_a_stored_scalar_leaves_its_share_uncharged() -> None:
    with exactly(epsilon=3) as db:
        db.query("SELECT AVG(age) FROM data", epsilon=1)
        assert db.query(OLDER, epsilon=1).cost.epsilon == Fraction(1, 2)


def test_explain_shows_the_share_that_is_reserved() -> None:
    with exactly(epsilon=3) as db:
        shown = db.explain(OLDER, epsilon=1)
        assert shown.cost.epsilon == 1
        assert len([step for step in shown.steps if "epsilon 0.5" in step]) == 2
        assert any(line.error_95 for line in shown.lines)
        db.query(OLDER, epsilon=1)
        assert all("free" in step for step in db.explain(OLDER, epsilon=1).steps[:2])
        assert count_charges(db) == 2


def test_a_piece_that_is_stored_at_a_larger_epsilon_is_not_charged() -> None:
    with exactly(epsilon=5) as db:
        db.query("SELECT COUNT(*) FROM data", epsilon=2)
        found = db.query(TWO_TOTALS, epsilon=1)
        assert [piece.receipt.reused for piece in found.pieces] == [False, True]
        assert found.cost.epsilon == Fraction(1, 2)
        assert db.query(TWO_TOTALS, epsilon=2).cost.epsilon == 1  # the other one is worth half


def test_a_budget_that_covers_only_the_scalar_is_not_charged() -> None:
    with exactly(epsilon=1, delta=None) as db:
        db.query("SELECT SUM(age) FROM data", epsilon=Fraction(1, 2))
        with pytest.raises(BudgetExceeded):
            db.query(OLDER, epsilon=1)
        assert count_charges(db) == 1


@pytest.mark.parametrize(
    ("scalar", "words"),
    [
        ("SELECT CASE WHEN AVG(age) > 200 THEN 1 END FROM data", "no value"),
        ("SELECT AVG(age) * 1e9 FROM data", "never true"),
        ("SELECT n FROM (SELECT region, COUNT(*) AS n FROM data GROUP BY region) t", "4 rows"),
    ],
)
def test_a_scalar_that_is_no_constant_leaves_its_answer_stored(scalar: str, words: str) -> None:
    with exactly(epsilon=3) as db:
        sql = OLDER.replace("SELECT AVG(age) FROM data", scalar)
        with pytest.raises(Refused, match=words):
            db.query(sql, epsilon=1)
        assert count_charges(db) == 2
        with pytest.raises(Refused, match=words):
            db.query(sql, epsilon=1)
        assert count_charges(db) == 2  # now it is known before the charge


def test_a_constant_of_another_type_is_refused_before_the_charge() -> None:
    with exactly(epsilon=3) as db:
        sql = OLDER.replace("AVG(age)", "CAST(AVG(age) AS TEXT)")
        with pytest.raises(Refused, match="type"):
            db.query(sql, epsilon=1)
        assert count_charges(db) == 0


def test_a_reserved_request_is_finished_by_its_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with exactly(epsilon=3) as db:
        with monkeypatch.context() as broken:
            broken.setattr(postprocessing, "release_reserved", stop)
            with pytest.raises(KeyboardInterrupt):
                db.query(OLDER, epsilon=1, request="r1")
        assert list_kinds(db) == ["charge", "charge", "answer"]
        assert len(db.query(OLDER, epsilon=1, request="r1").rows) == 4
        assert list_kinds(db) == ["charge", "charge", "answer", "answer"]


def test_a_constant_of_public_rows_is_exact_and_free(tmp_path: Path) -> None:
    with open(write(tmp_path / "clinic"), analyst="bob") as db:
        sql = OLDER.replace("data", "visits")
        scalar = "(SELECT AVG(age) FROM visits)"
        answer = db.query(sql.replace(scalar, "(SELECT 20 * COUNT(*) FROM regions)"), epsilon=1)
        assert isinstance(answer, Answer)
        assert answer.cost.epsilon == 1
        assert db.query(sql.replace(scalar, "40"), epsilon=1).receipt.reused


def test_without_the_common_charge_some_pieces_would_be_charged_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shows that the test above can fail."""

    def charge_nothing(*_: Any) -> list[Any]:
        return []

    monkeypatch.setattr(postprocessing, "charge_together", charge_nothing)
    with exactly(epsilon=1, delta=None) as db:
        db.query("SELECT SUM(age) FROM data", epsilon=Fraction(1, 2))
        with pytest.raises(BudgetExceeded):
            db.query(TWO_TOTALS, epsilon=1)
        assert count_charges(db) == 2  # the first piece was charged alone


def test_explain_shows_the_pieces_and_charges_nothing() -> None:
    with exactly(epsilon=3) as db:
        shown = db.query(f"EXPLAIN PRIVACY {TWO_TOTALS}", epsilon=1)
        assert isinstance(shown, Explanation)
        assert shown.epsilon == 1
        assert shown.cost.epsilon == 1
        assert len([step for step in shown.steps if "epsilon 0.5" in step]) == 2
        assert count_charges(db) == 0
        db.query("SELECT COUNT(*) FROM data", epsilon=1)
        later = db.explain(TWO_TOTALS, epsilon=1)
        assert later.cost.epsilon == Fraction(1, 2)
        assert any("free" in step for step in later.steps)


def test_declared_keys_are_free_and_undeclared_ones_are_charged() -> None:
    with exactly(epsilon=30) as db:
        regions = db.query("SELECT DISTINCT region FROM data WHERE age > 40")
        assert isinstance(regions, ExactTable)
        assert {row["region"] for row in regions.rows} == {"north", "south", "east", "west"}
        assert count_charges(db) == 0
        cities = db.query("SELECT city FROM data GROUP BY city", epsilon=20)
        assert isinstance(cities, PostprocessedAnswer)
        assert [tuple(row) for row in cities.rows] == [("city",)] * 2
        assert cities.cost.epsilon == 20


def test_a_failed_piece_leaves_the_others_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    release, runs = postprocessing.release, []

    def fail_first(*arguments: Any) -> Any:
        runs.append(arguments)
        if len(runs) == 1:
            raise SourceError("The engine stopped. Try again.")
        return release(*arguments)

    with exactly(epsilon=3) as db:
        with monkeypatch.context() as broken:
            broken.setattr(postprocessing, "release", fail_first)
            with pytest.raises(SourceError):
                db.query(TWO_TOTALS, epsilon=1)
        assert len(runs) == 2
        total = db.query("SELECT COUNT(*) FROM data", epsilon=Fraction(1, 2))
        assert total.receipt.reused


def test_a_statement_with_a_named_delta_shares_it() -> None:
    with protect(
        visits(),
        unit="patient_id",
        neighbours="add-remove",
        columns={"age": (0, 110)},
        epsilon=3,
        delta=1e-6,
        max_groups=1,
        max_units=100_000,
        max_rows_per_group=2,
    ) as db:
        answer = db.query(
            "SELECT city, COUNT(*) AS n FROM data GROUP BY city UNION ALL"
            " SELECT region, COUNT(*) FROM data GROUP BY region",
            epsilon=1,
            delta=1e-9,
        )
        assert answer.cost.delta <= Fraction(1, 10**9)
        assert len(answer.rows) >= 2
