"""What is read of a shipped mechanism has its law: the exact probabilities of the program are
those that the class states, or draws.

So the words of ``language.classes`` mean what the code does. That the programs are private is
proved in tests/slow/test_shipped_long.py, for lists of any length and all parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import chdtrc, xlogy

from goodness import ALARM
from hedgerow.mechanisms import (
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    ProposeTestRelease,
    RandomizedResponse,
    SparseVector,
    Stable,
)
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.refute.counterexample import compute_event_probability
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.path_values import BitWord
from verify.language.classes.classes import program

EPS = Fraction(3, 2)
CLOSE = Fraction(1, 10**11)


def chance(name: str, event: OutputEvent, **arguments: object) -> float:
    """Exactly, from the text of the class."""
    return approximate(
        compute_event_probability(program(name), arguments, (event,))  # type: ignore[arg-type]
    )


def number(*values: int) -> OutputEvent:
    ranges = tuple(
        OutputRange(((place, Fraction(1)),), Fraction(value), Fraction(value))
        for place, value in enumerate(values)
    )
    return OutputEvent(len(values), ranges=ranges)


def assert_charged(
    name: str, epsilon: Fraction, delta: Fraction = Fraction(0), **arguments: Fraction
) -> None:
    """What ``loss`` charges is what the program claims, rounded up."""
    claim = program(name).claim
    low, high = bound_expression(claim.epsilon, arguments)
    assert low <= epsilon <= high + CLOSE
    low, high = (
        (Fraction(0), Fraction(0))
        if claim.delta is None
        else bound_expression(claim.delta, arguments)
    )
    assert low <= delta <= high + CLOSE


@pytest.mark.parametrize(
    ("grid", "name"), [(Fraction(1), "a number"), (Fraction(1, 4), "a number of quarters")]
)
def test_laplace(grid: Fraction, name: str) -> None:
    shipped = Laplace(grid / EPS, grid)
    assert_charged(f"Laplace.sample ({name})", shipped.loss(grid).epsilon, scale=shipped.scale)
    for steps in range(-3, 8):
        stated = np.exp(
            shipped.log_prob(
                float(steps * grid) if grid < 1 else steps, float(2 * grid) if grid < 1 else 2
            )
        )
        event = OutputEvent(
            1, ranges=(OutputRange(((0, Fraction(1)),), steps * grid, steps * grid),)
        )
        assert chance(
            f"Laplace.sample ({name})", event, exact=Fraction(2), scale=shipped.scale
        ) == pytest.approx(stated)


def test_laplace_of_arrays() -> None:
    shipped = Laplace(1 / EPS)
    for said in product(range(-1, 3), repeat=2):
        arguments = {
            "exact": (Fraction(0), Fraction(2)),
            "size": Fraction(2),
            "scale": shipped.scale,
        }
        stated = np.exp(shipped.log_prob(np.array(said), np.array([0, 2])).sum())
        assert chance("Laplace.sample (an array)", number(*said), **arguments) == pytest.approx(
            stated
        )


@pytest.mark.parametrize("kind", [PermuteAndFlip, NoisyMax])
@pytest.mark.parametrize("world", ["scores", "scores, rising", "scores, falling"])
def test_choices(kind: type[PermuteAndFlip | NoisyMax], world: str) -> None:
    shipped, scores = kind(EPS / 2, world != "scores"), (0, 2, 1)
    name = f"{kind.__name__}.sample ({world})"
    assert_charged(name, shipped.loss(1).epsilon, factor=shipped.factor)
    for place in range(3):
        exact = chance(
            name,
            number(place),
            scores=tuple(map(Fraction, scores)),
            size=Fraction(3),
            factor=shipped.factor,
        )
        assert exact == pytest.approx(np.exp(shipped.log_prob(place, scores)), rel=1e-9)


@pytest.mark.parametrize("r", [Fraction(1, 2), Fraction(1, 7), Fraction(9, 10)])
@pytest.mark.parametrize("values", [2, 4])
def test_randomized_response(r: Fraction, values: int) -> None:
    shipped, name = RandomizedResponse(r, values), f"RandomizedResponse.sample (one of {values})"
    assert_charged(name, shipped.loss(1).epsilon, truth=r)
    coded: Callable[[int], object] = bool if values == 2 else lambda value: BitWord(2, value)
    for truth, said in product(range(values), repeat=2):
        exact = chance(
            name, OutputEvent(1, values=((0, coded(said)),)), exact=coded(truth), truth=r
        )  # type: ignore[arg-type]
        assert exact == pytest.approx(np.exp(shipped.log_prob(said, truth)))


@pytest.mark.parametrize("threshold", [1, 2, 5])
def test_stable(threshold: int) -> None:
    shipped = Stable(1 / EPS, threshold)
    loss = shipped.loss()
    assert_charged(
        "Stable.sample",
        loss.epsilon,
        loss.delta,
        scale=shipped.scale,
        threshold=Fraction(threshold),
    )
    for count, distance in ((3, 1), (4, 1), (6, 3), (0, 4)):
        event = OutputEvent(1, values=((0, count > 3),))
        arguments = {
            "count": Fraction(count),
            "K": Fraction(3),
            "scale": shipped.scale,
            "threshold": Fraction(threshold),
        }
        assert chance("Stable.sample", event, **arguments) == pytest.approx(
            shipped.release_probability(distance)
        )


@pytest.mark.parametrize("threshold", [1, 4])
def test_propose_test_release(threshold: int) -> None:
    shipped = ProposeTestRelease(Fraction(1), Laplace(Fraction(2)), 1 / EPS, threshold)
    loss = shipped.loss()
    fields = {
        "noise_scale": shipped.noise.scale,
        "test": shipped.test,
        "threshold": Fraction(threshold),
    }
    assert_charged("ProposeTestRelease.sample", loss.epsilon, loss.delta, **fields)
    for count, distance, said in ((3, 0, 4), (4, 0, 13), (6, 2, 10)):
        exact = 2 + (9 if count > 3 else 0)
        stated = shipped.release_probability(distance) * np.exp(shipped.noise.log_prob(said, exact))
        arguments = {
            "count": Fraction(count),
            "part": Fraction(2),
            "K": Fraction(3),
            "H": Fraction(9),
        } | fields
        assert chance("ProposeTestRelease.sample", number(said), **arguments) == pytest.approx(
            stated
        )


WAYS = [(True,), (False, True), (False, False, True), (False, False, False)]


@pytest.mark.long
@pytest.mark.parametrize("world", ["answers", "answers, rising", "answers, falling"])
def test_sparse_vector(world: str) -> None:
    """There is no ``log_prob``, so that draws are compared."""
    shipped = SparseVector(2 / EPS, 3 / EPS, 1, world != "answers")
    name, answers, runs = f"SparseVector.sample ({world})", (3, 6, 4), 4_000
    fields = {
        "threshold_scale": shipped.threshold_scale,
        "answer_scale": shipped.answer_scale,
        "cutoff": Fraction(1),
    }
    assert_charged(name, shipped.loss(1).epsilon, **fields)
    drawn = Counter(tuple(shipped.sample(answers, 5)) for _ in range(runs))
    arguments = {
        "answers": tuple(map(Fraction, answers)),
        "size": Fraction(3),
        "threshold": Fraction(5),
    } | fields
    exact = [
        chance(name, OutputEvent(len(way), values=tuple(enumerate(way))), **arguments)
        for way in WAYS
    ]
    assert sum(exact) == pytest.approx(1)
    assert_fits([drawn[way] for way in WAYS], runs * np.array(exact))


@pytest.mark.long
def test_sparse_vector_with_its_lead() -> None:
    shipped, answers, runs = SparseVector(2 / EPS, 3 / EPS), (3, 6), 4_000
    fields = {
        "threshold_scale": shipped.threshold_scale,
        "answer_scale": shipped.answer_scale,
        "cutoff": Fraction(1),
    }
    arguments = {
        "answers": tuple(map(Fraction, answers)),
        "size": Fraction(2),
        "threshold": Fraction(5),
    } | fields
    drawn = Counter(tuple(shipped.sample(answers, 5, gap=True)) for _ in range(runs))
    seen, exact = [], []
    for lead in range(3):  # above at once, or after a "below"
        for before in (0, 1):
            event = OutputEvent(
                before + 1,
                ((0, False),) * before,
                (OutputRange(((before, Fraction(1)),), Fraction(lead), Fraction(lead)),),
            )
            exact.append(chance("SparseVector.sample (answers, gap)", event, **arguments))
            seen.append(drawn[(None,) * before + (lead,)])
    assert_fits([*seen, runs - sum(seen)], runs * np.array([*exact, 1 - sum(exact)]))


def assert_fits(counts: list[int], expected: np.ndarray) -> None:
    seen = np.array(counts)
    assert seen.sum() == round(expected.sum())
    assert chdtrc(len(seen) - 1, 2 * xlogy(seen, seen / expected).sum()) > ALARM
