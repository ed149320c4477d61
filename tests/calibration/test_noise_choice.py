"""The price of a question is what it says, for every kind of noise, unit and key."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hedgerow.accuracy.weighted_noise import WeightedNoise, find_noise, read_columns
from hedgerow.accuracy.weighted_sum import compute_mean_error
from hedgerow.calibration.measure_planning import add_deciding_count, plan_measures
from hedgerow.calibration.noise_choice import add_centring_count, calibrate_noise
from hedgerow.errors import Unsupported
from hedgerow.mechanisms import Gaussian, Laplace, StabilityHistogram
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.order_statistics import SELECTION_METHODS, OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold

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


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("measures", [MEASURES, MEASURES[:1], MEASURES[1:]])
def test_the_whole_question_costs_its_epsilon(relation: str, measures: tuple[Measure, ...]) -> None:
    unit = Unit(relation, "who")  # type: ignore[arg-type]
    for domain in (None, (("a", "b", "c"),)):
        asked = add_deciding_count(plan(*measures, domain=domain))
        noise = calibrate_noise(
            asked, unit, epsilon=Fraction(3, 10), delta=Fraction(1, 10**9), kind="laplace"
        )
        loss = noise.loss(asked.sensitivity(unit))
        assert loss.epsilon == Fraction(3, 10)
        assert loss.delta <= (Fraction(1, 10**9) if domain is None else 0)
        assert (loss.delta > 0) == (domain is None)
        assert loss.rho <= compute_pure_rho(Fraction(3, 10))
        noise = calibrate_noise(
            asked, unit, epsilon=Fraction(3, 10), delta=Fraction(1, 10**9), kind="gaussian"
        )
        loss = noise.loss(asked.sensitivity(unit))
        assert loss.epsilon == math.inf
        assert (
            compute_pure_rho(Fraction(3, 10)) * Fraction(99, 100)
            < loss.rho
            <= compute_pure_rho(Fraction(3, 10)) + Fraction(3, 10**29)
        )


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize(("measure", "most"), [(Measure("rows"), 3), (Measure("units"), 1)])
def test_the_threshold_is_that_of_the_stability_histogram(
    relation: str, measure: Measure, most: int
) -> None:
    epsilon, delta = Fraction(1, 2), Fraction(1, 10**8)
    noise = calibrate_noise(
        plan(measure), Unit(relation, "who"), epsilon=epsilon, delta=delta, kind="laplace"
    )  # type: ignore[arg-type]
    alone = StabilityHistogram.calibrate(
        epsilon=epsilon, delta=delta, neighbours=relation, max_keys=2, per_key=most
    )
    assert noise.threshold is not None
    assert noise.mechanisms[0].scale == alone.scale  # type: ignore[union-attr]
    assert alone.cut
    assert (noise.threshold.minimum_count, noise.threshold.truncation, noise.threshold.delta) == (
        alone.threshold,
        alone.threshold - 1,
        alone.loss().delta,
    )
    uncut = Threshold.calibrate(
        0,
        noise.mechanisms[0],  # type: ignore[arg-type]
        max_count=most,
        groups=2,
        delta=delta,
    )
    assert alone.threshold < uncut.minimum_count
    same, lower = (
        StabilityHistogram(alone.scale, uncut.minimum_count - less, relation, 2, most)
        for less in (0, 1)
    )
    assert same.loss().delta <= uncut.delta <= delta < lower.loss().delta
    # what whole numbers leave goes to those one below
    assert uncut.delta > delta * Fraction(999, 1000)


def test_undeclared_keys_need_a_delta() -> None:
    with pytest.raises(Unsupported, match="List them in the policy"):
        calibrate_noise(
            plan(*MEASURES),
            Unit("add-remove", "who"),
            epsilon=Fraction(1),
            delta=None,
            kind="laplace",
        )


@pytest.mark.parametrize(("many", "sharper"), [(2, 0.86), (4, 0.76), (16, 0.63)])
def test_several_gaussian_counts_share_the_noise_of_their_units(many: int, sharper: float) -> None:
    """(1 + sqrt(d)) / (2 sqrt(d)) of the noise that each would have alone, at the same price."""
    unit = Unit("add-remove", "who")
    counts = tuple(
        Measure("total", "v0", ClampedGrid(Fraction(1), 0, 10), sum_bounds=(0, place + 1))
        for place in range(many)
    )
    alone = plan(*counts, domain=(("a", "b"),))
    asked = add_centring_count(alone, unit, "gaussian")
    assert asked.measures == (*counts, Measure("units"))
    assert add_centring_count(asked, unit, "gaussian") is asked
    noise = calibrate_noise(asked, unit, epsilon=Fraction(1), delta=None, kind="gaussian")
    plain = calibrate_noise(alone, unit, epsilon=Fraction(1), delta=None, kind="gaussian")
    assert plain.centre is None
    assert noise.loss(asked.sensitivity(unit)).rho <= compute_pure_rho(Fraction(1)) + Fraction(
        1, 10**20
    )
    for index in range(many):
        law = find_noise(noise, index)
        assert isinstance(law, WeightedNoise)
        assert compute_mean_error(law, (Fraction(1),)) <= sharper * compute_mean_error(
            plain.mechanisms[index], (Fraction(1),)
        )  # type: ignore[arg-type]


def test_counts_are_not_centred_where_it_does_not_help_or_hold() -> None:
    two = plan(Measure("rows"), Measure("values", "v0"), domain=(("a",),))
    assert add_centring_count(two, Unit("add-remove", "who"), "gaussian") is not two
    assert add_centring_count(two, Unit("change-one", "who"), "gaussian") is two
    assert add_centring_count(two, Unit("add-remove", "who"), "laplace") is two
    # a total that may be negative is no count
    one = plan(Measure("rows"), MEASURES[2], domain=(("a",),))
    assert add_centring_count(one, Unit("add-remove", "who"), "gaussian") is one


class Cells:
    keys = (("a", "b"),)
    numbers = (np.array([700, 3]), np.array([250, 2]), np.array([300, 1]))


def test_centred_counts_are_restored() -> None:
    asked = add_centring_count(
        plan(Measure("rows"), Measure("values", "v0"), domain=(("a", "b"),)),
        Unit("add-remove", "who"),
        "gaussian",
    )
    noise = calibrate_noise(
        asked, Unit("add-remove", "who"), epsilon=Fraction(1), delta=None, kind="gaussian"
    )
    drawn = [
        noise.sample(Cells(), asked.measures)[1]  # type: ignore[arg-type]
        for _ in range(4000)
    ]
    for index in (0, 1):
        law = find_noise(noise, index)
        assert isinstance(law, WeightedNoise)
        sigma = math.sqrt(sum(float(one.scale * share) ** 2 for one, share in law.terms))
        releases = [SimpleNamespace(numbers=numbers, noise=noise) for numbers in drawn]
        found = np.array(
            [float(read_columns(release, asked.measures, index)[0][0]) for release in releases]
        )  # type: ignore[arg-type]
        assert abs(found.mean() - Cells.numbers[index][0]) < 6.5 * sigma / math.sqrt(4000)
        assert abs(found.std() / sigma - 1) < 6.5 / math.sqrt(8000)


def test_a_price_beyond_all_noise_is_refused_in_words() -> None:
    with pytest.raises(Unsupported, match="more noise, or less, than can be drawn"):
        calibrate_noise(
            plan(Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 2**30)), domain=(("a",),)),
            Unit("add-remove", "who"),
            epsilon=Fraction(1, 10**9),
            delta=None,
            kind="laplace",
        )


KEYS = tuple(f"k{place}" for place in range(100))
PRICE: Any = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("domain", [None, (KEYS,)], ids=["undeclared", "declared"])
@pytest.mark.parametrize("measures", [MEASURES, MEASURES[:1], (Measure("units"), MEASURES[1])])
@pytest.mark.parametrize("groups", [1, 2, 5, 20])
def test_the_best_noise_costs_the_epsilon_and_the_delta_of_the_question(
    relation: str, domain: object, measures: tuple[Measure, ...], groups: int
) -> None:
    unit, asked = (
        Unit(relation, "who"),
        add_deciding_count(plan(*measures, domain=domain, groups=groups)),
    )  # type: ignore[arg-type]
    moves = asked.sensitivity(unit)
    best, plain = (calibrate_noise(asked, unit, **PRICE, kind=law) for law in ("best", "laplace"))
    loss = best.loss(moves)
    if best.gaussian_epsilon is None:
        assert best == plain
        assert loss.epsilon == 1
    else:
        assert all(isinstance(law, Gaussian) for law in best.mechanisms)
        assert loss.epsilon == best.gaussian_epsilon == 1
        assert PRICE["delta"] * Fraction(999, 1000) < loss.delta <= PRICE["delta"]
    if best.threshold is not None and plain.threshold is not None:
        assert best.threshold.minimum_count <= plain.threshold.minimum_count
    assert (best.gaussian_epsilon is not None) or groups < 20


def test_laplace_noise_is_the_best_where_few_numbers_move() -> None:
    unit = Unit("add-remove", "who")
    # 2 g^2 against g 4.24^2 at this epsilon and delta
    for groups, gaussian in ((1, False), (7, False), (9, True), (20, True)):
        asked = plan(Measure("units"), domain=(KEYS,), groups=groups)
        law = calibrate_noise(asked, unit, **PRICE, kind="best").mechanisms[0]
        assert isinstance(law, Gaussian if gaussian else Laplace)
    # of thresholds it is sooner
    for groups, gaussian in ((1, False), (2, False), (3, True), (5, True)):
        law = calibrate_noise(
            plan(Measure("units"), groups=groups), unit, **PRICE, kind="best"
        ).mechanisms[0]
        assert isinstance(law, Gaussian if gaussian else Laplace)


def test_without_a_delta_the_best_noise_is_laplace() -> None:
    asked = plan(Measure("units"), domain=(KEYS,), groups=20)
    noise = calibrate_noise(
        asked, Unit("add-remove", "who"), epsilon=Fraction(1), delta=None, kind="best"
    )
    assert isinstance(noise.mechanisms[0], Laplace)


def test_order_statistics_keep_their_share_beside_the_best_noise() -> None:
    unit = Unit("add-remove", "who")
    median = OrderStatistic(
        "quantiles",
        "v0",
        ClampedGrid(Fraction(1), -5, 10),
        quantiles=(Fraction(1, 2),),
        method="smooth",
    )
    asked = plan(Measure("units"), median, Measure("rows"), domain=(KEYS,), groups=20)
    noise = calibrate_noise(asked, unit, **PRICE, kind="best")
    assert [type(law) for law in noise.mechanisms] == [Gaussian, CalibratedSelection, Gaussian]
    assert noise.gaussian_epsilon == Fraction(2, 3)
    loss = noise.loss(asked.sensitivity(unit))
    assert loss.epsilon <= 1
    assert loss.delta <= PRICE["delta"]
    alone = plan(median, domain=(KEYS,), groups=20)
    assert calibrate_noise(alone, unit, **PRICE, kind="best") == calibrate_noise(
        alone, unit, **PRICE, kind="laplace"
    )


CHOSEN = [(kind, method) for kind, methods in SELECTION_METHODS.items() for method in methods]


@pytest.mark.parametrize("law", ["laplace", "gaussian", "best"])
@pytest.mark.parametrize(("kind", "method"), CHOSEN)
def test_order_statistics_cost_the_epsilon_asked_for(kind: Any, method: Any, law: Any) -> None:
    """Under every noise no more epsilon than that, and no more rho than its dearest use has; beside
    Gaussian noise, which has no pure epsilon, so much rho."""
    if kind == "mode":
        pick = OrderStatistic(kind, "v0", values=tuple("abc"), method=method)
    else:
        at = (Fraction(1, 4), Fraction(1, 2)) if kind == "quantiles" else ()
        pick = OrderStatistic(
            kind,
            "v0",
            ClampedGrid(Fraction(1), -5, 10),
            quantiles=at,
            method=method,
            bound=5 if method == "propose" else None,
        )
    for relation, epsilon, domain in itertools.product(
        ("add-remove", "change-one"), ("0.1", "1", "9"), ((("a",),), (("a", "b", "c"),))
    ):
        unit, asked = Unit(relation, "who"), Fraction(epsilon)  # type: ignore[arg-type]
        terms = {"epsilon": asked, "delta": Fraction(1, 10**6), "kind": law}
        alone, beside = plan(pick, domain=domain), plan(pick, Measure("rows"), domain=domain)
        loss = calibrate_noise(alone, unit, **terms).loss(alone.sensitivity(unit))
        assert Fraction(99, 100) * asked <= loss.epsilon <= asked
        assert loss.rho <= compute_pure_rho(asked)
        mixed = calibrate_noise(beside, unit, **terms).loss(beside.sensitivity(unit))
        assert mixed.rho <= compute_pure_rho(asked)
        assert mixed.epsilon == math.inf if law == "gaussian" else mixed.epsilon <= asked


def test_laplace_noise_is_used_when_gaussian_noise_cannot_be_drawn() -> None:
    asked = plan(
        Measure("total", "v0", ClampedGrid(Fraction(1), 0, 2**36)), domain=(KEYS,), groups=20
    )
    price: Any = {"epsilon": Fraction(7), "delta": Fraction(1, 10**100)}
    assert isinstance(
        calibrate_noise(asked, Unit("add-remove", "who"), **price, kind="best").mechanisms[0],
        Laplace,
    )


def test_the_best_noise_is_measured_from_the_middle_where_it_is_gaussian() -> None:
    unit = Unit("add-remove", "who")
    counts = (Measure("rows"), Measure("values", "v0"))
    for groups, domain in ((20, (KEYS,)), (20, None)):
        two = plan(*counts, domain=domain, groups=groups)
        asked = plan_measures(two, unit, **PRICE, kind="best")
        assert asked.measures == (*counts, Measure("units"))
        noise, alone = (calibrate_noise(each, unit, **PRICE, kind="best") for each in (asked, two))
        assert noise.centre is not None
        loss = noise.loss(asked.sensitivity(unit))
        assert loss.epsilon == noise.gaussian_epsilon == 1
        assert loss.delta <= PRICE["delta"]
        for index in (0, 1):
            spread, before = (
                compute_mean_error(find_noise(one, index), (Fraction(1),)) for one in (noise, alone)
            )  # type: ignore[arg-type]
            assert spread < 0.9 * before
    few = plan(*counts, domain=(KEYS,), groups=1)
    assert plan_measures(few, unit, **PRICE, kind="best") is few
    assert plan_measures(few, unit, epsilon=Fraction(1), delta=None, kind="best") is few
    moved = Unit("change-one", "who")
    assert (
        plan_measures(
            plan(*counts, domain=(KEYS,), groups=20), moved, **PRICE, kind="best"
        ).measures
        == counts
    )
    assert plan_measures(few, unit, **PRICE, kind="gaussian") == add_centring_count(
        few, unit, "gaussian"
    )
    assert plan_measures(plan(MEASURES[1]), unit, **PRICE, kind="laplace") == add_deciding_count(
        plan(MEASURES[1])
    )
