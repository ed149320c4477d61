"""Names of columns before binding: what is public, and what belongs to an outer SELECT."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from hedgerow.sql.relations.column_names import ColumnNames
from sql.helpers_fixtures import CATALOG

NAMES = ColumnNames(CATALOG, {})


def _parse(sql: str) -> exp.Select:
    found = sqlglot.parse_one(sql, dialect="duckdb")
    assert isinstance(found, exp.Select)
    return found


@pytest.mark.parametrize(
    ("sql", "outer"),
    [
        ("SELECT 1 FROM labs l WHERE l.patient_id = v.patient_id", ["patient_id"]),
        ("SELECT 1 FROM labs WHERE value > age AND VISIT_AGE > 3", ["age"]),
        ("SELECT 1 FROM patients WHERE id = 3 AND sex = city", ["city"]),  # id is the privacy id
        ("SELECT 1 FROM (SELECT value AS x FROM labs) WHERE x > value", ["value"]),
        ("SELECT 1 FROM (SELECT * FROM labs) WHERE value > x", ["x"]),
        ("SELECT 1 FROM (SELECT value FROM labs) AS t (x) WHERE x > value", ["value"]),
        ("SELECT 1 FROM labs WHERE EXISTS (SELECT 1 FROM drugs d WHERE price > value)", []),
        ("SELECT 1 FROM labs WHERE EXISTS (SELECT 1 FROM drugs WHERE price > age)", ["age"]),
    ],
)
def test_a_name_belongs_to_the_innermost_select_that_has_it(sql: str, outer: list[str]) -> None:
    select = _parse(sql)
    sources = NAMES.list_sources(select)
    assert sources is not None
    found = NAMES.list_outer_columns(select.args["where"].this, sources)
    assert [column.name for column in found] == outer


def test_a_query_is_public_if_all_its_tables_are() -> None:
    assert NAMES.is_public(_parse("SELECT 1 FROM drugs JOIN regions ON drug = zone"))
    for sql in ("SELECT 1 FROM drugs, labs", "SELECT 1 FROM nowhere", "SELECT 1"):
        assert not NAMES.is_public(_parse(sql))


def test_sources_that_are_not_tables_are_unknown() -> None:
    for source in ("nowhere", "range(3)", "(WITH a AS (SELECT 1 AS x) SELECT * FROM a)"):
        assert NAMES.list_sources(_parse(f"SELECT 1 FROM {source} AS t")) is None
