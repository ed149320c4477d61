"""The exponential mechanism.

Statement
    Choosing candidate r with probability proportional to exp(factor * u(r)) is pure epsilon-DP with
    epsilon = 2 factor Delta, where every score u moves by at most Delta between neighbours; factor
    Delta if all scores move in the same direction (``monotone``). It is rho-zCDP with rho =
    epsilon^2/8.

Proof
    log_prob(r) = factor u(r) - ln sum_j exp(factor u(j)). The first term moves by at most factor
    Delta and so does the second, in the opposite direction at worst. Monotone: both move in the
    same direction, within [0, factor Delta]. Either way log_prob(r) - log_prob'(r) lies, over all
    r, in an interval of length epsilon that contains 0; such a mechanism is epsilon^2/8-zCDP
    (Hoeffding's lemma on the privacy loss). The bound epsilon tanh(epsilon/2) of every pure
    mechanism holds too, and is the smaller one from about epsilon = 8.

Accuracy
    With n candidates the chosen score is within ``error(beta, n)`` of the best, except with
    probability beta. Worst case: one candidate is best and all others are just too far below, which
    fails with probability (n-1) e^(-factor r)/(1 + (n-1) e^(-factor r)).

Arithmetic
    Scores are taken as the exact integers or doubles they are; the factor is a rational. The choice
    is an exact noisy argmax (``samplers.argmax_sampler``): no probability is ever computed, so none
    can under- or overflow. ``log_prob`` is a double, for checking.

Edges
    A single candidate is chosen with certainty. No candidate, NaN and infinity are refused; doubles
    beyond ±1e200 are clamped.

Source
    McSherry and Talwar (FOCS 2007); Dong, Durfee, Rogers (ICML 2020) and Cesar, Rogers (ALT 2021)
    for bounded range and epsilon^2/8.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.mechanisms.selection.grid_selection import (
    compute_choices_loss,
    compute_epsilon_per_choice,
    compute_error_radius,
)
from hedgerow.mechanisms.selection.scores import (
    check_candidates,
    check_factor,
    check_flag,
    check_index,
    compute_score_gaps,
    parse_scores,
)
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["Exponential"]


@dataclass(frozen=True, slots=True)
class Exponential:
    """A choice among candidates by score; usually made by ``calibrate``."""

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
        """Return the sharpest choice within ``epsilon`` or ``rho``.

        Every score moves by at most ``sensitivity``.
        """
        spend = compute_epsilon_per_choice(epsilon, rho)
        move = Sensitivity.of(sensitivity).linf
        return cls(spend / (move if monotone else 2 * move), monotone)

    def loss(self, sensitivity: Number | Sensitivity) -> Loss:
        """Return the loss of one choice, if every score moves by at most ``sensitivity``."""
        move = Sensitivity.of(sensitivity).linf * (1 if self.monotone else 2)
        return compute_choices_loss(self.factor * move)

    def sample(self, scores: Any) -> int:
        """Return the index of the chosen candidate."""
        return noisy_argmax(parse_scores(scores), self.factor, "gumbel")

    def log_prob(self, index: int, scores: Any) -> float:
        """Return the log probability that the candidate at ``index`` is chosen."""
        values = compute_score_gaps(parse_scores(scores), self.factor)
        return float(values[check_index(index, values.size)] - np.log(np.sum(np.exp(values))))

    def error(self, beta: Number, candidates: int) -> float:
        """Return the distance from the best score, exceeded with probability at most ``beta``.

        It is the smallest bound that holds for all scores.
        """
        level, count = parse_probability(beta, "beta"), check_candidates(candidates)
        return compute_error_radius(level, count, self.factor)
