"""Thresholds against the masses of the noise: the lowest that delta allows, and never lower."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.release.group_selection import Threshold


@pytest.mark.parametrize("groups", [1, 5])
@pytest.mark.parametrize("most", [1, 4])
def test_the_threshold_is_the_lowest_that_delta_allows(groups: int, most: int) -> None:
    delta = Fraction(1, 10**5)
    laplace, gaussian = Laplace(Fraction(7, 3)), Gaussian(Fraction(7, 3))
    for law in (laplace, gaussian):
        made = Threshold.calibrate(0, law, max_count=most, groups=groups, delta=delta)
        tail = [
            float(np.exp(law.log_prob(np.arange(t, t + 400), np.zeros(400, np.int64))).sum())
            for t in (made.minimum_count - most, made.minimum_count - most - 1)
        ]
        assert groups * tail[0] <= float(delta) * (1 + 1e-9)
        assert groups * tail[1] > float(delta)
        assert made.delta <= delta
        assert float(made.delta) >= groups * tail[0] * (1 - 1e-9)


def test_a_count_one_below_the_threshold_passes_as_often_as_it_should() -> None:
    """40,000 draws at 1/4: seven standard errors are 606."""
    made = Threshold(0, 10, Fraction(1, 10**6), Fraction(1, 4))
    assert abs(sum(made.admits(9) for _ in range(40_000)) - 10_000) < 606
    assert not any(made.admits(8) for _ in range(1000))
    assert all(made.admits(count) for _ in range(500) for count in (10, 11))
    assert not any(replace(made, edge_probability=Fraction(0)).admits(9) for _ in range(1000))


@pytest.mark.parametrize(
    "scale", [Fraction(1, 2), Fraction(7, 3), Fraction(40), Fraction(10**6, 3)]
)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("delta", [Fraction(1, 10**5), Fraction(3, 10**15)])
def test_nearly_all_of_delta_is_used_and_never_more(
    scale: Fraction, groups: int, delta: Fraction
) -> None:
    made = Threshold.calibrate(0, Laplace(scale), max_count=4, groups=groups, delta=delta)
    assert Fraction(999, 1000) * delta <= made.delta <= delta
    assert 0 <= made.edge_probability < 1
    # Pr[Z >= t] = q^t/(1 + q), Pr[Z = t] = (1 - q)/(1 + q) q^t
    q, above = math.exp(-1 / float(scale)), made.minimum_count - 4
    true = groups * (q**above + float(made.edge_probability) * (1 - q) * q ** (above - 1)) / (1 + q)
    assert true == pytest.approx(float(made.delta), rel=1e-6)


@pytest.mark.parametrize("scale", [Fraction(7, 3), Fraction(40), Fraction(1500)])
@pytest.mark.parametrize("groups", [1, 3])
def test_nearly_all_of_delta_is_used_with_gaussian_noise_too(scale: Fraction, groups: int) -> None:
    delta = Fraction(1, 10**5)
    made = Threshold.calibrate(0, Gaussian(scale), max_count=4, groups=groups, delta=delta)
    assert made.groups == groups
    assert Fraction(999, 1000) * delta <= made.delta <= delta
    above = np.arange(made.minimum_count - 5, made.minimum_count + 20_000)
    masses = np.exp(Gaussian(scale).log_prob(above, 4))
    true = groups * float(masses[5:].sum() + float(made.edge_probability) * masses[4])
    assert 0.98 * float(made.delta) <= true <= float(made.delta)
    assert 0 < made.edge_probability < 1


def _shown(law: Laplace, made: Threshold, count: int | None) -> dict[int | None, Fraction]:
    """The law of what is published of a group, None being nothing: noise by its masses, cut as
    the threshold says; the edge.
    """
    if count is None:
        return {None: Fraction(1)}
    reach = made.truncation if made.truncation is not None else 40 * math.ceil(law.scale)
    masses = {
        count + z: Fraction(math.exp(-abs(z) / float(law.scale))) for z in range(-reach, reach + 1)
    }
    total, found = sum(masses.values()), {None: Fraction(0)}
    for number, mass in masses.items():
        chance = (
            Fraction(1)
            if number >= made.minimum_count
            else made.edge_probability
            if number == made.minimum_count - 1
            else Fraction(0)
        )
        found[number] = chance * mass / total
        found[None] += (1 - chance) * mass / total
    return found


def _together(groups: list[dict[int | None, float]]) -> dict[tuple[int | None, ...], float]:
    """The law of what is published of all groups, each with noise of its own."""
    return {
        tuple(what for what, _ in outcome): math.prod(chance for _, chance in outcome)
        for outcome in itertools.product(*(group.items() for group in groups))
    }


@pytest.mark.parametrize(("left", "right"), [(1, 0), (0, 1), (1, 1), (2, 1), (0, 2), (2, 2)])
def test_both_neighbours_contain_one_good_pair(left: int, right: int) -> None:
    """All outcomes where the one world has groups that the other has not, and the other way round,
    beside one that both have and a unit moves: each law is at least 1 - delta times that of the
    group in common, which has the epsilon and the rho of the noise."""
    law, groups, most = Laplace(Fraction(1, 2)), max(left, right), 2
    made = Threshold.calibrate(0, law, max_count=most, groups=groups, delta=Fraction(1, 50))
    assert made.truncation is None
    assert made.edge_probability > 0
    first, second, lone, none = (
        {what: float(chance) for what, chance in _shown(law, made, count).items() if chance > 1e-18}
        for count in (3, 3 + most, most, None)
    )
    common = [first, second]
    sides = [
        _together([*[lone] * left, *[none] * right, common[0]]),
        _together([*[none] * left, *[lone] * right, common[1]]),
    ]
    for law_of_side, good in zip(sides, common, strict=True):
        for what, chance in good.items():
            assert law_of_side[*[None] * (left + right), what] >= float(1 - made.delta) * chance
    masses = [np.array([one[what] for what in first if what in second]) for one in common]
    here, there = (one / one.sum() for one in masses)
    loss = law.loss(most)
    assert np.abs(np.log(here / there)).max() <= float(loss.epsilon) * (1 + 1e-9)
    for order in (1.001, 2, 8, 60):
        assert math.log(float(here @ (here / there) ** (order - 1))) / (order - 1) <= order * float(
            loss.rho
        ) * (1 + 1e-6)
    worse = replace(made, minimum_count=made.minimum_count - 1)
    shown = (
        1
        - (1 - sum(chance for what, chance in _shown(law, worse, most).items() if what is not None))
        ** groups
    )
    assert shown > made.delta  # one lower, and the good pair is not there often enough


@pytest.mark.long
@pytest.mark.parametrize(
    ("scale", "most"), [(Fraction(3), 1), (Fraction(9), 1), (Fraction(15), 5), (Fraction(40), 3)]
)
@pytest.mark.parametrize("below", [0, 1])
def test_noise_that_is_cut_hides_whoever_moves_a_count_or_is_alone(
    scale: Fraction, most: int, below: int
) -> None:
    """All outcomes of one group in two worlds, where a unit puts up to ``most`` rows in: what has
    no counterpart within e^epsilon is no more than the delta of a group, and nearly that much
    somewhere; with a cut one lower it is more."""
    law, moved, delta = Laplace(scale), 2, Fraction(1, 10**4)
    made = Threshold.calibrate(0, law, max_count=most, groups=2, delta=delta, touched=moved)
    assert made.truncation is not None
    assert (
        made.minimum_count
        == made.truncation + 1
        < Threshold.calibrate(0, law, max_count=most, groups=2, delta=delta).minimum_count
    )
    made = replace(
        made, truncation=made.truncation - below, minimum_count=made.minimum_count - below
    )
    grown, worst = Fraction(math.exp(most / float(scale)) * (1 + 1e-12)), Fraction(0)
    for first in (None, 1, 2, 7, made.minimum_count, 3 * made.minimum_count):
        for rows in range(1, most + 1):
            one, other = _shown(law, made, first), _shown(law, made, (first or 0) + rows)
            for here, there in ((one, other), (other, one)):
                worst = max(
                    worst,
                    sum(
                        max(Fraction(0), chance - grown * there.get(what, Fraction(0)))
                        for what, chance in here.items()
                    ),
                )
    assert (worst * moved <= made.delta * (1 + Fraction(1, 10**9))) == (not below)
    assert worst * moved > made.delta * Fraction(9, 10)


@pytest.mark.parametrize("rows", [1, 4])
def test_truncated_noise_has_the_full_rho_where_both_neighbours_agree(rows: int) -> None:
    """Renyi divergence on the values that both have, against that of whole Laplace noise, at
    orders from 1 to 60.
    """
    scale, cut = 6.0, 25
    both = np.arange(rows - cut, cut + 1)
    one, other = (np.exp(-np.abs(both - moved) / scale) for moved in (0, rows))
    # they agree as often in either world: one good pair
    assert one.sum() == pytest.approx(other.sum())
    most = float(Laplace(Fraction(6)).loss(rows).rho)
    for order in (1.001, 1.5, 2, 4, 16, 60):
        met = float(np.sum((one / one.sum()) ** order * (other / other.sum()) ** (1 - order)))
        assert math.log(met) / (order - 1) <= order * most * (1 + 1e-9)


def test_where_a_step_is_much_noise_is_not_cut() -> None:
    law, delta = Laplace(Fraction(1, 2)), Fraction(1, 10**6)
    assert Threshold.calibrate(
        0, law, max_count=1, groups=1, delta=delta, touched=1
    ) == Threshold.calibrate(0, law, max_count=1, groups=1, delta=delta)


def _list_optimal_probabilities(epsilon: float, delta: float, most: int) -> list[float]:
    """Return how probably any (epsilon, delta) rule can show a group of 0, 1, … units at most
    (Desfontaines et al. 2022): neighbours differ by one unit."""
    found = [0.0]
    for _ in range(most):
        grown = math.exp(epsilon) * found[-1] + delta
        found.append(min(grown, 1 - math.exp(-epsilon) * (1 - found[-1] - delta), 1.0))
    return found


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(4)])
def test_keys_alone_are_shown_nearly_as_often_as_any_rule_can(epsilon: Fraction) -> None:
    """One count of units decides: no rule shows keys from smaller groups, but for one unit."""
    delta, most = Fraction(1, 10**6), 300
    noise = Laplace(1 / epsilon)
    made = Threshold.calibrate(0, noise, max_count=1, groups=1, delta=delta, touched=1)
    shown = []
    for count in range(most + 1):
        by_noise = {z: p for z, p in _shown(noise, made, count).items() if z is not None}
        shown.append(float(sum(by_noise.values())))
    best = _list_optimal_probabilities(float(epsilon), float(delta), most)
    pairs = list(zip(shown, best, strict=True))[1:]  # a group without units is no group
    assert all(mine <= optimum * (1 + 1e-9) for mine, optimum in pairs)
    assert sum(optimum - mine for mine, optimum in pairs) < 1
