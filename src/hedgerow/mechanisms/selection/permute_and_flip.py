"""Permute-and-flip: at least as accurate as the exponential mechanism, in pure epsilon.

Statement
    Visit the candidates in random order; accept candidate r with probability exp(factor (u(r) - max
    u)), else go on. This is pure epsilon-DP with epsilon = 2 factor Delta (``monotone``: factor
    Delta), and its expected score is never below the exponential mechanism's.

Proof
    It has the distribution of the largest factor u(r) + E_r with independent standard exponentials
    E_r. Given the others' noisy scores, r wins when E_r exceeds max_j (factor u(j) + E_j) - factor
    u(r) =: m, with probability min(1, e^-m), whose logarithm moves by at most 2 factor Delta as m
    does (monotone: by at most factor Delta). Averaging over the others keeps the bound. It is *not*
    of bounded range: its rho is that of any pure mechanism, epsilon tanh(epsilon/2), not
    epsilon^2/8.

Accuracy
    Worst case for a bound r: one best candidate and n-1 just too far below, accepted with p =
    e^(-factor r). The best one is then chosen with probability int_0^1 (1 - p t)^(n-1) dt = (1 -
    (1-p)^n)/(n p).

Arithmetic
    As ``exponential``, with exponential noise. ``log_prob`` integrates the polynomial exp(..)
    prod_j (1 - p_j t) by Gauss-Legendre, which is exact for it up to rounding.

Edges
    As ``exponential``. ``log_prob`` takes up to 4,000 candidates.

Source
    McKenna and Sheldon (NeurIPS 2020); Ding, Kifer, Steinke, Wang, Xiao, Zhang (2021) for the noisy
    argmax.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log, log1p
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.scores import (
    check_candidates,
    check_factor,
    check_flag,
    check_index,
    compute_score_gaps,
    find_smallest_radius,
    parse_scores,
)
from hedgerow.numeric.exact_number import Number, parse_epsilon
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax
from hedgerow.numeric.validation import parse_beta
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["PermuteAndFlip"]

_MAX_CANDIDATES = 4000


@dataclass(frozen=True, slots=True)
class PermuteAndFlip:
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
        monotone: bool = False,
        rho: Number | None = None,
    ) -> PermuteAndFlip:
        """Return the sharpest choice within ``epsilon``, for scores with this ``sensitivity``."""
        if rho is not None:
            raise InvalidArgument(
                "rho",
                "is not supported here, as zCDP does not make this mechanism cheaper; give epsilon,"
                " or use Exponential",
                rho,
            )
        move = Sensitivity.of(sensitivity).linf
        return cls(parse_epsilon(epsilon) / (move if monotone else 2 * move), monotone)

    def loss(self, sensitivity: Number | Sensitivity) -> Loss:
        """Return the loss of one choice, if every score moves by at most ``sensitivity``."""
        return Loss(self.factor * Sensitivity.of(sensitivity).linf * (1 if self.monotone else 2))

    def sample(self, scores: Any) -> int:
        """Return the index of the chosen candidate."""
        return noisy_argmax(parse_scores(scores), self.factor, "exponential")

    def log_prob(self, index: int, scores: Any) -> float:
        """Return the log probability that the candidate at ``index`` is chosen."""
        values = compute_score_gaps(parse_scores(scores), self.factor)
        if values.size > _MAX_CANDIDATES:
            raise InvalidArgument(
                "scores", f"must have at most {_MAX_CANDIDATES} entries for log_prob", values.size
            )
        kept = np.exp(values)
        place = check_index(index, values.size)
        t, weight = np.polynomial.legendre.leggauss(values.size // 2 + 1)
        t = (t + 1) / 2
        passed = np.sum(np.log1p(-np.delete(kept, place)[:, None] * t[None, :]), axis=0)
        return float(values[place] + np.log(np.sum(weight / 2 * np.exp(passed))))

    def error(self, beta: Number, candidates: int) -> float:
        """Return the distance from the best score, exceeded with probability at most ``beta``.

        It is the smallest bound that holds for all scores.
        """
        level, n = parse_beta(beta), check_candidates(candidates)

        def missed(distance: float) -> float:
            p = exp(-distance)
            # the difference below would cancel; this bound exceeds it by less than one millionth
            if n * p < 1e-6:
                return (n - 1) * p / 2
            return 1 - 1 / n if p == 1 else 1 + expm1(n * log1p(-p)) / (n * p)

        return find_smallest_radius(missed, level, log(n / level)) / float(self.factor)
