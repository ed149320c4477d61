"""WHERE removes the groups that it rules out, and no others."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.plan.nodes import Filter, Project
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Expression,
    evaluate,
    infer_range,
)
from hedgerow.privacy.unit import Unit
from hedgerow.sql.predicates.domain_narrowing import (
    can_be_null,
    list_possible_values,
    narrow_domain,
    split_conjuncts,
)
from sql.helpers_fixtures import ask
from sql.predicates.helpers_conditions import KEYS, ROWS, TABLE, conditions


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.lists(conditions(), min_size=1, max_size=3), st.sampled_from(sorted(KEYS)))
def test_no_group_with_a_row_is_left_out(tests: list[Expression], name: str) -> None:
    key, rows = KEYS[name], TABLE
    every = list_possible_values(key, TABLE.columns, 1000) or set(
        infer_range(key, TABLE.columns).domain(1000) or ()
    )
    domain = tuple(sorted(every))  # type: ignore[type-var]
    for test in tests:
        rows = Filter(rows, test)  # type: ignore[assignment]
    kept = narrow_domain(Project(rows, (("k", key),)), ColumnRef("k"), domain, 1000)
    there = {
        evaluate(key, row) for row in ROWS if all(evaluate(test, row) is True for test in tests)
    } - {None}
    assert there <= set(kept) <= set(domain)


def values(sql: str) -> list[object]:
    domain = ask(sql).plan.source.domain
    assert domain is not None
    return list(domain[0])


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT age, COUNT(*) FROM visits WHERE age BETWEEN 60 AND 63 GROUP BY age",
            [60, 61, 62, 63],
        ),
        (
            (
                "SELECT age, COUNT(*) FROM visits WHERE age > 105 AND age < 109 AND age <> 107"
                " GROUP BY age"
            ),
            [106, 108],
        ),
        (
            "SELECT region, COUNT(*) FROM visits WHERE region <> 'west' GROUP BY region",
            ["east", "north", "south"],
        ),
        (
            (
                "SELECT DATE_TRUNC('month', taken), COUNT(*) FROM labs WHERE taken >= '2026-03-15'"
                " AND taken < '2026-05-01' GROUP BY 1"
            ),
            [date(2026, 3, 1), date(2026, 4, 1)],
        ),
        (
            (
                "SELECT age, COUNT(*) FROM visits JOIN labs USING (patient_id) WHERE age > 108"
                " GROUP BY age"
            ),
            [109, 110],
        ),
    ],
)
def test_the_condition_limits_the_groups(sql: str, expected: list[object]) -> None:
    assert values(sql) == expected


def test_two_spellings_of_one_key_range_have_the_same_groups() -> None:
    one, two = "age >= 60 AND age <= 63", "age IN (60, 61, 62, 63)"
    assert (
        len(
            {
                tuple(values(f"SELECT age, COUNT(*) FROM visits WHERE {where} GROUP BY age"))
                for where in (one, two)
            }
        )
        == 1
    )


def test_fewer_groups_never_move_further() -> None:
    sql = "SELECT region, COUNT(*) FROM visits {} GROUP BY region"
    wide, narrow = (ask(sql.format(where)).plan for where in ("", "WHERE region = 'north'"))
    unit = Unit("add-remove", "patient_id")
    assert narrow.sensitivity(unit)[0].l1 <= wide.sensitivity(unit)[0].l1


@pytest.mark.parametrize(
    ("where", "missing"),
    [
        ("age > 3", True),
        ("region <> 'west'", False),
        ("region = 'west' OR (region IN ('east') AND smoker)", False),
        ("'west' = region AND (smoker OR region = 'west')", False),
        ("region = 'west' OR smoker", True),
        ("region IS NULL OR region = 'west'", True),
    ],
)
def test_a_key_with_listed_values_has_no_null_group(where: str, missing: bool) -> None:
    bound = ask(f"SELECT region, COUNT(*) FROM visits WHERE {where} GROUP BY region").plan.bound
    assert can_be_null(bound.source, ColumnRef(bound.keys[0])) is missing


def test_a_logarithm_is_not_tried() -> None:
    assert list_possible_values(Call("ln", (ColumnRef("a"),)), TABLE.columns, 1000) is None
    assert list(split_conjuncts(ColumnRef("x"))) == [ColumnRef("x")]
