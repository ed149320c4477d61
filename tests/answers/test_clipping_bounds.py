"""Bounds on clipping hold with the probability that they state."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from hedgerow.answers import clipping_bounds
from hedgerow.answers.clipping_bounds import CAP_GRID, ClippingHistogram
from hedgerow.ledger.entry import Entry
from hedgerow.mechanisms import Laplace
from hedgerow.release.payload import Release

ENTRY = Entry(3, "charge", "2026-01-01T00:00:00.000000Z", "{}", "", "")


def measure(sizes: list[int], epsilon: Fraction) -> ClippingHistogram:
    """Measure units of these sizes with live noise."""
    counts = np.zeros(len(CAP_GRID) + 1, dtype=np.int64)
    for size in sizes:
        counts[sum(cap < size for cap in CAP_GRID)] += 1
    noise = Laplace.calibrate(sensitivity=1, epsilon=epsilon)
    stored = {
        "laws": [["laplace", str(noise.scale)]],
        "threshold": None,
        "keys": [[place + 1] for place in range(len(counts))][::-1],
        "numbers": [noise.sample(counts).tolist()[::-1]],
    }
    return ClippingHistogram(Release.from_payload(ENTRY, json.dumps(stored)))


def test_the_grid_is_public_and_rises() -> None:
    assert list(CAP_GRID) == sorted(set(CAP_GRID))
    assert {1, 2, 5, 10, 30, 50, 100, 1_000, 10_000} <= set(CAP_GRID)


SIZES = [1 + Random(n).randrange(200) for n in range(3_000)]


@pytest.mark.parametrize("cap", [1, 7, 30, 150, 250, 20_000])
def test_without_noise_bounds_are_within_a_bucket(cap: int) -> None:
    found = measure(SIZES, Fraction(1000))
    removed = sum(max(0, size - cap) for size in SIZES)
    beyond = sum(size > cap for size in SIZES)
    assert (0.8 if cap <= 30 else 0) * removed <= found.bound_rows_removed(cap) <= removed
    assert found.bound_units_below(cap) <= beyond <= found.bound_units_above(cap)
    kept = sum(min(size, cap) for size in SIZES)
    assert kept <= found.estimate_rows_kept(cap) <= 1.4 * kept
    assert found.entry == 3


def test_bounds_hold_with_the_stated_probability() -> None:
    """Each fails with probability 5 % at most: of 100, more than 24 with one of 10^9."""
    cap, failures = 30, [0, 0, 0]
    removed = sum(max(0, size - cap) for size in SIZES)
    beyond = sum(size > cap for size in SIZES)
    for _ in range(100):
        found = measure(SIZES, Fraction(1, 20))
        failures[0] += found.bound_rows_removed(cap) > removed
        failures[1] += found.bound_units_below(cap) > beyond
        failures[2] += found.bound_units_above(cap) < beyond
    assert max(failures) <= 24


def test_the_radius_covers_weighted_noise_and_a_smaller_one_does_not() -> None:
    """A planted radius of a third fails far more often than one time in twenty."""
    weights = (1, 11, 31, 31, 31)
    noise = Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 10))
    radius = clipping_bounds._find_radius(noise.scale, weights, 0.05)
    draws = noise.sample(np.zeros((4_000, len(weights)), dtype=np.int64)) @ np.array(weights)
    assert np.mean(draws > radius) < 0.05 + 6 * (0.05 / 4_000) ** 0.5
    assert np.mean(draws > radius / 3) > 0.1
