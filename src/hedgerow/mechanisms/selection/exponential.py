"""The exponential mechanism.

Statement
    Choosing candidate r with probability proportional to exp(factor * u(r)) is pure epsilon-DP with
    epsilon = 2 factor Delta, where every score u moves by at most Delta between neighbours; factor
    Delta if all scores move the same way (``monotone``). It is rho-zCDP with rho = epsilon^2/8.

Proof
    log_prob(r) = factor u(r) - ln sum_j exp(factor u(j)). The first term moves by at most factor
    Delta and so does the second, in the other direction at worst. Monotone: both move the same way,
    within [0, factor Delta]. Either way log_prob(r) - log_prob'(r) lies, over all r, in an interval
    of length epsilon, which contains 0; such a mechanism is epsilon^2/8-zCDP (Hoeffding's lemma on
    the loss). The bound epsilon tanh(epsilon/2) of every pure mechanism holds too, and is the
    smaller one from about epsilon = 8.

Accuracy
    With n candidates the chosen score is within ``error(beta, n)`` of the best, except with
    probability beta. Worst case: one candidate is best and all others are just too far below, which
    fails with probability (n-1) e^(-factor r)/(1 + (n-1) e^(-factor r)).

Arithmetic
    Scores are taken as the exact integers or doubles they are, the factor is a rational. The choice
    is a race decided exactly (``numeric.race``): no probability is ever computed, so none can
    under- or overflow. ``log_prob`` is a double, for checking.

Edges
    One candidate is chosen for certain. No candidate, NaN and infinity are refused; doubles beyond
    ±1e200 are moved there.

Source
    McSherry and Talwar (FOCS 2007); Dong, Durfee, Rogers (ICML 2020) and Cesar, Rogers (ALT 2021)
    for bounded range and epsilon^2/8.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.scores import (
    check_candidates,
    check_factor,
    check_flag,
    check_index,
    compute_score_gaps,
    parse_scores,
)
from hedgerow.numeric.exact_number import Number, parse_epsilon, parse_probability
from hedgerow.numeric.rounding import log_up, sqrt_down
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.zcdp import compute_pure_rho

__all__ = ["Exponential"]


@dataclass(frozen=True, slots=True)
class Exponential:
    """Chooses among candidates by score. Usually made by ``Exponential.calibrate``."""

    shape: ClassVar[str] = "selection"
    factor: Fraction
    monotone: bool = False

    def __init__(self, factor: Number, monotone: bool = False) -> None:
        object.__setattr__(self, "factor", check_factor(factor))
        object.__setattr__(self, "monotone", check_flag(monotone, "monotone"))

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Number | Sensitivity | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        monotone: bool = False,
    ) -> Exponential:
        """The sharpest choice whose loss, when every score moves by at most ``sensitivity``,
        stays within ``epsilon`` or ``rho``.
        """
        if (epsilon is None) == (rho is None):
            raise InvalidArgument("epsilon", "or rho must be given, and not both", epsilon)
        spend = (
            parse_epsilon(epsilon) if rho is None else _compute_epsilon(parse_epsilon(rho, "rho"))
        )
        move = Sensitivity.of(sensitivity).linf
        return cls(spend / (move if monotone else 2 * move), monotone)

    def loss(self, sensitivity: Number | Sensitivity) -> Loss:
        """What one choice costs when every score moves by at most ``sensitivity``."""
        epsilon = self.factor * Sensitivity.of(sensitivity).linf * (1 if self.monotone else 2)
        return Loss(epsilon, rho=min(epsilon**2 / 8, compute_pure_rho(epsilon)))

    def sample(self, scores: Any) -> int:
        """The place of the chosen candidate."""
        return noisy_argmax(parse_scores(scores), self.factor, "gumbel")

    def log_prob(self, index: int, scores: Any) -> float:
        """The logarithm of the probability that the candidate at ``index`` is chosen."""
        values = compute_score_gaps(parse_scores(scores), self.factor)
        return float(values[check_index(index, values.size)] - np.log(np.sum(np.exp(values))))

    def error(self, beta: Number, candidates: int) -> float:
        """How far below the best the choice may lie, except with probability ``beta``: the
        smallest bound for all scores.
        """
        level, others = parse_probability(beta, "beta"), check_candidates(candidates) - 1
        odds = others * (1 - level) / level
        return nextafter(float(log_up(odds) / self.factor), inf) if odds > 1 else 0.0


def _compute_epsilon(rho: Fraction) -> Fraction:
    """An epsilon with epsilon^2/8 <= rho, or with epsilon tanh(epsilon/2) < epsilon <= rho,
    which is larger from rho = 8 on.
    """
    return max(sqrt_down(8 * rho, 10**15), rho)
