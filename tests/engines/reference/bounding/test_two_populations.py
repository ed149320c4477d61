"""Questions about two populations in the interpreter: no unit of either moves them too far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from depth import many
from engines.reference.helpers_bounding_mistakes import (
    IDS,
    MISTAKES,
    PATIENTS,
    flat,
)
from hedgerow.engines.reference.interpreter import (
    evaluate_relation,
    interpret_plan,
)
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import (
    Table,
)
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import meetings


@pytest.mark.parametrize("case", IDS)
def test_rows_are_assigned_to_their_owners(case: str) -> None:
    declared, raw, found = IDS[case]
    table = Table(Schema("t", () if declared is None else (declared,), "id"))
    data = {"t": [{"id": one, "ID": one} for one in raw]}
    assert [unit for unit, _ in evaluate_relation(table, data)] == found


def test_rows_meet_one_row_of_whom_they_name() -> None:
    """Of doctor 1 the first row by what it adds; doctor 4 does not exist, and who names nobody
    is dropped.
    """
    met = list(evaluate_relation(meetings.meeting((), bonds=3), PATIENTS))
    assert [unit for unit, _ in met] == [(1, 1), (1, 1), (1, 1), (1, 2), (2, 1), (3, 1)]
    assert [(row["ward"], row["fee"]) for _, row in met[2:4]] == [("a", 3), ("b", None)]


def test_references_are_chosen_before_the_join() -> None:
    """Doctor 4, whom nobody knows, takes the place of one that counts."""

    def backwards(unit: Value, cell: tuple[Value, ...]) -> int:
        return -int(str(cell[0]))

    assert [
        unit for unit, _ in evaluate_relation(meetings.meeting((), bonds=2), PATIENTS, backwards)
    ] == [(1, 2), (2, 1), (3, 1)]
    # With the month in it, a bond is a doctor and a month.
    twice = {
        **PATIENTS,
        "visits": [
            {"id": 1, "doctor": 1, "month": month, "cost": 1}
            for month in ("may", "june", "may", None)
        ],
    }
    assert len(list(evaluate_relation(meetings.meeting(("month",), bonds=2), twice, flat))) == 2
    assert len(list(evaluate_relation(meetings.meeting((), bonds=1), twice, flat))) == 4


def test_each_number_of_a_second_unit_is_clamped() -> None:
    measures = (
        Measure("rows"),
        Measure("units"),
        Measure("total", "cost", meetings.COST),
        Measure("moments", "cost", meetings.COST),
    )
    plain = meetings.asked(("ward",), measures, bonds=3, rows=2, most=9)
    # Patient 1 has three visits to doctor 1, of which two count: 15 * 2/3 = 10; and patients 2 and
    # 3 bring -2 and 4.
    assert interpret_plan(plain, PATIENTS, flat) == {
        ("a",): (4, 3, 12, 20, 8),
        ("b",): (1, 1, 5, 7, 0),
    }
    tight = meetings.asked(("ward",), measures, bonds=3, rows=2, most=2)
    assert interpret_plan(tight, PATIENTS, flat) == {
        ("a",): (2, 2, 10, 14, 8),
        ("b",): (1, 1, 5, 7, 0),
    }


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("table", ["visits", "doctors"])
def test_no_unit_of_two_populations_changes_an_answer_more_than_declared(
    table: str, relation: Relation
) -> None:
    assert list(meetings.searched(table, relation, range(many(60)), interpret_plan)) == []


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_unit_of_either_population_reaches_the_stated_sensitivity(relation: Relation) -> None:
    """One month, one doctor for each visit, caps that bind."""
    asked = meetings.asked(("month",), (Measure("rows"),), bonds=2, rows=2, most=3)
    unit = Unit(relation, "id")
    (mine,), (theirs,) = asked.sensitivity(unit), asked.second_population_sensitivity(unit)

    def visits(who: int, month: str, doctors: tuple[int, ...]) -> list[dict[str, Any]]:
        return [{"id": who, "doctor": doctor, "month": month, "cost": 1} for doctor in doctors]

    def told(visits: list[dict[str, Any]], doctors: tuple[int, ...]) -> list[int]:
        found = interpret_plan(
            asked,
            {"visits": visits, "doctors": [{"id": who, "ward": "a", "fee": 1} for who in doctors]},
            flat,
        )
        return [found[(month,)][0] for month in meetings.MONTHS]

    busy = visits(1, "may", (1, 1, 2, 2))
    other = [] if relation == "add-remove" else visits(2, "july", (1, 1, 2, 2))
    moved = [abs(a - b) for a, b in zip(told(busy, (1, 2)), told(other, (1, 2)), strict=True)]
    assert (sum(moved), max(moved), sum(move**2 for move in moved)) == (
        mine.l1,
        mine.linf,
        mine.l2_squared,
    )
    everywhere = [
        line
        for who in (1, 2, 3, 4)
        for month in meetings.MONTHS
        for line in visits(who * 10 + len(month), month, (1,))
    ]
    moved = [abs(a - b) for a, b in zip(told(everywhere, (1,)), told(everywhere, ()), strict=True)]
    if relation == "add-remove":
        assert moved == [3, 3, 3]
        assert (sum(moved), max(moved), len(moved)) == (theirs.l1, theirs.linf, theirs.l0)
    # all three months; replaced, a doctor still moves no more than that, since there are no others
    assert theirs.l1 == 9


@pytest.mark.long
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistakes_in_the_bounds_of_two_populations_are_found(
    mistake: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, relation = MISTAKES[mistake]
    mistake(monkeypatch)
    assert next(meetings.searched(table, relation, range(600), interpret_plan), None) is not None
