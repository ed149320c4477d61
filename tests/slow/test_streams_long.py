"""Running totals: what was predicted is what is measured, with a standard error of at most 1 %,
through the code that tells them.

Within four standard errors, which chance leaves once in 16,000 times; then a second look has half
the standard error, and a third: what is off by more is off by twice as many standard errors each
time, and chance is left with less than 10^-9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.prefix_sums import list_prefix_strategies
from hedgerow.publish.strategies.strategy import Strategy
from hedgerow.publish.streaming.mechanism import StreamMechanism
from hedgerow.publish.streaming.stream import StreamParameters, list_stream_mechanisms

RUNS = 3_000  # at a time
SIZE = 16


def agrees(name: str, ratios: Callable[[int], np.ndarray]) -> None:
    """The mean of squared errors over predicted variances is 1."""
    for most in (0.01, 0.005, 0.0025):
        found = ratios(RUNS)
        while (error := float(found.std()) / math.sqrt(len(found))) > most:
            found = np.concatenate([found, ratios(RUNS)])
        print(
            f"{name}: {found.mean():.4f} of the prediction, standard error {error:.4f},"
            f" {len(found):,} runs"
        )
        if abs(found.mean() - 1) <= 4 * error:
            return
    pytest.fail(f"{name} is off by more than four standard errors, three times")


@pytest.mark.parametrize(
    "price",
    [PrivacyParameters(rho=Fraction(1, 2)), PrivacyParameters(epsilon=Fraction(1))],
    ids=["rho", "pure"],
)
def test_at_once(price: PrivacyParameters) -> None:
    exact = np.zeros(SIZE)
    for design in list_prefix_strategies(SIZE, price):
        agrees(design.name, lambda runs, design=design: _at_once(design, exact, runs))


def _at_once(design: Strategy, exact: np.ndarray, runs: int) -> np.ndarray:
    noise = [
        law.sample(np.zeros((runs, block.cells), dtype=np.int64))
        for block, law in design.measurements
    ]
    offs = np.array(
        [design.reconstruct([draws[run] for draws in noise]) - exact for run in range(runs)]
    )
    return np.asarray((offs**2 / design.variances()).mean(axis=1))


@pytest.mark.parametrize(
    "terms",
    [
        StreamParameters(SIZE, Fraction(0), Fraction(3), rho=Fraction(1, 2)),
        StreamParameters(SIZE, Fraction(0), Fraction(3), rho=Fraction(1, 2), touched=3),
        StreamParameters(SIZE, Fraction(0), Fraction(3), epsilon=Fraction(1)),
    ],
    ids=["rho", "rho, three elements", "pure"],
)
def test_one_by_one(terms: StreamParameters) -> None:
    for way in list_stream_mechanisms(terms):
        agrees(way.name, lambda runs, way=way: np.array([_one_by_one(way) for _ in range(runs)]))


def _one_by_one(way: StreamMechanism) -> float:
    state, off = way.initial_state(), np.empty(SIZE)
    private, public = state.private, state.public
    for place in range(SIZE):
        private, exact = way.measure_element(private, place, place % 4)
        public, told = way.estimate_sum(public, place, [way.noise.sample(value) for value in exact])
        off[place] = told - _EXACT[place]
    return float((off**2 / _variances(way)).mean())


_EXACT = np.cumsum(np.arange(SIZE) % 4)
_KNOWN: dict[int, np.ndarray] = {}


def _variances(way: StreamMechanism) -> np.ndarray:
    return _KNOWN.setdefault(id(way), way.variances())
