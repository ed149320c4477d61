"""UNION, INTERSECT and EXCEPT of rows with the privacy id: their meaning, plans and caps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sql.helpers_fixtures import ask, check_answered, check_refused, pairs
from sql.helpers_three_readers import Readers, open_readers


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with open_readers() as opened:
        yield opened


@pytest.mark.parametrize(("sql", "expected"), pairs("set_operations"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("set_operations__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


AGES, LABS = "SELECT patient_id, age FROM visits", "SELECT patient_id, visit_age FROM labs"
IDS = "SELECT patient_id FROM visits"


@pytest.mark.parametrize(
    "rows",
    [
        f"{AGES} INTERSECT {LABS}",  # NULL equals NULL in both
        f"{AGES} EXCEPT {LABS}",
        f"{LABS} EXCEPT {AGES}",
        f"{AGES} UNION {LABS}",
        f"{AGES} UNION {LABS} INTERSECT SELECT id, 7 FROM patients",
        f"({AGES} UNION {LABS}) INTERSECT {AGES} WHERE smoker",
        f"{IDS} INTERSECT SELECT patient_id FROM labs EXCEPT SELECT id FROM patients WHERE"
        " sex = 'f'",
        f"{IDS} UNION ALL SELECT patient_id FROM labs EXCEPT SELECT id FROM patients",
        "SELECT DISTINCT patient_id FROM labs EXCEPT ALL SELECT patient_id FROM visits",
        f"{IDS} INTERSECT ALL SELECT patient_id FROM labs GROUP BY patient_id",
        f"{IDS} UNION SELECT id AS patient_id FROM patients",
        "SELECT patient_id, age, Cost FROM visits EXCEPT SELECT patient_id, 3, visit_age FROM labs",
        "SELECT order_id FROM orders EXCEPT SELECT order_id FROM lines WHERE amount > 15",
    ],
)
def test_set_operations_mean_what_they_mean_in_sql(rows: str, readers: Readers) -> None:
    assert readers.read(f"SELECT COUNT(*) AS n FROM ({rows}) AS t")[0] > (0,)


def test_the_id_stays_the_id_in_the_result(readers: Readers) -> None:
    rows = f"(SELECT patient_id AS who FROM labs INTERSECT {IDS}) AS t"
    readers.read(f"SELECT sex, COUNT(*) AS n FROM patients JOIN {rows} ON who = id GROUP BY sex")
    bound = ask(f"SELECT COUNT(*) FROM {rows}").plan.bound
    assert (bound.max_groups, bound.max_rows) == (1, 1)  # one row per person


def test_either_order_of_intersect_is_one_question() -> None:
    one, two = (
        ask(f"SELECT COUNT(*) FROM ({a} INTERSECT {b})").plan
        for a, b in ((AGES, LABS), (LABS, AGES))
    )
    assert one == two
