"""Rows that meet rows of other units: the pairs in joins_across_units.sql."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.measures import Truncation
from hedgerow.plan.nodes import Filter
from hedgerow.plan.relations import find_owner_join
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from hedgerow.sql.relations.joins_across_units import joins_across_units
from sql.helpers_fixtures import CATALOG, ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("joins_across_units"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("joins_across_units__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_the_order_of_from_does_not_change_the_plan() -> None:
    first, *others = [
        ask(f"SELECT topic, COUNT(*), SUM(likes) FROM {rows} GROUP BY topic").plan
        for rows in (
            "posts p JOIN replies r ON r.post_id = p.post_id WHERE likes > 2",
            "replies r JOIN posts p USING (post_id) WHERE likes > 2",
            "posts p, (SELECT * FROM replies WHERE likes > 2) r WHERE r.post_id = p.post_id",
            "(SELECT topic, likes FROM posts p JOIN replies r USING (post_id)) x WHERE likes > 2",
        )
    ]
    assert all(plan == first for plan in others)


def test_conditions_on_one_side_are_applied_before_it_is_truncated() -> None:
    plan = ask(
        "SELECT COUNT(*) FROM posts p JOIN replies r USING (post_id)"
        " WHERE score > 0 AND likes > 3 AND likes < score"
    ).plan
    join = find_owner_join(plan.bound.source)
    assert join is not None
    assert joins_across_units(plan.bound.source)
    sides = [join.source.source, join.other.source]  # type: ignore[union-attr]
    assert [type(side) for side in sides] == [Filter, Filter]


def test_the_largest_caps_of_a_side_hold() -> None:
    plan = ask(
        "SELECT COUNT(*) FROM replies r JOIN posts p ON p.post_id = r.post_id"
        " JOIN replies s ON s.user_id = p.author_id"
    ).plan
    assert plan.truncations is not None
    assert set(plan.truncations) == {Truncation(9, 3)}


def test_without_caps_the_refusal_names_the_lines_to_declare() -> None:
    entries = {name: replace(entry, join_caps=None) for name, entry in CATALOG.tables.items()}
    for rows, lines in [
        (
            "posts p JOIN replies r ON r.post_id = p.post_id",
            "Add p.author_id = r.user_id. Or let a few of them meet: under [tables.posts] and"
            " [tables.replies], declare max_join_rows_per_unit = 20 and max_join_rows_per_key = 5.",
        ),
        (
            "views v JOIN views w ON v.post_id = w.post_id",
            "Join it with public tables only. Or let a few of them meet: under [tables.views],"
            " declare max_join_rows_per_key = 5.",
        ),
    ]:
        with pytest.raises(Unsupported) as caught:
            parse_question(f"SELECT COUNT(*) FROM {rows}", Catalog(entries))
        assert str(caught.value).splitlines()[-1] == lines


def test_too_many_groups_of_two_sides_are_refused() -> None:
    with pytest.raises(Refused, match="at most 100,000"):
        ask(
            "SELECT a.score, b.score, c.score, COUNT(*) FROM posts a JOIN posts c ON a.author_id ="
            " c.author_id JOIN posts b ON b.tag = a.tag GROUP BY a.score, b.score, c.score"
        )
