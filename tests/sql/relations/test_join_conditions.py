"""Join conditions, apart from other conditions."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.relations.join_conditions import JoinConditions, JoinInput
from hedgerow.sql.relations.table_scan import scan_table
from hedgerow.sql.syntax.source_text import tokenise
from sql.helpers_fixtures import CATALOG

TEXT = tokenise("SELECT COUNT(*) FROM visits v, labs l")


def ties(where: str) -> JoinConditions:
    tables = [exp.table_("visits", alias="v"), exp.table_("labs", alias="l")]
    select = exp.select("*").where(where, dialect="duckdb")
    return JoinConditions(
        TEXT,
        [JoinInput(scan_table(TEXT, table, CATALOG), table) for table in tables],
        select.args["where"].this,
    )


def test_equalities_of_columns_of_two_sources_are_join_conditions() -> None:
    found = ties(
        "v.patient_id = l.patient_id AND (age = visit_age AND age > 3) AND v.age = v.visits_before"
        " AND value = 3"
    )
    assert [(tie.first[1].name, tie.second[1].name) for tie in found.conditions] == [
        ("patient_id", "patient_id"),
        ("age", "visit_age"),
    ]
    assert [node.sql() for node, _ in found.filters] == [
        "age > 3",
        "v.age = v.visits_before",
        "value = 3",
    ]


def test_a_join_condition_has_two_ends() -> None:
    (tie,) = ties("age = visit_age").conditions
    here = tie.find_ends(0)
    assert here is not None
    assert (here[0].name, here[1], here[2].name) == ("age", 1, "visit_age")
    assert tie.find_ends(2) is None


def test_an_equality_in_every_branch_of_an_or_is_a_join_condition() -> None:
    found = ties("(age = visit_age AND value > 3) OR (value < 1 AND visit_age = age)")
    assert len(found.conditions) == 1
    assert len(found.filters) == 1
    assert not ties("age = visit_age OR value > 3").conditions
    assert not ties("age = value OR age = visit_age").conditions


def test_ambiguous_names_are_refused_as_join_conditions() -> None:
    assert not ties("patient_id = age").conditions
    assert not ties("nothing = visit_age").conditions
    assert not ties("x.age = visit_age").conditions
