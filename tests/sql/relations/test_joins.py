"""Joins: the pairs in joins.sql."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.relations.joins import MAX_INPUTS
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs
from sql.helpers_three_readers import Readers, open_readers


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with open_readers() as opened:
        yield opened


@pytest.mark.parametrize(("sql", "expected"), pairs("joins"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("joins__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_the_order_of_the_tables_does_not_matter() -> None:
    one = ask("SELECT SUM(amount) FROM orders o, lines l WHERE o.order_id = l.order_id AND urgent")
    two = ask("SELECT SUM(amount) FROM orders JOIN lines USING (order_id) WHERE urgent")
    assert one.plan == two.plan


def test_too_many_sources_are_refused() -> None:
    def sources(count: int) -> str:
        return "SELECT COUNT(*) FROM visits v0" + "".join(
            f" JOIN visits v{i} USING (patient_id)" for i in range(1, count)
        )

    assert ask(sources(MAX_INPUTS)).tables == ("visits",)
    with pytest.raises(Unsupported, match="more than 30 tables and subqueries"):
        ask(sources(MAX_INPUTS + 1))


def test_caps_are_the_largest_of_the_tables() -> None:
    bound = ask(
        "SELECT kind, city, COUNT(*) FROM visits JOIN labs USING (patient_id) GROUP BY kind, city"
    ).plan.bound
    assert (bound.max_groups, bound.max_rows) == (3, 7)


EACH = "(SELECT patient_id, COUNT(*) AS n FROM labs GROUP BY patient_id)"
BY_AGE = "(SELECT patient_id, visit_age, COUNT(*) AS n FROM labs GROUP BY patient_id, visit_age)"


@pytest.mark.parametrize(
    ("rows", "most"),
    [
        (f"visits v JOIN {EACH} x ON v.patient_id = x.patient_id", 5),
        (f"{EACH} x JOIN visits v ON v.patient_id = x.patient_id", 5),
        (f"visits v LEFT JOIN {EACH} x ON v.patient_id = x.patient_id", 5),
        (f"visits v JOIN {BY_AGE} x ON v.patient_id = x.patient_id AND x.visit_age = v.age", 5),
        (f"{BY_AGE} x JOIN visits v ON v.patient_id = x.patient_id AND x.visit_age = v.age", 5),
        (
            (
                f"{BY_AGE} x, regions r, visits v WHERE v.patient_id = x.patient_id AND x.visit_age"
                " = v.age AND r.region = v.region"
            ),
            5,
        ),
        # several of hers for each visit
        (f"visits v JOIN {BY_AGE} x ON v.patient_id = x.patient_id", 7),
        # those without a visit stay
        (
            f"{BY_AGE} x LEFT JOIN visits v ON v.patient_id = x.patient_id AND x.visit_age = v.age",
            7,
        ),
        (
            (
                f"visits v JOIN {EACH} x ON v.patient_id = x.patient_id JOIN labs l ON l.patient_id"
                " = v.patient_id"
            ),
            7,
        ),
        (
            (
                f"visits v JOIN (SELECT l.* FROM labs l JOIN {EACH} x USING (patient_id)) y ON"
                " v.patient_id = y.patient_id"
            ),
            7,
        ),
        (f"(SELECT v.* FROM visits v JOIN {EACH} x USING (patient_id)) v", 5),
        (
            (
                "(SELECT patient_id, age FROM visits UNION ALL SELECT v.patient_id, age FROM"
                f" visits v JOIN {EACH} x USING (patient_id)) v"
            ),
            5,
        ),
        (
            (
                "(SELECT patient_id, age FROM visits UNION ALL SELECT patient_id, visit_age FROM"
                " labs) v"
            ),
            7,
        ),
        (
            (
                f"(SELECT v.patient_id, region FROM visits v JOIN {EACH} x USING (patient_id) GROUP"
                " BY v.patient_id, region) v"
            ),
            5,
        ),
        (f"{EACH} x JOIN {EACH} y ON x.patient_id = y.patient_id", 1),
        (f"{EACH} x JOIN drugs ON drugs.price = x.n", 7),  # one row each, and public ones
    ],
)
def test_tables_matched_at_most_once_leave_the_caps_unchanged(rows: str, most: int) -> None:
    assert ask(f"SELECT COUNT(*) FROM {rows}").plan.bound.max_rows == most


def test_in_and_exists_leave_the_caps_unchanged() -> None:
    for condition in (
        "patient_id IN (SELECT patient_id FROM labs)",
        "patient_id NOT IN (SELECT patient_id FROM labs WHERE value > 3)",
    ):
        assert (
            ask(
                f"SELECT region, COUNT(*) FROM visits WHERE {condition} GROUP BY region"
            ).plan.bound.max_rows
            == 5
        )
    bound = ask(
        "SELECT kind, COUNT(*) FROM labs WHERE patient_id IN (SELECT patient_id FROM orders) GROUP"
        " BY kind"
    ).plan.bound
    assert (bound.max_groups, bound.max_rows) == (2, 7)


THREE = ("orders o", "lines l", "drugs d")
TIED = "o.order_id = l.order_id AND l.drug = d.drug AND o.patient_id = v.patient_id AND urgent"


def test_the_order_of_from_does_not_change_the_plan() -> None:
    plans = [
        ask(
            f"SELECT v.region, SUM(amount * price) FROM {', '.join(order)} WHERE {TIED} GROUP BY"
            " v.region"
        ).plan
        for order in permutations((*THREE, "visits v"))
    ]
    assert len(plans) == 24
    assert all(plan == plans[0] for plan in plans)
    assert (
        ask(
            f"SELECT v.region, SUM(amount) FROM {', '.join(THREE)}, visits v WHERE {TIED} GROUP BY"
            " v.region"
        ).plan
        != plans[0]
    )


def test_either_side_of_an_equality_is_the_same() -> None:
    """USING reads the left column, which equals the right one; but among reals 0.0 equals -0.0."""
    one, two = (
        ask(f"SELECT drug, COUNT(*) FROM {rows} USING (drug) GROUP BY drug").plan
        for rows in ("lines JOIN drugs", "drugs JOIN lines")
    )
    assert one == two
    ages = [
        ask(
            f"SELECT AVG({side}) FROM visits v JOIN labs l ON v.patient_id = l.patient_id AND"
            " l.visit_age = v.age"
        ).plan
        for side in ("age", "visit_age")
    ]
    assert ages[0] == ages[1]
    few = "(SELECT patient_id, value FROM labs WHERE kind = 'hb')"
    tied = f"labs a JOIN {few} b ON a.patient_id = b.patient_id AND a.value = b.value"
    assert (
        ask(f"SELECT AVG(a.value) FROM {tied}").plan != ask(f"SELECT AVG(b.value) FROM {tied}").plan
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM patients p LEFT JOIN visits v ON v.patient_id = p.id WHERE"
        " v.patient_id IS NULL",
        "SELECT COUNT(*) FROM patients p LEFT JOIN (SELECT patient_id AS who FROM visits) v ON"
        " v.who = p.id WHERE v.who IS NOT NULL AND p.id IS NOT NULL",
        "SELECT COUNT(v.patient_id) AS n, COUNT(DISTINCT v.patient_id) AS people FROM patients p"
        " LEFT JOIN visits v ON v.patient_id = p.id AND v.age > 30",
        "SELECT SUM(CASE WHEN s.patient_id IS NOT NULL AND w.id IS NULL THEN 1 ELSE 0 END) AS n"
        " FROM (SELECT patient_id FROM labs GROUP BY patient_id) s LEFT JOIN (SELECT id FROM"
        " patients GROUP BY id) w ON s.patient_id = w.id",
        "SELECT n, COUNT(*) AS people FROM (SELECT p.id, COUNT(v.patient_id) AS n FROM patients p"
        " LEFT JOIN visits v ON v.patient_id = p.id GROUP BY p.id) t GROUP BY n",
        "SELECT v.patient_id IS NULL AS none, COUNT(*) AS n FROM patients p LEFT JOIN visits v ON"
        " v.patient_id = p.id GROUP BY v.patient_id IS NULL",
    ],
)
def test_an_id_behind_a_left_join_tells_whether_there_is_a_row(sql: str, readers: Readers) -> None:
    assert readers.read(sql)


def test_an_id_behind_a_left_join_cannot_be_selected() -> None:
    with pytest.raises(Unsupported) as caught:
        ask(
            "SELECT COUNT(*) FROM (SELECT v.patient_id FROM patients p LEFT JOIN visits v ON"
            " v.patient_id = p.id)"
        )
    assert str(caught.value).endswith(
        "Use patient_id of the left table, or test whether it IS NULL."
    )


@pytest.mark.parametrize(
    "on",
    [
        "l.patient_id = v.patient_id AND v.age > 40",
        "l.patient_id = v.patient_id AND v.city LIKE 'A%' AND v.smoker AND l.kind LIKE 'h%'",
        "l.patient_id = v.patient_id AND (v.age > 40 OR v.region = 'north') AND l.value > 9",
        "l.patient_id = v.patient_id AND l.visit_age = v.age AND 3 < v.visits_before",
    ],
)
def test_a_left_join_keeps_rows_that_do_not_meet_its_conditions(on: str, readers: Readers) -> None:
    readers.read(
        f"SELECT COUNT(*) AS n, COUNT(l.patient_id) AS m, SUM(l.value) AS s FROM visits v"
        f" LEFT JOIN labs l ON {on}"
    )


def test_conditions_on_both_sides_need_one_match(readers: Readers) -> None:
    each = "(SELECT patient_id, MAX(visit_age) AS a FROM labs GROUP BY patient_id)"
    asked = (
        "SELECT COUNT(*) AS n, COUNT(l.patient_id) AS m, COUNT(l.a) AS s FROM visits v LEFT JOIN"
    )
    readers.read(f"{asked} {each} l ON l.patient_id = v.patient_id AND l.a > v.age")
    readers.read(
        "SELECT COUNT(*) AS n, COUNT(r.zone) AS z FROM visits v LEFT JOIN regions r ON r.region ="
        " v.region AND (r.zone = 'a' OR v.city LIKE 'B%')"
    )
    with pytest.raises(Unsupported, match="may match several rows"):
        ask(
            "SELECT COUNT(*) FROM visits v LEFT JOIN labs l ON l.patient_id = v.patient_id AND"
            " l.visit_age > v.age"
        )
