"""UNNEST of the pieces of a text: the pairs in unnest.sql, and the meaning of each form."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from hedgerow.errors import Refused
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs
from sql.helpers_three_readers import Readers, open_readers, owned_tables


@pytest.mark.parametrize(("sql", "expected"), pairs("unnest"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("unnest__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    random = Random("pieces")
    data = owned_tables()
    data["visits"] = [
        {**row, "city": random.choice([None, "", "".join(random.choices(r"ab,%_\\", k=7))])}
        for row in data["visits"]
    ]
    with open_readers(data) as opened:
        yield opened


@pytest.mark.parametrize("separator", [",", "%", "_", "\\", "ab", ",a", "%_"])
def test_pieces_are_those_of_plain_sql(readers: Readers, separator: str) -> None:
    pieces = f"UNNEST(string_split(city, '{separator}')[1:8])"
    found = readers.read(
        f"SELECT COUNT(*), piece FROM (SELECT {pieces} AS piece FROM visits) GROUP BY piece"
    )
    assert len(found) > 3
    kept = f"visits LEFT JOIN {pieces} AS t(piece) ON TRUE"
    whole = readers.read(f"SELECT COUNT(*), COUNT(piece), COUNT(DISTINCT patient_id) FROM {kept}")
    assert whole[0][0] > whole[0][1]  # visits without a city


FORMS = (
    "SELECT COUNT(*), piece FROM (SELECT UNNEST(string_split(city, ',')[1:3]) AS piece FROM visits)"
    " GROUP BY piece",
    "SELECT COUNT(*), piece FROM visits, UNNEST(string_split(city, ',')[1:3]) AS t(piece)"
    " GROUP BY piece",
    "SELECT COUNT(*), t.piece FROM visits v CROSS JOIN UNNEST(string_to_array(v.city, ',')[1:3])"
    " AS t(piece) GROUP BY t.piece",
    "SELECT COUNT(*), t.piece FROM visits v, LATERAL (SELECT UNNEST(string_split(v.city, ',')[1:3])"
    " AS piece) t GROUP BY t.piece",
    "SELECT COUNT(*), UNNEST(string_split(city, ',')[1:3]) AS piece FROM visits GROUP BY piece",
    "WITH p AS (SELECT patient_id, UNNEST(string_split(city, ',')[1:3]) AS piece FROM visits)"
    " SELECT COUNT(*), piece FROM p GROUP BY piece",
)


def test_all_forms_are_one_question() -> None:
    assert len({ask(sql).plan for sql in FORMS}) == 1


def test_a_plan_is_bounded_behind_the_union() -> None:
    bound = ask(FORMS[0]).plan.bound
    assert (bound.max_groups, bound.max_rows) == (3, 5)  # as for the rows of visits


def test_rows_that_are_units_are_not_multiplied() -> None:
    with pytest.raises(Refused, match="every row is its own unit"):
        ask("SELECT COUNT(*) FROM answers, UNNEST(string_split(region, 'o')[1:2]) AS t(x)")
