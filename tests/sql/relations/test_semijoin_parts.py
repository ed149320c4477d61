"""The parts of IN (SELECT …) and EXISTS (SELECT …)."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from hedgerow.sql.relations.column_names import ColumnNames
from hedgerow.sql.relations.semijoin_parts import Semijoin, is_semijoin, parse_semijoin
from sql.helpers_fixtures import CATALOG


def _parse(sql: str) -> Semijoin | None:
    node = sqlglot.parse_one(f"SELECT {sql}", dialect="duckdb").expressions[0]
    assert is_semijoin(node)
    return parse_semijoin(node, ColumnNames(CATALOG, {}))


def test_conditions_on_outer_columns_are_taken_apart() -> None:
    found = _parse(
        "EXISTS (SELECT 1 FROM labs l JOIN regions r ON r.region = l.kind AND l.value = v.cost"
        " WHERE l.patient_id = v.patient_id AND v.age < l.visit_age AND v.smoker AND l.value > 3)"
    )
    assert found is not None
    assert [(here.sql(), there.sql()) for here, there in found.pairs] == [
        ("v.patient_id", "l.patient_id"),
        ("v.cost", "l.value"),
    ]
    assert found.comparison is not None
    assert found.comparison[0] is exp.GT  # of the inner value, which comes first
    assert [condition.sql() for condition in found.outer_conditions] == ["v.smoker"]
    assert found.rows.args["where"].sql() == "WHERE l.value > 3 AND r.region = l.kind"
    assert (found.values, found.is_public) == (0, False)


def test_in_compares_its_values_last() -> None:
    found = _parse("(a, b) IN (SELECT drug, price FROM drugs WHERE drug = c)")
    assert found is not None
    assert [here.sql() for here, _ in found.pairs] == ["c", "a", "b"]
    assert (found.values, found.is_public, found.is_correlated) == (2, True, True)


@pytest.mark.parametrize(
    "sql",
    [
        "a + 1 IN (SELECT drug FROM drugs)",
        "(a, b) IN (SELECT drug FROM drugs)",
        "a IN (SELECT * FROM drugs)",
        "EXISTS (SELECT COUNT(*) FROM labs WHERE patient_id = a)",  # always one row
        "EXISTS (SELECT 1 FROM labs WHERE patient_id = a LIMIT 0)",
        "EXISTS (SELECT 1 FROM labs WHERE patient_id = a AND value < b AND value > c)",
        "EXISTS (SELECT 1 FROM labs WHERE patient_id = a AND (value > b OR value < 3))",
        "EXISTS (SELECT 1 FROM drugs WHERE price > b)",
        "EXISTS (SELECT 1 FROM labs WHERE value = b + 1)",
        "EXISTS (SELECT kind FROM labs WHERE patient_id = a AND value > b GROUP BY kind)",
        "EXISTS (SELECT 1)",
    ],
)
def test_other_forms_have_no_parts(sql: str) -> None:
    assert _parse(sql) is None
