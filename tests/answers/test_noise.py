"""The price of a question is what it says, for every kind of noise, unit and key."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hedgerow.answers.blend import Blend, law_of, numbers_of
from hedgerow.answers.hierarchy import variance
from hedgerow.answers.noise import centred, counted, noise_for, noise_in_parts, planned
from hedgerow.answers.radius import mean_size
from hedgerow.errors import Unsupported
from hedgerow.mechanisms import Gaussian, Laplace, StabilityHistogram
from hedgerow.picking import Picking
from hedgerow.plan.expressions import Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.picks import METHODS, Pick
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.unit import Unit
from hedgerow.release import Noise
from hedgerow.threshold import Threshold

MEASURES = (Measure("rows"), Measure("moments", "v0", Snap(Fraction(1), 0, 10)), Measure("total", "v0", Snap(Fraction(1), -5, 10)))


def plan(
    *measures: Measure | Pick, domain: object = None, rows: int = 3, groups: int = 2, units: int | None = None, unit: str = "who"
) -> Aggregate:
    columns = (Column("k", "text"), Column("x", "integer", Fraction(-5), Fraction(10)))
    schema = Schema("t", columns, unit, max_units=units)
    source = Project(Table(schema), (("k0", Read("k")), ("v0", Read("x"))))
    return Aggregate(Group(Bound(source, ("k0",), groups, rows), domain), measures)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", ["laplace", "gaussian", "best"])
def test_people_are_counted_beside_rows_where_that_shows_much_smaller_groups(law: Any) -> None:
    unit = Unit("add-remove", "who")

    def more(*measures: Measure, **caps: Any) -> bool:
        asked = plan(*measures, **caps)
        found = {planned(asked, unit, epsilon=Fraction(e), delta=Fraction(1, 10**6), law=law) for e in ("1/1000", "1/10", "1", "9")}
        assert len(found) == 1 or law == "best"  # a question is the same one at every epsilon, but for the kind of the best noise
        (counted,) = {Measure("units") in one.measures for one in found}
        return counted

    assert not more(MEASURES[0], rows=1)  # rows are people
    assert not more(*MEASURES[:2], rows=2)
    assert more(*MEASURES[:2], rows=5)
    assert more(MEASURES[0], rows=5) == (law == "gaussian")  # elsewhere it would take half of epsilon
    assert more(MEASURES[0], rows=20)
    assert not more(*MEASURES[:2], rows=5, domain=(("a", "b"),))
    asked, share = plan(*MEASURES[:2], Measure("units"), rows=5), {"epsilon": Fraction(1, 10), "delta": Fraction(1, 10**6)}
    assert Measure("units") in planned(asked, unit, law=law, **share).measures
    asked = plan(*MEASURES[:2], rows=5)
    by_rows, by_people = (noise_for(each, unit, law=law, **share).threshold for each in (asked, planned(asked, unit, law=law, **share)))
    assert by_rows is not None
    assert by_people is not None
    assert by_people.least * math.sqrt(5) * 4 / 3 <= by_rows.least


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
    assert noise.laws[0].scale == alone.scale  # type: ignore[union-attr]
    assert alone.cut
    assert (noise.threshold.least, noise.threshold.cut, noise.threshold.delta) == (alone.threshold, alone.threshold - 1, alone.loss().delta)
    uncut = Threshold.calibrate(0, noise.laws[0], most=most, groups=2, delta=delta)  # type: ignore[arg-type]
    assert alone.threshold < uncut.least
    same, lower = (StabilityHistogram(alone.scale, uncut.least - less, relation, 2, most) for less in (0, 1))
    assert same.loss().delta <= uncut.delta <= delta < lower.loss().delta
    assert uncut.delta > delta * Fraction(999, 1000)  # what whole numbers leave goes to those one below


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


KEYS = tuple(f"k{place}" for place in range(100))
PRICE: Any = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("domain", [None, (KEYS,)], ids=["undeclared", "declared"])
@pytest.mark.parametrize("measures", [MEASURES, MEASURES[:1], (Measure("units"), MEASURES[1])])
@pytest.mark.parametrize("groups", [1, 2, 5, 20])
def test_the_best_noise_costs_the_epsilon_and_the_delta_of_the_question(
    relation: str, domain: object, measures: tuple[Measure, ...], groups: int
) -> None:
    unit, asked = Unit(relation, "who"), counted(plan(*measures, domain=domain, groups=groups))  # type: ignore[arg-type]
    moves = asked.sensitivity(unit)
    best, plain = (noise_for(asked, unit, **PRICE, law=law) for law in ("best", "laplace"))
    loss = best.loss(moves)
    if best.at is None:
        assert best == plain
        assert loss.epsilon == 1
    else:
        assert all(isinstance(law, Gaussian) for law in best.laws)
        assert loss.epsilon == best.at == 1
        assert PRICE["delta"] * Fraction(999, 1000) < loss.delta <= PRICE["delta"]
    if best.threshold is not None and plain.threshold is not None:
        assert best.threshold.least <= plain.threshold.least
    assert (best.at is not None) or groups < 20


def test_laplace_noise_is_the_best_where_few_numbers_move() -> None:
    unit = Unit("add-remove", "who")
    for groups, gaussian in ((1, False), (7, False), (9, True), (20, True)):  # 2 g^2 against g 4.24^2 at this epsilon and delta
        asked = plan(Measure("units"), domain=(KEYS,), groups=groups)
        law = noise_for(asked, unit, **PRICE, law="best").laws[0]
        assert isinstance(law, Gaussian if gaussian else Laplace)
    for groups, gaussian in ((1, False), (2, False), (3, True), (5, True)):  # of thresholds it is sooner
        law = noise_for(plan(Measure("units"), groups=groups), unit, **PRICE, law="best").laws[0]
        assert isinstance(law, Gaussian if gaussian else Laplace)


def test_without_a_delta_the_best_noise_is_laplace() -> None:
    asked = plan(Measure("units"), domain=(KEYS,), groups=20)
    noise = noise_for(asked, Unit("add-remove", "who"), epsilon=Fraction(1), delta=None, law="best")
    assert isinstance(noise.laws[0], Laplace)


def test_what_is_chosen_keeps_its_share_beside_the_best_noise() -> None:
    unit = Unit("add-remove", "who")
    median = Pick("quantiles", "v0", Snap(Fraction(1), -5, 10), at=(Fraction(1, 2),), method="smooth")
    asked = plan(Measure("units"), median, Measure("rows"), domain=(KEYS,), groups=20)
    noise = noise_for(asked, unit, **PRICE, law="best")
    assert [type(law) for law in noise.laws] == [Gaussian, Picking, Gaussian]
    assert noise.at == Fraction(2, 3)
    loss = noise.loss(asked.sensitivity(unit))
    assert loss.epsilon <= 1
    assert loss.delta <= PRICE["delta"]
    alone = plan(median, domain=(KEYS,), groups=20)
    assert noise_for(alone, unit, **PRICE, law="best") == noise_for(alone, unit, **PRICE, law="laplace")


CHOSEN = [(kind, method) for kind, methods in METHODS.items() for method in methods]


@pytest.mark.parametrize("law", ["laplace", "gaussian", "best"])
@pytest.mark.parametrize(("kind", "method"), CHOSEN)
def test_what_is_chosen_costs_the_epsilon_that_was_asked_for(kind: Any, method: Any, law: Any) -> None:
    """Under every noise no more epsilon than that, and no more rho than its dearest use has; beside Gaussian noise, which has no pure
    epsilon, so much rho."""
    if kind == "mode":
        pick = Pick(kind, "v0", values=tuple("abc"), method=method)
    else:
        at = (Fraction(1, 4), Fraction(1, 2)) if kind == "quantiles" else ()
        pick = Pick(kind, "v0", Snap(Fraction(1), -5, 10), at=at, method=method, bound=5 if method == "propose" else None)
    for relation, epsilon, domain in itertools.product(("add-remove", "change-one"), ("0.1", "1", "9"), ((("a",),), (("a", "b", "c"),))):
        unit, asked = Unit(relation, "who"), Fraction(epsilon)  # type: ignore[arg-type]
        terms = {"epsilon": asked, "delta": Fraction(1, 10**6), "law": law}
        alone, beside = plan(pick, domain=domain), plan(pick, Measure("rows"), domain=domain)
        loss = noise_for(alone, unit, **terms).loss(alone.sensitivity(unit))
        assert Fraction(99, 100) * asked <= loss.epsilon <= asked
        assert loss.rho <= rho_of_pure(asked)
        mixed = noise_for(beside, unit, **terms).loss(beside.sensitivity(unit))
        assert mixed.rho <= rho_of_pure(asked)
        assert mixed.epsilon == math.inf if law == "gaussian" else mixed.epsilon <= asked


def test_where_no_gaussian_noise_can_be_drawn_laplace_noise_is_left() -> None:
    asked = plan(Measure("total", "v0", Snap(Fraction(1), 0, 2**36)), domain=(KEYS,), groups=20)
    price: Any = {"epsilon": Fraction(7), "delta": Fraction(1, 10**100)}
    assert isinstance(noise_for(asked, Unit("add-remove", "who"), **price, law="best").laws[0], Laplace)


def test_the_best_noise_is_measured_from_the_middle_where_it_is_gaussian() -> None:
    unit = Unit("add-remove", "who")
    counts = (Measure("rows"), Measure("values", "v0"))
    for groups, domain in ((20, (KEYS,)), (20, None)):
        two = plan(*counts, domain=domain, groups=groups)
        asked = planned(two, unit, **PRICE, law="best")
        assert asked.measures == (*counts, Measure("units"))
        noise, alone = (noise_for(each, unit, **PRICE, law="best") for each in (asked, two))
        assert noise.centre is not None
        loss = noise.loss(asked.sensitivity(unit))
        assert loss.epsilon == noise.at == 1
        assert loss.delta <= PRICE["delta"]
        for index in (0, 1):
            spread, before = (mean_size(law_of(one, index), (Fraction(1),)) for one in (noise, alone))  # type: ignore[arg-type]
            assert spread < 0.9 * before
    few = plan(*counts, domain=(KEYS,), groups=1)
    assert planned(few, unit, **PRICE, law="best") is few
    assert planned(few, unit, epsilon=Fraction(1), delta=None, law="best") is few
    moved = Unit("change-one", "who")
    assert planned(plan(*counts, domain=(KEYS,), groups=20), moved, **PRICE, law="best").measures == counts
    assert planned(few, unit, **PRICE, law="gaussian") == centred(few, unit, "gaussian")
    assert planned(plan(MEASURES[1]), unit, **PRICE, law="laplace") == counted(plan(MEASURES[1]))


LISTED = (("a", "b"),)
COUNTED = (Measure("values", "v0"), *MEASURES[1:], Measure("units"))


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("law", ["laplace", "gaussian", "best"])
@pytest.mark.parametrize("epsilon", ["1/1000", "1/10", "3", "1000"])
def test_scaled_sums_are_counted_in_parts_so_fine_that_cutting_is_lost_in_the_noise(relation: Any, law: Any, epsilon: str) -> None:
    """And in no finer ones than that. The question costs what it did, with the same noise in units of a step."""
    unit, price = Unit(relation, "who"), {"epsilon": Fraction(epsilon), "delta": Fraction(1, 10**6), "law": law}
    asked = plan(*COUNTED, domain=LISTED, units=10**6)
    coarse = noise_for(asked, unit, **price)
    fine, noise = noise_in_parts(asked, unit, **price)
    assert [type(one) for one in noise.laws] == [type(one) for one in coarse.laws]
    loss, before = noise.loss(fine.sensitivity(unit)), coarse.loss(asked.sensitivity(unit))
    assert (loss.epsilon, loss.rho <= before.rho * Fraction(102, 100), loss.delta <= price["delta"]) == (before.epsilon, True, True)  # type: ignore[operator]
    for index, measure in enumerate(fine.measures):
        assert isinstance(measure, Measure)
        said = noise.fine[index]
        assert said.factor == measure.fine
        if not measure.scaled:
            assert (said.factor, said.lost) == (1, 0)
            continue
        assert said.lost == 10**6
        law_in_parts = law_of(noise, index)
        assert isinstance(law_in_parts, Blend)
        assert law_in_parts.bias == 10**6
        spread = math.sqrt(variance(law_in_parts))
        most = 0.01 * spread / math.sqrt(measure.width)
        assert said.lost <= most or noise.laws[index].scale * 2 > 10**11  # type: ignore[union-attr]
        if measure.fine > 1:
            assert spread / said.factor == pytest.approx(math.sqrt(_variance_in_steps(coarse, index)), rel=0.1, abs=0.5)
            assert said.lost * 2.2 > most


def _variance_in_steps(noise: Noise, index: int) -> float:
    law = law_of(noise, index)
    assert not isinstance(law, Picking)
    return variance(law if isinstance(law, Blend) else Blend(((law, Fraction(1)),)))


def test_where_no_cap_can_bite_sums_are_counted_in_whole_steps() -> None:
    unit, price = Unit("add-remove", "row"), {"epsilon": Fraction(1), "delta": None, "law": "laplace"}
    alone = plan(*MEASURES, domain=LISTED, rows=1, groups=1, unit="row")
    assert noise_in_parts(alone, unit, **price) == (alone, noise_for(alone, unit, **price))  # type: ignore[arg-type]
    ids = plan(Measure("rows"), Measure("units"), domain=LISTED)
    assert noise_in_parts(ids, Unit("add-remove", "who"), **price)[1].fine == ()  # type: ignore[arg-type]


def test_where_noise_is_large_whole_steps_are_fine_enough_and_the_bias_is_stated() -> None:
    unit, price = Unit("add-remove", "who"), {"epsilon": Fraction(1, 100), "delta": None, "law": "laplace"}
    few = plan(MEASURES[2], domain=LISTED, units=20)
    fine, noise = noise_in_parts(few, unit, **price)  # type: ignore[arg-type]
    assert fine == few
    assert [(one.factor, one.lost) for one in noise.fine] == [(1, 20)]


def test_where_nothing_bounds_the_units_the_parts_are_as_fine_as_noise_can_be_drawn() -> None:
    unit = Unit("add-remove", "who")
    fine, noise = noise_in_parts(plan(MEASURES[1], domain=LISTED), unit, epsilon=Fraction(1), delta=None, law="laplace")
    assert noise.fine[0].lost == 2**36
    assert 10**12 / 8 < noise.laws[0].scale <= 10**12 / 2  # type: ignore[union-attr]
    assert isinstance(fine.measures[0], Measure)
    assert noise.fine[0].lost / float(noise.laws[0].scale) < 0.6  # type: ignore[union-attr]
