"""Joint loss of Gaussian cells: delta against enumeration, the good pair, and lone groups."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import reduce
from math import exp, inf, log

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism
from numpy.typing import NDArray

from hedgerow.mechanisms import Gaussian
from hedgerow.privacy.gaussian_composition import bound_lone_group_deltas, compute_gaussian_loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise

Floats = NDArray[np.float64]


def cell(scale: float, shift: int) -> tuple[Floats, Floats]:
    """Return the discrete Gaussian at 0 and at ``shift``, from its definition."""
    far = int(13 * scale) + abs(shift) + 5
    z = np.arange(-far, far + 1)
    here, there = (np.exp(-((z - at) ** 2) / (2 * scale**2)) for at in (0, shift))
    total = np.exp(-(z**2) / (2 * scale**2)).sum()
    return here / total, there / total


def pair(scales: list[float], shifts: list[int]) -> tuple[Floats, Floats]:
    """Return all joint outcomes of the cells, in both data sets."""
    each = [cell(*one) for one in zip(scales, shifts, strict=True)]
    first, second = (reduce(np.outer, [one[world] for one in each]).ravel() for world in (0, 1))
    return first, second


def exact_delta(p: Floats, q: Floats, epsilon: float) -> float:
    return float(np.maximum(p - exp(epsilon) * q, 0).sum())


def moved(scales: list[float], shifts: list[int]) -> list[tuple[Fraction, Sensitivity]]:
    return [
        (Fraction(str(scale)), Sensitivity.of(abs(shift)))
        for scale, shift in zip(scales, shifts, strict=True)
    ]


CASES = [
    ([2.0, 2.0], [1, 1]),
    ([2.0, 2.0], [1, -1]),
    ([1.1, 4.0], [1, 3]),
    ([3.5, 3.5], [2, 5]),
    ([0.7, 0.7], [1, 1]),
    ([1.5, 1.5, 1.5], [1, 1, 1]),
    ([2.5, 1.5, 2.0], [1, -2, 3]),
]


@pytest.mark.parametrize(("scales", "shifts"), CASES)
@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "1", "3"])
def test_delta_covers_every_outcome(scales: list[float], shifts: list[int], epsilon: str) -> None:
    p, q = pair(scales, shifts)
    found = float(compute_gaussian_loss(moved(scales, shifts), Fraction(epsilon)).delta)
    for one, other in ((p, q), (q, p)):
        assert exact_delta(one, other, float(epsilon)) <= found


@pytest.mark.long
@pytest.mark.parametrize("cells", [2, 5, 20])
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-8), (3, 1e-4)])
def test_delta_is_hardly_above_that_of_dp_accounting(
    cells: int, epsilon: float, delta: float
) -> None:
    """Their privacy loss distributions, rounded up and down, enclose the true delta.

    No much smaller delta holds.
    """
    move = Sensitivity.each(cells, 1)
    law = Gaussian.calibrate(sensitivity=move, epsilon=epsilon, delta=delta)
    assert law.loss(move, epsilon).delta <= Fraction(str(delta))

    def theirs(scale: float, *, pessimistic: bool) -> float:
        single = from_discrete_gaussian_mechanism(
            scale, value_discretization_interval=1e-4, pessimistic_estimate=pessimistic
        )
        return float(single.self_compose(cells).get_delta_for_epsilon(epsilon))

    assert theirs(float(law.scale), pessimistic=False) <= delta
    wide = 0.97 if float(law.scale) > 4 else 0.92  # what is lost to smoothing is a part of one step
    assert theirs(float(law.scale) * wide, pessimistic=False) > delta


@pytest.mark.parametrize(("scales", "shifts"), CASES)
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_one_good_pair_has_the_epsilon_the_delta_and_the_rho(
    scales: list[float], shifts: list[int], epsilon: float
) -> None:
    p, q = pair(scales, shifts)
    good, other = np.minimum(p, exp(epsilon) * q), np.minimum(q, exp(epsilon) * p)
    loss = compute_gaussian_loss(moved(scales, shifts), Fraction(str(epsilon)))
    assert loss.epsilon == Fraction(str(epsilon))
    kept = good.sum()
    assert 1 - kept <= loss.delta
    assert other.sum() == pytest.approx(kept, rel=1e-12)
    there = (good > 0) & (other > 0)
    good, other = good[there] / kept, other[there] / kept
    assert np.abs(np.log(good / other)).max() <= epsilon * (1 + 1e-12)
    for alpha in (1.01, 1.5, 2.0, 5.0, 20.0, 60.0):
        divergence = log(float(np.sum(other * (good / other) ** alpha))) / (alpha - 1)
        assert divergence <= float(loss.rho) * alpha * (1 + 1e-9)


def test_leaving_out_outcomes_instead_of_truncating_costs_more() -> None:
    """Leaving out all outcomes beyond epsilon removes more than delta from either distribution."""
    p, q = pair([2.0, 2.0], [1, 1])
    inside = np.abs(np.log(p[q > 0] / q[q > 0])) <= 0.5
    assert 1 - p[q > 0][inside].sum() > float(
        compute_gaussian_loss(moved([2.0, 2.0], [1, 1]), Fraction(1, 2)).delta
    )


def test_without_epsilon_only_rho_is_stated() -> None:
    loss = compute_gaussian_loss(
        [(Fraction(3), Sensitivity.each(2, 3)), (Fraction(1), Sensitivity.of(1))]
    )
    assert (loss.epsilon, loss.delta, loss.rho) == (inf, Fraction(0), 1 + Fraction(1, 2))


def test_sampled_noise_has_the_charged_delta() -> None:
    """500,000 draws of three cells estimate the excess of the worst event over e^epsilon times.

    The estimate is a mean of numbers within ±1; 6.5 standard errors are at most 0.0092. A scale
    that is too small by a sixth is detected.
    """
    epsilon, n = Fraction(3, 10), 500_000
    claimed = float(Gaussian(Fraction(4)).loss(Sensitivity.each(3, 1), epsilon).delta)

    def measured(scale: Fraction) -> float:
        drawn = Gaussian(scale).sample(np.zeros((n, 3), dtype=np.int64)).sum(axis=1)
        # ln of the ratio of the two laws
        here, there = ((2 * (drawn - low) + 3) / (2 * 16) > float(epsilon) for low in (0, 3))
        return float(here.mean() - exp(0.3) * there.mean())

    assert 0.97 * claimed - 0.0092 <= measured(Fraction(4)) <= claimed + 0.0092
    assert measured(Fraction(4) * Fraction(5, 6)) > claimed + 0.0092


# Groups in which a unit is alone


def sparse(scale: float, least: int, edge: float, alone: int, shared: int) -> tuple[Floats, Floats]:
    """Return both distributions for a unit with a count of 1 in each of its groups.

    It joins ``shared`` groups of many, and ``alone`` groups of its own.
    """
    far = int(13 * scale) + least + 5
    z = np.arange(-far, far + 1)
    mass = np.exp(-(z**2) / (2 * scale**2))
    mass /= mass.sum()
    passes = np.where(z + 1 >= least, 1.0, np.where(z + 1 == least - 1, edge, 0.0))
    lone_there = np.append(mass * passes, 1 - float(mass @ passes))  # the last outcome: not shown
    lone_absent = np.append(np.zeros_like(mass), 1.0)
    many = cell(scale, 1)
    return tuple(  # type: ignore[return-value]
        reduce(
            np.outer,
            [
                *([lone_absent, lone_there][world] for _ in range(alone)),
                *(many[world] for _ in range(shared)),
            ],
        ).ravel()
        for world in (0, 1)
    )


@pytest.mark.parametrize(
    ("groups", "scale", "epsilon", "chance"),
    [(1, "5", "0.5", "0.004"), (2, "6", "0.5", "0.02"), (3, "4", "0.9", "0.03")],
)
def test_the_delta_of_a_threshold_and_of_noise_need_not_be_added(
    groups: int, scale: str, epsilon: str, chance: str
) -> None:
    """Every split of the groups into lone and shared ones is enumerated, in both directions."""
    law, move = Gaussian(Fraction(scale)), Sensitivity.each(groups, 1)
    threshold = Threshold.calibrate(0, law, max_count=1, groups=groups, delta=Fraction(chance))
    noise = ReleaseNoise((law,), threshold, gaussian_epsilon=Fraction(epsilon))
    loss = noise.loss([move])
    found = []
    for alone in range(groups + 1):
        p, q = sparse(
            float(scale),
            threshold.minimum_count,
            float(threshold.edge_probability),
            alone,
            groups - alone,
        )
        found += [exact_delta(p, q, float(epsilon)), exact_delta(q, p, float(epsilon))]
    assert max(found) <= loss.delta
    # less than both together
    assert loss.delta < threshold.delta + law.loss(move, Fraction(epsilon)).delta
    lower = Threshold(
        0, threshold.minimum_count - 2, threshold.delta, threshold.edge_probability, groups
    )
    p, q = sparse(float(scale), lower.minimum_count, float(lower.edge_probability), groups, 0)
    # two lower, and the threshold's own delta is not kept
    assert exact_delta(q, p, float(epsilon)) > threshold.delta


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-2, 2), (-1, 3)])
def test_a_unit_alone_in_some_groups_moves_the_others_by_less(low: int, high: int) -> None:
    """All moves of a replaced unit in g = 2 groups are at most (2g - j)/2g of the whole.

    j is the larger number of lone groups of the old and the new unit.
    """
    g, far = 2, max(-low, high)
    most = max(2 * g * far**2, g * (high - low) ** 2)
    for old, new in itertools.product(range(g + 1), repeat=2):
        alone, squares = max(old, new), 0
        for both in range(g - alone + 1):  # groups that it leaves and enters again
            leaves, enters = g - old - both, g - new - both
            ways = itertools.product(range(low, high + 1), repeat=2 * both)
            squares = max(
                squares,
                *(
                    sum((a - b) ** 2 for a, b in zip(w[:both], w[both:], strict=True))
                    + (leaves + enters) * far**2
                    for w in ways
                ),
            )
        assert squares <= Fraction(2 * g - alone, 2 * g) * most


def test_moments_of_a_unit_alone_in_some_groups_move_by_less() -> None:
    """Moments are at least 0 and add up to at most 2.

    In one group both units move them by at most twice the square of that.
    """
    total, ways = 2, [way for way in itertools.product(range(3), repeat=3) if sum(way) <= 2]
    most = max(
        sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
        for one, other in itertools.product(ways, repeat=2)
    )
    assert most == 2 * total**2
    assert max(sum(a**2 for a in one) for one in ways) == total**2


@pytest.mark.parametrize(
    ("scale", "epsilon", "chance"),
    [("5", "0.5", "0.004"), ("4", "0.9", "0.03"), ("2.5", "0.4", "0.05")],
)
def test_lone_groups_on_both_sides_are_covered(scale: str, epsilon: str, chance: str) -> None:
    """A unit in one group is replaced by one in another; each of the two is lone or shared.

    All outcomes are enumerated.
    """
    law, move = Gaussian(Fraction(scale)), Sensitivity.each(2, 1)
    threshold = Threshold.calibrate(0, law, max_count=1, groups=1, delta=Fraction(chance))
    loss = ReleaseNoise((law,), threshold, gaussian_epsilon=Fraction(epsilon)).loss([move])
    for old, new in itertools.product((True, False), repeat=2):
        left, right = (
            sparse(
                float(scale),
                threshold.minimum_count,
                float(threshold.edge_probability),
                alone,
                not alone,
            )[:: 1 if comes else -1]
            for alone, comes in ((old, False), (new, True))
        )
        p, q = (np.outer(one, other).ravel() for one, other in zip(left, right, strict=True))
        assert (
            max(exact_delta(p, q, float(epsilon)), exact_delta(q, p, float(epsilon))) <= loss.delta
        )


def test_lone_groups_cover_every_number_of_them() -> None:
    parts = [(Fraction(8), Sensitivity.each(6, 1))]
    pairs = bound_lone_group_deltas(parts, Fraction(1), 6, 6)
    assert [j for j, _ in pairs] == [0, 1, 3, 6]
    for alone in range(7):
        true = (
            compute_gaussian_loss(
                [(Fraction(8), Sensitivity.each(6 - alone, 1))], Fraction(1)
            ).delta
            if alone < 6
            else Fraction(0)
        )
        covering = next(delta for j, delta in pairs if j >= alone)
        # the number of cells, which it takes for 6, hardly counts
        assert covering >= true * Fraction(999, 1000)
    assert bound_lone_group_deltas(parts, Fraction(1), 1, 1) == [
        (0, compute_gaussian_loss(parts, Fraction(1)).delta),
        (1, Fraction(0)),
    ]
