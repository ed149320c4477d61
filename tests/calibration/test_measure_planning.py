"""The measures that a plan gets under its noise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.calibration.measure_planning import add_deciding_count, plan_measures
from hedgerow.calibration.noise_choice import calibrate_noise
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit

MEASURES = (
    Measure("rows"),
    Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 10)),
    Measure("total", "v0", ClampedGrid(Fraction(1), -5, 10)),
)


def plan(
    *measures: Measure | OrderStatistic,
    domain: object = None,
    rows: int = 3,
    groups: int = 2,
    units: int | None = None,
    unit: str = "who",
) -> Aggregate:
    columns = (Column("k", "text"), Column("x", "integer", Fraction(-5), Fraction(10)))
    schema = Schema("t", columns, unit, max_units=units)
    source = Project(Table(schema), (("k0", ColumnRef("k")), ("v0", ColumnRef("x"))))
    return Aggregate(Group(Bound(source, ("k0",), groups, rows), domain), measures)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", ["laplace", "gaussian", "best"])
def test_people_are_counted_beside_rows_where_that_shows_much_smaller_groups(law: Any) -> None:
    unit = Unit("add-remove", "who")

    def more(*measures: Measure, **caps: Any) -> bool:
        asked = plan(*measures, **caps)
        found = {
            plan_measures(asked, unit, epsilon=Fraction(e), delta=Fraction(1, 10**6), kind=law)
            for e in ("1/1000", "1/10", "1", "9")
        }
        # a question is the same one at every epsilon, but for the kind of the best noise
        assert len(found) == 1 or law == "best"
        (counted,) = {Measure("units") in one.measures for one in found}
        return counted

    assert not more(MEASURES[0], rows=1)  # rows are people
    assert not more(*MEASURES[:2], rows=2)
    assert more(*MEASURES[:2], rows=5)
    # elsewhere it would take half of epsilon
    assert more(MEASURES[0], rows=5) == (law == "gaussian")
    assert more(MEASURES[0], rows=20)
    assert not more(*MEASURES[:2], rows=5, domain=(("a", "b"),))
    asked, share = (
        plan(*MEASURES[:2], Measure("units"), rows=5),
        {"epsilon": Fraction(1, 10), "delta": Fraction(1, 10**6)},
    )
    assert Measure("units") in plan_measures(asked, unit, kind=law, **share).measures
    asked = plan(*MEASURES[:2], rows=5)
    by_rows, by_people = (
        calibrate_noise(each, unit, kind=law, **share).threshold
        for each in (asked, plan_measures(asked, unit, kind=law, **share))
    )
    assert by_rows is not None
    assert by_people is not None
    assert by_people.minimum_count * math.sqrt(5) * 4 / 3 <= by_rows.minimum_count


def test_a_count_that_is_asked_for_chooses_the_keys_too() -> None:
    assert add_deciding_count(plan(*MEASURES)) == plan(*MEASURES)
    assert add_deciding_count(plan(MEASURES[1])).measures == (MEASURES[1], Measure("units"))
    assert add_deciding_count(plan(MEASURES[1], domain=(("a",),))).measures == (MEASURES[1],)
