"""A square root of the matrix of all running totals that a handful of buffers compute element by
element.

| symbol | meaning |
|---|---|
| n | the number of elements, x |
| A | the lower triangle of ones: A x are the running totals |
| C | the lower triangle with c_(i-j) at (i, j): C x is measured |
| share_j, decay_j | the parameters of buffer j |

The totals are A C^-1 of the measurements. With c the coefficients of (1-z)^(-1/2), binom(2k,k)/4^k,
both factors are the same matrix, and the error is within a few per cent of the least possible.
Those coefficients are moments, c_k = integral of (2/pi) lambda^k ds/(1+s^2) with lambda =
1/(1+s^2); the trapezoid rule in log s makes them sums of a few powers,

    c_0 = 1,      c_k = sum_j share_j decay_j^(k-1),

4 + ln(n)/2.4 of them or one more, up to n. Each power is one buffer: it decays, and the new element
is added (Dvijotham, McMahan, Pillutla, Steinke, Thakurta, 2024). Later columns of C are shorter;
weighting element t by 1/sqrt(c_0^2 + … + c_(n-1-t)^2) makes all columns equally long (Henzinger,
Kalinin, Upadhyay, 2025), which reduces the error by another 3 %.

**Arithmetic.** A buffer is an integer in units of 2^-64 steps; shares, decays and weights are
multiples of 2^-64. Each step rounds once in each buffer and once in the sum. The inverse needs no
formula: from a noisy measurement and its own copy of the buffers the reader computes what the
weighted new element must have been.

**Rounding.** Let two streams differ. Without rounding, buffers and measurements are linear.
floor(a) - floor(b) differs from a - b by less than 1, so each step adds at most 1 unit to the
difference of a buffer, and that decays like everything else: in all at most min(n, 1/(1 - decay)).
So every measurement differs from the linear one by at most 1 + sum_j share_j min(n, 1/(1 -
decay_j)) units: ``drift``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.signal import lfilter

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.numeric.rounding import sqrt_up
from hedgerow.numeric.vectorised import Floats

__all__ = ["FRACTION_BITS", "MAX_HORIZON", "MAX_SCALE_BITS", "ToeplitzBuffers"]

FRACTION_BITS = 64  # of buffers, shares, decays and weights
MAX_HORIZON = 2**22  # elements of a stream
MAX_SCALE_BITS = 38  # of noise, out of about 40 that can be drawn
_ONE, _HALF = 1 << FRACTION_BITS, 1 << (FRACTION_BITS - 1)
# the nodes in log s: their spacing, and how far they go beyond 1/sqrt(n) and 1
_NODE_SPACING, _NODES_BELOW, _NODES_ABOVE = 1.2, 1.0, 1.5
# A dozen roundings of doubles are below 2^-48 of the result; n of them are below 2^-28.
_ROUNDING_SLACK = 2.0**-40
_SUM_ROUNDING_SLACK = 2.0**-24


@dataclass(frozen=True)
class ToeplitzBuffers:
    """The buffers for streams of up to ``horizon`` elements. ``shares`` and ``gaps`` (1 - decay)
    are in units of 2^-64.
    """

    horizon: int
    shares: tuple[int, ...]
    gaps: tuple[int, ...]

    def __post_init__(self) -> None:
        if parse_whole(self.horizon, "horizon") > MAX_HORIZON:
            raise InvalidArgument("horizon", f"must be at most {MAX_HORIZON:,}", self.horizon)
        if len(self.shares) != len(self.gaps) or not all(
            0 < number < _ONE for number in (*self.shares, *self.gaps)
        ):
            raise InvalidArgument(
                "shares", "and gaps must have the same length, each between 0 and 2^64", self.shares
            )
        if sum(self.shares) > _ONE:
            raise InvalidArgument(
                "shares",
                "must add up to at most 2^64, so that measurements do not grow",
                sum(self.shares),
            )

    @classmethod
    def for_horizon(cls, horizon: int) -> ToeplitzBuffers:
        """Return buffers with nearly the least error for this many elements."""
        low = -math.log(parse_whole(horizon, "horizon")) / 2 - _NODES_BELOW
        places = [
            _NODE_SPACING * step
            for step in range(
                math.floor(low / _NODE_SPACING), math.ceil(_NODES_ABOVE / _NODE_SPACING) + 1
            )
        ]
        squares = [math.exp(2 * place) for place in places]
        shares = [
            2 / math.pi * _NODE_SPACING * math.exp(u) / (1 + s) ** 2
            for u, s in zip(places, squares, strict=True)
        ]
        return cls(
            horizon,
            tuple(int(share * _ONE) for share in shares),
            tuple(int(s / (1 + s) * _ONE) for s in squares),
        )

    def predict(self, buffers: tuple[int, ...]) -> int:
        """Return the next measurement without its element."""
        return (
            sum(share * held for share, held in zip(self.shares, buffers, strict=True)) + _HALF
        ) >> FRACTION_BITS

    def advance(self, buffers: tuple[int, ...], element: int) -> tuple[int, ...]:
        """Return the buffers after a weighted element in units."""
        return tuple(
            (((_ONE - gap) * held + _HALF) >> FRACTION_BITS) + element
            for gap, held in zip(self.gaps, buffers, strict=True)
        )

    @property
    def drift(self) -> Fraction:
        """The units by which the difference of two measurements may exceed the linear one."""
        pairs = zip(self.shares, self.gaps, strict=True)
        return 1 + sum(
            (
                Fraction(share, _ONE) * min(Fraction(self.horizon), Fraction(_ONE, gap))
                for share, gap in pairs
            ),
            Fraction(0),
        )

    def weight(self, place: int) -> int:
        """Return the weight of the element at ``place``, from 0 on, in units: its column then has
        length at most 1.
        """
        return int(
            _ONE * (1 - _ROUNDING_SLACK) / math.sqrt(self._sum_squares(self.horizon - place))
        )

    @cached_property
    def weights(self) -> Floats:
        """All weights as doubles: for errors, not for noise."""
        return (1 - _ROUNDING_SLACK) / np.sqrt(np.cumsum(self.kernel**2)[::-1])

    def column_sum_norm(self, touched: int) -> Fraction:
        """Return an upper bound, rounded up, on the length of the sum of any ``touched`` unweighted
        columns.

        Coefficients fall, and none is negative. So the inner product of two columns is larger the
        closer together they are and the earlier they begin: of all sets of this many columns the
        first ones have the longest sum.
        """
        sums = np.cumsum(self.kernel)
        # sums of the last ``touched`` coefficients, by geometric series: differences of cumulative
        # sums would lose digits
        if touched < self.horizon:
            sums[touched:] = 0
            for share, log in zip(*self._shares_and_log_decays, strict=True):
                with np.errstate(under="ignore"):
                    first = share * math.expm1(log * touched) / math.expm1(log)
                    sums[touched:] += first * np.exp(log * np.arange(self.horizon - touched))
        return sqrt_up(Fraction(float((sums**2).sum()) * (1 + _SUM_ROUNDING_SLACK)))

    @cached_property
    def kernel(self) -> Floats:
        """The coefficients c_0, c_1, … as doubles."""
        shares, logs = self._shares_and_log_decays
        kernel = np.ones(self.horizon)
        kernel[1:] = 0
        for share, log in zip(shares, logs, strict=True):
            with np.errstate(under="ignore"):
                kernel[1:] += share * np.exp(log * np.arange(self.horizon - 1))
        return kernel

    @cached_property
    def _shares_and_log_decays(self) -> tuple[Floats, Floats]:
        return np.array([share / _ONE for share in self.shares]), np.array(
            [math.log1p(-(gap / _ONE)) for gap in self.gaps]
        )

    @cached_property
    def _pair_rates(self) -> tuple[Floats, Floats]:
        """Return the decay of each product of two buffers, and its share of the sum of squares."""
        shares, logs = self._shares_and_log_decays
        rates = np.add.outer(logs, logs)
        return rates, np.outer(shares, shares) / np.expm1(rates)

    def _sum_squares(self, length: int) -> float:
        """Return c_0^2 + … + c_(m-1)^2 by geometric series; no term is negative, so that rounding
        stays within a few units in the last place.
        """
        rates, shares = self._pair_rates
        with np.errstate(under="ignore"):
            return 1 + float((shares * np.expm1((length - 1) * rates)).sum())

    def variances(self, scales: Floats) -> Floats:
        """Return the variance of each running total, if every measurement has noise of variance 1
        and the estimate of element t is divided by its weight, that is, multiplied by
        ``scales[t]``.

        The noise of elements is z' = C^-1 z. The inverse is of the same kind, 1 + sum_j g_j
        m_j^(k-1): the m_j are the eigenvalues of diag(decay) - sqrt(share) sqrt(share)^T. The sum
        T_t = T_(t-1) + scale_t z'_t has variance V_t = V_(t-1) + scale_t^2 |c'_0..c'_t|^2 + 2
        scale_t sum_j g_j q_j, where q_j, the covariance of T_(t-1) and sum_i m_j^(t-1-i) z_i, is
        carried on by q_j <- m_j q_j + scale_t sum_(k<=t) c'_k m_j^k.
        """
        shares, logs = self._shares_and_log_decays
        roots = np.sqrt(shares)
        decays, vectors = np.linalg.eigh(np.diag(np.exp(logs)) - np.outer(roots, roots))
        gains = -((vectors.T @ roots) ** 2)
        times = np.arange(self.horizon)
        inverse = np.ones(self.horizon)
        with np.errstate(under="ignore"):
            inverse[1:] = sum(
                gain * decay ** times[:-1] for gain, decay in zip(gains, decays, strict=True)
            )
            shared = np.zeros(self.horizon)
            for gain, decay in zip(gains, decays, strict=True):
                shared += gain * lfilter(
                    [0.0, 1.0], [1.0, -decay], scales * np.cumsum(inverse * decay**times)
                )
        return np.cumsum(scales**2 * np.cumsum(inverse**2) + 2 * scales * shared)
