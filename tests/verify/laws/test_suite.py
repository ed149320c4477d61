"""Good mechanisms keep all laws; each planted bug breaks the law it should."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import ALL, Gaussian, Laplace, ProposeTestRelease
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws import LAWS, LawBroken, check_mechanism
from verify.laws import helpers_planted_quantiles, planted, planted_worlds
from verify.laws.good import GOOD, HALF, STACKED

pytestmark = pytest.mark.long


def test_every_mechanism_we_ship_is_checked() -> None:
    assert {type(mechanism) for mechanism, _ in GOOD} == set(ALL)


FAMILY = [
    [type(other) for other, _ in GOOD[:place]].count(type(mechanism))
    for place, (mechanism, _) in enumerate(GOOD)
]


@pytest.mark.parametrize(
    ("mechanism", "sensitivity"),
    # Two of each kind; the others with `make slow`.
    [
        pytest.param(*one, marks=pytest.mark.slow if before > 1 else ())
        for one, before in zip(GOOD, FAMILY, strict=True)
    ],
    ids=[str(m)[:60] for m, _ in GOOD],
)
def test_good_mechanisms_keep_all_laws(mechanism: Any, sensitivity: Any) -> None:
    report = check_mechanism(mechanism, sensitivity, draws=100_000)
    assert len(report.findings) == len(LAWS)
    assert all(finding.figures for finding in report.findings)


class Own:
    """A mechanism of somebody else's: noise of -1, 0 or 1, which hides a move of 1 with a delta."""

    shape = "additive"
    grid = Fraction(1)
    law = (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))

    def loss(self, sensitivity: Any, /) -> Loss:
        """Pr[1] = 1/4 here and 1/2 there, Pr[-1] = 1/4 here and 0 there: ln 2 with 1/4; nothing
        for larger moves.
        """
        move = Sensitivity.of(sensitivity)
        return (
            Loss(Fraction(7, 10), Fraction(1, 4))
            if move.l1 == 1
            else Loss(Fraction(7), Fraction(1))
        )

    def sample(self, exact: Any, /) -> Any:
        whole = isinstance(exact, int) and not isinstance(exact, bool)
        if not whole and not (
            isinstance(exact, np.ndarray) and exact.dtype.kind == "i" and exact.size
        ):
            raise InvalidArgument("exact", "must hold whole numbers")
        drawn = uniform_integers(2, np.size(exact)) - uniform_integers(2, np.size(exact))
        return exact + int(drawn[0]) if whole else exact + drawn.reshape(exact.shape)

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(
                np.select(
                    [noisy == np.asarray(exact), np.abs(np.subtract(noisy, exact)) == 1],
                    [0.5, 0.25],
                    0.0,
                )
            )

    def error(self, beta: Any) -> int:
        return 0 if beta >= 0.5 else 1


def test_a_mechanism_of_ones_own() -> None:
    findings = dict(check_mechanism(Own(), draws=20_000).findings)
    assert findings["epsilon covers neighbours"] == "no pure epsilon is claimed"
    assert "no field `scale`" in findings["sample follows log_prob"]


class Boastful(Own):
    """The same, with less delta than it takes."""

    def loss(self, sensitivity: Any, /) -> Loss:
        loss = super().loss(sensitivity)
        return Loss(loss.epsilon, loss.delta * Fraction(9, 10))


def test_a_delta_too_small_breaks_its_law() -> None:
    with pytest.raises(LawBroken, match="delta covers neighbours"):
        check_mechanism(Boastful(), draws=20_000)


ONE = Fraction(1)
REAL = (ONE, Fraction(1, 2**30))
BAD: list[tuple[Any, Any, str]] = [
    (planted.TwoPercentOff(ONE), 1, "sample follows log_prob"),
    (planted.TwoPercentOff(Fraction(15, 2)), 1, "sample follows log_prob"),
    (planted.TwoPercentOff(*REAL), 1, "sample follows log_prob"),
    (planted.TwoPercentNarrow(Fraction(3)), 1, "sample follows log_prob"),
    (planted.SingleNumbersOff(ONE), 1, "sample follows log_prob"),
    (planted.OutOfOrder(HALF), 1, "sample follows log_prob"),
    (planted.PlainArgmax(ONE), 1, "sample follows log_prob"),
    (planted.NeverClears(HALF), 1, "sample follows log_prob"),
    (planted.NeverClears(HALF, 5), 1, "sample follows log_prob"),
    (planted.LastCellBare(ONE), 1, "cells are independent"),
    (planted.NegativesBare(Fraction(5)), 1, "cells are independent"),
    (planted.LastCellBare(*REAL), 1, "cells are independent"),
    (planted.NoiseReused(ONE), 1, "cells are independent"),
    (planted.SignsShared(Fraction(5)), 1, "cells are independent"),
    (planted.NoiseKept(Fraction(5)), 1, "cells are independent"),
    (planted.ShapeLost(ONE), 1, "cells are independent"),
    (planted.OneCoinForAll(HALF), 1, "cells are independent"),
    (planted.CountForgotten(ONE), Sensitivity.each(3, 2), "epsilon covers neighbours"),
    (planted.CountForgotten(ONE), STACKED, "epsilon covers neighbours"),
    (planted.MonotoneExponential(ONE), 1, "epsilon covers neighbours"),
    (planted.MonotonePermuteAndFlip(ONE), 1, "epsilon covers neighbours"),
    (planted.MonotoneNoisyMax(ONE), 1, "epsilon covers neighbours"),
    (planted.OneAnswerOnly(HALF), Sensitivity.each(2, 1), "epsilon covers neighbours"),
    (planted.ContinuousRho(ONE), 1, "rho covers neighbours"),
    (planted.ContinuousRho(Fraction(10)), 1, "rho covers neighbours"),
    (planted.ContinuousRho(Fraction(10)), 7, "rho covers neighbours"),
    (planted.HalfRho(Fraction(3)), 1, "rho covers neighbours"),
    (planted.BoundedRangeRho(HALF), 1, "rho covers neighbours"),
    (planted.BoundedRangeRho(Fraction(1, 10)), 1, "rho covers neighbours"),
    (planted.OptimisticDelta(Fraction(3)), 1, "delta covers neighbours"),
    (planted.OptimisticDelta(Fraction(3)), Sensitivity.each(2, 1), "delta covers neighbours"),
    (planted.WithDelta(ONE), 1, "delta covers neighbours"),
    (planted.LossThatShrinks(ONE), 1, "losses add up"),
    (planted.ContinuousError(ONE), 1, "error covers"),
    (planted.ContinuousError(Fraction(2)), 1, "error covers"),
    (planted.GenerousError(ONE), 1, "error covers"),
    (planted.SnappingForgotten(ONE, Fraction(1, 8)), 1, "error covers"),
    (planted.ExponentialError(ONE), 1, "error covers"),
    (planted.BestOfTwo(ONE), 1, "error covers"),
    (planted.CarelessError(HALF), 1, "error covers"),
    (planted.FloatLaplace(*REAL), 1, "low bits reveal nothing"),
    (planted.FloatLaplace(ONE, Fraction(1, 2**39)), 1, "low bits reveal nothing"),
    (planted.OffGrid(ONE, Fraction(1, 2**10)), 1, "outputs lie on the grid"),
    (planted.WholeButFloat(ONE), 1, "outputs lie on the grid"),
    (planted.PlaceBeyond(ONE), 1, "outputs lie on the grid"),
    (planted.Seeded(ONE), 1, "forks differ"),
    (planted.WrongNormaliser(ONE), 1, "probabilities sum to one"),
    (planted.Shouting(ONE), 1, "bad input is refused"),
    (planted.DrawsFirst(ONE), 1, "bad input is refused"),
    (planted.TakesAnything(ONE), 1, "bad input is refused"),
    (planted.BareErrors(ONE), 1, "bad input is refused"),
    *planted_worlds.BAD,
]


# With as few draws as the others these would be missed once in 10^4 runs.
SLIGHT = (helpers_planted_quantiles.SharpQuantiles, planted_worlds.NarrowSmooth)


@pytest.mark.parametrize(
    ("mechanism", "sensitivity", "law"), BAD, ids=[f"{str(m)[:40]} {law}" for m, _, law in BAD]
)
def test_a_planted_bug_breaks_its_law(mechanism: Any, sensitivity: Any, law: str) -> None:
    with pytest.raises(LawBroken) as broken:
        check_mechanism(
            mechanism, sensitivity, draws=200_000 if isinstance(mechanism, SLIGHT) else 50_000
        )
    assert broken.value.law in law.split(" or ")
    assert broken.value.expected in str(broken.value)
    assert broken.value.found in str(broken.value)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-5), (3, 1e-6), (10, 1e-7)])
def test_the_continuous_scale_of_gaussian_noise_breaks_its_claim(
    epsilon: float, delta: float
) -> None:
    mechanism = Gaussian(Fraction(planted.continuous_sigma(epsilon, delta)))
    with pytest.raises(LawBroken) as broken:
        check_mechanism(mechanism, claim=(epsilon, delta))
    assert broken.value.law == "delta covers neighbours"


def test_the_median_with_local_sensitivity_is_wrong_in_its_scale_alone() -> None:
    findings = dict(
        check_mechanism(helpers_planted_quantiles.SmoothMedian(ONE), draws=20_000).findings
    )
    assert "of the delta claimed" in findings["delta covers neighbours"]


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-2), (1, 1e-3), (0.5, 1e-6)])
def test_the_short_threshold_of_propose_test_release_breaks_its_claim(
    epsilon: float, delta: float
) -> None:
    with pytest.raises(LawBroken) as broken:
        check_mechanism(planted_worlds.short_threshold(epsilon, delta), claim=(epsilon, delta))
    assert broken.value.law == "delta covers neighbours"
    assert "distances 0 and 0" in broken.value.found
    ours = ProposeTestRelease.calibrate(bound=1, epsilon=epsilon, delta=delta)
    assert "of the delta claimed" in str(
        check_mechanism(ours, claim=(epsilon, delta), draws=20_000)
    )


def test_ours_keeps_the_same_claim() -> None:
    mechanism = Gaussian.calibrate(sensitivity=1, epsilon=3, delta=1e-6)
    findings = dict(check_mechanism(mechanism, claim=(3, 1e-6), draws=20_000).findings)
    assert "100.0% of the delta" in findings["delta covers neighbours"]


def test_the_report_reads_well() -> None:
    text = str(check_mechanism(Laplace.calibrate(sensitivity=1, epsilon=0.5), draws=20_000))
    lines = text.splitlines()
    assert len(lines) == len(LAWS) + 1
    assert "keeps 12 laws" in lines[0]
    assert any("epsilon covers neighbours" in line and "100.0% of 0.5" in line for line in lines)
    assert any("a scale 2 % off is detected" in line for line in lines)
    assert max(map(len, lines)) < 160


@pytest.mark.parametrize(
    "mechanism",
    [object(), 3, type("Odd", (), {"shape": "round"})(), type("Bare", (), {"shape": "additive"})()],
)
def test_objects_without_the_members_of_a_shape_are_refused(mechanism: object) -> None:
    with pytest.raises(InvalidArgument, match="mechanism"):
        check_mechanism(mechanism)
