"""The hybrid protocol for a mean: the piecewise mechanism or Duchi's, chosen at random.

Statement
    With probability mix/65536 the report is that of ``Piecewise``, else that of ``Duchi``, and it
    shows which. Epsilon is the larger one of the two.

Proof
    The choice does not depend on the value, and each of the two is epsilon-DP (``mean.py``).

Accuracy
    Both estimates are unbiased, so the variance is the mixture of both variances. With
    mix = 1 - e^(-epsilon/2) it does not depend on the value. Below epsilon 0.61 Duchi alone is
    better.

Arithmetic
    One draw u: the report is piecewise if u < mix. The further draws are those of ``mean.py``.

Edges
    The report is a place, or M + bit for Duchi, in 1 to 4 bytes, big-endian; M is the number of
    places.

Source
    Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu (ICDE 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any, ClassVar

import numpy as np

from hedgerow.local.bit_rows import Records, byte_width, check_codes, iterate_numbers, pack_numbers
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.fixed_point import (
    SCALE,
    THRESHOLD_ENDS,
    check_epsilon,
    check_fields,
    flip_coins,
)
from hedgerow.local.protocols.mean import Duchi, MeanProtocol, Piecewise, VariancePolynomial
from hedgerow.local.protocols.pure_frequency import check_counters
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers

__all__ = ["Hybrid"]


@dataclass(frozen=True, slots=True)
class Hybrid(MeanProtocol):
    """A random choice, on each report, between ``Piecewise`` and ``Duchi``.

    ``window`` and ``truth`` are those of ``Piecewise``, ``coin`` is the ``truth`` of ``Duchi``, and
    ``mix`` is the probability, in 1/65536, of using ``Piecewise``.
    """

    name: ClassVar[str] = "hybrid"
    domain: int
    window: int
    truth: int
    coin: int
    mix: int

    def __post_init__(self) -> None:
        check_fields(self, mix=(0, SCALE), coin=THRESHOLD_ENDS)
        checked = self.piecewise
        for name in ("domain", "window", "truth"):
            object.__setattr__(self, name, getattr(checked, name))

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Hybrid:
        """Return the mixture with a constant variance, or Duchi alone if that has a lower one."""
        fine, coarse = (
            Piecewise.calibrate(domain=domain, epsilon=epsilon),
            Duchi.calibrate(domain=domain, epsilon=epsilon),
        )
        mix = round(SCALE * (1 - exp(-float(check_epsilon(epsilon)) / 2)))
        return min(
            (cls(domain, fine.window, fine.truth, coarse.truth, share) for share in (mix, 0)),
            key=lambda choice: max(choice.variance(x, 1) for x in (0.0, 0.5, 1.0)),
        )

    @property
    def piecewise(self) -> Piecewise:
        """The piecewise component."""
        return Piecewise(self.domain, self.window, self.truth)

    @property
    def duchi(self) -> Duchi:
        """The Duchi component."""
        return Duchi(self.domain, self.coin)

    @property
    def record_size(self) -> int:
        return byte_width(self.piecewise.output_count + 2)

    @property
    def counter_count(self) -> int:
        """The number of counters.

        They are the total of the piecewise reports, their number, Duchi's reports of 1, and the
        number of all reports.
        """
        return 4

    @property
    def epsilon(self) -> Fraction:
        return max(self.piecewise.epsilon, self.duchi.epsilon)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of the two ends."""
        share = Fraction(self.mix, SCALE)
        return share * self.piecewise.total_variation + (1 - share) * self.duchi.total_variation

    def variance_polynomial(self) -> VariancePolynomial:
        """Return the mixture of both variances, as each estimate is unbiased by itself."""
        share = Fraction(self.mix, SCALE)
        first, second, third = (
            share * a + (1 - share) * b
            for a, b in zip(
                self.piecewise.variance_polynomial(), self.duchi.variance_polynomial(), strict=True
            )
        )
        return first, second, third

    def encode(self, values: Any) -> Records:
        codes = check_codes(values, self.domain)
        fine, scheme = flip_coins(self.mix, codes.size), self.piecewise
        reports = np.where(
            fine,
            scheme.sample_outputs(codes),
            scheme.output_count + self.duchi.encode(codes)[:, 0].astype(np.int64),
        )
        return pack_numbers(reports, self.record_size)

    def aggregate(self, records: Any) -> Integers:
        """Add up and count the reports, as ``counter_count`` lists them."""
        places = self.piecewise.output_count
        state = np.zeros(4, dtype=np.int64)
        for reports in iterate_numbers(records, self.record_size, places + 2):
            fine = reports < places
            state += (reports[fine].sum(), fine.sum(), (reports == places + 1).sum(), reports.size)
        return state

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Estimate the total of x over all clients."""
        reports, fine, ones, n = map(int, check_counters(counters, self.counter_count))
        coarse = (
            (ones - (n - fine) * self.duchi.randomised_response.other_support) * SCALE / self.coin
        )
        return self._build_estimates(
            self.piecewise.estimate_total(reports, fine) + coarse, n, values
        )
