"""Mechanisms with one bug each, as they have been seen in the wild or could be."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, erfc, exp, log, sqrt
from typing import Any

import numpy as np

from hedgerow.mechanisms import (
    Exponential,
    Gaussian,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
)
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

GENERATOR = np.random.default_rng()


class TwoPercentOff(Laplace):
    """Draws with a scale 2 % larger than stated."""

    def sample(self, exact: Any) -> Any:
        return Laplace(self.scale * Fraction(51, 50), self.grid).sample(exact)


class TwoPercentNarrow(Gaussian):
    """Draws with a standard deviation 2 % smaller than stated."""

    def sample(self, exact: Any) -> Any:
        return Gaussian(self.scale * Fraction(49, 50), self.grid).sample(exact)


class SingleNumbersOff(Laplace):
    """Arrays are right; single numbers take another way, and that one has half the noise."""

    def sample(self, exact: Any) -> Any:
        return (
            super().sample(exact)
            if isinstance(exact, np.ndarray)
            else Laplace(self.scale / 2, self.grid).sample(exact)
        )


class NegativesBare(Laplace):
    """Half the noise where the exact value is below 0."""

    def sample(self, exact: Any) -> Any:
        noisy, less = super().sample(exact), Laplace(self.scale / 2, self.grid).sample(exact)
        return (
            np.where(np.asarray(exact) < 0, less, noisy) if isinstance(exact, np.ndarray) else noisy
        )


class OutOfOrder(RandomizedResponse):
    """Reports come back in reverse."""

    def sample(self, exact: Any) -> Any:
        report = super().sample(exact)
        return report[::-1] if isinstance(report, np.ndarray) and report.ndim == 1 else report


class LastCellBare(Laplace):
    """An off-by-one: the last cell is published as it is."""

    def sample(self, exact: Any) -> Any:
        noisy = super().sample(exact)
        if isinstance(noisy, np.ndarray):
            noisy.flat[-1] = np.asarray(exact).flat[-1]
        return noisy


class NoiseReused(Laplace):
    """One draw for all cells (opendp #2344)."""

    def sample(self, exact: Any) -> Any:
        return (
            np.asarray(exact) + super().sample(0)
            if isinstance(exact, np.ndarray)
            else super().sample(exact)
        )


class SignsShared(Laplace):
    """Every cell has its own magnitude, but all the same sign."""

    def sample(self, exact: Any) -> Any:
        noisy = super().sample(exact)
        if not isinstance(noisy, np.ndarray):
            return noisy
        return exact + np.abs(noisy - exact) * GENERATOR.choice([-1, 1])


class NoiseKept(Laplace):
    """The second of two calls repeats the noise of the first."""

    kept: list[Any] = []  # noqa: RUF012

    def sample(self, exact: Any) -> Any:
        if isinstance(exact, np.ndarray) and self.kept and self.kept[0].shape == exact.shape:
            return exact + self.kept.pop()
        noisy = super().sample(exact)
        if isinstance(exact, np.ndarray):
            self.kept[:] = [noisy - exact]
        return noisy


class ShapeLost(Laplace):
    """Tables come back flat."""

    def sample(self, exact: Any) -> Any:
        noisy = super().sample(exact)
        return noisy.ravel() if isinstance(noisy, np.ndarray) else noisy


class CountForgotten(Laplace):
    """Charges for one cell however many move."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(Sensitivity.of(sensitivity).linf / self.scale)


class ContinuousRho(Laplace):
    """eps + e^-eps - 1 is the rho of the continuous law."""

    def loss(self, sensitivity: Any) -> Loss:
        epsilon = super().loss(sensitivity).epsilon
        return Loss(epsilon, rho=Fraction(float(epsilon) + exp(-epsilon) - 1))


class ContinuousError(Laplace):
    """t ln(1/beta) is the radius of the continuous law."""

    def error(self, beta: Any) -> Any:
        return float(self.scale) * log(1 / beta)


class GenerousError(Laplace):
    """Covers, but is not the smallest."""

    def error(self, beta: Any) -> Any:
        return super().error(beta) + 1


class SnappingForgotten(Laplace):
    """The error of a real answer without the half step that snapping may add."""

    def error(self, beta: Any) -> Any:
        return super().error(beta) - float(self.grid) * 0.6


class FloatLaplace(Laplace):
    """numpy's Laplace, added in doubles (Mironov 2012)."""

    def sample(self, exact: Any) -> Any:
        if isinstance(exact, np.ndarray):
            return np.asarray(exact, dtype=np.float64) + GENERATOR.laplace(
                scale=float(self.scale), size=exact.shape
            )
        return super().sample(exact)


class OffGrid(Laplace):
    """Adds a third of a step, which the loss does not notice."""

    def sample(self, exact: Any) -> Any:
        return super().sample(exact) + float(self.grid) / 3


class WholeButFloat(Laplace):
    """Whole numbers come back as doubles."""

    def sample(self, exact: Any) -> Any:
        return super().sample(exact) * 1.0


class Seeded(Laplace):
    """Noise from a generator that a forked process shares with its parent."""

    def sample(self, exact: Any) -> Any:
        super().sample(exact)
        p = -np.expm1(-1 / float(self.scale))
        drawn = GENERATOR.geometric(p, np.shape(exact)) - GENERATOR.geometric(p, np.shape(exact))
        return exact + drawn if isinstance(exact, np.ndarray) else int(exact + drawn)


class WrongNormaliser(Laplace):
    """Probabilities that sum to two."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        return super().log_prob(noisy, exact) + log(2)


class LossThatShrinks(Laplace):
    """Charges a larger move no more."""

    def loss(self, sensitivity: Any) -> Loss:
        return super().loss(1)


class Shouting(Laplace):
    """Refuses, and quotes what it refuses."""

    def sample(self, exact: Any) -> Any:
        try:
            return super().sample(exact)
        except ValueError as refusal:
            louder = type(refusal)("exact", "must be numbers", exact)  # type: ignore[call-arg]
            raise louder from refusal


class DrawsFirst(Laplace):
    """Looks at its input after drawing."""

    def sample(self, exact: Any) -> Any:
        super().sample([0])
        return super().sample(exact)


class TakesAnything(Laplace):
    """Answers where it should refuse."""

    def sample(self, exact: Any) -> Any:
        try:
            return super().sample(exact)
        except ValueError:
            return 0


class BareErrors(Laplace):
    """Refuses with whatever numpy raises."""

    def sample(self, exact: Any) -> Any:
        if exact is None:
            raise TypeError("unsupported operand")
        return super().sample(exact)


def continuous_sigma(epsilon: float, delta: float) -> float:
    """Balle and Wang's scale for the continuous law and a sensitivity of 1."""

    def below(x: float) -> float:
        return 0.5 * erfc(-x / sqrt(2))

    low, high = 1e-3, 1e3
    for _ in range(200):
        s = (low + high) / 2
        found = below(1 / (2 * s) - epsilon * s) - exp(epsilon) * below(-1 / (2 * s) - epsilon * s)
        low, high = (s, high) if found > delta else (low, s)
    return high


class OptimisticDelta(Gaussian):
    """Says a tenth of its delta."""

    def delta(self, epsilon: Any, sensitivity: Any) -> float:
        return super().delta(epsilon, sensitivity) / 10


class HalfRho(Gaussian):
    """l2^2/(4 sigma^2) in place of l2^2/(2 sigma^2)."""

    def loss(self, sensitivity: Any) -> Loss:
        loss = super().loss(sensitivity)
        return Loss(loss.epsilon, rho=Fraction(loss.rho) / 2)


class WithDelta(Laplace):
    """Claims a smaller epsilon with a delta that does not pay for it."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(super().loss(sensitivity).epsilon / 2, Fraction(1, 1000))


class BoundedRangeRho(PermuteAndFlip):
    """eps^2/8 is for mechanisms of bounded range."""

    def loss(self, sensitivity: Any) -> Loss:
        epsilon = Fraction(super().loss(sensitivity).epsilon)
        return Loss(epsilon, rho=epsilon**2 / 8)


class MonotoneExponential(Exponential):
    """The factor of monotone scores, charged for any."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(Fraction(super().loss(sensitivity).epsilon) / 2)


class MonotonePermuteAndFlip(PermuteAndFlip):
    """The factor of monotone scores, charged for any."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(Fraction(super().loss(sensitivity).epsilon) / 2)


class MonotoneNoisyMax(NoisyMax):
    """The factor of monotone scores, charged for any."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(Fraction(super().loss(sensitivity).epsilon) / 2)


class PlainArgmax(Exponential):
    """Chooses the best and calls it private."""

    def sample(self, scores: Any) -> int:
        super().sample(scores)
        return int(np.argmax(scores))


class ExponentialError(PermuteAndFlip):
    """The error of the exponential mechanism, for permute-and-flip: covers, but is not the
    smallest.
    """

    def error(self, beta: Any, candidates: int) -> float:
        return Exponential(self.factor).error(beta, candidates)


class BestOfTwo(Exponential):
    """An error for two candidates however many there are."""

    def error(self, beta: Any, candidates: int) -> float:
        return super().error(beta, 2)


class PlaceBeyond(Exponential):
    """Counts places from 1."""

    def sample(self, scores: Any) -> int:
        return super().sample(scores) + 1


class NeverClears(RandomizedResponse):
    """A bit that is set stays set."""

    def sample(self, exact: Any) -> Any:
        report = np.maximum(super().sample(exact), exact)
        return report if isinstance(exact, np.ndarray) else int(report)


class OneCoinForAll(RandomizedResponse):
    """All owners of a batch share one draw."""

    def sample(self, exact: Any) -> Any:
        first = super().sample(exact)
        return (
            np.full_like(first, first.flat[0])
            if isinstance(first, np.ndarray) and first.size <= 8
            else first
        )


class OneAnswerOnly(RandomizedResponse):
    """Charges one answer however many an owner gives."""

    def loss(self, sensitivity: Any = 1) -> Loss:
        Sensitivity.of(sensitivity)
        return super().loss(1)


class CarelessError(RandomizedResponse):
    """A tenth of the radius."""

    def error(self, beta: Any, reports: int) -> float:
        return super().error(beta, reports) / ceil(9.5)
