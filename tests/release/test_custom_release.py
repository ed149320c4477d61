"""The release of a custom mechanism: charged first, and only within what was proved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from doorway import (
    Plain,
    charge,
    custom,
    ledger,
    plan,
)
from hedgerow.errors import BudgetExceeded, InvalidArgument, SourceError
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.release.custom_release import release_custom
from hedgerow.release.release import SOURCE_FAILED

CROSS = Aggregate(
    Group(
        Bound(
            Project(
                Table(Schema("visits", (Column("x", "integer"),), "who")), (("v0", ColumnRef("x")),)
            ),
            (),
            1,
            3,
        ),
        (),
    ),
    (Contingency((("v0", 7),)),),
)


def test_a_custom_mechanism_is_charged_before_it_sees_the_numbers() -> None:
    book, source, seen = ledger(), Plain(), []

    def run(numbers: Sequence[int]) -> str:
        seen.append([entry.kind for entry in book.entries()][-1])
        return json.dumps(list(numbers))

    by_day = plan(Measure("units"), domain=((date(2026, 1, 2), date(2026, 1, 1)),))
    plans = [
        replace(by_day, source=replace(by_day.source, source=replace(by_day.bound, max_groups=1))),
        plan(Measure("units"), keys=(), domain=()),
    ]
    payload, entry = release_custom(plans, source, book, custom(run), charge("r1"))
    first, second, whole = json.loads(payload)
    assert whole == 40
    assert first + second == 40  # of one group each, in the order that was declared
    assert seen == ["charge"]
    assert Loss.from_dict(entry.body["charges"]["people"]) == Loss(Fraction(1, 2))
    again, same = release_custom(plans, source, book, custom(run), charge("r1"))
    assert (again, same.seq, source.runs, len(seen)) == (payload, entry.seq, 2, 1)


def test_plans_beyond_the_proved_sensitivity_are_refused_uncharged() -> None:
    book, source = ledger(), Plain()
    units, rows = (plan(Measure(kind), keys=(), domain=()) for kind in ("units", "rows"))
    for plans, reach in (
        ([units, units], Sensitivity.of(1)),  # two numbers move, where one may
        ([rows], Sensitivity.each(3, 1)),  # by three, where it may be one
        # together too far
        ([units, units], Sensitivity(3, Fraction(1), Fraction(3, 2), Fraction(3, 2))),
        # too far in squares
        ([rows, rows], Sensitivity(3, Fraction(4), Fraction(6), Fraction(17))),
    ):
        with pytest.raises(InvalidArgument, match="must stay within the sensitivity"):
            release_custom(plans, source, book, custom(reach=reach), charge())
    assert source.runs == 0
    assert book.state.budget("people").charged == Loss(Fraction(0))


@pytest.mark.parametrize(
    "plans",
    [
        [],
        [plan(Measure("units"))],
        [plan(Measure("units"), Measure("rows"), keys=(), domain=())],
        [plan(Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 6)), keys=(), domain=())],
        [CROSS],
    ],
)
def test_a_custom_mechanism_takes_single_numbers_of_declared_groups(
    plans: list[Aggregate],
) -> None:
    with pytest.raises(InvalidArgument, match="must each have one measure of one number"):
        release_custom(plans, Plain(), ledger(), custom(), charge())


def test_a_failing_custom_mechanism_is_charged_and_reveals_nothing() -> None:
    book = ledger()

    def run(numbers: Sequence[int]) -> str:
        raise RuntimeError(f"the secret is {numbers}")

    with pytest.raises(SourceError) as told:
        release_custom(
            [plan(Measure("units"), keys=(), domain=())], Plain(), book, custom(run), charge()
        )
    assert told.value.args == (SOURCE_FAILED,)
    assert told.value.__context__ is None
    assert [entry.kind for entry in book.entries()][-2:] == ["charge", "failure"]


def test_a_custom_mechanism_beyond_the_budget_sees_nothing() -> None:
    source = Plain()
    with pytest.raises(BudgetExceeded):
        release_custom(
            [plan(Measure("units"), keys=(), domain=())],
            source,
            ledger(Fraction(1, 4)),
            custom(),
            charge(),
        )
    assert source.runs == 0
