"""Columns: all small ones, every pair of neighbours among them, and the laws of what is chosen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Extreme, InverseSensitivity, Quantiles
from hedgerow.privacy.unit import RELATIONS, Unit
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.verify.laws.case import LawBroken, LawCase, make_case
from hedgerow.verify.laws.neighbours import points as columns
from hedgerow.verify.laws.neighbours.worst_case import build_neighbour_set, list_worst_neighbours
from mechanisms import helpers_small_data_sets as tiny

ONE, HALF = Fraction(1), Fraction(1, 2)


def case_of(mechanism: Any, rows: int = 1) -> LawCase:
    return make_case(mechanism, rows, 10_000, None)


@pytest.mark.parametrize("relation", sorted(RELATIONS))
@pytest.mark.parametrize("rows", [1, 2])
def test_pairs_are_neighbours_and_all_small_ones_are_there(relation: str, rows: int) -> None:
    found = list(
        columns._list_column_pairs(case_of(Quantiles((HALF,), relation, ONE), rows), relation)
    )
    unit = Unit(relation)  # type: ignore[arg-type]
    for _, one, other in found:
        assert unit.distance(tuple((x,) for x in one), tuple((x,) for x in other)) == rows
    small = {frozenset(pair) for width, *pair in found if width == columns.NARROW_WIDTH}
    if rows == 1:
        every = {frozenset(pair) for pair in tiny.neighbours(relation, 4, 4)}
        assert small == every


def test_laws_are_those_of_every_point() -> None:
    mechanism = Quantiles((HALF,), "add-remove", ONE)
    (chooser,) = columns.list_choosers(case_of(mechanism))
    law = columns.compute_point_distribution(chooser, (0, 1, 1, 3), 3)
    assert law is not None
    assert np.exp(law.log) == pytest.approx(
        list(
            tiny.law_of(mechanism._build_selection(tiny.sample((0, 1, 1, 3), 4), HALF, 0)).values()
        )
    )


def test_relations() -> None:
    assert [
        c.relation for c in columns.list_choosers(case_of(Quantiles((HALF,), "change-one", ONE)))
    ] == ["change-one"]
    for mechanism in (Extreme("max", 2, ONE), InverseSensitivity(ONE)):
        assert [c.relation for c in columns.list_choosers(case_of(mechanism))] == sorted(RELATIONS)


@pytest.mark.parametrize(
    "mechanism",
    [Quantiles((HALF,), "add-remove", ONE), Extreme("max", 3, HALF), Extreme("min", 9, HALF)],
    ids=str,
)
def test_the_worst_pair_loses_nearly_all_it_may(mechanism: Any) -> None:
    worst = max(
        float(found.cells[0][0].losses.max()) for found in list_worst_neighbours(case_of(mechanism))
    )
    assert 0.85 <= worst <= 1 + 1e-9


@pytest.mark.parametrize("relation", sorted(RELATIONS))
@pytest.mark.parametrize(
    "at",
    [(Fraction(1, 4), Fraction(3, 4)), (HALF, Fraction(9, 10)), (Fraction(1, 10), HALF)],
    ids=str,
)
def test_without_a_law_the_neighbours_are_such_that_the_quantile_jumps(
    relation: str, at: tuple[Fraction, ...]
) -> None:
    case = case_of(Quantiles(at, relation, ONE))
    assert list_worst_neighbours(case) == ()
    one, other = columns._find_crossing_pair(case, relation)
    assert Unit(relation).distance(tuple((x,) for x in one), tuple((x,) for x in other)) == 1  # type: ignore[arg-type]
    ends = {
        Quantile(at[0], relation).value(columns.make_column(rows, columns.NARROW_WIDTH))
        for rows in (one, other)
    }
    assert ends == {0, columns.NARROW_WIDTH}
    assert len(build_neighbour_set(case).unstated_pairs) == 1


def test_quantiles_too_near_an_end_have_neighbours_all_the_same() -> None:
    one, other = columns._find_crossing_pair(
        case_of(Quantiles((Fraction(1, 10**6), HALF), "change-one", ONE)), "change-one"
    )
    assert len(one) == len(other)
    assert one != other


def test_several_points_are_one_number() -> None:
    place = build_neighbour_set(case_of(Quantiles((Fraction(1, 4), HALF), "add-remove", ONE))).uses[
        0
    ]
    assert [place.encode(z) for z in ([0, 0], [1, 2], [3, 3], 2)] == [0, 6, 15, 2]


@pytest.mark.parametrize("output", [4, -1, 1.0, True, [0, 4], "1", None])
def test_what_is_no_point_is_seen(output: object) -> None:
    with pytest.raises(LawBroken, match="outputs lie on the grid"):
        build_neighbour_set(case_of(Extreme("max", 2, ONE))).uses[0].encode(output)


def test_lengths_are_looked_at_beside_medians() -> None:
    found = build_neighbour_set(case_of(InverseSensitivity(HALF)))
    words = {item.description.split()[1] for item in found.neighbours}
    assert words == {"columns", "lengths"}
    assert len(found.uses) == 5
    for output in (-1, 1.0, "0"):
        with pytest.raises(LawBroken, match="outputs lie on the grid"):
            found.uses[-1].encode(output)
