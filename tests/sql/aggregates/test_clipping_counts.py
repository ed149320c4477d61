"""Sums with a count of clipped units: the pairs in clipping_counts.sql, and results on rows."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.sql.question import ClippingCount
from sql.helpers_exact_answers import clinic, tables
from sql.helpers_fixtures import ask, check_answered, check_refused, pairs

FEW = "contribution_bounds_per_group => (0, 90)"


@pytest.mark.parametrize(("sql", "expected"), pairs("clipping_counts"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("clipping_counts__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [("age", 20, 90), ("Cost", 100, 5000), ("-1 * age", -60, -3), ("age", -5, 10**9)],
)
def test_people_are_counted_by_all_of_their_rows(value: str, low: int, high: int) -> None:
    """The sum is the same as without the count, which counts people with a sum outside."""
    bounds = f"contribution_bounds_per_group => ({low}, {high})"
    data, question = (
        tables(),
        ask(f"SELECT SUM({value}, {bounds}, clipped => TRUE) AS s FROM visits"),
    )
    (plain,) = interpret_plan(
        ask(f"SELECT SUM({value}, {bounds}) FROM visits").plan, data, lambda *_: 0
    ).values()
    (found,) = interpret_plan(question.plan, data, lambda *_: 0).values()
    each: dict[object, float] = {}
    for row in data["visits"]:
        each[row["patient_id"]] = each.get(row["patient_id"], 0) + (
            -1 if "-" in value else 1
        ) * float(str(row[value.split()[-1]]))
    by_name = {
        call.name: found[question.plan.measures.index(call.measure)] for call in question.aggregates
    }
    assert by_name["a0"] == plain[0]
    assert by_name["a1"] == sum(not low <= round(total, 6) <= high for total in each.values())


def test_one_person_moves_each_groups_count_by_one_under_any_caps() -> None:
    plan = ask(f"SELECT region, SUM(age, {FEW}, clipped => TRUE) FROM visits GROUP BY region").plan
    assert plan.bound.max_rows == 1
    assert sorted(
        measure.contribution(1)  # type: ignore[union-attr]
        for measure in plan.measures
    ) == [
        (0, 1),
        (0, 90),
    ]


def clip_of(sql: str) -> ClippingCount:
    clip = ask(sql).aggregates[0].clip
    assert clip is not None
    return clip


def test_outer_bounds_come_from_single_rows_or_from_the_question() -> None:
    question = f"SUM(age, {FEW}, clipped => TRUE, outer_bounds_per_group => (-1, 400))"
    assert clip_of(f"SELECT SUM(age, {FEW}, clipped => TRUE) FROM visits").outer is None
    assert clip_of(f"SELECT {question} FROM visits").outer == (-1, 400)
    once = "(SELECT patient_id, MAX(age) AS age FROM visits GROUP BY patient_id)"
    assert clip_of(f"SELECT SUM(age, {FEW}, clipped => TRUE) FROM {once}").outer == (0, 110)
    assert clip_of(f"SELECT {question} FROM {once}").outer == (0, 110)
    scores = (
        "SELECT SUM(score, contribution_bounds_per_group => (-9, 2.5), clipped => TRUE) FROM"
        " answers"
    )
    assert clip_of(scores) == ClippingCount(
        "a1", (Fraction(-9), Fraction(3)), (Fraction(-9), Fraction(5))
    )
    total = "(SELECT patient_id, SUM(age) AS age FROM visits GROUP BY patient_id)"
    assert clip_of(f"SELECT SUM(age, {FEW}, clipped => TRUE) FROM {total}").outer is None


def test_without_declared_bounds_rows_are_clamped_to_the_outer_ones() -> None:
    """Clamped to the inner bounds, nobody with one row would be outside."""
    question = ask(
        f"SELECT SUM(visits_before, {FEW}, clipped => TRUE, outer_bounds_per_group => (0, 400))"
        " FROM visits"
    )
    rows = [
        {**clinic()[0], "patient_id": i, "visits_before": n}
        for i, n in enumerate((500, 90, 91, 3, -7))
    ]
    (found,) = interpret_plan(question.plan, {"visits": rows}, lambda *_: 0).values()
    by_name = {
        call.name: found[question.plan.measures.index(call.measure)] for call in question.aggregates
    }
    assert by_name == {"a0": 90 + 90 + 90 + 3, "a1": 2}
