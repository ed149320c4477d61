"""The mean of a bounded number: Duchi's two answers, the piecewise mechanism, and the mixture of
both.

Statement
    A client's number is one of D grid points, code c for x = c/(D-1) between 0 and 1. *Duchi*: c is
    rounded to 0 or 1, to 1 with probability x, and told by randomised response with r =
    truth/65536: epsilon = ln((1+r)/(1-r)). *Piecewise*: the report is one of M = D - 1 + W places;
    W of them, from c on, are the window. With probability a = truth/65536 it is a uniform place of
    the window, else a uniform one of the D - 1 others: epsilon = |ln a(D-1)/((1-a)W)|. *Hybrid*:
    piecewise with probability mix/65536, else Duchi, and the report says which: the larger epsilon
    of the two.

Proof
    Duchi: rounding does not look at other clients, and randomised response of either outcome has
    this ratio; mixtures of its two laws have no larger one. Piecewise: every place has probability
    a/W or (1-a)/(D-1), whatever c is. Hybrid: the coin does not depend on c.

Accuracy
    The expected report is linear in c for each of them, so that the estimated total, and the mean,
    are unbiased. On the scale from -1 to 1, for t = 2x - 1, Duchi has the variance
    ((e^eps+1)/(e^eps-1))^2 - t^2. Piecewise with W/(D-1) = 1/E, E = e^(eps/2), on a fine grid has
    t^2/(E-1) + (E+3)/(3(E-1)^2). With mix = 1 - 1/E the hybrid's does not depend on t; below
    epsilon 0.61 Duchi alone is better. The count of an estimate is the total of x; its standard
    error is an upper bound over all numbers that have this total.

Arithmetic
    Whole numbers only. Draws in order: for the hybrid u < mix says piecewise. Duchi: a uniform
    number below D-1, which rounds up when it is below c; then as ``k_ary`` with two values.
    Piecewise: u < truth says window, then a uniform number below W, or below D-1.

Edges
    The report is a place, or for the hybrid M + bit, in 1 to 4 bytes with the highest first.

Source
    Duchi, Jordan, Wainwright (JASA 2018); Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu (ICDE 2019).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import (
    Records,
    byte_width,
    check_codes,
    count_numbers,
    iterate_numbers,
    pack_numbers,
)
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.fixed_point import (
    SCALE,
    check_domain,
    check_epsilon,
    check_integer,
    check_threshold,
    compute_epsilon,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.k_ary import KAry
from hedgerow.local.protocols.pure_frequency import MAX_CLIENTS, check_counters
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import Integers

__all__ = ["Duchi", "Hybrid", "Piecewise"]

# the variance of one estimate of x: first + second x + third x^2
VariancePolynomial = tuple[Fraction, Fraction, Fraction]


class _MeanProtocol(ABC):
    """What the three have in common."""

    __slots__ = ()
    memoised: ClassVar[bool] = False

    @property
    @abstractmethod
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """What each further report gives away."""
        return self.epsilon

    @abstractmethod
    def variance_polynomial(self) -> VariancePolynomial:
        """The variance of one client's estimate, as a polynomial in x."""

    def variance(self, frequency: float, n: int) -> float:
        """The variance of the estimated total where each of n clients has x = frequency."""
        if not 0 <= frequency <= 1:
            raise InvalidArgument("frequency", "must lie between 0 and 1", frequency)
        first, second, third = map(float, self.variance_polynomial())
        return check_integer(n, "n", 0, MAX_CLIENTS) * (
            first + second * frequency + third * frequency**2
        )

    def _build_estimates(self, total: Fraction, n: int, values: Any) -> Estimates:
        if values is not None:
            raise InvalidArgument("values", "must be left out: a mean has one estimate")
        first, second, third = map(float, self.variance_polynomial())
        x = min(max(float(total) / max(n, 1), 0.0), 1.0)
        # the mean of x^2 lies between these, and the worse one counts
        square = x if third > 0 else x * x
        return Estimates(
            np.array([float(total)]),
            np.array([(n * (first + second * x + third * square)) ** 0.5]),
            n,
        )


@dataclass(frozen=True, slots=True)
class Duchi(_MeanProtocol):
    """``domain`` grid points; ``truth``: how likely the rounded number is told, else a fair
    coin; in 1/65536.
    """

    name: ClassVar[str] = "duchi"
    domain: int
    truth: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", check_domain(self.domain))
        object.__setattr__(self, "truth", check_threshold(self.truth, "truth"))

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Duchi:
        """The most truth that epsilon allows."""
        return cls(domain, KAry.calibrate(domain=2, epsilon=epsilon).truth)

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return 1

    @property
    def counter_count(self) -> int:
        """Reports of 1, and all reports."""
        return 2

    @property
    def randomised_response(self) -> KAry:
        """How the rounded number is told."""
        return KAry(2, self.truth)

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        return self.randomised_response.epsilon

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of the two ends."""
        return self.randomised_response.total_variation

    def variance_polynomial(self) -> VariancePolynomial:
        """A report is 1 with probability q + r x; the estimate is (report - q)/r."""
        r, q = Fraction(self.truth, SCALE), self.randomised_response.other_support
        return q * (1 - q) / r**2, (1 - 2 * q) / r, Fraction(-1)

    def encode(self, values: Any) -> Records:
        """A fresh report for each code."""
        codes = check_codes(values, self.domain)
        return self.randomised_response.encode(
            (uniform_integers(self.domain - 1, codes.size) < codes).astype(np.int64)
        )

    def aggregate(self, records: Any) -> Integers:
        """How many reports are 1, and how many there are."""
        found = count_numbers(records, 1, 2)
        return np.array([found[1], found.sum()], dtype=np.int64)

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """The total of x over all clients."""
        ones, n = map(int, check_counters(counters, self.counter_count))
        return self._build_estimates(
            (ones - n * self.randomised_response.other_support) * SCALE / self.truth, n, values
        )


@dataclass(frozen=True, slots=True)
class Piecewise(_MeanProtocol):
    """``domain`` grid points; ``window``: how many places it has; ``truth``: how likely a report
    falls in it, in 1/65536.
    """

    name: ClassVar[str] = "piecewise"
    domain: int
    window: int
    truth: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", check_domain(self.domain))
        object.__setattr__(self, "window", check_integer(self.window, "window", 1, self.domain))
        object.__setattr__(self, "truth", check_threshold(self.truth, "truth"))
        if self.slope <= 0:
            raise InvalidArgument(
                "truth",
                "must be larger: places of the window must be likelier than others",
                self.truth,
            )

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Piecewise:
        """The window that suits epsilon, and the most truth that it allows."""
        steps, limit = check_domain(domain) - 1, check_epsilon(epsilon)
        window = max(1, round(steps * exp(-float(limit) / 2)))

        def epsilon_at(truth: int) -> Fraction:
            odds = Fraction(truth * steps, (SCALE - truth) * window)
            return compute_epsilon(odds) if odds > 1 else Fraction(0)

        return cls(domain, window, find_largest_threshold(epsilon_at, limit, 1, SCALE - 1))

    @property
    def output_count(self) -> int:
        """How many different reports there are."""
        return self.domain - 1 + self.window

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return byte_width(self.output_count)

    @property
    def counter_count(self) -> int:
        """The total of all reports, and how many there are."""
        return 2

    @property
    def inside_probability(self) -> Fraction:
        """How likely a given place of the window is."""
        return Fraction(self.truth, SCALE * self.window)

    @property
    def outside_probability(self) -> Fraction:
        """How likely a given other place is."""
        return Fraction(SCALE - self.truth, SCALE * (self.domain - 1))

    @property
    def slope(self) -> Fraction:
        """By how much the expected report grows from one code to the next."""
        return self.window * (self.inside_probability - self.outside_probability)

    @property
    def intercept(self) -> Fraction:
        """The expected report at code 0."""
        return Fraction(
            self.output_count * (self.output_count - 1), 2
        ) * self.outside_probability + self.slope * Fraction(self.window - 1, 2)

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        return compute_epsilon(self.inside_probability / self.outside_probability)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of the two ends."""
        return min(self.window, self.domain - 1) * (
            self.inside_probability - self.outside_probability
        )

    def variance_polynomial(self) -> VariancePolynomial:
        """E y^2 is the sum of squares of all places times ``outside``, plus that of the window
        times the difference; y estimates x.
        """
        m, w, steps = self.output_count, self.window, self.domain - 1
        squares = Fraction((m - 1) * m * (2 * m - 1), 6) * self.outside_probability
        # the window has mean c + middle and variance spread
        middle, spread = Fraction(w - 1, 2), Fraction(w * w - 1, 12)
        scale = (self.slope * steps) ** 2
        constant = squares + self.slope * (middle**2 + spread) - self.intercept**2
        linear = self.slope * 2 * middle - 2 * self.slope * self.intercept
        return (
            constant / scale,
            linear * steps / scale,
            (self.slope - self.slope**2) * steps**2 / scale,
        )

    def encode(self, values: Any) -> Records:
        """A fresh report for each code."""
        return pack_numbers(
            self._sample_outputs(check_codes(values, self.domain)), self.record_size
        )

    def _sample_outputs(self, codes: Integers) -> Integers:
        near = codes + uniform_integers(self.window, codes.size)
        far = uniform_integers(self.domain - 1, codes.size)
        return np.where(
            flip_coins(self.truth, codes.size), near, far + self.window * (far >= codes)
        )

    def aggregate(self, records: Any) -> Integers:
        """The total of all reports, and how many there are."""
        state = np.zeros(2, dtype=np.int64)
        for reports in iterate_numbers(records, self.record_size, self.output_count):
            state += (reports.sum(), reports.size)
        return state

    def estimate_total(self, reports: int, n: int) -> Fraction:
        """The unbiased total of x from the total of n reports."""
        return (reports - n * self.intercept) / (self.slope * (self.domain - 1))

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """The total of x over all clients."""
        reports, n = map(int, check_counters(counters, self.counter_count))
        return self._build_estimates(self.estimate_total(reports, n), n, values)


@dataclass(frozen=True, slots=True)
class Hybrid(_MeanProtocol):
    """``window`` and ``truth`` of ``Piecewise``, ``coin``: the truth of ``Duchi``; ``mix``: how
    likely the former is used, in 1/65536.
    """

    name: ClassVar[str] = "hybrid"
    domain: int
    window: int
    truth: int
    coin: int
    mix: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "mix", check_integer(self.mix, "mix", 0, SCALE))
        object.__setattr__(self, "coin", check_threshold(self.coin, "coin"))
        checked = self.piecewise
        for name in ("domain", "window", "truth"):
            object.__setattr__(self, name, getattr(checked, name))

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Hybrid:
        """The mixture whose variance is the same everywhere; Duchi alone for small epsilon."""
        fine, coarse = (
            Piecewise.calibrate(domain=domain, epsilon=epsilon),
            Duchi.calibrate(domain=domain, epsilon=epsilon),
        )
        mix = round(SCALE * (1 - exp(-float(check_epsilon(epsilon)) / 2)))
        mixed = cls(domain, fine.window, fine.truth, coarse.truth, mix)
        return min(
            (mixed, cls(domain, fine.window, fine.truth, coarse.truth, 0)),
            key=lambda choice: choice._compute_worst_variance(),
        )

    @property
    def piecewise(self) -> Piecewise:
        """One of the two."""
        return Piecewise(self.domain, self.window, self.truth)

    @property
    def duchi(self) -> Duchi:
        """The other."""
        return Duchi(self.domain, self.coin)

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return byte_width(self.piecewise.output_count + 2)

    @property
    def counter_count(self) -> int:
        """The total of piecewise reports and their number, Duchi's reports of 1, and the number
        of all reports.
        """
        return 4

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        return max(self.piecewise.epsilon, self.duchi.epsilon)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of the two ends."""
        share = Fraction(self.mix, SCALE)
        return share * self.piecewise.total_variation + (1 - share) * self.duchi.total_variation

    def variance_polynomial(self) -> VariancePolynomial:
        """Each estimate is unbiased by itself: the mixture of the two variances."""
        share = Fraction(self.mix, SCALE)
        first, second, third = (
            share * a + (1 - share) * b
            for a, b in zip(
                self.piecewise.variance_polynomial(), self.duchi.variance_polynomial(), strict=True
            )
        )
        return first, second, third

    def _compute_worst_variance(self) -> float:
        return max(self.variance(x, 1) for x in (0.0, 0.5, 1.0))

    def encode(self, values: Any) -> Records:
        """A fresh report for each code."""
        codes = check_codes(values, self.domain)
        fine, scheme = flip_coins(self.mix, codes.size), self.piecewise
        reports = np.where(
            fine,
            scheme._sample_outputs(codes),
            scheme.output_count + self.duchi.encode(codes)[:, 0].astype(np.int64),
        )
        return pack_numbers(reports, self.record_size)

    def aggregate(self, records: Any) -> Integers:
        """The state, as ``counters`` says."""
        places = self.piecewise.output_count
        state = np.zeros(4, dtype=np.int64)
        for reports in iterate_numbers(records, self.record_size, places + 2):
            fine = reports < places
            state += (reports[fine].sum(), fine.sum(), (reports == places + 1).sum(), reports.size)
        return state

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """The total of x over all clients."""
        reports, fine, ones, n = map(int, check_counters(counters, self.counter_count))
        coarse = (
            (ones - (n - fine) * self.duchi.randomised_response.other_support) * SCALE / self.coin
        )
        return self._build_estimates(
            self.piecewise.estimate_total(reports, fine) + coarse, n, values
        )
