"""The programs of ``shipped`` are the mechanisms of the package: the same probabilities, the same loss. That they are private is proved in
``tests/slow/test_gallery_long.py``, for lists of any length and every epsilon."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.special import chdtrc, xlogy

from goodness import ALARM
from hedgerow.mechanisms import Laplace, NoisyMax, PermuteAndFlip, RandomizedResponse, SparseVector
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python import programs
from hedgerow.verify.price import between
from hedgerow.verify.refuter.events import Event, Range
from hedgerow.verify.refuter.quantity import approximate
from hedgerow.verify.refuter.values import Word
from hedgerow.verify.refuter.witness import measured

SHIPPED = {
    one.name: one for one in programs((Path(__file__).parent / "shipped.py").read_text(encoding="utf-8")) if isinstance(one, Program)
}
EPS = Fraction(3, 2)


def chance(name: str, event: Event, **arguments: object) -> float:
    """Exactly, from the text of the program."""
    return approximate(measured(SHIPPED[name], arguments, (event,)))  # type: ignore[arg-type]


def number(value: int) -> Event:
    return Event(1, ranges=(Range(((0, Fraction(1)),), Fraction(value), Fraction(value)),))


def test_laplace() -> None:
    shipped = Laplace.calibrate(sensitivity=1, epsilon=EPS)
    assert shipped.loss(1).epsilon == EPS
    for noisy in range(-3, 8):
        assert chance("shipped_laplace", number(noisy), x=Fraction(2), eps=EPS) == pytest.approx(np.exp(shipped.log_prob(noisy, 2)))


@pytest.mark.parametrize(("name", "kind"), [("shipped_permute_and_flip", PermuteAndFlip), ("shipped_noisy_max", NoisyMax)])
def test_choices(name: str, kind: type[PermuteAndFlip | NoisyMax]) -> None:
    shipped, scores = kind.calibrate(sensitivity=1, epsilon=EPS), (0, 2, 1)
    assert shipped.loss(1).epsilon == EPS
    for place in range(3):
        exact = chance(name, number(place), q=tuple(map(Fraction, scores)), size=Fraction(3), eps=EPS)
        assert exact == pytest.approx(np.exp(shipped.log_prob(place, scores)), rel=1e-9)


@pytest.mark.parametrize("r", [Fraction(1, 2), Fraction(1, 7), Fraction(9, 10)])
def test_randomized_response(r: Fraction) -> None:
    shipped = RandomizedResponse(r)
    for truth, said in product((False, True), repeat=2):
        exact = chance("shipped_randomized_response", Event(1, values=((0, said),)), x=truth, r=r)
        assert exact == pytest.approx(np.exp(shipped.log_prob(int(said), int(truth))))
    assert_charged("shipped_randomized_response", shipped, r)


@pytest.mark.parametrize("r", [Fraction(1, 2), Fraction(1, 7), Fraction(9, 10)])
def test_randomized_response_of_four(r: Fraction) -> None:
    shipped = RandomizedResponse(r, 4)
    for truth, said in product(range(4), repeat=2):
        event = Event(1, values=((0, Word(2, said)),))
        exact = chance("shipped_randomized_response_of_four", event, x=Word(2, truth), r=r)
        assert exact == pytest.approx(np.exp(shipped.log_prob(said, truth)))
    assert_charged("shipped_randomized_response_of_four", shipped, r)


def assert_charged(name: str, shipped: RandomizedResponse, r: Fraction) -> None:
    """What is charged for one owner is what the program claims, rounded up."""
    low, high = between(SHIPPED[name].claim.epsilon, {"r": r})
    assert low <= shipped.loss(1).epsilon <= high + Fraction(1, 10**11)


@pytest.mark.long
@pytest.mark.parametrize(("name", "monotone", "shifts"), [("vector", False, 4), ("vector_rising", True, 2), ("vector_falling", True, 2)])
def test_sparse_vector(name: str, monotone: bool, shifts: int) -> None:
    """There is no ``log_prob``, so that draws are compared."""
    cutoff, answers, runs = 1, (3, 6, 4), 4_000
    shipped = SparseVector(2 / EPS, shifts * cutoff / EPS, cutoff, monotone)
    assert shipped.loss(1).epsilon == EPS
    drawn = Counter(tuple(shipped.sample(answers, 5)) for _ in range(runs))
    ways = [(True,), (False, True), (False, False, True), (False, False, False)]
    arguments = {"q": tuple(map(Fraction, answers)), "size": Fraction(3), "T": Fraction(5), "cutoff": Fraction(cutoff), "eps": EPS}
    exact = [chance(f"shipped_sparse_{name}", Event(len(way), values=tuple(enumerate(way))), **arguments) for way in ways]
    assert sum(exact) == pytest.approx(1)
    counts, expected = np.array([drawn[way] for way in ways]), runs * np.array(exact)
    assert counts.sum() == runs
    assert chdtrc(len(ways) - 1, 2 * xlogy(counts, counts / expected).sum()) > ALARM
