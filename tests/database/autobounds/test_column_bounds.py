"""The choice of bounds on its own: every value has its place, the engine agrees, the price
holds, ranks are near.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from engines.helpers_comparison import agreed
from hedgerow.database.autobounds.column_bounds import (
    build_bounds_plan,
    calibrate_search_noise,
    compute_search_epsilon,
    decode_bounds,
    list_magnitudes,
)
from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Project, UnitAggregation
from hedgerow.plan.scalar.expressions import evaluate
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Type
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.privacy.unit import Unit

VALUES: dict[Type, list[Any]] = {
    "integer": [
        None,
        0,
        1,
        -1,
        2,
        3,
        4,
        5,
        -1000,
        2**61,
        2**61 + 1,
        2**62,
        2**62 + 1,
        2**63 - 1,
        -(2**63),
    ],
    "real": [
        None,
        0.0,
        -0.0,
        5e-324,
        2.0**-30,
        2.0**-30 * 1.5,
        0.3,
        -1.0,
        1.0,
        1.0000000001,
        -7e9,
        2.0**62,
        1e300,
        math.inf,
        -math.inf,
    ],
}


def _schema(type_: Type, unit: str | None = "id") -> Schema:
    return Schema("t", (Column("x", type_),), unit)


@pytest.mark.parametrize("type_", ["integer", "real"])
def test_every_value_has_its_place(type_: Type) -> None:
    project = build_bounds_plan(_schema(type_, "row"), Column("x", type_)).bound.source
    assert isinstance(project, Project)
    sizes = list_magnitudes(type_)
    for value in VALUES[type_]:
        place, sign = (evaluate(expression, {"x": value}) for _, expression in project.outputs)
        if value is None:
            assert place is sign is None
        else:
            enough = [i for i, size in enumerate((Fraction(0), *sizes)) if abs(value) <= size]
            assert (place, sign) == (min(enough, default=len(sizes)), int(value >= 0))


@pytest.mark.parametrize("unit", ["id", "row"])
@pytest.mark.parametrize("type_", ["integer", "real"])
def test_an_engine_finds_the_same_places(type_: Type, unit: str) -> None:
    """Of each person the largest magnitude, and whether there is one below 0."""
    plan = build_bounds_plan(_schema(type_, unit), Column("x", type_))
    values = [*VALUES[type_], *([math.nan] if type_ == "real" else [])]
    rows = [{"id": n % 4, "x": value} for n, value in enumerate(values)]
    found = agreed(plan, {"t": rows})
    assert len(found[()][0]) == (4 if unit == "id" else len(VALUES[type_]) - 1)
    assert isinstance(plan.bound.source, UnitAggregation) == (unit == "id")


def test_linked_and_partitioned_tables_are_searched_too() -> None:
    parent = Schema("p", (Column("k", "integer"),), "id")
    linked = Schema(
        "t", (Column("x", "integer"), Column("k", "integer")), "id", link=Link("k", parent, "k")
    )
    rows = [{"x": 9, "k": 1}, {"x": -3, "k": 1}, {"x": 100, "k": 7}]
    found = agreed(
        build_bounds_plan(linked, Column("x", "integer")),
        {"t": rows, "p": [{"id": 5, "k": 1}, {"id": 6, "k": 1}]},
    )
    # 16 is the magnitude of 9, two people have such a row, and nobody the last one
    assert found == {(): ((5, 5), (0, 0))}
    parts = Schema(
        "t",
        (Column("x", "integer"), Column("k", "integer", values=(1, 2))),
        "id",
        partition=Partition("k", 1),
    )
    found = agreed(
        build_bounds_plan(parts, Column("x", "integer")),
        {"t": [{"id": 5, "x": 2, "k": 1}, {"id": 5, "x": 99, "k": 2}]},
    )
    assert found == {(): ((2,), (1,))}


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(10)])
def test_a_search_costs_its_stated_loss(relation: Any, group: int, epsilon: Fraction) -> None:
    plan, unit = (
        build_bounds_plan(_schema("real"), Column("x", "real")),
        Unit(relation, "id", group),
    )
    loss = calibrate_search_noise(plan, unit, epsilon, "laplace").loss(plan.sensitivity(unit))
    assert (loss.epsilon, loss.delta) == (epsilon, 0)
    sharp = calibrate_search_noise(plan, unit, epsilon, "gaussian").loss(plan.sensitivity(unit))
    assert compute_pure_rho(epsilon) * Fraction(99, 100) < sharp.rho <= compute_pure_rho(epsilon)


def test_an_epsilon_without_use_is_refused() -> None:
    plan = build_bounds_plan(_schema("real"), Column("x", "real"))
    unit = Unit("add-remove", "id")
    for law in ("laplace", "gaussian"):
        with pytest.raises(Unsupported, match="too small for a search for bounds"):
            calibrate_search_noise(plan, unit, Fraction(0), law)  # type: ignore[arg-type]


def test_a_part_has_as_many_decimals_as_an_epsilon_may_have() -> None:
    assert compute_search_epsilon(Fraction(1), 1) == Fraction(1, 4)
    assert compute_search_epsilon(Fraction(1), 2) == Fraction(1, 8)
    third = compute_search_epsilon(Fraction(1), 3)
    assert 10**18 % third.denominator == 0
    assert 0 <= Fraction(1, 4) - 3 * third < Fraction(3, 10**18)
    assert compute_search_epsilon(Fraction(1, 10**18), 1) == 0


@pytest.mark.parametrize(
    ("type_", "place", "sign", "ends"),
    [
        ("integer", 0, 1, (0, 1)),
        ("integer", 1, 1, (0, 2)),
        ("integer", 4, 0, (-16, 16)),
        ("integer", 63, 1, (0, 2**62)),
        ("real", 0, 1, (0, Fraction(1, 2**30))),
        ("real", 31, 0, (-2, 2)),
        ("real", 93, 1, (0, 2**62)),
    ],
)
def test_selected_bounds_have_headroom(
    type_: Type, place: int, sign: int, ends: tuple[Any, Any]
) -> None:
    assert decode_bounds(type_, ((place,), (sign,))) == ends
    column = Column("x", type_, *map(Fraction, ends))
    assert column.range.is_bounded


def test_below_all_magnitudes_is_too_few() -> None:
    assert decode_bounds("real", ((-1,), (1,))) is None
    assert decode_bounds("real", ((-90_000,), (0,))) is None


def _sample(values: list[float]) -> tuple[list[int], list[int]]:
    """Sorted places, and signs."""
    sizes = [0.0, *map(float, list_magnitudes("real"))]
    return sorted(bisect_left(sizes, abs(value)) for value in values), sorted(
        int(value >= 0) for value in values
    )


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_the_number_of_units_outside_is_within_the_rank_error(relation: Any) -> None:
    """The choice is as many ranks off as ``error`` says, but for one run in 10^10."""
    plan, unit, random = (
        build_bounds_plan(_schema("real", "row"), Column("x", "real")),
        Unit(relation, "row"),
        Random("ranks"),
    )
    sizes, signs = _sample([random.lognormvariate(10, 1) for _ in range(4000)])
    size_law, sign_law = calibrate_search_noise(plan, unit, Fraction(1, 2), "laplace").mechanisms
    off = size_law.rank_error(Fraction(1, 10**10))  # type: ignore[union-attr]
    (place,) = size_law.sample(sizes)  # type: ignore[arg-type]
    assert off is not None
    assert off < 500
    assert sum(size > place for size in sizes) <= off
    assert sign_law.sample(signs)[0] in (0, 1)  # type: ignore[arg-type, union-attr]


def test_with_a_price_to_spare_the_choice_is_the_largest_magnitude() -> None:
    """One unit is left outside at most: where the largest is far above the rest, magnitudes
    between are as good.
    """
    plan, unit = (
        build_bounds_plan(_schema("real", "row"), Column("x", "real")),
        Unit("add-remove", "row"),
    )
    size_law, sign_law = calibrate_search_noise(plan, unit, Fraction(1000), "laplace").mechanisms
    for values, ends in (
        ([300.0, 700.0, 800.0], (0, 2048)),
        ([1.5, -3.0, -4.0], (-8, 8)),
        ([0.0] * 9, (0, Fraction(1, 2**30))),
    ):
        sizes, signs = _sample(values)
        chosen = size_law.sample(sizes), sign_law.sample(signs)  # type: ignore[arg-type]
        assert decode_bounds("real", chosen) == ends  # type: ignore[arg-type]


def test_bounds_beyond_all_data_have_probability_below_1_in_30_000() -> None:
    """From the probabilities themselves, not by drawing."""
    plan, unit = (
        build_bounds_plan(_schema("real", "row"), Column("x", "real")),
        Unit("add-remove", "row"),
    )
    law = calibrate_search_noise(plan, unit, Fraction(1, 4), "laplace").mechanisms[0]
    sizes, _ = _sample([1000.0] * 1000)
    mechanism, (pick, _) = law.mechanism, plan.measures  # type: ignore[union-attr]
    snap = pick.grid
    beyond = sum(
        math.exp(
            mechanism.log_prob(  # type: ignore[union-attr, call-arg]
                place,
                sizes,
                lower=snap.low,  # type: ignore[union-attr]
                upper=snap.high,  # type: ignore[union-attr]
                grid=1,
            )
        )
        for place in range(sizes[-1] + 1, snap.high + 1)  # type: ignore[union-attr]
    )
    assert 1e-6 < beyond < 1 / 30_000
