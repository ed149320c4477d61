"""The price of a question is what it says, for every kind of noise, unit and key."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.answers.noise import counted, noise_for
from hedgerow.errors import Unsupported
from hedgerow.mechanisms import StabilityHistogram
from hedgerow.plan.expressions import Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.unit import Unit

MEASURES = (Measure("rows"), Measure("mean", "v0", Snap(Fraction(1), 0, 10)), Measure("total", "v0", Snap(Fraction(1), -5, 10)))


def plan(*measures: Measure, domain: object = None, rows: int = 3) -> Aggregate:
    schema = Schema("t", (Column("k", "text"), Column("x", "integer", Fraction(-5), Fraction(10))), "who")
    source = Project(Table(schema), (("k0", Read("k")), ("v0", Read("x"))))
    return Aggregate(Group(Bound(source, ("k0",), 2, rows), domain), measures)  # type: ignore[arg-type]


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("measures", [MEASURES, MEASURES[:1], MEASURES[1:]])
def test_the_whole_question_costs_its_epsilon(relation: str, measures: tuple[Measure, ...]) -> None:
    unit = Unit(relation, "who")  # type: ignore[arg-type]
    for domain in (None, (("a", "b", "c"),)):
        asked = counted(plan(*measures, domain=domain))
        noise = noise_for(asked, unit, epsilon=Fraction(3, 10), delta=Fraction(1, 10**9), law="laplace")
        loss = noise.loss(asked.sensitivity(unit))
        assert loss.epsilon == Fraction(3, 10)
        assert loss.delta <= (Fraction(1, 10**9) if domain is None else 0)
        assert (loss.delta > 0) == (domain is None)
        assert loss.rho <= rho_of_pure(Fraction(3, 10))
        noise = noise_for(asked, unit, epsilon=Fraction(3, 10), delta=Fraction(1, 10**9), law="gaussian")
        loss = noise.loss(asked.sensitivity(unit))
        assert loss.epsilon == math.inf
        assert rho_of_pure(Fraction(3, 10)) * Fraction(99, 100) < loss.rho <= rho_of_pure(Fraction(3, 10)) + Fraction(3, 10**29)


def test_a_count_that_is_asked_for_chooses_the_keys_too() -> None:
    assert counted(plan(*MEASURES)) == plan(*MEASURES)
    assert counted(plan(MEASURES[1])).measures == (MEASURES[1], Measure("units"))
    assert counted(plan(MEASURES[1], domain=(("a",),))).measures == (MEASURES[1],)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize(("measure", "most"), [(Measure("rows"), 3), (Measure("units"), 1)])
def test_the_threshold_is_that_of_the_stability_histogram(relation: str, measure: Measure, most: int) -> None:
    epsilon, delta = Fraction(1, 2), Fraction(1, 10**8)
    noise = noise_for(plan(measure), Unit(relation, "who"), epsilon=epsilon, delta=delta, law="laplace")  # type: ignore[arg-type]
    alone = StabilityHistogram.calibrate(epsilon=epsilon, delta=delta, neighbours=relation, max_keys=2, per_key=most)
    assert noise.threshold is not None
    assert (noise.laws[0].scale, noise.threshold.least, noise.threshold.delta) == (alone.scale, alone.threshold, alone.loss().delta)


def test_undeclared_keys_need_a_delta() -> None:
    with pytest.raises(Unsupported, match="List them in the policy"):
        noise_for(plan(*MEASURES), Unit("add-remove", "who"), epsilon=Fraction(1), delta=None, law="laplace")
