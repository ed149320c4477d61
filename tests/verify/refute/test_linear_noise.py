from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.program import Noise
from hedgerow.verify.refute.interval_arithmetic import RealInterval, compute_sqrt
from hedgerow.verify.refute.linear_noise import (
    LinearForm,
    NoiseBand,
    NoiseDistribution,
    PathCondition,
    add,
    scale,
)
from hedgerow.verify.refute.out_of_scope import OutOfScope

LAPLACE, WHOLE = (
    NoiseDistribution(Noise.LAPLACE, (Fraction(1),)),
    NoiseDistribution(Noise.GEOMETRIC, (Fraction(1),)),
)


def _two(law: NoiseDistribution) -> tuple[PathCondition, LinearForm, LinearForm]:
    store, x = PathCondition().add_variable(law)
    store, y = store.add_variable(law)
    return store, x, y


def _less(
    store: PathCondition | None, one: object, other: object, strict: bool = True
) -> PathCondition | None:
    assert store is not None
    form = add(one, scale(other, Fraction(-1)))  # type: ignore[arg-type]
    assert isinstance(form, LinearForm)
    return store.restrict_below(form, strict)


def test_noise_that_cancels_leaves_a_number() -> None:
    _, x, y = _two(LAPLACE)
    both = add(add(x, y), Fraction(3))
    assert isinstance(both, LinearForm)
    assert both.terms == ((0, Fraction(1)), (1, Fraction(1)))
    assert add(both, scale(add(x, y), Fraction(-1))) == Fraction(3)
    assert scale(x, Fraction(0)) == Fraction(0)
    with pytest.raises(OutOfScope, match="not rational"):
        scale(x, compute_sqrt(Fraction(2)))


def test_one_direction_has_one_band() -> None:
    store, x, y = _two(LAPLACE)
    narrowed = _less(store, x, add(y, Fraction(1)))
    narrowed = _less(narrowed, scale(y, Fraction(2)), scale(x, Fraction(2)))
    assert narrowed is not None
    assert narrowed.bands == {
        ((0, Fraction(1)), (1, Fraction(-1))): NoiseBand(Fraction(0), Fraction(1))
    }
    assert _less(narrowed, x, y) is None, "x - y has to lie above 0"
    again = _less(narrowed, x, add(y, Fraction(5)))
    assert again is narrowed, "nothing new"


def test_continuous_noise_has_no_atoms() -> None:
    store, x, _ = _two(LAPLACE)
    below = _less(store, x, Fraction(1), strict=False)
    assert _less(below, Fraction(1), x, strict=False) is None
    within = store.restrict_between(x, Fraction(0), Fraction(2))
    assert within is not None
    assert within.bands == {((0, Fraction(1)),): NoiseBand(Fraction(0), Fraction(2))}


def test_whole_noise_is_bounded_by_whole_numbers() -> None:
    store, x, y = _two(WHOLE)
    twice = add(scale(x, Fraction(2)), scale(y, Fraction(2)))
    narrowed = _less(_less(store, twice, Fraction(5)), Fraction(-4), twice)
    assert narrowed is not None
    assert narrowed.bands == {
        ((0, Fraction(1)), (1, Fraction(1))): NoiseBand(Fraction(-1), Fraction(2))
    }
    equal = _less(_less(store, x, Fraction(1), strict=False), Fraction(1), x, strict=False)
    assert equal is not None
    assert equal.bands == {((0, Fraction(1)),): NoiseBand(Fraction(1), Fraction(1))}
    assert _less(equal, x, Fraction(1)) is None
    vague = RealInterval(Fraction(1, 2), Fraction(3, 2))
    with pytest.raises(OutOfScope, match="integer noise"):
        _less(store, x, vague)


def test_vague_ends_are_kept_as_wide_as_they_are() -> None:
    two = RealInterval(Fraction(1), Fraction(3))
    assert NoiseBand(high=two).intersect(NoiseBand(high=Fraction(2)), False) == NoiseBand(
        high=RealInterval(Fraction(1), Fraction(2))
    )
    assert NoiseBand(low=two).intersect(NoiseBand(low=Fraction(2)), False) == NoiseBand(
        low=RealInterval(Fraction(2), Fraction(3))
    )
    assert NoiseBand(low=two, high=two).intersect(NoiseBand(), False) == NoiseBand(two, two), (
        "perhaps empty, and measured as such"
    )
    assert NoiseBand(low=Fraction(4)).intersect(NoiseBand(high=two), False) is None
