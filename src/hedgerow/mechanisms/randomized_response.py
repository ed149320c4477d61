"""Randomised response, for two categories or k.

Statement
    Report the true value with probability r < 1, else one of the k values drawn uniformly (the true
    one included). Each report is pure epsilon-DP for its owner under change-one with epsilon = ln(1
    + k r/(1-r)): for two values ln((1+r)/(1-r)), and ln 3 at r = 1/2.

Proof
    log_prob is ln(r + (1-r)/k) where report and truth agree and ln((1-r)/k) where they differ; the
    difference is epsilon. Whatever the owner's value becomes, each report's log_prob moves by at
    most that. m values of one owner cost m epsilon.

Accuracy
    The share of reports with value v has expectation r s_v + (1-r)/k, where s_v is the true share:
    the estimate inverts this and is unbiased. Its interval is the Clopper-Pearson interval of the
    reported share, mapped the same way and clamped to [0, 1]: exact coverage for the randomness of
    the coins when the answers are a sample of a population. ``error`` is the radius for n reports,
    by Hoeffding.

Arithmetic
    r is a rational; the coins and the uniform values are drawn exactly, the same number of each for
    all values. A calibrated r is rounded down, and the loss is computed from r, rounded up to 12
    decimals.

Edges
    r = 1 gives no privacy and is refused. Values are the integers 0 … k-1; for k = 2 also booleans,
    which are returned as booleans.

Source
    Warner (JASA 1965); Kairouz, Bonawitz, Ramage (ICML 2016) for k values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.clopper_pearson import clopper_pearson
from hedgerow.numeric.exact_number import Number, parse_epsilon, parse_exact, parse_probability
from hedgerow.numeric.rounding import exp_down, log_up, round_down, round_up
from hedgerow.numeric.samplers.bernoulli_sampler import bernoulli
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.validation import parse_beta, parse_raw_array
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["RandomizedResponse", "ShareEstimate"]


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """The estimated share of one value among the owners, with an interval."""

    value: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RandomizedResponse:
    """The truth with probability ``truth``, else any of ``values`` values."""

    shape: ClassVar[str] = "response"
    truth: Fraction
    values: int = 2

    def __init__(self, truth: Number, values: int = 2) -> None:
        share = parse_exact(truth, "truth")
        if not 0 < share < 1:
            raise InvalidArgument(
                "truth",
                "must lie strictly between 0 and 1 (at 1 every true answer is published)",
                truth,
            )
        object.__setattr__(self, "truth", share)
        if (
            isinstance(values, (bool, np.bool_))
            or not isinstance(values, (int, np.integer))
            or not 2 <= values <= 2**31
        ):
            raise InvalidArgument("values", "must be a whole number between 2 and 2^31", values)
        object.__setattr__(self, "values", int(values))

    @classmethod
    def calibrate(cls, *, epsilon: Number, values: int = 2) -> RandomizedResponse:
        """Return the largest truth within ``epsilon``: r = (e^eps - 1)/(e^eps - 1 + k), less
        10^-30.
        """
        spend = round_down(parse_epsilon(epsilon), 10**12)
        if spend > 50:
            raise InvalidArgument(
                "epsilon",
                "must be at most 50 for randomised response; above, nearly every report is the"
                " truth",
                epsilon,
            )
        limit = cls(Fraction(1, 2), values)  # checks ``values`` before any arithmetic
        odds = exp_down(spend) - 1
        # 10^-30 is far more than the rounding of the logarithm in ``loss``, so that the loss stays
        # within epsilon
        return cls(round_down(odds / (odds + limit.values), 10**30) - Fraction(1, 10**30), values)

    def loss(self, sensitivity: Number | Sensitivity = 1) -> Loss:
        """Return the loss of an owner who gives ``sensitivity`` answers.

        Part of an answer counts as a whole one.
        """
        odds, move = 1 + self.values * self.truth / (1 - self.truth), Sensitivity.of(sensitivity)
        return max(move.l0, ceil(move.l1)) * Loss(round_up(log_up(odds), 10**12))

    def sample(self, exact: Any) -> Any:
        """Return one report for each true value: a value for a value, an array for an array."""
        truth = self._parse_values(exact, "exact")
        honest = bernoulli(self.truth, truth.size)
        report = np.where(honest, truth.ravel(), uniform_integers(self.values, truth.size)).reshape(
            truth.shape
        )
        if np.asarray(exact).dtype == np.bool_:
            return report.astype(np.bool_) if report.ndim else bool(report)
        return report if report.ndim else int(report)

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """Return the log probability of each report, given the true value."""
        lie = (1 - self.truth) / self.values
        same = self._parse_values(noisy, "noisy") == self._parse_values(exact, "exact")
        return np.where(same, log(self.truth + lie), log(lie))

    def estimate(self, reports: Any, confidence: Number = 0.95) -> list[ShareEstimate]:
        """Estimate the share of every value among the owners, from their reports."""
        level = float(parse_probability(confidence, "confidence"))
        counts = np.bincount(self._parse_values(reports, "reports").ravel(), minlength=self.values)
        return [
            self._estimate_share(value, int(hits), int(counts.sum()), level)
            for value, hits in enumerate(counts)
        ]

    def _estimate_share(self, value: int, hits: int, total: int, level: float) -> ShareEstimate:
        def invert(share: float) -> float:
            return (share - float((1 - self.truth) / self.values)) / float(self.truth)

        low, high = (min(max(invert(end), 0.0), 1.0) for end in clopper_pearson(hits, total, level))
        return ShareEstimate(value, invert(hits / total), low, high)

    def error(self, beta: Number, reports: int) -> float:
        """Return the error of an estimated share, exceeded with probability at most ``beta``."""
        level = parse_beta(beta)
        if (
            isinstance(reports, bool)
            or not isinstance(reports, (int, np.integer))
            or not 1 <= reports <= 2**62
        ):
            raise InvalidArgument("reports", "must be a whole number between 1 and 2^62", reports)
        return sqrt(log(2 / level) / (2 * int(reports))) / float(self.truth)

    def _parse_values(self, values: Any, argument: str) -> Integers:
        array = parse_raw_array(values, argument)
        whole = (array.dtype.kind in "iu" and array.dtype != np.uint64) or (
            array.dtype.kind == "b" and self.values == 2
        )
        if not whole or (array < 0).any() or (array >= self.values).any():
            raise InvalidArgument(argument, f"must hold whole numbers from 0 to {self.values - 1}")
        return array.astype(np.int64)
