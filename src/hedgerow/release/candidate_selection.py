"""How a value is chosen in every group: which mechanism, with which share of the budget.

    what        exponential             inverse               laplace              smooth
    propose             stable quantiles   Quantiles               InverseSensitivity    Laplace, as
    wide     SmoothSensitivity   ProposeTestRelease
                                                              as the range
    an end      Extreme                 (of a quantile at 0   (the same)           (the same)
    (the same)
                                        or 1)
    mode        PermuteAndFlip,         InverseSensitivity    NoisyMax
    Stable
                Exponential in rho

**Statement.** Choosing in every group costs at most ``loss()``, towards one unit that changes the
samples of up to ``touched`` groups, by up to ``rows`` values in each of them and ``groups`` times
as many in all.

**Proof.** Groups hold different values, each choice sees one of them: the losses of the choices
that see the unit add up. Let the unit change k_i values in the i-th group. In a question without
keys the one sample moves as the data do: k <= ``rows`` values come, go or change. With keys, coming
or going moves k_i <= ``rows`` values in ``groups`` groups. Replaced, a unit leaves some groups and
enters others, and in one where it does both 2 max_rows = ``rows`` values come or go; at most groups
max_rows leave in all, and as many enter. Members of a unit may share groups, or have groups of
their own. In each case k_i <= rows, the sum of the k_i is at most groups rows, and at most
``touched`` of them are above 0.

A mechanism that counts values costs f(k) = ``loss(k)`` for k of them. If f(k)/k does not fall, then
f(k_i) <= (k_i/rows) f(rows), and the sum of the f(k_i) is at most groups f(rows): what is charged.
It does not fall, in epsilon and in rho:

* epsilon is a multiple of k for each of them.
* rho of ``Quantiles``, ``Extreme``, ``InverseSensitivity`` and ``Exponential`` is that of epsilon =
  c k, the smaller of epsilon^2/8 and epsilon tanh(epsilon/2), level by level. Over k, these are c
  epsilon/8 and c tanh(epsilon/2), both rising, so the smaller one rises.
* rho of ``PermuteAndFlip`` and ``NoisyMax``, and of ``SmoothSensitivity`` with a delta, is epsilon
  tanh(epsilon/2): the same. Without a delta ``SmoothSensitivity`` has k^2 times the rho of one
  value: over k, that rises.
* rho of ``Stable`` is h(k), that of Laplace noise that moves by k steps, convex and 0 at 0
  (``privacy.rho``): over k, it rises. That of ``ProposeTestRelease`` is the sum of two such, its
  test and its noise, which moves by k times the bound.

A delta need not: that of a test for one value is far above 1/k of that for k. But it grows with k,
so it is at most that of ``rows`` in every group that is touched, and is paid once for each. Noise
as wide as the range hides any change of a sample, once for each. []
"""

from __future__ import annotations

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
from hedgerow.sensitivity.sample import Sample

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
_EXTREME_LEVELS: Final = {"least": Fraction(0), "greatest": Fraction(1)}


@dataclass(frozen=True, slots=True)
class CalibratedSelection:
    """A pick with its price: ``epsilon``, or ``rho`` for what is cheaper so, and ``delta`` where
    there is something to test, for all groups together. All of it is public, and the mechanism
    follows from it."""

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
        pick: OrderStatistic,
        reach: UnitReach,
        *,
        members: int = 1,
        epsilon: Price = None,
        rho: Price = None,
        delta: Price = None,
    ) -> CalibratedSelection:
        """The sharpest choice within the price, for a unit of so many ``members``. ``rho`` is used
        by the exponential and inverse methods, ``epsilon`` by the others: give what is right for
        the budget."""
        low, high = (
            (0, len(pick.values) - 1)
            if pick.values is not None
            else (pick.grid.low, pick.grid.high)  # type: ignore[union-attr]
        )
        if pick.method in TESTED_METHODS and delta is None:
            raise Unsupported(
                f"The method {pick.method} may answer nothing, and takes a delta: give the budget"
                " one, or leave the method out."
            )
        alone = reach.cells == 1
        groups = (
            1 if alone else reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        )
        both = 2 if reach.is_change_one and not alone else 1
        neighbours = "change-one" if reach.is_change_one and alone else "add-remove"
        rows, touched = reach.rows * both * members, pick.sensitivity(reach).l0 * members
        at = pick.quantiles or (
            (_EXTREME_LEVELS[pick.kind],) if pick.kind in _EXTREME_LEVELS else ()
        )
        cheap = rho if pick.method in ("exponential", "inverse") else None
        chance = delta if pick.method in (*TESTED_METHODS, "smooth") else None
        return cls(
            pick.kind,
            pick.method,
            at,
            pick.bound,
            low,
            high,
            neighbours,
            rows,
            groups,
            touched,
            epsilon,
            cheap,
            chance,
        )

    def recalibrate(
        self, pick: OrderStatistic, reach: UnitReach, members: int
    ) -> CalibratedSelection:
        """The choice of the same price that a pick of such a reach has. One that was made for it
        is that.
        """
        return CalibratedSelection.calibrate(
            pick, reach, members=members, epsilon=self.epsilon, rho=self.rho, delta=self.delta
        )

    @property
    def mechanism(self) -> AnySelection:
        """What chooses one value (several quantiles by the exponential method) in one group."""
        return _build_mechanism(self)

    @property
    def values_per_group(self) -> int:
        """How many values it gives in each group."""
        return max(1, len(self.at))

    @property
    def choices_per_group(self) -> int:
        """How many choices are made in a group, one after the other."""
        return 1 if self.method == "exponential" else self.values_per_group

    def loss(self) -> Loss:
        """What all groups together cost one unit."""
        mechanism, many = self.mechanism, self.groups * self.choices_per_group
        if isinstance(mechanism, Laplace):
            return self.touched * self.choices_per_group * mechanism.loss(self.high - self.low)
        if isinstance(mechanism, ScoreSelection):
            return many * mechanism.loss(self.rows)
        one = mechanism.loss(self.rows)
        all_ = many * one
        return Loss(
            all_.epsilon,
            max(self.touched, self.groups) * self.choices_per_group * one.delta,
            all_.rho,
        )

    def sample(self, values: Any) -> tuple[int | None, ...]:
        """The choices from a sorted sample, in steps; None is no release."""
        if self.kind == "mode":
            return (self._choose_mode(np.asarray(values, dtype=np.int64)),)
        column = Sample(np.asarray(values, dtype=np.int64), self.low, self.high)
        if isinstance(self.mechanism, Quantiles):
            found = self.mechanism.sample(column)
            return tuple(map(int, found)) if isinstance(found, list) else (int(found),)
        if isinstance(self.mechanism, Extreme):
            return (int(self.mechanism.sample(column)),)
        return tuple(self._choose_quantile(Quantile(p, self.neighbours), column) for p in self.at)

    def rank_error(self, beta: Fraction, n: int = 10**6) -> float | None:
        """How many values a choice may be off, except with probability ``beta``; None where that
        depends on the data.
        """
        mechanism, wide = self.mechanism, self.high - self.low
        if isinstance(mechanism, Quantiles):
            return mechanism.error(beta, wide, n)
        if isinstance(mechanism, Extreme):
            return mechanism.error(beta, wide)
        if isinstance(mechanism, ScoreSelection):
            return float(mechanism.error(beta, wide + 1))
        return None

    def _choose_quantile(self, quantile: Quantile, column: Sample) -> int | None:
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
        tally, mode, mechanism = (
            ValueCounts(np.bincount(values, minlength=self.high + 1), len(values)),
            Mode(self.neighbours),
            self.mechanism,
        )
        if isinstance(mechanism, InverseSensitivity):
            return mechanism.sample(mode.inverse_lengths(tally))
        if isinstance(mechanism, Stable):
            return cast("int | None", mechanism.sample(mode.value(tally), mode.distance(tally)))
        assert isinstance(mechanism, ScoreSelection)
        return mechanism.sample(tally.counts)

    def _clamp(self, noisy: Any) -> int | None:
        """Moved into the public range: this looks at the noisy value alone."""
        return None if noisy is None else min(max(int(noisy), self.low), self.high)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to be stored."""
        return {
            name: (
                str(value)
                if isinstance(value, Fraction)
                else list(map(str, value))
                if isinstance(value, tuple)
                else value
            )
            for name in self.__slots__
            if (value := getattr(self, name)) is not None
        }

    @classmethod
    def from_dict(cls, held: dict[str, Any]) -> CalibratedSelection:
        """What ``to_dict`` gave."""
        prices = {
            name: Fraction(held[name]) for name in ("epsilon", "rho", "delta") if name in held
        }
        return cls(
            **{"epsilon": None, "bound": None}
            | held
            | prices
            | {"at": tuple(map(Fraction, held["at"]))}
        )


@lru_cache(maxsize=64)
def _build_mechanism(picking: CalibratedSelection) -> AnySelection:
    each = (
        None
        if picking.epsilon is None
        else picking.epsilon / (picking.groups * picking.choices_per_group)
    )
    chance = (
        None
        if picking.delta is None
        else picking.delta / (max(picking.touched, picking.groups) * picking.choices_per_group)
    )
    share: dict[str, Any] = (
        {"epsilon": each}
        if picking.rho is None
        else {"rho": picking.rho / (picking.groups * picking.choices_per_group)}
    )
    wide, rows = picking.high - picking.low, picking.rows
    match picking.kind, picking.method:
        case _, "inverse":
            return InverseSensitivity.calibrate(**share, rows=rows)
        case "quantiles", "exponential":
            return Quantiles.calibrate(
                at=picking.at, neighbours=picking.neighbours, **share, rows=rows
            )
        case "mode", "exponential":
            return _calibrate_mode(picking, share)
        case _, "exponential":
            return Extreme.calibrate(
                side="max" if picking.kind == "greatest" else "min", width=wide, **share, rows=rows
            )
        case "mode", "laplace":
            return NoisyMax.calibrate(
                sensitivity=rows, epsilon=each, monotone=picking.neighbours == "add-remove"
            )
        case _, "laplace":
            return Laplace.calibrate(
                sensitivity=wide,
                epsilon=picking.epsilon / (picking.touched * picking.choices_per_group),  # type: ignore[operator]
                grid=1,
            )
        case _, "stable":
            return Stable.calibrate(epsilon=each, delta=chance, group=rows)  # type: ignore[arg-type]
        case _, "propose":
            return ProposeTestRelease.calibrate(
                bound=picking.bound,  # type: ignore[arg-type]
                epsilon=each,  # type: ignore[arg-type]
                delta=chance,  # type: ignore[arg-type]
                grid=1,
                group=rows,
            )
    return _calibrate_smooth(each, chance, wide, rows)  # type: ignore[arg-type]


def _calibrate_mode(
    picking: CalibratedSelection, share: dict[str, Any]
) -> PermuteAndFlip | Exponential:
    monotone = picking.neighbours == "add-remove"
    # in rho the exponential mechanism is cheaper
    kind = PermuteAndFlip if picking.rho is None else Exponential
    return kind.calibrate(sensitivity=picking.rows, monotone=monotone, **share)


def _calibrate_smooth(
    epsilon: Fraction, delta: Fraction | None, wide: int, rows: int
) -> SmoothSensitivity:
    """For ``rows`` values at once: a group of k costs k epsilon, and its delta (e^(k e) -
    1)/(e^e - 1) times as much, e = epsilon/k.
    """
    each = epsilon / rows
    if delta is None:
        return SmoothSensitivity.calibrate(epsilon=each, bound=wide, grid=1, gamma=3)
    share = delta
    while Loss(each, share).group(rows).delta > delta:
        share /= 2
    return SmoothSensitivity.calibrate(
        epsilon=each, bound=wide, grid=1, noise="laplace", delta=share
    )
