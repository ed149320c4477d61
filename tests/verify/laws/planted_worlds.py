"""Mechanisms that see the data themselves, with one bug each, as they have been seen in the wild
or could be.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np

from hedgerow.mechanisms import (
    Extreme,
    InverseSensitivity,
    Laplace,
    ProposeTestRelease,
    SmoothSensitivity,
    Stable,
)
from hedgerow.numeric.tails.laplace import laplace_tail, laplace_threshold
from hedgerow.privacy.loss import Loss
from verify.laws.helpers_planted_histograms import (
    GENERATOR,
    AddRemoveNoise,
    Alternating,
    BareAnswers,
    BareThreshold,
    CarelessHistogram,
    CutoffForgotten,
    KeysForgotten,
    NoCutoff,
    NumericAbove,
    OneStepLow,
    OneWayOnly,
    OptimisticRun,
    SameNoise,
    SeededStable,
    ThresholdPerAnswer,
    Unsorted,
)
from verify.laws.helpers_planted_quantiles import (
    BareQuantiles,
    BoundsFromData,
    HalfUtility,
    LocalMedian,
    LostQuantiles,
    SharpQuantiles,
    TightQuantiles,
)


class Forgetful(Extreme):
    """Half the loss: rows that come and go move one end, it is said, and never mind those that
    change.
    """

    def loss(self, rows: int = 1) -> Loss:
        return Loss(Fraction(super().loss(rows).epsilon) / 2)


class BelowOnly(Extreme):
    """Says that nothing lies beyond the answer."""

    def error(self, beta: Any, width: int) -> int:
        return 0


class OutOfRange(Extreme):
    """Counts points from 1."""

    def sample(self, values: Any, **bounds: Any) -> Any:
        return super().sample(values, **bounds) + 1


class FlatLoss(Extreme):
    """A unit of many rows costs what one row costs."""

    def loss(self, rows: int = 1) -> Loss:
        return super().loss(1)


class MonotoneLengths(InverseSensitivity):
    """The factor of monotone scores for lengths, which go both ways."""

    def loss(self, rows: int = 1) -> Loss:
        return Loss(Fraction(super().loss(rows).epsilon) / 2)


class ShortLengths(InverseSensitivity):
    """The error among two candidates, whatever their number."""

    def error(self, beta: Any, candidates: int) -> float:
        return super().error(beta, 2)


class Place1(InverseSensitivity):
    """Counts candidates as texts."""

    def sample(self, lengths: Any) -> Any:
        return str(super().sample(lengths))


@dataclass(frozen=True)
class LargeBeta(SmoothSensitivity):
    """Takes any bound for smooth that changes by less than a factor of ``stretch``, epsilon or
    not.
    """

    stretch: Fraction = Fraction(20)

    def __post_init__(self) -> None:
        SmoothSensitivity.__post_init__(self)
        object.__setattr__(self, "beta", Fraction(log(self.stretch)))


@dataclass(frozen=True)
class LargeAlpha(SmoothSensitivity):
    """Noise a little too narrow: alpha is some per cent larger than beta leaves room for."""

    more: Fraction = Fraction(105, 100)

    def __post_init__(self) -> None:
        SmoothSensitivity.__post_init__(self)
        object.__setattr__(self, "alpha", self.alpha * self.more)


class LocalSmooth(LargeBeta):
    """Local sensitivity in the place of S: it may change by any factor between neighbours."""


class WideError(SmoothSensitivity):
    """Three times the radius."""

    def error(self, beta: Any) -> float:
        return 3 * super().error(beta)


class NarrowError(SmoothSensitivity):
    """Half the radius."""

    def error(self, beta: Any) -> float:
        return super().error(beta) / 2


class NarrowSmooth(SmoothSensitivity):
    """Draws with half the scale."""

    def sample(self, exact: Any, smooth: Any) -> Any:
        return super().sample(
            exact,
            Fraction(smooth) / 2 if isinstance(smooth, float) and 0 < smooth < 1e9 else smooth,
        )


class FloatSmooth(SmoothSensitivity):
    """numpy's Cauchy law, added in doubles."""

    def sample(self, exact: Any, smooth: Any) -> Any:
        super().sample(exact, smooth)
        return float(exact) + float(smooth) / float(self.alpha) * float(GENERATOR.standard_cauchy())


class EvenNoise(SmoothSensitivity):
    """Noise on a grid twice as coarse: odd answers stay odd."""

    def sample(self, exact: Any, smooth: Any) -> Any:
        return (super().sample(exact, smooth) - int(exact)) // 2 * 2 + int(exact)


class OneNoiseForAll(SmoothSensitivity):
    """One draw for all numbers."""

    def sample(self, exact: Any, smooth: Any) -> Any:
        return np.full_like(noisy := super().sample(exact, smooth), noisy[0])


def short_threshold(epsilon: float, delta: float) -> ProposeTestRelease:
    """Propose-test-release with the threshold ln(2/delta)/(2 epsilon), which is said to be
    (epsilon, delta).
    """
    scale = Fraction(1) / Fraction(epsilon)
    return ProposeTestRelease(
        Fraction(1), Laplace(scale), scale, ceil(log(2 / delta) / (2 * epsilon))
    )


class ClaimsHalf(ProposeTestRelease):
    """Charges for the noise, and takes the test for free."""

    def loss(self, group: int = 1) -> Loss:
        loss = super().loss(group)
        return Loss(Fraction(loss.epsilon) / 2, loss.delta)


class TestsTwice(ProposeTestRelease):
    """Releases where either of two tests passes."""

    def sample(self, exact: Any, distance: Any) -> Any:
        first, second = super().sample(exact, distance), super().sample(exact, distance)
        return second if first is None else first


class OffGridRelease(ProposeTestRelease):
    """Half a step beside the grid."""

    def sample(self, exact: Any, distance: Any) -> Any:
        noisy = super().sample(exact, distance)
        return None if noisy is None else noisy + 0.5


class WithoutOne(Stable):
    """The threshold of a distance that may be 0, for one that is 1 at least."""

    @classmethod
    def short(cls, epsilon: Fraction, delta: Fraction) -> WithoutOne:
        return cls(1 / epsilon, laplace_threshold(1 / epsilon, delta))

    def loss(self, group: int = 1) -> Loss:
        return Loss(group / self.scale, laplace_tail(self.scale, self.threshold + 1 - group))


class NeverEnough(Stable):
    """A distance that is too small by one."""

    def error(self, beta: Any) -> int:
        return super().error(beta) - 1


class SaysMore(Stable):
    """Says "maybe" in place of nothing."""

    def sample(self, answer: Any, distance: Any) -> Any:
        return "maybe" if (said := super().sample(answer, distance)) is None else said


HALF, ONE = Fraction(1, 2), Fraction(1)
TWO = Fraction(2)
NEAR_NONE = Fraction(1, 1000)
BAD: list[tuple[Any, Any, str]] = [
    (LocalMedian(ONE), 1, "epsilon covers neighbours"),
    (BoundsFromData((HALF,), "add-remove", ONE), 1, "epsilon covers neighbours"),
    (BoundsFromData((HALF,), "change-one", ONE), 1, "epsilon covers neighbours"),
    (HalfUtility((HALF,), "add-remove", ONE), 1, "epsilon covers neighbours"),
    (HalfUtility((Fraction(1, 5),), "change-one", TWO), 1, "epsilon covers neighbours"),
    (BareQuantiles((Fraction(1, 4), HALF), "change-one", HALF), 1, "epsilon covers neighbours"),
    (LostQuantiles((Fraction(1, 4), HALF), "change-one", TWO), 1, "error covers"),
    (SharpQuantiles((HALF,), "add-remove", ONE), 1, "sample follows log_prob"),
    (TightQuantiles((HALF,), "add-remove", ONE), 1, "error covers"),
    (Forgetful("max", 3, ONE), 1, "epsilon covers neighbours"),
    (Forgetful("min", 7, HALF), 1, "epsilon covers neighbours"),
    (BelowOnly("max", 3, ONE), 1, "error covers"),
    (OutOfRange("max", 1, ONE), 1, "outputs lie on the grid"),
    (FlatLoss("max", 3, ONE), 1, "losses add up"),
    (FlatLoss("min", 4, ONE), 2, "epsilon covers neighbours"),
    (MonotoneLengths(HALF), 1, "epsilon covers neighbours"),
    (ShortLengths(HALF), 1, "error covers"),
    (Place1(HALF), 1, "outputs lie on the grid"),
    (LargeBeta(ONE, None, 12), 1, "epsilon covers neighbours"),  # type: ignore[arg-type]
    (
        LargeBeta(ONE, HALF / 500, 12, noise="laplace", stretch=Fraction(5, 4)),
        1,
        "delta covers neighbours",
    ),
    (
        LargeBeta(ONE, HALF / 500, 12, noise="gaussian", stretch=Fraction(5, 4)),
        1,
        "delta covers neighbours",
    ),
    (LargeAlpha(ONE, None, 120), 1, "epsilon covers neighbours"),  # type: ignore[arg-type]
    (
        LargeAlpha(ONE, None, 120, gamma=Fraction(3)),  # type: ignore[arg-type]
        1,
        "epsilon covers neighbours",
    ),
    (LargeAlpha(ONE, HALF / 500, 120, noise="laplace"), 1, "delta covers neighbours"),
    (LargeAlpha(ONE, HALF / 500, 120, noise="gaussian"), 1, "delta covers neighbours"),
    (
        LocalSmooth(ONE, None, 12, stretch=Fraction(1000)),  # type: ignore[arg-type]
        1,
        "epsilon covers neighbours",
    ),
    (WideError(ONE, None, 12), 1, "error covers"),  # type: ignore[arg-type]
    (NarrowError(ONE, None, 12), 1, "error covers"),  # type: ignore[arg-type]
    (NarrowSmooth(ONE, None, 12), 1, "sample follows log_prob"),  # type: ignore[arg-type]
    (
        FloatSmooth(ONE, None, 1, Fraction(1, 1 << 20)),  # type: ignore[arg-type]
        1,
        "outputs lie on the grid",
    ),
    (EvenNoise(Fraction(1, 20), None, 3), 1, "low bits reveal nothing"),  # type: ignore[arg-type]
    (
        OneNoiseForAll(ONE, None, 12, dimension=3),  # type: ignore[arg-type]
        1,
        "cells are independent",
    ),
    (ClaimsHalf.calibrate(bound=1, epsilon=1, delta=1e-3), 1, "delta covers neighbours"),
    (TestsTwice.calibrate(bound=1, epsilon=1, delta=1e-2), 1, "sample follows log_prob"),
    (OffGridRelease.calibrate(bound=1, epsilon=1, delta=1e-2), 1, "outputs lie on the grid"),
    (WithoutOne.short(ONE, Fraction(1, 1000)), 1, "delta covers neighbours"),
    (WithoutOne.short(Fraction(1, 10), Fraction(1, 10**6)), 1, "delta covers neighbours"),
    (NeverEnough.calibrate(epsilon=1, delta=1e-3), 1, "error covers"),
    (SaysMore.calibrate(epsilon=1, delta=1e-3), 1, "outputs lie on the grid"),
    (SeededStable.calibrate(epsilon=1, delta=1e-3), 1, "forks differ"),
    (Alternating.calibrate(epsilon=1, delta=1e-3), 1, "cells are independent"),
    (OneStepLow(ONE, 7, "add-remove"), 1, "delta covers neighbours"),
    (OneStepLow(Fraction(10), 87, "change-one", 2, 3), 1, "delta covers neighbours"),
    (OneStepLow(Fraction(10), 60, "change-one", 2, 3, cut=True), 1, "delta covers neighbours"),
    (KeysForgotten(ONE, 8, "add-remove", 3), 1, "delta covers neighbours"),
    (KeysForgotten(Fraction(9), 60, "add-remove", 3, cut=True), 1, "delta covers neighbours"),
    (AddRemoveNoise(ONE, 8, "change-one"), 1, "delta covers neighbours"),
    (
        SameNoise(Fraction(3), 20, "add-remove"),
        1,
        "cells are independent or sample follows log_prob",
    ),
    (Unsorted(ONE, 8, "add-remove"), 1, "outputs lie on the grid"),
    (CarelessHistogram(ONE, 8, "add-remove"), 1, "error covers"),
    (BareAnswers(TWO, NEAR_NONE), 1, "epsilon covers neighbours"),
    (BareThreshold(NEAR_NONE, Fraction(3)), 1, "epsilon covers neighbours"),
    (CutoffForgotten(TWO, Fraction(3), 3), 1, "epsilon covers neighbours"),
    (CutoffForgotten(Fraction(4), Fraction(8), 10**6), 2, "epsilon covers neighbours"),
    (OneWayOnly(TWO, TWO), 1, "epsilon covers neighbours"),
    (NoCutoff(TWO, TWO), 1, "outputs lie on the grid"),
    (
        ThresholdPerAnswer(Fraction(5), TWO, 2),
        1,
        "cells are independent or sample follows log_prob",
    ),  # it breaks both, sometimes this one first
    (NumericAbove(TWO, TWO), 1, "outputs lie on the grid"),
    (OptimisticRun(TWO, TWO), 1, "error covers"),
]
