"""Sums over the whole numbers, near and far."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, tanh

import numpy as np
import pytest

from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.verify.laws.case import LawBroken
from hedgerow.verify.laws.integer_distribution import TILTS, IntegerDistribution, make_points


def laplace(scale: float) -> IntegerDistribution:
    return IntegerDistribution.from_logs(make_points(0), Laplace(scale).log_prob(make_points(0), 0))


def outside(scale: float, k: int) -> float:
    return exp(-(k + 1) / scale) / (1 + exp(-1 / scale))


def test_points_are_all_near_and_fewer_far() -> None:
    found = make_points(0, 100_000)
    assert (np.diff(found) > 0).all()
    assert set(range(-4096, 4097)) <= set(found.tolist())
    assert set(range(100_000 - 4096, 100_000 + 4097)) <= set(found.tolist())
    assert found[-1] > 2**49
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0


@pytest.mark.parametrize("scale", [0.1, 1, 7.5, 50, 1000, 10**6, 10**12])
def test_sums(scale: float) -> None:
    law = laplace(scale)
    assert law.is_exact == (scale <= 100)
    assert abs(law.sum_logs(law.log)) < law.tolerance
    assert law.mean(np.ones(law.steps.size)) == pytest.approx(1, rel=law.tolerance)
    assert law.mean(np.abs(law.steps).astype(float)) == pytest.approx(
        1 / np.sinh(1 / scale), rel=1e-4 if scale > 100 else 1e-9
    )
    for k in (0, 1, 3, int(scale), int(5 * scale), int(20 * scale)):
        slack = 1e-9 if law.is_exact else 1e-4
        assert law.above(k) == pytest.approx(outside(scale, k), rel=slack)
        assert law.below(-k) == pytest.approx(outside(scale, k), rel=slack)


def test_probabilities_beyond_the_points_are_zero_or_one() -> None:
    law = laplace(1)
    assert law.above(-(10**6)) == 1
    assert law.above(10**6) == 0
    assert law.below(-(10**6)) == 0


def test_cumulants_of_the_log_probability() -> None:
    # sum p^(1+s) = c^(1+s) (1 + 2 r/(1-r)), r = q^(1+s), c = tanh(1/2t)
    law = laplace(3)
    for tilt, found in zip(TILTS, law.cumulants, strict=True):
        r = exp(-(1 + tilt) / 3)
        assert found == pytest.approx(
            (1 + tilt) * log(tanh(1 / 6)) + log((1 + r) / (1 - r)), abs=1e-9
        )


def test_steps_up_to_a_point() -> None:
    sigma = Gaussian(Fraction(2))
    law = IntegerDistribution.from_logs(make_points(0), sigma.log_prob(make_points(0), 0))
    place = int(np.flatnonzero(law.steps == 1)[0])
    assert law.cumulative[place] == pytest.approx(1 - law.above(1), rel=1e-12)
    assert law.cumulative[-1] == pytest.approx(1, rel=1e-12)


def test_holes_between_are_kept() -> None:
    with np.errstate(divide="ignore"):
        law = IntegerDistribution.from_logs(
            np.arange(-5, 6), np.log([0, 0, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0])
        )
    assert law.steps.tolist() == [-2, -1, 0, 1, 2]
    assert np.exp(law.log).tolist() == [0.5, 0, 0, 0, 0.5]
    assert law.is_exact


def test_a_law_without_mass_is_none() -> None:
    with pytest.raises(LawBroken, match="sum to one"):
        IntegerDistribution.from_logs(np.arange(3), np.full(3, -np.inf))


def test_the_mass_beyond_the_points_of_a_heavy_tail_is_estimated() -> None:
    steps = make_points(0, farthest=2.0**36)
    for scale, gamma in ((2.0**20, 2.0), (2.0**12, 1.5)):
        z = np.abs(steps) / scale
        law = IntegerDistribution.from_logs(
            steps, np.log(gamma * np.sin(np.pi / gamma) / (2 * np.pi) / scale / (1 + z**gamma))
        )
        assert law.mass_beyond > 1e-6
        assert np.exp(law.sum_logs(law.log)) + law.mass_beyond == pytest.approx(1, abs=2e-6)
    light = IntegerDistribution.from_logs(make_points(0), -np.abs(make_points(0)) / 5.0)
    assert light.mass_beyond == 0
    few = IntegerDistribution(np.arange(4), np.log(np.full(4, 0.25)))
    assert few.mass_beyond == 0


def test_points_may_be_fewer() -> None:
    found = make_points(0, dense=16, growth=1.5, farthest=1000.0)
    assert set(range(-16, 17)) <= set(found.tolist())
    assert found.size < 60
    assert 500 < found[-1] <= 1000
