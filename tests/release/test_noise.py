"""The noise of a release: its loss, and how noisy numbers are drawn."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from doorway import (
    DAYS,
    Cells,
    Plain,
    plan,
)
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import CentredCounts, ReleaseNoise


def test_noise_on_a_coarser_grid_is_priced_in_its_steps() -> None:
    """A move by 3 is 2 steps of 2 on a grid of 2, as far as 4: it costs what 4 would, not what 3
    would.
    """
    coarse, move = Gaussian(Fraction(40), Fraction(2)), Sensitivity.each(2, 3)
    for at in (None, Fraction(1, 10)):
        assert ReleaseNoise((coarse,), gaussian_epsilon=at).loss([move]) == ReleaseNoise(
            (Gaussian(Fraction(20)),), gaussian_epsilon=at
        ).loss([Sensitivity.each(2, 2)])
        assert ReleaseNoise((coarse,), gaussian_epsilon=at).loss([move]) == coarse.loss(move, at)


def test_truncated_noise_is_drawn_again() -> None:
    law, made = Laplace(Fraction(5)), Threshold(0, -100, Fraction(1, 1000), groups=2, truncation=3)
    for number in (7, 2**70):  # beyond 64 bits as well
        counts = np.array([number] * 400, dtype=np.int64 if number < 2**62 else object)
        _, (noisy,) = ReleaseNoise((law,), made).sample(
            SimpleNamespace(keys=[range(400)], numbers=[counts]), [Measure("rows")]
        )
        assert {value - number for value in noisy} == set(range(-3, 4))


def test_beside_gaussian_noise_the_delta_of_a_cut_is_added_in_full() -> None:
    """It is spent in groups that both worlds have, where the Gaussian noise spends its own as
    well.
    """
    count, other = Laplace(Fraction(10)), Gaussian(Fraction(5))
    made = Threshold.calibrate(0, count, max_count=1, groups=1, delta=Fraction(1, 1000), touched=1)
    assert made.truncation is not None
    moves = (Sensitivity.each(1, 1), Sensitivity.each(1, 1))
    loss = ReleaseNoise((count, other), made, gaussian_epsilon=Fraction(1, 2)).loss(moves)
    alone = ReleaseNoise((count, other), gaussian_epsilon=Fraction(1, 2)).loss(moves)
    assert loss.delta == alone.delta + made.delta
    assert (loss.epsilon, loss.rho) == (alone.epsilon, alone.rho)


COUNTS = (Measure("rows"), Measure("total", "v0", ClampedGrid(Fraction(1), 0, 6)), Measure("units"))


CENTRE = CentredCounts(2, ((0, 3), (1, 18)))


def centred(scale: Fraction) -> ReleaseNoise:
    return ReleaseNoise((Gaussian(scale),) * 3, centre=CENTRE)


def test_counts_are_centred_at_the_middle_of_their_range() -> None:
    cells = Plain().run(plan(*COUNTS, domain=DAYS))
    plain, wanted = cells.numbers, []
    for bound, exact in ((3, plain[0]), (18, plain[1])):
        wanted.append([2 * int(x) - bound * int(p) for x, p in zip(exact, plain[2], strict=True)])
    # noise that is 0 with overwhelming probability
    keys, noisy = centred(Fraction(1, 100)).sample(cells, COUNTS)
    assert keys == [(day,) for day in DAYS[0]]
    assert noisy == [*wanted, plain[2].tolist()]


def test_centring_does_not_overflow() -> None:
    bound = 2**45
    cells = Cells([], [np.array([2**62]), np.array([2**20])])
    noise = ReleaseNoise((Gaussian(Fraction(1, 100)),) * 2, centre=CentredCounts(1, ((0, bound),)))
    _, noisy = noise.sample(
        cells, (Measure("total", "v0", ClampedGrid(Fraction(1), 0, bound)), Measure("units"))
    )
    assert noisy == [[2**63 - 2**65], [2**20]]
