"""Protocols for the mean of a bounded number: Duchi's binary answer and the piecewise mechanism.

Symbols
    D       number of grid points; code c is x = c/(D-1), between 0 and 1
    r       Duchi: truth/65536, the probability of reporting the rounded number
    W       piecewise: size of the window
    M       piecewise: number of places, D - 1 + W
    a       piecewise: truth/65536, the probability of a report inside the window

Statement
    *Duchi*: c is rounded to 1 with probability x and to 0 otherwise, and reported by binary
    randomised response:

        epsilon = ln((1+r)/(1-r))

    *Piecewise*: the report is one of M places. The W places from c on are the window. With
    probability a the report is a uniform place inside the window, else a uniform one of the D - 1
    others:

        epsilon = |ln(a(D-1)/((1-a)W))|

Proof
    Duchi: rounding is independent of other clients. Randomised response to 0 and to 1 has this
    likelihood ratio, and mixtures of the two distributions have no larger one. Piecewise: every
    place has probability a/W or (1-a)/(D-1), whatever c is.

Accuracy
    The expected report is linear in c, so the estimated total, and the mean, are unbiased. On the
    scale from -1 to 1, for t = 2x - 1, the variance of one report is

        Duchi        ((e^eps+1)/(e^eps-1))^2 - t^2
        piecewise    t^2/(E-1) + (E+3)/(3(E-1)^2)    if W/(D-1) = 1/E, E = e^(eps/2), on a fine grid

    The count of an estimate is the total of x. Its standard error is an upper bound over all data
    with this total.

Arithmetic
    Whole numbers only. Draws in order. Duchi: a uniform number below D-1, which rounds up if it is
    below c; then as ``k_ary`` with two values. Piecewise: u < truth selects the window; then a
    uniform number below W for a report inside it, or below D-1 for one outside.

Edges
    The report is a place in 1 to 4 bytes, big-endian.

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
    DOMAIN_ENDS,
    SCALE,
    THRESHOLD_ENDS,
    check_domain,
    check_epsilon,
    check_fields,
    check_integer,
    check_rules,
    compute_epsilon,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.k_ary import KAry
from hedgerow.local.protocols.pure_frequency import MAX_CLIENTS, check_counters
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import Integers

__all__ = ["Duchi", "MeanProtocol", "Piecewise", "VariancePolynomial"]

# The variance of one estimate of x: first + second x + third x^2.
VariancePolynomial = tuple[Fraction, Fraction, Fraction]


class MeanProtocol(ABC):
    """A protocol that estimates the mean of a number x between 0 and 1."""

    __slots__ = ()
    memoised: ClassVar[bool] = False

    @property
    def counter_count(self) -> int:
        """The number of counters: the total of all reports, and their number."""
        return 2

    @property
    @abstractmethod
    def epsilon(self) -> Fraction:
        """The epsilon of one report."""

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """The epsilon of each report: nothing is memoised."""
        return self.epsilon

    @abstractmethod
    def variance_polynomial(self) -> VariancePolynomial:
        """Return the variance of one client's estimate as a polynomial in x."""

    def variance(self, frequency: float, n: int) -> float:
        """Return the variance of the estimated total if all n clients have x = frequency."""
        if not 0 <= frequency <= 1:
            raise InvalidArgument("frequency", "must lie between 0 and 1", frequency)
        first, second, third = map(float, self.variance_polynomial())
        return check_integer(n, "n", 0, MAX_CLIENTS) * (
            first + second * frequency + third * frequency**2
        )

    def _build_estimates(self, total: Fraction, n: int, values: Any) -> Estimates:
        if values is not None:
            raise InvalidArgument("values", "must be left out: a mean has only one estimate")
        first, second, third = map(float, self.variance_polynomial())
        x = min(max(float(total) / max(n, 1), 0.0), 1.0)
        # The mean of x^2 lies between x^2 and x; take the end with the larger variance.
        square = x if third > 0 else x * x
        return Estimates(
            np.array([float(total)]),
            np.array([(n * (first + second * x + third * square)) ** 0.5]),
            n,
        )


@dataclass(frozen=True, slots=True)
class Duchi(MeanProtocol):
    """Randomised response to the number rounded to 0 or 1.

    ``domain`` is the number of grid points, ``truth`` the probability, in 1/65536, of reporting the
    rounded number and not a fair coin.
    """

    name: ClassVar[str] = "duchi"
    domain: int
    truth: int

    def __post_init__(self) -> None:
        check_fields(self, domain=DOMAIN_ENDS, truth=THRESHOLD_ENDS)

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Duchi:
        """Return the protocol with the largest ``truth`` within epsilon."""
        return cls(domain, KAry.calibrate(domain=2, epsilon=epsilon).truth)

    @property
    def record_size(self) -> int:
        return 1

    @property
    def randomised_response(self) -> KAry:
        """The randomised response to the rounded number."""
        return KAry(2, self.truth)

    @property
    def epsilon(self) -> Fraction:
        return self.randomised_response.epsilon

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of the two ends."""
        return self.randomised_response.total_variation

    def variance_polynomial(self) -> VariancePolynomial:
        """Return the variance of (report - q)/r, where a report is 1 with probability q + r x."""
        r, q = Fraction(self.truth, SCALE), self.randomised_response.other_support
        return q * (1 - q) / r**2, (1 - 2 * q) / r, Fraction(-1)

    def encode(self, values: Any) -> Records:
        codes = check_codes(values, self.domain)
        return self.randomised_response.encode(
            (uniform_integers(self.domain - 1, codes.size) < codes).astype(np.int64)
        )

    def aggregate(self, records: Any) -> Integers:
        """Count the reports of 1, and all reports."""
        found = count_numbers(records, 1, 2)
        return np.array([found[1], found.sum()], dtype=np.int64)

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Estimate the total of x over all clients."""
        ones, n = map(int, check_counters(counters, self.counter_count))
        return self._build_estimates(
            (ones - n * self.randomised_response.other_support) * SCALE / self.truth, n, values
        )


@dataclass(frozen=True, slots=True)
class Piecewise(MeanProtocol):
    """The piecewise mechanism on a grid.

    ``domain`` is the number of grid points, ``window`` the number of places in the window, and
    ``truth`` the probability, in 1/65536, of a report inside it.
    """

    name: ClassVar[str] = "piecewise"
    domain: int
    window: int
    truth: int

    def __post_init__(self) -> None:
        check_fields(self, domain=DOMAIN_ENDS, window=(1, self.domain), truth=THRESHOLD_ENDS)
        check_rules(
            self,
            (
                "truth",
                self.slope > 0,
                "must be larger: places inside the window must be likelier than others",
            ),
        )

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Piecewise:
        """Return the protocol with the window for epsilon, and the largest ``truth`` within it."""
        steps, limit = check_domain(domain) - 1, check_epsilon(epsilon)
        window = max(1, round(steps * exp(-float(limit) / 2)))
        # At odds below 1 the window would be less likely than the rest: search on from there.
        truth = find_largest_threshold(
            lambda truth: compute_epsilon(
                max(Fraction(1), Fraction(truth * steps, (SCALE - truth) * window))
            ),
            limit,
            1,
            SCALE - 1,
        )
        return cls(domain, window, truth)

    @property
    def output_count(self) -> int:
        """The number of places, that is of distinct reports."""
        return self.domain - 1 + self.window

    @property
    def record_size(self) -> int:
        return byte_width(self.output_count)

    @property
    def inside_probability(self) -> Fraction:
        """The probability of a given place inside the window."""
        return Fraction(self.truth, SCALE * self.window)

    @property
    def outside_probability(self) -> Fraction:
        """The probability of a given place outside the window."""
        return Fraction(SCALE - self.truth, SCALE * (self.domain - 1))

    @property
    def slope(self) -> Fraction:
        """The growth of the expected report from one code to the next."""
        return self.window * (self.inside_probability - self.outside_probability)

    @property
    def intercept(self) -> Fraction:
        """The expected report at code 0."""
        return Fraction(
            self.output_count * (self.output_count - 1), 2
        ) * self.outside_probability + self.slope * Fraction(self.window - 1, 2)

    @property
    def epsilon(self) -> Fraction:
        return compute_epsilon(self.inside_probability / self.outside_probability)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of the two ends."""
        return min(self.window, self.domain - 1) * (
            self.inside_probability - self.outside_probability
        )

    def variance_polynomial(self) -> VariancePolynomial:
        """Return the variance of the estimate of x from one report y.

        E y^2 is the sum of squares of all places times ``outside_probability``, plus that of the
        window times (``inside_probability`` - ``outside_probability``).
        """
        m, w, steps = self.output_count, self.window, self.domain - 1
        squares = Fraction((m - 1) * m * (2 * m - 1), 6) * self.outside_probability
        # A uniform place of the window has mean c + middle and variance spread.
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
        return pack_numbers(self.sample_outputs(check_codes(values, self.domain)), self.record_size)

    def sample_outputs(self, codes: Integers) -> Integers:
        """Draw a report for each checked code."""
        near = codes + uniform_integers(self.window, codes.size)
        far = uniform_integers(self.domain - 1, codes.size)
        return np.where(
            flip_coins(self.truth, codes.size), near, far + self.window * (far >= codes)
        )

    def aggregate(self, records: Any) -> Integers:
        """Add up all reports, and count them."""
        state = np.zeros(2, dtype=np.int64)
        for reports in iterate_numbers(records, self.record_size, self.output_count):
            state += (reports.sum(), reports.size)
        return state

    def estimate_total(self, reports: int, n: int) -> Fraction:
        """Return the unbiased total of x from the total of n reports."""
        return (reports - n * self.intercept) / (self.slope * (self.domain - 1))

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Estimate the total of x over all clients."""
        reports, n = map(int, check_counters(counters, self.counter_count))
        return self._build_estimates(self.estimate_total(reports, n), n, values)
