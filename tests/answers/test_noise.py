"""The price of a question is what it says, for every kind of noise, unit and key."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from hedgerow.answers.blend import Blend, law_of, numbers_of
from hedgerow.answers.noise import centred, counted, noise_for
from hedgerow.answers.radius import mean_size
from hedgerow.errors import Unsupported
from hedgerow.mechanisms import StabilityHistogram
from hedgerow.plan.expressions import Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.unit import Unit

MEASURES = (Measure("rows"), Measure("moments", "v0", Snap(Fraction(1), 0, 10)), Measure("total", "v0", Snap(Fraction(1), -5, 10)))


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
    assert (noise.laws[0].scale, noise.threshold.least) == (alone.scale, alone.threshold)  # type: ignore[union-attr]
    assert alone.loss().delta <= noise.threshold.delta <= delta
    assert noise.threshold.delta > delta * Fraction(999, 1000)  # what whole numbers leave goes to those one below


def test_undeclared_keys_need_a_delta() -> None:
    with pytest.raises(Unsupported, match="List them in the policy"):
        noise_for(plan(*MEASURES), Unit("add-remove", "who"), epsilon=Fraction(1), delta=None, law="laplace")


@pytest.mark.parametrize(("many", "sharper"), [(2, 0.86), (4, 0.76), (16, 0.63)])
def test_several_gaussian_counts_share_the_noise_of_their_units(many: int, sharper: float) -> None:
    """(1 + sqrt(d)) / (2 sqrt(d)) of the noise that each would have alone, at the same price."""
    unit = Unit("add-remove", "who")
    counts = tuple(Measure("total", "v0", Snap(Fraction(1), 0, 10), limits=(0, place + 1)) for place in range(many))
    alone = plan(*counts, domain=(("a", "b"),))
    asked = centred(alone, unit, "gaussian")
    assert asked.measures == (*counts, Measure("units"))
    assert centred(asked, unit, "gaussian") is asked
    noise = noise_for(asked, unit, epsilon=Fraction(1), delta=None, law="gaussian")
    plain = noise_for(alone, unit, epsilon=Fraction(1), delta=None, law="gaussian")
    assert plain.centre is None
    assert noise.loss(asked.sensitivity(unit)).rho <= rho_of_pure(Fraction(1)) + Fraction(1, 10**20)
    for index in range(many):
        law = law_of(noise, index)
        assert isinstance(law, Blend)
        assert mean_size(law, (Fraction(1),)) <= sharper * mean_size(plain.laws[index], (Fraction(1),))  # type: ignore[arg-type]


def test_counts_are_not_centred_where_it_does_not_help_or_hold() -> None:
    two = plan(Measure("rows"), Measure("values", "v0"), domain=(("a",),))
    assert centred(two, Unit("add-remove", "who"), "gaussian") is not two
    assert centred(two, Unit("change-one", "who"), "gaussian") is two
    assert centred(two, Unit("add-remove", "who"), "laplace") is two
    one = plan(Measure("rows"), MEASURES[2], domain=(("a",),))  # a total that may be negative is no count
    assert centred(one, Unit("add-remove", "who"), "gaussian") is one


class Cells:
    keys = (("a", "b"),)
    numbers = (np.array([700, 3]), np.array([250, 2]), np.array([300, 1]))


def test_what_was_measured_from_the_middle_comes_back() -> None:
    asked = centred(plan(Measure("rows"), Measure("values", "v0"), domain=(("a", "b"),)), Unit("add-remove", "who"), "gaussian")
    noise = noise_for(asked, Unit("add-remove", "who"), epsilon=Fraction(1), delta=None, law="gaussian")
    drawn = [noise.sample(Cells(), asked.measures)[1] for _ in range(4000)]  # type: ignore[arg-type]
    for index in (0, 1):
        law = law_of(noise, index)
        assert isinstance(law, Blend)
        sigma = math.sqrt(sum(float(one.scale * share) ** 2 for one, share in law.parts))
        releases = [SimpleNamespace(numbers=numbers, noise=noise) for numbers in drawn]
        found = np.array([float(numbers_of(release, asked.measures, index)[0][0]) for release in releases])  # type: ignore[arg-type]
        assert abs(found.mean() - Cells.numbers[index][0]) < 6.5 * sigma / math.sqrt(4000)
        assert abs(found.std() / sigma - 1) < 6.5 / math.sqrt(8000)


def test_a_price_beyond_all_noise_is_refused_in_words() -> None:
    with pytest.raises(Unsupported, match="more noise, or less, than can be drawn"):
        noise_for(
            plan(Measure("moments", "v0", Snap(Fraction(1), 0, 2**30)), domain=(("a",),)),
            Unit("add-remove", "who"),
            epsilon=Fraction(1, 10**9),
            delta=None,
            law="laplace",
        )
