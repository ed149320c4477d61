"""The private choice of an order statistic in every group: which mechanism, with which share of the
budget.

| method | quantiles | MIN and MAX | mode |
|---|---|---|---|
| exponential | ``Quantiles`` | ``Extreme`` | ``PermuteAndFlip``; ``Exponential`` in rho |
| inverse | ``InverseSensitivity`` | the same, at the quantile 0 or 1 | ``InverseSensitivity`` |
| laplace | ``Laplace``, as wide as the range | the same | ``NoisyMax`` |
| smooth | ``SmoothSensitivity`` | the same | |
| propose | ``ProposeTestRelease`` | the same | |
| stable | | | ``Stable`` |

**Statement.** Choosing in every group costs at most ``loss()``, towards one unit that changes the
samples of up to ``touched`` groups, by up to ``rows`` values in each of them and ``groups`` times
as many in all.

**Proof.** Groups hold different values, and each choice sees one group: the losses of the choices
that see the unit add up. Let the unit change k_i values in the i-th group. In a question without
keys the one sample moves as the data do: k <= ``rows`` values come, go or change. With keys, coming
or going moves k_i <= ``rows`` values in ``groups`` groups. A replaced unit leaves some groups and
enters others, and in a group where it does both, 2 max_rows = ``rows`` values come or go; at most
groups max_rows leave in all, and as many enter. Members of a unit may share groups, or have groups
of their own. In each case k_i <= rows, the sum of the k_i is at most groups rows, and at most
``touched`` of them are above 0.

A mechanism that counts values costs f(k) = ``loss(k)`` for k of them. If f(k)/k does not fall, then
f(k_i) <= (k_i/rows) f(rows), and the sum of the f(k_i) is at most groups f(rows), which is charged.
f(k)/k does not fall, in epsilon and in rho:

* epsilon is a multiple of k for each of them.
* rho of ``Quantiles``, ``Extreme``, ``InverseSensitivity`` and ``Exponential`` is that of epsilon =
  c k, the smaller of epsilon^2/8 and epsilon tanh(epsilon/2), level by level. Over k, these are c
  epsilon/8 and c tanh(epsilon/2), both rising, so the smaller one rises.
* rho of ``PermuteAndFlip`` and ``NoisyMax``, and of ``SmoothSensitivity`` with a delta, is epsilon
  tanh(epsilon/2): the same. Without a delta ``SmoothSensitivity`` has k^2 times the rho of one
  value: over k, that rises.
* rho of ``Stable`` is h(k), that of Laplace noise with a sensitivity of k steps, convex and 0 at 0
  (``privacy.loss``): over k, it rises. That of ``ProposeTestRelease`` is the sum of two such terms,
  one for its test and one for its noise, whose sensitivity is k times the bound.

A delta may fall: that of a test for one value is far above 1/k of that for k. But it grows with k,
so it is at most that of ``rows`` in every touched group, and is paid once for each. Noise as wide
as the range hides any change of a sample, once for each group. []
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.mechanisms.data_dependent.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.data_dependent.propose_test_release import ProposeTestRelease
from hedgerow.mechanisms.data_dependent.smooth_sensitivity import SmoothSensitivity
from hedgerow.mechanisms.data_dependent.stable_value import Stable
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.selection.exponential import Exponential
from hedgerow.mechanisms.selection.extremes import Extreme
from hedgerow.mechanisms.selection.noisy_max import NoisyMax
from hedgerow.mechanisms.selection.permute_and_flip import PermuteAndFlip
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.plan.measures import UnitReach
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.privacy.loss import Loss
from hedgerow.sensitivity.mode import Mode, ValueCounts
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["TESTED_METHODS", "CalibratedSelection"]

ScoreSelection = PermuteAndFlip | Exponential | NoisyMax
AnySelection = (
    Quantiles
    | Extreme
    | InverseSensitivity
    | Laplace
    | SmoothSensitivity
    | ProposeTestRelease
    | Stable
    | ScoreSelection
)
Price = Fraction | None
TESTED_METHODS: Final = ("propose", "stable")  # these need a delta
_EXTREME_LEVELS: Final[Mapping[str, tuple[Fraction, ...]]] = {
    "least": (Fraction(0),),
    "greatest": (Fraction(1),),
}


@dataclass(frozen=True, slots=True)
class CalibratedSelection:
    """The selection of an order statistic with its price, for all groups together: ``epsilon``, or
    ``rho`` where that is cheaper, and ``delta`` where there is a test.

    All parameters are public, and the mechanism follows from them.
    """

    kind: str
    method: str
    at: tuple[Fraction, ...]
    bound: int | None
    low: int
    high: int
    neighbours: str
    rows: int
    groups: int
    touched: int
    epsilon: Fraction | None
    rho: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def calibrate(
        cls,
        statistic: OrderStatistic,
        reach: UnitReach,
        *,
        members: int = 1,
        epsilon: Price = None,
        rho: Price = None,
        delta: Price = None,
    ) -> CalibratedSelection:
        """Build the most accurate selection within a price, for a unit of ``members`` people.

        The exponential and inverse methods spend ``rho`` if it is given; the others spend
        ``epsilon``.
        """
        if statistic.method in TESTED_METHODS and delta is None:
            raise Unsupported(
                f"The method '{statistic.method}' needs a delta, because its test may fail. Add a"
                " delta to the budget, or leave the method out."
            )
        low, high = (
            (0, len(statistic.values) - 1)
            if statistic.values is not None
            else (statistic.grid.low, statistic.grid.high)  # type: ignore[union-attr]
        )
        is_single = reach.cells == 1
        groups = reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        sides = 2 if reach.is_change_one and not is_single else 1
        return cls(
            statistic.kind,
            statistic.method,
            statistic.quantiles or _EXTREME_LEVELS.get(statistic.kind, ()),
            statistic.bound,
            low,
            high,
            "change-one" if reach.is_change_one and is_single else "add-remove",
            reach.rows * sides * members,
            groups,
            statistic.sensitivity(reach).l0 * members,
            epsilon,
            rho if statistic.method in ("exponential", "inverse") else None,
            delta if statistic.method in (*TESTED_METHODS, "smooth") else None,
        )

    def recalibrate(
        self, statistic: OrderStatistic, reach: UnitReach, members: int
    ) -> CalibratedSelection:
        """Build the selection of the same price for another reach; equal to this one if it fits the
        reach.
        """
        return CalibratedSelection.calibrate(
            statistic, reach, members=members, epsilon=self.epsilon, rho=self.rho, delta=self.delta
        )

    @property
    def mechanism(self) -> AnySelection:
        """The mechanism that chooses one value in one group, or several quantiles at once."""
        return _build_mechanism(self)

    @property
    def values_per_group(self) -> int:
        """The number of values chosen in each group."""
        return max(1, len(self.at))

    @property
    def choices_per_group(self) -> int:
        """The number of choices made in a group, one after the other."""
        return 1 if self.method == "exponential" else self.values_per_group

    def loss(self) -> Loss:
        """Return the loss of one unit in all groups together."""
        mechanism, choices = self.mechanism, self.choices_per_group
        if isinstance(mechanism, Laplace):
            return self.touched * choices * mechanism.loss(self.high - self.low)
        one = mechanism.loss(self.rows)
        together = self.groups * choices * one
        if isinstance(mechanism, ScoreSelection):
            return together
        delta = max(self.touched, self.groups) * choices * one.delta
        return Loss(together.epsilon, delta, together.rho)

    def sample(self, values: Any) -> tuple[int | None, ...]:
        """Choose values from a sorted sample, in steps; None means no release."""
        if self.kind == "mode":
            return (self._choose_mode(np.asarray(values, dtype=np.int64)),)
        column = SortedSample(np.asarray(values, dtype=np.int64), self.low, self.high)
        if isinstance(self.mechanism, Quantiles):
            chosen = self.mechanism.sample(column)
            return tuple(map(int, chosen)) if isinstance(chosen, list) else (int(chosen),)
        if isinstance(self.mechanism, Extreme):
            return (int(self.mechanism.sample(column)),)
        return tuple(self._choose_quantile(Quantile(p, self.neighbours), column) for p in self.at)

    def rank_error(self, beta: Fraction, n: int = 10**6) -> float | None:
        """Return a bound on the rank error that fails with probability ``beta``, or None if the
        bound depends on the data.
        """
        mechanism, width = self.mechanism, self.high - self.low
        if isinstance(mechanism, Quantiles):
            return mechanism.error(beta, width, n)
        if isinstance(mechanism, Extreme):
            return mechanism.error(beta, width)
        if isinstance(mechanism, ScoreSelection):
            return float(mechanism.error(beta, width + 1))
        return None

    def _choose_quantile(self, quantile: Quantile, column: SortedSample) -> int | None:
        mechanism = self.mechanism
        if isinstance(mechanism, InverseSensitivity):
            return int(mechanism.quantile(quantile, column))
        value = quantile.value(column)
        if isinstance(mechanism, Laplace):
            return self._clamp(mechanism.sample(value))
        if isinstance(mechanism, SmoothSensitivity):
            return self._clamp(
                mechanism.sample(value, quantile.smooth_sensitivity(column, mechanism.beta))
            )
        assert isinstance(mechanism, ProposeTestRelease)
        return self._clamp(mechanism.sample(value, quantile.distance(column, int(mechanism.bound))))

    def _choose_mode(self, values: Any) -> int | None:
        counts = ValueCounts(np.bincount(values, minlength=self.high + 1), len(values))
        mode, mechanism = Mode(self.neighbours), self.mechanism
        if isinstance(mechanism, InverseSensitivity):
            return mechanism.sample(mode.inverse_lengths(counts))
        if isinstance(mechanism, Stable):
            return cast("int | None", mechanism.sample(mode.value(counts), mode.distance(counts)))
        assert isinstance(mechanism, ScoreSelection)
        return mechanism.sample(counts.counts)

    def _clamp(self, noisy: Any) -> int | None:
        """Clamp a noisy value to the public range; None stays None."""
        return None if noisy is None else min(max(int(noisy), self.low), self.high)

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain data, to be stored."""
        stored: dict[str, Any] = {
            "kind": self.kind,
            "method": self.method,
            "at": list(map(str, self.at)),
            "bound": self.bound,
            "low": self.low,
            "high": self.high,
            "neighbours": self.neighbours,
            "rows": self.rows,
            "groups": self.groups,
            "touched": self.touched,
        }
        prices = {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}
        stored |= {name: str(price) for name, price in prices.items() if price is not None}
        return {name: value for name, value in stored.items() if value is not None}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> CalibratedSelection:
        """Build the selection from the parameters that ``to_dict`` returned."""
        names = ("kind", "method", "low", "high", "neighbours", "rows", "groups", "touched")
        kind, method, *rest = (stored[name] for name in names)
        prices = (stored.get(name) for name in ("epsilon", "rho", "delta"))
        return cls(
            kind,
            method,
            tuple(map(Fraction, stored["at"])),
            stored.get("bound"),
            *rest,
            *(price and Fraction(price) for price in prices),
        )


@lru_cache(maxsize=64)
def _build_mechanism(selection: CalibratedSelection) -> AnySelection:
    choices = selection.groups * selection.choices_per_group
    tests = max(selection.touched, selection.groups) * selection.choices_per_group
    epsilon = selection.epsilon and selection.epsilon / choices
    delta = selection.delta and selection.delta / tests
    share: dict[str, Any] = (
        {"epsilon": epsilon} if selection.rho is None else {"rho": selection.rho / choices}
    )
    width, rows = selection.high - selection.low, selection.rows
    match selection.kind, selection.method:
        case _, "inverse":
            return InverseSensitivity.calibrate(**share, rows=rows)
        case "quantiles", "exponential":
            return Quantiles.calibrate(
                at=selection.at, neighbours=selection.neighbours, **share, rows=rows
            )
        case "mode", "exponential":
            return _calibrate_mode(selection, share)
        case _, "exponential":
            return Extreme.calibrate(
                side="max" if selection.kind == "greatest" else "min",
                width=width,
                **share,
                rows=rows,
            )
        case "mode", "laplace":
            return NoisyMax.calibrate(
                sensitivity=rows, epsilon=epsilon, monotone=selection.neighbours == "add-remove"
            )
        case _, "laplace":
            return Laplace.calibrate(
                sensitivity=width,
                epsilon=selection.epsilon  # type: ignore[operator]
                / (selection.touched * selection.choices_per_group),
                grid=1,
            )
        case _, "stable":
            return Stable.calibrate(
                epsilon=epsilon,  # type: ignore[arg-type]
                delta=delta,  # type: ignore[arg-type]
                group=rows,
            )
        case _, "propose":
            return ProposeTestRelease.calibrate(
                bound=selection.bound,  # type: ignore[arg-type]
                epsilon=epsilon,  # type: ignore[arg-type]
                delta=delta,  # type: ignore[arg-type]
                grid=1,
                group=rows,
            )
    return _calibrate_smooth(epsilon, delta, width, rows)  # type: ignore[arg-type]


def _calibrate_mode(
    selection: CalibratedSelection, share: dict[str, Any]
) -> PermuteAndFlip | Exponential:
    monotone = selection.neighbours == "add-remove"
    # in rho the exponential mechanism is cheaper
    kind = PermuteAndFlip if selection.rho is None else Exponential
    return kind.calibrate(sensitivity=selection.rows, monotone=monotone, **share)


def _calibrate_smooth(
    epsilon: Fraction, delta: Fraction | None, width: int, rows: int
) -> SmoothSensitivity:
    """Calibrate smooth sensitivity for ``rows`` values at once.

    A group of k values costs k e, and its delta grows by the factor (e^(k e) - 1)/(e^e - 1), with e
    = epsilon/k.
    """
    each = epsilon / rows
    if delta is None:
        return SmoothSensitivity.calibrate(epsilon=each, bound=width, grid=1, gamma=3)
    share = delta
    while Loss(each, share).group(rows).delta > delta:
        share /= 2
    return SmoothSensitivity.calibrate(
        epsilon=each, bound=width, grid=1, noise="laplace", delta=share
    )
