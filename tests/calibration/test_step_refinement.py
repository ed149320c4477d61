"""Counting steps: fine enough for the noise, and no finer."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.accuracy.noise_variance import compute_variance
from hedgerow.accuracy.weighted_noise import WeightedNoise, find_noise
from hedgerow.calibration.noise_choice import calibrate_noise
from hedgerow.calibration.step_refinement import calibrate_refined_noise
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import ReleaseNoise

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
    return Aggregate(
        Group(Bound(source, ("k0",), groups, rows), domain),  # type: ignore[arg-type]
        measures,
    )


LISTED = (("a", "b"),)


COUNTED = (Measure("values", "v0"), *MEASURES[1:], Measure("units"))


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("law", ["laplace", "gaussian", "best"])
@pytest.mark.parametrize("epsilon", ["1/1000", "1/10", "3", "1000"])
def test_scaled_sums_are_counted_in_parts_so_fine_that_cutting_is_lost_in_the_noise(
    relation: Any, law: Any, epsilon: str
) -> None:
    """And in no finer ones than that. The question costs what it did, with the same noise in
    units of a step.
    """
    unit, price = (
        Unit(relation, "who"),
        {"epsilon": Fraction(epsilon), "delta": Fraction(1, 10**6), "kind": law},
    )
    asked = plan(*COUNTED, domain=LISTED, units=10**6)
    coarse = calibrate_noise(asked, unit, **price)
    fine, noise = calibrate_refined_noise(asked, unit, **price)
    assert [type(one) for one in noise.mechanisms] == [type(one) for one in coarse.mechanisms]
    loss, before = noise.loss(fine.sensitivity(unit)), coarse.loss(asked.sensitivity(unit))
    assert (
        loss.epsilon,
        loss.rho <= before.rho * Fraction(102, 100),
        loss.delta <= price["delta"],
    ) == (
        before.epsilon,
        True,
        True,
    )  # type: ignore[operator]
    for index, measure in enumerate(fine.measures):
        assert isinstance(measure, Measure)
        said = noise.counting_steps[index]
        assert said.parts_per_step == measure.resolution
        if not measure.is_scaled:
            assert (said.parts_per_step, said.lost_parts) == (1, 0)
            continue
        assert said.lost_parts == 10**6
        law_in_parts = find_noise(noise, index)
        assert isinstance(law_in_parts, WeightedNoise)
        assert law_in_parts.bias == 10**6
        spread = math.sqrt(compute_variance(law_in_parts))
        most = 0.01 * spread / math.sqrt(measure.width)
        scale = noise.mechanisms[index].scale  # type: ignore[union-attr]
        assert said.lost_parts <= most or scale * 2 > 10**11
        if measure.resolution > 1:
            assert spread / said.parts_per_step == pytest.approx(
                math.sqrt(_variance_in_steps(coarse, index)), rel=0.1, abs=0.5
            )
            assert said.lost_parts * 2.2 > most


def _variance_in_steps(noise: ReleaseNoise, index: int) -> float:
    law = find_noise(noise, index)
    assert not isinstance(law, CalibratedSelection)
    return compute_variance(
        law if isinstance(law, WeightedNoise) else WeightedNoise(((law, Fraction(1)),))
    )


def test_sums_are_counted_in_whole_steps_where_no_bound_has_an_effect() -> None:
    unit, price = (
        Unit("add-remove", "row"),
        {"epsilon": Fraction(1), "delta": None, "kind": "laplace"},
    )
    alone = plan(*MEASURES, domain=LISTED, rows=1, groups=1, unit="row")
    assert calibrate_refined_noise(alone, unit, **price) == (
        alone,
        calibrate_noise(alone, unit, **price),
    )  # type: ignore[arg-type]
    ids = plan(Measure("rows"), Measure("units"), domain=LISTED)
    assert (
        calibrate_refined_noise(ids, Unit("add-remove", "who"), **price)[  # type: ignore[arg-type]
            1
        ].counting_steps
        == ()
    )


def test_large_noise_uses_whole_steps_and_states_the_bias() -> None:
    unit, price = (
        Unit("add-remove", "who"),
        {"epsilon": Fraction(1, 100), "delta": None, "kind": "laplace"},
    )
    few = plan(MEASURES[2], domain=LISTED, units=20)
    fine, noise = calibrate_refined_noise(few, unit, **price)  # type: ignore[arg-type]
    assert fine == few
    assert [(one.parts_per_step, one.lost_parts) for one in noise.counting_steps] == [(1, 20)]


def test_where_nothing_bounds_the_units_the_parts_are_as_fine_as_noise_can_be_drawn() -> None:
    unit = Unit("add-remove", "who")
    fine, noise = calibrate_refined_noise(
        plan(MEASURES[1], domain=LISTED), unit, epsilon=Fraction(1), delta=None, kind="laplace"
    )
    assert noise.counting_steps[0].lost_parts == 2**36
    scale = noise.mechanisms[0].scale  # type: ignore[union-attr]
    assert 10**12 / 8 < scale <= 10**12 / 2
    assert isinstance(fine.measures[0], Measure)
    assert noise.counting_steps[0].lost_parts / float(scale) < 0.6
