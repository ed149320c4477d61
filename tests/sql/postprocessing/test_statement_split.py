"""Statements that are split: which parts become pieces, and which refusals remain."""

from __future__ import annotations

import re

import pytest
from sqlglot import exp

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.sql.postprocessing.pieces import SplitStatement
from hedgerow.sql.postprocessing.statement_split import split_statement
from sql.helpers_fixtures import CATALOG

GROUPS = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
OTHER = Unsupported("This is not one question. Ask something else.")


def split(sql: str) -> SplitStatement:
    return split_statement(sql, CATALOG, OTHER)


def write(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb").replace('"', "")


@pytest.mark.parametrize(
    ("sql", "pieces", "outer"),
    [
        (
            f"SELECT MAX(n) FROM ({GROUPS}) t",
            [GROUPS],
            "SELECT MAX(n) FROM (SELECT * FROM answer 0) AS t",
        ),
        (
            f"WITH a AS ({GROUPS}) SELECT SUM(n) FROM a",
            [GROUPS],
            "WITH a AS (SELECT * FROM answer 0) SELECT SUM(n) FROM a",
        ),
        (
            "WITH old AS (SELECT * FROM visits WHERE age > 60), b AS (SELECT COUNT(*) AS n FROM"
            " old) SELECT n + 1 FROM b",
            [
                "WITH old AS (SELECT * FROM visits WHERE age > 60) SELECT COUNT(*) AS n FROM old",
            ],
            "WITH b AS (SELECT * FROM answer 0) SELECT n + 1 FROM b",
        ),
        (
            f"SELECT * FROM ({GROUPS}) a JOIN ({GROUPS}) b USING (region)",
            [GROUPS],  # equal pieces are one
            "SELECT * FROM (SELECT * FROM answer 0) AS a JOIN (SELECT * FROM answer 0) AS b"
            " USING (region)",
        ),
        (
            "SELECT (SELECT COUNT(*) FROM visits) + 1 AS n",
            ["SELECT COUNT(*) FROM visits"],
            "SELECT (SELECT * FROM answer 0) + 1 AS n",
        ),
    ],
)
def test_innermost_questions_become_pieces(sql: str, pieces: list[str], outer: str) -> None:
    found = split(sql)
    assert [write(piece.select) for piece in found.pieces] == pieces
    assert write(found.tree) == outer


def test_names_of_pieces_differ_from_names_of_the_statement() -> None:
    found = split(f'SELECT MAX(n) AS "Answer 0" FROM ({GROUPS}) t')
    assert found.pieces[0].name == "answer_ 0"


def test_a_named_subquery_hides_the_table_of_its_name() -> None:
    found = split(f"WITH visits AS ({GROUPS}) SELECT MAX(n) FROM visits")
    assert len(found.pieces) == 1
    assert write(found.tree).endswith("SELECT MAX(n) FROM visits")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT age FROM visits",
        "SELECT age FROM visits UNION ALL SELECT COUNT(*) FROM visits",
        f"SELECT v.age, t.n FROM visits v, ({GROUPS}) t",
        f"SELECT n FROM ({GROUPS}) t WHERE n IN (SELECT age FROM visits)",
        "SELECT COUNT(*) OVER () FROM visits",
        "SELECT region, COUNT(*) AS n, age FROM visits GROUP BY ROLLUP (region)",
        "SELECT 1",
        "SELECT MEDIAN(age) JOIN visits",  # without FROM
    ],
)
def test_an_unanswerable_private_part_keeps_its_refusal(sql: str) -> None:
    with pytest.raises(Unsupported) as raised:
        split(sql)
    assert raised.value is OTHER


def test_a_sample_with_which_no_row_is_left_is_not_taken() -> None:
    above = "SELECT region, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t FROM visits WHERE age + 10 <"
    found = split(f"{above} (SELECT AVG(age) FROM visits) GROUP BY region")  # 1 is tried first
    assert len(found.pieces) == 2
    assert (found.notes, found.key_tables) == ((), ())


def test_a_missing_bound_of_a_piece_is_named() -> None:
    with pytest.raises(Unbounded, match="order_id"):
        split("SELECT MAX(s) FROM (SELECT SUM(order_id * 1.0) AS s FROM orders) t")


@pytest.mark.parametrize(
    ("sql", "pieces"),
    [
        (
            "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
            ["SELECT AVG(age) FROM visits", "SELECT COUNT(*) FROM visits WHERE age > $c"],
        ),
        (
            "WITH old AS (SELECT * FROM visits WHERE age > (SELECT AVG(age) FROM visits))"
            " SELECT region, COUNT(*) / SUM(COUNT(*)) OVER () FROM old GROUP BY region",
            [
                "SELECT AVG(age) FROM visits",
                "WITH old AS (SELECT * FROM visits WHERE age > $c) SELECT region AS region,"
                " COUNT(*) AS aggregate 0 FROM old GROUP BY region",
            ],
        ),
        (
            f"WITH a AS ({GROUPS}) SELECT COUNT(*) FROM visits WHERE age > (SELECT MAX(n) FROM a)",
            [GROUPS, "SELECT COUNT(*) FROM visits WHERE age > $c"],
        ),
        (  # equal constants are one
            "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)"
            " AND age < 9 + (SELECT AVG(age) FROM visits)",
            [
                "SELECT AVG(age) FROM visits",
                "SELECT COUNT(*) FROM visits WHERE age > $c AND age < 9 + $c",
            ],
        ),
    ],
)
def test_scalar_subqueries_of_rows_are_answered_first(sql: str, pieces: list[str]) -> None:
    found = [re.sub(r"\$answer constant \d+", "$c", write(one.select)) for one in split(sql).pieces]
    assert found == pieces


def test_a_correlated_subquery_is_refused_with_the_rewrite() -> None:
    with pytest.raises(Unsupported, match=r"reads v\.region.*(?s:.*)GROUP BY id"):
        split(
            "SELECT COUNT(*) FROM visits v WHERE v.age >"
            " (SELECT AVG(w.age) FROM visits w WHERE w.region = v.region)"
        )


def test_an_aggregate_that_cannot_be_answered_is_named() -> None:
    with pytest.raises(Unsupported, match="STRING_AGG"):
        split("SELECT RANK() OVER (ORDER BY STRING_AGG(region, ',')) FROM visits")


@pytest.mark.parametrize(
    ("sql", "pieces"),
    [
        (
            "SELECT field, COUNT(*) FROM rota WHERE field IS NOT NULL GROUP BY ROLLUP (field)",
            1,
        ),
        ("SELECT field, COUNT(*) FROM rota GROUP BY ROLLUP (field)", 2),  # the total counts NULL
        ("SELECT region, COUNT(*) FROM answers GROUP BY ROLLUP (region)", 2),  # undeclared keys
        ("SELECT kind, COUNT(*) FROM labs WHERE kind = 'hb' GROUP BY ROLLUP (kind)", 2),  # caps
        (
            "SELECT COALESCE(field, 'none') AS f, years, SUM(years) FROM rota WHERE years > 3"
            " GROUP BY ROLLUP (f, years)",
            1,
        ),
    ],
)
def test_levels_are_added_up_only_where_no_row_is_lost(sql: str, pieces: int) -> None:
    assert len(split(sql).pieces) == pieces


def test_too_many_pieces_are_refused() -> None:
    parts = " + ".join(f"(SELECT COUNT(*) FROM visits WHERE age > {n})" for n in range(21))
    with pytest.raises(Unsupported, match="21 private questions"):
        split(f"SELECT {parts}")


def test_recursive_subqueries_are_refused() -> None:
    with pytest.raises(Unsupported, match="RECURSIVE"):
        split(f"WITH RECURSIVE a AS ({GROUPS}) SELECT MAX(n) FROM a")


def test_declared_keys_are_a_table_and_no_piece() -> None:
    found = split("SELECT DISTINCT kind, kind = 'hb' AS is_hb FROM labs WHERE value > 3")
    assert found.pieces == ()
    rows = {tuple(row.values()) for row in found.key_tables[0].rows}
    assert rows == {("hb", True), ("na", False)}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT region FROM patients p",
        "SELECT drug FROM lines GROUP BY drug",  # along a link, without a column of the id
        "SELECT DISTINCT l.drug FROM orders o JOIN lines l USING (order_id) WHERE o.urgent",
        "SELECT DISTINCT x FROM (SELECT patient_id AS who, city AS x FROM visits) t",
    ],
)
def test_undeclared_keys_are_chosen_by_a_count_of_units(sql: str) -> None:
    (piece,) = split(sql).pieces
    assert [one.kind for one in piece.build_question(CATALOG).plan.measures] == ["units"]


def test_undeclared_keys_of_rows_are_chosen_by_a_count_of_rows() -> None:
    (piece,) = split("SELECT DISTINCT region FROM answers").pieces
    assert [one.kind for one in piece.build_question(CATALOG).plan.measures] == ["rows"]


@pytest.mark.parametrize(
    "sql", ["SELECT DISTINCT id FROM patients", "SELECT id FROM patients GROUP BY id"]
)
def test_ids_are_not_keys(sql: str) -> None:
    with pytest.raises(Unsupported) as raised:
        split(sql)
    assert raised.value is OTHER


def test_a_group_of_ids_is_refused_for_what_it_is() -> None:
    with pytest.raises(Unsupported, match="Grouping by it would show each unit on its own"):
        split("SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id")


def test_named_arguments_stay_with_their_aggregate() -> None:
    """Alone above its piece, SUM(x, method => …) would be a refusal about something else."""
    call = "SUM(age, contribution_bounds_per_group => (0, 9))"
    (piece, *_) = split(f"SELECT region, {call} FROM visits GROUP BY ROLLUP (region)").pieces
    assert piece.heading.text.named_arguments[0].limits == (0, 9)
    assert piece.select.find(exp.Anonymous) is not None
    with pytest.raises(Unsupported, match="SUM takes no method"):
        split("SELECT SUM(age, method => 'smooth') FROM visits")
