from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.privacy import Sensitivity
from hedgerow.privacy.sensitivity import LocalSensitivity

BAD = [
    0,
    -1,
    -0.0,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e400,
    True,
    np.True_,
    "1",
    None,
    [1],
    1j,
]

moves = st.lists(
    st.fractions(min_value=-5, max_value=5, max_denominator=6), min_size=1, max_size=5
).filter(any)


def of_vectors(vectors: list[list[Fraction]]) -> Sensitivity:
    """Return the exact sensitivity of a question whose possible moves are these vectors."""
    return Sensitivity(
        max(sum(x != 0 for x in v) for v in vectors),
        max(abs(x) for v in vectors for x in v),
        max(sum(map(abs, v)) for v in vectors),
        max(sum(x * x for x in v) for v in vectors),
    )


def covers(bound: Sensitivity, move: list[Fraction]) -> bool:
    return (
        sum(x != 0 for x in move) <= bound.l0
        and max(map(abs, move)) <= bound.linf
        and sum(map(abs, move)) <= bound.l1
        and sum(x * x for x in move) <= bound.l2_squared
    )


def test_a_number_has_equal_norms() -> None:
    half = Fraction(1, 2)
    assert Sensitivity.of(0.5) == Sensitivity(1, half, half, Fraction(1, 4))
    assert Sensitivity.of(0.1).linf == Fraction(1, 10)
    assert Sensitivity.of(np.float64(0.5)) == Sensitivity.of(half)
    assert Sensitivity.of(1e-320).l1 == Fraction(1, 10**320)


def test_a_sensitivity_passes_through() -> None:
    bound = Sensitivity.each(3, 2)
    assert Sensitivity.of(bound) is bound


def test_each_builds_independent_cells() -> None:
    assert Sensitivity.each(3, 2) == Sensitivity(3, Fraction(2), Fraction(6), Fraction(12))


def test_l2_is_rounded_up() -> None:
    assert Sensitivity.each(4, 3).l2 == 6
    root = Sensitivity.each(2, 1).l2
    assert 2 < root**2 < 2 + Fraction(1, 10**28)


def test_the_mirrored_mean_keeps_its_own_l1() -> None:
    bound = Sensitivity(2, Fraction(1), Fraction(1), Fraction(1))
    assert bound.l1 < bound.l0 * bound.linf


@given(st.lists(moves, min_size=1, max_size=4))
def test_the_bounds_of_real_moves_are_never_refused(vectors: list[list[Fraction]]) -> None:
    bound = of_vectors(vectors)
    assert all(covers(bound, move) for move in vectors)


@given(moves, moves)
def test_stacking_covers_the_longer_vector(a: list[Fraction], b: list[Fraction]) -> None:
    assert covers(of_vectors([a]) + of_vectors([b]), a + b)
    assert of_vectors([a]) + of_vectors([b]) == of_vectors([a + b])


@given(st.lists(moves.map(lambda v: (v * 5)[:5]), min_size=1, max_size=3))
def test_a_group_covers_moves_that_add_up(vectors: list[list[Fraction]]) -> None:
    together = [sum(column, Fraction(0)) for column in zip(*vectors, strict=True)]
    assert covers(of_vectors(vectors).group(len(vectors)), together)


def test_groups_of_one_and_of_groups_compose() -> None:
    bound = Sensitivity(3, Fraction(2), Fraction(5), Fraction(9))
    assert bound.group(1) == bound
    assert (
        bound.group(2).group(3)
        == bound.group(6)
        == Sensitivity(18, Fraction(12), Fraction(30), Fraction(9 * 36))
    )


@pytest.mark.parametrize(
    ("bounds", "argument"),
    [
        ((2, 2, 1, 4), "l1"),  # one cell alone moves further
        ((2, 2, 5, 8), "l1"),  # more than two cells of 2
        ((2, 2, 3, 3), "l2_squared"),  # one cell alone has 4
        ((2, 2, 3, 7), "l2_squared"),  # above l1 * linf
        ((2, 2, 4, 7), "l2_squared"),  # l1 = 4 in two cells needs 8
    ],
)
def test_bounds_that_contradict_each_other_are_refused(
    bounds: tuple[int, int, int, int], argument: str
) -> None:
    l0, *rest = bounds
    with pytest.raises(InvalidArgument, match=argument) as caught:
        Sensitivity(l0, *map(Fraction, rest))
    assert caught.value.argument == argument


@pytest.mark.parametrize("value", BAD)
def test_bad_values_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be"):
        Sensitivity.of(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^linf must be"):
        Sensitivity.each(1, value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^l2_squared must be"):
        Sensitivity(1, Fraction(1), Fraction(1), value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [*BAD, 1.5])
def test_bad_counts_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^l0 must be"):
        Sensitivity(value, Fraction(1), Fraction(1), Fraction(1))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^cells must be"):
        Sensitivity.each(value, 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^k must be"):
        Sensitivity.of(1).group(value)  # type: ignore[arg-type]


def test_only_sensitivities_are_stacked() -> None:
    with pytest.raises(TypeError):
        Sensitivity.of(1) + 1  # type: ignore[operator]


@pytest.mark.parametrize(
    "scale",
    [
        LocalSensitivity(3),
        LocalSensitivity(1, 3),
        2 * LocalSensitivity(3),
        LocalSensitivity(3) * Fraction(1, 2),
        Fraction(1, 2) * LocalSensitivity(3),
    ],
)
def test_local_sensitivity_never_scales_noise(scale: LocalSensitivity) -> None:
    one = Fraction(1)
    for use in (
        lambda: Sensitivity.of(scale),
        lambda: Sensitivity.each(2, scale),
        lambda: Sensitivity(1, scale, one, one),
        lambda: Sensitivity(1, one, one, scale),
    ):
        with pytest.raises(
            Refused,
            match=r"^Noise scaled to local sensitivity is not private: .* Use smooth sensitivity",
        ) as caught:
            use()
        assert "3" not in str(caught.value)


def test_local_sensitivity_is_a_number_to_look_at() -> None:
    assert LocalSensitivity(3) == 3
    assert LocalSensitivity(1, 3) < Fraction(1, 2) < LocalSensitivity(3) + 1
