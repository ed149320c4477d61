"""Snapping: exact, monotone, and never farther apart than ``steps`` states."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.sensitivity import Sensitivity
from mechanisms import helpers_bad_input as bad

steps_of_two = st.integers(-40, 10).map(lambda k: Fraction(2) ** k)
moves = st.fractions(min_value=Fraction(1, 1000), max_value=1000)
reals = st.floats(-1e6, 1e6)


def nearest(x: Fraction, h: Fraction) -> int:
    return floor(x / h + Fraction(1, 2))


@given(reals, steps_of_two.filter(lambda h: h != 1))
def test_one_double_and_an_array_of_doubles_snap_alike_and_exactly(x: float, h: Fraction) -> None:
    expected = nearest(Fraction(x), h)
    assert Grid(h).snap(x) == expected
    assert Grid(h).snap([x, -x]).tolist() == [expected, nearest(Fraction(-x), h)]
    assert Grid(h).snap(np.float64(x)) == expected


@given(st.integers(-(2**52), 2**52), st.integers(0, 9).map(lambda k: 2**k))
def test_integers_snap_exactly(n: int, h: int) -> None:
    expected = nearest(Fraction(n), Fraction(h))
    assert Grid(h).snap(n) == expected
    assert Grid(h).snap(np.array([n]))[0] == expected
    assert Grid(h).snap(np.int64(n)) == expected


@given(st.fractions(-1000, 1000), moves, steps_of_two.filter(lambda h: h != 1))
def test_neighbours_snap_no_farther_apart_than_the_steps_say(
    x: Fraction, move: Fraction, h: Fraction
) -> None:
    grid = Grid(h)
    steps = grid.steps(Sensitivity.of(move))
    assert steps.linf == ceil(move / h)
    for other in (x + move, x - move, x + move / 3):
        assert abs(grid.snap(other) - grid.snap(x)) <= steps.linf
    assert grid.snap(x) <= grid.snap(x + move)


@given(
    st.lists(st.tuples(st.fractions(-100, 100), st.fractions(-10, 10)), min_size=1, max_size=5),
    st.integers(-3, 3),
)
def test_vectors_snap_no_farther_apart_than_the_steps_say(
    cells: list[tuple[Fraction, Fraction]], k: int
) -> None:
    sizes = [abs(move) for _, move in cells if move]
    if not sizes:
        return
    h = Fraction(2) ** k
    real = Sensitivity(len(sizes), max(sizes), sum(sizes), sum(size**2 for size in sizes))
    if h == 1:  # the grid of whole answers
        cells = [
            (Fraction(floor(x)), Fraction(floor(abs(move)) * (1 if move > 0 else -1)))
            for x, move in cells
        ]
    grid, found = Grid(h), [0]
    for x, move in cells:
        found.append(abs(grid.snap(x + move) - grid.snap(x)))
    steps = grid.steps(real)
    assert max(found) <= steps.linf
    assert sum(found) <= steps.l1
    assert sum(d**2 for d in found) <= steps.l2_squared
    assert sum(d > 0 for d in found) <= steps.l0


def test_steps_are_no_larger_than_they_must_be() -> None:
    # ceil(v) + ceil(w) <= 3 when v + w <= 2, and 3 is reached by 1.5 and 0.5
    assert Grid(0.5).steps(Sensitivity(2, 1, 1, 1)).l1 == 3
    assert Grid(0.5).steps(Sensitivity.each(3, 2)) == Sensitivity.each(3, 4)
    assert Grid(1).steps(Sensitivity.each(3, 2)) == Sensitivity.each(3, 2)
    assert Grid(1).steps(Sensitivity.of(2.5)) == Sensitivity.of(3)
    assert Grid(4).steps(Sensitivity.of(3)) == Sensitivity.of(1)


def test_halves_go_up() -> None:
    assert [Grid(1 / 2).snap(x) for x in (-0.75, -0.25, 0.25, 0.75, 1.25)] == [-1, 0, 1, 2, 3]
    assert Grid(1 / 2).snap([-0.75, -0.25, 0.25, 0.75, 1.25]).tolist() == [-1, 0, 1, 2, 3]
    assert Grid(4).snap([-6, -2, 2, 6, 5]).tolist() == [-1, 0, 1, 2, 1]


def test_every_power_of_two_is_a_grid_however_it_is_written() -> None:
    for k in range(-300, 61):
        assert (
            Grid(2.0**k).step
            == Grid(np.float64(2.0**k)).step
            == Grid(Fraction(2) ** k).step
            == Fraction(2) ** k
        )


@pytest.mark.parametrize(
    "step",
    [
        0.1,
        3,
        0,
        -1,
        nan,
        inf,
        True,
        "1",
        None,
        2.0**-301,
        2.0**61,
        Fraction(2) ** 400,
        Decimal("0.3"),
        6,
    ],
    ids=bad.name,
)
def test_other_grids_are_refused(step: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Grid(step)  # type: ignore[arg-type]
    assert refusal.value.argument == "grid"


def test_the_default_grid_is_fine_enough() -> None:
    assert Grid.for_sensitivity(Sensitivity.of(3), None).step == 1
    assert Grid.for_sensitivity(Sensitivity.of(3), 2**-5).step == Fraction(1, 32)
    for move in (0.3, 0.5, 1.5, 1e-80, 1e20 + 0.5, Fraction(10**24 + 1, 3)):
        s = Sensitivity.of(move)
        step = Grid.for_sensitivity(s, None).step
        assert 2**20 <= s.linf / step < 2**21 or step == 1


@pytest.mark.parametrize(
    "move", [Fraction(1, 10**400), Fraction(2 * 10**400 + 1, 2)], ids=["tiny", "huge"]
)
def test_a_sensitivity_beyond_doubles_is_refused_by_name(move: Fraction) -> None:
    with pytest.raises(InvalidArgument, match="sensitivity"):
        Grid.for_sensitivity(Sensitivity.of(move), None)


@pytest.mark.parametrize(
    "value", [0.5, np.float32(0.5), Decimal("0.5"), Fraction(1, 2)], ids=bad.name
)
def test_all_numeric_types_snap(value: object) -> None:
    assert Grid(1 / 4).snap(value) == 2


@pytest.mark.parametrize(
    "value", [3, np.int8(3), np.uint64(3), Decimal(3), Fraction(3)], ids=bad.name
)
def test_all_integer_types_snap(value: object) -> None:
    assert Grid(1).snap(value) == 3


@pytest.mark.parametrize(
    "value", [3.0, np.float64(3), Fraction(7, 2), [1.0], np.array([1.5])], ids=bad.name
)
def test_reals_on_the_grid_of_one_are_refused_with_a_hint(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"grid=2\*\*-20"):
        Grid(1).snap(value)


@pytest.mark.parametrize(
    "value",
    [nan, inf, None, "74311", True, np.True_, 1j, {"a": 1}, np.longdouble(3), Decimal("NaN")],
    ids=bad.name,
)
@pytest.mark.parametrize("step", [1, 0.5])
def test_non_numbers_are_refused_without_showing_them(value: object, step: float) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Grid(step).snap(value)
    assert "74311" not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_arrays_are_clamped_and_stay_as_close() -> None:
    far = np.array([2**63 - 1, -(2**63), 2**62, 2**62 - 1])
    assert Grid(1).snap(far).tolist() == [2**62, -(2**62), 2**62, 2**62 - 1]
    assert Grid(2).snap(far).tolist() == [2**61, -(2**61), 2**61, 2**61]
    assert Grid(0.5).snap(far).tolist() == [2**54, -(2**54), 2**54, 2**54]
    assert Grid(0.5).snap(np.array([1e300, -1e300])).tolist() == [2**62, -(2**62)]
    assert Grid(2.0**-300).snap(np.array([1e300, 5e-324])).tolist() == [2**62, 0]


def test_single_numbers_beyond_all_doubles_are_clamped() -> None:
    assert Grid(1).snap(10**400) == 10**400
    assert Grid(0.5).to_value(Grid(0.5).snap(10**400)) == 2.0**1000
    assert Grid(0.5).to_value(Grid(0.5).snap(-(10**400))) == -(2.0**1000)


def test_distances_of_large_numbers_are_exact() -> None:
    assert Grid(1).distance(2**60 + 3, 2**60) == 3
    assert Grid(1).distance(np.array([2**60 + 3, 2**60 - 1]), 2**60).tolist() == [3, -1]
    assert Grid(1).distance(10**30 + 1, 10**30) == 1
    assert Grid(1).distance(0, 10**400) == -(2.0**1000)
    assert Grid(1).distance(np.array([2**62]), 10**400).tolist() == [0]
    assert Grid(0.5).distance([0.5, 1.5], [0.0, 0.0]).tolist() == [1, 3]


def test_steps_convert_to_values_and_radii() -> None:
    assert Grid(1).to_value(3) == 3
    assert Grid(0.25).to_value(3) == 0.75
    assert Grid(0.25).to_value(np.array([3, -1])).tolist() == [0.75, -0.25]
    assert Grid(1).to_radius(3) == 3
    assert 0.875 < Grid(0.25).to_radius(3) < 0.875 + 1e-15
