"""How a value is chosen in every group: which mechanism, with which share of the budget.

    what        exponential             inverse               laplace              smooth              propose             stable
    quantiles   Quantiles               InverseSensitivity    Laplace, as wide     SmoothSensitivity   ProposeTestRelease
                                                              as the range
    an end      Extreme                 (of a quantile at 0   (the same)           (the same)          (the same)
                                        or 1)
    mode        PermuteAndFlip,         InverseSensitivity    NoisyMax                                                     Stable
                Exponential in rho

**Statement.** Choosing in every group costs at most ``loss()``, towards one unit that changes the samples of up to ``touched`` groups, by
up to ``rows`` values in each of them and ``groups`` times as many in all.

**Proof.** Groups hold different values, each choice sees one of them: the losses of the choices that see the unit add up. Let the unit
change k_i values in the i-th group. In a question without keys the one sample moves as the data do: k <= ``rows`` values come, go or
change. With keys, coming or going moves k_i <= ``rows`` values in ``groups`` groups. Replaced, a unit leaves some groups and enters others,
and in one where it does both 2 max_rows = ``rows`` values come or go; at most groups max_rows leave in all, and as many enter. Members of
a unit may share groups, or have groups of their own. In each case k_i <= rows, the sum of the k_i is at most groups rows, and at most
``touched`` of them are above 0.

A mechanism that counts values costs f(k) = ``loss(k)`` for k of them. If f(k)/k does not fall, then f(k_i) <= (k_i/rows) f(rows), and the
sum of the f(k_i) is at most groups f(rows): what is charged. It does not fall, in epsilon and in rho:

* epsilon is a multiple of k for each of them.
* rho of ``Quantiles``, ``Extreme``, ``InverseSensitivity`` and ``Exponential`` is that of epsilon = c k, the smaller of epsilon^2/8 and
  epsilon tanh(epsilon/2), level by level. Over k, these are c epsilon/8 and c tanh(epsilon/2), both rising, so the smaller one rises.
* rho of ``PermuteAndFlip`` and ``NoisyMax``, and of ``SmoothSensitivity`` with a delta, is epsilon tanh(epsilon/2): the same. Without
  a delta ``SmoothSensitivity`` has k^2 times the rho of one value: over k, that rises.
* rho of ``Stable`` is h(k), that of Laplace noise that moves by k steps, convex and 0 at 0 (``privacy.rho``): over k, it rises. That of
  ``ProposeTestRelease`` is the sum of two such, its test and its noise, which moves by k times the bound.

A delta need not: that of a test for one value is far above 1/k of that for k. But it grows with k, so it is at most that of ``rows`` in
every group that is touched, and is paid once for each. Noise as wide as the range hides any change of a sample, once for each. []
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.mechanisms.exponential import Exponential
from hedgerow.mechanisms.extremes import Extreme
from hedgerow.mechanisms.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.noisy_max import NoisyMax
from hedgerow.mechanisms.permute_and_flip import PermuteAndFlip
from hedgerow.mechanisms.propose_test_release import ProposeTestRelease
from hedgerow.mechanisms.quantiles import Quantiles
from hedgerow.mechanisms.smooth_sensitivity import SmoothSensitivity
from hedgerow.mechanisms.stable import Stable
from hedgerow.plan.measures import Reach
from hedgerow.plan.picks import Pick
from hedgerow.privacy.loss import Loss
from hedgerow.statistics.mode import Mode, Tally
from hedgerow.statistics.order import Quantile
from hedgerow.statistics.sample import Sample

__all__ = ["TESTED", "Picking"]

Voted = PermuteAndFlip | Exponential | NoisyMax
Mechanism = Quantiles | Extreme | InverseSensitivity | Laplace | SmoothSensitivity | ProposeTestRelease | Stable | Voted
Price = Fraction | None
TESTED: Final = ("propose", "stable")  # these need a delta
_ENDS: Final = {"least": Fraction(0), "greatest": Fraction(1)}


@dataclass(frozen=True, slots=True)
class Picking:
    """A pick with its price: ``epsilon``, or ``rho`` for what is cheaper so, and ``delta`` where there is something to test, for all
    groups together. All of it is public, and the mechanism follows from it."""

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
        cls, pick: Pick, reach: Reach, *, members: int = 1, epsilon: Price = None, rho: Price = None, delta: Price = None
    ) -> Picking:
        """The sharpest choice within the price, for a unit of so many ``members``. ``rho`` is used by the exponential and inverse
        methods, ``epsilon`` by the others: give what is right for the budget."""
        low, high = (0, len(pick.values) - 1) if pick.values is not None else (pick.snap.low, pick.snap.high)  # type: ignore[union-attr]
        if pick.method in TESTED and delta is None:
            raise Unsupported(
                f"The method {pick.method} may answer nothing, and takes a delta: give the budget one, or leave the method out."
            )
        alone = reach.cells == 1
        groups = 1 if alone else reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        both = 2 if reach.moves and not alone else 1
        neighbours = "change-one" if reach.moves and alone else "add-remove"
        rows, touched = reach.rows * both * members, pick.sensitivity(reach).l0 * members
        at = pick.at or ((_ENDS[pick.kind],) if pick.kind in _ENDS else ())
        cheap = rho if pick.method in ("exponential", "inverse") else None
        chance = delta if pick.method in (*TESTED, "smooth") else None
        return cls(pick.kind, pick.method, at, pick.bound, low, high, neighbours, rows, groups, touched, epsilon, cheap, chance)

    def fitted(self, pick: Pick, reach: Reach, members: int) -> Picking:
        """The choice of the same price that a pick of such a reach has. One that was made for it is that."""
        return Picking.calibrate(pick, reach, members=members, epsilon=self.epsilon, rho=self.rho, delta=self.delta)

    @property
    def mechanism(self) -> Mechanism:
        """What chooses one value (several quantiles by the exponential method) in one group."""
        return _mechanism(self)

    @property
    def width(self) -> int:
        """How many values it gives in each group."""
        return max(1, len(self.at))

    @property
    def times(self) -> int:
        """How many choices are made in a group, one after the other."""
        return 1 if self.method == "exponential" else self.width

    def loss(self) -> Loss:
        """What all groups together cost one unit."""
        mechanism, many = self.mechanism, self.groups * self.times
        if isinstance(mechanism, Laplace):
            return self.touched * self.times * mechanism.loss(self.high - self.low)
        if isinstance(mechanism, Voted):
            return many * mechanism.loss(self.rows)
        one = mechanism.loss(self.rows)
        all_ = many * one
        return Loss(all_.epsilon, max(self.touched, self.groups) * self.times * one.delta, all_.rho)

    def sample(self, values: Any) -> tuple[int | None, ...]:
        """The choices from a sorted sample, in steps; None is no release."""
        if self.kind == "mode":
            return (self._mode(np.asarray(values, dtype=np.int64)),)
        column = Sample(np.asarray(values, dtype=np.int64), self.low, self.high)
        if isinstance(self.mechanism, Quantiles):
            found = self.mechanism.sample(column)
            return tuple(map(int, found)) if isinstance(found, list) else (int(found),)
        if isinstance(self.mechanism, Extreme):
            return (int(self.mechanism.sample(column)),)
        return tuple(self._one(Quantile(p, self.neighbours), column) for p in self.at)

    def ranks(self, beta: Fraction, n: int = 10**6) -> float | None:
        """How many values a choice may be off, except with probability ``beta``; None where that depends on the data."""
        mechanism, wide = self.mechanism, self.high - self.low
        if isinstance(mechanism, Quantiles):
            return mechanism.error(beta, wide, n)
        if isinstance(mechanism, Extreme):
            return mechanism.error(beta, wide)
        if isinstance(mechanism, Voted):
            return float(mechanism.error(beta, wide + 1))
        return None

    def _one(self, quantile: Quantile, column: Sample) -> int | None:
        mechanism = self.mechanism
        if isinstance(mechanism, InverseSensitivity):
            return int(mechanism.quantile(quantile, column))
        value = quantile.value(column)
        if isinstance(mechanism, Laplace):
            return self._inside(mechanism.sample(value))
        if isinstance(mechanism, SmoothSensitivity):
            return self._inside(mechanism.sample(value, quantile.smooth(column, mechanism.beta)))
        assert isinstance(mechanism, ProposeTestRelease)
        return self._inside(mechanism.sample(value, quantile.distance(column, int(mechanism.bound))))

    def _mode(self, values: Any) -> int | None:
        tally, mode, mechanism = Tally(np.bincount(values, minlength=self.high + 1), len(values)), Mode(self.neighbours), self.mechanism
        if isinstance(mechanism, InverseSensitivity):
            return mechanism.sample(mode.lengths(tally))
        if isinstance(mechanism, Stable):
            return cast("int | None", mechanism.sample(mode.value(tally), mode.distance(tally)))
        assert isinstance(mechanism, Voted)
        return mechanism.sample(tally.counts)

    def _inside(self, noisy: Any) -> int | None:
        """Moved into the public range: this looks at the noisy value alone."""
        return None if noisy is None else min(max(int(noisy), self.low), self.high)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to be stored."""
        return {
            name: str(value) if isinstance(value, Fraction) else list(map(str, value)) if isinstance(value, tuple) else value
            for name in self.__slots__
            if (value := getattr(self, name)) is not None
        }

    @classmethod
    def from_dict(cls, held: dict[str, Any]) -> Picking:
        """What ``to_dict`` gave."""
        prices = {name: Fraction(held[name]) for name in ("epsilon", "rho", "delta") if name in held}
        return cls(**{"epsilon": None, "bound": None} | held | prices | {"at": tuple(map(Fraction, held["at"]))})


@lru_cache(maxsize=64)
def _mechanism(picking: Picking) -> Mechanism:
    each = None if picking.epsilon is None else picking.epsilon / (picking.groups * picking.times)
    chance = None if picking.delta is None else picking.delta / (max(picking.touched, picking.groups) * picking.times)
    share: dict[str, Any] = {"epsilon": each} if picking.rho is None else {"rho": picking.rho / (picking.groups * picking.times)}
    wide, rows = picking.high - picking.low, picking.rows
    match picking.kind, picking.method:
        case _, "inverse":
            return InverseSensitivity.calibrate(**share, rows=rows)
        case "quantiles", "exponential":
            return Quantiles.calibrate(at=picking.at, neighbours=picking.neighbours, **share, rows=rows)
        case "mode", "exponential":
            return _most_frequent(picking, share)
        case _, "exponential":
            return Extreme.calibrate(side="max" if picking.kind == "greatest" else "min", width=wide, **share, rows=rows)
        case "mode", "laplace":
            return NoisyMax.calibrate(sensitivity=rows, epsilon=each, monotone=picking.neighbours == "add-remove")
        case _, "laplace":
            return Laplace.calibrate(sensitivity=wide, epsilon=picking.epsilon / (picking.touched * picking.times), grid=1)  # type: ignore[operator]
        case _, "stable":
            return Stable.calibrate(epsilon=each, delta=chance, group=rows)  # type: ignore[arg-type]
        case _, "propose":
            return ProposeTestRelease.calibrate(bound=picking.bound, epsilon=each, delta=chance, grid=1, group=rows)  # type: ignore[arg-type]
    return _smooth(each, chance, wide, rows)  # type: ignore[arg-type]


def _most_frequent(picking: Picking, share: dict[str, Any]) -> PermuteAndFlip | Exponential:
    monotone = picking.neighbours == "add-remove"
    kind = PermuteAndFlip if picking.rho is None else Exponential  # in rho the exponential mechanism is cheaper
    return kind.calibrate(sensitivity=picking.rows, monotone=monotone, **share)


def _smooth(epsilon: Fraction, delta: Fraction | None, wide: int, rows: int) -> SmoothSensitivity:
    """For ``rows`` values at once: a group of k costs k epsilon, and its delta (e^(k e) - 1)/(e^e - 1) times as much, e = epsilon/k."""
    each = epsilon / rows
    if delta is None:
        return SmoothSensitivity.calibrate(epsilon=each, bound=wide, grid=1, gamma=3)
    share = delta
    while Loss(each, share).group(rows).delta > delta:
        share /= 2
    return SmoothSensitivity.calibrate(epsilon=each, bound=wide, grid=1, noise="laplace", delta=share)
