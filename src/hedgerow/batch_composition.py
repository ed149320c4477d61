"""The cost of a fixed batch of releases, tighter than a ledger can account for. **Not for
interactive use: no ledger calls this.**

All noises must be fixed before the first answer. These theorems do not cover an analyst who sees
answers before choosing the next noise, or when to stop; the privacy filter of the budget does.
There are three bounds:

* ``FixedBatch``: privacy loss distributions, by Google's dp-accounting (``pip install
  'hedgerow[accounting]'``). It is the tightest bound, for named noise. Its floating-point numbers
  are pessimistic by construction, but not proved to the last bit.
* ``optimal_composition``: exact for *any* mechanisms of one epsilon (Kairouz, Oh, Viswanath 2015).
  The mechanisms may be chosen adaptively, epsilon and count may not. Rounded up.
* ``advanced_composition``: the classical bound (Dwork, Rothblum, Vadhan 2010) under the same
  conditions. Rounded up.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Literal, get_args

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.numeric.exact_number import (
    Number,
    parse_exact,
    parse_positive,
    parse_probability,
    parse_whole,
)
from hedgerow.numeric.rounding import exp_down, exp_up, log_down, log_up, round_up, sqrt_up

__all__ = [
    "BatchNoise",
    "BatchNoiseKind",
    "FixedBatch",
    "advanced_composition",
    "optimal_composition",
]

BatchNoiseKind = Literal["laplace", "discrete-laplace", "gaussian", "discrete-gaussian"]

_DIGITS = 60
_ROUND_UP = Context(prec=_DIGITS, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
_ROUND_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR, Emax=MAX_EMAX, Emin=MIN_EMIN)


@dataclass(frozen=True, slots=True)
class BatchNoise:
    """Noise of some kind and scale (sigma for Gaussian noise) on one number with this
    sensitivity."""

    kind: BatchNoiseKind
    scale: Fraction
    sensitivity: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.kind not in get_args(BatchNoiseKind):
            raise InvalidArgument(
                "kind", f"must be one of {', '.join(get_args(BatchNoiseKind))}", self.kind
            )
        object.__setattr__(self, "scale", parse_positive(self.scale, "scale"))
        object.__setattr__(self, "sensitivity", parse_positive(self.sensitivity, "sensitivity"))
        if self.kind.startswith("discrete") and self.sensitivity.denominator != 1:
            raise InvalidArgument(
                "sensitivity", "must be a whole number for discrete noise", self.sensitivity
            )


@dataclass(frozen=True, slots=True)
class FixedBatch:
    """A batch of noises, each with its count, fixed beforehand. Not sound for adaptive use."""

    parts: tuple[tuple[BatchNoise, int], ...]

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        if not parts or not all(
            isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], BatchNoise)
            for part in parts
        ):
            raise InvalidArgument(
                "parts", "must be at least one pair of a BatchNoise and a count", self.parts
            )
        object.__setattr__(
            self, "parts", tuple((noise, parse_whole(count, "count")) for noise, count in parts)
        )

    def epsilon_at(self, delta: Number) -> float:
        """Return the epsilon of the whole batch at this ``delta``, as dp-accounting computes it."""
        return float(
            self._distribution().get_epsilon_for_delta(float(parse_probability(delta, "delta")))
        )

    def delta_at(self, epsilon: Number) -> float:
        """Return the delta of the whole batch at this ``epsilon``, as dp-accounting computes it."""
        target = parse_exact(epsilon, "epsilon")
        if target < 0:
            raise InvalidArgument("epsilon", "must be at least 0", epsilon)
        return float(self._distribution().get_delta_for_epsilon(float(target)))

    def _distribution(self) -> Any:
        try:
            library = importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
        except ImportError as error:
            raise Unsupported(
                "Batch accounting needs dp-accounting. Run pip install 'hedgerow[accounting]'."
            ) from error
        total = library.identity()
        for noise, count in self.parts:
            total = total.compose(_compose_repeated(library, noise, count))
        return total


def _compose_repeated(library: Any, noise: BatchNoise, count: int) -> Any:
    scale, move = float(noise.scale), float(noise.sensitivity)
    if noise.kind == "gaussian":  # count Gaussians equal one, narrower by the root of count
        return library.from_gaussian_mechanism(scale / math.sqrt(count), sensitivity=move)
    if noise.kind == "laplace":
        single = library.from_laplace_mechanism(scale, sensitivity=move)
    elif noise.kind == "discrete-laplace":  # its parameter is the rate
        single = library.from_discrete_laplace_mechanism(
            float(1 / noise.scale), sensitivity=int(noise.sensitivity)
        )
    else:
        single = library.from_discrete_gaussian_mechanism(scale, sensitivity=int(noise.sensitivity))
    return single.self_compose(count)


def advanced_composition(
    epsilon: Number, count: int, delta: Number, *, step_delta: Number = 0
) -> Fraction:
    """Return the bound of Dwork, Rothblum and Vadhan (2010) for k = ``count`` releases:
    eps sqrt(2 k ln(1/d)) + k eps (e^eps - 1), where d = delta - k step_delta.

    It is never above the plain sum k eps, which holds as well. Not for interactive use.
    """
    eps, k, total, step = _check_inputs(epsilon, count, delta, step_delta)
    slack = total - k * step
    if slack <= 0:
        raise InvalidArgument("delta", f"must be above count * step_delta = {k * step}", delta)
    if eps > 1:
        return k * eps  # e^eps - 1 > 1: the plain sum is the smaller one
    return min(
        k * eps, round_up(eps * sqrt_up(2 * k * log_up(1 / slack)) + k * eps * (exp_up(eps) - 1))
    )


def optimal_composition(
    epsilon: Number, count: int, delta: Number, *, step_delta: Number = 0
) -> Fraction:
    """Return the optimal bound of Kairouz, Oh and Viswanath (2015), exact for any ``count``
    releases that are (epsilon, step_delta)-DP. Not for interactive use.

    | symbol | meaning |
    |---|---|
    | k | the count of releases |
    | q | e^-eps |
    | l | the number of flipped coins |
    | p_l, p'_l | the probability of l on one data set, and on its neighbour |
    | E | the epsilon of all releases together |

    The worst case is randomised response with k coins: p_l = C(k,l) q^l / (1+q)^k and
    p'_l = C(k,l) q^(k-l) / (1+q)^k. The likelihood ratio falls with l, so

        delta(E) = max over i of (p_0 + … + p_i) - e^E (p'_0 + … + p'_i),

    and E is the largest ln((p_0 + … + p_i - delta) / (p'_0 + … + p'_i)). With a step_delta, delta
    is first reduced to 1 - (1 - delta) / (1 - step_delta)^k.
    """
    eps, k, total, step = _check_inputs(epsilon, count, delta, step_delta)
    slack = 1 - (1 - total) / exp_down(k * log_down(1 - step, _DIGITS), _DIGITS) if step else total
    if slack <= 0:
        raise InvalidArgument("delta", "must be above what the step_deltas add up to", delta)
    largest = _compute_largest_ratio(eps, k, _to_decimal(slack, _ROUND_DOWN))
    return min(k * eps, round_up(log_up(Fraction(largest))))


def _compute_largest_ratio(eps: Fraction, k: int, slack: Decimal) -> Decimal:
    """Return an upper bound of 1 and of all (S_i - slack) / S'_i, where S_i and S'_i are the
    partial sums of p and p'. Every step rounds S up and S' down."""
    q = _to_decimal(exp_up(-eps, _DIGITS), _ROUND_UP)
    mass = _to_decimal(
        exp_up(-k * log_down(1 + exp_down(-eps, _DIGITS), _DIGITS), _DIGITS), _ROUND_UP
    )
    other = _to_decimal(
        exp_down(-k * (eps + log_up(1 + exp_up(-eps, _DIGITS), _DIGITS)), _DIGITS), _ROUND_DOWN
    )
    total, other_total, largest = mass, other, Decimal(1)
    for flipped in range(k + 1):
        largest = max(largest, _ROUND_UP.divide(_ROUND_UP.subtract(total, slack), other_total))
        mass = _ROUND_UP.multiply(
            _ROUND_UP.divide(_ROUND_UP.multiply(mass, Decimal(k - flipped)), Decimal(flipped + 1)),
            q,
        )
        other = _ROUND_DOWN.divide(
            _ROUND_DOWN.divide(
                _ROUND_DOWN.multiply(other, Decimal(k - flipped)), Decimal(flipped + 1)
            ),
            q,
        )
        total, other_total = _ROUND_UP.add(total, mass), _ROUND_DOWN.add(other_total, other)
    return largest


def _to_decimal(x: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def _check_inputs(
    epsilon: Number, count: int, delta: Number, step_delta: Number
) -> tuple[Fraction, int, Fraction, Fraction]:
    step = parse_exact(step_delta, "step_delta")
    if not 0 <= step < 1:
        raise InvalidArgument("step_delta", "must be at least 0 and below 1", step_delta)
    return (
        parse_positive(epsilon, "epsilon"),
        parse_whole(count, "count"),
        parse_probability(delta, "delta"),
        step,
    )
