from __future__ import annotations

import pytest

from hedgerow.service.wire.catalog.published_tables import PublishedColumn, PublishedTable
from hedgerow.service.wire.parameter_uses import find_parameter_uses

TABLES = (
    PublishedTable(
        "public",
        "visits",
        (
            PublishedColumn("age", "int8", None, "18"),
            PublishedColumn("cost", "float8"),
            PublishedColumn("day", "date", None, "'2026-01-31'"),
            PublishedColumn("region", "text", None, "'north'"),
            PublishedColumn("is_new", "bool"),
            PublishedColumn("x", "int8"),
        ),
    ),
    PublishedTable("public", "shifts", (PublishedColumn("x", "text"),)),
)
INT, TEXT, REAL, DATE, BOOL, COUNT = 1700, 25, 701, 1082, 16, 20


@pytest.mark.parametrize(
    ("condition", "oids"),
    [
        ("age > $1 AND region = $2", [INT, TEXT]),
        ("$1 <= age AND (cost < $2 OR is_new = $3)", [INT, REAL, BOOL]),
        ("age BETWEEN $1 AND $2 AND region IN ($3, $4)", [INT, INT, TEXT, TEXT]),
        ("day >= $1 AND DATE_TRUNC('month', day) = $2", [DATE, DATE]),
        ("LOWER(region) = $1 AND region LIKE $2 AND CONCAT(region, $3) = $4", [TEXT, TEXT, TEXT]),
        ("age + $1 > 5 AND EXTRACT(YEAR FROM day) = $2", [INT, INT]),
        ("COALESCE(age, $1) > 3 AND NOT $2", [INT, BOOL]),
        ("CASE WHEN age > $1 THEN cost ELSE $2 END > 1", [INT, REAL]),
        ("age = ANY($1) AND region <> ALL($2)", [1231, 1009]),
        ("age > CAST($1 AS bigint) LIMIT $2", [INT, COUNT]),
        ("visits.age > $1 AND public.visits.region = $2", [INT, TEXT]),
    ],
)
def test_a_parameter_is_what_it_is_compared_with(condition: str, oids: list[int]) -> None:
    uses = find_parameter_uses(f"SELECT COUNT(*) FROM visits WHERE {condition}", TABLES)
    assert [uses[place].oid for place in sorted(uses)] == oids


def test_a_name_of_a_subquery_and_a_clause_of_options_are_seen_through() -> None:
    uses = find_parameter_uses(
        "WITH a AS (SELECT age + 1 AS older, region AS place FROM visits)"
        " SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = $1) COUNT(*) FROM a"
        " WHERE older > $2 AND place = $3",
        TABLES,
    )
    assert {place: use.oid for place, use in uses.items()} == {2: INT, 3: TEXT}


def test_values_that_stand_in_are_those_that_a_column_may_have() -> None:
    uses = find_parameter_uses(
        "SELECT COUNT(*) FROM visits WHERE region = $1 AND age < $2 AND day = $3"
        " AND region = ANY($4) AND age = ANY($5)",
        TABLES,
    )
    assert [uses[place].stand_in for place in sorted(uses)] == [
        "'north'",
        "18",
        "'2026-01-31'",
        "'{\"north\"}'",
        "'{18}'",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT $1",
        "SELECT COUNT(*) FROM nothing WHERE a = $1",
        "SELECT COUNT(*) FROM visits, shifts WHERE x = $1",  # two columns, two types
        "SELECT COUNT(*) FROM visits WHERE age = 'unfinished $1",
        "SELECT COUNT(*) FROM WHERE $1",
        "DELETE FROM visits WHERE age = $1",
        "SELECT " + "(" * 5000 + "$1",
    ],
)
def test_an_unclear_parameter_is_left_out(text: str) -> None:
    assert find_parameter_uses(text, TABLES) == {}
