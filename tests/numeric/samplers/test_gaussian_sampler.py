"""The discrete Gaussian: the same bits give the same decision, and the right distribution."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from unittest.mock import Mock

import numpy as np
import pytest

import goodness
from goodness import ALARM, FAR
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.samplers import gaussian_sampler as gaussian
from hedgerow.numeric.samplers.gaussian_sampler import discrete_gaussian, draw_ratio_candidates
from numeric import helpers_reference_samplers as obvious
from numeric.helpers_chosen_bits import (
    HIGH,
    LOW,
    SCALES,
    SPECIAL,
    exp,
    feed,
    ln,
    near,
    some,
    uniform,
)

HALF = Fraction(1, 2)
N = 10**6
Pair = tuple[int, int]


def pairs(sigma: Fraction, bound: Fraction) -> tuple[list[Pair], list[Pair]]:
    """Return words of (U, V): anywhere, and where V/U passes half an integer or U passes g(z)."""
    anywhere = list(zip(some(150, seed=1), some(150, seed=2), strict=True))
    anywhere += [(u, v) for u in SPECIAL[::3] for v in (0, 1, 1 << 40, (1 << 63) - 1)]
    edges = []
    for pick in (0, 1, 2, 3, *(word % (1 + floor(8 * sigma)) for word in some(12, seed=3))):
        u = exp(-Fraction(pick * pick) / (4 * sigma**2))
        if u < Fraction(1, 1 << 61):
            continue
        edges += [
            (
                word,
                int(min(u * (pick + Fraction(1, 5)) / bound, 1 - Fraction(1, 1 << 63)) * (1 << 63)),
            )
            for word in near(u)
        ]
        # a U that would be kept, with V at the end of the cell of z
        for share in (Fraction(1, 2), Fraction(1, 100)):
            edges += [
                (int(u * share * (1 << 63)), word)
                for word in near(u * share * (pick + HALF) / bound)
            ]
    return anywhere, edges


def reference(u: Fraction, v: Fraction, sigma: Fraction, bound: Fraction) -> tuple[int, bool]:
    z = floor(bound * v / u + HALF)
    return z, -ln(u) >= Fraction(z * z) / (4 * sigma**2)


@pytest.mark.long
@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize("sigma", SCALES, ids=float)
def test_doubles_and_rationals_make_the_same_decision_on_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, sigma: Fraction, more: int
) -> None:
    bound = gaussian._compute_ratio_bound(sigma)
    anywhere, edges = pairs(sigma, Fraction(bound))
    both = anywhere + edges
    settled = Mock(wraps=gaussian._resolve_candidate)
    monkeypatch.setattr(gaussian, "_resolve_candidate", settled)
    feed(monkeypatch, gaussian, more, (u for u, _ in both), (v for _, v in both))
    nearest, keep = gaussian._decide_candidates(draw_ratio_candidates(len(both)), sigma, bound)
    wanted = [
        reference(uniform(u, more), uniform(v, more), sigma, Fraction(bound)) for u, v in both
    ]
    assert keep.tolist() == [kept for _, kept in wanted]
    assert [z for z, kept in zip(nearest.tolist(), keep, strict=True) if kept] == [
        z for z, kept in wanted if kept
    ]
    assert settled.call_count >= len(edges) // 12, "words at a boundary must be continued"


def test_words_at_a_boundary_find_a_bound_that_is_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sigma = Fraction(1000)
    bound = gaussian._compute_ratio_bound(sigma)
    both = pairs(sigma, Fraction(bound))[1]
    monkeypatch.setattr(gaussian, "_ULP", 0.0)
    monkeypatch.setattr(gaussian, "EXPONENTIAL_ERROR", np.zeros(65))
    feed(monkeypatch, gaussian, HIGH, (u for u, _ in both), (v for _, v in both))
    nearest, keep = gaussian._decide_candidates(draw_ratio_candidates(len(both)), sigma, bound)
    wanted = [
        reference(uniform(u, HIGH), uniform(v, HIGH), sigma, Fraction(bound)) for u, v in both
    ]
    assert list(zip(nearest.tolist(), keep.tolist(), strict=True)) != wanted


def test_the_ratio_stays_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    anywhere = list(zip(some(9000, seed=4), some(9000, seed=5), strict=True))
    both = [(u, v) for u, v in anywhere + [(u, v) for u in SPECIAL for v in SPECIAL] if u]
    feed(monkeypatch, gaussian, LOW, (u for u, _ in both), (v for _, v in both))
    found = draw_ratio_candidates(len(both))
    worst = (Fraction(0), 0, 0)
    for (u, v), value, k in zip(both, found.value.tolist(), found.k.tolist(), strict=True):
        unseen = Fraction(1 << k, 1 << 62)
        bound = Fraction(value) * (Fraction(3, 1 << 53) + unseen) + unseen
        off = max(abs(Fraction(value) - Fraction(*ends)) for ends in ((v + 1, u), (v, u + 1)))
        worst = max(worst, (off / bound, u, v))
    assert len(both) >= 10_000
    assert worst[0] <= 1, f"worst measured/bound {float(worst[0]):.6f} at {worst[1:]}"
    assert worst[0] > HALF


@pytest.mark.parametrize(
    "sigma", [*SCALES, Fraction(1, 10**12), Fraction(7, 10), Fraction(355, 113)], ids=float
)
def test_the_box_holds_every_cell(sigma: Fraction) -> None:
    bound = Fraction(gaussian._compute_ratio_bound(sigma))
    top = floor(Fraction(1415, 1000) * sigma)
    heights = {
        z: (z + HALF) * exp(-Fraction(z * z) / (4 * sigma**2))
        for z in {0, 1, 2, 3, top // 2, 2 * top, *range(max(0, top - 3), top + 4)}
    }
    assert all(height <= bound for height in heights.values())
    assert max(heights.values()) > bound * (1 - Fraction(1, 10**6)), (
        "a larger box would only cost time, but this one is meant to fit"
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "sigma", [Fraction(3, 10), Fraction(1), Fraction(15, 2), Fraction(1000)], ids=float
)
def test_discrete_gaussian_is_exact_and_two_per_cent_off_is_not(sigma: Fraction) -> None:
    law = goodness.discrete_gaussian(sigma)
    assert goodness.p_value(discrete_gaussian(sigma, N), law) > ALARM
    assert goodness.p_value(discrete_gaussian(sigma * Fraction(102, 100), N), law) < ALARM
    assert goodness.p_value(discrete_gaussian(sigma * Fraction(98, 100), N), law) < ALARM


@pytest.mark.parametrize("sigma", [Fraction(10**6), Fraction(10**12)], ids=float)
def test_at_large_scales_discrete_noise_is_rounded_continuous_noise(sigma: Fraction) -> None:
    law = goodness.rounded_normal(0, float(sigma))
    assert goodness.p_value(discrete_gaussian(sigma, 200_000), law) > ALARM
    assert goodness.p_value(discrete_gaussian(sigma * Fraction(95, 100), 200_000), law) < ALARM


def test_the_obvious_sampler_agrees() -> None:
    sigma = Fraction(5, 2)
    slow = np.array([obvious.gaussian(sigma) for _ in range(4000)])
    assert goodness.p_value(slow, goodness.discrete_gaussian(sigma)) > ALARM
    both = np.stack(
        [
            np.bincount(np.clip(draws + 8, 0, 16), minlength=17)
            for draws in (slow, discrete_gaussian(sigma, slow.size))
        ]
    )
    for row in both:
        assert goodness.chi_square(row, both.sum(axis=0)) > ALARM


def test_draws_are_independent() -> None:
    draws = discrete_gaussian(Fraction(15, 2), N)
    assert all(abs(goodness.serial_correlation(draws, lag)) < FAR for lag in (1, 2, 64, 4096))
    assert abs(goodness.sign_against_size(draws)) < FAR
    assert abs(np.sign(draws).sum()) < FAR * N**0.5


def test_no_two_cells_share_their_noise() -> None:
    draws = np.concatenate(
        [discrete_gaussian(Fraction(10**12), 5000), discrete_gaussian(Fraction(10**12), 5000)]
    )
    assert np.unique(np.abs(draws)).size >= draws.size - 2


def test_a_far_candidate_is_rejected_without_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    # U = 2^-62 and V/U beyond 64 bits: a cast or an assignment would overflow.
    for sigma, u in (
        (Fraction(10**12), 1 << 30),
        (Fraction(10**12), 1),
        (Fraction(10), 1),
        (Fraction(10), 2),
    ):
        feed(monkeypatch, gaussian, HIGH, [u], [1 << 62])
        assert gaussian._decide_candidates(
            draw_ratio_candidates(1), sigma, gaussian._compute_ratio_bound(sigma)
        )[1].tolist() == [False]


@pytest.mark.parametrize("sigma", SCALES, ids=float)
def test_doubles_decide_nearly_all_and_most_candidates_are_kept(
    monkeypatch: pytest.MonkeyPatch, sigma: Fraction
) -> None:
    settled = Mock(wraps=gaussian._resolve_candidate)
    monkeypatch.setattr(gaussian, "_resolve_candidate", settled)
    kept = gaussian._decide_candidates(
        draw_ratio_candidates(8000), sigma, gaussian._compute_ratio_bound(sigma)
    )[1].mean()
    assert settled.call_count < 400
    assert 0.45 < kept <= 1.0


@pytest.mark.parametrize(
    "bad", [Fraction(0), Fraction(-3), Fraction(10**12 + 1), Fraction(1, 10**13)]
)
def test_scales_out_of_range_are_refused(bad: Fraction) -> None:
    with pytest.raises(
        InvalidArgument, match=r"sigma must lie between 10\^-12 and 10\^12 grid steps"
    ):
        discrete_gaussian(bad, 1)


def test_scales_without_noise_are_quick_and_quiet() -> None:
    for sigma in (Fraction(1, 10**12), Fraction(1, 10**4), Fraction(1, 1000)):
        assert not discrete_gaussian(sigma, 1000).any()


@pytest.mark.parametrize("size", [0, 1, 7, 10_000])
def test_the_requested_number_of_draws_is_returned(size: int) -> None:
    assert discrete_gaussian(Fraction(2), size).size == size


def test_the_reference_variance_is_right() -> None:
    law = goodness.discrete_gaussian(Fraction(15, 2))
    variance = sum(
        Decimal(float(mass)) * int(point) ** 2
        for point, mass in zip(law.points, np.diff(law.upto, prepend=0.0), strict=True)
    )
    assert abs(variance - Decimal("56.25")) < Decimal("1e-9")
